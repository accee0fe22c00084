/* SPDX-License-Identifier: MIT */
/* A callback for a group of accesses has the same outcome as one callback for each. This test
 * stands in for QEMU and executes random blocks of instructions with the plugin. Each block is
 * there twice: with NOPs behind its instructions, and with RDTSCs, which end a group. */
#include "feed_outcome.h"

#define STEPS 40000
#define BLOCKS 64
#define INSTRUCTIONS 24		/* and as many between them */

enum what { NOTHING, LOAD, STORE, MODIFY };
enum by { BY_RSP, BY_RAX, BY_RAX_RBX, BY_RAX_RBX_4, BY_RAX_RSI, BY_RIP };

/* Bytes as GNU as makes them. */
static const struct kind {
	struct { uint8_t size, bytes[15]; } code;
	enum what what;
	enum by by;
	int64_t constant;
	uint32_t shift;
	int rsp_moves, rax_moves;	/* afterwards */
	uint64_t rsp_loses;		/* these bits */
} kinds[] = {
	/* mov 0x18(%rsp),%rcx; mov %rcx,0x30(%rsp); add %rcx,0x40(%rsp) */
	{ { 5, { 0x48, 0x8b, 0x4c, 0x24, 0x18 } }, LOAD, BY_RSP, 0x18, 3, 0, 0, 0 },
	{ { 5, { 0x48, 0x89, 0x4c, 0x24, 0x30 } }, STORE, BY_RSP, 0x30, 3, 0, 0, 0 },
	{ { 5, { 0x48, 0x01, 0x4c, 0x24, 0x40 } }, MODIFY, BY_RSP, 0x40, 3, 0, 0, 0 },
	/* mov 0x3c(%rsp),%rcx: across lines when RSP is at the start of one */
	{ { 5, { 0x48, 0x8b, 0x4c, 0x24, 0x3c } }, LOAD, BY_RSP, 0x3c, 3, 0, 0, 0 },
	/* add %ecx,0x3c(%rsp); and $-64,%rsp */
	{ { 4, { 0x01, 0x4c, 0x24, 0x3c } }, MODIFY, BY_RSP, 0x3c, 2, 0, 0, 0 },
	{ { 4, { 0x48, 0x83, 0xe4, 0xc0 } }, NOTHING, BY_RSP, 0, 0, 0, 0, 63 },
	/* push %rcx; pop %rcx; sub $0x20,%rsp; add $0x20,%rsp */
	{ { 1, { 0x51 } }, STORE, BY_RSP, -8, 3, -8, 0, 0 },
	{ { 1, { 0x59 } }, LOAD, BY_RSP, 0, 3, 8, 0, 0 },
	{ { 4, { 0x48, 0x83, 0xec, 0x20 } }, NOTHING, BY_RSP, 0, 0, -0x20, 0, 0 },
	{ { 4, { 0x48, 0x83, 0xc4, 0x20 } }, NOTHING, BY_RSP, 0, 0, 0x20, 0, 0 },
	/* mov 0x104(%rax),%ecx; mov %ecx,0x10c(%rax); incl 0x108(%rax) */
	{ { 6, { 0x8b, 0x88, 0x04, 0x01, 0, 0 } }, LOAD, BY_RAX, 0x104, 2, 0, 0, 0 },
	{ { 6, { 0x89, 0x88, 0x0c, 0x01, 0, 0 } }, STORE, BY_RAX, 0x10c, 2, 0, 0, 0 },
	{ { 6, { 0xff, 0x80, 0x08, 0x01, 0, 0 } }, MODIFY, BY_RAX, 0x108, 2, 0, 0, 0 },
	/* mov (%rax,%rbx,8),%rcx; mov (%rax,%rbx,4),%rcx; mov (%rax,%rsi,8),%rcx */
	{ { 4, { 0x48, 0x8b, 0x0c, 0xd8 } }, LOAD, BY_RAX_RBX, 0, 3, 0, 0, 0 },
	{ { 4, { 0x48, 0x8b, 0x0c, 0x98 } }, LOAD, BY_RAX_RBX_4, 0, 3, 0, 0, 0 },
	{ { 4, { 0x48, 0x8b, 0x0c, 0xf0 } }, LOAD, BY_RAX_RSI, 0, 3, 0, 0, 0 },
	/* add $1,%rbx; add $8,%rax */
	{ { 4, { 0x48, 0x83, 0xc3, 0x01 } }, NOTHING, BY_RAX_RBX, 0, 0, 0, 0, 0 },
	{ { 4, { 0x48, 0x83, 0xc0, 0x08 } }, NOTHING, BY_RAX, 0, 0, 0, 8, 0 },
	/* mov 0x100(%rip),%ecx; movups (%rsp),%xmm0; movups %xmm0,0x38(%rax) */
	{ { 6, { 0x8b, 0x0d, 0x00, 0x01, 0, 0 } }, LOAD, BY_RIP, 0x100, 2, 0, 0, 0 },
	{ { 4, { 0x0f, 0x10, 0x04, 0x24 } }, LOAD, BY_RSP, 0, 4, 0, 0, 0 },
	{ { 4, { 0x0f, 0x11, 0x40, 0x38 } }, STORE, BY_RAX, 0x38, 4, 0, 0, 0 },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const struct qemu_plugin_insn between[2] = {
	{ .size = 2, .bytes = { 0x66, 0x90 } }, { .size = 2, .bytes = { 0x0f, 0x31 } },
};

static struct qemu_plugin_tb blocks[2][BLOCKS];
static const struct kind *kind_of[BLOCKS][INSTRUCTIONS];
static uint64_t callbacks;

struct registers { uint64_t rsp, rax, rbx, rsi; };

static uint64_t address_of(const struct kind *k, const struct registers *r,
			   const struct qemu_plugin_insn *insn)
{
	uint64_t constant = (uint64_t)k->constant;

	switch (k->by) {
	case BY_RAX: return r->rax + constant;
	case BY_RAX_RBX: return r->rax + 8 * r->rbx + constant;
	case BY_RAX_RBX_4: return r->rax + 4 * r->rbx + constant;
	case BY_RAX_RSI: return r->rax + 8 * r->rsi + constant;
	case BY_RIP: return insn->address + insn->size + constant;
	default: return r->rsp + constant;
	}
}

static void execute_one(const struct qemu_plugin_insn *insn, const struct kind *k,
			struct registers *r)
{
	uint64_t address = address_of(k, r, insn);

	if (k->what == LOAD || k->what == MODIFY)
		callbacks += make_access(insn, address, 1u << k->shift, LOADS);
	if (k->what == STORE || k->what == MODIFY)
		callbacks += make_access(insn, address, 1u << k->shift, STORES);
	r->rsp = (r->rsp + (uint64_t)k->rsp_moves) & ~k->rsp_loses;
	r->rax += (uint64_t)k->rax_moves;
	r->rbx += k->what == NOTHING && k->by == BY_RAX_RBX;
}

static void execute(const struct qemu_plugin_tb *tb, int which, struct registers r)
{
	if (tb->execute)
		tb->execute(0, tb->udata);
	for (size_t i = 0; i < INSTRUCTIONS; i++)
		execute_one(&tb->insn[2 * i], kind_of[which][i], &r);
}

/* Stacks and tables of which some are used again and again, and some hardly. */
static struct registers some_registers(uint64_t x)
{
	uint64_t far = x >> 10 & 3 ? 0 : x >> 12 & 0x3fff;

	return (struct registers){
		.rsp = 0x1000000 + (x & 0x38) + 64 * far + (x >> 40 & 31 ? 0 : 3),
		.rax = 0x2000000 + 4 * (x >> 32 & 0x3f) + 64 * far, .rbx = x >> 50 & 15,
		.rsi = x >> 54 & 15,
	};
}

static struct outcome run(const struct qemu_plugin_tb *made, bool deferring, uint64_t *called)
{
	uint64_t x = 88172645463325252u;

	clear_machine();
	execute(&blocks[1][0], 0, some_registers(0));
	begin_outcome(deferring);
	callbacks = 0;
	for (int i = 0; i < STEPS; i++) {
		uint64_t which = next_random(&x) >> 20 & (BLOCKS - 1);

		execute(&made[which], (int)which, some_registers(next_random(&x)));
		if (x >> 58 == 0)
			change_cpu(x & 1);
	}
	*called = callbacks;
	return end_outcome();
}

static void groups_change_nothing(void **state)
{
	uint64_t all, some;
	struct outcome each = run(blocks[1], false, &all), grouped = run(blocks[0], false, &some);
	struct outcome later = run(blocks[0], true, &some);

	(void)state;
	assert_true(some < all * 3 / 4);
	assert_true(each.seen.tracker[VPMU_TRK_DATA_READ] > STEPS / 2);
	assert_same_outcome(&each, &grouped);
	assert_same_outcome(&each, &later);
}

static void make_block(struct qemu_plugin_tb *tb, int which, int variant)
{
	uint64_t at = 0x400000 + 0x100 * (uint64_t)which;

	*tb = (struct qemu_plugin_tb){ .count = 2 * INSTRUCTIONS };
	for (size_t i = 0; i < tb->count; at += tb->insn[i++].size) {
		const struct kind *k = kind_of[which][i / 2];

		tb->insn[i] = between[variant];
		if (i % 2 == 0) {
			tb->insn[i].size = k->code.size;
			memcpy(tb->insn[i].bytes, k->code.bytes, k->code.size);
		}
		tb->insn[i].address = at;
	}
	translate(1, tb);
}

static void make_blocks(void)
{
	for (int i = 0; i < BLOCKS; i++)
		for (int variant = 0; variant < 2; variant++)
			make_block(&blocks[variant][i], i, variant);
}

/* Blocks that were translated before a flush are gone after it. */
static void a_flush_frees_groups(void **state)
{
	(void)state;
	flush(1);
	make_blocks();
	groups_change_nothing(NULL);
	flush(1);
}

static bool is_alike(enum by by, uint32_t how)
{
	switch (how) {
	case 0: return by == BY_RSP;
	case 1: return by != BY_RSP;
	default: return by == BY_RAX_RBX || by == BY_RAX_RBX_4;
	}
}

/* Alike: in long sequences by the same registers. */
static const struct kind *some_kind(uint64_t x, bool alike)
{
	static uint32_t how;
	const struct kind *k;

	if (x >> 60 == 0)
		how = (how + 1) % 3;
	do
		k = &kinds[(next_random(&x) >> 20) % KINDS];
	while (alike && !is_alike(k->by, how));
	return k;
}

static int install(void **state)
{
	uint64_t x = 1234567;

	(void)state;
	if (install_plugin())
		return -1;
	for (int i = 0; i < BLOCKS; i++)
		for (int k = 0; k < INSTRUCTIONS; k++)
			kind_of[i][k] = some_kind(next_random(&x), i % 2);
	make_blocks();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_change_nothing),
		cmocka_unit_test(a_flush_frees_groups),
	};

	return cmocka_run_group_tests_name("feed groups", tests, install, free_machine);
}
