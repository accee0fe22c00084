/* SPDX-License-Identifier: MIT */
/* Decodes where an instruction's one access goes: vpmu_address_of() returns it as registers plus a
 * constant, vpmu_stack_moves() returns by how much an instruction changes RSP. access_groups.c
 * compares these to find accesses at a constant distance. There is no state and no lock. Both
 * functions return false whenever the sum is not exactly what the processor computes. */
#include "addresses.h"

#include "decoding.h"

static const ZydisDecodedOperand *any_memory_operand(const struct decoded *d)
{
	for (int i = 0; i < d->insn.operand_count; i++)
		if (d->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
			return &d->operands[i];
	return NULL;
}

static bool is_64_bit(ZydisRegister reg)
{
	return ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_GPR64;
}

static bool is_flat(const struct decoded *d, const ZydisDecodedOperand *memory)
{
	return memory->mem.type == ZYDIS_MEMOP_TYPE_MEM && d->insn.address_width == 64 &&
	       (memory->mem.segment == ZYDIS_REGISTER_DS ||
		memory->mem.segment == ZYDIS_REGISTER_SS);
}

static bool put_registers(const ZydisDecodedOperand *memory, uint64_t end, struct vpmu_address *a)
{
	ZydisRegister base = memory->mem.base, index = memory->mem.index;

	a->constant = (uint64_t)memory->mem.disp.value;
	a->base = a->index = VPMU_NO_REGISTER;
	if (base == ZYDIS_REGISTER_RIP) {
		a->constant += end;
		return true;
	}
	a->base = general_number(base);
	if (index == ZYDIS_REGISTER_NONE)
		return is_64_bit(base);
	a->index = general_number(index);
	a->scale = memory->mem.scale;
	return is_64_bit(base) && is_64_bit(index);
}

static bool put_size(uint32_t bits, struct vpmu_address *a)
{
	while (a->shift < 4 && 8u << a->shift < bits)
		a->shift++;
	return 8u << a->shift == bits;
}

/* PUSH and CALL name no place: theirs is below RSP. */
static bool pushes(const ZydisDecodedInstruction *insn)
{
	return insn->mnemonic == ZYDIS_MNEMONIC_PUSH || insn->mnemonic == ZYDIS_MNEMONIC_CALL;
}

static bool pops(const ZydisDecodedInstruction *insn)
{
	return insn->mnemonic == ZYDIS_MNEMONIC_POP || insn->mnemonic == ZYDIS_MNEMONIC_RET;
}

static bool put_stack(const ZydisDecodedOperand *memory, uint64_t constant,
		      struct vpmu_address *a)
{
	*a = (struct vpmu_address){ .base = VPMU_RSP, .index = VPMU_NO_REGISTER,
				    .constant = constant,
				    .stores = memory->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE };
	return put_size(memory->size, a);
}

bool vpmu_address_of(struct vpmu_code code, uint64_t end, struct vpmu_address *a)
{
	const ZydisDecodedOperand *memory;
	struct decoded d;

	if (!decode(code.bytes, code.count, &d))
		return false;
	memory = any_memory_operand(&d);
	if (!memory || memory->mem.base == ZYDIS_REGISTER_NONE)
		return false;
	if (memory != memory_operand(&d) && pushes(&d.insn))
		return put_stack(memory, -(uint64_t)(memory->size / 8), a);
	if (memory != memory_operand(&d))
		return pops(&d.insn) && put_stack(memory, 0, a);
	*a = (struct vpmu_address){ .stores = memory->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE };
	return is_flat(&d, memory) && put_registers(memory, end, a) && put_size(memory->size, a);
}

static bool is_rsp(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operand->reg.value == ZYDIS_REGISTER_RSP;
}

static bool is_sum(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.base == ZYDIS_REGISTER_RSP &&
	       o->mem.index == ZYDIS_REGISTER_NONE;
}

/* True for ADD, SUB or LEA of a constant to RSP. */
static bool calculates(const struct decoded *d, int64_t *by)
{
	const ZydisDecodedOperand *from = &d->operands[1];

	if (d->insn.operand_count_visible != 2 || !is_rsp(&d->operands[0]))
		return false;
	if (d->insn.mnemonic == ZYDIS_MNEMONIC_LEA && d->insn.address_width == 64 && is_sum(from))
		*by = from->mem.disp.value;
	else if (from->type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return false;
	else if (d->insn.mnemonic == ZYDIS_MNEMONIC_ADD)
		*by = from->imm.value.s;
	else if (d->insn.mnemonic == ZYDIS_MNEMONIC_SUB)
		*by = -from->imm.value.s;
	else
		return false;
	return true;
}

bool vpmu_stack_moves(struct vpmu_code code, int64_t *by)
{
	const ZydisDecodedOperand *memory;
	struct decoded d;

	if (!decode(code.bytes, code.count, &d))
		return false;
	memory = any_memory_operand(&d);
	if (!pushes(&d.insn) && !pops(&d.insn))
		return calculates(&d, by);
	if (!memory || memory == memory_operand(&d) || is_rsp(&d.operands[0]))
		return false;
	*by = pushes(&d.insn) ? -(int64_t)(memory->size / 8) : memory->size / 8;
	return true;
}
