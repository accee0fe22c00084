/* SPDX-License-Identifier: MIT */
/* Readers that do not come back, those that do, and threads that are cancelled: what waits for
 * them, for how long, and what the counts are afterwards. */
#include "engine_fixture.h"
#include "on_machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define READ_I "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=0"
#define READ_I_1 "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=1"

static const struct engine_fixture *fixture;
static const char *const both[] = { READ_I, READ_I_1 };

/* ---- the engine's reads of registers */

static void (*_Atomic in_read)(void);	/* called once, inside of the next one */

ssize_t __real_pread(int fd, void *buffer, size_t n, off_t offset);
ssize_t __wrap_pread(int fd, void *buffer, size_t n, off_t offset);
ssize_t __wrap_pread(int fd, void *buffer, size_t n, off_t offset)
{
	void (*call)(void) = atomic_exchange(&in_read, NULL);

	pthread_testcancel();	/* as the C library's is */
	if (call)
		call();
	return __real_pread(fd, buffer, n, offset);
}

/* How the engine's time passes. What it waits for in vain then costs no time, and what it waits for
 * may take as long as this machine is busy. */
static _Atomic enum { AS_EVER, IN_PAUSES, NOT_AT_ALL } time_passes;
static _Atomic int64_t stood_since_ns, paused_ns;
static _Atomic int pauses;

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __real_nanosleep(const struct timespec *pause, struct timespec *left);
int __wrap_nanosleep(const struct timespec *pause, struct timespec *left);

static int64_t real_ns(clockid_t id)
{
	struct timespec t;

	__real_clock_gettime(id, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
	int64_t ns = real_ns(id);

	if (atomic_load(&time_passes) != AS_EVER)
		ns += atomic_load(&paused_ns) + atomic_load(&stood_since_ns) -
		      real_ns(CLOCK_MONOTONIC);
	t->tv_sec = (time_t)(ns / 1000000000);
	t->tv_nsec = (long)(ns % 1000000000);
	return 0;
}

int __wrap_nanosleep(const struct timespec *pause, struct timespec *left)
{
	atomic_fetch_add(&pauses, 1);
	if (atomic_load(&time_passes) != IN_PAUSES)
		return __real_nanosleep(pause, left);
	atomic_fetch_add(&paused_ns, pause->tv_nsec);
	return 0;
}

static void let_time_pass(int how)
{
	atomic_store(&stood_since_ns, real_ns(CLOCK_MONOTONIC));
	atomic_store(&paused_ns, 0);
	atomic_store(&pauses, 0);
	atomic_store(&time_passes, how);
}

/* ---- readers that never come back */

static sigjmp_buf out;
static _Atomic bool inside, go_on;

static void jump(int number)
{
	(void)number;
	siglongjmp(out, 1);
}

static void be_signalled(void)
{
	raise(SIGUSR1);
}

/* A read that a signal handler leaves. */
static void leave_a_read(struct ipmu_session *s)
{
	uint64_t v[2];

	signal(SIGUSR1, jump);
	if (!sigsetjmp(out, 1)) {
		atomic_store(&in_read, be_signalled);
		ipmu_session_read(s, v);
		fail_msg("the handler did not leave it");
	}
	signal(SIGUSR1, SIG_DFL);
}

/* The session is stopped without waiting and keeps its counts, but never starts again: the read
 * may still use its plan. */
static void a_read_left_by_a_jump_ends_its_session(void **state)
{
	struct ipmu_session *s = engine_fixture_started(fixture, both, 2);
	char why[IPMU_WHY_MAX] = "";
	struct ipmu_event event;
	uint64_t v[2];

	(void)state;
	for (int i = 0; i < 5; i++)
		leave_a_read(s);
	engine_fixture_misses(fixture, 0, 4);
	engine_fixture_expect(s, 0, 4, 0);
	let_time_pass(IN_PAUSES);
	assert_int_equal(ipmu_session_stop(s, v, NULL), 0);
	assert_int_equal(v[0], 4);
	assert_int_equal(ipmu_session_start(s, why), -ETIMEDOUT);
	print_message("%s\n", why);
	assert_non_null(strstr(why, READ_I));
	assert_non_null(strstr(why, "siglongjmp"));
	assert_int_equal(ipmu_event_parse(fixture->sys, READ_I_1, &event, NULL), 0);
	assert_int_equal(ipmu_session_set(s, &event, 1, why), -ETIMEDOUT);
	engine_fixture_expect(s, 0, 4, 0);
	ipmu_session_free(s);
	assert_int_equal(atomic_load(&pauses), 0);
	let_time_pass(AS_EVER);
	engine_fixture_end(engine_fixture_started(fixture, both, 2), v);	/* another does */
	assert_int_equal(v[0], 0);
}

static void *left_behind(void *arg)
{
	leave_a_read(arg);
	atomic_store(&inside, true);
	while (!atomic_load(&go_on))
		usleep(1000);
	return NULL;
}

static void wait_for(_Atomic bool *flag)
{
	for (int ms = 0; !atomic_load(flag) && ms < 60000; ms++)
		usleep(1000);
	assert_true(atomic_load(flag));
}

/* Another thread's: that is waited for, but not for ever. */
static void a_read_of_another_thread_is_given_up(void **state)
{
	struct ipmu_session *s = engine_fixture_started(fixture, both, 2);
	char why[IPMU_WHY_MAX] = "";
	pthread_t thread;
	uint64_t v[2];

	(void)state;
	atomic_store(&inside, false);
	atomic_store(&go_on, false);
	pthread_create(&thread, NULL, left_behind, s);
	wait_for(&inside);
	engine_fixture_misses(fixture, 0, 4);
	let_time_pass(IN_PAUSES);
	assert_int_equal(ipmu_session_stop(s, v, why), -ETIMEDOUT);
	print_message("%s\n", why);
	assert_in_range(atomic_load(&paused_ns), 1000000000, 10000000000);
	assert_non_null(strstr(why, READ_I));
	assert_non_null(strstr(why, "siglongjmp"));
	assert_int_equal(v[0], 4);
	let_time_pass(IN_PAUSES);
	assert_int_equal(ipmu_session_start(s, why), -ETIMEDOUT);
	assert_int_equal(atomic_load(&pauses), 0);	/* it is not waited for again */
	ipmu_session_free(s);
	let_time_pass(AS_EVER);
	atomic_store(&go_on, true);
	pthread_join(thread, NULL);
}

/* ---- readers that do */

static void hold(void)
{
	atomic_store(&inside, true);
	for (int ms = 0; !atomic_load(&go_on) && ms < 60000; ms++)
		usleep(1000);
}

static void *reads(void *arg)
{
	uint64_t v[2];

	return ipmu_session_read(arg, v) ? arg : NULL;
}

/* Once the one that stops has paused often. */
static void *lets_go_on(void *arg)
{
	(void)arg;
	for (int ms = 0; atomic_load(&pauses) < 100 && ms < 60000; ms++)
		usleep(1000);
	atomic_store(&go_on, true);
	return NULL;
}

/* A stop and a change of events come back only once the reader inside has gone. */
static void a_reader_inside_is_waited_for(void **state)
{
	struct ipmu_session *s = engine_fixture_started(fixture, both, 2);
	pthread_t reader, waker;
	void *bad;

	(void)state;
	atomic_store(&inside, false);
	atomic_store(&go_on, false);
	atomic_store(&in_read, hold);
	pthread_create(&reader, NULL, reads, s);
	wait_for(&inside);
	let_time_pass(NOT_AT_ALL);
	pthread_create(&waker, NULL, lets_go_on, NULL);
	assert_int_equal(ipmu_session_stop(s, NULL, NULL), 0);
	assert_true(atomic_load(&go_on));
	let_time_pass(AS_EVER);
	pthread_join(reader, &bad);
	pthread_join(waker, NULL);
	assert_null(bad);
	ipmu_session_free(s);
}

/* ---- threads that are cancelled */

struct step {
	struct ipmu_session *s;
	int which;
};

static void *cancelled_in(void *arg)
{
	const struct step *step = arg;
	uint64_t v[2];

	pthread_cancel(pthread_self());
	switch (step->which) {
	case 0: ipmu_session_start(step->s, NULL); break;
	case 1: ipmu_session_read(step->s, v); break;
	case 2: ipmu_session_reset(step->s); break;
	case 3: ipmu_session_stop(step->s, v, NULL); break;
	}
	pthread_testcancel();
	return NULL;
}

/* Each step is completed, then the thread ends; what comes after finds no lock held. */
static void a_cancelled_thread_completes_its_step(void **state)
{
	struct step step = { .s = engine_fixture_session(fixture, both, 2) };
	char why[IPMU_WHY_MAX];
	pthread_t thread;
	void *result;
	uint64_t v[2];

	(void)state;
	for (step.which = 0; step.which < 4; step.which++) {
		assert_int_equal(pthread_create(&thread, NULL, cancelled_in, &step), 0);
		pthread_join(thread, &result);
		assert_ptr_equal(result, PTHREAD_CANCELED);
		if (step.which == 3)
			break;
		assert_int_equal(ipmu_session_start(step.s, why), -EBUSY);	/* it runs */
		engine_fixture_misses(fixture, 0, 2);
		assert_int_equal(ipmu_session_read(step.s, v), 0);
		assert_int_equal(v[0], step.which == 2 ? 2 : 2 * (step.which + 1));
	}
	engine_fixture_start(step.s);	/* it had been stopped */
	engine_fixture_end(step.s, NULL);
}

static int setup(void **state)
{
	alarm(HANG_SECONDS);	/* nothing of this may hang */
	if (engine_fixture_open(state))
		return -1;
	fixture = *state;
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_left_by_a_jump_ends_its_session),
		cmocka_unit_test(a_read_of_another_thread_is_given_up),
		cmocka_unit_test(a_reader_inside_is_waited_for),
		cmocka_unit_test(a_cancelled_thread_completes_its_step),
	};

	(void)argc;
	not_under_tsan("the thread sanitizer ends a forked process that makes threads");
	on_machine(argv, "skl-4c8t");
	return cmocka_run_group_tests(tests, setup, engine_fixture_close);
}
