/* SPDX-License-Identifier: MIT */
/* Calls of the host's kernel that may wait: see host_calls.h. A read or write of a file that would
 * wait now, a pipe for instance, waits in the scheduler until the file is ready, since it may be
 * another thread that makes it so. If nobody can run, the host's kernel makes the call outside of
 * the turn. So it does at once where a call waits for something else, as another process. */
#include "host_calls.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../../emulator/user_calls.h"
#include "../../system/calls.h"
#include "clock.h"
#include "process_turn.h"
#include "scheduler.h"

/* Linux's admin-guide/devices.txt: /dev/null, /dev/zero, /dev/urandom. */
#define MEMORY_DEVICES 1u

enum how { PASSES, WAITS_FOR_FILES, WAITS };

static bool never_waits(int fd)
{
	struct stat st;

	if (fstat(fd, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode))
		return true;
	if (S_ISCHR(st.st_mode) && major(st.st_rdev) == MEMORY_DEVICES)
		return true;
	return fcntl(fd, F_GETFL) & O_NONBLOCK;
}

static enum how one_file(int64_t fd, short events)
{
	struct vpmu_turn *me = vpmu_turn_self;

	if (never_waits((int)fd))
		return PASSES;
	me->files[0] = (struct pollfd){ .fd = (int)fd, .events = events };
	me->file_count = 1;
	return WAITS_FOR_FILES;
}

/* A pipe has room for so much. Its last page may be full although it holds less. */
static bool has_room(int fd, uint64_t bytes)
{
	int size = fcntl(fd, F_GETPIPE_SZ), used;

	return size > PIPE_BUF && !ioctl(fd, FIONREAD, &used) &&
	       bytes + (uint64_t)used + PIPE_BUF <= (uint64_t)size;
}

static enum how write_file(int64_t fd, uint64_t bytes)
{
	if (never_waits((int)fd) || has_room((int)fd, bytes))
		return PASSES;
	/* More may wait for a reader in the middle, although the file is ready. */
	return bytes > PIPE_BUF ? WAITS : one_file(fd, POLLOUT);
}

static enum how write_files(const int64_t a[6])
{
	const struct iovec *part = NULL;
	uint64_t bytes = 0;

	if (a[2] > 0 && a[2] <= IOV_MAX)
		part = vpmu_turn_host->memory((uint64_t)a[1], (uint64_t)a[2] * sizeof(*part),
					      false);
	for (int64_t i = 0; part && i < a[2]; i++)
		bytes += part[i].iov_len;
	return part ? write_file(a[0], bytes) : PASSES;
}

static enum how some_files(const int64_t a[6])
{
	struct vpmu_turn *me = vpmu_turn_self;
	const struct pollfd *files;

	if (!(uint32_t)a[2])
		return PASSES;
	if (a[1] <= 0 || a[1] > (int64_t)VPMU_TURN_FILES)
		return WAITS;
	files = vpmu_turn_host->memory((uint64_t)a[0], (uint64_t)a[1] * sizeof(*files), false);
	for (int64_t i = 0; files && i < a[1]; i++)
		me->files[i] = (struct pollfd){ .fd = files[i].fd, .events = files[i].events };
	me->file_count = files ? (uint32_t)a[1] : 0;
	return files ? WAITS_FOR_FILES : PASSES;
}

static enum how epoll(const int64_t a[6])
{
	struct vpmu_turn *me = vpmu_turn_self;

	if (!(uint32_t)a[3])
		return PASSES;
	me->files[0] = (struct pollfd){ .fd = (int)a[0], .events = POLLIN };
	me->file_count = 1;
	return WAITS_FOR_FILES;
}

static enum how how_of(int64_t number, const int64_t a[6])
{
	switch (number) {
	case SYS_read: case SYS_readv: case SYS_recvfrom: case SYS_recvmsg: case SYS_accept:
	case SYS_accept4:
		return one_file(a[0], POLLIN);
	case SYS_write: case SYS_sendto:
		return write_file(a[0], (uint64_t)a[2]);
	case SYS_writev:
		return write_files(a);
	case SYS_sendmsg:
		return never_waits((int)a[0]) ? PASSES : WAITS;
	case SYS_poll:
		return some_files(a);
	case SYS_epoll_wait: case SYS_epoll_pwait:
		return epoll(a);
	case SYS_pread64: case SYS_pwrite64:
		return PASSES;
	case SYS_wait4:
		return a[2] & 1 /* WNOHANG */ ? PASSES : WAITS;
	case SYS_waitid:
		return a[3] & 1 ? PASSES : WAITS;
	case SYS_fcntl:
		return a[1] == F_SETLKW || a[1] == F_OFD_SETLKW ? WAITS : PASSES;
	case SYS_vfork:
		return PASSES;
	default:
		return vpmu_syscall_waits(number, (uint64_t)a[1]) ? WAITS : PASSES;
	}
}

/* The wait for files is over by its timeout: the call itself takes no time any more. */
static void poll_only(int64_t number, int64_t a[6])
{
	a[number == SYS_poll ? 2 : 3] = 0;
}

static void wait_for_files(int64_t number, int64_t a[6])
{
	struct vpmu_turn *me = vpmu_turn_self;

	me->until = vpmu_time_until(number, a);
	me->until_host = 0;
	me->timed_out = false;
	if (vpmu_scheduler_wait(VPMU_TURN_FILES_WAIT, vpmu_turn_clock()) == VPMU_GO_ON &&
	    me->timed_out) {
		vpmu_time_reach(me->until);
		poll_only(number, a);
	}
	me->until = 0;
}

static bool files_are_ready(void)
{
	return poll(vpmu_turn_self->files, vpmu_turn_self->file_count, 0) > 0;
}

/* With timeouts of the host's time, only the host's kernel can end the wait. */
static enum how how_now(int64_t number, const int64_t a[6])
{
	enum how how = how_of(number, a);

	if (how != WAITS_FOR_FILES)
		return how;
	if (!vpmu_scheduler_model_time() && vpmu_time_until(number, a))
		return WAITS;
	return files_are_ready() ? PASSES : WAITS_FOR_FILES;
}

/* True: the call waits for nothing, so timers expire by the machine's clock alone. */
static bool passes(int64_t number, const int64_t a[6])
{
	return vpmu_turn_self && vpmu_timers_next() && how_now(number, a) == PASSES;
}

static bool makes_process(int64_t number, const int64_t a[6])
{
	return number == SYS_fork || number == SYS_vfork ||
	       (number == SYS_clone && !(a[0] & CLONE_THREAD));
}

/* The thread's or the process's clocks are complete. */
static bool ends(int64_t number)
{
	return number == SYS_exit || number == SYS_exit_group || number == SYS_execve ||
	       number == SYS_execveat;
}

/* A thread waits for files here, before system/ sets a timer of the host for the call. */
void vpmu_host_call_begins(int64_t number, int64_t a[6])
{
	if (number == SYS_set_tid_address && vpmu_turn_self)
		vpmu_turn_self->ends_at = (uint64_t)a[0];
	if (number == SYS_clone && vpmu_turn_self)
		vpmu_turn_self->child_ends_at =
			a[0] & CLONE_CHILD_CLEARTID ? (uint64_t)a[3] : 0;
	vpmu_timers_passes(passes(number, a));
	if (!vpmu_turn_self)
		return;
	if (makes_process(number, a))
		vpmu_process_turn_fork(vpmu_turn_clock());
	if (vpmu_scheduler_shares() && !ends(number))
		vpmu_scheduler_before_call();
	vpmu_scheduler_call_begins();
	if (!vpmu_scheduler_shares())
		return;
	if (number == SYS_pause)	/* system/ may do it */
		vpmu_scheduler_outside();
	else if (how_now(number, a) == WAITS_FOR_FILES && !vpmu_turn_host->signalled())
		wait_for_files(number, a);
	vpmu_timers_passes(passes(number, a));
}

void vpmu_host_call_leaves(int64_t number, const int64_t a[6])
{
	if (vpmu_turn_self && vpmu_turn_self->state == VPMU_TURN_RUNS &&
	    how_now(number, a) != PASSES)
		vpmu_scheduler_outside();
}

/* Threads that wait in the host's kernel. */
static bool may_wake(int64_t number)
{
	switch (number) {
	case SYS_read: case SYS_readv: case SYS_recvfrom: case SYS_recvmsg: case SYS_write:
	case SYS_writev: case SYS_sendto: case SYS_sendmsg: case SYS_accept: case SYS_accept4:
	case SYS_connect: case SYS_shutdown: case SYS_close: case SYS_dup2: case SYS_dup3:
	case SYS_futex: case SYS_kill: case SYS_tkill: case SYS_tgkill:
	case SYS_rt_sigqueueinfo: case SYS_rt_tgsigqueueinfo: case SYS_semop:
	case SYS_semtimedop: case SYS_semctl: case SYS_msgsnd: case SYS_msgrcv:
	case SYS_mq_timedsend: case SYS_mq_timedreceive: case SYS_flock: case SYS_fcntl:
	case SYS_epoll_ctl: case SYS_timerfd_settime:
		return true;
	default:
		return false;
	}
}

void vpmu_host_call_ends(int64_t number, const int64_t a[6], int64_t answer)
{
	if (!vpmu_turn_self)
		return;
	vpmu_scheduler_call_ends();
	if (makes_process(number, a))
		vpmu_process_turn_forked(answer);
	if (number == SYS_clone && a[0] & CLONE_THREAD)
		vpmu_scheduler_made(answer);
	if (may_wake(number) || makes_process(number, a))
		vpmu_scheduler_woke();
}
