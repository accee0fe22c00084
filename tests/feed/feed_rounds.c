/* SPDX-License-Identifier: MIT */
/* Rounds of loops of several blocks cost their longest chain: vpmu_timed_round(), and the plugin
 * with this test in QEMU's place. Expected clocks are sums of latencies: 3 of a product, 1 of an
 * addition; four micro-operations are issued in a clock. */
#include "feed_qemu.h"
#include "virtual_pmu/feed/thread/emulated_thread.h"
#include "virtual_pmu/feed/translate/timed_blocks.h"

#define IMUL { .size = 4, .bytes = { 0x48, 0x0f, 0xaf, 0xc3 } }	/* imul %rbx,%rax */
#define ADD { .size = 4, .bytes = { 0x48, 0x83, 0xc0, 0x01 } }	/* add $1,%rax */
#define CMP { .size = 3, .bytes = { 0x48, 0x39, 0xd1 } }	/* cmp %rdx,%rcx */
#define DEC { .size = 3, .bytes = { 0x48, 0xff, 0xce } }	/* dec %rsi */
#define JNE(by) { .size = 2, .bytes = { 0x75, (uint8_t)(by) } }
#define JMP(by) { .size = 2, .bytes = { 0xeb, (uint8_t)(by) } }

/* head is followed by `chain` or by `products`, which both lead back to it. */
enum { HEAD, CHAIN, PRODUCTS, ALONE, BLOCKS };
static struct qemu_plugin_tb code[BLOCKS] = {
	[HEAD] = { .count = 3, .insn = { IMUL, CMP, JNE(9) } },
	[CHAIN] = { .count = 3, .insn = { ADD, DEC, JNE(-18) } },
	[PRODUCTS] = { .count = 3, .insn = { IMUL, IMUL, JMP(-28) } },
	[ALONE] = { .count = 3, .insn = { IMUL, DEC, JNE(-9) } },	/* leads to itself */
};
#define PARTS(clocks) ((clocks) * VPMU_CLOCK_PARTS)
#define HEAD_PARTS PARTS(2) / 4		/* two fused micro-operations */
#define CHAIN_PARTS PARTS(2) / 4
#define PRODUCTS_PARTS PARTS(3) / 4

static uint32_t parts_of(uint64_t work)
{
	return (uint32_t)(work >> VPMU_WORK_SHIFT);
}

static struct vpmu_timed_block *block(int which)
{
	struct vpmu_timed_block *b = vpmu_timed_block_of(&code[which],
							 code[which].insn[0].address);

	b->from = NULL;
	return b;
}

/* Parts that the entry of the head takes, after a round that ended with `from`. */
static uint32_t round_parts(struct vpmu_timed_block *from, uint64_t path)
{
	return parts_of(vpmu_timed_round(block(HEAD), from, path));
}

static void a_round_takes_its_chain(void **state)
{
	struct vpmu_timed_block *head = block(HEAD), *chain = block(CHAIN);
	uint64_t work;

	(void)state;
	assert_int_equal(parts_of(head->work), HEAD_PARTS);
	assert_int_equal(parts_of(chain->work), CHAIN_PARTS);
	chain->from = head;
	work = vpmu_timed_round(head, chain, 101);
	assert_int_equal(vpmu_work_instructions(work), 3);
	assert_int_equal(parts_of(work) + CHAIN_PARTS, PARTS(3 + 1));
	assert_int_equal(head->back, work);
	assert_int_equal(head->path, 101);
}

/* Each path has its chain, in turns, and a number that is seen again is not followed again. */
static void paths_have_rounds_of_their_own(void **state)
{
	struct vpmu_timed_block *head = block(HEAD), *chain = block(CHAIN),
				*products = block(PRODUCTS);

	(void)state;
	chain->from = products->from = head;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(round_parts(chain, 201) + CHAIN_PARTS, PARTS(3 + 1));
		assert_int_equal(round_parts(products, 202) + PRODUCTS_PARTS, PARTS(3 + 3 + 3));
	}
	products->from = chain;
	assert_int_equal(round_parts(products, 202) + PRODUCTS_PARTS, PARTS(3 + 3 + 3));
	assert_int_equal(round_parts(products, 203) + PRODUCTS_PARTS + CHAIN_PARTS,
			 PARTS(3 + 1 + 3 + 3));
}

static void a_block_that_follows_itself(void **state)
{
	struct vpmu_timed_block *alone = block(ALONE);

	(void)state;
	assert_int_equal(parts_of(vpmu_timed_round(alone, alone, 301)), PARTS(3));
	assert_int_equal(parts_of(alone->work), PARTS(2) / 4);
}

/* Another loop inside, a path whose begin is not known, or more than 16 blocks: no chain. */
static void what_is_no_round(void **state)
{
	static struct vpmu_timed_block copies[VPMU_PATH_BLOCKS_MAX];
	struct vpmu_timed_block *head = block(HEAD), *chain = block(CHAIN);

	(void)state;
	assert_int_equal(round_parts(chain, 401), HEAD_PARTS);
	chain->from = chain;
	assert_int_equal(round_parts(chain, 402), HEAD_PARTS);
	for (uint32_t i = 0; i < VPMU_PATH_BLOCKS_MAX; i++) {
		copies[i] = *chain;
		copies[i].from = i ? &copies[i - 1] : head;
	}
	assert_int_equal(round_parts(&copies[VPMU_PATH_BLOCKS_MAX - 1], 403), HEAD_PARTS);
	assert_int_equal(round_parts(&copies[VPMU_PATH_BLOCKS_MAX - 2], 404) +
			 (VPMU_PATH_BLOCKS_MAX - 1) * CHAIN_PARTS,
			 PARTS(3 + VPMU_PATH_BLOCKS_MAX - 1));
}

/* ---- as blocks are entered ---- */

static uint64_t clock_after(const int *turn, int blocks, int turns)
{
	for (int i = 0; i < turns * blocks; i++)
		code[turn[i % blocks]].execute(0, code[turn[i % blocks]].udata);
	synchronise();
	return vpmu_self->runner.clock;
}

/* The first turns miss the L1I, and teach the predictor. */
static void check_turns(const int *turn, int blocks, uint32_t clocks)
{
	uint64_t before = clock_after(turn, blocks, 1000);

	assert_int_equal(clock_after(turn, blocks, 500) - before, 500 * clocks);
}

static void entered_blocks_take_the_same(void **state)
{
	(void)state;
	check_turns((const int[]){ HEAD, CHAIN }, 2, 3 + 1);
	check_turns((const int[]){ HEAD, PRODUCTS }, 2, 3 + 3 + 3);
	check_turns((const int[]){ HEAD, CHAIN, HEAD, PRODUCTS }, 4, 4 + 9);
	check_turns((const int[]){ ALONE }, 1, 3);
}

static int install(void **state)
{
	const struct vpmu_machine m = {
		.name = "test", .family_id = 1, .core_design = VPMU_SKYLAKE_CORES,
		.packages = 1, .cores = 2, .threads = 1, .slices = 4,
		.l1i = { 1024, 8, 64 }, .l1d = { 1024, 8, 64 }, .l2 = { 2048, 4, 64 },
		.llc = { 4 * 8192, 16, 64 }, .llc_level = 3,
		.llc_clocks = 30, .memory_clocks = 100, .write_clocks = 60, .fill_buffers = 4,
	};
	char here[] = "segment=here";
	char *arguments[] = { here };
	uint64_t at = 0x400000;

	(void)state;
	segment = segment_of(&m);
	if (qemu_plugin_install(1, &x86_64, 1, arguments))
		return -1;
	for (int i = 0; i < BLOCKS; i++) {
		for (size_t k = 0; k < code[i].count; at += code[i].insn[k++].size)
			code[i].insn[k].address = at;
		translate(1, &code[i]);
	}
	return 0;
}

static int uninstall(void **state)
{
	(void)state;
	free(segment);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_round_takes_its_chain),
		cmocka_unit_test(paths_have_rounds_of_their_own),
		cmocka_unit_test(a_block_that_follows_itself), cmocka_unit_test(what_is_no_round),
		cmocka_unit_test(entered_blocks_take_the_same),
	};

	return cmocka_run_group_tests_name("feed rounds", tests, install, uninstall);
}
