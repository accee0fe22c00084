/* SPDX-License-Identifier: MIT */
/* Loops of PAUSE instructions, and of system calls that find nothing. */
#include "feed_qemu.h"

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

static void a_loop_is_three_pauses(void **state)
{
	struct vpmu_spinning s = { .clock = 1000 };

	(void)state;
	assert_false(vpmu_spinning(&s, 1004, VPMU_SPIN_CLOCKS));
	assert_false(vpmu_spinning(&s, 1008, VPMU_SPIN_CLOCKS));
	assert_true(vpmu_spinning(&s, 1012, VPMU_SPIN_CLOCKS));
	assert_true(vpmu_spinning(&s, 1011 + VPMU_SPIN_CLOCKS, VPMU_SPIN_CLOCKS));
	assert_false(vpmu_spinning(&s, 1011 + 2 * VPMU_SPIN_CLOCKS, VPMU_SPIN_CLOCKS));
}

static void a_loop_is_64_polls(void **state)
{
	struct vpmu_spinning s = { .misses = 6 };

	(void)state;
	for (uint32_t i = 1; i < 64; i++)
		assert_false(vpmu_spinning_polls(&s, 6));
	assert_true(vpmu_spinning_polls(&s, 6));
	assert_true(vpmu_spinning_polls(&s, 6));
	assert_false(vpmu_spinning_polls(&s, 8));
	assert_false(vpmu_spinning_polls(&s, 8));
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

static void look_for_events(int found)
{
	system_call(1, 0, SYS_epoll_wait, 3, 0, 8, 0, 0, 0, 0, 0);
	system_call_return(1, 0, SYS_epoll_wait, found);
}

static void watch_for_polls(void)
{
	uint32_t first;

	look_for_events(0);
	first = vpmu_self->spinning.polls;
	look_for_events(0);
	assert_int_equal(vpmu_self->spinning.polls, first + 1);
	look_for_events(1);
	look_for_events(0);
	assert_int_equal(vpmu_self->spinning.polls, first + 2);
}

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

	(void)state;
	segment = segment_of(&m);
	assert_int_equal(qemu_plugin_install(1, &x86_64, 1, arguments), 0);
	translate(1, &block);
	assert_non_null(block.insn[0].execute);
	assert_null(block.insn[1].execute);
	block.execute(0, block.udata);
	for (uint32_t i = 0; i < 5; i++) {
		block.execute(0, block.udata);
		block.insn[0].execute(0, NULL);
	}
	assert_int_equal(vpmu_self->spinning.pauses, 5);
	watch_for_polls();
	process_exit(1, NULL);
	free(segment);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(which_instruction_it_is),
		cmocka_unit_test(a_loop_is_three_pauses),
		cmocka_unit_test(a_loop_is_64_polls),
		cmocka_unit_test(which_calls_only_look),
		cmocka_unit_test(the_plugin_watches_for_it),
	};

	return cmocka_run_group_tests_name("loops that wait", tests, NULL, NULL);
}
