/* SPDX-License-Identifier: MIT */
/* Costs of crafted blocks on Skylake's core, whose bytes are what GNU as makes of the names. The
 * expected clocks are sums of the latencies and shares of the ports that the table of costs names.
 * With "-" as argument: a filter for feed_costs.sh, from lines "NAME HEX-BYTES", of which those
 * with the same name are one loop, to lines "NAME CLOCKS". */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "virtual_pmu/feed/translate/block_cost.h"
#include "virtual_pmu/feed/translate/core_costs.h"

#define ADDRESS 0x401000u
#define BYTES_MAX 512u

struct bytes { size_t count; uint8_t byte[BYTES_MAX]; };

static struct vpmu_block_cost cost;
static struct vpmu_insn_work all;	/* its instructions' */

static void cost_at(const struct bytes *b, uint64_t address)
{
	struct vpmu_insn_work work[BYTES_MAX];
	struct vpmu_code code[BYTES_MAX];
	uint32_t count = 0;

	for (size_t at = 0; at < b->count; count++) {
		size_t size = vpmu_instruction_size(b->byte + at, b->count - at);

		assert_int_not_equal(size, 0);
		code[count] = (struct vpmu_code){ b->byte + at, size };
		at += size;
	}
	vpmu_block_cost(&(struct vpmu_cost_code){ code, count, address }, &vpmu_costs_skylake,
			&cost);
	vpmu_block_work(&(struct vpmu_cost_code){ code, count, address }, &vpmu_costs_skylake,
			work);
	memset(&all, 0, sizeof(all));
	for (uint32_t i = 0; i < count; i++) {
		all.issued = (uint8_t)(all.issued + work[i].issued);
		all.executed = (uint8_t)(all.executed + work[i].executed);
		all.divider = (uint8_t)(all.divider + work[i].divider);
		all.fused |= work[i].fused;
	}
}

#define BLOCK(...) (&(struct bytes){ sizeof((uint8_t[]){ __VA_ARGS__ }), { __VA_ARGS__ } })
#define ADD_RAX_RBX 0x48, 0x01, 0xd8
#define ADD_RAX_1 0x48, 0x83, 0xc0, 0x01
#define DEC_RCX 0x48, 0xff, 0xc9
#define CMP_RAX_RBX 0x48, 0x39, 0xd8
#define TEST_RAX_RAX 0x48, 0x85, 0xc0
#define JNE(by) 0x75, (uint8_t)(by)
#define JB(by) 0x72, (uint8_t)(by)
#define JS(by) 0x78, (uint8_t)(by)
#define IMUL_RAX_RBX 0x48, 0x0f, 0xaf, 0xc3
#define IMUL_RBX_RAX 0x48, 0x0f, 0xaf, 0xd8
#define MOV_RAX_RAX_POINTS 0x48, 0x8b, 0x00		/* mov (%rax),%rax */
#define MOV_RAX_8_RAX 0x48, 0x8b, 0x40, 0x08		/* mov 8(%rax),%rax */
#define MOV_RDX_RSI_RAX8 0x48, 0x8b, 0x14, 0xc6		/* mov (%rsi,%rax,8),%rdx */
#define MOV_RBX_RAX 0x48, 0x89, 0xc3
#define XOR_EAX_EAX 0x31, 0xc0
#define INC_8_RSP 0x48, 0xff, 0x44, 0x24, 0x08		/* incq 8(%rsp) */
#define PUSH_RBP 0x55
#define POP_RBP 0x5d
#define LEAVE_RCX 0x48, 0x8d, 0x49, 0xff		/* lea -1(%rcx),%rcx */

/* Parts of a clock if the block is repeated; else the front end's part and the divider's count. */
static void check_work(const struct bytes *b, uint32_t parts, uint32_t issued, uint32_t executed)
{
	cost_at(b, ADDRESS);
	assert_int_equal(vpmu_demand_repeated(&cost.chains.demand, &vpmu_costs_skylake), parts);
	assert_int_equal(cost.once, all.divider * 4u > issued ? all.divider * 16u : issued * 4);
	assert_int_equal(all.issued, issued);
	assert_int_equal(all.executed, executed);
}

/* Four ALUs and four micro-operations a clock; one multiplier; two ports for shifts. */
static void throughput(void **state)
{
	(void)state;
	check_work(BLOCK(ADD_RAX_RBX), 4, 1, 1);
	check_work(BLOCK(ADD_RAX_RBX, ADD_RAX_RBX, ADD_RAX_RBX, ADD_RAX_RBX), 16, 4, 4);
	check_work(BLOCK(IMUL_RAX_RBX, IMUL_RAX_RBX), 32, 2, 2);
	check_work(BLOCK(0x48, 0xc1, 0xe0, 3, 0x48, 0xc1, 0xe3, 3), 16, 2, 2);
	/* divl: 10 micro-operations of one in 6 clocks; divq: one in 21 */
	check_work(BLOCK(0xf7, 0xf1), 96, 10, 10);
	assert_int_equal(all.divider, 6);
	check_work(BLOCK(0x48, 0xf7, 0xf1), 336, 36, 36);
}

/* The divider is busy for so many clocks by published measurements of Skylake. */
static void dividers(void **state)
{
	static const struct { const char *name; struct bytes bytes; uint32_t clocks; } rows[] = {
		{ "divps %xmm2,%xmm1", { 3, { 0x0f, 0x5e, 0xca } }, 3 },
		{ "vdivps %ymm3,%ymm2,%ymm1", { 4, { 0xc5, 0xec, 0x5e, 0xcb } }, 5 },
		{ "divsd %xmm2,%xmm1", { 4, { 0xf2, 0x0f, 0x5e, 0xca } }, 4 },
		{ "divpd %xmm2,%xmm1", { 4, { 0x66, 0x0f, 0x5e, 0xca } }, 4 },
		{ "vdivpd %ymm3,%ymm2,%ymm1", { 4, { 0xc5, 0xed, 0x5e, 0xcb } }, 8 },
		{ "sqrtps %xmm2,%xmm1", { 3, { 0x0f, 0x51, 0xca } }, 3 },
		{ "vsqrtps %ymm2,%ymm1", { 4, { 0xc5, 0xfc, 0x51, 0xca } }, 6 },
		{ "fdivp", { 2, { 0xde, 0xf1 } }, 5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cost_at(&rows[i].bytes, ADDRESS);
		if (all.divider != rows[i].clocks)
			fail_msg("%s: %u clocks, not %u", rows[i].name, all.divider,
				 rows[i].clocks);
	}
}

/* Fused: a load with its addition, a store's address with its data. */
static void memory(void **state)
{
	(void)state;
	check_work(BLOCK(MOV_RAX_RAX_POINTS), 8, 1, 1);
	check_work(BLOCK(0x48, 0x03, 0x03), 8, 1, 2);		/* add (%rbx),%rax */
	check_work(BLOCK(0x48, 0x89, 0x03), 16, 1, 2);		/* mov %rax,(%rbx) */
	check_work(BLOCK(INC_8_RSP), 16, 2, 4);
	check_work(BLOCK(PUSH_RBP, POP_RBP), 16, 2, 3);
	/* three loads and a store: four addresses on three ports */
	check_work(BLOCK(0x48, 0x89, 0x03, MOV_RAX_RAX_POINTS, MOV_RAX_RAX_POINTS,
			 MOV_RAX_RAX_POINTS), 24, 4, 5);
}

static void renamed(void **state)
{
	(void)state;
	check_work(BLOCK(MOV_RBX_RAX), 4, 1, 0);
	check_work(BLOCK(XOR_EAX_EAX), 4, 1, 0);
	check_work(BLOCK(0x90), 4, 1, 0);
	check_work(BLOCK(0x0f, 0x1f, 0x40, 0x00), 4, 1, 0);	/* nopl 0(%rax) */
	check_work(BLOCK(0x66, 0x0f, 0xef, 0xc0), 4, 1, 0);	/* pxor %xmm0,%xmm0 */
	check_work(BLOCK(0x66, 0x0f, 0xef, 0xc1), 5, 1, 1);	/* pxor %xmm1,%xmm0 */
}

/* CMP, INC and DEC leave some conditions alone; memory with a constant does not fuse. */
static void fusion(void **state)
{
	(void)state;
	check_work(BLOCK(CMP_RAX_RBX, JB(0)), 8, 1, 1);
	assert_true(all.fused);
	check_work(BLOCK(CMP_RAX_RBX, JS(0)), 8, 2, 2);
	assert_false(all.fused);
	check_work(BLOCK(TEST_RAX_RAX, JS(0)), 8, 1, 1);
	check_work(BLOCK(DEC_RCX, JNE(0)), 8, 1, 1);
	check_work(BLOCK(DEC_RCX, JB(0)), 8, 2, 2);
	check_work(BLOCK(0x48, 0x83, 0x3b, 0x00, JNE(0)), 8, 2, 3);	/* cmpq $0,(%rbx) */
	check_work(BLOCK(0x48, 0x3b, 0x03, JNE(0)), 8, 1, 2);		/* cmp (%rbx),%rax */
}

static void check_loop(const struct bytes *b, uint32_t parts)
{
	cost_at(b, ADDRESS);
	assert_int_equal(cost.loop, parts);
}

/* The jump's distance makes the block its own successor. */
static void loops(void **state)
{
	(void)state;
	check_loop(BLOCK(IMUL_RAX_RBX, DEC_RCX, JNE(-9)), 3 * 16);
	check_loop(BLOCK(IMUL_RAX_RBX, DEC_RCX, JNE(-8)), 8);
	check_loop(BLOCK(IMUL_RAX_RBX, IMUL_RBX_RAX, DEC_RCX, JNE(-13)), 6 * 16);
	/* 4: a loaded pointer plus a constant; 5: with an index, 1 for the addition */
	check_loop(BLOCK(MOV_RAX_8_RAX, DEC_RCX, JNE(-9)), 4 * 16);
	check_loop(BLOCK(0x48, 0x03, 0x04, 0xc6, DEC_RCX, JNE(-9)), 6 * 16);
	/* a copy takes no time, and zeroing ends a chain; a taken branch takes a clock */
	check_loop(BLOCK(MOV_RBX_RAX, IMUL_RAX_RBX, DEC_RCX, JNE(-12)), 3 * 16);
	check_loop(BLOCK(XOR_EAX_EAX, IMUL_RAX_RBX, DEC_RCX, JNE(-11)), 16);
	/* 5 from the store to the load, 1 for the increment */
	check_loop(BLOCK(INC_8_RSP, DEC_RCX, JNE(-10)), 6 * 16);
	/* incq (%rax); add $1,%rax: another place each time */
	check_loop(BLOCK(0x48, 0xff, 0x00, ADD_RAX_1, DEC_RCX, JNE(-12)), 16);
	/* a product in each second round: rax, rbx = rbx, rax * rsi */
	check_loop(BLOCK(0x48, 0x89, 0xc2, 0x48, 0x89, 0xd8, 0x48, 0x0f, 0xaf, 0xd6, 0x48, 0x89,
			 0xd3, DEC_RCX, JNE(-18)), 24);
}

/* ---- paths ---- */

struct path { struct vpmu_chains block[3]; const struct vpmu_chains *chains[3]; uint32_t count; };

static void append(struct path *p, const struct bytes *b, uint64_t address)
{
	cost_at(b, address);
	p->block[p->count] = cost.chains;
	p->chains[p->count] = &p->block[p->count];
	p->count++;
}

static uint32_t clocks_of(const struct path *p)
{
	return vpmu_path_chain(p->chains, p->count);
}

/* A chain goes through two blocks, and passes one that does not touch it. */
static void paths(void **state)
{
	struct path p = { .count = 0 };

	(void)state;
	append(&p, BLOCK(IMUL_RAX_RBX, JNE(0)), ADDRESS);
	append(&p, BLOCK(LEAVE_RCX, JNE(0)), ADDRESS + 6);
	append(&p, BLOCK(MOV_RAX_RAX_POINTS, JNE(0)), ADDRESS + 12);
	assert_int_equal(clocks_of(&p), (3 + 5) * 16);
	p.count = 2;
	assert_int_equal(clocks_of(&p), 3 * 16);
	/* work adds up before the busiest port is found: two multiplications, four stores */
	p.count = 0;
	append(&p, BLOCK(IMUL_RAX_RBX, IMUL_RAX_RBX, JNE(0)), ADDRESS);
	append(&p, BLOCK(XOR_EAX_EAX, 0x48, 0x89, 0x03, 0x48, 0x89, 0x03, 0x48, 0x89, 0x03,
			 0x48, 0x89, 0x03, JNE(0)), ADDRESS + 10);
	assert_int_equal(vpmu_path_clocks(p.chains, 1, &vpmu_costs_skylake), 6 * 16);
	assert_int_equal(vpmu_path_clocks(p.chains, 2, &vpmu_costs_skylake), 4 * 16);
	/* a call, a return and a jump: one each clock */
	p.count = 0;
	append(&p, BLOCK(0xe8, 0, 0, 0, 0), ADDRESS);
	append(&p, BLOCK(0xc3), ADDRESS + 5);
	append(&p, BLOCK(DEC_RCX, JNE(0)), ADDRESS + 6);
	assert_int_equal(vpmu_path_clocks(p.chains, 3, &vpmu_costs_skylake), 3 * 16);
	p.count = 0;
	append(&p, BLOCK(IMUL_RAX_RBX, JNE(0)), ADDRESS);
	append(&p, BLOCK(XOR_EAX_EAX, JNE(0)), ADDRESS + 6);
	assert_int_equal(clocks_of(&p), 0);
	assert_int_equal(vpmu_path_chain(p.chains, VPMU_PATH_BLOCKS_MAX + 1), 0);
}

/* Through memory: what one block stores the other loads, unless RSP has changed between them. */
static void paths_through_memory(void **state)
{
	struct path p = { .count = 0 };

	(void)state;
	append(&p, BLOCK(INC_8_RSP, JNE(0)), ADDRESS);
	append(&p, BLOCK(LEAVE_RCX, JNE(0)), ADDRESS + 7);
	assert_int_equal(clocks_of(&p), 6 * 16);
	append(&p, BLOCK(PUSH_RBP, JNE(0)), ADDRESS + 13);
	assert_int_equal(clocks_of(&p), 16);		/* of LEA */
	/* inc of the same counter, relative to RIP, at two addresses */
	p.count = 0;
	append(&p, BLOCK(0xff, 0x05, 0x00, 0x10, 0, 0), ADDRESS);
	append(&p, BLOCK(0xff, 0x05, 0xf8, 0x0f, 0, 0), ADDRESS + 8);
	assert_int_equal(clocks_of(&p), 12 * 16);
	p.count = 1;
	append(&p, BLOCK(0xff, 0x05, 0x00, 0x10, 0, 0), ADDRESS + 8);
	assert_int_equal(clocks_of(&p), 6 * 16);
}

/* ---- loads ---- */

static void producers(void **state)
{
	(void)state;
	cost_at(BLOCK(MOV_RAX_RAX_POINTS, ADD_RAX_1, MOV_RDX_RSI_RAX8, MOV_RAX_8_RAX), ADDRESS);
	assert_int_equal(cost.producer[0], -1);
	assert_int_equal(cost.producer[2], 0);
	assert_int_equal(cost.producer[3], 0);
	assert_int_equal(cost.same[3], 3);
	cost_at(BLOCK(MOV_RAX_RAX_POINTS, XOR_EAX_EAX, MOV_RDX_RSI_RAX8), ADDRESS);
	assert_int_equal(cost.producer[2], -1);
	/* the load of the round before; and two loads by the same register */
	cost_at(BLOCK(MOV_RAX_RAX_POINTS, DEC_RCX, JNE(-8)), ADDRESS);
	assert_int_equal(cost.producer[0], 0);
	cost_at(BLOCK(0x48, 0x8b, 0x10, DEC_RCX, MOV_RAX_8_RAX), ADDRESS);
	assert_int_equal(cost.same[0], 0);
	assert_int_equal(cost.same[2], 0);
}

static bool has_chain_from(uint32_t reg)
{
	for (uint32_t i = 0; i < cost.chains.count; i++)
		if (cost.chains.chain[i].from == reg)
			return true;
	return false;
}

/* The same bytes but for their constants share what is known, the constants do not. */
static void constants(void **state)
{
	(void)state;
	check_loop(BLOCK(0x48, 0xff, 0x45, 0x08, 0x48, 0xff, 0x45, 0x08, DEC_RCX, JNE(-13)),
		   12 * 16);
	check_loop(BLOCK(0x48, 0xff, 0x45, 0x08, 0x48, 0xff, 0x45, 0x10, DEC_RCX, JNE(-13)),
		   6 * 16);
	/* vblendvpd %xmm0,%xmm1,%xmm3,%xmm1, and by %xmm2: a register in the constant */
	cost_at(BLOCK(0xc4, 0xe3, 0x61, 0x4b, 0xc9, 0x00), ADDRESS);
	assert_true(has_chain_from(VPMU_CHAIN_VECTORS) && !has_chain_from(VPMU_CHAIN_VECTORS + 2));
	cost_at(BLOCK(0xc4, 0xe3, 0x61, 0x4b, 0xc9, 0x20), ADDRESS);
	assert_true(!has_chain_from(VPMU_CHAIN_VECTORS) && has_chain_from(VPMU_CHAIN_VECTORS + 2));
}

/* ---- every row of the table ---- */

static void rows(void **state)
{
	(void)state;
	for (int i = 0; i < VPMU_COST_CLASSES; i++) {
		const struct vpmu_cost_row *row = &vpmu_costs_skylake.of[i];
		uint32_t work = 0;

		for (int k = 0; k < 3; k++) {
			assert_true(!row->work[k].count == !row->work[k].ports);
			work += row->work[k].count;
		}
		/* what is fused issues less than it executes, and only copies execute nothing */
		if (i != VPMU_COST_NOTHING)
			assert_true(row->issued);
		if (work > row->issued)
			fail_msg("class %d executes %u of %u", i, work, row->issued);
	}
}

/* ---- the filter ---- */

#define BLOCKS_MAX 4

static bool is_jump(const uint8_t *byte)
{
	return (byte[0] & 0xf0) == 0x70;
}

/* Cuts a loop behind its jumps. Returns how many blocks there are. */
static uint32_t cut_loop(const struct bytes *loop, struct bytes *block)
{
	uint32_t blocks = 1;

	memset(block, 0, BLOCKS_MAX * sizeof(*block));
	for (size_t at = 0; at < loop->count;) {
		struct bytes *b = &block[blocks - 1];
		size_t size = vpmu_instruction_size(loop->byte + at, loop->count - at);

		memcpy(b->byte + b->count, loop->byte + at, size);
		b->count += size;
		at += size;
		if (is_jump(loop->byte + at - size) && at < loop->count && blocks < BLOCKS_MAX)
			blocks++;
	}
	return blocks;
}

static void print_loop(const char *name, const struct bytes *loop)
{
	static struct vpmu_chains chains[BLOCKS_MAX];
	const struct vpmu_chains *path[BLOCKS_MAX];
	struct bytes block[BLOCKS_MAX];
	uint32_t blocks = loop->count ? cut_loop(loop, block) : 0, issued = 0, executed = 0;

	for (uint32_t i = 0; i < blocks; i++) {
		cost_at(&block[i], ADDRESS);
		chains[i] = cost.chains;
		path[i] = &chains[i];
		issued += all.issued;
		executed += all.executed;
	}
	if (blocks)
		printf("%s %.4f %" PRIu32 " %" PRIu32 "\n", name,
		       vpmu_path_clocks(path, blocks, &vpmu_costs_skylake) / 16.0, issued,
		       executed);
}

static int filter(void)
{
	char name[64] = "", now[64], hex[64];
	struct bytes b = { 0 };

	while (scanf("%63s %63s", now, hex) == 2) {
		if (strcmp(now, name) != 0) {
			print_loop(name, &b);
			b.count = 0;
			memcpy(name, now, sizeof(name));
		}
		for (size_t i = 0; hex[i] && hex[i + 1] && b.count < BYTES_MAX; i += 2) {
			char digits[3] = { hex[i], hex[i + 1], 0 };

			b.byte[b.count++] = (uint8_t)strtoul(digits, NULL, 16);
		}
	}
	print_loop(name, &b);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(throughput), cmocka_unit_test(dividers), cmocka_unit_test(memory),
		cmocka_unit_test(renamed), cmocka_unit_test(fusion), cmocka_unit_test(loops),
		cmocka_unit_test(paths), cmocka_unit_test(paths_through_memory),
		cmocka_unit_test(producers), cmocka_unit_test(constants), cmocka_unit_test(rows),
	};

	if (argc > 1 && strcmp(argv[1], "-") == 0)
		return filter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
