/* SPDX-License-Identifier: MIT */
/* A block that is executed again and again need not be looked up each time: the plugin with this
 * test in QEMU's place and random loops, whose counts are compared with those of a thread that
 * forgets each time which block it was in. */
#include "feed_outcome.h"

#define LOOPS 4000
#define BLOCKS 24
#define CODE 0x400000

enum how { LOOKS_ONCE, LOOKS_EACH_TIME };

/* MOV to memory; and the first without an access. */
static struct qemu_plugin_tb blocks[BLOCKS];

static void execute(int which, uint64_t address)
{
	const struct qemu_plugin_tb *tb = &blocks[which];

	if (tb->execute)
		tb->execute(0, tb->udata);
	if (which)
		make_access(&tb->insn[1], address, 8, STORES);
}

static bool is_inside(void)
{
	const struct vpmu_runner *r = &vpmu_self->runner;

	return r->inside && !r->inside_before;
}

/* How often the block need not be looked up. */
static uint64_t loop(int which, uint64_t address, uint64_t times, enum how how)
{
	uint64_t inside = 0;

	for (uint64_t i = 0; i < times; i++) {
		if (how == LOOKS_EACH_TIME)
			vpmu_self->runner.inside = 0;
		inside += is_inside();
		execute(which, address + 16 * i);
	}
	return inside;
}

static void begin(bool deferring)
{
	clear_machine();
	execute(1, 0x1000000);
	begin_outcome(deferring);
}

/* Every eighth loop goes through more data than the LLC has room for, which evicts the loop's code
 * from the core. */
static uint64_t some_loop(uint64_t random, enum how how)
{
	uint64_t times = random >> 50 & 7 ? 1 + (random >> 53 & 15) : 2400;

	return loop((int)((random >> 20) % BLOCKS), 0x1000000 + 64 * (random >> 32 & 0x3ff), times,
		    how);
}

static struct outcome run(enum how how, bool deferring, uint64_t *inside)
{
	uint64_t x = 88172645463325252u, random;

	begin(deferring);
	*inside = 0;
	for (int i = 0; i < LOOPS; i++) {
		random = next_random(&x);
		*inside += some_loop(random, how);
		if (random >> 58 == 0)
			change_cpu((uint32_t)i & 1);
	}
	return end_outcome();
}

static void a_loop_counts_as_its_blocks_do(void **state)
{
	(void)state;
	for (int deferring = 0; deferring < 2; deferring++) {
		uint64_t none, some;
		struct outcome each = run(LOOKS_EACH_TIME, deferring, &none);
		struct outcome once = run(LOOKS_ONCE, deferring, &some);

		assert_int_equal(none, 0);
		assert_true(deferring || some > LOOPS * 4);
		assert_true(each.seen.tracker[VPMU_TRK_CODE_READ] > BLOCKS);
		assert_true(each.seen.tracker[VPMU_TRK_DATA_READ] > LOOPS);
		assert_same_counts(&once, &each);
	}
}

/* Another core stores to the loop's code. */
static void a_loop_whose_code_is_taken_looks_again(void **state)
{
	uint32_t slot = 1;
	uint64_t clock = 0, tag;
	struct vpmu_runner other = { .tid = 99, .cpu_slot = &slot, .clock_slot = &clock }, *r;

	(void)state;
	begin(false);
	r = &vpmu_self->runner;
	tag = vpmu_runner_tag(r, blocks[2].insn[0].address);
	vpmu_caches_place(&vpmu_feed.caches, &other, 1);
	loop(2, 0x1000000, 3, LOOKS_ONCE);	/* missed, found, and found there again */
	assert_int_equal(loop(2, 0x1000000, 2, LOOKS_ONCE), 2);
	vpmu_caches_access(&vpmu_feed.caches, &other, tag, VPMU_STORE);
	vpmu_runner_release(segment, &other);
	r->inside_before = true;	/* as at the begin of a turn */
	assert_null(vpmu_fast_find(&r->l1i, tag));
	assert_int_equal(loop(2, 0x1000000, 1, LOOKS_ONCE), 0);
	assert_non_null(vpmu_fast_find(&r->l1i, tag));
	end_thread();
}

static void a_loop_on_another_core_looks_again(void **state)
{
	(void)state;
	begin(false);
	loop(2, 0x1000000, 3, LOOKS_ONCE);
	change_cpu(1);
	vpmu_caches_place(&vpmu_feed.caches, &vpmu_self->runner, 1);
	assert_false(is_inside());
	end_thread();
}

/* Nothing happens at once then. */
static void a_loop_that_defers_is_forgotten(void **state)
{
	(void)state;
	begin(false);
	loop(2, 0x1000000, 3, LOOKS_ONCE);
	never_or_always(true);
	loop(2, 0x1800000, 1, LOOKS_ONCE);
	assert_true(vpmu_defers(&vpmu_self->runner));
	assert_int_equal(vpmu_self->runner.inside, 0);
	loop(2, 0x1800000, 1, LOOKS_ONCE);
	assert_int_equal(vpmu_self->deferring.count, 1);
	end_thread();
}

static void make_block(int which)
{
	static const struct qemu_plugin_insn nop = { .size = 1, .bytes = { 0x90 } },
		store = { .size = 3, .bytes = { 0x48, 0x89, 0x07 } };	/* mov %rax,(%rdi) */
	struct qemu_plugin_tb *tb = &blocks[which];
	uint64_t at = CODE + 0x70 * (uint64_t)which;

	tb->count = 4 + (size_t)which;
	for (size_t i = 0; i < tb->count; at += tb->insn[i++].size) {
		tb->insn[i] = which && i == 1 ? store : nop;
		tb->insn[i].address = at;
	}
	translate(1, tb);
}

static int install(void **state)
{
	(void)state;
	return install_blocks(make_block, BLOCKS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_counts_as_its_blocks_do),
		cmocka_unit_test(a_loop_whose_code_is_taken_looks_again),
		cmocka_unit_test(a_loop_on_another_core_looks_again),
		cmocka_unit_test(a_loop_that_defers_is_forgotten),
	};

	return cmocka_run_group_tests_name("feed loops", tests, install, free_machine);
}
