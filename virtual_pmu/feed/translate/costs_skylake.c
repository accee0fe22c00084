/* SPDX-License-Identifier: MIT */
/* The costs of instructions on Skylake client cores. A row's comment has its sources and the
 * instructions that were looked up:
 * [U] measurements of uops.info for the Skylake core, as OSACA has them in osaca/data/skx.yml
 *     (github.com/RRZE-HPC/OSACA, commit f548962)
 * [O] OSACA's own measurements, osaca/data/skl_data.csv (same repository, commit 25afeda)
 * [L] LLVM 14, X86SchedSkylakeClient.td, as llvm-mca -mcpu=skylake -instruction-tables prints it
 * [A] Agner Fog, Instruction tables, Skylake; divisions of 64 bits by small dividends
 * [M] Intel, 248966, Optimization Reference Manual
 * Where no table has a number that can be used, the row says stand-in. Denormal numbers, bypasses
 * between the units of integers and floating point, and unaligned accesses are not in it. */
#include "core_costs.h"

#define P0 1u
#define P1 2u
#define P5 4u
#define P6 8u
#define P01 (P0 | P1)
#define P05 (P0 | P5)
#define P06 (P0 | P6)
#define P15 (P1 | P5)
#define P015 (P0 | P1 | P5)
#define P0156 (P0 | P1 | P5 | P6)

const struct vpmu_core_costs vpmu_costs_skylake = {
	.width = 4,		/* [M] "The Out-of-Order and Execution Engine", [U] */
	.loads = 2, .stores = 1, .addresses = 3,	/* [U] ports 23, 4 and 237 */
	/* [L] MOV (R64, M64), MOVAPS (XMM, M128), VMOVUPD (YMM, M256) */
	.load_latency = 5, .load_vector = 6, .load_ymm = 7,
	.load_pointer = 4,	/* [M] "Cache and Memory Subsystem": fastest L1 latency */
	.forwarded = 5,		/* stand-in: as a load that hits */
	.branch_fused = { P06, 1 },	/* [L] JNE */
	.of = {
		/* stand-in: an instruction of the usual kind */
		[VPMU_COST_UNKNOWN] = { .latency = 1, .issued = 1, .work = { { P0156, 1 } } },
		/* [U] MOV of memory, NOP, PREFETCHT0: no work but the access */
		[VPMU_COST_NOTHING] = { .latency = 0, .issued = 0 },
		/* [L] issued; [M] "Move Elimination": no port and no latency */
		[VPMU_COST_COPY] = { .latency = 0, .issued = 1 },
		/* [U] ADD, AND, CMP, TEST, INC (R64) */
		[VPMU_COST_ALU] = { .latency = 1, .issued = 1, .work = { { P0156, 1 } } },
		/* [U] ADC, SBB, SHL (R64, I8), BT, SETZ, CMOVZ, CDQ, RORX */
		[VPMU_COST_CARRY] = { .latency = 1, .issued = 1, .work = { { P06, 1 } } },
		/* [U] SETBE; [L] CMOVBE */
		[VPMU_COST_TWO_FLAGS] = { .latency = 2, .issued = 2, .work = { { P06, 2 } } },
		/* [L] SHL (R64, CL) */
		[VPMU_COST_SHIFT_CL] = { .latency = 3, .issued = 3, .work = { { P06, 3 } } },
		/* [L] ROL (R64, 1) */
		[VPMU_COST_ROTATE_1] = { .latency = 2, .issued = 2, .work = { { P06, 2 } } },
		/* [L] RCL (R32, I8); [U] ports */
		[VPMU_COST_ROTATE_CARRY] = {
			.latency = 3, .issued = 3,
			.work = { { P0156, 2 }, { P06, 1 } },
		},
		/* [L] SHLD (R64, R64, I8) */
		[VPMU_COST_SHIFT_DOUBLE] = { .latency = 3, .issued = 1, .work = { { P1, 1 } } },
		/* [L] SHLD (R64, R64, CL) */
		[VPMU_COST_SHIFT_DOUBLE_CL] = {
			.latency = 6, .issued = 4,
			.work = { { P06, 2 }, { P1, 1 }, { P0156, 1 } },
		},
		/* [U] LEA of two parts */
		[VPMU_COST_LEA] = { .latency = 1, .issued = 1, .work = { { P15, 1 } } },
		/* [U] LEA of three parts; [M] "Using LEA" */
		[VPMU_COST_LEA_SLOW] = { .latency = 3, .issued = 1, .work = { { P1, 1 } } },
		/* [U] IMUL (R64, R64) */
		[VPMU_COST_MULTIPLY] = { .latency = 3, .issued = 1, .work = { { P1, 1 } } },
		/* [L] MUL (R64), IMUL (R64) */
		[VPMU_COST_MULTIPLY_WIDE] = {
			.latency = 4, .issued = 2,
			.work = { { P1, 1 }, { P5, 1 } },
		},
		/* [U] POPCNT, LZCNT, BSF, CRC32, PEXT */
		[VPMU_COST_SCAN] = { .latency = 3, .issued = 1, .work = { { P1, 1 } } },
		/* [U] ANDN, BLSR, BZHI; [L] MOVBE */
		[VPMU_COST_BITS] = { .latency = 1, .issued = 1, .work = { { P15, 1 } } },
		/* [U] BEXTR, BSWAP (R64) */
		[VPMU_COST_BITS_TWO] = {
			.latency = 2, .issued = 2,
			.work = { { P06, 1 }, { P15, 1 } },
		},
		/* [L] XCHG (R64, R64) */
		[VPMU_COST_EXCHANGE] = { .latency = 2, .issued = 3, .work = { { P0156, 3 } } },
		/* [U] XADD (R64, R64) */
		[VPMU_COST_EXCHANGE_ADD] = { .latency = 3, .issued = 3, .work = { { P0156, 3 } } },
		/* [L] CMPXCHG (M64, R64) without its access */
		[VPMU_COST_COMPARE_EXCHANGE] = {
			.latency = 3, .issued = 4,
			.work = { { P06, 2 }, { P0156, 1 } },
		},
		/* [L] DIV (R8): latency; [A] DIV (R32): throughput */
		[VPMU_COST_DIVIDE_8] = {
			.latency = 25, .issued = 10, .divider = 6,
			.work = { { P0, 1 }, { P0156, 9 } },
		},
		/* [A] DIV and IDIV (R32): 26, one in 6 clocks */
		[VPMU_COST_DIVIDE_32] = {
			.latency = 26, .issued = 10, .divider = 6,
			.work = { { P0, 1 }, { P0156, 9 } },
		},
		/* [A] DIV (R64): 35 to 88, one in 21 to 83 */
		[VPMU_COST_DIVIDE_64] = {
			.latency = 35, .issued = 36, .divider = 21,
			.work = { { P0, 9 }, { P0156, 27 } },
		},
		/* [A] IDIV (R64): 42 to 95, one in 24 to 90 */
		[VPMU_COST_DIVIDE_64_SIGNED] = {
			.latency = 42, .issued = 57, .divider = 24,
			.work = { { P0, 9 }, { P0156, 48 } },
		},
		/* [L] JNE */
		[VPMU_COST_BRANCH] = { .latency = 1, .issued = 1, .work = { { P06, 1 } } },
		/* [L] JMP (R64), RET */
		[VPMU_COST_JUMP] = { .latency = 1, .issued = 1, .work = { { P6, 1 } } },
		/* [L] CALL without its store */
		[VPMU_COST_CALL] = { .latency = 1, .issued = 1, .work = { { P6, 1 } } },
		/* [L] LOOP; [U] ports */
		[VPMU_COST_LOOP] = {
			.latency = 7, .issued = 7,
			.work = { { P0156, 2 }, { P06, 4 }, { P15, 1 } },
		},
		/* [U] LEAVE */
		[VPMU_COST_LEAVE] = { .latency = 1, .issued = 2, .work = { { P0156, 1 } } },
		/* [U] STOS, LODS */
		[VPMU_COST_STRING] = { .latency = 1, .issued = 2, .work = { { P0156, 1 } } },
		/* [U] SCAS; stand-in for MOVS */
		[VPMU_COST_STRING_TWO] = { .latency = 1, .issued = 3, .work = { { P0156, 2 } } },
		/* [U] CMPS */
		[VPMU_COST_STRING_THREE] = { .latency = 1, .issued = 5, .work = { { P0156, 3 } } },
		/* [L] REP MOVS, REP STOS: four rounds a clock */
		[VPMU_COST_STRING_FAST] = { .latency = 0, .issued = 1 },
		/* stand-in: the store is done before anything later */
		[VPMU_COST_LOCKED] = {
			.latency = 18, .issued = 4, .serial = 18,
			.work = { { P0156, 1 } },
		},
		/* stand-in */
		[VPMU_COST_CPUID] = {
			.latency = 100, .issued = 70, .serial = 100,
			.work = { { P0156, 70 } },
		},
		/* [U] RDTSCP: micro-operations; stand-in: clocks */
		[VPMU_COST_RDTSC] = {
			.latency = 25, .issued = 20, .serial = 25,
			.work = { { P0156, 18 } },
		},
		/* [M] "Pause Latency in Skylake Client": 140 */
		[VPMU_COST_PAUSE] = {
			.latency = 140, .issued = 4, .serial = 140,
			.work = { { P0156, 3 }, { P06, 1 } },
		},
		/* stand-in */
		[VPMU_COST_MFENCE] = {
			.latency = 33, .issued = 4, .serial = 33,
			.work = { { P0156, 2 } },
		},
		/* [L] micro-operations; stand-in: clocks */
		[VPMU_COST_LFENCE] = {
			.latency = 6, .issued = 2, .serial = 6,
			.work = { { P0156, 2 } },
		},
		/* [U] FLDZ; [L] FCHS */
		[VPMU_COST_X87] = { .latency = 1, .issued = 1, .work = { { P05, 1 } } },
		/* [L] FADD */
		[VPMU_COST_X87_ADD] = { .latency = 3, .issued = 1, .work = { { P5, 1 } } },
		/* [L] FMUL */
		[VPMU_COST_X87_MULTIPLY] = { .latency = 4, .issued = 1, .work = { { P0, 1 } } },
		/* [L] ports; the clocks of DIVPD (XMM) and one for the format */
		[VPMU_COST_X87_DIVIDE] = {
			.latency = 15, .issued = 1, .divider = 5,
			.work = { { P0, 1 } },
		},
		/* [L] FSQRT */
		[VPMU_COST_X87_ROOT] = {
			.latency = 21, .issued = 1, .divider = 7,
			.work = { { P0, 1 } },
		},
		/* [L] FUCOMI */
		[VPMU_COST_X87_COMPARE] = { .latency = 2, .issued = 1, .work = { { P0, 1 } } },
		/* [L] FISTP without its store */
		[VPMU_COST_X87_INTEGER] = { .latency = 4, .issued = 1, .work = { { P5, 1 } } },
		/* [L] FLDCW */
		[VPMU_COST_X87_CONTROL] = {
			.latency = 3, .issued = 2,
			.work = { { P0, 1 }, { P05, 1 } },
		},
		/* [L] latency; stand-in: micro-operations */
		[VPMU_COST_X87_FUNCTION] = {
			.latency = 100, .issued = 60,
			.work = { { P0, 20 }, { P5, 20 } },
		},
		/* [U] PAND, PADDD, ANDPD, BLENDPD, PBLENDD */
		[VPMU_COST_LOGIC] = { .latency = 1, .issued = 1, .work = { { P015, 1 } } },
		/* [U] PCMPEQD, PMAXSD, PABSD, PADDSB, PSLLD (XMM, I8), PSLLVD */
		[VPMU_COST_INTEGER] = { .latency = 1, .issued = 1, .work = { { P01, 1 } } },
		/* [L] PSLLD (XMM, XMM) */
		[VPMU_COST_INTEGER_SHIFT_BY] = {
			.latency = 2, .issued = 2,
			.work = { { P01, 1 }, { P5, 1 } },
		},
		/* [U] VPMULLW, VPMULUDQ, VPMADDWD */
		[VPMU_COST_INTEGER_MULTIPLY] = {
			.latency = 5, .issued = 1,
			.work = { { P01, 1 } },
		},
		/* [U] VPMULLD */
		[VPMU_COST_INTEGER_MULTIPLY_32] = {
			.latency = 10, .issued = 2,
			.work = { { P01, 2 } },
		},
		/* [U] PHADDD */
		[VPMU_COST_INTEGER_ACROSS] = {
			.latency = 3, .issued = 3,
			.work = { { P5, 2 }, { P015, 1 } },
		},
		/* [U] PSHUFD, PSHUFB, UNPCKLPD, PACKSSWB, PMOVZXBW (XMM) */
		[VPMU_COST_SHUFFLE] = { .latency = 1, .issued = 1, .work = { { P5, 1 } } },
		/* [U] VPERM2F128, VPERMQ, VEXTRACTF128, PSADBW, PCMPGTQ */
		[VPMU_COST_SHUFFLE_LANES] = { .latency = 3, .issued = 1, .work = { { P5, 1 } } },
		/* [U] ports of BLENDVPD; [L] latency of VBLENDVPD */
		[VPMU_COST_BLEND] = { .latency = 2, .issued = 2, .work = { { P015, 2 } } },
		/* [U] VADDSD, VMULSS, VFMADD231SD, VMAXSD, VCMPPD, VCVTDQ2PS */
		[VPMU_COST_FLOAT] = { .latency = 4, .issued = 1, .work = { { P01, 1 } } },
		/* [L] HADDPD */
		[VPMU_COST_FLOAT_ACROSS] = {
			.latency = 6, .issued = 3,
			.work = { { P5, 2 }, { P01, 1 } },
		},
		/* [U] VROUNDSD */
		[VPMU_COST_FLOAT_ROUND] = { .latency = 8, .issued = 2, .work = { { P01, 2 } } },
		/* [L] UCOMISD */
		[VPMU_COST_FLOAT_COMPARE] = { .latency = 2, .issued = 1, .work = { { P0, 1 } } },
		/* [U] RCPPS */
		[VPMU_COST_FLOAT_ESTIMATE] = { .latency = 4, .issued = 1, .work = { { P0, 1 } } },
		/* [U] VDPPS; [L] ports */
		[VPMU_COST_DOT_SINGLE] = {
			.latency = 13, .issued = 4,
			.work = { { P01, 3 }, { P5, 1 } },
		},
		/* [U] VDPPD; [L] ports */
		[VPMU_COST_DOT_DOUBLE] = {
			.latency = 9, .issued = 3,
			.work = { { P01, 2 }, { P5, 1 } },
		},
		/* [L] DIVSS, DIVPS (XMM) */
		[VPMU_COST_DIVIDE_SINGLE] = {
			.latency = 11, .issued = 1, .divider = 3,
			.work = { { P0, 1 } },
		},
		/* [O] VDIVPS (YMM) */
		[VPMU_COST_DIVIDE_SINGLE_YMM] = {
			.latency = 11, .issued = 1, .divider = 5,
			.work = { { P0, 1 } },
		},
		/* [L] latency of DIVSD; [O] VDIVSD: one in 4 clocks */
		[VPMU_COST_DIVIDE_DOUBLE] = {
			.latency = 14, .issued = 1, .divider = 4,
			.work = { { P0, 1 } },
		},
		/* [O] VDIVPD (YMM) */
		[VPMU_COST_DIVIDE_DOUBLE_YMM] = {
			.latency = 14, .issued = 1, .divider = 8,
			.work = { { P0, 1 } },
		},
		/* [L] SQRTSS, SQRTPS (XMM) */
		[VPMU_COST_ROOT_SINGLE] = {
			.latency = 12, .issued = 1, .divider = 3,
			.work = { { P0, 1 } },
		},
		/* [L] VSQRTPS (YMM) */
		[VPMU_COST_ROOT_SINGLE_YMM] = {
			.latency = 12, .issued = 1, .divider = 6,
			.work = { { P0, 1 } },
		},
		/* [L] SQRTSD, SQRTPD (XMM) */
		[VPMU_COST_ROOT_DOUBLE] = {
			.latency = 18, .issued = 1, .divider = 6,
			.work = { { P0, 1 } },
		},
		/* [L] VSQRTPD (YMM) */
		[VPMU_COST_ROOT_DOUBLE_YMM] = {
			.latency = 18, .issued = 1, .divider = 12,
			.work = { { P0, 1 } },
		},
		/* [L] CVTSI2SD, CVTSS2SD, CVTPS2PD (XMM) */
		[VPMU_COST_CONVERT] = {
			.latency = 5, .issued = 2,
			.work = { { P5, 1 }, { P01, 1 } },
		},
		/* [L] VCVTPS2PD (YMM) */
		[VPMU_COST_CONVERT_YMM] = {
			.latency = 7, .issued = 2,
			.work = { { P5, 1 }, { P01, 1 } },
		},
		/* [L] CVTTSD2SI */
		[VPMU_COST_CONVERT_TO_GENERAL] = {
			.latency = 6, .issued = 2,
			.work = { { P0, 1 }, { P01, 1 } },
		},
		/* [L] MOVD (R32, XMM), PMOVMSKB */
		[VPMU_COST_TO_GENERAL] = { .latency = 2, .issued = 1, .work = { { P0, 1 } } },
		/* [L] MOVD (XMM, R32) */
		[VPMU_COST_FROM_GENERAL] = { .latency = 1, .issued = 1, .work = { { P5, 1 } } },
		/* [L] PINSRD */
		[VPMU_COST_INSERT] = { .latency = 2, .issued = 2, .work = { { P5, 2 } } },
		/* [L] PEXTRD */
		[VPMU_COST_EXTRACT] = {
			.latency = 3, .issued = 2,
			.work = { { P0, 1 }, { P5, 1 } },
		},
		/* [L] PTEST */
		[VPMU_COST_TEST] = { .latency = 3, .issued = 2, .work = { { P0, 1 }, { P5, 1 } } },
		/* [U] VAESENC */
		[VPMU_COST_AES] = { .latency = 4, .issued = 1, .work = { { P0, 1 } } },
		/* [L] AESIMC */
		[VPMU_COST_AES_INVERSE] = { .latency = 8, .issued = 2, .work = { { P0, 2 } } },
		/* [L] AESKEYGENASSIST */
		[VPMU_COST_AES_KEY] = {
			.latency = 20, .issued = 11,
			.work = { { P0, 4 }, { P5, 6 }, { P015, 1 } },
		},
		/* [U] PCLMULQDQ */
		[VPMU_COST_CARRYLESS] = { .latency = 7, .issued = 1, .work = { { P5, 1 } } },
		/* [L] MPSADBW */
		[VPMU_COST_SUMS] = { .latency = 4, .issued = 2, .work = { { P5, 2 } } },
		/* [L] PCMPISTRI */
		[VPMU_COST_TEXT] = { .latency = 10, .issued = 3, .work = { { P0, 3 } } },
		/* [L] PCMPESTRI */
		[VPMU_COST_TEXT_LENGTH] = {
			.latency = 18, .issued = 8,
			.work = { { P0, 4 }, { P5, 3 }, { P06, 1 } },
		},
		/* [L] VGATHERDPD (YMM) without its loads */
		[VPMU_COST_GATHER] = {
			.latency = 15, .issued = 4,
			.work = { { P0, 1 }, { P015, 1 }, { P5, 1 } },
		},
		/* [L] VMASKMOVPS (YMM, M256) */
		[VPMU_COST_MASKED_LOAD] = { .latency = 1, .issued = 1, .work = { { P015, 1 } } },
		/* [L] VMASKMOVPS (M256, YMM) */
		[VPMU_COST_MASKED_STORE] = { .latency = 1, .issued = 1, .work = { { P0, 1 } } },
		/* [L] VZEROUPPER */
		[VPMU_COST_ZERO_UPPER] = { .latency = 0, .issued = 4 },
		/* [U] EMMS */
		[VPMU_COST_EMMS] = {
			.latency = 10, .issued = 10,
			.work = { { P05, 9 }, { P0156, 1 } },
		},
	},
};
