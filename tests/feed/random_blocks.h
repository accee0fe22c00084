/* SPDX-License-Identifier: MIT */
/* Random blocks of instructions, for tests that stand in for QEMU. Each block is translated twice.
 * FAST has the callbacks that the feed chooses: one may stand for a block or for several accesses.
 * In GENERAL a block has one callback, and so has each load and store: vpmu_callbacks_open() gets
 * another callback for accesses than the feed's own, and then combines none. */
#ifndef RANDOM_BLOCKS_H
#define RANDOM_BLOCKS_H

#include "feed_qemu.h"
#include "virtual_pmu/feed/callbacks.h"
#include "virtual_pmu/feed/translate/access_groups.h"

/* Random numbers, or those of a fuzzer's input: 0 behind its end. */
struct draws { uint64_t x; const uint8_t *data; size_t size; };

static inline uint32_t draw(struct draws *d, uint32_t below)
{
	uint32_t n = 0;

	if (!d->data)
		return (uint32_t)(next_random(&d->x) >> 20) % below;
	for (uint32_t most = below - 1; most && d->size; most >>= 8, d->size--)
		n = n << 8 | *d->data++;
	return n % below;
}

static inline bool one_in(struct draws *d, uint32_t times)
{
	return draw(d, times) == times - 1;
}

/* ---- instructions ---- */

enum access_kind {
	NOTHING, LOAD, STORE, MODIFY, POINTER /* a load of RSI */, REPEATED /* from RSI to RAX */,
	LOCKED, STREAMED, FETCHED /* a prefetch */, FENCE, PAUSE,
};
enum address_by { BY_RSP, BY_RAX, BY_RSI, BY_RAX_RBX, BY_RAX_RBX_4, BY_RIP };

#define BYTES(...) sizeof((uint8_t[]){ __VA_ARGS__ }), { __VA_ARGS__ }

/* Bytes as GNU as makes them. bytes: of the access. The last ones change registers afterwards. */
struct instruction {
	uint8_t size, code[15];
	enum access_kind what;
	enum address_by by;
	int64_t constant;
	uint32_t bytes;
	int rsp_moves, rax_moves, rbx_moves;
	uint64_t rsp_loses;
};

static const struct instruction block_instructions[] = {
	/* mov 0x18(%rsp),%rcx; mov %rcx,0x30(%rsp); add %rcx,0x40(%rsp) */
	{ BYTES(0x48, 0x8b, 0x4c, 0x24, 0x18), LOAD, BY_RSP, 0x18, 8, 0, 0, 0, 0 },
	{ BYTES(0x48, 0x89, 0x4c, 0x24, 0x30), STORE, BY_RSP, 0x30, 8, 0, 0, 0, 0 },
	{ BYTES(0x48, 0x01, 0x4c, 0x24, 0x40), MODIFY, BY_RSP, 0x40, 8, 0, 0, 0, 0 },
	/* mov 0x3c(%rsp),%rcx; add %ecx,0x3c(%rsp); and $-64,%rsp */
	{ BYTES(0x48, 0x8b, 0x4c, 0x24, 0x3c), LOAD, BY_RSP, 0x3c, 8, 0, 0, 0, 0 },
	{ BYTES(0x01, 0x4c, 0x24, 0x3c), MODIFY, BY_RSP, 0x3c, 4, 0, 0, 0, 0 },
	{ BYTES(0x48, 0x83, 0xe4, 0xc0), NOTHING, BY_RSP, 0, 0, 0, 0, 0, 63 },
	/* push %rcx; pop %rcx; sub $0x20,%rsp; add $0x20,%rsp */
	{ BYTES(0x51), STORE, BY_RSP, -8, 8, -8, 0, 0, 0 },
	{ BYTES(0x59), LOAD, BY_RSP, 0, 8, 8, 0, 0, 0 },
	{ BYTES(0x48, 0x83, 0xec, 0x20), NOTHING, BY_RSP, 0, 0, -0x20, 0, 0, 0 },
	{ BYTES(0x48, 0x83, 0xc4, 0x20), NOTHING, BY_RSP, 0, 0, 0x20, 0, 0, 0 },
	/* mov 0x104(%rax),%ecx; mov %ecx,0x10c(%rax); incl 0x108(%rax); mov 0x2000(%rax),%rcx */
	{ BYTES(0x8b, 0x88, 0x04, 0x01, 0, 0), LOAD, BY_RAX, 0x104, 4, 0, 0, 0, 0 },
	{ BYTES(0x89, 0x88, 0x0c, 0x01, 0, 0), STORE, BY_RAX, 0x10c, 4, 0, 0, 0, 0 },
	{ BYTES(0xff, 0x80, 0x08, 0x01, 0, 0), MODIFY, BY_RAX, 0x108, 4, 0, 0, 0, 0 },
	{ BYTES(0x48, 0x8b, 0x88, 0, 0x20, 0, 0), LOAD, BY_RAX, 0x2000, 8, 0, 0, 0, 0 },
	/* mov (%rax,%rbx,8),%rcx; mov %rcx,(%rax,%rbx,4); add $1,%rbx; add $8,%rax;
	 * add $0x40,%rax */
	{ BYTES(0x48, 0x8b, 0x0c, 0xd8), LOAD, BY_RAX_RBX, 0, 8, 0, 0, 0, 0 },
	{ BYTES(0x48, 0x89, 0x0c, 0x98), STORE, BY_RAX_RBX_4, 0, 8, 0, 0, 0, 0 },
	{ BYTES(0x48, 0x83, 0xc3, 0x01), NOTHING, BY_RAX_RBX, 0, 0, 0, 0, 1, 0 },
	{ BYTES(0x48, 0x83, 0xc0, 0x08), NOTHING, BY_RAX, 0, 0, 0, 8, 0, 0 },
	{ BYTES(0x48, 0x83, 0xc0, 0x40), NOTHING, BY_RAX, 0, 0, 0, 0x40, 0, 0 },
	/* mov (%rax),%rsi; mov (%rsi),%rsi; mov %rcx,(%rsi); xor %rcx,(%rsi) */
	{ BYTES(0x48, 0x8b, 0x30), POINTER, BY_RAX, 0, 8, 0, 0, 0, 0 },
	{ BYTES(0x48, 0x8b, 0x36), POINTER, BY_RSI, 0, 8, 0, 0, 0, 0 },
	{ BYTES(0x48, 0x89, 0x0e), STORE, BY_RSI, 0, 8, 0, 0, 0, 0 },
	{ BYTES(0x48, 0x31, 0x0e), MODIFY, BY_RSI, 0, 8, 0, 0, 0, 0 },
	/* mov 0x100(%rip),%ecx; movups (%rsp),%xmm0; movups %xmm0,0x38(%rax);
	 * movups (%rsi),%xmm0; addps %xmm1,%xmm0; movups %xmm0,(%rsi) */
	{ BYTES(0x8b, 0x0d, 0, 0x01, 0, 0), LOAD, BY_RIP, 0x100, 4, 0, 0, 0, 0 },
	{ BYTES(0x0f, 0x10, 0x04, 0x24), LOAD, BY_RSP, 0, 16, 0, 0, 0, 0 },
	{ BYTES(0x0f, 0x11, 0x40, 0x38), STORE, BY_RAX, 0x38, 16, 0, 0, 0, 0 },
	{ BYTES(0x0f, 0x10, 0x06), LOAD, BY_RSI, 0, 16, 0, 0, 0, 0 },
	{ BYTES(0x0f, 0x58, 0xc1), NOTHING, BY_RSI, 0, 0, 0, 0, 0, 0 },
	{ BYTES(0x0f, 0x11, 0x06), STORE, BY_RSI, 0, 16, 0, 0, 0, 0 },
	/* lock add %rcx,(%rax); movnti %rcx,(%rsi); sfence; prefetcht0 (%rax);
	 * prefetcht2 (%rsi) */
	{ BYTES(0xf0, 0x48, 0x01, 0x08), LOCKED, BY_RAX, 0, 8, 0, 0, 0, 0 },
	{ BYTES(0x48, 0x0f, 0xc3, 0x0e), STREAMED, BY_RSI, 0, 8, 0, 0, 0, 0 },
	{ BYTES(0x0f, 0xae, 0xf8), FENCE, BY_RSI, 0, 0, 0, 0, 0, 0 },
	{ BYTES(0x0f, 0x18, 0x08), FETCHED, BY_RAX, 0, 1, 0, 0, 0, 0 },
	{ BYTES(0x0f, 0x18, 0x1e), FETCHED, BY_RSI, 0, 1, 0, 0, 0, 0 },
	/* pause; rep movsb; rdtsc; add %ecx,%ebx without an access */
	{ BYTES(0xf3, 0x90), PAUSE, BY_RSI, 0, 0, 0, 0, 0, 0 },
	{ BYTES(0xf3, 0xa4), REPEATED, BY_RSI, 0, 1, 0, 0, 0, 0 },
	{ BYTES(0x0f, 0x31), NOTHING, BY_RAX, 0, 0, 0, 0, 0, 0 },
	{ BYTES(0x01, 0xcb), NOTHING, BY_RAX, 0, 0, 0, 0, 0, 0 },
};
#define INSTRUCTION_KINDS (sizeof(block_instructions) / sizeof(block_instructions[0]))
#define FIRST_RARE 29u		/* LOCKED, and what is behind it */

/* The last one of a block: nop; jne; jmp; call; ret; jmp *%rdx */
static const struct instruction block_ends[] = {
	{ BYTES(0x90), NOTHING, BY_RAX, 0, 0, 0, 0, 0, 0 },
	{ BYTES(0x75, 0x10), NOTHING, BY_RAX, 0, 0, 0, 0, 0, 0 },
	{ BYTES(0xeb, 0x10), NOTHING, BY_RAX, 0, 0, 0, 0, 0, 0 },
	{ BYTES(0xe8, 0x10, 0, 0, 0), STORE, BY_RSP, -8, 8, -8, 0, 0, 0 },
	{ BYTES(0xc3), LOAD, BY_RSP, 0, 8, 8, 0, 0, 0 },
	{ BYTES(0xff, 0xe2), NOTHING, BY_RAX, 0, 0, 0, 0, 0, 0 },
};

/* ---- blocks ---- */

#define BLOCKS 32u
#define BLOCK_MAX 20u		/* instructions */
enum { FAST, GENERAL, WAYS };

struct random_blocks {
	const struct instruction *kind[BLOCKS][BLOCK_MAX];
	struct vpmu_timed_block *timed[BLOCKS];
	struct qemu_plugin_tb tb[WAYS][BLOCKS];
};

struct registers { uint64_t rsp, rax, rbx, rsi; };

/* made: a locked instruction's are one. shown: by a callback, each one in GENERAL. */
static uint64_t accesses_made, accesses_shown;

static void access_alone(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			 void *user)
{
	vpmu_callbacks_parts.access(vcpu, info, address, user);
}

/* Opens the machine in `segment`; blocks that are translated from now on are of this way. */
static inline bool open_machine(int way)
{
	struct vpmu_core_feed_parts parts = vpmu_callbacks_parts;
	char why[256];

	if (way == GENERAL)
		parts.access = access_alone;
	return !vpmu_callbacks_open("here", &parts, why, sizeof(why));
}

/* Half of the blocks have long groups of accesses by the same registers. */
static const struct instruction *some_instruction(struct draws *d, uint32_t which, bool modifies)
{
	const struct instruction *k;
	uint32_t by = which / 2 % 3;

	do
		k = &block_instructions[draw(d, one_in(d, 4) ? INSTRUCTION_KINDS : FIRST_RARE)];
	while ((which % 2 && (by == 0 ? k->by != BY_RSP : by == 1 ? k->by != BY_RAX :
			      k->by != BY_RAX_RBX && k->by != BY_RSI)) ||
	       (!modifies && (k->what == MODIFY || (k->what == STORE && k->bytes == 16))));
	return k;
}

static void make_block(struct random_blocks *b, struct draws *d, uint32_t which, uint64_t at,
		       bool modifies)
{
	uint32_t count = 1 + draw(d, one_in(d, 3) ? 4 : BLOCK_MAX - 1);
	struct qemu_plugin_tb *tb = &b->tb[FAST][which];

	*tb = (struct qemu_plugin_tb){ .count = count };
	for (uint32_t i = 0; i < count; at += tb->insn[i++].size) {
		const struct instruction *k = i + 1 < count || one_in(d, 4) ?
			some_instruction(d, which, modifies) :
			&block_ends[draw(d, sizeof(block_ends) / sizeof(block_ends[0]))];

		b->kind[which][i] = k;
		tb->insn[i].size = k->size;
		tb->insn[i].address = at;
		memcpy(tb->insn[i].bytes, k->code, k->size);
	}
	b->tb[GENERAL][which] = *tb;
}

/* Makes the blocks, at this address, for machines like the one in `segment`. modifies: they have
 * instructions, or pairs of them, that load from a place and then store there. */
static inline bool make_blocks(struct random_blocks *b, struct draws *d, uint64_t at,
			       bool modifies)
{
	for (uint32_t i = 0; i < BLOCKS; i++)
		make_block(b, d, i, at + 0x90 * i + (i % 8 ? 0 : draw(d, 64)), modifies);
	for (int way = FAST; way < WAYS; way++) {
		if (!open_machine(way))
			return false;
		for (uint32_t i = 0; i < BLOCKS; i++) {
			struct qemu_plugin_tb *tb = &b->tb[way][i];

			vpmu_callbacks_translate(tb, tb->insn[0].address);
			b->timed[i] = vpmu_timed_block_of(tb, tb->insn[0].address);
		}
	}
	return true;
}

static uint64_t block_address(const struct instruction *k, const struct registers *r,
			      const struct qemu_plugin_insn *insn)
{
	uint64_t constant = (uint64_t)k->constant;

	switch (k->by) {
	case BY_RAX: return r->rax + constant;
	case BY_RSI: return r->rsi + constant;
	case BY_RAX_RBX: return r->rax + 8 * r->rbx + constant;
	case BY_RAX_RBX_4: return r->rax + 4 * r->rbx + constant;
	case BY_RIP: return insn->address + insn->size + constant;
	default: return r->rsp + constant;
	}
}

static bool loads(enum access_kind what)
{
	return what == LOAD || what == MODIFY || what == POINTER || what == LOCKED ||
	       what == FETCHED;
}

static bool stores(enum access_kind what)
{
	return what == STORE || what == MODIFY || what == LOCKED || what == STREAMED;
}

static void execute_instruction(const struct qemu_plugin_insn *insn, const struct instruction *k,
				struct registers *r)
{
	uint64_t address = block_address(k, r, insn);
	uint32_t repeated = k->what == REPEATED ? (uint32_t)r->rbx : 0;

	if (insn->execute)
		insn->execute(0, NULL);
	accesses_made += k->what == LOCKED ? 1 : (uint64_t)loads(k->what) + stores(k->what);
	if (loads(k->what))
		accesses_shown += make_access(insn, address, k->bytes, LOADS);
	if (stores(k->what))
		accesses_shown += make_access(insn, address, k->bytes, STORES);
	for (uint64_t i = 0; i < repeated; i++) {
		make_access(insn, r->rsi + i, 1, LOADS);
		make_access(insn, r->rax + i, 1, STORES);
	}
	if (k->what == POINTER)		/* somewhere in the same 512 lines */
		r->rsi = (r->rsi & ~0xfffffull) + (address * 0x9e3779b97f4a7c15u >> 49 & ~7ull);
	r->rsp = (r->rsp + (uint64_t)(int64_t)k->rsp_moves) & ~k->rsp_loses;
	r->rax += (uint64_t)(int64_t)k->rax_moves;
	r->rbx += (uint64_t)(int64_t)k->rbx_moves;
}

/* As the calling thread, vpmu_self. */
static inline void execute_block(const struct random_blocks *b, uint32_t which, int way,
				 struct registers r)
{
	const struct qemu_plugin_tb *tb = &b->tb[way][which];

	if (tb->execute)
		tb->execute(0, tb->udata);
	for (size_t i = 0; i < tb->count; i++)
		execute_instruction(&tb->insn[i], b->kind[which][i], &r);
}

#endif
