/* SPDX-License-Identifier: MIT */
/* Which signals a rank catches, whose they are, and when a leader's watcher is due. */
#include <semaphore.h>
#include <time.h>

static int fake_clockwait(sem_t *wake, clockid_t clock, const struct timespec *until);
#define sem_clockwait fake_clockwait
#include "job/watch.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cmocka.h>

/* ---- what it calls; `seen` is shared with children */

static struct seen {
	sem_t wake;
	atomic_int told, number;
} *seen;

void job_board_tell(int cause, int rank, int patience_ms)
{
	(void)cause;
	(void)rank;
	(void)patience_ms;
	seen->told++;
}

bool job_board_read(char *reason, size_t bytes)
{
	(void)reason;
	(void)bytes;
	return false;
}

void job_board_written(void)
{
}

void job_signal_reason(int number, int rank, char *reason, size_t bytes)
{
	(void)number;
	(void)rank;
	memset(reason, 0, bytes);
}

void job_report_alone(struct job *j, const char *reason, bool dying)
{
	(void)j;
	(void)reason;
	(void)dying;
}

void job_timeline_begin(struct job *j)
{
	(void)j;
}

void job_timeline_line(struct job *j)
{
	(void)j;
}

/* ---- intervals */

static struct timespec until;
static int interruptions;

static int fake_clockwait(sem_t *wake, clockid_t clock, const struct timespec *t)
{
	assert_ptr_equal(wake, &seen->wake);
	assert_int_equal(clock, CLOCK_MONOTONIC);
	until = *t;
	errno = interruptions > 0 ? EINTR : 0;
	return interruptions-- > 0 ? -1 : 0;
}

static void due(long interval_ms, int64_t before_ns, time_t s, long ns)
{
	struct job j = { .interval_ms = interval_ms };

	interruptions = 2;
	wait_for_work(&j, &before_ns);
	assert_int_equal(interruptions, -1);
	assert_int_equal(until.tv_sec, s);
	assert_int_equal(until.tv_nsec, ns);
	assert_int_equal(before_ns, s * SECOND_NS + ns);
}

static void intervals(void **state)
{
	(void)state;
	watch.wake = &seen->wake;
	due(20, 7 * SECOND_NS + 5, 7, 20000005);
	due(20, 7 * SECOND_NS + 980000000, 8, 0);
	due(20, 7 * SECOND_NS + 999999999, 8, 19999999);
	due(1500, 7 * SECOND_NS + 600000000, 9, 100000000);
	due(86400000, 1, 86400, 1);
}

/* ---- which signals */

static void program_handler(int number)
{
	(void)number;
}

static void (*handler_of(int number))(int)
{
	struct sigaction now;

	assert_int_equal(sigaction(number, NULL, &now), 0);
	return now.sa_handler;
}

/* The program ignores SIGQUIT and SIGILL and has handlers of SIGHUP and SIGSEGV. */
static void expect_handlers(void (*term)(int), void (*hup)(int), void (*segv)(int))
{
	assert_ptr_equal(handler_of(SIGTERM), term);
	assert_ptr_equal(handler_of(SIGHUP), hup);
	assert_ptr_equal(handler_of(SIGSEGV), segv);
	assert_ptr_equal(handler_of(SIGQUIT), SIG_IGN);
	assert_ptr_equal(handler_of(SIGILL), SIG_IGN);
}

/* In each test, as cmocka has handlers of its own around it. */
static void begin(void)
{
	for (size_t i = 0; i < SIGNALS; i++)
		signal(signals[i], SIG_DFL);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGILL, SIG_IGN);
	signal(SIGHUP, program_handler);
	signal(SIGSEGV, program_handler);
	seen->told = seen->number = 0;
	sem_init(&seen->wake, 1, 0);
}

/* A program that handles SIGHUP may well go on, one that handles SIGSEGV does not. */
static void a_rank_lingers(void **state)
{
	struct ipmu_mpi m = { .at = { .rank = 3 } };
	struct job j = { .m = &m };

	(void)state;
	begin();
	job_linger(&j);
	expect_handlers(linger, program_handler, linger);
	assert_int_equal(watch.rank, 3);
	release_signals();
	expect_handlers(SIG_DFL, program_handler, program_handler);
}

static void a_leader_catches(void **state)
{
	(void)state;
	begin();
	catch_signals();
	expect_handlers(on_signal, on_signal, on_signal);
	signal(SIGINT, program_handler);	/* from now on its own */
	release_signals();
	expect_handlers(SIG_DFL, program_handler, program_handler);
	assert_ptr_equal(handler_of(SIGINT), program_handler);
}

static void which_end_the_process(void **state)
{
	(void)state;
	begin();
	catch_signals();
	assert_true(ends_process(SIGTERM));
	assert_false(ends_process(SIGHUP));
	assert_true(ends_process(SIGSEGV));
	release_signals();
}

/* ---- whose signals: a child that was forked is no rank */

static int end_of_child(int number)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		raise(number);
		seen->number = watch.number;
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void a_child_of_a_rank(void **state)
{
	struct ipmu_mpi m = { .at = { .rank = 3 } };
	struct job j = { .m = &m };

	(void)state;
	begin();
	job_linger(&j);
	assert_int_equal(WTERMSIG(end_of_child(SIGTERM)), SIGTERM);
	assert_int_equal(seen->told, 0);
	release_signals();
}

static void a_child_of_a_leader(void **state)
{
	(void)state;
	begin();
	watch.wake = &seen->wake;
	watch.pid = getpid();
	catch_signals();
	assert_int_equal(WTERMSIG(end_of_child(SIGTERM)), SIGTERM);
	assert_int_equal(sem_trywait(&seen->wake), -1);
	assert_int_equal(end_of_child(SIGHUP), 0);	/* handled by the program */
	assert_int_equal(seen->number, 0);
	release_signals();
}

/* In the rank's process itself somebody hears of it, once, and then it is the program's. */
static void the_process_itself(void **state)
{
	struct ipmu_mpi m = { .at = { .rank = 3 } };
	struct job j = { .m = &m };
	int status;
	pid_t pid;

	(void)state;
	begin();
	pid = fork();
	if (pid == 0) {
		job_linger(&j);
		raise(SIGTERM);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WTERMSIG(status), SIGTERM);
	assert_int_equal(seen->told, 1);
	watch.pid = getpid();
	watch.wake = &seen->wake;
	watch.number = 0;
	watch.written = true;	/* as the watcher would say soon */
	catch_signals();
	raise(SIGHUP);
	assert_int_equal(watch.number, SIGHUP);
	assert_false(watch.fatal);
	assert_int_equal(sem_trywait(&seen->wake), 0);
	release_signals();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals),
		cmocka_unit_test(a_rank_lingers),
		cmocka_unit_test(a_leader_catches),
		cmocka_unit_test(which_end_the_process),
		cmocka_unit_test(a_child_of_a_rank),
		cmocka_unit_test(a_child_of_a_leader),
		cmocka_unit_test(the_process_itself),
	};

	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
