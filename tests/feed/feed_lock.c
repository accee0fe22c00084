/* SPDX-License-Identifier: MIT */
/* The thread that executes holds the machine lock until another one requests it. */
#include "feed_qemu.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "virtual_pmu/feed/thread/emulated_thread.h"
#include "virtual_pmu/feed/thread/machine_lock.h"

static struct qemu_plugin_tb block = {
	.count = 1,
	.insn = { { .address = 0x400000, .size = 4, .bytes = { 0xf0, 0x48, 0x01, 0x07 } } },
};
static uint64_t next_line = 0x100000;

static void run_blocks(int n)
{
	while (n--)
		block.execute(0, block.udata);
}

static void miss(void)
{
	uint64_t before = all_lookups();

	block.insn[0].access(0, 3, next_line += 64, NULL);
	assert_int_equal(all_lookups(), before + 1);
}

static void a_miss_takes_it_for_all_that_follow(void **state)
{
	(void)state;
	run_blocks(1);
	for (int i = 0; i < 100; i++) {
		miss();
		assert_int_equal(vpmu_lock_held(segment), 1);
	}
	run_blocks(5000);
	assert_int_equal(vpmu_lock_held(segment), 1);
}

static void a_system_call_releases_it(void **state)
{
	(void)state;
	miss();
	synchronise();
	assert_int_equal(segment->lock.word, 0);
}

static int count_in_other_process(void)
{
	vpmu_lock(segment);
	segment->undriven_count = vpmu_lock_held(segment);
	vpmu_unlock(segment);
	return 0;
}

/* A waiter gets the lock although the runner does not miss. */
static void another_process_waits_for_it_and_gets_it(void **state)
{
	int status = 0;
	pid_t pid;

	(void)state;
	synchronise();
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(count_in_other_process());
	miss();
	while (!waitpid(pid, &status, WNOHANG))
		run_blocks(100);
	assert_int_equal(status, 0);
	assert_int_equal(segment->undriven_count, 1);
	assert_int_equal(segment->lock.asked, 0);
}

/* A thread that waits for the lock may be killed. */
static void a_request_of_nobody_does_not_stop_it(void **state)
{
	(void)state;
	miss();
	segment->lock.asked = 1;
	run_blocks(3000);
	assert_int_equal(segment->lock.asked, 0);
	miss();
	assert_int_equal(vpmu_lock_held(segment), 1);
}

/* The runner was stopped, and another thread took the lock in the meantime. */
static void a_lock_that_was_lost_is_taken_anew(void **state)
{
	(void)state;
	miss();
	segment->lock.word = 0;
	run_blocks(3000);
	assert_int_equal(vpmu_lock_held(segment), 1);
	miss();
}

/* A tool that is emulated locks in the name of the same thread. */
static void the_program_may_lock_as_well(void **state)
{
	const struct vpmu_runner *r = &vpmu_self->runner;

	(void)state;
	miss();
	assert_false(vpmu_runner_is_in_section(segment, r));
	vpmu_lock(segment);
	assert_true(vpmu_runner_is_in_section(segment, r));
	miss();
	synchronise();
	assert_int_equal(vpmu_lock_held(segment), 1);
	assert_true(vpmu_runner_is_in_section(segment, r));
	miss();
	vpmu_unlock(segment);
	assert_false(vpmu_runner_is_in_section(segment, r));
	assert_int_equal(vpmu_lock_held(segment), 1);
}

static void a_process_ends_without_it(void **state)
{
	(void)state;
	miss();
	call(SYS_exit_group, 0, 0);
	assert_int_equal(segment->lock.word, 0);
	process_exit(1, NULL);
	assert_int_equal(segment->lock.word, 0);
}

/* In memory that a forked process shares. */
static struct vpmu_segment *shared_segment(const struct vpmu_machine *m)
{
	struct vpmu_segment *s = segment_of(m), *shared;

	shared = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(shared, MAP_FAILED);
	memcpy(shared, s, s->bytes);
	free(s);
	return shared;
}

static int install(void **state)
{
	struct vpmu_machine m = one_set_machine(16, 16, 16);
	char where[] = "segment=here";
	char *arguments[] = { where };

	(void)state;
	m.llc.bytes *= 64;	/* more sets */
	segment = shared_segment(&m);
	if (qemu_plugin_install(1, &x86_64, 1, arguments))
		return -1;
	translate(1, &block);
	return 0;
}

int main(void)
{
	/* A process has a single plugin, so each test continues from the one before. */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_miss_takes_it_for_all_that_follow),
		cmocka_unit_test(a_system_call_releases_it),
		cmocka_unit_test(another_process_waits_for_it_and_gets_it),
		cmocka_unit_test(a_request_of_nobody_does_not_stop_it),
		cmocka_unit_test(a_lock_that_was_lost_is_taken_anew),
		cmocka_unit_test(the_program_may_lock_as_well),
		cmocka_unit_test(a_process_ends_without_it),
	};

	return cmocka_run_group_tests_name("machine lock of who executes", tests, install, NULL);
}
