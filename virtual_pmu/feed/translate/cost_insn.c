/* SPDX-License-Identifier: MIT */
/* Decodes instructions for block_cost.c. vpmu_cost_insns_of() is the entry point. Decoding takes
 * half a microsecond, so results are kept by the bytes before an address's constant: prefixes,
 * opcode, ModRM and SIB determine everything here. Threads share the table under a lock. A thread
 * that does not get the lock decodes each instruction, so that none waits. */
#include "cost_insn.h"

#include <pthread.h>
#include <string.h>

#include "addresses.h"
#include "chains.h"
#include "cost_class.h"

/* ---- registers ---- */

/* The number of chains.h; -1: none, as RIP's. */
static int register_number(ZydisRegister reg)
{
	ZydisRegisterClass class = ZydisRegisterGetClass(reg);
	int id = ZydisRegisterGetId(reg);

	switch (class) {
	case ZYDIS_REGCLASS_GPR8: case ZYDIS_REGCLASS_GPR16: case ZYDIS_REGCLASS_GPR32:
	case ZYDIS_REGCLASS_GPR64:
		return (int)general_number(reg);
	case ZYDIS_REGCLASS_XMM: case ZYDIS_REGCLASS_YMM:
		return VPMU_CHAIN_VECTORS + (id & 15);
	case ZYDIS_REGCLASS_MMX: case ZYDIS_REGCLASS_X87:
		return VPMU_CHAIN_X87;
	default:
		return -1;
	}
}

/* True for the implicit change of RSP, which the stack engine does without a micro-operation. */
static bool is_stack_engine(const ZydisDecodedOperand *o)
{
	return o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
	       register_number(o->reg.value) == VPMU_RSP;
}

static void put_register(const ZydisDecodedOperand *o, struct vpmu_cost_insn *c)
{
	int number = register_number(o->reg.value);
	bool part = ZydisRegisterGetClass(o->reg.value) == ZYDIS_REGCLASS_GPR8 ||
		    ZydisRegisterGetClass(o->reg.value) == ZYDIS_REGCLASS_GPR16;

	if (number < 0 || is_stack_engine(o))
		return;
	if (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
		c->reads |= 1ull << number;
	if (!(o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
		return;
	c->writes |= 1ull << number;
	if (part)	/* merged with the rest of the register */
		c->reads |= 1ull << number;
}

static uint8_t address_register(ZydisRegister reg)
{
	int number = register_number(reg);

	return (uint8_t)(number < 0 ? (int)VPMU_NO_REGISTER : number);
}

static void put_memory(const ZydisDecodedOperand *o, struct vpmu_cost_insn *c)
{
	c->base = address_register(o->mem.base);
	c->index = address_register(o->mem.index);
	c->scale = o->mem.scale;
	c->relative = o->mem.base == ZYDIS_REGISTER_RIP;
	c->segment = o->mem.segment == ZYDIS_REGISTER_FS || o->mem.segment == ZYDIS_REGISTER_GS;
	c->hidden = o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
	if (c->base < VPMU_NO_REGISTER && !(c->hidden && c->base == VPMU_RSP))
		c->address |= (uint16_t)(1u << c->base);
	if (c->index < VPMU_NO_REGISTER)
		c->address |= (uint16_t)(1u << c->index);
	else if (c->index > VPMU_NO_REGISTER)	/* a gather's vector */
		c->reads |= 1ull << c->index;
	if (o->mem.type == ZYDIS_MEMOP_TYPE_AGEN) {	/* LEA: no access */
		c->reads |= c->address;
		c->address = 0;
		return;
	}
	c->loads |= (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
	c->stores |= (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
}

static void put_operands(const struct decoded *d, struct vpmu_cost_insn *c)
{
	const ZydisAccessedFlags *flags = d->insn.cpu_flags;

	c->base = c->index = VPMU_NO_REGISTER;
	for (int i = 0; i < d->insn.operand_count; i++) {
		const ZydisDecodedOperand *o = &d->operands[i];

		if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
			put_register(o, c);
		else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY)
			put_memory(o, c);
	}
	if (!flags)
		return;
	if (flags->tested)
		c->reads |= 1ull << VPMU_CHAIN_FLAGS;
	if (flags->modified | flags->set_0 | flags->set_1 | flags->undefined)
		c->writes |= 1ull << VPMU_CHAIN_FLAGS;
}

/* ---- exceptions from what operands say ---- */

/* Scalar instructions that keep the rest of their target. */
static bool merges(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_SQRTSS: case ZYDIS_MNEMONIC_SQRTSD: case ZYDIS_MNEMONIC_RCPSS:
	case ZYDIS_MNEMONIC_RSQRTSS: case ZYDIS_MNEMONIC_ROUNDSS: case ZYDIS_MNEMONIC_ROUNDSD:
	case ZYDIS_MNEMONIC_CVTSI2SS: case ZYDIS_MNEMONIC_CVTSI2SD:
	case ZYDIS_MNEMONIC_CVTSS2SD: case ZYDIS_MNEMONIC_CVTSD2SS:
		return true;
	default:
		return false;
	}
}

static bool zeroes(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_XOR: case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_PXOR: case ZYDIS_MNEMONIC_XORPS: case ZYDIS_MNEMONIC_XORPD:
	case ZYDIS_MNEMONIC_PSUBB: case ZYDIS_MNEMONIC_PSUBW: case ZYDIS_MNEMONIC_PSUBD:
	case ZYDIS_MNEMONIC_PSUBQ: case ZYDIS_MNEMONIC_PCMPGTB: case ZYDIS_MNEMONIC_PCMPGTW:
	case ZYDIS_MNEMONIC_PCMPGTD:
	case ZYDIS_MNEMONIC_VPXOR: case ZYDIS_MNEMONIC_VXORPS: case ZYDIS_MNEMONIC_VXORPD:
	case ZYDIS_MNEMONIC_VPSUBB: case ZYDIS_MNEMONIC_VPSUBW: case ZYDIS_MNEMONIC_VPSUBD:
	case ZYDIS_MNEMONIC_VPSUBQ: case ZYDIS_MNEMONIC_VPCMPGTB: case ZYDIS_MNEMONIC_VPCMPGTW:
	case ZYDIS_MNEMONIC_VPCMPGTD:
		return true;
	default:
		return false;
	}
}

/* 248966, "Dependency Breaking Idioms": the same register twice, and no part of one. */
static bool is_zeroing(const struct decoded *d)
{
	int last = d->insn.operand_count_visible - 1;
	const ZydisDecodedOperand *a = &d->operands[last - 1], *b = &d->operands[last];

	return last >= 1 && zeroes(d->insn.mnemonic) && a->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       b->type == ZYDIS_OPERAND_TYPE_REGISTER && a->reg.value == b->reg.value &&
	       a->size >= 32 && ZydisRegisterGetClass(a->reg.value) != ZYDIS_REGCLASS_MMX;
}

/* 248966, "Optimizing for Macro-fusion". Memory together with a constant does not fuse. */
static enum vpmu_fusion fusion_of(const struct decoded *d, const struct vpmu_cost_insn *c)
{
	bool constant = d->operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

	if (c->stores || (c->loads && (constant || c->relative)))
		return VPMU_FUSES_NOT;
	switch (d->insn.mnemonic) {
	case ZYDIS_MNEMONIC_TEST: case ZYDIS_MNEMONIC_AND:
		return VPMU_FUSES_ALL;
	case ZYDIS_MNEMONIC_CMP: case ZYDIS_MNEMONIC_ADD: case ZYDIS_MNEMONIC_SUB:
		return VPMU_FUSES_MOST;
	case ZYDIS_MNEMONIC_INC: case ZYDIS_MNEMONIC_DEC:
		return VPMU_FUSES_ZERO;
	default:
		return VPMU_FUSES_NOT;
	}
}

static int8_t stack_change(const struct decoded *d)
{
	switch (d->insn.mnemonic) {
	case ZYDIS_MNEMONIC_PUSH: case ZYDIS_MNEMONIC_CALL: case ZYDIS_MNEMONIC_PUSHFQ:
		return -8;
	case ZYDIS_MNEMONIC_POP: case ZYDIS_MNEMONIC_RET: case ZYDIS_MNEMONIC_POPFQ:
		return 8;
	default:
		return 0;
	}
}

static enum vpmu_load_width width_of(const struct decoded *d)
{
	if (!is_vector(&d->insn) && d->insn.meta.isa_ext != ZYDIS_ISA_EXT_FMA)
		return VPMU_LOAD_GENERAL;
	return d->insn.avx.vector_length == 256 ? VPMU_LOAD_YMM : VPMU_LOAD_VECTOR;
}

static void put_constant(const struct decoded *d, struct vpmu_cost_insn *c)
{
	const ZydisDecodedInstruction *insn = &d->insn;
	uint8_t bits;

	c->jumps = d->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
		   d->operands[0].imm.is_relative;
	c->constant_at = c->jumps ? insn->raw.imm[0].offset : insn->raw.disp.offset;
	bits = c->jumps ? insn->raw.imm[0].size : insn->raw.disp.size;
	c->constant_bytes = bits / 8;
}

static struct vpmu_cost_insn decode_insn(struct vpmu_code code)
{
	struct vpmu_cost_insn c;
	struct decoded d;

	memset(&c, 0, sizeof(c));
	c.class = VPMU_COST_UNKNOWN;
	c.base = c.index = VPMU_NO_REGISTER;
	if (!decode(code.bytes, code.count, &d) || !is_executed(&d.insn))
		return c;
	c.class = (uint8_t)vpmu_cost_class_of(&d);
	put_operands(&d, &c);
	put_constant(&d, &c);
	c.load_width = (uint8_t)width_of(&d);
	c.fusion = (uint8_t)fusion_of(&d, &c);
	c.stack = stack_change(&d);
	if (d.insn.meta.category == ZYDIS_CATEGORY_WIDENOP) {
		c.loads = false;
		c.reads = c.address = 0;
	}
	if (merges(d.insn.mnemonic))
		c.reads |= c.writes;
	if (is_zeroing(&d)) {
		c.reads = 0;
		c.class = VPMU_COST_COPY;
		c.renamed = true;
	}
	return c;
}

/* ---- the table ---- */

#define ENTRIES_LOG 12
#define KEY_BYTES 7u

static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0x66: case 0x67:
	case 0xf0: case 0xf2: case 0xf3:
		return true;
	default:
		return (byte & 0xf0) == 0x40;
	}
}

/* Bytes up to an opcode, that included. */
static size_t opcode_end(const uint8_t *bytes, size_t count)
{
	size_t at = 0;

	while (at < count && is_prefix(bytes[at]))
		at++;
	if (at < count && (bytes[at] == 0xc5 || bytes[at] == 0xc4))
		return at + (bytes[at] == 0xc5 ? 3 : 4);
	if (at < count && bytes[at] == 0x0f) {
		at++;
		if (at < count && bytes[at] == 0x0f)
			return count + 1;	/* 3DNow!, whose opcode comes last */
		if (at < count && (bytes[at] == 0x38 || bytes[at] == 0x3a))
			at++;
	}
	return at + 1;
}

/* VBLENDVPS, VBLENDVPD and VPBLENDVB, whose last byte names a register. */
static bool has_register_in_constant(struct vpmu_code code)
{
	const uint8_t *b = code.bytes;

	return code.count > 3 && b[0] == 0xc4 && (b[1] & 0x1f) == 3 && b[3] >= 0x4a && b[3] <= 0x4c;
}

/* Bytes that determine an instruction, but for its constants. Where there is no ModRM, the byte in
 * its place is in the key, too: that only makes more keys. 0: too many, or the constant counts. */
static uint64_t key_of(struct vpmu_code code)
{
	size_t end = opcode_end(code.bytes, code.count);
	uint64_t key = code.count;

	if (end < code.count) {
		uint8_t modrm = code.bytes[end++];

		if (modrm < 0xc0 && (modrm & 7) == 4 && end < code.count)
			end++;
	}
	if (end > KEY_BYTES || end > code.count || has_register_in_constant(code))
		return 0;
	for (size_t i = 0; i < end; i++)
		key |= (uint64_t)code.bytes[i] << (8 * (i + 1));
	return key;
}

struct known { uint64_t key; struct vpmu_cost_insn insn; };

static const struct vpmu_cost_insn *find_known(struct known *known, struct vpmu_code code,
					       uint64_t key)
{
	struct known *k = &known[key * 0x9e3779b97f4a7c15u >> (64 - ENTRIES_LOG)];

	if (k->key != key) {
		k->insn = decode_insn(code);
		k->key = key;
	}
	return &k->insn;
}

void vpmu_cost_insns_of(const struct vpmu_code *code, uint32_t count, struct vpmu_cost_insn *insns)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct known known[1 << ENTRIES_LOG];
	bool locked = pthread_mutex_trylock(&lock) == 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t key = locked ? key_of(code[i]) : 0;

		insns[i] = key ? *find_known(known, code[i], key) : decode_insn(code[i]);
	}
	if (locked)
		pthread_mutex_unlock(&lock);
}
