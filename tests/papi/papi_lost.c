/* SPDX-License-Identifier: MIT */
/* Lost counts as PAPI's clients see them, on a virtual Skylake client whose events this
 * test raises itself. The counters are set back with a write through the msr device, as by any
 * other program. */
#include "papi_machine.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#define C "intel_uncore:::"
#define READ_I C "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I"
#define CBO_0_PERFCTR0 0x706

static const char *const names[] = { READ_I ":box=0", READ_I ":box=1" };

static void write_msr(off_t address, uint64_t value)
{
	int fd = open("/dev/cpu/0/msr", O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &value, sizeof(value), address), sizeof(value));
	close(fd);
}

static void misses(int a, int b)
{
	engine_fixture_misses(&machine, 0, a);
	engine_fixture_misses(&machine, 1, b);
}

/* A loss is reported once, with the reason. Then the other event continues, the lost one stays. */
static void a_read_tells_of_it(void **state)
{
	int set = papi_sets_of(names, 2);
	long long v[2] = { 0, 0 };
	struct papi_sets_ear ear;

	(void)state;
	assert_papi(PAPI_start(set), PAPI_OK);
	misses(500, 3);
	assert_papi(PAPI_read(set, v), PAPI_OK);
	assert_int_equal(v[0], 500);
	write_msr(CBO_0_PERFCTR0, 0);
	misses(7, 4);
	ear = papi_sets_listen();
	papi_sets_check("PAPI_read", PAPI_read(set, v), PAPI_ECLOST);
	papi_sets_heard(ear, "UNC_CBO_CACHE_LOOKUP:READ_I:box=0: skl_unc_cbo box 0 through "
			     "/dev/cpu/0/msr: the counter was set back from outside");
	assert_papi(PAPI_read(set, v), PAPI_OK);
	assert_int_equal(v[0], 500);
	assert_int_equal(v[1], 7);
	misses(7, 4);
	assert_papi(PAPI_read(set, v), PAPI_OK);
	assert_int_equal(v[1], 11);
	/* the stop reports what the reads' callers may have ignored; the next one ends the set */
	assert_papi(PAPI_stop(set, v), PAPI_ECLOST);
	assert_papi(PAPI_stop(set, v), PAPI_OK);
	assert_int_equal(v[0], 500);
	assert_int_equal(v[1], 11);
	assert_papi(PAPI_start(set), PAPI_OK);
	misses(5, 6);
	assert_papi(PAPI_stop(set, v), PAPI_OK);
	assert_int_equal(v[0], 5);
	assert_int_equal(v[1], 6);
	papi_sets_end(set);
}

static void a_stop_tells_of_it(void **state)
{
	int set = papi_sets_of(names, 2);
	long long v[2] = { 0, 0 };

	(void)state;
	assert_papi(PAPI_start(set), PAPI_OK);
	misses(500, 3);
	assert_papi(PAPI_read(set, v), PAPI_OK);
	write_msr(CBO_0_PERFCTR0, 0);
	misses(0, 4);
	assert_papi(PAPI_stop(set, v), PAPI_ECLOST);
	assert_papi(PAPI_stop(set, v), PAPI_OK);
	assert_int_equal(v[0], 500);
	assert_int_equal(v[1], 7);
	papi_sets_end(set);
}

static void a_reset_tells_of_it(void **state)
{
	int set = papi_sets_of(names, 2);
	long long v[2] = { 0, 0 };

	(void)state;
	assert_papi(PAPI_start(set), PAPI_OK);
	misses(500, 3);
	assert_papi(PAPI_read(set, v), PAPI_OK);
	write_msr(CBO_0_PERFCTR0, 0);
	assert_papi(PAPI_reset(set), PAPI_ECLOST);
	misses(0, 4);
	assert_papi(PAPI_read(set, v), PAPI_OK);
	assert_int_equal(v[0], 0);
	assert_int_equal(v[1], 4);
	assert_papi(PAPI_stop(set, v), PAPI_ECLOST);
	assert_papi(PAPI_stop(set, v), PAPI_OK);
	papi_sets_end(set);
}

/* PAPI's timer checks the counts of a set with overflow; the next read reports what it found. */
static void on_overflow(int set, void *address, long long bits, void *context)
{
	(void)set, (void)address, (void)bits, (void)context;
}

static void the_timer_keeps_it_for_the_reader(void **state)
{
	int set = papi_sets_of(names, 2);
	long long v[2] = { 0, 0 };

	(void)state;
	assert_papi(PAPI_overflow(set, papi_sets_code(names[1]), 1000, 0, on_overflow), PAPI_OK);
	assert_papi(PAPI_start(set), PAPI_OK);
	misses(500, 3);
	assert_papi(PAPI_read(set, v), PAPI_OK);
	write_msr(CBO_0_PERFCTR0, 0);
	for (clock_t end = clock() + CLOCKS_PER_SEC / 10; clock() < end;)
		;
	assert_papi(PAPI_read(set, v), PAPI_ECLOST);
	assert_papi(PAPI_stop(set, v), PAPI_OK);
	assert_papi(PAPI_overflow(set, papi_sets_code(names[1]), 0, 0, on_overflow), PAPI_OK);
	papi_sets_end(set);
}

/* A child cannot read what its parent counts; the parent's counts go on. */
static void a_forked_child_is_told(void **state)
{
	int set = papi_sets_of(names, 2), status;
	long long v[2] = { 0, 0 };
	pid_t pid;

	(void)state;
	assert_papi(PAPI_start(set), PAPI_OK);
	misses(500, 3);
	assert_papi(PAPI_read(set, v), PAPI_OK);
	pid = fork();
	if (!pid) {
		bool good = PAPI_read(set, v) == PAPI_ECLOST && PAPI_read(set, v) == PAPI_OK &&
			    v[0] == 500 && v[1] == 3;

		good = good && PAPI_stop(set, v) == PAPI_ECLOST && PAPI_stop(set, v) == PAPI_OK;
		_exit(good ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	misses(500, 3);
	assert_papi(PAPI_stop(set, v), PAPI_OK);
	assert_int_equal(v[0], 1000);
	papi_sets_end(set);
}

static sigjmp_buf out;

static void jump(int number)
{
	(void)number;
	siglongjmp(out, 1);
}

/* Reads that a timer's handler leaves wherever they are. */
static void reads_left_by_jumps(void **state)
{
	const struct itimerval soon = { .it_value = { .tv_usec = 300 } };
	int set = papi_sets_of(names, 2);
	long long v[2] = { 0, 0 };
	volatile int n = 0;

	(void)state;
	assert_papi(PAPI_start(set), PAPI_OK);
	misses(500, 3);
	signal(SIGALRM, jump);
	for (; n < 100; n++)
		if (!sigsetjmp(out, 1)) {
			setitimer(ITIMER_REAL, &soon, NULL);
			for (;;)
				PAPI_read(set, v);
		}
	signal(SIGALRM, SIG_DFL);
	alarm(HANG_SECONDS);
	assert_papi(PAPI_stop(set, v), PAPI_OK);
	assert_int_equal(v[0], 500);
	papi_sets_end(set);
	alarm(0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_tells_of_it),
		cmocka_unit_test(a_stop_tells_of_it),
		cmocka_unit_test(a_reset_tells_of_it),
		cmocka_unit_test(the_timer_keeps_it_for_the_reader),
		cmocka_unit_test(a_forked_child_is_told),
		cmocka_unit_test(reads_left_by_jumps),
	};

	(void)argc;
	on_machine(argv, "skl-4c8t");
	return cmocka_run_group_tests(tests, papi_machine_open, papi_machine_close);
}
