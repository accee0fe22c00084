/* SPDX-License-Identifier: MIT */
/* A loop of PAUSE instructions, or of system calls that find nothing, gives the host's CPU away. */
#include "feed_qemu.h"

#include <time.h>

#include "virtual_pmu/feed/thread/emulated_thread.h"

static void which_instruction_it_is(void **state)
{
	const uint8_t pause[] = { 0xf3, 0x90 }, nop[] = { 0x66, 0x90 };
	const uint8_t xchg[] = { 0xf3, 0x41, 0x90 };

	(void)state;
	assert_true(vpmu_is_pause(pause, 2));
	assert_false(vpmu_is_pause(pause, 1));
	assert_false(vpmu_is_pause(nop, 2));
	assert_false(vpmu_is_pause(xchg, 3));
}

/* How often each is due in so many PAUSEs that are so many clocks apart. */
static void count(struct vpmu_spinning *s, uint32_t pauses, uint64_t apart, uint32_t due[3])
{
	memset(due, 0, 3 * sizeof(*due));
	for (uint64_t clock = s->clock; pauses; pauses--)
		due[vpmu_spinning(s, clock += apart, VPMU_SPIN_CLOCKS)]++;
}

static void a_loop_yields_and_then_sleeps(void **state)
{
	struct vpmu_spinning s = { .clock = 1000 };
	uint32_t due[3];

	(void)state;
	count(&s, VPMU_SPIN_PATIENCE - 1, 4, due);
	assert_int_equal(due[VPMU_SPIN_ON], VPMU_SPIN_PATIENCE - 1);
	count(&s, VPMU_SPIN_SLEEPS - VPMU_SPIN_PATIENCE, 4, due);
	assert_int_equal(due[VPMU_SPIN_YIELD], VPMU_SPIN_SLEEPS / VPMU_SPIN_PATIENCE - 1);
	assert_int_equal(due[VPMU_SPIN_SLEEP], 0);
	count(&s, 10 * VPMU_SPIN_PATIENCE, 4, due);
	assert_int_equal(due[VPMU_SPIN_SLEEP], 10);
	assert_int_equal(due[VPMU_SPIN_YIELD], 0);
}

static void pauses_far_apart_are_no_loop(void **state)
{
	struct vpmu_spinning s = { .clock = 1000 };
	uint32_t due[3];

	(void)state;
	count(&s, 10000, VPMU_SPIN_CLOCKS, due);
	assert_int_equal(due[VPMU_SPIN_ON], 10000);
	count(&s, 10 * VPMU_SPIN_SLEEPS + 5, VPMU_SPIN_CLOCKS - 1, due);
	assert_true(due[VPMU_SPIN_SLEEP] > 0);
	count(&s, 1, VPMU_SPIN_CLOCKS, due);
	count(&s, VPMU_SPIN_PATIENCE - 1, 4, due);
	assert_int_equal(due[VPMU_SPIN_ON], VPMU_SPIN_PATIENCE - 1);
}

static void a_loop_of_polls_yields_and_then_sleeps(void **state)
{
	struct vpmu_spinning s = { .version = 6 };

	(void)state;
	for (uint32_t i = 1; i < VPMU_POLL_PATIENCE; i++)
		assert_int_equal(vpmu_spinning_polls(&s, 6), VPMU_SPIN_ON);
	for (uint32_t i = VPMU_POLL_PATIENCE; i < VPMU_POLL_SLEEPS; i++)
		assert_int_equal(vpmu_spinning_polls(&s, 6), VPMU_SPIN_YIELD);
	assert_int_equal(vpmu_spinning_polls(&s, 6), VPMU_SPIN_SLEEP);
	assert_int_equal(vpmu_spinning_polls(&s, 6), VPMU_SPIN_SLEEP);
	assert_int_equal(vpmu_spinning_polls(&s, 8), VPMU_SPIN_ON);
	assert_int_equal(vpmu_spinning_polls(&s, 8), VPMU_SPIN_ON);
}

static void which_calls_only_look(void **state)
{
	(void)state;
	assert_true(vpmu_syscall_polls(SYS_poll, 0, 5));
	assert_false(vpmu_syscall_polls(SYS_poll, (uint32_t)-1, 0));
	assert_true(vpmu_syscall_polls(SYS_epoll_wait, 5, 0));
	assert_true(vpmu_syscall_polls(SYS_epoll_pwait, 5, 0));
	assert_false(vpmu_syscall_polls(SYS_epoll_wait, 0, 1));
	assert_false(vpmu_syscall_polls(SYS_epoll_pwait, 0, (uint64_t)-1));
	assert_false(vpmu_syscall_polls(SYS_read, 0, 0));
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void look_for_events(int found)
{
	uint32_t running = segment->runners;

	system_call(1, 0, SYS_epoll_wait, 3, 0, 8, 0, 0, 0, 0, 0);
	assert_int_equal(segment->runners, running);
	system_call_return(1, 0, SYS_epoll_wait, found);
}

/* As the thread of two; and not when there are events. */
static void watch_for_polls(void)
{
	int64_t begin = now_ns();

	for (uint32_t i = 0; i < VPMU_POLL_SLEEPS + 20; i++)
		look_for_events(0);
	assert_true(now_ns() - begin >= 20 * 50000);
	vpmu_self->spinning.polls = 0;
	look_for_events(1);
	assert_int_equal(vpmu_self->spinning.polls, 0);
	segment->runners--;
	look_for_events(0);
	assert_int_equal(vpmu_self->spinning.polls, 0);
	segment->runners++;
	look_for_events(0);
	assert_int_equal(vpmu_self->spinning.polls, 1);
}

/* In the plugin: the thread of two is not sent to sleep before its time, and then at each turn. */
static void the_plugin_watches_for_it(void **state)
{
	struct vpmu_machine m = one_set_machine(16, 16, 16);
	char where[] = "segment=here";
	char *arguments[] = { where };
	struct qemu_plugin_tb block = {
		.count = 2,
		.insn = { { .address = 0x400000, .size = 2, .bytes = { 0xf3, 0x90 } },
			  { .address = 0x400002, .size = 2, .bytes = { 0xeb, 0xfc } } },
	};
	int64_t begin;

	(void)state;
	segment = segment_of(&m);
	assert_int_equal(qemu_plugin_install(1, &x86_64, 1, arguments), 0);
	translate(1, &block);
	assert_non_null(block.insn[0].execute);
	assert_null(block.insn[1].execute);
	block.execute(0, block.udata);
	segment->runners++;
	begin = now_ns();
	for (uint32_t i = 0; i < VPMU_SPIN_SLEEPS + 20 * VPMU_SPIN_PATIENCE; i++) {
		block.execute(0, block.udata);
		block.insn[0].execute(0, NULL);
	}
	assert_true(now_ns() - begin >= 20 * 50000);
	watch_for_polls();
	segment->runners--;
	process_exit(1, NULL);
	free(segment);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(which_instruction_it_is),
		cmocka_unit_test(a_loop_yields_and_then_sleeps),
		cmocka_unit_test(pauses_far_apart_are_no_loop),
		cmocka_unit_test(a_loop_of_polls_yields_and_then_sleeps),
		cmocka_unit_test(which_calls_only_look),
		cmocka_unit_test(the_plugin_watches_for_it),
	};

	return cmocka_run_group_tests_name("loops that wait", tests, NULL, NULL);
}
