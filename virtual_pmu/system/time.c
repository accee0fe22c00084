/* SPDX-License-Identifier: MIT */
/* Time on the machine's clock (--time model). A thread reads the clock of what it has executed, one
 * nanosecond a clock, and on top what has passed in waits. Waits move no clock of the model: a wait
 * that ends by its timeout adds that to the segment's `waited`, which all programs of the machine
 * read. Absolute timeouts are the machine's; the call gets a copy in the host's time.
 * vpmu_time_before() answers calls that read a clock; vpmu_time_leaves() and vpmu_time_after()
 * stand around each call that the host's kernel makes. Interval timers are in timers.c. If a
 * program has a timer of the host alone, each of its calls takes the host's time, so that time does
 * not stand still for a loop that waits for such a timer. */
#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timerfd.h>
#include <time.h>

#include "calls.h"
#include "system.h"

#define SECOND INT64_C(1000000000)
#define MILLISECOND INT64_C(1000000)
#define TICK (SECOND / 100)
/* Longer ones end by something else. */
#define TIMEOUT_MAX (INT64_MAX / 4)
/* The clock of a process that is not counted stands still, so each read of the time adds this. */
#define LOOK 1000
/* Below the stack pointer, but for the x86-64 ABI's red zone, a program keeps nothing. */
#define RED_ZONE 128

static bool of_model;
static bool timed_by_host;	/* the program has timers of the host alone */
/* How far the machine's time was before the host's when one of these was set, at most. A timer that
 * has expired is not early by the machine's time, whatever the program has executed meanwhile. */
static int64_t ahead = INT64_MIN;

/* The thread's call: when it began on both clocks, and its timeout, 0 for none. */
static _Thread_local struct waiting {
	int64_t begun, begun_host, timeout;
} waiting;

void vpmu_time_begin(bool model)
{
	of_model = model;
}

static int64_t look(void)
{
	int64_t now = vpmu_time_now();

	if (vpmu_system.left_out)
		vpmu_time_reach(now + LOOK);
	return now;
}

bool vpmu_system_clock(uint64_t *value)
{
	if (of_model)
		*value = (uint64_t)look();
	return of_model;
}

/* Stated model: all threads of a process have executed as much as the calling one. */
static int64_t cpu_time(void)
{
	const struct vpmu_thread *t = vpmu_time_thread();

	return vpmu_time_executed() - (t ? (int64_t)t->begun : 0);
}

static int64_t clock_now(int64_t clock)
{
	if (vpmu_time_is_of_cpu(clock))
		return cpu_time();
	return look() + vpmu_time_origin(clock);
}

static struct timespec timespec_of(int64_t ns)
{
	return (struct timespec){ ns / SECOND, ns % SECOND };
}

static int64_t ns_of(int64_t seconds, int64_t part)
{
	return seconds < 0 ? 0 : seconds > TIMEOUT_MAX / SECOND ? TIMEOUT_MAX :
	       seconds * SECOND + part;
}

static int64_t host_now(int64_t clock)
{
	struct timespec host;

	return clock_gettime((clockid_t)clock, &host) ? 0 : ns_of(host.tv_sec, host.tv_nsec);
}

/* ---- timeouts ---- */

/* 0: there is none, or the program may not read it. */
static int64_t timeout_at(int64_t address, int64_t part_ns)
{
	const struct timespec *at = NULL;

	if (address)
		at = vpmu_system.memory->memory((uint64_t)address, sizeof(*at), false);
	return at ? ns_of(at->tv_sec, at->tv_nsec * part_ns) : 0;
}

static int64_t milliseconds(int64_t timeout)
{
	return (int32_t)timeout > 0 ? (int32_t)timeout * MILLISECOND : 0;
}

/* Passes to the call a copy of these bytes of the program, below its stack; NULL: there is no room.
 * The program's own stay, as other threads may wait for the same time. */
static void *replace(int64_t *argument, size_t bytes)
{
	uint64_t at = (vpmu_system.memory->stack() - RED_ZONE - bytes) & ~UINT64_C(15);
	const void *from = vpmu_system.memory->memory((uint64_t)*argument, bytes, false);
	void *to = from ? vpmu_system.memory->memory(at, bytes, true) : NULL;

	if (!to)
		return NULL;
	memcpy(to, from, bytes);
	*argument = (int64_t)at;
	return to;
}

/* An absolute timeout of the machine becomes the host's. Returns how long it is from now. */
static int64_t convert(struct timespec *at, int64_t clock)
{
	int64_t host = host_now(clock), left;

	if (!host || at->tv_sec < 0 || at->tv_nsec < 0 || at->tv_nsec >= SECOND ||
	    (!at->tv_sec && !at->tv_nsec))
		return 0;
	left = ns_of(at->tv_sec, at->tv_nsec) - clock_now(clock);
	*at = timespec_of(host + left > 0 ? host + left : 1);
	return left > 0 ? left : 0;
}

static int64_t wait_until(int64_t *argument, int64_t clock)
{
	struct timespec *at = *argument ? replace(argument, sizeof(*at)) : NULL;

	return at ? convert(at, clock) : 0;
}

static int64_t futex_timeout(int64_t a[6])
{
	switch (a[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
		return timeout_at(a[3], 1);
	case FUTEX_WAIT_BITSET: case FUTEX_WAIT_REQUEUE_PI: case FUTEX_LOCK_PI2:
		return wait_until(&a[3], a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME :
								       CLOCK_MONOTONIC);
	case FUTEX_LOCK_PI:
		return wait_until(&a[3], CLOCK_REALTIME);
	default:
		return 0;
	}
}

static int64_t timeout_of(int64_t number, int64_t a[6])
{
	switch (number) {
	case SYS_futex:
		return futex_timeout(a);
	case SYS_nanosleep:
		return timeout_at(a[0], 1);
	case SYS_clock_nanosleep:
		return a[1] & TIMER_ABSTIME ? wait_until(&a[2], a[0]) : timeout_at(a[2], 1);
	case SYS_poll:
		return milliseconds(a[2]);
	case SYS_epoll_wait: case SYS_epoll_pwait:
		return milliseconds(a[3]);
	case SYS_epoll_pwait2: case SYS_semtimedop:
		return timeout_at(a[3], 1);
	case SYS_ppoll: case SYS_rt_sigtimedwait:
		return timeout_at(a[2], 1);
	case SYS_select:
		return timeout_at(a[4], 1000);
	case SYS_pselect6:
		return timeout_at(a[4], 1);
	case SYS_mq_timedsend: case SYS_mq_timedreceive:
		return wait_until(&a[4], CLOCK_REALTIME);
	default:
		return 0;
	}
}

/* QEMU's own number for a call that is to begin again after a signal. */
static bool interrupted(int64_t answer)
{
	return answer == -EINTR || answer == -512;
}

/* Returns the rest of a wait, for calls that have a result for it. */
static void tell_rest(int64_t number, const int64_t a[6], int64_t answer)
{
	int64_t rest = waiting.begun + waiting.timeout - vpmu_time_now();
	struct timespec time = timespec_of(rest > 0 ? rest : 0);
	struct timeval value = vpmu_time_value(rest > 0 ? rest : 0);

	if (number == SYS_nanosleep && interrupted(answer) && a[1])
		vpmu_time_put((uint64_t)a[1], &time, sizeof(time));
	else if (number == SYS_clock_nanosleep && interrupted(answer) && a[3] && !a[1])
		vpmu_time_put((uint64_t)a[3], &time, sizeof(time));
	else if (number == SYS_select && answer >= 0)
		vpmu_time_put((uint64_t)a[4], &value, sizeof(value));
}

/* 0: of a clock that waits do not take. */
static int64_t sleep_until(int64_t number, const int64_t a[6])
{
	int64_t now = vpmu_time_now(), date = vpmu_time_origin(a[0]);

	if (number == SYS_nanosleep)
		return now + timeout_at(a[0], 1);
	if (vpmu_time_is_of_cpu(a[0]))
		return 0;
	return a[1] & TIMER_ABSTIME ? timeout_at(a[2], 1) - date : now + timeout_at(a[2], 1);
}

/* A sleep that an interval timer ends is done here, so that its signal cannot come before it. */
static bool sleeps(int64_t number, const int64_t a[6], int64_t *answer)
{
	int64_t until = number == SYS_pause ? INT64_MAX : sleep_until(number, a);

	waiting = (struct waiting){ .begun = vpmu_time_now() };
	if (!vpmu_timers_sleep(until))
		return false;
	*answer = -EINTR;
	waiting.timeout = until - waiting.begun;
	tell_rest(number, a, *answer);
	return true;
}

/* ---- for waits that the feed's scheduler does ---- */

int64_t vpmu_time_here(void)
{
	return of_model ? vpmu_time_now() : host_now(CLOCK_MONOTONIC);
}

int64_t vpmu_time_host(int64_t until)
{
	return host_now(CLOCK_MONOTONIC) + until - vpmu_time_here();
}

/* 0: the kernel returns the error. */
static int64_t valid_sleep(int64_t number, const int64_t a[6])
{
	int64_t address = number == SYS_nanosleep ? a[0] : a[2];
	const struct timespec *at = NULL;

	if (address)
		at = vpmu_system.memory->memory((uint64_t)address, sizeof(*at), false);
	if (!at || at->tv_sec < 0 || at->tv_nsec < 0 || at->tv_nsec >= SECOND)
		return 0;
	return sleep_until(number, a);
}

/* An absolute timeout. */
static int64_t futex_until(const int64_t a[6])
{
	int64_t until = timeout_at(a[3], 1);

	if (a[1] & FUTEX_CLOCK_REALTIME)
		until -= of_model ? vpmu_time_origin(CLOCK_REALTIME) :
				    host_now(CLOCK_REALTIME) - host_now(CLOCK_MONOTONIC);
	return until > 0 ? until : 1;
}

int64_t vpmu_time_until(int64_t number, const int64_t a[6])
{
	int64_t wait = 0;

	switch (number) {
	case SYS_futex:
		if (a[3] && (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET)
			return futex_until(a);
		if (!a[3] || (a[1] & FUTEX_CMD_MASK) != FUTEX_WAIT)
			return 0;
		return vpmu_time_here() + timeout_at(a[3], 1);
	case SYS_nanosleep: case SYS_clock_nanosleep:
		return of_model ? valid_sleep(number, a) : 0;
	case SYS_poll:
		wait = milliseconds(a[2]);
		break;
	case SYS_epoll_wait: case SYS_epoll_pwait:
		wait = milliseconds(a[3]);
		break;
	default:
		break;
	}
	return wait ? vpmu_time_here() + wait : 0;
}

void vpmu_time_slept(int64_t number, const int64_t a[6], int64_t until)
{
	int64_t now = vpmu_time_now();

	waiting = (struct waiting){ .begun = now, .timeout = until - now };
	tell_rest(number, a, -EINTR);
}

/* ---- timers of the host alone ---- */

/* The host's time is read first: what passes in between makes no timer early. */
static void keep_ahead(void)
{
	int64_t host = host_now(CLOCK_MONOTONIC), here = vpmu_time_now() - host;
	int64_t most = __atomic_load_n(&ahead, __ATOMIC_RELAXED);

	while (most < here && !__atomic_compare_exchange_n(&ahead, &most, here, true,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* An absolute time is a date if it is later than the machine's beginning, else monotonic. */
static void set_host_timer(int64_t *value, bool absolute)
{
	struct itimerspec *to = absolute && *value ? replace(value, sizeof(*to)) : NULL;
	int64_t start = vpmu_time_origin(CLOCK_REALTIME) / SECOND;

	keep_ahead();
	if (to)
		convert(&to->it_value, to->it_value.tv_sec >= start ? CLOCK_REALTIME :
								      CLOCK_MONOTONIC);
	timed_by_host = true;
}

static void note_timer(int64_t number, int64_t a[6])
{
	bool socket = number == SYS_setsockopt && a[1] == SOL_SOCKET;

	if (number == SYS_timerfd_settime)
		set_host_timer(&a[2], a[1] & TFD_TIMER_ABSTIME);
	else if (number == SYS_timer_settime)	/* of a process that is not counted */
		set_host_timer(&a[2], a[1] & TIMER_ABSTIME);
	else if (socket && (a[2] == SO_RCVTIMEO || a[2] == SO_SNDTIMEO))
		timed_by_host = true;
}

/* ---- calls that read a clock ---- */

static void tell_usage(int64_t address, int64_t ns)
{
	struct rusage *at = NULL;

	if (address)
		at = vpmu_system.memory->memory((uint64_t)address, sizeof(*at), true);
	if (!at)
		return;
	at->ru_utime = vpmu_time_value(ns);
	at->ru_stime = vpmu_time_value(0);
}

static int64_t children_time(void)
{
	const struct vpmu_thread *t = vpmu_time_thread();

	return t ? (int64_t)__atomic_load_n(&t->children, __ATOMIC_RELAXED) : 0;
}

/* Those that have ended since the last one that was waited for. */
static int64_t children_time_again(void)
{
	static int64_t told;
	int64_t all = children_time(), last = __atomic_exchange_n(&told, all, __ATOMIC_RELAXED);

	return all > last ? all - last : 0;
}

int64_t vpmu_time_up(void)
{
	return (of_model ? look() : host_now(CLOCK_BOOTTIME)) / SECOND;
}

static int64_t get_clock(int64_t clock, int64_t address)
{
	struct timespec time = timespec_of(clock_now(clock));

	return vpmu_time_put((uint64_t)address, &time, sizeof(time));
}

static int64_t get_times(int64_t address)
{
	const struct tms times = { .tms_utime = cpu_time() / TICK,
				   .tms_cutime = children_time() / TICK };
	int64_t rc = address ? vpmu_time_put((uint64_t)address, &times, sizeof(times)) : 0;

	return rc ? rc : look() / TICK;
}

static int64_t get_time(int64_t address)
{
	int64_t seconds = clock_now(CLOCK_REALTIME) / SECOND;
	int64_t rc = address ? vpmu_time_put((uint64_t)address, &seconds, sizeof(seconds)) : 0;

	return rc ? rc : seconds;
}

static int64_t get_time_of_day(int64_t address)
{
	struct timeval of_day = vpmu_time_value(clock_now(CLOCK_REALTIME));

	return address ? vpmu_time_put((uint64_t)address, &of_day, sizeof(of_day)) : 0;
}

bool vpmu_time_before(int64_t number, const int64_t a[6], int64_t *answer)
{
	struct timespec time;

	if (!of_model)
		return false;
	switch (number) {
	case SYS_clock_gettime:
		if (clock_gettime((clockid_t)a[0], &time))
			return false;		/* no such clock */
		*answer = get_clock(a[0], a[1]);
		return true;
	case SYS_gettimeofday:
		*answer = get_time_of_day(a[0]);
		return !a[1];
	case SYS_time:
		*answer = get_time(a[0]);
		return true;
	case SYS_times:
		*answer = get_times(a[0]);
		return true;
	case SYS_setitimer: case SYS_getitimer: case SYS_alarm: case SYS_timer_create:
	case SYS_timer_settime: case SYS_timer_gettime: case SYS_timer_getoverrun:
	case SYS_timer_delete:
		timed_by_host |= vpmu_system.left_out;
		return !vpmu_system.left_out && vpmu_timers_before(number, a, answer);
	case SYS_nanosleep: case SYS_clock_nanosleep: case SYS_pause:
		return sleeps(number, a, answer);
	default:
		return false;
	}
}

/* ---- calls that the host's kernel makes ---- */

void vpmu_time_leaves(int64_t number, int64_t a[6])
{
	if (!of_model)
		return;
	note_timer(number, a);
	waiting = (struct waiting){ .begun = vpmu_time_now(), .timeout = timeout_of(number, a) };
	if (timed_by_host || waiting.timeout)
		waiting.begun_host = host_now(CLOCK_MONOTONIC);
	vpmu_timers_wait(number, waiting.timeout ? waiting.begun + waiting.timeout : 0);
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

static void add_waited(int64_t number, int64_t answer)
{
	bool fired = vpmu_timers_waited();
	int64_t host, most;

	if (waiting.timeout && timed_out(number, answer)) {
		vpmu_time_reach(waiting.begun + waiting.timeout);
	} else if (timed_by_host || (waiting.timeout && interrupted(answer) && !fired)) {
		host = host_now(CLOCK_MONOTONIC) - waiting.begun_host;
		if (waiting.timeout && host > waiting.timeout)
			host = waiting.timeout;
		vpmu_time_reach(waiting.begun + host);
	}
	most = __atomic_load_n(&ahead, __ATOMIC_RELAXED);
	if (most != INT64_MIN)
		vpmu_time_reach(host_now(CLOCK_MONOTONIC) + most);
}

void vpmu_time_after(int64_t number, const int64_t a[6], int64_t answer)
{
	if (!of_model)
		return;
	add_waited(number, answer);
	if (waiting.timeout)
		tell_rest(number, a, answer);
	if (number == SYS_getrusage && !answer)
		tell_usage(a[1], (int32_t)a[0] == RUSAGE_CHILDREN ? children_time() : cpu_time());
	else if (number == SYS_wait4 && answer > 0)
		tell_usage(a[3], children_time_again());
}
