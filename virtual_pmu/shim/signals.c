/* SPDX-License-Identifier: MIT */
/* Signals of programs that write the memory controller's window: its pages are read-only, and a
 * store is a fault. */
#include <errno.h>
#include <signal.h>

#include "inside.h"
#include "shim.h"

NEXT_SLOT(sigaction)
NEXT_SLOT(sigprocmask)
NEXT_SLOT(pthread_sigmask)

static bool is_handler(const struct sigaction *action)
{
	return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

/* ---- faults ---- */

/* Writes of the window are faults (window.c). The program keeps its own action for what are not,
 * and blocks the signal in vain: a fault in spite of that would end it. */
static struct sigaction fault_action;
static bool trapped;
static bool (*ask_first)(uintptr_t address, void *context);

/* To a handler of the program's, or to the end that the kernel makes when it happens again. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	const struct sigaction plain = { .sa_handler = SIG_DFL };
	struct sigaction action = fault_action;

	if (action.sa_flags & (int)SA_RESETHAND)
		fault_action.sa_handler = SIG_DFL;
	if (is_handler(&action)) {
		action.sa_sigaction(number, info, context);
		return;
	}
	NEXT(sigaction)(number, &plain, NULL);
	if (info->si_code <= 0)		/* somebody has sent it */
		shim_syscall(SYS_tkill, shim_syscall(SYS_gettid, 0, 0, 0, 0), number, 0, 0);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	if (info->si_code <= 0 || !ask_first((uintptr_t)info->si_addr, context))
		pass_on(number, info, context);
	errno = saved;
}

void shim_trap_faults(bool (*ask)(uintptr_t address, void *context))
{
	struct sigaction ours = { .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
	sigset_t faults;

	if (__atomic_exchange_n(&trapped, true, __ATOMIC_ACQ_REL))
		return;
	ask_first = ask;
	ours.sa_sigaction = on_fault;
	sigemptyset(&ours.sa_mask);
	NEXT(sigaction)(SIGSEGV, &ours, &fault_action);
	sigemptyset(&faults);
	sigaddset(&faults, SIGSEGV);
	NEXT(pthread_sigmask)(SIG_UNBLOCK, &faults, NULL);
}

static int change_fault(const struct sigaction *action, struct sigaction *old)
{
	struct sigaction before = fault_action;

	if (action)
		fault_action = *action;
	if (old)
		*old = before;
	return 0;
}

static bool window_writable(void)
{
	struct vpmu_segment *s = shim_machine();

	return s && vpmu_mmio_writable(s);
}

/* While a handler runs, too, the window can be written. */
static const struct sigaction *unmasked(const struct sigaction *action, struct sigaction *copy)
{
	if (!action || !window_writable())
		return action;
	*copy = *action;
	sigdelset(&copy->sa_mask, SIGSEGV);
	return copy;
}

SHIM_EXPORT int sigaction(int number, const struct sigaction *restrict action,
			  struct sigaction *restrict old)
{
	struct sigaction copy;

	if (number == SIGSEGV && __atomic_load_n(&trapped, __ATOMIC_ACQUIRE))
		return change_fault(action, old);
	return NEXT(sigaction)(number, unmasked(action, &copy), old);
}

#define SIGMASK(name) \
	SHIM_EXPORT int name(int how, const sigset_t *restrict set, sigset_t *restrict old) \
	{ \
		sigset_t copy; \
		if (set && how != SIG_UNBLOCK && window_writable()) { \
			copy = *set; \
			sigdelset(&copy, SIGSEGV); \
			set = &copy; \
		} \
		return NEXT(name)(how, set, old); \
	}
SIGMASK(sigprocmask)
SIGMASK(pthread_sigmask)

/* ---- signal() ---- */

static void (*set(int number, void (*handle)(int), int flags))(int)
{
	struct sigaction action = { .sa_flags = flags }, old;

	action.sa_handler = handle;
	sigemptyset(&action.sa_mask);
	return sigaction(number, &action, &old) ? SIG_ERR : old.sa_handler;
}

SHIM_EXPORT void (*signal(int number, void (*handle)(int)))(int)
{
	return set(number, handle, SA_RESTART);
}

/* What ISO C programs without extensions are linked with. */
SHIM_EXPORT void (*__sysv_signal(int number, void (*handle)(int)))(int)
{
	return set(number, handle, (int)SA_RESETHAND | SA_NODEFER);
}
