/* SPDX-License-Identifier: MIT */
/* Messages of ranks about MPI, in every order, and when each is answered. The counters are made up:
 * each reading has one more. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "ipmu_run/job/node.h"
#include "ipmu_run/job/preload.h"
#include "ipmu_run/job/socket.h"
#include "mpi_region.h"

#define SOON_MS 5000		/* an answer that is due */
#define NOT_MS 50		/* one that is not */

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);

static atomic_int later_s;
static _Atomic long long reads;	/* of the thread that serves, and of the test */
static _Atomic int rings;
static struct node *node;
static struct region *region;
static struct window window;

/* ---- what is not tried here ---- */

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	int rc = __real_clock_gettime(clock, t);

	t->tv_sec += later_s;
	return rc;
}

int preload_set(char why[COUNT_WHY_MAX])
{
	(void)why;
	return 0;
}

void program_keep_connection(void)
{
}

int program_ending(void)
{
	return 0;
}

void sets_read(struct sets *s, struct count *counts)
{
	(void)s;
	counts[0] = (struct count){ ++reads, true };
}

static void ring(void *arg)
{
	assert_ptr_equal(arg, &window);
	rings++;
}

/* ---- ranks ---- */

static int send_bytes(const void *m, size_t bytes)
{
	const char *path = strchr(getenv(REGION_ENV), ':') + 1;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(socket_connect(fd, path), 0);
	assert_int_equal(send(fd, m, bytes, 0), bytes);
	return fd;
}

static int say(int what, int rank, int status, int killed)
{
	const struct region_message m = { .head = REGION_HEAD, .what = what, .rank = rank,
					  .status = status, .killed = killed };

	return send_bytes(&m, sizeof(m));
}

static bool readable(int fd, int ms)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };

	return poll(&one, 1, ms) == 1;
}

static int answer(int fd)
{
	struct region_reply reply;

	assert_true(readable(fd, SOON_MS));
	assert_int_equal(recv(fd, &reply, sizeof(reply), 0), sizeof(reply));
	assert_int_equal(reply.head.type, MESSAGE_ANSWER);
	assert_int_equal(reply.head.version, 2);
	return reply.answer;
}

/* The connection is closed without an answer. */
static void refused(int fd)
{
	char byte;

	assert_true(readable(fd, SOON_MS));
	assert_int_equal(recv(fd, &byte, 1, 0), 0);
	close(fd);
}

static void well(int fd)
{
	assert_int_equal(answer(fd), REGION_WELL);
	close(fd);
}

/* ---- the cases ---- */

static int open_it(void **state)
{
	struct launched as = { .size = 1, .local_size = 1 };
	char why[COUNT_WHY_MAX] = "";

	(void)state;
	reads = rings = 0;
	snprintf(as.job, sizeof(as.job), "run_region.%d", (int)getpid());
	if (node_meet(&as, "", &node, why) || region_tell(0, node_path(node), why) ||
	    region_open(&region, why)) {
		print_error("%s\n", why);
		return -1;
	}
	region_set(region, &window, (struct region_alarm){ ring, &window });
	return window_open(&window, NULL, NULL, 1);
}

static int close_it(void **state)
{
	(void)state;
	region_close(region);
	node_leave(node);
	window_close(&window);
	return 0;
}

static void begin(int ranks)
{
	region_begin(region, ranks);
	node_go(node, region, NULL);
}

static void end(void)
{
	uint64_t ns = 0;

	node_halt(node);
	node_wait(node, &ns);
	region_end(region);
}

static long long counted(void)
{
	struct count c = { 1000, true };
	uint64_t began = 0, ns = 1;

	window_apply(&window, &began, &ns, &c, NULL);
	assert_true(c.known);
	return c.value;
}

static void ranks_wait_for_the_last_to_begin(void **state)
{
	int fds[3];

	(void)state;
	begin(3);
	for (int i = 0; i < 2; i++)
		fds[i] = say(REGION_BEGUN, i, 0, 0);
	assert_false(readable(fds[0], NOT_MS) || readable(fds[1], 0));
	fds[2] = say(REGION_BEGUN, 2, 0, 0);
	for (int i = 0; i < 3; i++)
		well(fds[i]);
	/* None waits for the last to end. */
	well(say(REGION_ENDED, 2, 0, 0));
	well(say(REGION_ENDED, 0, 0, 0));
	reads += 10;
	well(say(REGION_ENDED, 1, 0, 0));
	for (int i = 0; i < 3; i++)
		well(say(REGION_GONE, i, 0, 0));
	end();
	assert_int_equal(counted(), 11);
	assert_string_equal(window.reason, "");
	assert_int_equal(rings, 0);
}

static void a_program_without_mpi_is_not_waited_for(void **state)
{
	int fd;

	(void)state;
	begin(2);
	fd = say(REGION_BEGUN, 0, 0, 0);
	assert_false(readable(fd, NOT_MS));
	well(say(REGION_GONE, 1, 5, 0));
	well(fd);
	well(say(REGION_ENDED, 0, 0, 0));
	end();
	assert_int_equal(counted(), 1);
	assert_string_equal(window.reason, "");
}

/* Each received message, also a refused one, makes the region check its time limit. */
static void a_rank_that_does_not_come_is_waited_for_10_s(void **state)
{
	int fd;

	(void)state;
	begin(2);
	fd = say(REGION_BEGUN, 0, 0, 0);
	refused(say(99, 0, 0, 0));
	later_s = 9;
	refused(say(99, 0, 0, 0));
	assert_false(readable(fd, NOT_MS));
	later_s = 10;
	refused(say(99, 0, 0, 0));
	well(fd);
	well(say(REGION_BEGUN, 1, 0, 0));
	well(say(REGION_ENDED, 0, 0, 0));
	well(say(REGION_ENDED, 1, 0, 0));
	end();
	later_s = 0;
	assert_int_equal(counted(), 1);
}

/* Each differs from a rank's end in one member, or is cut. */
static void other_messages_are_refused_and_change_nothing(void **state)
{
#define MESSAGE(t, v, w, r, s, k) { .head = { t, v }, .what = (w), .rank = (r), .status = (s), \
				    .killed = (k) }
	static const struct region_message messages[] = {
		MESSAGE(MESSAGE_REGION, 3, REGION_GONE, 0, 0, 0),
		MESSAGE(MESSAGE_REGION, 0, REGION_GONE, 0, 0, 0),
		MESSAGE(0, 2, REGION_GONE, 0, 0, 0),
		MESSAGE(MESSAGE_WORD + 1, 2, REGION_GONE, 0, 0, 0),
		MESSAGE(MESSAGE_HELLO, 2, REGION_GONE, 0, 0, 0),
		MESSAGE(MESSAGE_ANSWER, 2, REGION_GONE, 0, 0, 0),
		MESSAGE(MESSAGE_REGION, 2, REGION_LEFT + 1, 0, 0, 0),
		MESSAGE(MESSAGE_REGION, 2, -1, 0, 0, 0),
		MESSAGE(MESSAGE_REGION, 2, REGION_GONE, -1, 0, 0),
		MESSAGE(MESSAGE_REGION, 2, REGION_GONE, 0, -1, 0),
		MESSAGE(MESSAGE_REGION, 2, REGION_GONE, 0, 256, 0),
		MESSAGE(MESSAGE_REGION, 2, REGION_GONE, 0, 137, 2),
		MESSAGE(MESSAGE_REGION, 2, REGION_GONE, 0, 1, 1),
		MESSAGE(MESSAGE_REGION, 2, REGION_ENTERED, 0, 0, 0),	/* of no process */
	};
	const struct region_message whole = MESSAGE(MESSAGE_REGION, 2, REGION_GONE, 0, 0, 0);

	(void)state;
	begin(1);
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++)
		refused(send_bytes(&messages[i], sizeof(messages[i])));
	for (size_t bytes = 1; bytes < sizeof(whole); bytes++)
		refused(send_bytes(&whole, bytes));
	well(say(REGION_BEGUN, 0, 0, 0));
	well(say(REGION_ENDED, 0, 0, 0));
	end();
	assert_int_equal(counted(), 1);
	assert_string_equal(window.reason, "");
}

static void without_mpi_everything_is_counted(void **state)
{
	(void)state;
	begin(2);
	well(say(REGION_GONE, 1, 0, 0));
	well(say(REGION_GONE, 0, 3, 0));
	end();
	assert_int_equal(counted(), 1000);
	assert_false(window.begun);
	assert_int_equal(rings, 0);
}

static void the_first_reason_counts(void **state)
{
	static const struct { int what, status, killed; const char *reason; } ways[] = {
		{ REGION_GONE, 128 + 9, 1, "rank 1 ended by signal 9, SIGKILL" },
		{ REGION_GONE, 7, 0, "rank 1 ended without MPI_Finalize, with exit status 7" },
		{ REGION_ABORTS, 0, 0, "MPI_Abort was called by rank 1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		int fds[2], fd;

		window.begun = window.ended = false;
		window.reason[0] = '\0';
		rings = 0;
		begin(2);
		for (int rank = 0; rank < 2; rank++)
			fds[rank] = say(REGION_BEGUN, rank, 0, 0);
		well(fds[0]);
		well(fds[1]);
		fd = say(ways[i].what, 1, ways[i].status, ways[i].killed);
		assert_int_equal(answer(fd), ways[i].what == REGION_GONE ? REGION_EARLY :
				 REGION_WELL);
		assert_int_equal(rings, 1);
		fds[0] = say(REGION_GONE, 0, 128 + 15, 1);
		assert_int_equal(answer(fds[0]), REGION_EARLY);
		end();
		/* The rank may go when all is written. */
		assert_false(readable(fds[0], NOT_MS));
		assert_string_equal(window.reason, ways[i].reason);
		assert_int_equal(rings, 1);
		close(fd);
		close(fds[0]);
	}
}

static void one_that_waits_for_the_report_is_not_let_go_by_the_others(void **state)
{
	int gone, fd;

	(void)state;
	begin(2);
	gone = say(REGION_GONE, 1, 128 + 11, 1);
	assert_int_equal(answer(gone), REGION_EARLY);
	fd = say(REGION_BEGUN, 0, 0, 0);
	well(fd);
	assert_false(readable(gone, NOT_MS));
	well(say(REGION_ENDED, 0, 0, 0));
	end();
	close(gone);
}

static void a_rank_whose_end_nobody_tells_is_missed(void **state)
{
	(void)state;
	begin(1);
	well(say(REGION_BEGUN, 0, 0, 0));
	end();
	assert_string_equal(window.reason, "a rank ended without MPI_Finalize");
	assert_int_equal(counted(), 999);	/* until the program's end */
}

static void what_was_told_before_the_end_is_heard(void **state)
{
	int fd;

	(void)state;
	begin(1);
	well(say(REGION_BEGUN, 0, 0, 0));
	fd = say(REGION_ENDED, 0, 0, 0);
	end();
	well(fd);
	assert_true(window.ended);
	assert_string_equal(window.reason, "");
}

static void several_programs_of_one_rank_are_counted_together(void **state)
{
	(void)state;
	begin(1);
	well(say(REGION_BEGUN, 0, 0, 0));
	well(say(REGION_BEGUN, 0, 0, 0));
	well(say(REGION_ENDED, 0, 0, 0));
	reads += 5;
	well(say(REGION_ENDED, 0, 0, 0));
	well(say(REGION_GONE, 0, 0, 0));
	end();
	assert_int_equal(counted(), 6);
}

static void nonsense_is_answered_or_ended(void **state)
{
	const char *path = strchr(getenv(REGION_ENV), ':') + 1;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), silent;
	char byte;

	(void)state;
	begin(1);
	assert_int_equal(socket_connect(fd, path), 0);
	assert_int_equal(send(fd, "?", 1, 0), 1);
	assert_true(readable(fd, SOON_MS));
	assert_int_equal(recv(fd, &byte, 1, 0), 0);	/* it is closed */
	close(fd);
	silent = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	assert_int_equal(socket_connect(silent, path), 0);
	close(silent);
	silent = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	assert_int_equal(socket_connect(silent, path), 0);
	refused(say(99, 0, 0, 0));
	well(say(REGION_BEGUN, 0, 0, 0));
	well(say(REGION_ENDED, 0, 0, 0));
	end();
	assert_int_equal(counted(), 1);
	close(silent);
}

static void each_run_has_a_region_of_its_own(void **state)
{
	(void)state;
	for (int run = 0; run < 3; run++) {
		window.begun = window.ended = false;
		begin(1);
		well(say(REGION_BEGUN, 0, 0, 0));
		well(say(REGION_ENDED, 0, 0, 0));
		end();
		assert_true(window.ended);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_it, close_it)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ranks_wait_for_the_last_to_begin),
		TEST(a_program_without_mpi_is_not_waited_for),
		TEST(a_rank_that_does_not_come_is_waited_for_10_s),
		TEST(other_messages_are_refused_and_change_nothing),
		TEST(without_mpi_everything_is_counted),
		TEST(the_first_reason_counts),
		TEST(one_that_waits_for_the_report_is_not_let_go_by_the_others),
		TEST(a_rank_whose_end_nobody_tells_is_missed),
		TEST(what_was_told_before_the_end_is_heard),
		TEST(several_programs_of_one_rank_are_counted_together),
		TEST(nonsense_is_answered_or_ended),
		TEST(each_run_has_a_region_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
