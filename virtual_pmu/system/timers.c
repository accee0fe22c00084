/* SPDX-License-Identifier: MIT */
/* Timers of a program that reads the machine's clock: alarm(), setitimer() and timer_create().
 * While the program executes, the feed calls vpmu_system_timers() once its clock has reached
 * vpmu_system_timer_clock; the signal comes before the next block, so it comes at the same
 * instruction in each run. While a thread is in a call of the host's kernel that may wait, timers
 * of the host stand for what is left. Timers of CPU time need none, as waits do not take that.
 *
 * Each timer of timer_create() has one of the host's, whose number is its own, and which runs in
 * such calls alone. Several threads may set and await timers at once: the time of each timer
 * changes from one value to the next by a single compare-and-swap, and whoever makes that change
 * sends the signal. */
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
#define INTERVAL_TIMERS 3u
#define TIMERS (INTERVAL_TIMERS + 32u)

/* By ITIMER_REAL and so on, then those of timer_create(): when it expires, 0 for never, and its
 * interval. */
static struct timer {
	int64_t end, interval;
	bool created, of_cpu;
	int host;			/* the host's number */
	int signal;			/* 0: none */
	uint32_t tid;			/* whose signal it is; 0: the process's */
	int overrun;
	int64_t origin;			/* of absolute times, on the machine's clock */
	union sigval value;
} timers[TIMERS] = {
	[ITIMER_REAL] = { .signal = SIGALRM },
	[ITIMER_VIRTUAL] = { .signal = SIGVTALRM, .of_cpu = true },
	[ITIMER_PROF] = { .signal = SIGPROF, .of_cpu = true },
};

static vpmu_timers_send *send_in_feed;
static uint32_t waiters;	/* threads for which the host's timers stand */
/* The end for which the host's timer stands in the thread's call; 0: it does not. */
static _Thread_local int64_t awaited[TIMERS];
static _Thread_local bool awaits, passes;

void vpmu_timers_begin(vpmu_timers_send *send)
{
	send_in_feed = send;
}

static int64_t now_of(const struct timer *t)
{
	return t->of_cpu ? vpmu_time_executed() : vpmu_time_now();
}

static int64_t end_of(const struct timer *t)
{
	return __atomic_load_n(&t->end, __ATOMIC_RELAXED);
}

static void note_first(void)
{
	uint64_t first = UINT64_MAX;

	for (uint32_t i = 0; i < TIMERS; i++) {
		int64_t end = end_of(&timers[i]), waited;
		uint64_t clock;

		if (!end)
			continue;
		waited = timers[i].of_cpu ? 0 : vpmu_time_waited();
		clock = end > waited ? (uint64_t)(end - waited) : 0;
		first = clock < first ? clock : first;
	}
	__atomic_store_n(&vpmu_system_timer_clock, first, __ATOMIC_RELAXED);
}

/* The timer has expired at `end`. False: another thread has found this before. */
static bool timer_advance(struct timer *t, int64_t end)
{
	int64_t interval = t->interval, next = interval ? end + interval : 0, skipped = 0;
	int64_t now = now_of(t);

	if (next && next <= now) {
		skipped = (now - next) / interval + 1;
		next += skipped * interval;
	}
	t->overrun = skipped < INT32_MAX ? (int)skipped : INT32_MAX;
	return __atomic_compare_exchange_n(&t->end, &end, next, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}

/* The host's kernel chooses the thread if the feed does not. It permits SI_KERNEL to the first
 * thread alone. */
static void send(const struct timer *t)
{
	siginfo_t info;

	if (!t->signal)
		return;
	memset(&info, 0, sizeof(info));
	info.si_signo = t->signal;
	info.si_code = t->created ? SI_TIMER : SI_KERNEL;
	if (t->created) {
		info.si_timerid = t->host;
		info.si_overrun = t->overrun;
		info.si_value = t->value;
	}
	if (send_in_feed && send_in_feed(t->tid, &info))
		return;
	if (t->tid)
		vpmu_syscall(SYS_rt_tgsigqueueinfo, getpid(), t->tid, t->signal, &info);
	else if (vpmu_syscall(SYS_rt_sigqueueinfo, getpid(), t->signal, &info))
		vpmu_syscall(SYS_kill, getpid(), t->signal);
}

void vpmu_system_timers(void)
{
	for (uint32_t i = 0; i < TIMERS; i++) {
		int64_t end = end_of(&timers[i]);

		if (end && end <= now_of(&timers[i]) && timer_advance(&timers[i], end))
			send(&timers[i]);
	}
	note_first();
}

/* ---- the host's timers ---- */

/* True: it was not running, or has expired. ns: 0 stops it. */
static bool set_interval(int64_t ns)
{
	struct itimerval to = { .it_value = vpmu_time_value(ns && ns < 1000 ? 1000 : ns) };
	struct itimerval from = { .it_value = { 0, 0 } };

	vpmu_syscall(SYS_setitimer, ITIMER_REAL, &to, &from);
	return !from.it_value.tv_sec && !from.it_value.tv_usec;
}

static bool set_host(const struct timer *t, int64_t ns)
{
	struct itimerspec to = { .it_value = { ns / SECOND, ns % SECOND } };
	struct itimerspec from = { .it_value = { 0, 0 } };

	if (!t->created)
		return set_interval(ns);
	vpmu_syscall(SYS_timer_settime, t->host, 0, &to, &from);
	return !from.it_value.tv_sec && !from.it_value.tv_nsec;
}

static bool host_has_expired(const struct timer *t)
{
	struct itimerspec left = { .it_value = { 0, 0 } };
	struct itimerval value = { .it_value = { 0, 0 } };

	if (t->created)
		vpmu_syscall(SYS_timer_gettime, t->host, &left);
	else
		vpmu_syscall(SYS_getitimer, ITIMER_REAL, &value);
	return !left.it_value.tv_sec && !left.it_value.tv_nsec && !value.it_value.tv_sec &&
	       !value.it_value.tv_usec;
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

/* The first timer that waits take time of; NULL: none. */
static struct timer *first_timer(void)
{
	struct timer *first = NULL;

	for (struct timer *t = timers; t < timers + TIMERS; t++)
		if (!t->of_cpu && end_of(t) && (!first || end_of(t) < end_of(first)))
			first = t;
	return first;
}

/* Others that have expired send their signals first. */
static struct timer *next_timer(void)
{
	if (__atomic_load_n(&vpmu_system_timer_clock, __ATOMIC_RELAXED) == UINT64_MAX)
		return NULL;
	vpmu_system_timers();
	return first_timer();
}

void vpmu_timers_passes(bool call_passes)
{
	passes = call_passes;
}

void vpmu_timers_wait(int64_t number, int64_t until)
{
	int64_t more = until || only_waits(number) ? 0 : PASSING_NS, now;

	if (passes || never_waits(number) || !next_timer())
		return;
	now = vpmu_time_now();
	for (uint32_t i = 0; i < TIMERS; i++) {
		int64_t end = end_of(&timers[i]);

		awaited[i] = timers[i].of_cpu || (until && end > until) ? 0 : end;
		if (!awaited[i])
			continue;
		set_host(&timers[i], end > now ? end - now + more : 1 + more);
		awaits = true;
	}
	if (awaits)
		__atomic_fetch_add(&waiters, 1, __ATOMIC_RELAXED);
}

bool vpmu_timers_waited(void)
{
	bool others, any = false;

	if (!awaits)
		return false;
	awaits = false;
	others = __atomic_sub_fetch(&waiters, 1, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < TIMERS; i++) {
		struct timer *t = &timers[i];

		if (!awaited[i] || !(others ? host_has_expired(t) : set_host(t, 0)))
			continue;
		vpmu_time_reach(awaited[i]);
		timer_advance(t, awaited[i]);
		any = true;
	}
	note_first();
	return any;
}

/* False: another signal has come, and QEMU blocks all of them until the program has got it; or the
 * program blocks or ignores the timer's signal. */
static bool sleep_alone(int64_t ns, int number)
{
	const struct timespec time = { ns / SECOND, ns % SECOND };
	struct sigaction action;
	sigset_t all, before;
	bool wanted, slept;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	wanted = number && !sigismember(&before, number) && !sigaction(number, NULL, &action) &&
		 action.sa_handler != SIG_IGN;
	slept = wanted && !ppoll(NULL, 0, &time, &before);
	if (slept || !wanted)
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	return slept;
}

bool vpmu_timers_sleep(int64_t until)
{
	const struct timer *t = next_timer();
	int64_t end = t ? end_of(t) : 0, left = end - vpmu_time_now();

	if (!end || end > until || (left > 0 && !sleep_alone(left, t->signal)))
		return false;
	vpmu_time_reach(end);
	vpmu_system_timers();
	return true;
}

int64_t vpmu_timers_next(void)
{
	const struct timer *t = first_timer();

	return t ? end_of(t) : 0;
}

void vpmu_timers_forked(void)
{
	for (uint32_t i = 0; i < TIMERS; i++) {
		timers[i].end = timers[i].interval = awaited[i] = 0;
		timers[i].created = false;
	}
	waiters = 0;
	awaits = false;
	note_first();
}

/* ---- the program's requests ---- */

/* A timer that runs has some time left. */
static int64_t time_left(const struct timer *t, int64_t least)
{
	int64_t end = end_of(t), left = end - now_of(t);

	return end && left < least ? least : end ? left : 0;
}

static struct itimerval timer_value(int which)
{
	const struct timer *t = &timers[which];
	int64_t left = time_left(t, 1000);

	if (!left)
		return (struct itimerval){ .it_value = { 0, 0 } };
	return (struct itimerval){ .it_interval = vpmu_time_value(t->interval),
				   .it_value = vpmu_time_value(left) };
}

static bool valid(const struct timeval *v)
{
	return v->tv_sec >= 0 && v->tv_usec >= 0 && v->tv_usec < 1000000;
}

static int64_t ns_of(const struct timeval *v)
{
	return (v->tv_sec < SECONDS_MAX ? v->tv_sec : SECONDS_MAX) * SECOND + v->tv_usec * 1000;
}

static void timer_set(struct timer *t, int64_t left, int64_t interval)
{
	t->interval = interval;
	t->overrun = 0;
	__atomic_store_n(&t->end, left ? now_of(t) + left : 0, __ATOMIC_RELAXED);
	/* A timer of the program that this one was before is stopped, too. */
	if (!t->of_cpu)
		set_host(t, __atomic_load_n(&waiters, __ATOMIC_RELAXED) ? left : 0);
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
	timer_set(&timers[which], ns_of(&given.it_value), ns_of(&given.it_interval));
	return old ? vpmu_time_put((uint64_t)old, &before, sizeof(before)) : 0;
}

/* Rounds to seconds as Linux does; of a timer that runs, at least one second is left. */
static int64_t set_alarm(uint32_t seconds)
{
	struct timeval left = timer_value(ITIMER_REAL).it_value;
	bool more = left.tv_usec >= 500000 || (!left.tv_sec && left.tv_usec);

	timer_set(&timers[ITIMER_REAL], seconds * SECOND, 0);
	return left.tv_sec + more;
}

/* ---- timer_create() and its like ---- */

static struct timer *timer_find(int64_t number)
{
	for (struct timer *t = timers + INTERVAL_TIMERS; t < timers + TIMERS; t++)
		if (t->created && t->host == (int)number)
			return t;
	return NULL;
}

static int64_t timer_make(int64_t clock, int64_t event_at, int64_t number_at)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	struct timer *t = timers + INTERVAL_TIMERS;
	const void *given = NULL;
	int64_t rc;
	int host;

	while (t < timers + TIMERS && t->created)
		t++;
	if (t == timers + TIMERS)
		return -EAGAIN;
	if (event_at) {
		given = vpmu_system.memory->memory((uint64_t)event_at, sizeof(event), false);
		if (!given)
			return -EFAULT;
		memcpy(&event, given, sizeof(event));
	}
	rc = vpmu_syscall(SYS_timer_create, clock, event_at ? &event : NULL, &host);
	if (!rc)
		rc = vpmu_time_put((uint64_t)number_at, &host, sizeof(host));
	if (rc)
		return rc;
	if (!event_at)
		event.sigev_value.sival_int = host;
	*t = (struct timer){
		.created = true, .of_cpu = vpmu_time_is_of_cpu(clock), .host = host,
		.signal = event.sigev_notify == SIGEV_NONE ? 0 : event.sigev_signo,
		.origin = vpmu_time_origin(clock), .value = event.sigev_value,
	};
	if (event.sigev_notify == SIGEV_THREAD_ID)
		t->tid = (uint32_t)event._sigev_un._tid;
	return 0;
}

static struct timespec spec_of(int64_t ns)
{
	return (struct timespec){ ns / SECOND, ns % SECOND };
}

static bool valid_spec(const struct timespec *v)
{
	return v->tv_sec >= 0 && v->tv_nsec >= 0 && v->tv_nsec < SECOND;
}

static int64_t ns_of_spec(const struct timespec *v)
{
	return (v->tv_sec < SECONDS_MAX ? v->tv_sec : SECONDS_MAX) * SECOND + v->tv_nsec;
}

static struct itimerspec created_value(const struct timer *t)
{
	return (struct itimerspec){ spec_of(t->interval), spec_of(time_left(t, 1)) };
}

static int64_t set_created(struct timer *t, int64_t flags, int64_t new, int64_t old)
{
	const struct itimerspec *to = NULL;
	struct itimerspec given, before = created_value(t);
	int64_t left;

	if (new)
		to = vpmu_system.memory->memory((uint64_t)new, sizeof(*to), false);
	if (!to)
		return new ? -EFAULT : -EINVAL;
	given = *to;
	if (!valid_spec(&given.it_value) || !valid_spec(&given.it_interval))
		return -EINVAL;
	left = ns_of_spec(&given.it_value);
	if (left && flags & TIMER_ABSTIME) {
		left -= t->origin + now_of(t);
		left = left > 0 ? left : 1;
	}
	timer_set(t, left, ns_of_spec(&given.it_interval));
	return old ? vpmu_time_put((uint64_t)old, &before, sizeof(before)) : 0;
}

static int64_t timer_remove(struct timer *t)
{
	t->end = 0;
	t->created = false;
	note_first();
	return vpmu_syscall(SYS_timer_delete, t->host);
}

static int64_t created_call(int64_t number, const int64_t a[6])
{
	struct timer *t = timer_find(a[0]);
	struct itimerspec value;

	if (number == SYS_timer_create)
		return timer_make(a[0], a[1], a[2]);
	if (!t)
		return -EINVAL;
	if (number == SYS_timer_settime)
		return set_created(t, a[1], a[2], a[3]);
	if (number == SYS_timer_getoverrun)
		return t->overrun;
	if (number == SYS_timer_delete)
		return timer_remove(t);
	value = created_value(t);
	return vpmu_time_put((uint64_t)a[1], &value, sizeof(value));
}

bool vpmu_timers_before(int64_t number, const int64_t a[6], int64_t *answer)
{
	struct itimerval value;

	if (number == SYS_alarm) {
		*answer = set_alarm((uint32_t)a[0]);
		return true;
	}
	if (number != SYS_setitimer && number != SYS_getitimer) {
		*answer = created_call(number, a);
		return true;
	}
	if (a[0] < 0 || a[0] >= (int64_t)INTERVAL_TIMERS)
		return false;
	if (number == SYS_setitimer) {
		*answer = set_timer((int)a[0], a[1], a[2]);
		return true;
	}
	value = timer_value((int)a[0]);
	*answer = vpmu_time_put((uint64_t)a[1], &value, sizeof(value));
	return true;
}
