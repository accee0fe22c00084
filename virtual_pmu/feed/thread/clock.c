/* SPDX-License-Identifier: MIT */
#include <sys/syscall.h>

#include "clock.h"

bool vpmu_runner_behind(struct vpmu_runner *r)
{
	if (r->clock > __atomic_load_n(r->newest, __ATOMIC_RELAXED))
		return false;
	r->published = r->clock;
	__atomic_store_n(r->clock_slot, r->clock, __ATOMIC_RELAXED);
	vpmu_runner_number(r);
	return true;
}

bool vpmu_runner_is_due(struct vpmu_runner *r, uint64_t work)
{
	uint64_t clock = vpmu_runner_clock_with(r, work);
	uint64_t end = __atomic_load_n(&vpmu_turn_end, __ATOMIC_RELAXED);
	uint64_t last = r->published + VPMU_PUBLISH_CLOCKS;

	if (clock - r->published >= VPMU_PUBLISH_CLOCKS || clock >= end ||
	    __atomic_load_n(r->cpu_slot, __ATOMIC_RELAXED) != r->cpu)
		return true;
	r->work_limit = ((last < end ? last : end) - r->clock) << VPMU_WORK_CLOCK_SHIFT;
	return false;
}

void vpmu_runner_continue(struct vpmu_runner *r, uint64_t clock)
{
	if (!clock)
		clock = __atomic_load_n(r->newest, __ATOMIC_RELAXED);
	if (clock > r->clock)
		r->clock = clock;
	vpmu_runner_check_next(r);
	r->awake = r->clock;
	vpmu_runner_number(r);
}

/* Linux's FUTEX_ operations that sleep; the others only wake or move waiters. */
static bool futex_waits(uint64_t operation)
{
	switch (operation & 0x7f) {
	case 0:		/* WAIT */
	case 6:		/* LOCK_PI */
	case 9:		/* WAIT_BITSET */
	case 11:	/* WAIT_REQUEUE_PI */
	case 13:	/* LOCK_PI2 */
		return true;
	default:
		return false;
	}
}

bool vpmu_syscall_waits(int64_t number, uint64_t arg2)
{
	switch (number) {
	case SYS_futex:
		return futex_waits(arg2);
	case SYS_read: case SYS_readv: case SYS_pread64: case SYS_write: case SYS_writev:
	case SYS_recvfrom: case SYS_recvmsg: case SYS_recvmmsg: case SYS_sendto: case SYS_sendmsg:
	case SYS_accept: case SYS_accept4: case SYS_connect:
	case SYS_poll: case SYS_ppoll: case SYS_select: case SYS_pselect6:
	case SYS_epoll_wait: case SYS_epoll_pwait: case SYS_epoll_pwait2:
	case SYS_nanosleep: case SYS_clock_nanosleep: case SYS_pause: case SYS_sched_yield:
	case SYS_wait4: case SYS_waitid: case SYS_vfork:
	case SYS_rt_sigsuspend: case SYS_rt_sigtimedwait:
	case SYS_semop: case SYS_semtimedop: case SYS_msgrcv: case SYS_msgsnd:
	case SYS_mq_timedreceive: case SYS_mq_timedsend: case SYS_io_getevents:
	case SYS_flock: case SYS_fcntl:
		return true;
	default:
		return false;
	}
}

bool vpmu_syscall_polls(int64_t number, uint64_t arg3, uint64_t arg4)
{
	switch (number) {
	case SYS_poll:
		return !(uint32_t)arg3;
	case SYS_epoll_wait: case SYS_epoll_pwait:
		return !(uint32_t)arg4;
	default:
		return false;
	}
}
