/* SPDX-License-Identifier: MIT */
/* Sorts decoded instructions into classes of equal cost. vpmu_cost_class_of() is the entry point.
 * Most rows are beginnings of Intel's mnemonics, so that an instruction's later forms need none.
 * The first row that fits counts. There is no state and no lock. */
#include "cost_class.h"

#include <string.h>

/* A name is a whole mnemonic, or with a * the beginning of one. */
struct named { const char *name; uint8_t class; };

static bool fits(const char *name, const char *pattern)
{
	size_t n = strlen(pattern);

	return pattern[n - 1] == '*' ? strncmp(name, pattern, n - 1) == 0 :
		strcmp(name, pattern) == 0;
}

static enum vpmu_cost_class find_class(const char *name, const struct named *rows)
{
	while (rows->name && !fits(name, rows->name))
		rows++;
	return rows->class;
}

static bool is_register(const ZydisDecodedOperand *o, ZydisRegisterClass first,
			ZydisRegisterClass last)
{
	ZydisRegisterClass class = o->type == ZYDIS_OPERAND_TYPE_REGISTER ?
		ZydisRegisterGetClass(o->reg.value) : ZYDIS_REGCLASS_INVALID;

	return class >= first && class <= last;
}

static bool is_general(const ZydisDecodedOperand *o)
{
	return is_register(o, ZYDIS_REGCLASS_GPR8, ZYDIS_REGCLASS_GPR64);
}

static bool has_ymm(const struct decoded *d)
{
	return d->insn.avx.vector_length == 256;
}

/* ---- vectors ---- */

static const struct named vector_names[] = {
	{ "movmsk*", VPMU_COST_TO_GENERAL }, { "pmovmskb", VPMU_COST_TO_GENERAL },
	{ "pmovzx*", VPMU_COST_SHUFFLE }, { "pmovsx*", VPMU_COST_SHUFFLE },
	{ "pinsr*", VPMU_COST_INSERT }, { "pextr*", VPMU_COST_EXTRACT },
	{ "extractps", VPMU_COST_EXTRACT },
	{ "psadbw", VPMU_COST_SHUFFLE_LANES }, { "pcmpgtq", VPMU_COST_SHUFFLE_LANES },
	{ "pcmpistr*", VPMU_COST_TEXT }, { "pcmpestr*", VPMU_COST_TEXT_LENGTH },
	{ "mpsadbw", VPMU_COST_SUMS }, { "phminposuw", VPMU_COST_INTEGER_MULTIPLY },
	{ "pmulld", VPMU_COST_INTEGER_MULTIPLY_32 }, { "pmul*", VPMU_COST_INTEGER_MULTIPLY },
	{ "pmadd*", VPMU_COST_INTEGER_MULTIPLY },
	{ "phadd*", VPMU_COST_INTEGER_ACROSS }, { "phsub*", VPMU_COST_INTEGER_ACROSS },
	{ "pslldq", VPMU_COST_SHUFFLE }, { "psrldq", VPMU_COST_SHUFFLE },
	{ "pshuf*", VPMU_COST_SHUFFLE }, { "psign*", VPMU_COST_INTEGER },
	{ "paddsb", VPMU_COST_INTEGER }, { "paddsw", VPMU_COST_INTEGER },
	{ "paddus*", VPMU_COST_INTEGER },
	{ "psubs*", VPMU_COST_INTEGER }, { "psubus*", VPMU_COST_INTEGER },
	{ "paddb", VPMU_COST_LOGIC }, { "paddw", VPMU_COST_LOGIC },
	{ "paddd", VPMU_COST_LOGIC }, { "paddq", VPMU_COST_LOGIC },
	{ "psub*", VPMU_COST_LOGIC },
	{ "psll*", VPMU_COST_INTEGER }, { "psrl*", VPMU_COST_INTEGER },
	{ "psra*", VPMU_COST_INTEGER }, { "pcmp*", VPMU_COST_INTEGER },
	{ "pmax*", VPMU_COST_INTEGER }, { "pmin*", VPMU_COST_INTEGER },
	{ "pabs*", VPMU_COST_INTEGER }, { "pavg*", VPMU_COST_INTEGER },
	{ "pblendvb", VPMU_COST_BLEND }, { "blendv*", VPMU_COST_BLEND },
	{ "pblendw", VPMU_COST_SHUFFLE }, { "pblendd", VPMU_COST_LOGIC },
	{ "blend*", VPMU_COST_LOGIC },
	{ "pand*", VPMU_COST_LOGIC }, { "por", VPMU_COST_LOGIC }, { "pxor", VPMU_COST_LOGIC },
	{ "and*", VPMU_COST_LOGIC }, { "or*", VPMU_COST_LOGIC }, { "xor*", VPMU_COST_LOGIC },
	{ "permil*", VPMU_COST_SHUFFLE }, { "perm*", VPMU_COST_SHUFFLE_LANES },
	{ "extract*", VPMU_COST_SHUFFLE_LANES }, { "insertps", VPMU_COST_SHUFFLE },
	{ "insert*", VPMU_COST_SHUFFLE_LANES },
	{ "ptest", VPMU_COST_TEST }, { "test*", VPMU_COST_TEST },
	{ "hadd*", VPMU_COST_FLOAT_ACROSS }, { "hsub*", VPMU_COST_FLOAT_ACROSS },
	{ "dpps", VPMU_COST_DOT_SINGLE }, { "dppd", VPMU_COST_DOT_DOUBLE },
	{ "round*", VPMU_COST_FLOAT_ROUND }, { "rcp*", VPMU_COST_FLOAT_ESTIMATE },
	{ "rsqrt*", VPMU_COST_FLOAT_ESTIMATE },
	{ "comis*", VPMU_COST_FLOAT_COMPARE }, { "ucomis*", VPMU_COST_FLOAT_COMPARE },
	{ "add*", VPMU_COST_FLOAT }, { "sub*", VPMU_COST_FLOAT }, { "mul*", VPMU_COST_FLOAT },
	{ "fm*", VPMU_COST_FLOAT }, { "fnm*", VPMU_COST_FLOAT }, { "max*", VPMU_COST_FLOAT },
	{ "min*", VPMU_COST_FLOAT }, { "cmp*", VPMU_COST_FLOAT },
	{ "cvtdq2ps", VPMU_COST_FLOAT }, { "cvtps2dq", VPMU_COST_FLOAT },
	{ "cvttps2dq", VPMU_COST_FLOAT },
	{ "shuf*", VPMU_COST_SHUFFLE }, { "unpck*", VPMU_COST_SHUFFLE },
	{ "punpck*", VPMU_COST_SHUFFLE }, { "pack*", VPMU_COST_SHUFFLE },
	{ "palignr", VPMU_COST_SHUFFLE }, { "movhlps", VPMU_COST_SHUFFLE },
	{ "movlhps", VPMU_COST_SHUFFLE }, { "movddup", VPMU_COST_SHUFFLE },
	{ "movshdup", VPMU_COST_SHUFFLE }, { "movsldup", VPMU_COST_SHUFFLE },
	{ "aesimc", VPMU_COST_AES_INVERSE }, { "aeskey*", VPMU_COST_AES_KEY },
	{ "aes*", VPMU_COST_AES }, { "pclmul*", VPMU_COST_CARRYLESS },
	{ "gather*", VPMU_COST_GATHER }, { "pgather*", VPMU_COST_GATHER },
	{ "zero*", VPMU_COST_ZERO_UPPER }, { "emms", VPMU_COST_EMMS },
	{ NULL, VPMU_COST_UNKNOWN }
};

static bool is_single(const char *name)
{
	return name[strlen(name) - 1] == 's';
}

/* Divisions and roots, whose time depends on the type and the width. */
static enum vpmu_cost_class divider_class(const char *name, bool ymm)
{
	bool root = *name == 's', single = is_single(name);
	enum vpmu_cost_class class;

	if (root)
		class = single ? VPMU_COST_ROOT_SINGLE : VPMU_COST_ROOT_DOUBLE;
	else
		class = single ? VPMU_COST_DIVIDE_SINGLE : VPMU_COST_DIVIDE_DOUBLE;
	return ymm ? class + 1 : class;
}

/* The scalar types end in SS and SD, packed ones in PS and PD. */
static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcmp(name + n - m, end) == 0;
}

static enum vpmu_cost_class move_class(const struct decoded *d, const char *name)
{
	bool scalar = ends_in(name, "ss") || ends_in(name, "sd");

	if (memory_operand(d))
		return strncmp(name, "movh", 4) == 0 || strncmp(name, "movlp", 5) == 0 ?
			VPMU_COST_SHUFFLE : VPMU_COST_NOTHING;
	if (is_general(&d->operands[0]))
		return VPMU_COST_TO_GENERAL;
	if (is_general(&d->operands[1]))
		return VPMU_COST_FROM_GENERAL;
	if (scalar)
		return VPMU_COST_SHUFFLE;
	return strcmp(name, "movq") == 0 ? VPMU_COST_LOGIC : VPMU_COST_COPY;
}

static enum vpmu_cost_class convert_class(const struct decoded *d, const char *name)
{
	enum vpmu_cost_class class = find_class(name, vector_names);

	if (class)
		return class;
	if (is_general(&d->operands[0]))
		return VPMU_COST_CONVERT_TO_GENERAL;
	return has_ymm(d) ? VPMU_COST_CONVERT_YMM : VPMU_COST_CONVERT;
}

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

/* Shifts of all elements by the first one of another vector. */
static bool shifts_by_vector(const struct decoded *d, const char *name)
{
	const ZydisDecodedOperand *last = &d->operands[d->insn.operand_count_visible - 1];

	return begins(name, "ps") && strlen(name) == 5 && strchr("lr", name[2]) &&
	       last->type != ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

static enum vpmu_cost_class masked_class(const struct decoded *d)
{
	return d->operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY ? VPMU_COST_MASKED_STORE :
		VPMU_COST_MASKED_LOAD;
}

static enum vpmu_cost_class vector_class(const struct decoded *d, const char *name)
{
	bool memory = memory_operand(d) != NULL;

	if (*name == 'v')
		name++;
	if (begins(name, "div") || begins(name, "sqrt"))
		return divider_class(name, has_ymm(d));
	if (begins(name, "cvt"))
		return convert_class(d, name);
	if (begins(name, "maskmov") || begins(name, "pmaskmov"))
		return memory ? masked_class(d) : VPMU_COST_MASKED_STORE;
	if (begins(name, "broadcast") || begins(name, "pbroadcast"))
		return memory ? VPMU_COST_NOTHING :
			has_ymm(d) ? VPMU_COST_SHUFFLE_LANES : VPMU_COST_SHUFFLE;
	if (begins(name, "mov") || begins(name, "lddqu")) {
		enum vpmu_cost_class class = find_class(name, vector_names);

		return class && !(memory && begins(name, "mov") && strstr(name, "dup")) ? class :
			move_class(d, name);
	}
	if (begins(name, "insert") && memory && !ends_in(name, "ps"))
		return VPMU_COST_LOGIC;		/* a load and a blend */
	if (begins(name, "extract") && memory && !ends_in(name, "ps"))
		return VPMU_COST_NOTHING;	/* a store */
	if (begins(name, "pinsr") && memory)
		return VPMU_COST_SHUFFLE;
	if (begins(name, "pmov") && has_ymm(d) && !begins(name, "pmovmsk"))
		return VPMU_COST_SHUFFLE_LANES;
	if (shifts_by_vector(d, name))
		return VPMU_COST_INTEGER_SHIFT_BY;
	return find_class(name, vector_names);
}

/* ---- x87 ---- */

static const struct named x87_names[] = {
	{ "fadd*", VPMU_COST_X87_ADD }, { "fsub*", VPMU_COST_X87_ADD },
	{ "fiadd*", VPMU_COST_X87_ADD }, { "fisub*", VPMU_COST_X87_ADD },
	{ "fmul*", VPMU_COST_X87_MULTIPLY }, { "fimul*", VPMU_COST_X87_MULTIPLY },
	{ "fdiv*", VPMU_COST_X87_DIVIDE }, { "fidiv*", VPMU_COST_X87_DIVIDE },
	{ "fsqrt", VPMU_COST_X87_ROOT },
	{ "fcom*", VPMU_COST_X87_COMPARE }, { "fucom*", VPMU_COST_X87_COMPARE },
	{ "ftst", VPMU_COST_X87_COMPARE }, { "ficom*", VPMU_COST_X87_COMPARE },
	{ "fild", VPMU_COST_X87_INTEGER }, { "fist*", VPMU_COST_X87_INTEGER },
	{ "fldcw", VPMU_COST_X87_CONTROL }, { "fnstcw", VPMU_COST_X87_CONTROL },
	{ "fnstsw", VPMU_COST_X87_CONTROL },
	{ "fsin*", VPMU_COST_X87_FUNCTION }, { "fcos", VPMU_COST_X87_FUNCTION },
	{ "fptan", VPMU_COST_X87_FUNCTION }, { "fpatan", VPMU_COST_X87_FUNCTION },
	{ "f2xm1", VPMU_COST_X87_FUNCTION }, { "fyl2x*", VPMU_COST_X87_FUNCTION },
	{ "fprem*", VPMU_COST_X87_FUNCTION }, { "fscale", VPMU_COST_X87_FUNCTION },
	{ "frndint", VPMU_COST_X87_FUNCTION }, { "fxtract", VPMU_COST_X87_FUNCTION },
	{ NULL, VPMU_COST_X87 }
};

static bool is_x87(const ZydisDecodedInstruction *insn)
{
	return insn->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && insn->opcode >= 0xd8 &&
	       insn->opcode <= 0xdf && insn->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
}

static enum vpmu_cost_class x87_class(const struct decoded *d, const char *name)
{
	enum vpmu_cost_class class = find_class(name, x87_names);

	return class == VPMU_COST_X87 && memory_operand(d) ? VPMU_COST_NOTHING : class;
}

/* ---- general registers ---- */

static const struct named general_names[] = {
	{ "nop", VPMU_COST_NOTHING }, { "endbr64", VPMU_COST_NOTHING },
	{ "prefetch*", VPMU_COST_NOTHING }, { "push", VPMU_COST_NOTHING },
	{ "pop", VPMU_COST_NOTHING }, { "movnti", VPMU_COST_NOTHING },
	{ "add", VPMU_COST_ALU }, { "sub", VPMU_COST_ALU }, { "and", VPMU_COST_ALU },
	{ "or", VPMU_COST_ALU }, { "xor", VPMU_COST_ALU }, { "cmp", VPMU_COST_ALU },
	{ "test", VPMU_COST_ALU }, { "inc", VPMU_COST_ALU }, { "dec", VPMU_COST_ALU },
	{ "neg", VPMU_COST_ALU }, { "not", VPMU_COST_ALU }, { "cbw", VPMU_COST_ALU },
	{ "cwde", VPMU_COST_ALU }, { "cdqe", VPMU_COST_ALU }, { "clc", VPMU_COST_NOTHING },
	{ "stc", VPMU_COST_ALU }, { "cmc", VPMU_COST_ALU }, { "movbe", VPMU_COST_BITS },
	{ "adc", VPMU_COST_CARRY }, { "sbb", VPMU_COST_CARRY }, { "bt*", VPMU_COST_CARRY },
	{ "adcx", VPMU_COST_CARRY }, { "adox", VPMU_COST_CARRY },
	{ "cdq", VPMU_COST_CARRY }, { "cqo", VPMU_COST_CARRY }, { "cwd", VPMU_COST_CARRY },
	{ "lahf", VPMU_COST_CARRY }, { "sahf", VPMU_COST_CARRY },
	{ "shlx", VPMU_COST_CARRY }, { "shrx", VPMU_COST_CARRY }, { "sarx", VPMU_COST_CARRY },
	{ "rorx", VPMU_COST_CARRY },
	{ "setbe", VPMU_COST_TWO_FLAGS }, { "setnbe", VPMU_COST_TWO_FLAGS },
	{ "cmovbe", VPMU_COST_TWO_FLAGS }, { "cmovnbe", VPMU_COST_TWO_FLAGS },
	{ "set*", VPMU_COST_CARRY }, { "cmov*", VPMU_COST_CARRY },
	{ "mul", VPMU_COST_MULTIPLY_WIDE }, { "mulx", VPMU_COST_MULTIPLY_WIDE },
	{ "popcnt", VPMU_COST_SCAN }, { "lzcnt", VPMU_COST_SCAN }, { "tzcnt", VPMU_COST_SCAN },
	{ "bsf", VPMU_COST_SCAN }, { "bsr", VPMU_COST_SCAN }, { "crc32", VPMU_COST_SCAN },
	{ "pext", VPMU_COST_SCAN }, { "pdep", VPMU_COST_SCAN },
	{ "andn", VPMU_COST_BITS }, { "bls*", VPMU_COST_BITS }, { "bzhi", VPMU_COST_BITS },
	{ "bextr", VPMU_COST_BITS_TWO }, { "xadd", VPMU_COST_EXCHANGE_ADD },
	{ "cmpxchg*", VPMU_COST_COMPARE_EXCHANGE },
	{ "leave", VPMU_COST_LEAVE }, { "loop*", VPMU_COST_LOOP }, { "jrcxz", VPMU_COST_LOOP },
	{ "jecxz", VPMU_COST_LOOP },
	{ "cpuid", VPMU_COST_CPUID }, { "rdtsc*", VPMU_COST_RDTSC }, { "pause", VPMU_COST_PAUSE },
	{ "mfence", VPMU_COST_MFENCE }, { "lfence", VPMU_COST_LFENCE },
	{ "sfence", VPMU_COST_LFENCE },
	{ NULL, VPMU_COST_UNKNOWN }
};

/* Copies of 32 and 64 bits, and of the low byte with zeros, are renamed. */
static enum vpmu_cost_class copy_class(const struct decoded *d)
{
	const ZydisDecodedOperand *from = &d->operands[1], *to = &d->operands[0];

	if (memory_operand(d))
		return from->type == ZYDIS_OPERAND_TYPE_MEMORY && to->size < 32 ?
			VPMU_COST_ALU : VPMU_COST_NOTHING;
	if (!is_general(from) || to->size < 32)
		return VPMU_COST_ALU;
	switch (d->insn.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		return VPMU_COST_COPY;
	case ZYDIS_MNEMONIC_MOVZX:
		return from->size == 8 ? VPMU_COST_COPY : VPMU_COST_ALU;
	default:
		return VPMU_COST_ALU;
	}
}

/* 248966, "Using LEA": three parts; two with RBP or R13 for a base; relative to RIP. */
static enum vpmu_cost_class lea_class(const struct decoded *d)
{
	const ZydisDecodedOperand *memory = memory_operand(d);
	ZydisRegister base = memory->mem.base;
	uint32_t number = base == ZYDIS_REGISTER_NONE ? 0 : general_number(base);

	if (base == ZYDIS_REGISTER_RIP)
		return VPMU_COST_LEA_SLOW;
	if (base == ZYDIS_REGISTER_NONE || memory->mem.index == ZYDIS_REGISTER_NONE)
		return VPMU_COST_LEA;
	return d->insn.raw.disp.size || number == 5 || number == 13 ? VPMU_COST_LEA_SLOW :
		VPMU_COST_LEA;
}

static enum vpmu_cost_class shift_class(const struct decoded *d)
{
	const ZydisDecodedOperand *by = &d->operands[1];
	bool one = (d->insn.opcode & 0xfe) == 0xd0;
	bool rotates = d->insn.meta.category == ZYDIS_CATEGORY_ROTATE;

	if (by->type == ZYDIS_OPERAND_TYPE_REGISTER)
		return VPMU_COST_SHIFT_CL;
	if (d->insn.mnemonic == ZYDIS_MNEMONIC_RCL || d->insn.mnemonic == ZYDIS_MNEMONIC_RCR)
		return VPMU_COST_ROTATE_CARRY;
	return rotates && one ? VPMU_COST_ROTATE_1 : VPMU_COST_CARRY;
}

static enum vpmu_cost_class divide_class(const struct decoded *d)
{
	switch (d->operands[0].size) {
	case 8:
		return VPMU_COST_DIVIDE_8;
	case 64:
		return d->insn.mnemonic == ZYDIS_MNEMONIC_IDIV ? VPMU_COST_DIVIDE_64_SIGNED :
			VPMU_COST_DIVIDE_64;
	default:
		return VPMU_COST_DIVIDE_32;
	}
}

static enum vpmu_cost_class string_class(const ZydisDecodedInstruction *insn)
{
	bool repeated = insn->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
					    ZYDIS_ATTRIB_HAS_REPNE);

	switch (insn->opcode & 0xfe) {
	case 0xa4:
		return repeated ? VPMU_COST_STRING_FAST : VPMU_COST_STRING_TWO;
	case 0xaa:
		return repeated ? VPMU_COST_STRING_FAST : VPMU_COST_STRING;
	case 0xac:
		return VPMU_COST_STRING;
	case 0xa6:
		return VPMU_COST_STRING_THREE;
	default:
		return VPMU_COST_STRING_TWO;
	}
}

static enum vpmu_cost_class general_class(const struct decoded *d, const char *name)
{
	switch (d->insn.mnemonic) {
	case ZYDIS_MNEMONIC_MOV: case ZYDIS_MNEMONIC_MOVZX: case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
		return copy_class(d);
	case ZYDIS_MNEMONIC_LEA:
		return lea_class(d);
	case ZYDIS_MNEMONIC_IMUL:
		return d->insn.operand_count_visible == 1 ? VPMU_COST_MULTIPLY_WIDE :
			VPMU_COST_MULTIPLY;
	case ZYDIS_MNEMONIC_DIV: case ZYDIS_MNEMONIC_IDIV:
		return divide_class(d);
	case ZYDIS_MNEMONIC_SHLD: case ZYDIS_MNEMONIC_SHRD:
		return d->operands[2].type == ZYDIS_OPERAND_TYPE_REGISTER ?
			VPMU_COST_SHIFT_DOUBLE_CL : VPMU_COST_SHIFT_DOUBLE;
	case ZYDIS_MNEMONIC_BSWAP:
		return d->operands[0].size == 64 ? VPMU_COST_BITS_TWO : VPMU_COST_BITS;
	case ZYDIS_MNEMONIC_XCHG:
		return memory_operand(d) ? VPMU_COST_LOCKED : VPMU_COST_EXCHANGE;
	case ZYDIS_MNEMONIC_SHL: case ZYDIS_MNEMONIC_SHR: case ZYDIS_MNEMONIC_SAR:
	case ZYDIS_MNEMONIC_ROL: case ZYDIS_MNEMONIC_ROR: case ZYDIS_MNEMONIC_RCL:
	case ZYDIS_MNEMONIC_RCR:
		return shift_class(d);
	default:
		return find_class(name, general_names);
	}
}

enum vpmu_cost_class vpmu_cost_class_of(const struct decoded *d)
{
	const ZydisDecodedInstruction *insn = &d->insn;
	const char *name = ZydisMnemonicGetString(insn->mnemonic);
	enum vpmu_cost_class class;

	if (!name)
		return VPMU_COST_UNKNOWN;
	if (insn->attributes & ZYDIS_ATTRIB_HAS_LOCK)
		return VPMU_COST_LOCKED;
	switch (insn->meta.category) {
	case ZYDIS_CATEGORY_UNCOND_BR: case ZYDIS_CATEGORY_RET:
		return VPMU_COST_JUMP;
	case ZYDIS_CATEGORY_CALL:
		return VPMU_COST_CALL;
	case ZYDIS_CATEGORY_WIDENOP:
		return VPMU_COST_NOTHING;
	case ZYDIS_CATEGORY_STRINGOP:
		return string_class(insn);
	default:
		break;
	}
	if (is_x87(insn))
		return x87_class(d, name);
	class = general_class(d, name);
	if (class)
		return class;
	return insn->meta.category == ZYDIS_CATEGORY_COND_BR ? VPMU_COST_BRANCH :
		vector_class(d, name);
}
