/* SPDX-License-Identifier: MIT */
/* Finds the memory accesses of an instruction from its bytes: vpmu_accesses_of() for one
 * instruction, vpmu_load_and_store() for a sequence of vector instructions. Translation calls both.
 * There is no state and no lock. A property that cannot be proven from the bytes is false: the
 * instruction then gets the general callback, which counts the same more slowly. */
#include "accesses.h"

#include "decoding.h"

/* ADD, OR, ADC, SBB, AND, SUB, XOR, INC, DEC, NOT and NEG of memory. */
static bool modifies(const ZydisDecodedInstruction *insn)
{
	uint8_t opcode = insn->opcode, extension = insn->raw.modrm.reg;

	if (insn->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT || !addresses_memory(insn) ||
	    (insn->attributes & ZYDIS_ATTRIB_HAS_LOCK))
		return false;
	switch (opcode & 0xfe) {
	case 0x80: case 0x82:
		return extension != 7;			/* CMP */
	case 0xf6:
		return extension == 2 || extension == 3;
	case 0xfe:
		return extension < 2;
	default:
		return opcode < 0x38 && !(opcode & 6);
	}
}

static bool is_locked(const ZydisDecodedInstruction *insn)
{
	return insn->attributes & ZYDIS_ATTRIB_HAS_LOCK;
}

/* True for an instruction that accesses no memory: its operands are general registers or a
 * constant, or it is a jump. */
static bool has_registers_alone(const ZydisDecodedInstruction *insn)
{
	switch (insn->meta.category) {
	case ZYDIS_CATEGORY_BINARY: case ZYDIS_CATEGORY_LOGICAL: case ZYDIS_CATEGORY_SHIFT:
	case ZYDIS_CATEGORY_ROTATE: case ZYDIS_CATEGORY_CMOV: case ZYDIS_CATEGORY_SETCC:
	case ZYDIS_CATEGORY_CONVERT: case ZYDIS_CATEGORY_BITBYTE: case ZYDIS_CATEGORY_DATAXFER:
		break;
	case ZYDIS_CATEGORY_NOP: case ZYDIS_CATEGORY_WIDENOP:
		return true;
	case ZYDIS_CATEGORY_COND_BR: case ZYDIS_CATEGORY_UNCOND_BR:
		return !addresses_memory(insn);
	default:
		return insn->mnemonic == ZYDIS_MNEMONIC_LEA;
	}
	if (store_of(insn) != VPMU_ORDINARY || addresses_memory(insn))
		return false;
	return insn->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT || (insn->opcode & 0xfc) != 0xa0;
}

/* PUSH, POP, CALL, RET and LEAVE, as far as their one access is to the stack. */
static bool is_of_stack(uint8_t opcode)
{
	return (opcode & 0xf0) == 0x50 || opcode == 0x68 || opcode == 0x6a || opcode == 0xc3 ||
	       opcode == 0xc9 || opcode == 0xe8;
}

/* MOV, MOVSXD, TEST, IMUL, and the eight operations that have the first opcodes; also those that
 * take a constant, and NOT, NEG, MUL and DIV. */
static bool is_plain(const ZydisDecodedInstruction *insn)
{
	uint8_t opcode = insn->opcode;

	if (insn->opcode_map == ZYDIS_OPCODE_MAP_0F)	/* MOVZX, MOVSX, IMUL */
		return (opcode & 0xf6) == 0xb6 || opcode == 0xaf;
	if (insn->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT)
		return false;
	return opcode < 0x40 || (opcode >= 0x80 && opcode <= 0x85) ||
	       (opcode >= 0x88 && opcode <= 0x8b) || (opcode & 0xfe) == 0xc6 ||
	       (opcode & 0xfe) == 0xf6 || opcode == 0x63 || opcode == 0x69 || opcode == 0x6b;
}

static bool is_vector_work(const ZydisDecodedInstruction *insn)
{
	switch (insn->meta.category) {
	case ZYDIS_CATEGORY_DATAXFER: case ZYDIS_CATEGORY_SSE: case ZYDIS_CATEGORY_LOGICAL:
	case ZYDIS_CATEGORY_LOGICAL_FP: case ZYDIS_CATEGORY_CONVERT: case ZYDIS_CATEGORY_AVX:
	case ZYDIS_CATEGORY_AVX2: case ZYDIS_CATEGORY_BROADCAST:
		return true;
	default:
		return false;
	}
}

/* True if an instruction without vector registers always makes exactly one access. */
static bool is_once(const ZydisDecodedInstruction *insn)
{
	if (insn->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY || is_locked(insn))
		return false;
	if (addresses_memory(insn))
		return is_plain(insn) || modifies(insn);
	return insn->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && is_of_stack(insn->opcode);
}

static bool is_general(ZydisRegister reg)
{
	ZydisRegisterClass class = ZydisRegisterGetClass(reg);

	return class >= ZYDIS_REGCLASS_GPR8 && class <= ZYDIS_REGCLASS_GPR64;
}

/* General registers that the instruction writes, implicit ones too: a bit each. */
static uint16_t written(const struct decoded *d)
{
	uint32_t bits = 0;

	for (int i = 0; i < d->insn.operand_count; i++) {
		const ZydisDecodedOperand *o = &d->operands[i];

		if (o->type == ZYDIS_OPERAND_TYPE_REGISTER && is_general(o->reg.value) &&
		    (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			bits |= 1u << general_number(o->reg.value);
	}
	return (uint16_t)bits;
}

static void look_at_operands(const struct decoded *d, struct vpmu_accesses *a)
{
	const ZydisDecodedOperand *memory = memory_operand(d);

	a->once = a->once || (a->vector && a->store == VPMU_ORDINARY && is_vector_work(&d->insn) &&
			      memory && memory->size <= 128);
	a->writes = written(d);
}

struct vpmu_accesses vpmu_accesses_of(const uint8_t *bytes, size_t count)
{
	struct vpmu_accesses a = { .store = VPMU_ORDINARY };
	ZydisDecoderContext context;
	ZydisDecoder decoder;
	struct decoded d;

	if (!decode_without_operands(bytes, count, &decoder, &context, &d.insn) ||
	    !is_executed(&d.insn))
		return a;
	a.store = store_of(&d.insn);
	a.prefetch = prefetch_of(&d.insn);
	a.vector = is_vector(&d.insn);
	a.modifies = modifies(&d.insn);
	a.none = a.vector ? has_no_access(&d.insn) : has_registers_alone(&d.insn);
	a.once = !a.vector && is_once(&d.insn);
	if (!a.none && !a.once && !(a.vector && addresses_memory(&d.insn)))
		return a;
	if (decode_operands(&decoder, &context, &d))
		look_at_operands(&d, &a);
	else
		a.none = a.once = false;
	return a;
}

size_t vpmu_instruction_size(const uint8_t *bytes, size_t count)
{
	ZydisDecodedInstruction insn;
	ZydisDecoderContext context;
	ZydisDecoder decoder;

	return decode_without_operands(bytes, count, &decoder, &context, &insn) ? insn.length : 0;
}

/* ---- a load and a store of the same place */

static bool is_same_place(const ZydisDecodedOperand *a, const ZydisDecodedOperand *b)
{
	return a->size == b->size && a->mem.segment == b->mem.segment &&
	       a->mem.base == b->mem.base && a->mem.index == b->mem.index &&
	       a->mem.scale == b->mem.scale && a->mem.disp.value == b->mem.disp.value &&
	       a->mem.base != ZYDIS_REGISTER_RIP;
}

static bool is_only(const ZydisDecodedOperand *memory, ZydisOperandActions action)
{
	return memory && memory->mem.type == ZYDIS_MEMOP_TYPE_MEM && memory->actions == action;
}

bool vpmu_load_and_store(const struct vpmu_code *code, size_t instructions)
{
	struct decoded first, d;

	if (!decode(code[0].bytes, code[0].count, &first) || written(&first) ||
	    !is_only(memory_operand(&first), ZYDIS_OPERAND_ACTION_READ))
		return false;
	for (size_t i = 1; i < instructions; i++)
		if (!decode(code[i].bytes, code[i].count, &d) || written(&d))
			return false;
	return is_only(memory_operand(&d), ZYDIS_OPERAND_ACTION_WRITE) &&
	       is_same_place(memory_operand(&first), memory_operand(&d));
}
