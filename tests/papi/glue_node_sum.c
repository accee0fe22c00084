/* SPDX-License-Identifier: MIT */
/* Which event set of a process reports an event under IPMU_NODE_SUM: the first that runs it, until
 * it gives it back. Ranks that came apart are reported. */
#include "component/papi_glue/node_sum.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t claim(struct node_sum_share *s, const int codes[2])
{
	char why[IPMU_WHY_MAX] = "";

	if (node_sum_claim(s, codes, 2, (int)sizeof(codes[0]), why))
		fail_msg("%s", why);
	return s->reported;
}

static void what_is_given_back_is_the_next_ones(void **state)
{
	static const int ab[] = { 1, 2 }, bc[] = { 2, 3 }, cd[] = { 3, 4 };
	struct node_sum_share first = { 0 }, second = { 0 }, third = { 0 };

	(void)state;
	assert_int_equal(claim(&first, ab), 3);
	assert_int_equal(claim(&second, bc), 2);	/* event 2 is the first's */
	assert_int_equal(claim(&third, cd), 2);
	/* from the middle of those that run */
	node_sum_release(&second);
	assert_int_equal(second.reported, 0);
	assert_int_equal(first.reported, 3);
	assert_int_equal(third.reported, 2);
	assert_int_equal(claim(&second, bc), 2);	/* 3 is free again, 2 is not */
	/* the one that began */
	node_sum_release(&first);
	assert_int_equal(first.reported, 0);
	assert_int_equal(claim(&third, ab), 3);
	/* twice is as good as once */
	node_sum_release(&third);
	node_sum_release(&third);
	node_sum_release(&second);
	assert_int_equal(claim(&first, bc), 3);
	/* a set that starts again without a stop does not stand in its own way */
	assert_int_equal(claim(&first, bc), 3);
	node_sum_release(&first);
	node_sum_end();
}

/* ---- two ranks of a node, by a clock that this test sets */

static long *clock_ms;		/* shared with the other rank */

int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	(void)clock;
	*t = (struct timespec){ .tv_sec = *clock_ms / 1000, .tv_nsec = *clock_ms % 1000 * 1000000 };
	return 0;
}

enum { STEPS = 12 };

/* Steps of two ranks: the other rank reads ('o'), or resets, which is the same for it; the one that
 * reports reads ('r') or resets ('z'). Its counts are since its last reset. Both have started at 0.
 * Two ranks work evenly, so that each has half of a region's counts. */
static const struct course {
	const char *what, *told;	/* NULL: not a word */
	struct step {
		char who;
		int ms;
		long long count;
		int times;
	} steps[STEPS];
} courses[] = {
	{ "together", NULL,
	  { { 'o', 10, 0, 1 }, { 'r', 10, 0, 1 }, { 'o', 110, 0, 1 }, { 'r', 110, 1000, 1 } } },
	/* 500 of 60 ms, 50 ms of which the other one was ahead: 417 beside 500 */
	{ "the other one enters first, and works", "at 1 of 3 reads and resets: up to 45 %",
	  { { 'o', 10, 0, 1 }, { 'r', 60, 500, 1 }, { 'o', 110, 0, 1 }, { 'r', 110, 1000, 1 } } },
	{ "the other one enters first, and waits", NULL,
	  { { 'o', 10, 0, 1 }, { 'r', 60, 3, 1 }, { 'o', 160, 0, 1 }, { 'r', 160, 1003, 1 } } },
	/* 500 of 60 ms, 50 ms of which were between its read and its reset */
	{ "the other one works before the reset", "at 1 of 4 reads and resets: up to 45 %",
	  { { 'o', 10, 0, 1 }, { 'r', 10, 0, 1 }, { 'o', 10, 0, 1 }, { 'z', 60, 500, 1 },
	    { 'o', 110, 0, 1 }, { 'r', 110, 500, 1 } } },
	{ "the other one works before both", "at 1 of 4 reads and resets: up to 45 %",
	  { { 'o', 10, 0, 1 }, { 'o', 10, 0, 1 }, { 'r', 60, 500, 1 }, { 'z', 60, 500, 1 },
	    { 'o', 110, 0, 1 }, { 'r', 110, 500, 1 } } },
	{ "both wait before the reset", NULL,
	  { { 'o', 10, 0, 1 }, { 'r', 10, 7, 1 }, { 'o', 10, 0, 1 }, { 'z', 60, 7, 1 },
	    { 'o', 160, 0, 1 }, { 'r', 160, 1000, 1 } } },
	/* 500 of 100 ms, 90 ms of which the other one was behind: 450 beside 500 */
	{ "the other one leaves later", "at 1 of 4 reads and resets: up to 47 %",
	  { { 'o', 10, 0, 1 }, { 'r', 10, 0, 1 }, { 'r', 110, 500, 1 }, { 'o', 200, 0, 1 },
	    { 'o', 210, 0, 1 }, { 'r', 210, 1000, 1 } } },
	{ "the other one does not leave", "at 1 of 4 reads and resets: up to 50 %",
	  { { 'o', 10, 0, 1 }, { 'r', 10, 0, 1 }, { 'r', 110, 500, 1 }, { 'r', 210, 1000, 1 } } },
	{ "the other one leaves early, and waits", NULL,
	  { { 'o', 10, 0, 1 }, { 'r', 10, 0, 1 }, { 'o', 60, 0, 1 }, { 'r', 110, 1000, 1 },
	    { 'o', 120, 0, 1 }, { 'r', 120, 1002, 1 } } },
	{ "the other one is far ahead", "at 1 of 3 reads and resets: up to 50 %",
	  { { 'o', 10, 0, 200 }, { 'r', 60, 500, 1 }, { 'r', 110, 1000, 1 } } },
	/* 50 of 60 ms, 50 ms of which the other one was ahead: 42 beside 950 */
	{ "the other one works a little", "at 1 of 3 reads and resets: up to 4 %",
	  { { 'o', 10, 0, 1 }, { 'r', 60, 50, 1 }, { 'o', 110, 0, 1 }, { 'r', 110, 1000, 1 } } },
	/* 50 of 1000 are an estimate only */
	{ "the other one leaves a little earlier", NULL,
	  { { 'o', 10, 0, 1 }, { 'r', 10, 0, 1 }, { 'o', 105, 0, 1 }, { 'r', 110, 1000, 1 },
	    { 'o', 160, 0, 1 }, { 'r', 160, 1100, 1 } } },
	/* 400 of 100000 do not matter */
	{ "a small region", NULL,
	  { { 'o', 10, 0, 1 }, { 'r', 10, 0, 1 }, { 'o', 110, 0, 1 }, { 'r', 110, 100000, 1 },
	    { 'o', 110, 0, 1 }, { 'r', 160, 100400, 1 }, { 'o', 210, 0, 1 },
	    { 'r', 210, 100800, 1 } } },
};

static void be_rank(const char *number)
{
	char why[IPMU_WHY_MAX] = "";
	static const int code = 1;
	static struct node_sum_share share;

	setenv("OMPI_COMM_WORLD_LOCAL_RANK", number, 1);
	if (node_sum_claim(&share, &code, 1, (int)sizeof(code), why))
		_exit(1);
	for (char c; read(STDIN_FILENO, &c, 1) == 1;) {
		node_sum_read(&share, &(long long){ 0 }, false);
		if (write(STDOUT_FILENO, &c, 1) != 1)
			_exit(1);
	}
	node_sum_end();
	_exit(0);
}

static int to_other, from_other;

static pid_t start_other(void)
{
	int to[2], from[2];
	pid_t child;

	assert_int_equal(pipe(to) | pipe(from), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		dup2(to[0], STDIN_FILENO);
		dup2(from[1], STDOUT_FILENO);
		close(to[1]);
		be_rank("1");
	}
	close(to[0]);
	close(from[1]);
	to_other = to[1];
	from_other = from[0];
	return child;
}

static void other_reads(int times)
{
	char c = 'o';

	while (times--) {
		assert_int_equal(write(to_other, &c, 1), 1);
		assert_int_equal(read(from_other, &c, 1), 1);
	}
}

/* Catches what this process writes to stderr while it ends. */
static void end_and_listen(char *said, size_t bytes)
{
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO);
	size_t n;

	assert_non_null(file);
	dup2(fileno(file), STDERR_FILENO);
	node_sum_end();
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	n = fread(said, 1, bytes - 1, file);
	said[n] = '\0';
	fclose(file);
}

static void run_course(const struct course *c)
{
	static const int code = 1;
	struct node_sum_share share = { 0 };
	char why[IPMU_WHY_MAX] = "", said[IPMU_WHY_MAX] = "";
	pid_t other;
	int status = -1;

	*clock_ms = 0;
	other = start_other();
	assert_int_equal(node_sum_claim(&share, &code, 1, (int)sizeof(code), why), 0);
	for (const struct step *s = c->steps; s->who; s++) {
		*clock_ms = s->ms;
		if (s->who == 'o')
			other_reads(s->times);
		else
			node_sum_read(&share, &s->count, s->who == 'z');
	}
	end_and_listen(said, sizeof(said));
	node_sum_release(&share);
	close(to_other);
	close(from_other);
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(status, 0);
	if (c->told ? !strstr(said, c->told) : said[0] != '\0')
		fail_msg("%s: %s", c->what, said);
}

static bool is_file(void)
{
	char path[128];

	snprintf(path, sizeof(path), "/dev/shm/ipmu-first-%u-%s", (unsigned)geteuid(),
		 getenv("PMIX_NAMESPACE"));
	return access(path, F_OK) == 0;
}

static void ranks_that_came_apart_are_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(courses) / sizeof(courses[0]); i++)
		run_course(&courses[i]);
	assert_false(is_file());
}

/* A rank that does not report removes the file that it made. */
static void no_file_is_left(void **state)
{
	pid_t other = start_other();
	int status = -1;

	(void)state;
	other_reads(1);
	assert_true(is_file());
	close(to_other);
	close(from_other);
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_false(is_file());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_given_back_is_the_next_ones),
		cmocka_unit_test(ranks_that_came_apart_are_told),
		cmocka_unit_test(no_file_is_left),
	};
	char job[32];

	clock_ms = mmap(NULL, sizeof(*clock_ms), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	if (clock_ms == MAP_FAILED)
		return 1;
	/* The lock's name has the job's, and the node's first process is rank 0. */
	snprintf(job, sizeof(job), "test%d", (int)getpid());
	setenv("PMIX_NAMESPACE", job, 1);
	setenv("OMPI_COMM_WORLD_LOCAL_RANK", "0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
