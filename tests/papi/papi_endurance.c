/* SPDX-License-Identifier: MIT */
/* Endurance on a virtual Skylake client whose events this test raises itself: thousands of starts,
 * children made in every way, reads in a signal handler. */
#include "entries.h"
#include "papi_machine.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define C "intel_uncore:::"
#define READ_I C "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I"
#define ANY_M C "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_M"
#define CLOCK C "skl_unc_clk.UNC_CLOCK:SOCKET"

static const char *const names[] = { READ_I, ANY_M ":box=1", CLOCK };

/* ---- many starts */

struct use {
	int descriptors, threads, files;
	size_t heap;
};

static struct use used(void)
{
	/* Beside ".", ".." and this one, for a moment after they have been joined. */
	for (int ms = 0; ms < 60000 && entries("/proc/self/task") > 3; ms++)
		usleep(1000);
	return (struct use){ .descriptors = entries("/proc/self/fd"),
		.threads = entries("/proc/self/task"), .files = entries(getenv("IPMU_STATE_DIR")),
		.heap = mallinfo2().uordblks };
}

/* Each counts two misses; every tenth set is a new one. */
static void starts(int n)
{
	int set = papi_sets_of(names, 3);

	for (int i = 0; i < n; i++) {
		long long v[3];

		if (i % 10 == 9) {
			papi_sets_end(set);
			set = papi_sets_of(names, 3);
		}
		assert_papi(PAPI_start(set), PAPI_OK);
		engine_fixture_misses(&machine, (uint32_t)i % 4, 2);
		assert_papi(PAPI_stop(set, v), PAPI_OK);
		assert_int_equal(v[0], 2);
		assert_int_equal(v[1], 0);
		assert_int_equal(v[2], 2);
	}
	papi_sets_end(set);
}

static void ten_thousand_starts_leave_nothing(void **state)
{
	struct use before, after;

	(void)state;
	starts(200);
	before = used();
	starts(10000);
	after = used();
	print_message("%d descriptors, %d threads, %d files of state, %zu bytes\n",
		      after.descriptors, after.threads, after.files, after.heap);
	assert_int_equal(after.descriptors, before.descriptors);
	assert_int_equal(after.threads, before.threads);
	assert_int_equal(after.files, before.files);
	assert_int_equal(after.heap, before.heap);
}

/* ---- children */

static void by_fork(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		exit(3);	/* with all that exit() does */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 3);
}

static void by_vfork(void)
{
	pid_t pid = vfork();
	int status;

	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(4);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void by_system(void)
{
	assert_int_equal(WEXITSTATUS(system("exit 5")), 5);
}

/* The child is killed before it has done anything. */
static void by_a_kill(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(6);
	}
	assert_int_equal(kill(pid, SIGTERM), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void children_do_not_disturb(void **state)
{
	static void (*const ways[])(void) = { by_fork, by_vfork, by_system, by_a_kill };
	int set = papi_sets_of(names, 3);
	long long v[3], misses = 0;

	(void)state;
	assert_papi(PAPI_start(set), PAPI_OK);
	for (int i = 0; i < 20; i++) {
		engine_fixture_misses(&machine, (uint32_t)i % 4, 3);
		misses += 3;
		ways[i % 4]();
		assert_papi(PAPI_read(set, v), PAPI_OK);
		assert_int_equal(v[0], misses);
	}
	assert_papi(PAPI_stop(set, v), PAPI_OK);
	assert_int_equal(v[0], misses);
	papi_sets_end(set);
}

/* ---- a signal handler that reads */

static int read_by_handler;
static volatile sig_atomic_t reads, wrong, backwards;
static long long last;

/* Between a stop and a start the counts stand; a start begins anew. */
static void on_alarm(int number)
{
	int saved = errno, rc;
	long long v[3] = { 0, 0, 0 };

	(void)number;
	rc = PAPI_read(read_by_handler, v);
	reads += rc == PAPI_OK;
	wrong += rc != PAPI_OK && rc != PAPI_ENOTRUN;
	if (rc == PAPI_OK) {
		backwards += v[0] < last;
		last = v[0];
	}
	errno = saved;
}

static void timer(int us)
{
	struct itimerval every = { .it_interval.tv_usec = us, .it_value.tv_usec = us };

	assert_int_equal(setitimer(ITIMER_REAL, &every, NULL), 0);
}

static void reads_in_a_handler(void **state)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	time_t end = time(NULL) + 100;
	long long misses = 0, v[3];
	sigset_t alarms, old;

	(void)state;
	read_by_handler = papi_sets_of(names, 3);
	assert_papi(PAPI_start(read_by_handler), PAPI_OK);
	sigaction(SIGALRM, &action, NULL);
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	timer(200);
	for (int i = 0; reads < 300 && (i % 1000 || time(NULL) <= end); i++) {
		if (i % 50 == 0) {	/* not while this thread has the machine */
			sigprocmask(SIG_BLOCK, &alarms, &old);
			engine_fixture_misses(&machine, 0, 2);
			sigprocmask(SIG_SETMASK, &old, NULL);
			misses += 2;
		}
		assert_papi(PAPI_read(read_by_handler, v), PAPI_OK);
		assert_int_equal(v[0], misses);
	}
	timer(0);
	print_message("%d reads in the handler\n", (int)reads);
	assert_papi(PAPI_stop(read_by_handler, v), PAPI_OK);
	assert_int_equal(v[0], misses);
	assert_int_equal(wrong, 0);
	assert_int_equal(backwards, 0);
	assert_true(reads >= 300);
	signal(SIGALRM, SIG_DFL);
	papi_sets_end(read_by_handler);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ten_thousand_starts_leave_nothing),
		cmocka_unit_test(children_do_not_disturb),
		cmocka_unit_test(reads_in_a_handler),
	};

	(void)argc;
	on_machine(argv, "skl-4c8t");
	return cmocka_run_group_tests(tests, papi_machine_open, papi_machine_close);
}
