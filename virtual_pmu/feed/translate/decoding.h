/* SPDX-License-Identifier: MIT */
/* Decoding with Zydis, and properties of a decoded instruction that several files need. */
#ifndef VPMU_FEED_DECODING_H
#define VPMU_FEED_DECODING_H

#include <Zydis/Zydis.h>

#include "instructions.h"

struct decoded {
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/* As in QEMU, near branches with the prefix 66 take 64 bits, which is Intel's way. */
static inline bool init(ZydisDecoder *decoder)
{
	return ZYAN_SUCCESS(ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LONG_64,
					     ZYDIS_STACK_WIDTH_64));
}

static inline bool decode(const uint8_t *bytes, size_t count, struct decoded *d)
{
	ZydisDecoder decoder;

	return init(&decoder) &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, count, &d->insn, d->operands));
}

/* A quarter of the work; decode_operands can do the rest. */
static inline bool decode_without_operands(const uint8_t *bytes, size_t count,
					   ZydisDecoder *decoder, ZydisDecoderContext *context,
					   ZydisDecodedInstruction *insn)
{
	return init(decoder) &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder, context, bytes, count, insn));
}

static inline bool decode_operands(const ZydisDecoder *decoder, const ZydisDecoderContext *context,
			    struct decoded *d)
{
	return ZYAN_SUCCESS(ZydisDecoderDecodeOperands(decoder, context, &d->insn, d->operands,
						       d->insn.operand_count));
}

/* RAX is 0, and so are its parts. */
static inline uint32_t general_number(ZydisRegister reg)
{
	reg = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
	return (uint32_t)ZydisRegisterGetId(reg);
}

static inline const ZydisDecodedOperand *memory_operand(const struct decoded *d)
{
	for (int i = 0; i < d->insn.operand_count_visible; i++)
		if (d->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
			return &d->operands[i];
	return NULL;
}

static inline bool is_executed(const ZydisDecodedInstruction *insn)
{
	return (insn->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY ||
		insn->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX) &&
	       insn->meta.isa_ext != ZYDIS_ISA_EXT_FMA4 && insn->meta.isa_ext != ZYDIS_ISA_EXT_RTM;
}

static inline bool addresses_memory(const ZydisDecodedInstruction *insn)
{
	return (insn->attributes & ZYDIS_ATTRIB_HAS_MODRM) && insn->raw.modrm.mod != 3;
}

/* True for instructions with XMM or YMM registers, except masked moves, which may skip bytes. */
static inline bool is_vector(const ZydisDecodedInstruction *insn)
{
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_VMASKMOVPS: case ZYDIS_MNEMONIC_VMASKMOVPD:
	case ZYDIS_MNEMONIC_VPMASKMOVD: case ZYDIS_MNEMONIC_VPMASKMOVQ:
		return false;
	default:
		break;
	}
	switch (insn->meta.isa_ext) {
	case ZYDIS_ISA_EXT_SSE: case ZYDIS_ISA_EXT_SSE2: case ZYDIS_ISA_EXT_SSE3:
	case ZYDIS_ISA_EXT_SSSE3: case ZYDIS_ISA_EXT_SSE4: case ZYDIS_ISA_EXT_AES:
	case ZYDIS_ISA_EXT_PCLMULQDQ: case ZYDIS_ISA_EXT_AVX: case ZYDIS_ISA_EXT_AVX2:
	case ZYDIS_ISA_EXT_AVXAES:
		return true;
	default:
		return false;
	}
}

static inline enum vpmu_store store_of(const ZydisDecodedInstruction *insn)
{
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_MOVNTI: case ZYDIS_MNEMONIC_MOVNTQ:
	case ZYDIS_MNEMONIC_MOVNTPS: case ZYDIS_MNEMONIC_VMOVNTPS:
	case ZYDIS_MNEMONIC_MOVNTPD: case ZYDIS_MNEMONIC_VMOVNTPD:
	case ZYDIS_MNEMONIC_MOVNTDQ: case ZYDIS_MNEMONIC_VMOVNTDQ:
	case ZYDIS_MNEMONIC_MASKMOVQ:
	case ZYDIS_MNEMONIC_MASKMOVDQU: case ZYDIS_MNEMONIC_VMASKMOVDQU:
		return VPMU_NONTEMPORAL;
	case ZYDIS_MNEMONIC_SFENCE: case ZYDIS_MNEMONIC_MFENCE:
		return VPMU_FENCE;
	default:
		return VPMU_ORDINARY;
	}
}

static inline enum vpmu_prefetch prefetch_of(const ZydisDecodedInstruction *insn)
{
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_PREFETCHNTA:
		return VPMU_PREFETCH_NTA;
	case ZYDIS_MNEMONIC_PREFETCHT0: case ZYDIS_MNEMONIC_PREFETCH: case ZYDIS_MNEMONIC_PREFETCHW:
		return VPMU_PREFETCH_T0;
	case ZYDIS_MNEMONIC_PREFETCHT1: case ZYDIS_MNEMONIC_PREFETCHWT1:
		return VPMU_PREFETCH_T1;
	case ZYDIS_MNEMONIC_PREFETCHT2:
		return VPMU_PREFETCH_T2;
	default:
		return VPMU_NO_PREFETCH;
	}
}

/* MASKMOVDQU has registers alone in its text. */
static inline bool has_no_access(const ZydisDecodedInstruction *insn)
{
	return is_vector(insn) && (insn->attributes & ZYDIS_ATTRIB_HAS_MODRM) &&
	       insn->raw.modrm.mod == 3 && store_of(insn) == VPMU_ORDINARY;
}

#endif
