/* SPDX-License-Identifier: MIT */
/* Events of the Core microarchitecture (SDM 325384-059 tables 19-1 and 19-23) and the sub-fields of
 * their unit masks (SDM 18.4; tables 18-6 to 18-8 are on the fixed counters' page).
 * core2_event_of() finds the event of a select, core2_times() how often it occurred. Tables are
 * constant: no lock. An event that stays 0 says why in its row. */
#include <string.h>

#include "core2_state.h"

#define ARCH "SDM Table 19-1"
#define CORE "SDM Table 19-23"
#define TABLE "325384-059 Table 18-8"
#define ROW(u, n, c, m, k, d, t, s, ...) { .info = { .name = n, .unit = u, .code = c, \
	.umask = m, .counters = k, .driven = d, .why = t, .cite = s }, __VA_ARGS__ }
#define ON(n, c, m, t, ...) ROW("PMC", n, c, m, "0,1", true, t, CORE, __VA_ARGS__)
/* A kind that a bit of the unit mask stands for; an instruction is of one kind only. */
#define ON_KIND(n, c, m, ...) ROW("PMC", n, c, m, "0,1", true, NULL, CORE, .fields = CORE2_KINDS, \
	__VA_ARGS__)
#define ON_ONE(n, c, m, k, t, ...) ROW("PMC", n, c, m, k, true, t, CORE, __VA_ARGS__)
#define OFF(n, c, f, t) ROW("PMC", n, c, 0, "0,1", false, "stays 0: " t, CORE, .fields = f)
#define OFF_ONE(n, c, m, k, t) ROW("PMC", n, c, m, k, false, "stays 0: " t, CORE, .fields = 0)
#define SUM(...) .sum = { __VA_ARGS__ }
#define LESS(...) .minus = { __VA_ARGS__ }
#define STATES(...) .state = { __VA_ARGS__ }
#define K(kind) VPMU_OF(kind)

#define C_A (CORE2_CORE | CORE2_AGENT)
#define C_P (CORE2_CORE | CORE2_PREFETCH)
#define C_M (CORE2_CORE | CORE2_MESI)
#define C_P_M (CORE2_CORE | CORE2_PREFETCH | CORE2_MESI)

#define NO_BUS "the bus and its signals are not modelled"
#define NO_L2_PORTS "the ports of the L2 are not modelled"
#define NO_PIPELINE "the pipeline is not modelled"
#define CODE_STATE "code found in the L2 counts as state S"
#define MEMORY_BUS "lines from and to memory, without streaming stores"
#define NO_OTHER_AGENT "caches of other packages are not snooped: all answers are CLEAN"
#define ONE_STATE "M, E and S only together: the states of L1D hits are not told apart"

#define READ_HITS(state) { K(L2_READ_HIT_##state) }
#define WRITE_HITS(state) { K(L2_WRITE_HIT_##state) }
#define FP_SSE K(SSE_PACKED_SINGLE), K(SSE_PACKED_DOUBLE), K(SSE_SCALAR_SINGLE), \
	       K(SSE_SCALAR_DOUBLE)
#define FP_SSE_MOVES K(SSE_PACKED_SINGLE_MOVES), K(SSE_PACKED_DOUBLE_MOVES), \
		     K(SSE_SCALAR_SINGLE_MOVES), K(SSE_SCALAR_DOUBLE_MOVES)
#define FP_SSE_REST K(SSE_PACKED_SINGLE_REST), K(SSE_PACKED_DOUBLE_REST), \
		    K(SSE_SCALAR_SINGLE_REST), K(SSE_SCALAR_DOUBLE_REST)
/* All that use XMM registers, moves too. */
#define ON_RETIRED(n, m, kind) ON_KIND("SIMD_INST_RETIRED." n, 0xc7, m, \
	SUM(K(kind), K(kind##_MOVES)))
#define ON_COMPUTING(n, m, kind) ON_KIND("SIMD_COMP_INST_RETIRED." n, 0xca, m, SUM(K(kind)), \
	LESS(K(kind##_REST)))

const struct core2_event core2_events[CORE2_EVENTS] = {
	ROW("FIXED", "INST_RETIRED.ANY", 0, 0, "FIXED0", true, NULL, TABLE, .fields = 0),
	ROW("FIXED", "CPU_CLK_UNHALTED.CORE", 0, 0, "FIXED1", true, NULL, TABLE, .fields = 0),
	ROW("FIXED", "CPU_CLK_UNHALTED.REF", 0, 0, "FIXED2", true, "same rate as the core clock",
	    TABLE, .fields = 0),

	ROW("PMC", "UnHalted Core Cycles", 0x3c, 0, "0,1", true, NULL, ARCH, SUM(VPMU_SUM_CLOCKS)),
	ROW("PMC", "Instruction Retired", 0xc0, 0, "0,1", true, NULL, ARCH, SUM(K(INSTRUCTIONS))),
	ROW("PMC", "UnHalted Reference Cycles", 0x3c, 1, "0,1", true,
	    "same rate as the core clock", ARCH, SUM(VPMU_SUM_CLOCKS)),
	ROW("PMC", "LLC Reference", 0x2e, 0x4f, "0,1", true, NULL, ARCH,
	    SUM(K(L2_READ_HIT_M), K(L2_READ_HIT_E), K(L2_READ_HIT_S), K(L2_READ_MISS),
		K(L2_WRITE_HIT_M), K(L2_WRITE_HIT_E), K(L2_WRITE_HIT_S), K(L2_WRITE_MISS),
		K(L2_CODE_HIT), K(L2_CODE_MISS))),
	ROW("PMC", "LLC Misses", 0x2e, 0x41, "0,1", true, NULL, ARCH,
	    SUM(K(L2_READ_MISS), K(L2_WRITE_MISS), K(L2_CODE_MISS))),
	ROW("PMC", "Branch Instruction Retired", 0xc4, 0, "0,1", true, NULL, ARCH,
	    SUM(K(BRANCHES))),
	ROW("PMC", "Branch Misses Retired", 0xc5, 0, "0,1", true, NULL, ARCH,
	    SUM(K(MISPREDICTED))),

	OFF("L2_ADS", 0x21, CORE2_CORE, NO_L2_PORTS),
	OFF("L2_DBUS_BUSY_RD", 0x23, CORE2_CORE, NO_L2_PORTS),
	ON("L2_LINES_IN", 0x24, 0, NULL, .fields = C_P, SUM(K(L2_LINES_IN))),
	OFF("L2_M_LINES_IN", 0x25, CORE2_CORE, "when a line of the L2 turns modified is not told"),
	ON("L2_LINES_OUT", 0x26, 0, NULL, .fields = C_P, SUM(K(L2_LINES_OUT))),
	ON("L2_M_LINES_OUT", 0x27, 0, NULL, .fields = C_P, SUM(K(L2_LINES_OUT_M))),
	ON("L2_IFETCH", 0x28, 0, CODE_STATE, .fields = C_M,
	   STATES({ K(L2_CODE_MISS) }, { K(L2_CODE_HIT) }, { 0 }, { 0 })),
	ON("L2_LD", 0x29, 0, NULL, .fields = C_P_M,
	   STATES({ K(L2_READ_MISS) }, READ_HITS(S), READ_HITS(E), READ_HITS(M))),
	ON("L2_ST", 0x2a, 0, NULL, .fields = C_M,
	   STATES({ K(L2_WRITE_MISS) }, WRITE_HITS(S), WRITE_HITS(E), WRITE_HITS(M))),
	OFF("L2_LOCK", 0x2b, C_M, "locked accesses are not told apart in the L2"),
	ON("L2_RQSTS", 0x2e, 0, CODE_STATE, .fields = C_P_M,
	   STATES({ K(L2_READ_MISS), K(L2_WRITE_MISS), K(L2_CODE_MISS) },
		  { K(L2_READ_HIT_S), K(L2_WRITE_HIT_S), K(L2_CODE_HIT) },
		  { K(L2_READ_HIT_E), K(L2_WRITE_HIT_E) },
		  { K(L2_READ_HIT_M), K(L2_WRITE_HIT_M) })),
	OFF("L2_REJECT_BUSQ", 0x30, C_P_M, NO_BUS),
	OFF("L2_NO_REQ", 0x32, CORE2_CORE, NO_L2_PORTS),
	ON("L1D_CACHE_LD", 0x40, 0, ONE_STATE, .fields = CORE2_MESI | CORE2_ANY_HIT,
	   SUM(K(LOADS)), LESS(K(L1D_READ_MISSES)),
	   STATES({ K(L1D_READ_MISSES) }, { 0 }, { 0 }, { 0 })),
	ON("L1D_CACHE_ST", 0x41, 0, ONE_STATE, .fields = CORE2_MESI | CORE2_ANY_HIT,
	   SUM(K(STORES)), LESS(K(L1D_WRITE_MISSES)),
	   STATES({ K(L1D_WRITE_MISSES) }, { 0 }, { 0 }, { 0 })),
	OFF("L1D_CACHE_LOCK", 0x42, CORE2_MESI, "the states that locked accesses find are unknown"),
	ON("L1D_ALL_REF", 0x43, 0x01, NULL, SUM(K(LOADS), K(STORES))),
	ON("L1D_ALL_CACHE_REF", 0x43, 0x02, NULL, SUM(K(LOADS), K(STORES))),
	ON("L1D_REPL", 0x45, 0x0f, "misses that bring a line in",
	   SUM(K(L1D_READ_MISSES), K(L1D_WRITE_MISSES))),
	ON("L1D_M_EVICT", 0x47, 0x00, NULL, SUM(K(L1D_WRITE_BACKS))),
	ON("L1D_SPLIT.LOADS", 0x49, 0x01, NULL, SUM(K(SPLIT_LOADS))),
	ON("L1D_SPLIT.STORES", 0x49, 0x02, NULL, SUM(K(SPLIT_STORES))),
	ON("SSE_PRE_EXEC.L1", 0x07, 0x01, NULL, SUM(K(PREFETCH1))),
	ON("SSE_PRE_EXEC.L2", 0x07, 0x02, NULL, SUM(K(PREFETCH2))),
	ON("DTLB_MISSES.ANY", 0x08, 0x01, NULL, SUM(K(DTLB_READ_MISSES), K(DTLB_WRITE_MISSES))),
	ON("DTLB_MISSES.MISS_LD", 0x08, 0x02, NULL, SUM(K(DTLB_READ_MISSES))),
	ON("DTLB_MISSES.MISS_ST", 0x08, 0x08, NULL, SUM(K(DTLB_WRITE_MISSES))),
	ON("PAGE_WALKS.COUNT", 0x0c, 0x01, NULL,
	   SUM(K(DTLB_READ_MISSES), K(DTLB_WRITE_MISSES), K(ITLB_MISSES))),

	OFF("BUS_REQUEST_OUTSTANDING", 0x60, C_A, NO_BUS),
	OFF("BUS_BNR_DRV", 0x61, CORE2_AGENT, NO_BUS),
	OFF("BUS_DRDY_CLOCKS", 0x62, CORE2_AGENT, NO_BUS),
	OFF("BUS_LOCK_CLOCKS", 0x63, C_A, NO_BUS),
	OFF("BUS_DATA_RCV", 0x64, CORE2_CORE, NO_BUS),
	ON("BUS_TRANS_BRD", 0x65, 0, MEMORY_BUS, .fields = C_A, SUM(K(FILL_READ_MEMORY))),
	ON("BUS_TRANS_RFO", 0x66, 0, MEMORY_BUS, .fields = C_A, SUM(K(FILL_WRITE_MEMORY))),
	ON("BUS_TRANS_WB", 0x67, 0, MEMORY_BUS, .fields = C_A, SUM(K(L2_LINES_OUT_M))),
	ON("BUS_TRANS_IFETCH", 0x68, 0, MEMORY_BUS, .fields = C_A, SUM(K(FILL_CODE_MEMORY))),
	OFF("BUS_TRANS_INVAL", 0x69, C_A, NO_BUS),
	OFF("BUS_TRANS_PWR", 0x6a, C_A, NO_BUS),
	OFF("BUS_TRANS_P", 0x6b, C_A, NO_BUS),
	OFF("BUS_TRANS_IO", 0x6c, C_A, "no I/O on this machine"),
	OFF("BUS_TRANS_DEF", 0x6d, C_A, NO_BUS),
	ON("BUS_TRANS_BURST", 0x6e, 0, MEMORY_BUS, .fields = C_A,
	   SUM(K(FILL_READ_MEMORY), K(FILL_WRITE_MEMORY), K(FILL_CODE_MEMORY), K(L2_LINES_OUT_M))),
	ON("BUS_TRANS_MEM", 0x6f, 0, MEMORY_BUS, .fields = C_A,
	   SUM(K(FILL_READ_MEMORY), K(FILL_WRITE_MEMORY), K(FILL_CODE_MEMORY), K(L2_LINES_OUT_M))),
	ON("BUS_TRANS_ANY", 0x70, 0, MEMORY_BUS, .fields = C_A,
	   SUM(K(FILL_READ_MEMORY), K(FILL_WRITE_MEMORY), K(FILL_CODE_MEMORY), K(L2_LINES_OUT_M))),
	ON("EXT_SNOOP", 0x77, 0, NO_OTHER_AGENT, .fields = CORE2_AGENT | CORE2_RESPONSE,
	   STATES({ K(FILL_READ_MEMORY), K(FILL_WRITE_MEMORY), K(FILL_CODE_MEMORY) }, { 0 }, { 0 },
		  { 0 })),
	ON("CMP_SNOOP", 0x78, 0, NULL, .fields = CORE2_CORE | CORE2_TYPE,
	   STATES({ K(SNOOPED_FOR_READ) }, { K(SNOOPED_FOR_WRITE) }, { 0 }, { 0 })),
	OFF("BUS_HIT_DRV", 0x7a, CORE2_AGENT, NO_BUS),
	OFF("BUS_HITM_DRV", 0x7b, CORE2_AGENT, NO_BUS),
	OFF("BUSQ_EMPTY", 0x7d, CORE2_CORE, NO_BUS),
	OFF("SNOOP_STALL_DRV", 0x7e, C_A, NO_BUS),
	OFF("BUS_IO_WAIT", 0x7f, CORE2_CORE, "no I/O on this machine"),

	ON("L1I_READS", 0x80, 0, NULL, SUM(K(CODE_READS))),
	ON("L1I_MISSES", 0x81, 0, NULL, SUM(K(CODE_MISSES))),
	ON("ITLB.SMALL_MISS", 0x82, 0x02, "all pages are small", SUM(K(ITLB_MISSES))),
	ON("ITLB.MISSES", 0x82, 0x12, "all pages are small", SUM(K(ITLB_MISSES))),
	ON("BR_INST_EXEC", 0x88, 0, NULL, SUM(K(BRANCHES))),
	ON("BR_MISSP_EXEC", 0x89, 0, NULL, SUM(K(MISPREDICTED))),
	ON("BR_CND_EXEC", 0x8b, 0, NULL, SUM(K(BRANCHES_CONDITIONAL))),
	ON("BR_CND_MISSP_EXEC", 0x8c, 0, NULL, SUM(K(MISPREDICTED_CONDITIONAL))),
	ON("BR_IND_EXEC", 0x8d, 0, NULL, SUM(K(BRANCHES_INDIRECT))),
	ON("BR_IND_MISSP_EXEC", 0x8e, 0, NULL, SUM(K(MISPREDICTED_INDIRECT))),
	ON("BR_RET_EXEC", 0x8f, 0, NULL, SUM(K(BRANCHES_RETURN))),
	ON("BR_RET_MISSP_EXEC", 0x90, 0, NULL, SUM(K(MISPREDICTED_RETURN))),
	ON("BR_CALL_EXEC", 0x92, 0, NULL, SUM(K(BRANCHES_CALL))),
	ON("BR_CALL_MISSP_EXEC", 0x93, 0, NULL, SUM(K(MISPREDICTED_CALL))),
	ON("RS_UOPS_DISPATCHED", 0xa0, 0, "those of retired instructions", SUM(K(UOPS))),
	ON("INST_RETIRED.LOADS", 0xc0, 0x01, "loads, not instructions with one", SUM(K(LOADS))),
	ON("INST_RETIRED.STORES", 0xc0, 0x02, "stores, not instructions with one", SUM(K(STORES))),
	ON("X87_OPS_RETIRED.ANY", 0xc1, 0xfe, NULL, SUM(K(X87)), LESS(K(X87_REST))),
	ON("UOPS_RETIRED.ANY", 0xc2, 0x0f, NULL, SUM(K(UOPS))),
	ON_KIND("BR_INST_RETIRED.PRED_NOT_TAKEN", 0xc4, 0x01,
	   SUM(K(BRANCHES), K(MISPREDICTED_TAKEN)), LESS(K(BRANCHES_TAKEN), K(MISPREDICTED))),
	ON_KIND("BR_INST_RETIRED.MISPRED_NOT_TAKEN", 0xc4, 0x02, SUM(K(MISPREDICTED)),
	   LESS(K(MISPREDICTED_TAKEN))),
	ON_KIND("BR_INST_RETIRED.PRED_TAKEN", 0xc4, 0x04, SUM(K(BRANCHES_TAKEN)),
	   LESS(K(MISPREDICTED_TAKEN))),
	ON_KIND("BR_INST_RETIRED.MISPRED_TAKEN", 0xc4, 0x08, SUM(K(MISPREDICTED_TAKEN))),
	ON("BR_INST_RETIRED.TAKEN", 0xc4, 0x0c, NULL, SUM(K(BRANCHES_TAKEN))),
	ON_RETIRED("PACKED_SINGLE", 0x01, SSE_PACKED_SINGLE),
	ON_RETIRED("SCALAR_SINGLE", 0x02, SSE_SCALAR_SINGLE),
	ON_RETIRED("PACKED_DOUBLE", 0x04, SSE_PACKED_DOUBLE),
	ON_RETIRED("SCALAR_DOUBLE", 0x08, SSE_SCALAR_DOUBLE),
	ON_RETIRED("VECTOR", 0x10, SSE_INTEGER),
	ON("SIMD_INST_RETIRED.ANY", 0xc7, 0x1f, NULL,
	   SUM(FP_SSE, FP_SSE_MOVES, K(SSE_INTEGER), K(SSE_INTEGER_MOVES))),
	ON("HW_INT_RCV", 0xc8, 0, "on a booted machine; NMIs are not counted",
	   .fields = CORE2_BOOTED, SUM(K(INTERRUPTS))),
	ON_COMPUTING("PACKED_SINGLE", 0x01, SSE_PACKED_SINGLE),
	ON_COMPUTING("SCALAR_SINGLE", 0x02, SSE_SCALAR_SINGLE),
	ON_COMPUTING("PACKED_DOUBLE", 0x04, SSE_PACKED_DOUBLE),
	ON_COMPUTING("SCALAR_DOUBLE", 0x08, SSE_SCALAR_DOUBLE),
	ON("BR_INST_DECODED", 0xe0, 0x01, NULL, SUM(K(BRANCHES))),

	ON_ONE("FP_COMP_OPS_EXE", 0x10, 0, "0", "what x87 and SSE compute, one each",
	       SUM(K(X87), FP_SSE), LESS(K(X87_REST), FP_SSE_REST)),
	OFF_ONE("FP_ASSIST", 0x11, 0, "1", "no operation needs an assist here"),
	ON_ONE("MUL", 0x12, 0, "1", NULL, SUM(K(MULTIPLIES))),
	ON_ONE("DIV", 0x13, 0, "1", NULL, SUM(K(DIVIDES))),
	OFF_ONE("CYCLES_DIV_BUSY", 0x14, 0, "0", NO_PIPELINE),
	OFF_ONE("IDLE_DURING_DIV", 0x18, 0, "0", NO_PIPELINE),
	OFF_ONE("DELAYED_BYPASS", 0x19, 0, "1", NO_PIPELINE),
	OFF_ONE("RS_UOPS_DISPATCHED_CYCLES", 0xa1, 0x3f, "0", NO_PIPELINE),
	ON_ONE("MEM_LOAD_RETIRED", 0xcb, 0x01, "0", "L1D_MISS", SUM(K(LOADS_L1_MISSED))),
	ON_ONE("MEM_LOAD_RETIRED.L1D_LINE_MISS", 0xcb, 0x02, "0", NULL, SUM(K(LOADS_L1_MISSED))),
	ON_ONE("MEM_LOAD_RETIRED.L2_MISS", 0xcb, 0x04, "0", NULL, SUM(K(LOADS_L2_MISSED))),
	ON_ONE("MEM_LOAD_RETIRED.L2_LINE_MISS", 0xcb, 0x08, "0", NULL, SUM(K(LOADS_L2_MISSED))),
	ON_ONE("MEM_LOAD_RETIRED.DTLB_MISS", 0xcb, 0x10, "0", NULL, SUM(K(LOADS_DTLB_MISSED))),
	ON_ONE("ITLB_MISS_RETIRED", 0xc9, 0, "0", "Linux: on counter 0 only", SUM(K(ITLB_MISSES))),
};

/* ---- unit masks ---- */

enum { CORE_BITS = 0xc0, THIS_CORE = 0x40, ALL_AGENTS = 0x20, PREFETCH_BITS = 0x30,
       ONLY_PREFETCH = 0x10, ALL_PREFETCH = 0x30, HITS = 0xe, MISS = 0x1, CLEAN = 0x1 };

/* The unit mask bits of an event whose bits are kinds. */
static uint32_t kind_bits(uint32_t code)
{
	uint32_t bits = 0;

	for (uint32_t i = CORE2_FIXED; i < CORE2_EVENTS; i++)
		if (core2_events[i].fields == CORE2_KINDS && core2_events[i].info.code == code)
			bits |= core2_events[i].info.umask;
	return bits;
}

static uint32_t field_bits(uint32_t fields)
{
	return (fields & CORE2_CORE ? CORE_BITS : 0u) | (fields & CORE2_AGENT ? ALL_AGENTS : 0u) |
	       (fields & CORE2_PREFETCH ? PREFETCH_BITS : 0u) |
	       (fields & CORE2_MESI ? 0xfu : 0u) | (fields & CORE2_RESPONSE ? 0xbu : 0u) |
	       (fields & CORE2_TYPE ? 0x3u : 0u);
}

/* Why these fields count nothing, or NULL. */
static const char *bad_fields(const struct core2_event *e, uint32_t umask)
{
	uint32_t fields = e->fields;
	uint32_t bits = fields == CORE2_KINDS ? kind_bits(e->info.code) : field_bits(fields);

	if (umask & ~bits)
		return "unit mask bits that this event does not have: it counts nothing";
	if (fields == CORE2_KINDS && !umask)
		return "its unit mask selects no kind: it counts nothing";
	if ((fields & CORE2_CORE) && (umask & CORE_BITS) != CORE_BITS &&
	    (umask & CORE_BITS) != THIS_CORE)
		return "bits 15:14 name no core (01 this one, 11 both): it counts nothing";
	if ((fields & CORE2_PREFETCH) && (umask & PREFETCH_BITS) == ONLY_PREFETCH)
		return "there is no hardware prefetcher on this machine, it stays 0";
	if ((fields & CORE2_PREFETCH) && umask & PREFETCH_BITS &&
	    (umask & PREFETCH_BITS) != ALL_PREFETCH)
		return "bits 13:12 are 10, which is reserved: it counts nothing";
	if ((fields & CORE2_MESI) && !(umask & 0xf))
		return "bits 11:8 select no line state: it counts nothing";
	if ((fields & CORE2_RESPONSE) && !(umask & 0xb))
		return "bits 11, 9 and 8 select no response: it counts nothing";
	if ((fields & CORE2_RESPONSE) && !(umask & CLEAN))
		return "other packages' caches are not snooped: HIT and HITM stay 0";
	if ((fields & CORE2_TYPE) && !(umask & 0x3))
		return "bits 9:8 select no type: it counts nothing";
	if ((fields & CORE2_ANY_HIT) && !(umask & MISS) && (umask & HITS) != HITS)
		return "this machine does not tell the states of L1D hits apart, it stays 0";
	return NULL;
}

/* Exact rows come first: LLC Reference is one form of L2_RQSTS. A row that is not driven is there
 * for all of its unit masks. */
static const struct core2_event *row_of(uint64_t select)
{
	const struct core2_event *found = NULL;

	for (uint32_t i = CORE2_FIXED; i < CORE2_EVENTS; i++) {
		const struct core2_event *e = &core2_events[i];

		if (e->info.code != VPMU_GET(CORE2_CODE, select))
			continue;
		if (!e->fields && e->info.umask == VPMU_GET(CORE2_UMASK, select))
			return e;
		if (e->fields || !e->info.driven)
			found = e;
	}
	return found;
}

static bool on_counter(const struct core2_event *e, uint32_t counter)
{
	return strchr(e->info.counters, (char)('0' + counter)) != NULL;
}

const struct core2_event *core2_event_of(uint32_t counter, uint64_t select, const char **why)
{
	const struct core2_event *e = row_of(select);

	*why = "no event that this model knows, it stays 0";
	if (!e)
		return NULL;
	*why = e->info.why;
	if (!e->info.driven)
		return NULL;
	*why = counter ? "counter 0 alone counts this event, here it stays 0" :
			 "counter 1 alone counts this event, here it stays 0";
	if (!on_counter(e, counter))
		return NULL;
	*why = e->fields ? bad_fields(e, VPMU_GET(CORE2_UMASK, select)) : NULL;
	if (*why)
		return NULL;
	if (e->fields & CORE2_BOOTED)
		*why = "there are no interrupts but on a booted machine, it stays 0";
	if ((e->fields & CORE2_ANY_HIT) && (VPMU_GET(CORE2_UMASK, select) & HITS) &&
	    (VPMU_GET(CORE2_UMASK, select) & HITS) != HITS)
		*why = "this machine does not tell the states of L1D hits apart: that part stays 0";
	return e;
}

static uint64_t difference(const struct core2_event *e, const uint32_t *counts, uint32_t clocks)
{
	uint64_t plus = vpmu_sum(e->sum, counts, clocks);
	uint64_t minus = vpmu_sum(e->minus, counts, clocks);

	return plus > minus ? plus - minus : 0;
}

static uint64_t kinds(uint32_t code, uint32_t umask, const uint32_t *counts, uint32_t clocks)
{
	uint64_t times = 0;

	for (uint32_t i = CORE2_FIXED; i < CORE2_EVENTS; i++) {
		const struct core2_event *e = &core2_events[i];

		if (e->fields == CORE2_KINDS && e->info.code == code && (e->info.umask & umask))
			times += difference(e, counts, clocks);
	}
	return times;
}

uint64_t core2_times(const struct core2_event *e, uint64_t select, const uint32_t *counts,
		     uint32_t clocks)
{
	uint32_t umask = VPMU_GET(CORE2_UMASK, select);
	uint64_t times = 0;

	if (e->fields == CORE2_KINDS)
		return kinds(e->info.code, umask, counts, clocks);
	if (!(e->fields & (CORE2_MESI | CORE2_RESPONSE | CORE2_TYPE)))
		return difference(e, counts, clocks);
	if ((e->fields & CORE2_ANY_HIT) && (umask & HITS) == HITS)
		times = difference(e, counts, clocks);
	for (uint32_t i = 0; i < 4; i++)
		if (umask >> i & 1)
			times += vpmu_sum(e->state[i], counts, clocks);
	return times;
}

bool core2_counts_from(const struct core2_event *e, uint64_t select, bool same_core,
		       bool same_package)
{
	uint32_t umask = VPMU_GET(CORE2_UMASK, select);

	if (!same_package)
		return (e->fields & CORE2_AGENT) && (umask & ALL_AGENTS);
	if (e->fields & CORE2_CORE)
		return same_core || (umask & CORE_BITS) == CORE_BITS;
	return same_core || (e->fields & CORE2_AGENT);
}
