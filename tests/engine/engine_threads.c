/* SPDX-License-Identifier: MIT */
/* Sessions under threads, signal handlers and fork. What the counters must show is what this test
 * makes happen on the virtual machine; the thread sanitizer checks the rest. */
#include "counting/system.h"
#include "engine_fixture.h"
#include "on_machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define THREADS 32
#define CYCLES 1000
#define READ_I "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I"
#define ANY_M "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_M"
#define REQUESTS "skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL"
#define READS "skl_unc_imc.DRAM_DATA_READS"

static const char *const names[] = { READ_I, REQUESTS, READS };
enum { EVENTS = 3 };

/* ---- what must not happen in a signal handler: the linker puts these before the C library's */

static _Thread_local volatile sig_atomic_t in_handler;
static volatile sig_atomic_t forbidden;

#define FORBID(type, name, parameters, arguments) \
	type __real_##name parameters; \
	type __wrap_##name parameters; \
	type __wrap_##name parameters \
	{ \
		if (in_handler) \
			forbidden++; \
		return __real_##name arguments; \
	}
FORBID(void *, malloc, (size_t n), (n))
FORBID(void *, calloc, (size_t n, size_t m), (n, m))
FORBID(void *, realloc, (void *p, size_t n), (p, n))
FORBID(int, pthread_mutex_lock, (pthread_mutex_t *m), (m))
FORBID(int, nanosleep, (const struct timespec *a, struct timespec *b), (a, b))

/* ---- a clock that is set back by an hour at once after a read of it */

static bool clock_jumps;
int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
	int rc = __real_clock_gettime(id, t);

	if (clock_jumps && id == CLOCK_REALTIME)
		t->tv_sec += 3600;
	return rc;
}

/* ---- many sessions */

static const struct engine_fixture *fixture;
static _Atomic int failures, finished;
static _Atomic uint64_t happened;

static void fail_if(bool bad)
{
	if (bad)
		atomic_fetch_add(&failures, 1);
}

/* A thread that repeats work until others finish yields the CPU, as there may be only one. */
static bool others_go_on(void)
{
	sched_yield();
	return !atomic_load(&finished);
}

static void happens(int n)
{
	atomic_fetch_add(&happened, (uint64_t)n);
	engine_fixture_misses(fixture, (uint32_t)n % 4, n);
}

static void *driver(void *arg)
{
	(void)arg;
	while (others_go_on())
		happens(3);
	return NULL;
}

/* A start, reads, a reset, a stop. Reads must not fall, nor exceed all that has happened. */
static void cycle(struct ipmu_session *s)
{
	uint64_t v[EVENTS], last = 0;

	fail_if(ipmu_session_start(s, NULL));
	for (int i = 0; i < 3; i++) {
		fail_if(ipmu_session_read(s, v));
		fail_if(v[0] < last || v[0] > atomic_load(&happened));
		last = v[0];
	}
	fail_if(ipmu_session_reset(s));
	fail_if(ipmu_session_stop(s, v, NULL));
	fail_if(v[0] > atomic_load(&happened));
}

static void *cycles(void *arg)
{
	struct ipmu_session *s = arg;

	for (int i = 0; i < CYCLES; i++)
		cycle(s);
	return NULL;
}

static void in_threads(int n, void *(*run)(void *), void **args)
{
	pthread_t thread[THREADS], drive;

	atomic_store(&finished, 0);
	assert_int_equal(pthread_create(&drive, NULL, driver, NULL), 0);
	for (int i = 0; i < n; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, run, args[i]), 0);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	atomic_store(&finished, 1);
	pthread_join(drive, NULL);
	assert_int_equal(atomic_load(&failures), 0);
}

/* A session that counts all the time must come out exactly right while 32 others come and go
 * on the same counters. */
static void threads_do_not_disturb_each_other(void **state)
{
	struct ipmu_session *witness;
	void *sessions[THREADS];
	uint64_t v[EVENTS], before;

	fixture = *state;
	atomic_store(&happened, 0);
	witness = engine_fixture_started(fixture, names, EVENTS);
	before = atomic_load(&happened);
	for (int i = 0; i < THREADS; i++)
		sessions[i] = engine_fixture_session(fixture, names, EVENTS);
	in_threads(THREADS, cycles, sessions);
	for (int i = 0; i < THREADS; i++)
		ipmu_session_free(sessions[i]);
	engine_fixture_end(witness, v);
	assert_true(v[0] == atomic_load(&happened) - before);
	assert_int_equal(engine_fixture_peek(fixture, "MSR_UNC_PERF_GLOBAL_CTRL"), 0x8000000F);
}

/* ---- one session that all threads work on, without any agreement */

static void *anything(void *arg)
{
	static _Atomic unsigned seeds;
	unsigned seed = atomic_fetch_add(&seeds, 1) + 1;
	struct ipmu_session *s = arg;
	struct ipmu_event few = engine_fixture_event(fixture, READ_I), many[2] = { few, few };
	uint64_t v[EVENTS];
	int rc = 0;

	many[1].place = 0;
	for (int i = 0; i < CYCLES; i++) {
		uint64_t most = UINT64_MAX;

		memset(v, 0, sizeof(v));
		switch (rand_r(&seed) % 8) {
		case 0: rc = ipmu_session_start(s, NULL); break;
		case 1: rc = ipmu_session_stop(s, v, NULL); break;
		case 2: rc = ipmu_session_set(s, seed & 64 ? many : &few, seed & 64 ? 2 : 1, NULL);
			break;
		case 3: rc = ipmu_session_reset(s); break;
		default: rc = ipmu_session_read(s, v);
		}
		most = atomic_load(&happened);
		fail_if(rc && rc != -EBUSY);
		fail_if(v[0] > most || v[1] > most);
	}
	return NULL;
}

static void one_session_survives_all_threads(void **state)
{
	void *args[8];

	fixture = *state;
	for (int i = 0; i < 8; i++)
		args[i] = i ? args[0] : engine_fixture_session(fixture, names, 1);
	in_threads(8, anything, args);
	ipmu_session_free(args[0]);
	assert_int_equal(engine_fixture_peek(fixture, "MSR_UNC_PERF_GLOBAL_CTRL"), 0x8000000F);
}

/* ---- a counter that goes to another event: readers of the old session must not see it there */

static void *reading(void *arg)
{
	uint64_t v[1], most;

	while (others_go_on()) {
		fail_if(ipmu_session_read(arg, v));
		most = atomic_load(&happened);
		fail_if(v[0] > most);
	}
	return NULL;
}

/* A stopped session keeps its last count, which is at most what had happened by then, though its
 * counter at once continues with events of another session. */
static void a_stopped_session_does_not_see_the_next_one(void **state)
{
	static const char *const one[] = { ANY_M }, *const both[] = { READ_I, ANY_M };
	struct ipmu_session *other, *s;
	pthread_t readers[3];
	uint64_t v[1];

	fixture = *state;
	s = engine_fixture_session(fixture, one, 1);
	other = engine_fixture_session(fixture, both, 2);
	atomic_store(&happened, 0);	/* lines found modified: none, so its count must stay 0 */
	atomic_store(&finished, 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&readers[i], NULL, reading, s), 0);
	for (int i = 0; i < CYCLES; i++) {
		engine_fixture_start(s);
		assert_int_equal(ipmu_session_stop(s, NULL, NULL), 0);
		engine_fixture_start(other);
		engine_fixture_misses(fixture, 0, 5);
		assert_int_equal(ipmu_session_stop(other, NULL, NULL), 0);
		assert_int_equal(ipmu_session_read(s, v), 0);
		assert_int_equal(v[0], 0);
	}
	atomic_store(&finished, 1);
	for (int i = 0; i < 3; i++)
		pthread_join(readers[i], NULL);
	assert_int_equal(atomic_load(&failures), 0);
	ipmu_session_free(s);
	ipmu_session_free(other);
}

static void *stopping(void *arg)
{
	uint64_t v[EVENTS];

	fail_if(ipmu_session_stop(arg, v, NULL) || v[0] != 7);
	ipmu_session_free(arg);
	return NULL;
}

static void another_thread_may_stop_and_free(void **state)
{
	struct ipmu_session *s = engine_fixture_started(*state, names, EVENTS);
	pthread_t thread;

	engine_fixture_misses(*state, 1, 7);
	assert_int_equal(pthread_create(&thread, NULL, stopping, s), 0);
	pthread_join(thread, NULL);
	assert_int_equal(atomic_load(&failures), 0);
}

/* ---- signal handlers */

static struct ipmu_session *handled;
static volatile sig_atomic_t handler_runs, handler_failures;
static volatile uint64_t handler_last;

static void handler(int signal)
{
	uint64_t v[EVENTS] = { 0 };

	in_handler = 1;
	handler_failures += ipmu_session_read(handled, v) != 0;
	handler_failures += v[0] > atomic_load(&happened);
	handler_last = v[0];
	handler_failures += signal == SIGUSR2 && ipmu_session_reset(handled) != 0;
	handler_runs++;
	in_handler = 0;
}

static void handle(int signal)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigaction(signal, &action, NULL);
}

/* The thread that is interrupted holds the very lock that changes need. */
static void a_handler_reads_while_its_thread_has_the_lock(void **state)
{
	const struct engine_fixture *f = *state;
	uint64_t v[EVENTS];

	fixture = f;
	handle(SIGUSR1);
	handle(SIGUSR2);
	alarm(HANG_SECONDS);
	handled = engine_fixture_started(f, names, EVENTS);
	atomic_store(&happened, 11);
	engine_fixture_misses(f, 2, 11);
	pthread_mutex_lock(&f->sys->lock);
	raise(SIGUSR1);
	assert_true(handler_last == 11);
	raise(SIGUSR2);
	pthread_mutex_unlock(&f->sys->lock);
	assert_int_equal(ipmu_session_read(handled, v), 0);
	assert_true(v[0] == 0);
	alarm(0);
	engine_fixture_end(handled, NULL);
	assert_int_equal(handler_failures, 0);
	assert_int_equal(forbidden, 0);
}

/* Everything a thread can do with a session, interrupted as often as the timer can. */
static void a_storm_of_signals_meets_every_call(void **state)
{
	struct itimerval storm = { { .tv_usec = 20 }, { .tv_usec = 20 } }, calm = { 0 };
	struct ipmu_event event;
	uint64_t v[EVENTS], last;
	sigset_t alarms, old;
	time_t latest = time(NULL) + 10;	/* timers may be coarse */

	fixture = *state;
	event = engine_fixture_event(fixture, READ_I);
	handle(SIGALRM);
	handled = engine_fixture_session(fixture, names, EVENTS);
	handler_runs = 0;
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	setitimer(ITIMER_REAL, &storm, NULL);
	while (handler_runs < 20000 && time(NULL) <= latest) {
		struct ipmu_event events[EVENTS];

		fail_if(ipmu_session_start(handled, NULL));
		last = 0;
		for (int i = 0; i < 20; i++) {
			pthread_sigmask(SIG_BLOCK, &alarms, &old);	/* the machine's lock */
			happens(2);
			pthread_sigmask(SIG_SETMASK, &old, NULL);
			fail_if(ipmu_session_read(handled, v) || v[0] < last);
			last = v[0];
		}
		fail_if(ipmu_session_reset(handled));
		fail_if(ipmu_session_stop(handled, v, NULL));
		fail_if(ipmu_session_set(handled, &event, 1, NULL));
		for (int e = 0; e < EVENTS; e++)
			events[e] = engine_fixture_event(fixture, names[e]);
		fail_if(ipmu_session_set(handled, events, EVENTS, NULL));
	}
	setitimer(ITIMER_REAL, &calm, NULL);
	signal(SIGALRM, SIG_IGN);	/* also the one that may be pending */
	ipmu_session_free(handled);
	print_message("%d signals\n", (int)handler_runs);
	assert_true(handler_runs > 100);
	assert_int_equal(handler_failures, 0);
	assert_int_equal(forbidden, 0);
	assert_int_equal(atomic_load(&failures), 0);
}

/* ---- the ends that nobody announced */

static void a_machine_may_be_closed_under_running_sessions(void **state)
{
	const struct engine_fixture *f = *state;
	struct engine_fixture own = *f;
	struct ipmu_session *running, *idle;
	char why[IPMU_WHY_MAX] = "";
	uint64_t v[EVENTS] = { 5, 5, 5 };

	assert_int_equal(ipmu_system_open(f->topo, IPMU_SCOPE_PACKAGE, &own.sys, why), 0);
	running = engine_fixture_started(&own, names, EVENTS);
	idle = engine_fixture_session(&own, names, 1);
	ipmu_system_close(own.sys);
	assert_int_equal(engine_fixture_peek(f, "MSR_UNC_PERF_GLOBAL_CTRL"), 0x8000000F);
	assert_int_equal(engine_fixture_peek(f, "MSR_UNC_CBO_0_PERFEVTSEL0"), 0x00508834);
	assert_int_equal(ipmu_session_read(running, v), 0);
	assert_int_equal(ipmu_session_reset(running), 0);
	assert_int_equal(ipmu_session_stop(running, v, why), 0);
	assert_int_equal(ipmu_session_start(idle, why), -ENODEV);
	ipmu_session_free(running);
	ipmu_session_free(idle);
}

static _Atomic int changes;

static void *starting_and_stopping(void *arg)
{
	while (!atomic_load(&finished)) {
		int rc = ipmu_session_start(arg, NULL);

		fail_if(rc && rc != -ECHILD);	/* it is when the process ends */
		fail_if(ipmu_session_stop(arg, NULL, NULL));
		atomic_fetch_add(&changes, 1);
	}
	return NULL;
}

/* ---- fork */

#ifdef __SANITIZE_THREAD__
#define THREADS_AFTER_FORK 0	/* the sanitizer allows none */
#else
#define THREADS_AFTER_FORK 1
#endif

/* A child that hangs ends by itself, whatever the tests before have done with the signal. */
static pid_t forked(unsigned seconds)
{
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGALRM, SIG_DFL);
		alarm(seconds);
	}
	return pid;
}

/* 0, or the number of the step that went wrong. */
static int inherited(struct ipmu_session *s)
{
	char why[IPMU_WHY_MAX] = "";
	uint64_t v[EVENTS];

	if (ipmu_session_read(s, v) != -ECHILD)
		return 1;
	if (ipmu_session_stop(s, v, why) != -ECHILD)
		return 2;
	if (ipmu_session_start(s, why) != -ECHILD || !strstr(why, "forked"))
		return 3;
	ipmu_session_free(s);
	ipmu_system_close(fixture->sys);
	return engine_fixture_peek(fixture, "MSR_UNC_PERF_GLOBAL_CTRL") & 0x20000000 ? 0 : 4;
}

static int afresh(void)
{
	static const char *const free_running[] = { READS };
	struct engine_fixture own = *fixture;
	struct ipmu_session *s;
	char why[IPMU_WHY_MAX] = "";
	uint64_t v;

	if (ipmu_system_open(fixture->topo, IPMU_SCOPE_PACKAGE, &own.sys, why))
		return 5;
	s = engine_fixture_started(&own, free_running, 1);
	vpmu_lock(fixture->segment);
	vpmu_dram(fixture->segment, 0, 9, 9, 0);
	vpmu_unlock(fixture->segment);
	engine_fixture_end(s, &v);
	ipmu_system_close(own.sys);
	return v == 9 ? 0 : 6;
}

/* Forks while another thread changes a session, with the lock held as often as not. */
static void a_child_counts_afresh_and_leaves_the_parent_alone(void **state)
{
	struct ipmu_session *s, *changing;
	uint64_t v[EVENTS];
	pthread_t thread;
	int status;

	fixture = *state;
	s = engine_fixture_started(fixture, names, EVENTS);
	changing = engine_fixture_session(fixture, names, EVENTS);
	atomic_store(&finished, 0);
	atomic_store(&changes, 0);
	assert_int_equal(pthread_create(&thread, NULL, starting_and_stopping, changing), 0);
	engine_fixture_misses(fixture, 0, 6);
	while (!atomic_load(&changes))
		usleep(100);
	for (int i = 0; i < 20; i++) {
		pid_t pid = forked(250);

		if (pid == 0) {
			int bad = inherited(s);

			if (!bad && THREADS_AFTER_FORK)
				bad = afresh();
			_exit(bad);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
		engine_fixture_misses(fixture, 3, 1);
	}
	atomic_store(&finished, 1);
	pthread_join(thread, NULL);
	ipmu_session_free(changing);
	engine_fixture_end(s, v);
	assert_true(v[0] == 6 + 20);
	assert_true(v[2] == (THREADS_AFTER_FORK ? 20 * 9 : 0));
	assert_int_equal(atomic_load(&failures), 0);
}

/* ---- exit, in the midst of it */

static void exit_in_the_midst(int after_us)
{
	struct engine_fixture own = *fixture;
	char why[IPMU_WHY_MAX] = "";
	pthread_t thread;

	atomic_store(&finished, 0);
	if (ipmu_system_open(fixture->topo, IPMU_SCOPE_PACKAGE, &own.sys, why))
		_exit(1);
	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread, NULL, starting_and_stopping,
				   engine_fixture_session(&own, names, EVENTS)))
			_exit(2);
	usleep((useconds_t)after_us);
	exit(0);
}

static void a_process_exits_while_its_threads_count(void **state)
{
	int status;

	fixture = *state;
	for (int i = 0; i < 40 && THREADS_AFTER_FORK; i++) {
		pid_t pid = forked(250);

		if (pid == 0)
			exit_in_the_midst(500 + i * 97);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
		assert_int_equal(engine_fixture_peek(fixture, "MSR_UNC_PERF_GLOBAL_CTRL"),
				 0x8000000F);
		assert_int_equal(engine_fixture_peek(fixture, "MSR_UNC_CBO_0_PERFEVTSEL0"),
				 0x00508834);
		assert_int_equal(engine_fixture_peek(fixture, "MSR_UNC_CBO_3_PERFEVTSEL0"), 0);
	}
}

static void exit_that_has_the_lock(void)
{
	char why[IPMU_WHY_MAX] = "";
	struct ipmu_system *sys;

	if (ipmu_system_open(fixture->topo, IPMU_SCOPE_PACKAGE, &sys, why))
		_exit(1);
	pthread_mutex_lock(&sys->lock);
	clock_jumps = true;
	exit(0);
}

/* As in a handler; it waits for a second, whatever becomes of the time of day. */
static void a_thread_that_has_the_lock_exits(void **state)
{
	int status;
	pid_t pid;

	fixture = *state;
	pid = forked(60);
	if (pid == 0)
		exit_that_has_the_lock();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_do_not_disturb_each_other),
		cmocka_unit_test(one_session_survives_all_threads),
		cmocka_unit_test(a_stopped_session_does_not_see_the_next_one),
		cmocka_unit_test(another_thread_may_stop_and_free),
		cmocka_unit_test(a_handler_reads_while_its_thread_has_the_lock),
		cmocka_unit_test(a_storm_of_signals_meets_every_call),
		cmocka_unit_test(a_machine_may_be_closed_under_running_sessions),
		cmocka_unit_test(a_child_counts_afresh_and_leaves_the_parent_alone),
		cmocka_unit_test(a_process_exits_while_its_threads_count),
		cmocka_unit_test(a_thread_that_has_the_lock_exits),
	};

	(void)argc;
	on_machine(argv, "skl-4c8t");
	return cmocka_run_group_tests(tests, engine_fixture_open, engine_fixture_close);
}
