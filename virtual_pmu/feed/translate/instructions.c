/* SPDX-License-Identifier: MIT */
/* Sorts instructions into the classes that core events need. vpmu_class_of() is the entry point,
 * called once per translated instruction; instructions.h has the rules. Type and unit follow from
 * Intel's mnemonics, so that new instructions need no table. There is no state and no lock. */
#include "instructions.h"

#include <string.h>

#include "decoding.h"

/* The instruction's first visible operand is where its result goes. */
static bool goes_to_register(const struct decoded *d)
{
	return d->insn.operand_count_visible && d->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER;
}

static bool has_register_of(const struct decoded *d, ZydisRegisterClass class)
{
	for (int i = 0; i < d->insn.operand_count_visible; i++)
		if (d->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    ZydisRegisterGetClass(d->operands[i].reg.value) == class)
			return true;
	return false;
}

/* True if a move is a plain load. MOV to a segment register does more than that. */
static bool is_load(const struct decoded *d)
{
	return memory_operand(d) && goes_to_register(d) &&
	       !has_register_of(d, ZYDIS_REGCLASS_SEGMENT);
}

/* ---- SIMD: by Intel's names, from which operation and type follow */

static bool name_begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

static bool begins_one_of(const char *name, const char *const *with)
{
	for (; *with; with++)
		if (name_begins(name, *with))
			return true;
	return false;
}

/* Without the V of VEX, so that both forms of an instruction have one name. */
static const char *simd_name(const struct decoded *d)
{
	const char *name = ZydisMnemonicGetString(d->insn.mnemonic);

	return name && d->insn.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX && *name == 'v' ?
		name + 1 : name;
}

static bool is_move(const char *name)
{
	static const char *const moves[] = { "mov", "lddqu", "maskmov", "pmaskmov", "broadcast",
					     "pbroadcast", NULL };

	return begins_one_of(name, moves) && !name_begins(name, "movmsk");
}

static enum vpmu_unit unit_of_type(const char *type)
{
	static const struct { char name[3]; enum vpmu_unit unit; } types[] = {
		{ "ps", VPMU_UNIT_PACKED_SINGLE }, { "pd", VPMU_UNIT_PACKED_DOUBLE },
		{ "ss", VPMU_UNIT_SCALAR_SINGLE }, { "sd", VPMU_UNIT_SCALAR_DOUBLE },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (name_begins(type, types[i].name))
			return types[i].unit;
	return VPMU_UNIT_NONE;
}

/* A conversion's name has the type that it converts from before a 2: "cvtps2dq", "cvttsd2si". */
static enum vpmu_unit conversion_unit(const char *name)
{
	const char *two = strchr(name, '2');
	enum vpmu_unit from = two ? unit_of_type(two - 2) : VPMU_UNIT_NONE;

	return from ? from : unit_of_type(name + strlen(name) - 2);
}

/* Names of integer instructions begin with P, but for the permutations of floating point types. */
static enum vpmu_unit arithmetic_unit(const char *name)
{
	enum vpmu_unit unit = VPMU_UNIT_NONE;

	if (name_begins(name, "cvt"))
		return conversion_unit(name);
	if (strstr(name, "f128"))
		return VPMU_UNIT_PACKED_DOUBLE;
	if (*name != 'p' || name_begins(name, "perm"))
		unit = unit_of_type(name + strlen(name) - 2);
	return unit ? unit : VPMU_UNIT_SSE_INTEGER;
}

/* The duplicating moves are of singles, but for MOVDDUP. */
static enum vpmu_unit moved_unit(const char *name)
{
	enum vpmu_unit unit = unit_of_type(name + strlen(name) - 2);

	if (strstr(name, "dup"))
		unit = name_begins(name, "movdd") ? VPMU_UNIT_PACKED_DOUBLE :
						    VPMU_UNIT_PACKED_SINGLE;
	return unit ? unit : VPMU_UNIT_SSE_INTEGER;
}

static uint32_t move_elements(const char *name, uint32_t longs)
{
	static const struct { const char *name; uint32_t elements; bool by_length; } moves[] = {
		{ "movss", 1, false }, { "movsd", 1, false }, { "movd", 1, false },
		{ "movq", 1, false }, { "movlpd", 1, false }, { "movhpd", 1, false },
		{ "movq2dq", 1, false }, { "movdq2q", 1, false },
		{ "movlps", 2, false }, { "movhps", 2, false }, { "movhlps", 2, false },
		{ "movlhps", 2, false },
		{ "movapd", 2, true }, { "movupd", 2, true }, { "movntpd", 2, true },
		{ "movddup", 2, true },
	};

	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
		if (strcmp(name, moves[i].name) == 0)
			return moves[i].elements * (moves[i].by_length ? longs : 1);
	return 4 * longs;
}

static uint32_t simd_elements(const char *name, enum vpmu_unit unit, uint32_t longs)
{
	switch (unit) {
	case VPMU_UNIT_SCALAR_SINGLE: case VPMU_UNIT_SCALAR_DOUBLE:
		return 1;
	case VPMU_UNIT_PACKED_DOUBLE:
		return 2 * longs;
	case VPMU_UNIT_MOVE:
		return move_elements(name, longs);
	default:
		return 4 * longs;
	}
}

/* By the names of floating point instructions; those of integer ones begin with P. */
static bool computes(const char *name, enum vpmu_unit unit)
{
	static const char *const names[] = {
		"add", "sub", "hadd", "hsub", "mul", "div", "dpp", "fm", "fnm", "sqrt", "rsqrt",
		"rcp", "min", "max", "cmp", "comis", "ucomis", "round", "cvt", NULL,
	};

	return unit >= VPMU_UNIT_PACKED_SINGLE && begins_one_of(name, names);
}

/* Additions to divisions, extremes and roots; reciprocals, sums of neighbours. No comparisons,
 * conversions, roundings, logic or moves. */
static uint32_t operations(const char *name, enum vpmu_unit unit)
{
	static const char *const once[] = {
		"add", "sub", "hadd", "hsub", "mul", "div", "sqrt", "rsqrt", "rcp", "min", "max",
		NULL,
	};
	static const char *const twice[] = { "dpp", "fmadd", "fmsub", "fnmadd", "fnmsub", NULL };

	if (unit < VPMU_UNIT_PACKED_SINGLE)
		return 0;
	return begins_one_of(name, twice) ? 2 : begins_one_of(name, once);
}

static void classify_simd(const struct decoded *d, struct vpmu_class *c)
{
	static const char *const multiplies[] = { "mul", "pmul", "pmadd", "dpp", "fmadd", "fmsub",
						  "fnmadd", "fnmsub", "pdp", NULL };
	static const char *const divides[] = { "div", "sqrt", NULL };
	const char *name = simd_name(d);
	bool conversion = name_begins(name, "cvt");

	c->vector = conversion || has_register_of(d, ZYDIS_REGCLASS_XMM) ||
		    has_register_of(d, ZYDIS_REGCLASS_YMM);
	if (!c->vector && !has_register_of(d, ZYDIS_REGCLASS_MMX) &&
	    d->insn.mnemonic != ZYDIS_MNEMONIC_EMMS)
		return;
	c->unit = is_move(name) ? VPMU_UNIT_MOVE : arithmetic_unit(name);
	if (c->unit == VPMU_UNIT_SSE_INTEGER && !c->vector)
		c->unit = VPMU_UNIT_MMX;
	if (c->unit == VPMU_UNIT_MOVE && c->vector)
		c->moved = moved_unit(name);
	if (c->vector)
		c->elements = simd_elements(name, c->unit,
					    d->insn.avx.vector_length == 256 ? 2 : 1);
	c->multiply = begins_one_of(name, multiplies);
	c->divide = begins_one_of(name, divides);
	c->computes = computes(name, c->unit);
	c->operations = operations(name, c->unit);
	c->wide = d->insn.avx.vector_length == 256;
	c->plain_load = c->unit == VPMU_UNIT_MOVE && is_load(d);
	c->many = d->insn.meta.category == ZYDIS_CATEGORY_GATHER ||
		  d->insn.meta.category == ZYDIS_CATEGORY_AVX2GATHER;
}

/* ---- x87 */

static bool is_x87(const struct decoded *d)
{
	return d->insn.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && d->insn.opcode >= 0xd8 &&
	       d->insn.opcode <= 0xdf;
}

static bool x87_computes(const char *name)
{
	static const char *const names[] = {
		"fadd", "fiadd", "fsub", "fisub", "fmul", "fimul", "fdiv", "fidiv", "fsqrt",
		"fprem", "fcom", "ficom", "fucom", "ftst", "frndint", "fscale", "fxtract",
		"fsin", "fcos", "fptan", "fpatan", "f2xm1", "fyl2x", NULL,
	};

	return begins_one_of(name, names);
}

static void classify_x87(const struct decoded *d, struct vpmu_class *c)
{
	c->unit = VPMU_UNIT_X87;
	c->computes = x87_computes(ZydisMnemonicGetString(d->insn.mnemonic));
	switch (d->insn.mnemonic) {
	case ZYDIS_MNEMONIC_FLD: case ZYDIS_MNEMONIC_FILD: case ZYDIS_MNEMONIC_FBLD:
		c->plain_load = memory_operand(d) != NULL;
		c->unit = VPMU_UNIT_MOVE;
		break;
	case ZYDIS_MNEMONIC_FST: case ZYDIS_MNEMONIC_FSTP: case ZYDIS_MNEMONIC_FXCH:
	case ZYDIS_MNEMONIC_FIST: case ZYDIS_MNEMONIC_FISTP: case ZYDIS_MNEMONIC_FISTTP:
	case ZYDIS_MNEMONIC_FBSTP:
		c->unit = VPMU_UNIT_MOVE;
		break;
	case ZYDIS_MNEMONIC_FMUL: case ZYDIS_MNEMONIC_FMULP: case ZYDIS_MNEMONIC_FIMUL:
		c->multiply = true;
		break;
	case ZYDIS_MNEMONIC_FDIV: case ZYDIS_MNEMONIC_FDIVP: case ZYDIS_MNEMONIC_FIDIV:
	case ZYDIS_MNEMONIC_FDIVR: case ZYDIS_MNEMONIC_FDIVRP: case ZYDIS_MNEMONIC_FIDIVR:
	case ZYDIS_MNEMONIC_FSQRT:
		c->divide = true;
		break;
	default:
		break;
	}
}

/* ---- the rest */

static enum vpmu_branch branch_of(const struct decoded *d)
{
	bool direct = d->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

	switch (d->insn.meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return VPMU_CONDITIONAL;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return direct ? VPMU_JUMP : VPMU_JUMP_INDIRECT;
	case ZYDIS_CATEGORY_CALL:
		return direct ? VPMU_CALL : VPMU_CALL_INDIRECT;
	case ZYDIS_CATEGORY_RET:
		return VPMU_RETURN;
	default:
		return VPMU_NO_BRANCH;
	}
}

static void classify_string(const struct decoded *d, struct vpmu_class *c)
{
	c->repeated = d->insn.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
					    ZYDIS_ATTRIB_HAS_REPNE);
	c->many = (d->insn.opcode & 0xfe) == 0xa6;	/* CMPS has two sources */
}

static void classify_plain(const struct decoded *d, struct vpmu_class *c)
{
	switch (d->insn.mnemonic) {
	case ZYDIS_MNEMONIC_MOV: case ZYDIS_MNEMONIC_MOVSX: case ZYDIS_MNEMONIC_MOVSXD:
	case ZYDIS_MNEMONIC_MOVZX: case ZYDIS_MNEMONIC_MOVBE:
		c->plain_load = is_load(d);
		break;
	case ZYDIS_MNEMONIC_MUL: case ZYDIS_MNEMONIC_IMUL: case ZYDIS_MNEMONIC_MULX:
		c->multiply = true;
		break;
	case ZYDIS_MNEMONIC_DIV: case ZYDIS_MNEMONIC_IDIV:
		c->divide = true;
		break;
	case ZYDIS_MNEMONIC_XCHG:
		c->locked |= memory_operand(d) != NULL;
		break;
	default:
		c->prefetch = prefetch_of(&d->insn);
		break;
	}
}

struct vpmu_class vpmu_class_of(const uint8_t *bytes, size_t count)
{
	struct vpmu_class c;
	struct decoded d;

	memset(&c, 0, sizeof(c));
	if (!decode(bytes, count, &d) || !is_executed(&d.insn))
		return c;
	c.locked = d.insn.attributes & ZYDIS_ATTRIB_HAS_LOCK;
	c.branch = branch_of(&d);
	c.store = store_of(&d.insn);
	c.no_access = has_no_access(&d.insn);
	if (d.insn.meta.category == ZYDIS_CATEGORY_STRINGOP ||
	    d.insn.meta.category == ZYDIS_CATEGORY_IOSTRINGOP)
		classify_string(&d, &c);
	else if (is_x87(&d))
		classify_x87(&d, &c);
	else
		classify_simd(&d, &c);
	if (!c.unit)
		classify_plain(&d, &c);
	return c;
}
