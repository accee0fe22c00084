/* SPDX-License-Identifier: MIT */
#include "signals.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../emulator/user_calls.h"
#include "../../machine/kernel.h"
#include "process_turn.h"
#include "scheduler.h"

/* A thread outside of the turn, in a call that the signal may end, gets it from the host's kernel.
 * That lets no thread send a kernel's or kill()'s signal with its own words. */
static bool send_outside(uint32_t tid, const siginfo_t *info)
{
	if (info->si_code >= 0 || info->si_code == SI_TKILL)
		return !vpmu_syscall(SYS_tgkill, getpid(), tid, info->si_signo);
	return !vpmu_syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, info->si_signo, info);
}

static bool send_to(struct vpmu_turn *t, const siginfo_t *info, uint64_t clock)
{
	if (t->state == VPMU_TURN_OUTSIDE) {
		vpmu_process_turn_woke();
		if (!vpmu_scheduler_expires)
			vpmu_scheduler_leave();
		return send_outside(t->tid, info);
	}
	if (!vpmu_turn_host->signal(t->vcpu, info->si_signo, info))
		return false;
	vpmu_turn_interrupt(t, clock);
	return true;
}

/* tid 0: to the process. */
static struct vpmu_turn *receiver(uint32_t tid, int number)
{
	struct vpmu_turn *t = vpmu_turns.first;

	while (t && (tid ? t->tid != tid : vpmu_turn_host->blocks(t->vcpu, number)))
		t = t->next;
	return t && !vpmu_turn_host->blocks(t->vcpu, number) ? t : NULL;
}

static bool signal_send(uint32_t tid, const siginfo_t *info, bool call)
{
	const uint64_t *expires = vpmu_scheduler_expires;
	struct vpmu_turn *t;
	bool sent = false;

	if (!expires)
		vpmu_turns_lock();
	t = receiver(tid, info->si_signo);
	if (t && !(call && t == vpmu_turn_self))
		sent = send_to(t, info, expires ? *expires : vpmu_turn_clock());
	if (!expires)
		vpmu_turns_unlock();
	return sent;
}

bool vpmu_signals_timer(uint32_t tid, const void *info)
{
	return vpmu_scheduler_shares() && signal_send(tid, info, false);
}

static bool send_plain(uint32_t tid, int number, int code)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = number;
	info.si_code = code;
	info.si_pid = getpid();
	info.si_uid = getuid();
	return signal_send(tid, &info, true);
}

/* The program's own words, which the kernel lets nobody but the receiver begin with these codes. */
static bool send_queued(uint32_t tid, int number, int64_t address)
{
	const siginfo_t *given = vpmu_turn_host->memory((uint64_t)address, sizeof(*given), false);
	siginfo_t info;

	if (!given || given->si_code >= 0 || given->si_code == SI_TKILL)
		return false;
	info = *given;
	info.si_signo = number;
	return signal_send(tid, &info, true);
}

static bool send_call(int64_t number, const int64_t a[6])
{
	switch (number) {
	case SYS_kill:
		return a[0] == getpid() && send_plain(0, (int)a[1], SI_USER);
	case SYS_tkill:
		return a[0] > 0 && send_plain((uint32_t)a[0], (int)a[1], SI_TKILL);
	case SYS_tgkill:
		return a[0] == getpid() && a[1] > 0 &&
		       send_plain((uint32_t)a[1], (int)a[2], SI_TKILL);
	case SYS_rt_sigqueueinfo:
		return a[0] == getpid() && send_queued(0, (int)a[1], a[2]);
	case SYS_rt_tgsigqueueinfo:
		return a[0] == getpid() && a[1] > 0 &&
		       send_queued((uint32_t)a[1], (int)a[2], a[3]);
	default:
		return false;
	}
}

bool vpmu_signals_call(int64_t number, const int64_t a[6], int64_t *answer)
{
	if (!vpmu_scheduler_shares() || !send_call(number, a))
		return false;
	*answer = 0;
	return true;
}
