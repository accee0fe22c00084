/* SPDX-License-Identifier: MIT */
/* Random blocks of instructions, for tests that stand in for QEMU. Each block is translated twice.
 * FAST has the callbacks that the feed chooses: one may stand for a block or for several accesses.
 * In GENERAL a block has one callback, and so has each load and store: vpmu_callbacks_open() gets
 * another callback for accesses than the feed's own, and then combines none. */
#ifndef RANDOM_BLOCKS_H
#define RANDOM_BLOCKS_H

#include "feed_qemu.h"
#include "virtual_pmu/feed/callbacks.h"
#include "virtual_pmu/feed/profile/notes.h"
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
	LOCKED, STREAMED, FETCHED /* a prefetch */, FENCE, PAUSE, PIECES /* two loads */,
};
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R12 = 12, R13, RIP = 16, NO };

#define BYTES(...) sizeof((uint8_t[]){ __VA_ARGS__ }), { __VA_ARGS__ }
#define ALIGNS INT32_MIN

/* Bytes as GNU as makes them. The access is at base + index * scale + constant, of so many bytes.
 * Afterwards RSP moves, and a register changes: by any number, as the feed does not see values.
 * ALIGNS: it loses its last 6 bits. base NO: the instruction has no access, or an address by other
 * means. An instruction without an access is used where the others have this base. */
struct instruction {
	uint8_t size, code[15];
	enum access_kind what;
	uint32_t base, index, scale;
	int64_t constant;
	uint32_t bytes;
	int rsp_moves;
	uint32_t changed;
	int by;
};

static const struct instruction block_instructions[] = {
	/* mov 0x18(%rsp),%rcx; mov %rcx,0x30(%rsp); add %rcx,0x40(%rsp) */
	{ BYTES(0x48, 0x8b, 0x4c, 0x24, 0x18), LOAD, RSP, NO, 0, 0x18, 8, 0, NO, 0 },
	{ BYTES(0x48, 0x89, 0x4c, 0x24, 0x30), STORE, RSP, NO, 0, 0x30, 8, 0, NO, 0 },
	{ BYTES(0x48, 0x01, 0x4c, 0x24, 0x40), MODIFY, RSP, NO, 0, 0x40, 8, 0, NO, 0 },
	/* mov 0x3c(%rsp),%rcx; add %ecx,0x3c(%rsp); and $-64,%rsp */
	{ BYTES(0x48, 0x8b, 0x4c, 0x24, 0x3c), LOAD, RSP, NO, 0, 0x3c, 8, 0, NO, 0 },
	{ BYTES(0x01, 0x4c, 0x24, 0x3c), MODIFY, RSP, NO, 0, 0x3c, 4, 0, NO, 0 },
	{ BYTES(0x48, 0x83, 0xe4, 0xc0), NOTHING, RSP, NO, 0, 0, 0, 0, RSP, ALIGNS },
	/* push %rcx; pop %rcx; sub $0x20,%rsp; add $0x20,%rsp */
	{ BYTES(0x51), STORE, RSP, NO, 0, -8, 8, -8, NO, 0 },
	{ BYTES(0x59), LOAD, RSP, NO, 0, 0, 8, 8, NO, 0 },
	{ BYTES(0x48, 0x83, 0xec, 0x20), NOTHING, RSP, NO, 0, 0, 0, -0x20, NO, 0 },
	{ BYTES(0x48, 0x83, 0xc4, 0x20), NOTHING, RSP, NO, 0, 0, 0, 0x20, NO, 0 },
	/* mov 0x104(%rax),%ecx; mov %ecx,0x10c(%rax); incl 0x108(%rax); mov 0x2000(%rax),%rcx */
	{ BYTES(0x8b, 0x88, 0x04, 0x01, 0, 0), LOAD, RAX, NO, 0, 0x104, 4, 0, NO, 0 },
	{ BYTES(0x89, 0x88, 0x0c, 0x01, 0, 0), STORE, RAX, NO, 0, 0x10c, 4, 0, NO, 0 },
	{ BYTES(0xff, 0x80, 0x08, 0x01, 0, 0), MODIFY, RAX, NO, 0, 0x108, 4, 0, NO, 0 },
	{ BYTES(0x48, 0x8b, 0x88, 0, 0x20, 0, 0), LOAD, RAX, NO, 0, 0x2000, 8, 0, NO, 0 },
	/* mov (%rax,%rbx,8),%rcx; mov %rcx,(%rax,%rbx,4); add $1,%rbx; add $8,%rax;
	 * add $0x40,%rax */
	{ BYTES(0x48, 0x8b, 0x0c, 0xd8), LOAD, RAX, RBX, 8, 0, 8, 0, NO, 0 },
	{ BYTES(0x48, 0x89, 0x0c, 0x98), STORE, RAX, RBX, 4, 0, 8, 0, NO, 0 },
	{ BYTES(0x48, 0x83, 0xc3, 0x01), NOTHING, RAX, RBX, 8, 0, 0, 0, RBX, 1 },
	{ BYTES(0x48, 0x83, 0xc0, 0x08), NOTHING, RAX, NO, 0, 0, 0, 0, RAX, 8 },
	{ BYTES(0x48, 0x83, 0xc0, 0x40), NOTHING, RAX, NO, 0, 0, 0, 0, RAX, 0x40 },
	/* mov (%rax),%rsi; mov (%rsi),%rsi; mov %rcx,(%rsi); xor %rcx,(%rsi) */
	{ BYTES(0x48, 0x8b, 0x30), POINTER, RAX, NO, 0, 0, 8, 0, NO, 0 },
	{ BYTES(0x48, 0x8b, 0x36), POINTER, RSI, NO, 0, 0, 8, 0, NO, 0 },
	{ BYTES(0x48, 0x89, 0x0e), STORE, RSI, NO, 0, 0, 8, 0, NO, 0 },
	{ BYTES(0x48, 0x31, 0x0e), MODIFY, RSI, NO, 0, 0, 8, 0, NO, 0 },
	/* mov 0x100(%rip),%ecx; movups (%rsp),%xmm0; movups %xmm0,0x38(%rax);
	 * movups (%rsi),%xmm0; addps %xmm1,%xmm0; movups %xmm0,(%rsi) */
	{ BYTES(0x8b, 0x0d, 0, 0x01, 0, 0), LOAD, RIP, NO, 0, 0x100, 4, 0, NO, 0 },
	{ BYTES(0x0f, 0x10, 0x04, 0x24), LOAD, RSP, NO, 0, 0, 16, 0, NO, 0 },
	{ BYTES(0x0f, 0x11, 0x40, 0x38), STORE, RAX, NO, 0, 0x38, 16, 0, NO, 0 },
	{ BYTES(0x0f, 0x10, 0x06), LOAD, RSI, NO, 0, 0, 16, 0, NO, 0 },
	{ BYTES(0x0f, 0x58, 0xc1), NOTHING, RSI, NO, 0, 0, 0, 0, NO, 0 },
	{ BYTES(0x0f, 0x11, 0x06), STORE, RSI, NO, 0, 0, 16, 0, NO, 0 },
	/* mov %eax,-8(%rbp,%rcx,4); cmp %rax,(%rdi); addw $1,(%r12); movss %xmm1,4(%rdi,%rbx,8) */
	{ BYTES(0x89, 0x44, 0x8d, 0xf8), STORE, RBP, RCX, 4, -8, 4, 0, NO, 0 },
	{ BYTES(0x48, 0x39, 0x07), LOAD, RDI, NO, 0, 0, 8, 0, NO, 0 },
	{ BYTES(0x66, 0x41, 0x83, 0x04, 0x24, 0x01), MODIFY, R12, NO, 0, 0, 2, 0, NO, 0 },
	{ BYTES(0xf3, 0x0f, 0x11, 0x4c, 0xdf, 0x04), STORE, RDI, RBX, 8, 4, 4, 0, NO, 0 },
	/* movzwl (%r13),%edx; movsd 8(%rdi),%xmm0; movsd %xmm0,(%r12); mov -16(%rbp),%edx */
	{ BYTES(0x41, 0x0f, 0xb7, 0x55, 0x00), LOAD, R13, NO, 0, 0, 2, 0, NO, 0 },
	{ BYTES(0xf2, 0x0f, 0x10, 0x47, 0x08), LOAD, RDI, NO, 0, 8, 8, 0, NO, 0 },
	{ BYTES(0xf2, 0x41, 0x0f, 0x11, 0x04, 0x24), STORE, R12, NO, 0, 0, 8, 0, NO, 0 },
	{ BYTES(0x8b, 0x55, 0xf0), LOAD, RBP, NO, 0, -16, 4, 0, NO, 0 },
	/* lock add %rcx,(%rax); movnti %rcx,(%rsi); sfence; prefetcht0 (%rax);
	 * prefetcht2 (%rsi) */
	{ BYTES(0xf0, 0x48, 0x01, 0x08), LOCKED, RAX, NO, 0, 0, 8, 0, NO, 0 },
	{ BYTES(0x48, 0x0f, 0xc3, 0x0e), STREAMED, RSI, NO, 0, 0, 8, 0, NO, 0 },
	{ BYTES(0x0f, 0xae, 0xf8), FENCE, RSI, NO, 0, 0, 0, 0, NO, 0 },
	{ BYTES(0x0f, 0x18, 0x08), FETCHED, RAX, NO, 0, 0, 1, 0, NO, 0 },
	{ BYTES(0x0f, 0x18, 0x1e), FETCHED, RSI, NO, 0, 0, 1, 0, NO, 0 },
	/* pause; rep movsb; rdtsc; add %ecx,%ebx without an access */
	{ BYTES(0xf3, 0x90), PAUSE, RSI, NO, 0, 0, 0, 0, NO, 0 },
	{ BYTES(0xf3, 0xa4), REPEATED, RSI, NO, 0, 0, 1, 0, NO, 0 },
	{ BYTES(0x0f, 0x31), NOTHING, RAX, NO, 0, 0, 0, 0, NO, 0 },
	{ BYTES(0x01, 0xcb), NOTHING, RAX, NO, 0, 0, 0, 0, NO, 0 },
	/* add $1,%rdi; mov %rax,%r12; shl %cl,%edi; cmove %rax,%r12; movd %xmm0,%edi; mul %rcx;
	 * mov %eax,%ebx; imul $3,%rdi,%rdi; xchg %rax,%rbx */
	{ BYTES(0x48, 0x83, 0xc7, 0x01), NOTHING, RDI, NO, 0, 0, 0, 0, RDI, 1 },
	{ BYTES(0x49, 0x89, 0xc4), NOTHING, RDI, NO, 0, 0, 0, 0, R12, 0x40 },
	{ BYTES(0xd3, 0xe7), NOTHING, RDI, NO, 0, 0, 0, 0, RDI, 0x48 },
	{ BYTES(0x4c, 0x0f, 0x44, 0xe0), NOTHING, RDI, NO, 0, 0, 0, 0, R12, 0x50 },
	{ BYTES(0x66, 0x0f, 0x7e, 0xc7), NOTHING, RDI, NO, 0, 0, 0, 0, RDI, 0x60 },
	{ BYTES(0x48, 0xf7, 0xe1), NOTHING, RAX, NO, 0, 0, 0, 0, RAX, 0x68 },
	{ BYTES(0x89, 0xc3), NOTHING, RAX, NO, 0, 0, 0, 0, RBX, 1 },
	{ BYTES(0x48, 0x6b, 0xff, 0x03), NOTHING, RDI, NO, 0, 0, 0, 0, RDI, 0x70 },
	{ BYTES(0x48, 0x93), NOTHING, RAX, NO, 0, 0, 0, 0, RBX, 1 },
	/* mov $1,%al; mov %cl,%ah; add $1,%bl; add $1,%ax */
	{ BYTES(0xb0, 0x01), NOTHING, RAX, NO, 0, 0, 0, 0, RAX, 0x41 },
	{ BYTES(0x88, 0xcc), NOTHING, RAX, NO, 0, 0, 0, 0, RAX, 0x300 },
	{ BYTES(0x80, 0xc3, 0x01), NOTHING, RAX, NO, 0, 0, 0, 0, RBX, 1 },
	{ BYTES(0x66, 0x83, 0xc0, 0x01), NOTHING, RAX, NO, 0, 0, 0, 0, RAX, 0x49 },
	/* mov 0x10(%rsp),%rax; mov (%rdi),%ah; mov (%rdi),%bl */
	{ BYTES(0x48, 0x8b, 0x44, 0x24, 0x10), LOAD, RSP, NO, 0, 16, 8, 0, RAX, 0x48 },
	{ BYTES(0x8a, 0x27), LOAD, RDI, NO, 0, 0, 1, 0, RAX, 0x100 },
	{ BYTES(0x8a, 0x1f), LOAD, RDI, NO, 0, 0, 1, 0, RBX, 1 },
	/* push $1; push %bx; pop %bx; pop %r13; add $-128,%rsp; add $0x180,%rsp;
	 * lea -0x10(%rsp),%rsp */
	{ BYTES(0x6a, 0x01), STORE, RSP, NO, 0, -8, 8, -8, NO, 0 },
	{ BYTES(0x66, 0x53), STORE, RSP, NO, 0, -2, 2, -2, NO, 0 },
	{ BYTES(0x66, 0x5b), LOAD, RSP, NO, 0, 0, 2, 2, RBX, 1 },
	{ BYTES(0x41, 0x5d), LOAD, RSP, NO, 0, 0, 8, 8, R13, 0x40 },
	{ BYTES(0x48, 0x83, 0xc4, 0x80), NOTHING, RSP, NO, 0, 0, 0, -128, NO, 0 },
	{ BYTES(0x48, 0x81, 0xc4, 0x80, 0x01, 0, 0), NOTHING, RSP, NO, 0, 0, 0, 0x180, NO, 0 },
	{ BYTES(0x48, 0x8d, 0x64, 0x24, 0xf0), NOTHING, RSP, NO, 0, 0, 0, -16, NO, 0 },
	/* RSP by what is not known: pop %rsp; sub %rax,%rsp; mov %rbp,%rsp; sub $8,%esp;
	 * lea (%rsp,%rax),%rsp; leave; push %rsp */
	{ BYTES(0x5c), LOAD, RSP, NO, 0, 0, 8, 0x48, NO, 0 },
	{ BYTES(0x48, 0x29, 0xc4), NOTHING, RSP, NO, 0, 0, 0, -0x70, NO, 0 },
	{ BYTES(0x48, 0x89, 0xec), NOTHING, RSP, NO, 0, 0, 0, 0x58, NO, 0 },
	{ BYTES(0x83, 0xec, 0x08), NOTHING, RSP, NO, 0, 0, 0, 0x88, NO, 0 },
	{ BYTES(0x48, 0x8d, 0x24, 0x04), NOTHING, RSP, NO, 0, 0, 0, 0xc8, NO, 0 },
	{ BYTES(0xc9), LOAD, RBP, NO, 0, 0, 8, 0x78, RBP, 0x20 },
	{ BYTES(0x54), STORE, RSP, NO, 0, -8, 8, -8, NO, 0 },
	/* Other places than the registers say: mov %fs:0x28,%rcx; mov %gs:(%rdi),%rcx;
	 * mov (%edi),%ecx; mov 0x1000,%ecx */
	{ BYTES(0x64, 0x48, 0x8b, 0x0c, 0x25, 0x28, 0, 0, 0), LOAD, NO, NO, 0, 0x4000028, 8,
	  0, NO, 0 },
	{ BYTES(0x65, 0x48, 0x8b, 0x0f), LOAD, RDI, NO, 0, 0x5000, 8, 0, NO, 0 },
	{ BYTES(0x67, 0x8b, 0x0f), LOAD, RDI, NO, 0, 0x10000, 4, 0, NO, 0 },
	{ BYTES(0x8b, 0x0c, 0x25, 0, 0x10, 0, 0), LOAD, NO, NO, 0, 0x1000, 4, 0, NO, 0 },
	/* vmovups (%rsp),%ymm0, which QEMU shows in two pieces */
	{ BYTES(0xc5, 0xfc, 0x10, 0x04, 0x24), PIECES, RSP, NO, 0, 0, 16, 0, NO, 0 },
};
#define INSTRUCTION_KINDS (sizeof(block_instructions) / sizeof(block_instructions[0]))
#define FIRST_RARE 37u	/* LOCKED, and what is behind it */

/* The last one of a block: nop; jne; jmp; call; ret; jmp *%rdx */
static const struct instruction block_ends[] = {
	{ BYTES(0x90), NOTHING, RAX, NO, 0, 0, 0, 0, NO, 0 },
	{ BYTES(0x75, 0x10), NOTHING, RAX, NO, 0, 0, 0, 0, NO, 0 },
	{ BYTES(0xeb, 0x10), NOTHING, RAX, NO, 0, 0, 0, 0, NO, 0 },
	{ BYTES(0xe8, 0x10, 0, 0, 0), STORE, RSP, NO, 0, -8, 8, -8, NO, 0 },
	{ BYTES(0xc3), LOAD, RSP, NO, 0, 0, 8, 8, NO, 0 },
	{ BYTES(0xff, 0xe2), NOTHING, RAX, NO, 0, 0, 0, 0, NO, 0 },
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

struct registers { uint64_t of[R13 + 1]; };

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
	if (vpmu_callbacks_open("here", &parts, why, sizeof(why)))
		return false;
	if (vpmu_profiles())
		vpmu_callbacks_profile();
	return true;
}

/* Half of the blocks have long groups of accesses by the same registers. */
static bool is_of_group(const struct instruction *k, uint32_t group)
{
	switch (group) {
	case 0: return k->base == RSP;
	case 1: return k->base == RAX && k->index == NO;
	case 2: return k->index == RBX || k->base == RSI || k->changed == RBX;
	default: return k->base == RDI || k->base == R12 || k->base == R13;
	}
}

static const struct instruction *some_instruction(struct draws *d, uint32_t which, bool modifies)
{
	const struct instruction *k;

	do
		k = &block_instructions[draw(d, one_in(d, 4) ? INSTRUCTION_KINDS : FIRST_RARE)];
	while ((which % 2 && !is_of_group(k, which / 2 % 4)) ||
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

/* With a profile, if there is one, only FAST. */
static inline bool translate_blocks(struct random_blocks *b, int way)
{
	if (!open_machine(way))
		return false;
	for (uint32_t i = 0; i < BLOCKS; i++) {
		struct qemu_plugin_tb *tb = &b->tb[way][i];

		tb->execute = tb->then = NULL;
		for (size_t k = 0; k < tb->count; k++) {
			tb->insn[k].execute = NULL;
			tb->insn[k].access = NULL;
		}
		vpmu_callbacks_translate(tb, tb->insn[0].address);
		b->timed[i] = vpmu_timed_block_of(tb, tb->insn[0].address);
	}
	return true;
}

#define NO_SITE UINT16_MAX

/* No instruction depends on another. Blocks that were made before must not be executed any more. */
static inline void forget_producers(void)
{
	memset(vpmu_site_producer, 0xff, sizeof(vpmu_site_producer));
}

/* Makes the blocks, at this address, for machines like the one in `segment`. modifies: they have
 * instructions, or pairs of them, that load from a place and then store there. */
static inline bool make_blocks(struct random_blocks *b, struct draws *d, uint64_t at,
			       bool modifies)
{
	for (uint32_t i = 0; i < BLOCKS; i++)
		make_block(b, d, i, at + 0x90 * i + (i % 8 ? 0 : draw(d, 64)), modifies);
	return translate_blocks(b, FAST) && translate_blocks(b, GENERAL);
}

static uint64_t block_address(const struct instruction *k, const struct registers *r,
			      const struct qemu_plugin_insn *insn)
{
	uint64_t address = (uint64_t)k->constant;

	if (k->base == RIP)
		address += insn->address + insn->size;
	else if (k->base != NO)
		address += r->of[k->base];
	return address + (k->index == NO ? 0 : k->scale * r->of[k->index]);
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
	uint64_t repeated = k->what == REPEATED ? r->of[RBX] % 16 : 0;

	if (insn->execute)
		insn->execute(0, insn->execute_udata);
	accesses_made += k->what == LOCKED ? 1 : (uint64_t)loads(k->what) + stores(k->what);
	if (loads(k->what))
		accesses_shown += make_access(insn, address, k->bytes, LOADS);
	if (stores(k->what))
		accesses_shown += make_access(insn, address, k->bytes, STORES);
	for (uint32_t i = 0; k->what == PIECES && i < 2; i++)
		make_access(insn, address + i * k->bytes, k->bytes, LOADS);
	for (uint64_t i = 0; i < repeated; i++) {
		make_access(insn, r->of[RSI] + i, 1, LOADS);
		make_access(insn, r->of[RAX] + i, 1, STORES);
	}
	if (k->what == POINTER)		/* somewhere in the same 512 lines */
		r->of[RSI] = (r->of[RSI] & ~0xfffffull) +
			     (address * 0x9e3779b97f4a7c15u >> 49 & ~7ull);
	r->of[RSP] += (uint64_t)(int64_t)k->rsp_moves;
	if (k->by == ALIGNS)
		r->of[k->changed] &= ~63ull;
	else if (k->changed != NO)
		r->of[k->changed] += (uint64_t)(int64_t)k->by;
}

/* As the calling thread, vpmu_self. */
static inline void execute_block(const struct random_blocks *b, uint32_t which, int way,
				 struct registers r)
{
	const struct qemu_plugin_tb *tb = &b->tb[way][which];

	if (tb->execute)
		tb->execute(0, tb->udata);
	if (tb->then)
		tb->then(0, tb->then_udata);
	for (size_t i = 0; i < tb->count; i++)
		execute_instruction(&tb->insn[i], b->kind[which][i], &r);
}

#endif
