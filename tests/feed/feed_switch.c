/* SPDX-License-Identifier: MIT */
/* The plugin on a machine that counts core events only while a core's counter is enabled: when it
 * begins and ends, by crafted blocks and accesses. */
#include <unistd.h>

#include "feed_qemu.h"

static struct qemu_plugin_tb three = {	/* add %eax,%ebx; add %eax,%ebx; mov (%rdi),%rax */
	.count = 3,
	.insn = { { .address = 0x400000, .size = 2, .bytes = { 0x01, 0xc3 } },
		  { .address = 0x400002, .size = 2, .bytes = { 0x01, 0xc3 } },
		  { .address = 0x400004, .size = 3, .bytes = { 0x48, 0x8b, 0x07 } } },
};

/* As QEMU has it: anew after each reset. */
static void run(uint64_t address)
{
	static uint32_t translated = UINT32_MAX;

	if (translated != forgotten) {
		three.execute = NULL;
		three.insn[2].access = NULL;
		translate(1, &three);
		translated = forgotten;
	}
	if (three.execute)
		three.execute(0, three.udata);
	make_access(&three.insn[2], address, 8, LOADS);
}

/* The call that enables or disables a counter, perhaps another process's. */
static void count(bool on)
{
	call(SYS_pwrite64, 0, 0);
	__atomic_store_n(&segment->core_counting, on ? VPMU_CORE_ALL : VPMU_CORE_NOTHING,
			 __ATOMIC_RELAXED);
	system_call_return(1, 0, SYS_pwrite64, 8);
}

static void look(void)
{
	call(SYS_getppid, 0, 0);
	system_call_return(1, 0, SYS_getppid, 1);
}

static uint64_t instructions(void)
{
	uint64_t n = 0;

	look();
	for (uint32_t cpu = 0; cpu < 16; cpu++)
		n += seen.core[cpu][VPMU_INSTRUCTIONS];
	return n;
}

static void nothing_is_reported_before(void **state)
{
	(void)state;
	for (int i = 0; i < 1000; i++)
		run(0x10000);
	assert_int_equal(instructions(), 0);
	assert_int_equal(seen.reports, 0);
	assert_int_equal(forgotten, 0);
}

static void a_call_begins_it_with_the_next_block(void **state)
{
	(void)state;
	count(true);
	assert_int_equal(forgotten, 1);
	for (int i = 0; i < 10; i++)
		run(0x10000);
	assert_int_equal(instructions(), 30);
	for (int i = 0; i < 1000; i++)
		run(0x10000);
	assert_int_equal(instructions(), 3030);
}

/* A program may start and stop its counters often. */
static void it_goes_on_for_a_while(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++) {
		count(false);
		count(true);
	}
	assert_int_equal(forgotten, 1);
	count(false);
	for (int i = 0; i < 5000; i++)
		look();
	assert_int_equal(forgotten, 2);
	memset(&seen, 0, sizeof(seen));
	for (int i = 0; i < 1000; i++)
		run(0x10000);
	assert_int_equal(instructions(), 0);
	count(true);
	assert_int_equal(forgotten, 3);
	run(0x10000);
	assert_int_equal(instructions(), 3);
	count(false);
	for (int i = 0; i < 5000; i++)
		look();
	assert_int_equal(forgotten, 4);
}

/* No call, and each access a miss, so that the clock is published with each. */
static void another_process_begins_it(void **state)
{
	uint64_t blocks = 0;

	(void)state;
	memset(&seen, 0, sizeof(seen));
	__atomic_store_n(&segment->core_counting, VPMU_CORE_ALL, __ATOMIC_RELAXED);
	while (forgotten == 4 && blocks < 2000)
		run(0x1000000 + 64 * blocks++);
	assert_int_equal(forgotten, 5);
	assert_true(blocks < 1000);	/* of three clocks and a miss each */
	for (uint64_t i = 0; i < 100; i++)
		run(0x4000000 + 64 * i);
	assert_int_equal(instructions(), 300);
	count(false);
}

static void want(enum vpmu_core_level level)
{
	call(SYS_pwrite64, 0, 0);
	__atomic_store_n(&segment->core_counting, level, __ATOMIC_RELAXED);
	system_call_return(1, 0, SYS_pwrite64, 8);
}

static uint64_t of_all(enum vpmu_core_event event)
{
	uint64_t n = 0;

	for (uint32_t cpu = 0; cpu < 16; cpu++)
		n += seen.core[cpu][event];
	return n;
}

/* Every block is three instructions and a load, which misses. No counter counts the loads. */
static void instructions_and_clocks_alone(void **state)
{
	uint32_t before;
	uint64_t clocks = 0;

	(void)state;
	for (int i = 0; i < 5000; i++)
		look();
	before = forgotten;
	memset(&seen, 0, sizeof(seen));
	want(VPMU_CORE_RETIRED);
	assert_int_equal(forgotten, before + 1);
	for (uint64_t i = 0; i < 1000; i++)
		run(0x8000000 + 64 * i);
	assert_int_equal(instructions(), 3000);
	assert_int_equal(of_all(VPMU_LOADS) + of_all(VPMU_L1D_READ_MISSES), 0);
	for (uint32_t cpu = 0; cpu < 16; cpu++)
		clocks += seen.core_clocks[cpu];
	assert_true(clocks > 6000);		/* it waits for lines */
	assert_in_range(seen.longest, 1, 2 * 8192);
	want(VPMU_CORE_ALL);
	assert_int_equal(forgotten, before + 2);
	for (int i = 0; i < 1000; i++)
		run(0x10000);
	assert_int_equal(instructions(), 6000);
	assert_int_equal(of_all(VPMU_LOADS), 1000);
	want(VPMU_CORE_RETIRED);
	for (int i = 0; i < 5000; i++)
		look();
	assert_int_equal(forgotten, before + 3);
	for (int i = 0; i < 1000; i++)
		run(0x10000);
	assert_int_equal(instructions(), 9000);
	assert_int_equal(of_all(VPMU_LOADS), 1000);
	want(VPMU_CORE_NOTHING);
}

static int install(void **state)
{
	struct vpmu_machine m = one_set_machine(16, 16, 16);
	char good[] = "segment=here", *argument = good;

	(void)state;
	m.llc.bytes *= 64;	/* more sets */
	segment = segment_of(&m);
	core_wanted = core_by_uncore = true;
	return qemu_plugin_install(1, &x86_64, 1, &argument);
}

static int end(void **state)
{
	(void)state;
	free(segment);
	return 0;
}

int main(void)
{
	/* A process has a single plugin, so each test continues from the one before. */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_reported_before),
		cmocka_unit_test(a_call_begins_it_with_the_next_block),
		cmocka_unit_test(it_goes_on_for_a_while),
		cmocka_unit_test(another_process_begins_it),
		cmocka_unit_test(instructions_and_clocks_alone),
	};

	return cmocka_run_group_tests_name("feed switch", tests, install, end);
}
