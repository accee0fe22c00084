/* SPDX-License-Identifier: MIT */
/* What ranks that end tell their leader: the first cause counts, until the leader has written. */
#include "job/board.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

static bool shares;	/* whether ranks can open what the leader has */
static int shared;	/* what it had last */

int node_share(const struct nodes *at, int fd)
{
	(void)at;
	shared = fd;
	return shares ? fd : -1;
}

static int fresh(void **state)
{
	static const struct nodes leader = { .node_rank = 0 };
	sem_t *wake;

	(void)state;
	shares = true;
	board = NULL;
	wake = job_board_open(&leader);
	return wake != &board->wake;
}

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void reads(const char *reason)
{
	char text[64] = "";

	assert_true(job_board_read(text, sizeof(text)));
	assert_string_equal(text, reason);
}

static void nothing_told(void **state)
{
	char text[64];

	(void)state;
	assert_false(job_board_read(text, sizeof(text)));
	assert_int_equal(sem_trywait(&board->wake), -1);
}

static void first_cause(void **state)
{
	char text[64];

	(void)state;
	job_board_tell(15, 3, 0);
	job_board_tell(ENDS_BY_ABORT, 4, 0);
	reads("rank 3 ended by signal 15, SIGTERM");
	assert_int_equal(sem_trywait(&board->wake), 0);		/* once, for the first */
	assert_int_equal(sem_trywait(&board->wake), -1);
	job_board_written();
	assert_false(job_board_read(text, sizeof(text)));
}

static void causes(void **state)
{
	char text[64];

	job_board_tell(ENDS_BY_ABORT, 1, 0);
	reads("MPI_Abort was called by rank 1");
	fresh(state);
	job_board_tell(ENDS_BY_EXIT, 2, 0);
	reads("rank 2 ended without MPI_Finalize");
	job_signal_reason(11, -1, text, sizeof(text));
	assert_string_equal(text, "ended by signal 11, SIGSEGV");
}

/* A rank waits no longer than it was told to, and not at all once the leader has written. */
static void patience(void **state)
{
	long long start = now_ms();

	(void)state;
	errno = EXDEV;
	job_board_tell(15, 1, 50);
	assert_true(now_ms() - start >= 50);
	job_board_written();
	start = now_ms();
	job_board_tell(15, 2, 60000);
	assert_true(now_ms() - start < 30000);
	assert_int_equal(errno, EXDEV);
}

/* Containers may keep ranks from the leader's file: then nobody tells anything. */
static void no_board(void **state)
{
	static const struct nodes rank = { .node_rank = 1 };
	char text[64];

	(void)state;
	board = NULL;
	shares = false;
	assert_null(job_board_open(&rank));
	assert_null(board);
	job_board_tell(15, 1, 1);
	job_board_written();
	fresh(state);
	assert_false(job_board_read(text, sizeof(text)));
}

/* Where the program may write no files, the leader has a board of its own, which ranks cannot see;
 * that it was too much is no end of the process, then or later. */
static void no_files(void **state)
{
	struct rlimit before, none;
	char text[64];

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = (struct rlimit){ 0, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	fresh(state);
	setrlimit(RLIMIT_FSIZE, &before);
	job_board_tell(15, 3, 0);
	reads("rank 3 ended by signal 15, SIGTERM");
	assert_int_equal(sem_trywait(&board->wake), 0);
	job_board_written();
	assert_false(job_board_read(text, sizeof(text)));
	assert_false(shared >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_told, fresh),
		cmocka_unit_test_setup(first_cause, fresh),
		cmocka_unit_test_setup(causes, fresh),
		cmocka_unit_test_setup(patience, fresh),
		cmocka_unit_test(no_board),
		cmocka_unit_test(no_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
