/* SPDX-License-Identifier: MIT */
/* Interval timers of a program that reads the machine's clock: alarm() and setitimer(). While the
 * program executes, the feed calls vpmu_system_timers() once its clock has reached
 * vpmu_system_timer_clock; the signal comes before the next block, so it comes at the same
 * instruction in each run. While a thread is in a call of the host's kernel, a timer of the host
 * stands for what is left of ITIMER_REAL. The other two measure CPU time, which waits do not take.
 * Several threads may set and await timers at once: the time of each timer changes from one value
 * to the next by a single compare-and-swap, and whoever makes that change sends the signal. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "../machine/kernel.h"
#include "calls.h"
#include "system.h"

#define SECOND INT64_C(1000000000)
#define SECONDS_MAX (INT64_MAX / SECOND / 4)
/* Most calls that may wait do not, and end before the host's timer does. */
#define PASSING_NS 10000000
#define TIMERS 3

uint64_t vpmu_system_timer_clock = UINT64_MAX;

/* By ITIMER_REAL and so on: when it expires, 0 for never, and its interval. */
static struct timer { int64_t end, interval; } timers[TIMERS];
static const int signals[TIMERS] = {
	[ITIMER_REAL] = SIGALRM, [ITIMER_VIRTUAL] = SIGVTALRM, [ITIMER_PROF] = SIGPROF,
};

static uint32_t waiters;	/* threads for which the host's timer stands */
static _Thread_local int64_t awaited;	/* the end for which it does; 0: this thread is none */

static int64_t now_of(int which)
{
	return which == ITIMER_REAL ? vpmu_time_now() : vpmu_time_executed();
}

static int64_t end_of(int which)
{
	return __atomic_load_n(&timers[which].end, __ATOMIC_RELAXED);
}

static void note_first(void)
{
	uint64_t first = UINT64_MAX;

	for (int i = 0; i < TIMERS; i++) {
		int64_t end = end_of(i), waited;
		uint64_t clock;

		if (!end)
			continue;
		waited = i == ITIMER_REAL ? vpmu_time_waited() : 0;
		clock = end > waited ? (uint64_t)(end - waited) : 0;
		first = clock < first ? clock : first;
	}
	__atomic_store_n(&vpmu_system_timer_clock, first, __ATOMIC_RELAXED);
}

/* The timer has expired at `end`. False: another thread has found this before. */
static bool timer_advance(int which, int64_t end)
{
	int64_t interval = timers[which].interval, next = interval ? end + interval : 0;
	int64_t now = now_of(which);

	if (next && next <= now)
		next += (now - next) / interval * interval + interval;
	return __atomic_compare_exchange_n(&timers[which].end, &end, next, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void send(int number)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = number;
	info.si_code = SI_KERNEL;
	vpmu_syscall(SYS_rt_sigqueueinfo, getpid(), number, &info);
}

void vpmu_system_timers(void)
{
	for (int i = 0; i < TIMERS; i++) {
		int64_t end = end_of(i);

		if (end && end <= now_of(i) && timer_advance(i, end))
			send(signals[i]);
	}
	note_first();
}

/* ---- the host's timer ---- */

/* True: it was not running, or has expired. ns: 0 stops it. */
static bool set_host(int64_t ns)
{
	struct itimerval to = { .it_value = vpmu_time_value(ns && ns < 1000 ? 1000 : ns) };
	struct itimerval from = { .it_value = { 0, 0 } };

	vpmu_syscall(SYS_setitimer, ITIMER_REAL, &to, &from);
	return !from.it_value.tv_sec && !from.it_value.tv_usec;
}

static bool host_has_expired(void)
{
	struct itimerval left = { .it_value = { 0, 0 } };

	vpmu_syscall(SYS_getitimer, ITIMER_REAL, &left);
	return !left.it_value.tv_sec && !left.it_value.tv_usec;
}

static bool only_waits(int64_t number)
{
	return number == SYS_rt_sigsuspend || number == SYS_rt_sigtimedwait;
}

/* However long a busy host takes for it: no timer of the host may stand for it, since what comes by
 * that is not repeatable. */
static bool never_waits(int64_t number)
{
	switch (number) {
	case SYS_brk: case SYS_mmap: case SYS_munmap: case SYS_mremap: case SYS_mprotect:
	case SYS_madvise: case SYS_rt_sigaction: case SYS_rt_sigprocmask: case SYS_rt_sigreturn:
	case SYS_sigaltstack: case SYS_stat: case SYS_lstat: case SYS_fstat: case SYS_newfstatat:
	case SYS_statx: case SYS_access: case SYS_lseek: case SYS_getpid: case SYS_gettid:
	case SYS_getrandom: case SYS_getrusage: case SYS_prlimit64: case SYS_sysinfo:
	case SYS_uname: case SYS_sched_getaffinity:
		return true;
	default:
		return false;
	}
}

/* When ITIMER_REAL expires; 0: never. Others that have expired send their signals first. */
static int64_t next_end(void)
{
	if (__atomic_load_n(&vpmu_system_timer_clock, __ATOMIC_RELAXED) == UINT64_MAX)
		return 0;
	vpmu_system_timers();
	return end_of(ITIMER_REAL);
}

void vpmu_timers_wait(int64_t number, int64_t until)
{
	int64_t end = next_end(), left = end - vpmu_time_now();

	if (!end || never_waits(number) || (until && end > until))
		return;
	awaited = end;
	__atomic_fetch_add(&waiters, 1, __ATOMIC_RELAXED);
	set_host(left + (until || only_waits(number) ? 0 : PASSING_NS));
}

bool vpmu_timers_waited(void)
{
	int64_t end = awaited;
	bool expired;

	awaited = 0;
	if (!end)
		return false;
	expired = __atomic_sub_fetch(&waiters, 1, __ATOMIC_RELAXED) ? host_has_expired() :
								      set_host(0);
	if (!expired)
		return false;
	vpmu_time_reach(end);
	timer_advance(ITIMER_REAL, end);
	note_first();
	return true;
}

/* False: another signal has come, and QEMU blocks all of them until the program has got it; or the
 * program itself does not want the timer's now. */
static bool sleep_alone(int64_t ns)
{
	const struct timespec time = { ns / SECOND, ns % SECOND };
	struct sigaction action;
	sigset_t all, before;
	bool wanted, slept;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	wanted = !sigismember(&before, SIGALRM) && !sigaction(SIGALRM, NULL, &action) &&
		 action.sa_handler != SIG_IGN;
	slept = wanted && !ppoll(NULL, 0, &time, &before);
	if (slept || !wanted)
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	return slept;
}

bool vpmu_timers_sleep(int64_t until)
{
	int64_t end = next_end(), left = end - vpmu_time_now();

	if (!end || end > until || (left > 0 && !sleep_alone(left)))
		return false;
	vpmu_time_reach(end);
	vpmu_system_timers();
	return true;
}

int64_t vpmu_timers_next(void)
{
	return end_of(ITIMER_REAL);
}

void vpmu_timers_forked(void)
{
	memset(timers, 0, sizeof(timers));
	waiters = 0;
	awaited = 0;
	note_first();
}

/* ---- what the program asks for ---- */

static struct itimerval timer_value(int which)
{
	int64_t end = end_of(which), left = end - now_of(which);

	if (!end)
		return (struct itimerval){ .it_value = { 0, 0 } };
	return (struct itimerval){ .it_interval = vpmu_time_value(timers[which].interval),
				   .it_value = vpmu_time_value(left < 1000 ? 1000 : left) };
}

static bool valid(const struct timeval *v)
{
	return v->tv_sec >= 0 && v->tv_usec >= 0 && v->tv_usec < 1000000;
}

static int64_t ns_of(const struct timeval *v)
{
	return (v->tv_sec < SECONDS_MAX ? v->tv_sec : SECONDS_MAX) * SECOND + v->tv_usec * 1000;
}

static void timer_set(int which, int64_t left, int64_t interval)
{
	timers[which].interval = interval;
	__atomic_store_n(&timers[which].end, left ? now_of(which) + left : 0, __ATOMIC_RELAXED);
	/* A timer of the program that this one was before is stopped, too. */
	if (which == ITIMER_REAL)
		set_host(__atomic_load_n(&waiters, __ATOMIC_RELAXED) ? left : 0);
	note_first();
}

static int64_t set_timer(int which, int64_t new, int64_t old)
{
	const struct itimerval *to = NULL;
	struct itimerval given = { .it_value = { 0, 0 } }, before = timer_value(which);

	if (new) {
		to = vpmu_system.memory->memory((uint64_t)new, sizeof(*to), false);
		if (!to)
			return -EFAULT;
		given = *to;
	}
	if (!valid(&given.it_value) || !valid(&given.it_interval))
		return -EINVAL;
	timer_set(which, ns_of(&given.it_value), ns_of(&given.it_interval));
	return old ? vpmu_time_put((uint64_t)old, &before, sizeof(before)) : 0;
}

/* Rounds to seconds as Linux does, and tells a timer that runs by at least one. */
static int64_t set_alarm(uint32_t seconds)
{
	struct timeval left = timer_value(ITIMER_REAL).it_value;
	bool more = left.tv_usec >= 500000 || (!left.tv_sec && left.tv_usec);

	timer_set(ITIMER_REAL, seconds * SECOND, 0);
	return left.tv_sec + more;
}

bool vpmu_timers_before(int64_t number, const int64_t a[6], int64_t *answer)
{
	struct itimerval value;

	if (number == SYS_alarm) {
		*answer = set_alarm((uint32_t)a[0]);
		return true;
	}
	if (a[0] < 0 || a[0] >= TIMERS)
		return false;
	if (number == SYS_setitimer) {
		*answer = set_timer((int)a[0], a[1], a[2]);
		return true;
	}
	value = timer_value((int)a[0]);
	*answer = vpmu_time_put((uint64_t)a[1], &value, sizeof(value));
	return true;
}
