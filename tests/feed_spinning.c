/* SPDX-License-Identifier: MIT */
/* A loop of PAUSE instructions gives the host's CPU away. */
#include "feed_qemu.h"

#include <time.h>

#include "../virtual_pmu/feed/spinning.h"

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
		due[vpmu_spinning(s, clock += apart)]++;
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
	struct timespec begin, end;
	int64_t ns;

	(void)state;
	segment = segment_of(&m);
	assert_int_equal(qemu_plugin_install(1, &x86_64, 1, arguments), 0);
	translate(1, &block);
	assert_non_null(block.insn[0].execute);
	assert_null(block.insn[1].execute);
	block.execute(0, block.udata);
	segment->runners++;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (uint32_t i = 0; i < VPMU_SPIN_SLEEPS + 20 * VPMU_SPIN_PATIENCE; i++) {
		block.execute(0, block.udata);
		block.insn[0].execute(0, NULL);
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	ns = (end.tv_sec - begin.tv_sec) * 1000000000ll + end.tv_nsec - begin.tv_nsec;
	assert_true(ns >= 20 * 50000);
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
		cmocka_unit_test(the_plugin_watches_for_it),
	};

	return cmocka_run_group_tests_name("loops of PAUSE", tests, NULL, NULL);
}
