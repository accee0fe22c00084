/* SPDX-License-Identifier: MIT */
/* Time on the machine's clock (--time model): a program reads the clock of its thread. It advances
 * by what the thread executes, one nanosecond a clock. A wait in the host's kernel that ends by its
 * timeout advances it by the timeout. Absolute timeouts are the machine's; for the call they become
 * the host's. vpmu_time_before() and vpmu_time_after() stand around each system call, and
 * vpmu_system_waited() tells the feed where a thread's clock continues. */
#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

#include "calls.h"
#include "system.h"

#define SECOND INT64_C(1000000000)
#define MILLISECOND INT64_C(1000000)
#define TICK (SECOND / 100)
/* Longer ones end by something else. */
#define TIMEOUT_MAX (INT64_MAX / 4)
/* 2020-01-01T00:00:00Z, when the machine is switched on. */
#define START (INT64_C(1577836800) * SECOND)

static bool of_model;

/* The thread's wait: its timeout, 0 for none, and the absolute one that the program gave. */
static _Thread_local struct waiting {
	int64_t begun, timeout;
	uint64_t changed;
	struct timespec given;
} waiting;

void vpmu_time_begin(bool model)
{
	of_model = model;
}

/* A process that is not counted has no clock of its own, and reads the machine's newest. */
static int64_t now(void)
{
	const struct vpmu_thread *t;

	if (vpmu_system.left_out)
		return (int64_t)vpmu_system_newest();
	t = vpmu_thread_find(vpmu_system.segment, vpmu_gettid());
	return t ? (int64_t)__atomic_load_n(&t->clock, __ATOMIC_RELAXED) : 0;
}

bool vpmu_system_clock(uint64_t *value)
{
	if (of_model)
		*value = (uint64_t)now();
	return of_model;
}

static bool is_of_date(int64_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

/* Processes' and threads' own clocks: they are the machine's, too, from its start. */
static int64_t clock_now(int64_t clock)
{
	return now() + (is_of_date(clock) ? START : 0);
}

static int64_t memory_put(uint64_t address, const void *from, size_t bytes)
{
	void *at = vpmu_system.memory->memory(address, bytes, true);

	if (!at)
		return -EFAULT;
	memcpy(at, from, bytes);
	return 0;
}

static struct timespec timespec_of(int64_t ns)
{
	return (struct timespec){ ns / SECOND, ns % SECOND };
}

static struct timeval timeval_of(int64_t ns)
{
	return (struct timeval){ ns / SECOND, ns % SECOND / 1000 };
}

static int64_t ns_of(int64_t seconds, int64_t part)
{
	return seconds < 0 ? 0 : seconds > TIMEOUT_MAX / SECOND ? TIMEOUT_MAX :
	       seconds * SECOND + part;
}

/* 0: there is none, or the program may not read it. */
static int64_t timeout_at(uint64_t address, int64_t part_ns)
{
	const struct timespec *at = NULL;

	if (address)
		at = vpmu_system.memory->memory(address, sizeof(*at), false);
	return at ? ns_of(at->tv_sec, at->tv_nsec * part_ns) : 0;
}

static int64_t milliseconds(int64_t timeout)
{
	return (int32_t)timeout > 0 ? (int32_t)timeout * MILLISECOND : 0;
}

/* Makes an absolute timeout of the machine the host's. */
static void convert(uint64_t address, int64_t clock)
{
	struct timespec host, *at = NULL;
	int64_t model, wanted;

	if (address)
		at = vpmu_system.memory->memory(address, sizeof(*at), true);
	if (!at || at->tv_sec < 0 || clock_gettime((clockid_t)clock, &host))
		return;
	model = clock_now(clock);
	wanted = ns_of(at->tv_sec, at->tv_nsec);
	waiting.given = *at;
	waiting.changed = address;
	waiting.timeout = wanted > model ? wanted - model : 0;
	wanted = ns_of(host.tv_sec, host.tv_nsec) + waiting.timeout;
	*at = timespec_of(wanted);
}

static void wait_for_futex(const int64_t a[6])
{
	switch (a[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
		waiting.timeout = timeout_at((uint64_t)a[3], 1);
		break;
	case FUTEX_WAIT_BITSET: case FUTEX_WAIT_REQUEUE_PI: case FUTEX_LOCK_PI2:
		convert((uint64_t)a[3], a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME :
								     CLOCK_MONOTONIC);
		break;
	case FUTEX_LOCK_PI:
		convert((uint64_t)a[3], CLOCK_REALTIME);
		break;
	}
}

static void time_wait_for(int64_t number, const int64_t a[6])
{
	waiting = (struct waiting){ .begun = now() };
	switch (number) {
	case SYS_futex: wait_for_futex(a); break;
	case SYS_nanosleep: waiting.timeout = timeout_at((uint64_t)a[0], 1); break;
	case SYS_clock_nanosleep:
		if (a[1] & TIMER_ABSTIME)
			convert((uint64_t)a[2], a[0]);
		else
			waiting.timeout = timeout_at((uint64_t)a[2], 1);
		break;
	case SYS_poll: waiting.timeout = milliseconds(a[2]); break;
	case SYS_epoll_wait: case SYS_epoll_pwait: waiting.timeout = milliseconds(a[3]); break;
	case SYS_ppoll: waiting.timeout = timeout_at((uint64_t)a[2], 1); break;
	case SYS_epoll_pwait2: case SYS_semtimedop:
		waiting.timeout = timeout_at((uint64_t)a[3], 1);
		break;
	case SYS_rt_sigtimedwait: waiting.timeout = timeout_at((uint64_t)a[2], 1); break;
	case SYS_select: waiting.timeout = timeout_at((uint64_t)a[4], 1000); break;
	case SYS_pselect6: waiting.timeout = timeout_at((uint64_t)a[4], 1); break;
	case SYS_mq_timedsend: case SYS_mq_timedreceive:
		convert((uint64_t)a[4], CLOCK_REALTIME);
		break;
	}
}

static int64_t time_usage(uint64_t address)
{
	struct rusage *at = vpmu_system.memory->memory(address, sizeof(*at), true);

	if (!at)
		return -EFAULT;
	at->ru_utime = timeval_of(now());
	at->ru_stime = timeval_of(0);
	return 0;
}

static int64_t get_times(uint64_t address)
{
	const struct tms times = { .tms_utime = now() / TICK };
	int64_t rc = address ? memory_put(address, &times, sizeof(times)) : 0;

	return rc ? rc : now() / TICK;
}

static int64_t get_time(uint64_t address)
{
	int64_t seconds = clock_now(CLOCK_REALTIME) / SECOND;
	int64_t rc = address ? memory_put(address, &seconds, sizeof(seconds)) : 0;

	return rc ? rc : seconds;
}

/* Answers a call that reads a clock. The others wait. */
bool vpmu_time_before(int64_t number, const int64_t a[6], int64_t *answer)
{
	struct timespec time;
	struct timeval of_day;

	if (!of_model)
		return false;
	switch (number) {
	case SYS_clock_gettime:
		if (clock_gettime((clockid_t)a[0], &time))
			return false;		/* no such clock */
		time = timespec_of(clock_now(a[0]));
		*answer = memory_put((uint64_t)a[1], &time, sizeof(time));
		return true;
	case SYS_gettimeofday:
		of_day = timeval_of(clock_now(CLOCK_REALTIME));
		*answer = a[0] ? memory_put((uint64_t)a[0], &of_day, sizeof(of_day)) : 0;
		return !a[1];
	case SYS_time: *answer = get_time((uint64_t)a[0]); return true;
	case SYS_times: *answer = get_times((uint64_t)a[0]); return true;
	case SYS_getrusage: return false;
	default:
		time_wait_for(number, a);
		return false;
	}
}

static bool timed_out(int64_t number, int64_t answer)
{
	switch (number) {
	case SYS_futex: case SYS_mq_timedsend: case SYS_mq_timedreceive:
		return answer == -ETIMEDOUT;
	case SYS_rt_sigtimedwait: case SYS_semtimedop:
		return answer == -EAGAIN;
	default:
		return answer == 0;
	}
}

void vpmu_time_after(int64_t number, const int64_t a[6], int64_t *answer)
{
	if (!of_model)
		return;
	if (number == SYS_getrusage && !*answer && a[0] != RUSAGE_CHILDREN)
		*answer = time_usage((uint64_t)a[1]);
	if (waiting.changed)
		memory_put(waiting.changed, &waiting.given, sizeof(waiting.given));
	if (number != SYS_getrusage && !timed_out(number, *answer))
		waiting.timeout = 0;
	waiting.changed = 0;
}

uint64_t vpmu_system_waited(void)
{
	uint64_t end = waiting.timeout ? (uint64_t)(waiting.begun + waiting.timeout) : 0;

	waiting.timeout = 0;
	return end;
}
