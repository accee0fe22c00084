/* SPDX-License-Identifier: MIT */
/* Lines that several cores write at the same time: each store of the one that is behind in time
 * takes the line and loses it. It does not do so once it has passed the other one's last use, or
 * both have waited. */
#include "virtual_pmu/feed/cache/contention.h"
#include "feed_runners.h"

static struct vpmu_machine machine;

/* Core 0 has executed `clocks` clocks, with a store to line 1 in each. */
static void begin(uint64_t clocks)
{
	machine = one_set_machine(4, 4, 8);
	start(&machine);
	store(0, 1);
	runner[0].clock = clocks;
	vpmu_runner_number(&runner[0]);
	store(0, 1);
	forget();
}

static void each_store_of_the_one_behind_moves_the_line_twice(void **state)
{
	(void)state;
	begin(10000);
	for (int i = 0; i < 10; i++)
		store(1, 1);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 20);
	assert_int_equal(all_snoops(), 20);
	assert_int_equal(READS(VPMU_M) + READS(VPMU_E), 20);
	forget();
	store(0, 1);			/* it has the line as before */
	assert_int_equal(all_lookups(), 0);
	assert_int_equal(seen.requests, 0);
	stop_runners();
}

static void an_increment_is_a_load_and_a_store(void **state)
{
	(void)state;
	begin(10000);
	for (int i = 0; i < 10; i++) {
		load(1, 1);
		store(1, 1);
	}
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 20);
	stop_runners();
}

static void once_the_clocks_have_met_the_line_stays(void **state)
{
	(void)state;
	begin(10000);
	store(1, 1);
	runner[1].clock = 20000;
	forget();
	for (int i = 0; i < 10; i++)
		store(1, 1);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 1);
	assert_int_equal(all_lookups(), 1);
	stop_runners();
}

/* A line that a core left long before is not contended, however far its clock is. */
static void a_line_that_was_left_moves_once(void **state)
{
	(void)state;
	begin(100);
	runner[0].clock = 100000;
	vpmu_runner_number(&runner[0]);
	store(0, 2);
	runner[1].clock = 50000;
	forget();
	for (int i = 0; i < 10; i++)
		store(1, 1);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 1);
	stop_runners();
}

static void loads_alone_share_the_line(void **state)
{
	(void)state;
	begin(10000);
	for (int i = 0; i < 10; i++)
		load(1, 1);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 1);
	assert_int_equal(all_snoops(), 1);
	stop_runners();
}

static void increment(int core, uint64_t line, int times)
{
	for (int i = 0; i < times; i++) {
		load(core, line);
		store(core, line);
	}
}

static void locked_store(int core, uint64_t line)
{
	vpmu_contended_locked(&runner[core]);
	store(core, line);
}

static void wait_once(int core)
{
	vpmu_contended_sleep(&runner[core], true);
	vpmu_contended_sleep(&runner[core], false);
}

static void what_came_before_a_wait_is_not_contended_after_one(void **state)
{
	(void)state;
	begin(10000);
	wait_once(0);
	increment(1, 1, 10);			/* this core has not waited */
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 20);
	wait_once(1);
	forget();
	increment(1, 1, 10);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 1);
	stop_runners();
}

static void a_wait_orders_what_came_before_it_only(void **state)
{
	(void)state;
	begin(10000);
	wait_once(0);
	store(0, 1);
	wait_once(1);
	forget();
	increment(1, 1, 10);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 20);
	stop_runners();
}

static void pauses_are_waits(void **state)
{
	(void)state;
	begin(10000);
	runner[1].clock = 10;
	vpmu_contended_pause(&runner[0]);
	vpmu_contended_pause(&runner[1]);
	load(1, 2);				/* it finds what it has waited for */
	store(0, 2);
	vpmu_contended_pause(&runner[1]);
	load(1, 2);
	forget();
	increment(1, 1, 10);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 1);
	stop_runners();
}

/* Core 0 stores to line 2, and after so many uses of another line it waits or not. Core 1 arrives
 * by line 2. Increments of line 1 then move it so often. */
static uint64_t moves_after_arrival(int uses, bool waits,
				    void (*arrive)(int core, uint64_t line))
{
	uint64_t moves;

	begin(10000);
	store(0, 2);
	for (int i = 0; i < uses; i++)
		store(0, 3);
	vpmu_contended_sleep(&runner[0], waits);
	arrive(1, 2);
	forget();
	increment(1, 1, 10);
	moves = XCORE(VPMU_SNOOP_HITM);
	stop_runners();
	return moves;
}

static void the_last_one_at_a_barrier_has_waited(void **state)
{
	(void)state;
	assert_int_equal(moves_after_arrival(0, true, locked_store), 1);
	assert_int_equal(moves_after_arrival(10, true, locked_store), 1);
	assert_int_equal(moves_after_arrival(100, true, locked_store), 20);	/* elsewhere */
	assert_int_equal(moves_after_arrival(0, true, store), 20);
	assert_int_equal(moves_after_arrival(0, false, locked_store), 20);
}

static void lines_that_were_only_read_are_not_contended(void **state)
{
	(void)state;
	begin(10000);
	load(0, 3);
	increment(1, 3, 10);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 0);
	stop_runners();
}

/* A third core between a load and a store does not change that. */
static void loads_of_several_cores_mix(void **state)
{
	(void)state;
	begin(10000);
	for (int i = 0; i < 10; i++) {
		load(1, 1);
		load(2, 1);
		store(1, 1);
		store(2, 1);
	}
	assert_in_range(XCORE(VPMU_SNOOP_HITM), 40, 80);
	stop_runners();
}

static void locked_instructions(void **state)
{
	static const struct { uint8_t bytes[8]; size_t count; bool locked; } rows[] = {
		{ { 0xf0, 0x0f, 0xc1, 0x07 }, 4, true },	/* lock xadd %eax,(%rdi) */
		{ { 0x66, 0xf0, 0x83, 0x07, 0x01 }, 5, true },	/* lock addw $1,(%rdi) */
		{ { 0xf0, 0x48, 0x0f, 0xb1, 0x17 }, 5, true },	/* lock cmpxchg %rdx,(%rdi) */
		{ { 0x87, 0x07 }, 2, true },			/* xchg %eax,(%rdi) */
		{ { 0x48, 0x87, 0x07 }, 3, true },		/* xchg %rax,(%rdi) */
		{ { 0x86, 0x07 }, 2, true },			/* xchg %al,(%rdi) */
		{ { 0x87, 0xc7 }, 2, false },			/* xchg %eax,%edi */
		{ { 0x0f, 0xb1, 0x17 }, 3, false },		/* cmpxchg %edx,(%rdi) */
		{ { 0x83, 0x07, 0x01 }, 3, false },		/* addl $1,(%rdi) */
		{ { 0xf3, 0x90 }, 2, false },			/* pause */
		{ { 0xf0 }, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(vpmu_is_locked(rows[i].bytes, rows[i].count), rows[i].locked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_store_of_the_one_behind_moves_the_line_twice),
		cmocka_unit_test(an_increment_is_a_load_and_a_store),
		cmocka_unit_test(once_the_clocks_have_met_the_line_stays),
		cmocka_unit_test(a_line_that_was_left_moves_once),
		cmocka_unit_test(loads_alone_share_the_line),
		cmocka_unit_test(what_came_before_a_wait_is_not_contended_after_one),
		cmocka_unit_test(a_wait_orders_what_came_before_it_only),
		cmocka_unit_test(pauses_are_waits),
		cmocka_unit_test(the_last_one_at_a_barrier_has_waited),
		cmocka_unit_test(lines_that_were_only_read_are_not_contended),
		cmocka_unit_test(loads_of_several_cores_mix),
		cmocka_unit_test(locked_instructions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
