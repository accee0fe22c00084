// SPDX-License-Identifier: MIT
/* The order of processes of a machine: the smallest clock first, the older one of two. A process
 * that dies with the mutex does not keep it. One that dies outside of the turn does not keep its
 * record if there is no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "machine/segment.h"

static struct vpmu_processes *all;

static int power_on(void **unused)
{
	(void)unused;
	if (!all)
		all = mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED)
		return -1;
	vpmu_processes_power_on(all);
	return 0;
}

static void test_order(void **unused)
{
	struct vpmu_process *a, *b, *c;

	(void)unused;
	a = vpmu_process_add(all, 11, VPMU_PROCESS_READY, 500);
	b = vpmu_process_add(all, 12, VPMU_PROCESS_READY, 400);
	c = vpmu_process_add(all, 13, VPMU_PROCESS_READY, 400);
	assert_null(vpmu_process_owner(all));
	assert_ptr_equal(vpmu_process_least(all, NULL), b);
	assert_ptr_equal(vpmu_process_least(all, b), c);
	assert_ptr_equal(vpmu_process_pass(all), b);
	assert_ptr_equal(vpmu_process_owner(all), b);
	assert_int_equal(b->state, VPMU_PROCESS_RUNS);
	assert_int_equal(b->go, 1);
	assert_int_equal(b->began, 400);
	b->state = VPMU_PROCESS_OUTSIDE;
	assert_ptr_equal(vpmu_process_pass(all), c);
	c->state = VPMU_PROCESS_READY;
	c->clock = 501;
	assert_ptr_equal(vpmu_process_pass(all), a);
	a->state = c->state = VPMU_PROCESS_ENDS;
	assert_null(vpmu_process_pass(all));
	assert_null(vpmu_process_owner(all));
	assert_ptr_equal(vpmu_process_find(all, 12), b);
	assert_null(vpmu_process_find(all, 14));
}

/* A record that is used again is the youngest. */
static void test_numbers(void **unused)
{
	struct vpmu_process *a, *b;

	(void)unused;
	a = vpmu_process_add(all, 11, VPMU_PROCESS_READY, 400);
	b = vpmu_process_add(all, 12, VPMU_PROCESS_READY, 400);
	a->state = VPMU_PROCESS_NONE;
	assert_ptr_equal(vpmu_process_add(all, 13, VPMU_PROCESS_READY, 400), a);
	assert_ptr_equal(vpmu_process_least(all, NULL), b);
}

static void test_full(void **unused)
{
	pid_t child = fork();

	(void)unused;
	if (!child)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	for (uint32_t i = 0; i < VPMU_PROCESSES_MAX; i++)
		assert_non_null(vpmu_process_add(all, (uint32_t)getpid(), VPMU_PROCESS_OUTSIDE,
						 0));
	assert_null(vpmu_process_add(all, 1, VPMU_PROCESS_READY, 0));
	all->of[700].pid = (uint32_t)child;
	assert_ptr_equal(vpmu_process_add(all, (uint32_t)getpid(), VPMU_PROCESS_READY, 0),
			 &all->of[700]);
	assert_null(vpmu_process_add(all, 1, VPMU_PROCESS_READY, 0));
}

static void test_dead_holder(void **unused)
{
	pid_t child = fork();

	(void)unused;
	if (!child) {
		vpmu_processes_lock(all);
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	vpmu_processes_lock(all);
	vpmu_processes_unlock(all);
	vpmu_processes_lock(all);
	vpmu_processes_unlock(all);
}

/* A process has ended when its parent can wait for it, not when it is stopped or runs. */
static void test_ended(void **unused)
{
	int ends[2];
	char byte;
	pid_t child;
	siginfo_t info;

	(void)unused;
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		close(ends[1]);
		_exit(read(ends[0], &byte, 1) != 0);
	}
	assert_false(vpmu_process_ended((uint32_t)child));
	assert_false(vpmu_process_ended((uint32_t)getpid()));
	close(ends[1]);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_true(vpmu_process_ended((uint32_t)child));
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(vpmu_process_ended((uint32_t)child));
	close(ends[0]);
}

static void test_outside(void **unused)
{
	uint32_t *entry;

	(void)unused;
	entry = vpmu_process_leaves(all, 5);
	assert_int_equal(*entry, 5);
	for (uint32_t i = 1; i < VPMU_PROCESSES_OUTSIDE; i++)
		assert_non_null(vpmu_process_leaves(all, 6));
	assert_null(vpmu_process_leaves(all, 7));
	*entry = 0;
	assert_ptr_equal(vpmu_process_leaves(all, 7), entry);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_order, power_on),
		cmocka_unit_test_setup(test_numbers, power_on),
		cmocka_unit_test_setup(test_full, power_on),
		cmocka_unit_test_setup(test_dead_holder, power_on),
		cmocka_unit_test_setup(test_ended, power_on),
		cmocka_unit_test_setup(test_outside, power_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
