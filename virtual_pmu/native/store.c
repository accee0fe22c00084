/* SPDX-License-Identifier: MIT */
/* Decodes the store that has faulted on the window. vpmu_store_decode() is the entry point, called
 * in a signal handler, so it has no state, allocates nothing and takes no lock. It decodes the
 * stores that compilers make, and refuses all others rather than guess. Instruction formats: SDM
 * volume 2, chapter 2; the opcodes' pages in chapters 3 to 5. */
#include "store.h"

struct store_reading {
	const uint8_t *at;
	uint8_t rex, modrm;
};

enum operation { MOVE, OR, AND, XOR, NONE };

static uint8_t next(struct store_reading *r)
{
	return *r->at++;
}

static int32_t next_word(struct store_reading *r)
{
	uint32_t word = 0;

	for (int i = 0; i < 4; i++)
		word |= (uint32_t)next(r) << 8 * i;
	return (int32_t)word;
}

/* Segment overrides and branch hints change nothing here; other prefixes make other
 * instructions. */
static void skip_prefixes(struct store_reading *r)
{
	while (*r->at == 0x2e || *r->at == 0x3e || *r->at == 0x26 || *r->at == 0x36)
		r->at++;
	if (*r->at >> 4 == 4)
		r->rex = next(r);
}

/* Skips ModRM, SIB and displacement. False: the operand is a register. */
static bool skip_address(struct store_reading *r)
{
	uint8_t mode, base;

	r->modrm = next(r);
	mode = r->modrm >> 6;
	base = r->modrm & 7;
	if (mode == 3)
		return false;
	if (base == 4)
		base = next(r) & 7;
	else if (mode == 0 && base == 5)
		base = 8;	/* relative to RIP: 32 bits follow as with SIB's base 5 */
	if (mode == 1)
		r->at += 1;
	else if (mode == 2 || base == 8 || (mode == 0 && base == 5))
		r->at += 4;
	return true;
}

static enum operation of_register(struct store_reading *r, uint8_t opcode)
{
	switch (opcode) {
	case 0x89: return MOVE;
	case 0x09: return OR;
	case 0x21: return AND;
	case 0x31: return XOR;
	case 0x0f: return next(r) == 0xc3 ? MOVE : NONE;	/* MOVNTI */
	default: return NONE;
	}
}

static enum operation of_immediate(uint8_t opcode, uint8_t modrm)
{
	uint8_t which = modrm >> 3 & 7;

	if (opcode == 0xc7)
		return which == 0 ? MOVE : NONE;
	return which == 1 ? OR : which == 4 ? AND : which == 6 ? XOR : NONE;
}

static bool has_immediate(uint8_t opcode)
{
	return opcode == 0xc7 || opcode == 0x81 || opcode == 0x83;
}

static uint64_t flags_of(uint64_t value, uint32_t bytes)
{
	uint64_t flags = 0;

	if (!value)
		flags |= 0x40;
	if (value >> (8 * bytes - 1) & 1)
		flags |= 0x80;
	if (!__builtin_parity((uint32_t)value & 0xff))
		flags |= 4;
	return flags;
}

static void apply(enum operation operation, uint64_t there, struct vpmu_decoded_store *out)
{
	out->value = operation == OR ? there | out->value :
		     operation == AND ? there & out->value :
		     operation == XOR ? there ^ out->value : out->value;
	if (out->bytes == 4)
		out->value = (uint32_t)out->value;
	out->flags_set = operation != MOVE;
	out->flags = flags_of(out->value, out->bytes);
}

bool vpmu_store_decode(const uint8_t *code, const struct vpmu_registers *r, uint64_t there,
		       struct vpmu_decoded_store *out)
{
	struct store_reading at = { .at = code };
	enum operation operation;
	uint8_t opcode;

	skip_prefixes(&at);
	opcode = next(&at);
	operation = has_immediate(opcode) ? MOVE : of_register(&at, opcode);
	if (operation == NONE || !skip_address(&at))
		return false;
	if (has_immediate(opcode)) {
		operation = of_immediate(opcode, at.modrm);
		out->value = opcode == 0x83 ? (uint64_t)(int8_t)next(&at) :
					      (uint64_t)next_word(&at);
	} else {
		out->value = r->general[(at.modrm >> 3 & 7) | (at.rex & 4) << 1];
	}
	out->bytes = at.rex & 8 ? 8 : 4;
	out->length = (uint32_t)(at.at - code);
	apply(operation, there, out);
	return operation != NONE;
}
