/* SPDX-License-Identifier: MIT */
/* Events of Knights Corner (327357-001 table 1-6) and what of the execution they count. The
 * document does not say which events have no thread. Here these are the events of the L2 that no
 * thread causes: snoops and victims. */
#include <string.h>

#include "knc_state.h"

#define TABLE "327357-001 Table 1-6"
#define LINUX "Linux knc.c, not in 327357-001"
#define ROW(n, u, c, k, d, t, ...) { .info = { .name = n, .unit = u == 0x10 ? "CRI" : \
	u == 0x20 ? "VPU" : "P54C", .code = c, .umask = u, .counters = k, .driven = d, \
	.why = t, .cite = TABLE }, __VA_ARGS__ }
#define SUM(...) .sum = { __VA_ARGS__ }
#define ON(n, u, c, k, t, ...) ROW(n, u, c, k, true, t, __VA_ARGS__)
#define OFF(n, u, c, k, t) ROW(n, u, c, k, false, "stays 0: " t, .no_thread = false)
#define K(kind) VPMU_OF(kind)

#define PAIRS "one instruction a clock, none is paired"
#define STAND_IN "SSE and AVX instructions stand in for the vector unit"
#define PREFETCH_0 "stand-in for vprefetch0: prefetcht0 and the like"
#define PREFETCH_1 "stand-in for vprefetch1: prefetcht1 and the like"
#define AT_ONCE "a line is there as soon as it was prefetched"
#define DATA_ONLY "reads of data, not of code"

const struct knc_event knc_events[KNC_EVENTS] = {
	ON("DATA_READ", 0, 0x00, "0,1", NULL, SUM(K(LOADS))),
	ON("DATA_WRITE", 0, 0x01, "0,1", NULL, SUM(K(STORES))),
	ON("DATA_PAGE_WALK", 0, 0x02, "0,1", NULL, SUM(K(DTLB_READ_MISSES), K(DTLB_WRITE_MISSES))),
	ON("DATA_READ_MISS", 0, 0x03, "0,1", NULL, SUM(K(L1D_READ_MISSES))),
	ON("DATA_WRITE_MISS", 0, 0x04, "0,1", NULL, SUM(K(L1D_WRITE_MISSES))),
	ON("DATA_CACHE_LINES_WRITTEN_BACK", 0, 0x06, "0,1", NULL, SUM(K(L1D_WRITE_BACKS))),
	OFF("MEMORY_ACCESSES_IN_BOTH_PIPES", 0, 0x09, "0,1", PAIRS),
	OFF("BANK_CONFLICTS", 0, 0x0a, "0,1", "the caches here have no banks"),
	ON("CODE_READ", 0, 0x0c, "0,1", NULL, SUM(K(CODE_READS))),
	ON("CODE_PAGE_WALK", 0, 0x0d, "0,1", NULL, SUM(K(ITLB_MISSES))),
	ON("CODE_CACHE_MISS", 0, 0x0e, "0,1", NULL, SUM(K(CODE_MISSES))),
	ON("L1_DATA_PF1", 0, 0x11, "0,1", PREFETCH_0, SUM(K(PREFETCH1))),
	ON("BRANCHES", 0, 0x12, "0,1", NULL, SUM(K(BRANCHES))),
	ON("PIPELINE_FLUSHES", 0, 0x15, "0,1", "those of mispredicted branches",
	   SUM(K(MISPREDICTED))),
	ON("INSTRUCTIONS_EXECUTED", 0, 0x16, "0,1", NULL, SUM(K(INSTRUCTIONS))),
	OFF("INSTRUCTIONS_EXECUTED_V_PIPE", 0, 0x17, "0,1", PAIRS),
	ON("L1_DATA_PF1_MISS", 0, 0x1c, "0,1", PREFETCH_0, SUM(K(PREFETCH1_MISSES))),
	OFF("L1_DATA_PF1_DROP", 0, 0x1e, "0,1", "no prefetch is dropped here"),
	OFF("PIPELINE_AGI_STALLS", 0, 0x1f, "0,1", "the pipeline is not modelled"),
	OFF("L1_DATA_HIT_INFLIGHT_PF1", 0, 0x20, "0,1", AT_ONCE),
	OFF("PIPELINE_SG_AGI_STALLS", 0, 0x21, "0,1", "the pipeline is not modelled"),
	ON("DATA_READ_OR_WRITE", 0, 0x28, "0,1", NULL, SUM(K(LOADS), K(STORES))),
	ON("DATA_READ_MISS_OR_WRITE_MISS", 0, 0x29, "0,1", NULL,
	   SUM(K(L1D_READ_MISSES), K(L1D_WRITE_MISSES))),
	ON("CPU_CLK_UNHALTED", 0, 0x2a, "0,1", NULL, SUM(VPMU_SUM_CLOCKS)),
	ON("BRANCHES_MISPREDICTED", 0, 0x2b, "0,1", NULL, SUM(K(MISPREDICTED))),
	OFF("MICROCODE_CYCLES", 0, 0x2c, "0,1", "no microcode is modelled"),
	ON("FE_STALLED", 0, 0x2d, "0,1", "clocks without an instruction", SUM(VPMU_SUM_IDLE)),
	ON("EXEC_STAGE_CYCLES", 0, 0x2e, "0,1", "one clock per instruction", SUM(K(INSTRUCTIONS))),
	ON("L1_DATA_PF2", 0, 0x37, "0,1", PREFETCH_1 "; printed as L1_DATA_PFI2",
	   SUM(K(PREFETCH2))),
	ON("L2_DATA_PF1_MISS", 0, 0x38, "0,1", PREFETCH_0 "; printed as L2_DATA_PFI1_MISS",
	   SUM(K(PREFETCH1_L2_MISSES))),
	ON("LONG_DATA_PAGE_WALK", 0, 0x3a, "0,1", NULL, SUM(K(DTLB_LONG_WALKS))),
	ON("LONG_CODE_PAGE_WALK", 0, 0x3b, "0,1", NULL, SUM(K(ITLB_LONG_WALKS))),
	ON("L2_READ_HIT_E", 0x10, 0xc8, "0", DATA_ONLY, SUM(K(L2_READ_HIT_E))),
	ON("L2_READ_HIT_M", 0x10, 0xc9, "0", DATA_ONLY, SUM(K(L2_READ_HIT_M))),
	ON("L2_READ_HIT_S", 0x10, 0xca, "0", DATA_ONLY, SUM(K(L2_READ_HIT_S))),
	ON("L2_READ_MISS", 0x10, 0xcb, "0", DATA_ONLY, SUM(K(L2_READ_MISS))),
	ON("L2_WRITE_HIT", 0x10, 0xcc, "0", NULL,
	   SUM(K(L2_WRITE_HIT_M), K(L2_WRITE_HIT_E), K(L2_WRITE_HIT_S))),
	ON("L2_VICTIM_REQ_WITH_DATA", 0x10, 0xd7, "0", "modified lines that leave the L2",
	   .no_thread = true, SUM(K(L2_LINES_OUT_M))),
	ROW("SNP_HITM_BUNIT", 0x10, 0xe3, "0", false, "stays 0: nothing waits in the bus unit here",
	    .no_thread = true),
	ON("SNP_HIT_L2", 0x10, 0xe6, "0", NULL, .no_thread = true, SUM(K(SNOOPED_HIT))),
	ON("SNP_HITM_L2", 0x10, 0xe7, "0", NULL, .no_thread = true, SUM(K(SNOOPED_HITM))),
	ON("L2_CODE_READ_MISS_CACHE_FILL", 0x10, 0xf0, "0,1", NULL, SUM(K(FILL_CODE_CACHE))),
	ON("L2_DATA_READ_MISS_CACHE_FILL", 0x10, 0xf1, "0", NULL, SUM(K(FILL_READ_CACHE))),
	ON("L2_DATA_WRITE_MISS_CACHE_FILL", 0x10, 0xf2, "0", NULL, SUM(K(FILL_WRITE_CACHE))),
	ON("L2_CODE_READ_MISS_MEM_FILL", 0x10, 0xf5, "0,1", NULL, SUM(K(FILL_CODE_MEMORY))),
	ON("L2_DATA_READ_MISS_MEM_FILL", 0x10, 0xf6, "0", NULL, SUM(K(FILL_READ_MEMORY))),
	ON("L2_DATA_WRITE_MISS_MEM_FILL", 0x10, 0xf7, "0", NULL, SUM(K(FILL_WRITE_MEMORY))),
	ON("L2_DATA_PF2", 0x10, 0xfc, "0", PREFETCH_1, SUM(K(PREFETCH2))),
	OFF("L2_DATA_PF2_DROP", 0x10, 0xfd, "0", "no prefetch is dropped here"),
	ON("L2_DATA_PF2_MISS", 0x10, 0xfe, "0", PREFETCH_1, SUM(K(PREFETCH2_MISSES))),
	OFF("L2_DATA_HIT_INFLIGHT_PF2", 0x10, 0xff, "0", AT_ONCE),
	ON("VPU_DATA_READ", 0x20, 0x00, "0,1", STAND_IN, SUM(K(VECTOR_LOADS))),
	ON("VPU_DATA_WRITE", 0x20, 0x01, "0,1", STAND_IN, SUM(K(VECTOR_STORES))),
	ON("VPU_DATA_READ_MISS", 0x20, 0x03, "0,1", STAND_IN, SUM(K(VECTOR_READ_MISSES))),
	ON("VPU_DATA_WRITE_MISS", 0x20, 0x04, "0,1", STAND_IN, SUM(K(VECTOR_WRITE_MISSES))),
	OFF("VPU_STALL_REG", 0x20, 0x05, "0,1", "the pipeline is not modelled"),
	ON("VPU_INSTRUCTIONS_EXECUTED", 0x20, 0x16, "0,1", STAND_IN, SUM(K(VECTOR))),
	OFF("VPU_INSTRUCTIONS_EXECUTED_V_PIPE", 0x20, 0x17, "0,1", PAIRS),
	ON("VPU_ELEMENTS_ACTIVE", 0x20, 0x18, "0,1", STAND_IN, SUM(K(VECTOR_ELEMENTS))),
	{ .info = { .name = "HWP_L2HIT", .unit = "CRI", .code = 0xc3, .umask = 0x10,
		    .counters = "0", .why = "stays 0: no hardware prefetcher here",
		    .cite = LINUX } },
	{ .info = { .name = "HWP_L2MISS", .unit = "CRI", .code = 0xc4, .umask = 0x10,
		    .counters = "0", .why = "stays 0: no hardware prefetcher here",
		    .cite = LINUX } },
	{ .info = { .name = "L2_STRONGLY_ORDERED_STREAMING_VSTORES_MISS", .unit = "CRI",
		    .code = 0xce, .umask = 0x10, .counters = "0",
		    .why = "stays 0: only its name is known", .cite = LINUX } },
	{ .info = { .name = "L2_WEAKLY_ORDERED_STREAMING_VSTORE_MISS", .unit = "CRI",
		    .code = 0xcf, .umask = 0x10, .counters = "0",
		    .why = "stays 0: only its name is known", .cite = LINUX } },
};

const struct knc_event *knc_event_of(uint32_t counter, uint64_t select, const char **why)
{
	*why = "not an event of the document, it counts nothing";
	for (uint32_t i = 0; i < KNC_EVENTS; i++) {
		const struct knc_event *e = &knc_events[i];

		if ((e->info.umask << 8 | e->info.code) != VPMU_GET(KNC_CODE, select))
			continue;
		*why = e->info.why;
		if (!e->info.driven)
			return NULL;
		*why = "counter 0 alone counts this event, here it stays 0";
		if (counter && !strchr(e->info.counters, '1'))
			return NULL;
		*why = NULL;
		return e;
	}
	return NULL;
}
