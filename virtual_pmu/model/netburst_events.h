/* SPDX-License-Identifier: MIT */
/* Events of the NetBurst PMU, one line per mask bit: SDM 325384-059 tables 19-28 to 19-30, bits
 * that only 19-34 has included. Expanded twice, for tools and for counting.
 *
 * D(unit, event, event select, bit name, mask bit, TS or TI, remark, what it counts ...)
 * U(unit, event, event select, bit name, mask bit, TS or TI, why it is not driven)
 *
 * FSB1, BSU0 and BSU1 are one ESCR of a pair. What it counts is a sum: P(kind) adds, M(kind) takes
 * away. Instruction fetches that hit the second level are taken for shared lines. */
#ifndef VPMU_NETBURST_EVENTS_H
#define VPMU_NETBURST_EVENTS_H

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define BOGUS TEXT(P4_BOGUS_UOPS) " for each mispredicted branch, a stand-in for the wrong path"
#define NO_TAG "stays 0: the micro-ops that stand in for the wrong path carry no tag"
#define MODES "stays 0: the model always delivers from its trace cache"
#define NO_L3 "stays 0: this machine has no third-level cache"
#define BUS "stays 0: this of the front side bus is not modelled"
#define QUEUES "stays 0: the model's buffers and queues never fill or conflict"
#define REPLAY "stays 0: the model's loads never wait for a store"
#define ASSISTS "stays 0: assists are not modelled"
#define CLEARS "stays 0: machine clears are not modelled"
#define MICROCODE "stays 0: the microcode ROM is not modelled"
#define WC "stays 0: write-combining buffers are not modelled"
#define BUILD "stays 0: all uops come from the trace cache in deliver mode"
#define MEMORY "stays 0: the model's bus has write-back memory only"
#define OTHERS "stays 0: transactions of others are not told of"
#define PREFETCHED "adds nothing: the model prefetches nothing by itself"
#define WITH "counts together with ReqA0, a direction, MEM_WB and OWN"
#define UNCACHED "stays 0: programs have no uncacheable memory"
#define MOVES "moves are not told apart: counts with ALLP0 and ALLP2 together only"
#define TAGS "tags uops, a counter on it does not move"
#define CODE_CACHE "misses of the code cache that stands in for the trace cache"
#define INDIRECTS "returns, indirect calls and jumps"

#define BSQ_ENTRIES(U, unit, event, select) \
	U(unit, event, select, "REQ_TYPE0", 0, TS, BUS) \
	U(unit, event, select, "REQ_TYPE1", 1, TS, BUS) \
	U(unit, event, select, "REQ_LEN0", 2, TS, BUS) \
	U(unit, event, select, "REQ_LEN1", 3, TS, BUS) \
	U(unit, event, select, "REQ_IO_TYPE", 5, TS, BUS) \
	U(unit, event, select, "REQ_LOCK_TYPE", 6, TS, BUS) \
	U(unit, event, select, "REQ_CACHE_TYPE", 7, TS, BUS) \
	U(unit, event, select, "REQ_SPLIT_TYPE", 8, TS, BUS) \
	U(unit, event, select, "REQ_DEM_TYPE", 9, TS, BUS) \
	U(unit, event, select, "REQ_ORD_TYPE", 10, TS, BUS) \
	U(unit, event, select, "MEM_TYPE0", 11, TS, BUS) \
	U(unit, event, select, "MEM_TYPE1", 12, TS, BUS) \
	U(unit, event, select, "MEM_TYPE2", 13, TS, BUS)

#define NETBURST_EVENT_LIST(D, U) \
	D(TC, "TC_deliver_mode", 0x01, "DD", 0, TI, NULL, P(BOTH_DELIVER)) \
	U(TC, "TC_deliver_mode", 0x01, "DB", 1, TI, MODES) \
	D(TC, "TC_deliver_mode", 0x01, "DI", 2, TI, NULL, P(FIRST_DELIVERS)) \
	U(TC, "TC_deliver_mode", 0x01, "BD", 3, TI, MODES) \
	U(TC, "TC_deliver_mode", 0x01, "BB", 4, TI, MODES) \
	U(TC, "TC_deliver_mode", 0x01, "BI", 5, TI, MODES) \
	D(TC, "TC_deliver_mode", 0x01, "ID", 6, TI, NULL, P(SECOND_DELIVERS)) \
	U(TC, "TC_deliver_mode", 0x01, "IB", 7, TI, MODES) \
	D(BPU, "BPU_fetch_request", 0x03, "TCMISS", 0, TS, CODE_CACHE, P(CODE_MISSES)) \
	D(ITLB, "ITLB_reference", 0x18, "HIT", 0, TS, "fetched code lines", \
	  P(CODE_READS), M(ITLB_MISSES)) \
	D(ITLB, "ITLB_reference", 0x18, "MISS", 1, TS, NULL, P(ITLB_MISSES)) \
	U(ITLB, "ITLB_reference", 0x18, "HIT_UC", 2, TS, UNCACHED) \
	U(DAC, "memory_cancel", 0x02, "ST_RB_FULL", 2, TS, QUEUES) \
	U(DAC, "memory_cancel", 0x02, "64K_CONF", 3, TS, QUEUES) \
	D(SAAT, "memory_complete", 0x08, "LSC", 0, TS, NULL, P(SPLIT_LOADS)) \
	D(SAAT, "memory_complete", 0x08, "SSC", 1, TS, NULL, P(SPLIT_STORES)) \
	U(SAAT, "memory_complete", 0x08, "USC", 2, TS, UNCACHED) \
	U(SAAT, "memory_complete", 0x08, "ULC", 3, TS, UNCACHED) \
	D(SAAT, "load_port_replay", 0x04, "SPLIT_LD", 1, TS, NULL, P(SPLIT_LOADS)) \
	D(SAAT, "store_port_replay", 0x05, "SPLIT_ST", 1, TS, NULL, P(SPLIT_STORES)) \
	U(MOB, "MOB_load_replay", 0x03, "NO_STA", 1, TS, REPLAY) \
	U(MOB, "MOB_load_replay", 0x03, "NO_STD", 3, TS, REPLAY) \
	U(MOB, "MOB_load_replay", 0x03, "PARTIAL_DATA", 4, TS, REPLAY) \
	U(MOB, "MOB_load_replay", 0x03, "UNALGN_ADDR", 5, TS, REPLAY) \
	D(PMH, "page_walk_type", 0x01, "DTMISS", 0, TI, NULL, P(DTLB_READ_MISSES), \
	  P(DTLB_WRITE_MISSES)) \
	D(PMH, "page_walk_type", 0x01, "ITMISS", 1, TI, NULL, P(ITLB_MISSES)) \
	D(BSU, "BSQ_cache_reference", 0x0c, "RD_2ndL_HITS", 0, TS, "and hits of code", \
	  P(L2_READ_HIT_S), P(L2_WRITE_HIT_S), P(L2_CODE_HIT)) \
	D(BSU, "BSQ_cache_reference", 0x0c, "RD_2ndL_HITE", 1, TS, NULL, P(L2_READ_HIT_E), \
	  P(L2_WRITE_HIT_E)) \
	D(BSU, "BSQ_cache_reference", 0x0c, "RD_2ndL_HITM", 2, TS, NULL, P(L2_READ_HIT_M), \
	  P(L2_WRITE_HIT_M)) \
	U(BSU, "BSQ_cache_reference", 0x0c, "RD_3rdL_HITS", 3, TS, NO_L3) \
	U(BSU, "BSQ_cache_reference", 0x0c, "RD_3rdL_HITE", 4, TS, NO_L3) \
	U(BSU, "BSQ_cache_reference", 0x0c, "RD_3rdL_HITM", 5, TS, NO_L3) \
	D(BSU, "BSQ_cache_reference", 0x0c, "WR_2ndL_HIT", 6, TS, \
	  "the model's first level writes back", P(L1D_WRITE_BACKS)) \
	U(BSU, "BSQ_cache_reference", 0x0c, "WR_3rdL_HIT", 7, TS, NO_L3) \
	D(BSU, "BSQ_cache_reference", 0x0c, "RD_2ndL_MISS", 8, TS, NULL, P(L2_READ_MISS), \
	  P(L2_WRITE_MISS), P(L2_CODE_MISS)) \
	U(BSU, "BSQ_cache_reference", 0x0c, "RD_3rdL_MISS", 9, TS, NO_L3) \
	U(BSU, "BSQ_cache_reference", 0x0c, "WR_2ndL_MISS", 10, TS, \
	  "stays 0: the second level holds all lines of the first") \
	U(BSU, "BSQ_cache_reference", 0x0c, "WR_3rdL_MISS", 11, TS, NO_L3) \
	D(FSB, "IOQ_allocation", 0x03, "ReqA0", 0, TS, WITH, P(BUS)) \
	U(FSB, "IOQ_allocation", 0x03, "ReqA1", 1, TS, BUS) \
	U(FSB, "IOQ_allocation", 0x03, "ReqA2", 2, TS, BUS) \
	U(FSB, "IOQ_allocation", 0x03, "ReqA3", 3, TS, BUS) \
	U(FSB, "IOQ_allocation", 0x03, "ReqA4", 4, TS, BUS) \
	D(FSB, "IOQ_allocation", 0x03, "ALL_READ", 5, TS, WITH, P(BUS)) \
	D(FSB, "IOQ_allocation", 0x03, "ALL_WRITE", 6, TS, WITH, P(BUS)) \
	U(FSB, "IOQ_allocation", 0x03, "MEM_UC", 7, TS, MEMORY) \
	U(FSB, "IOQ_allocation", 0x03, "MEM_WC", 8, TS, MEMORY) \
	U(FSB, "IOQ_allocation", 0x03, "MEM_WT", 9, TS, MEMORY) \
	U(FSB, "IOQ_allocation", 0x03, "MEM_WP", 10, TS, MEMORY) \
	D(FSB, "IOQ_allocation", 0x03, "MEM_WB", 11, TS, WITH, P(BUS)) \
	D(FSB, "IOQ_allocation", 0x03, "OWN", 13, TS, WITH, P(BUS)) \
	U(FSB, "IOQ_allocation", 0x03, "OTHER", 14, TS, OTHERS) \
	U(FSB, "IOQ_allocation", 0x03, "PREFETCH", 15, TS, PREFETCHED) \
	U(FSB1, "IOQ_active_entries", 0x1a, "ReqA0", 0, TS, BUS) \
	U(FSB1, "IOQ_active_entries", 0x1a, "ReqA1", 1, TS, BUS) \
	U(FSB1, "IOQ_active_entries", 0x1a, "ReqA2", 2, TS, BUS) \
	U(FSB1, "IOQ_active_entries", 0x1a, "ReqA3", 3, TS, BUS) \
	U(FSB1, "IOQ_active_entries", 0x1a, "ReqA4", 4, TS, BUS) \
	U(FSB1, "IOQ_active_entries", 0x1a, "ALL_READ", 5, TS, BUS) \
	U(FSB1, "IOQ_active_entries", 0x1a, "ALL_WRITE", 6, TS, BUS) \
	U(FSB1, "IOQ_active_entries", 0x1a, "MEM_UC", 7, TS, BUS) \
	U(FSB1, "IOQ_active_entries", 0x1a, "MEM_WC", 8, TS, BUS) \
	U(FSB1, "IOQ_active_entries", 0x1a, "MEM_WT", 9, TS, BUS) \
	U(FSB1, "IOQ_active_entries", 0x1a, "MEM_WP", 10, TS, BUS) \
	U(FSB1, "IOQ_active_entries", 0x1a, "MEM_WB", 11, TS, BUS) \
	U(FSB1, "IOQ_active_entries", 0x1a, "OWN", 13, TS, BUS) \
	U(FSB1, "IOQ_active_entries", 0x1a, "OTHER", 14, TS, BUS) \
	U(FSB1, "IOQ_active_entries", 0x1a, "PREFETCH", 15, TS, BUS) \
	U(FSB, "FSB_data_activity", 0x17, "DRDY_DRV", 0, TI, BUS) \
	U(FSB, "FSB_data_activity", 0x17, "DRDY_OWN", 1, TI, BUS) \
	U(FSB, "FSB_data_activity", 0x17, "DRDY_OTHER", 2, TI, BUS) \
	U(FSB, "FSB_data_activity", 0x17, "DBSY_DRV", 3, TI, BUS) \
	U(FSB, "FSB_data_activity", 0x17, "DBSY_OWN", 4, TI, BUS) \
	U(FSB, "FSB_data_activity", 0x17, "DBSY_OTHER", 5, TI, BUS) \
	BSQ_ENTRIES(U, BSU0, "BSQ_allocation", 0x05) \
	BSQ_ENTRIES(U, BSU1, "bsq_active_entries", 0x06) \
	U(FIRM, "SSE_input_assist", 0x34, "ALL", 15, TI, ASSISTS) \
	D(FIRM, "packed_SP_uop", 0x08, "ALL", 15, TI, NULL, P(SSE_PACKED_SINGLE)) \
	D(FIRM, "packed_DP_uop", 0x0c, "ALL", 15, TI, NULL, P(SSE_PACKED_DOUBLE)) \
	D(FIRM, "scalar_SP_uop", 0x0a, "ALL", 15, TI, NULL, P(SSE_SCALAR_SINGLE)) \
	D(FIRM, "scalar_DP_uop", 0x0e, "ALL", 15, TI, NULL, P(SSE_SCALAR_DOUBLE)) \
	D(FIRM, "64bit_MMX_uop", 0x02, "ALL", 15, TI, NULL, P(MMX64)) \
	D(FIRM, "128bit_MMX_uop", 0x1a, "ALL", 15, TI, NULL, P(SSE_INTEGER)) \
	D(FIRM, "x87_FP_uop", 0x04, "ALL", 15, TI, NULL, P(X87)) \
	D(FIRM, "x87_SIMD_moves_uop", 0x2e, "ALLP0", 3, TI, MOVES, P(X87_SIMD_MOVES)) \
	D(FIRM, "x87_SIMD_moves_uop", 0x2e, "ALLP2", 4, TI, MOVES, P(X87_SIMD_MOVES)) \
	U(TC, "TC_misc", 0x06, "FLUSH", 4, TS, "stays 0: the trace cache is never flushed") \
	D(FSB, "global_power_events", 0x13, "RUNNING", 0, TS, NULL, P(CLOCKS)) \
	U(MS, "tc_ms_xfer", 0x05, "CISC", 0, TS, MICROCODE) \
	U(MS, "uop_queue_writes", 0x09, "FROM_TC_BUILD", 0, TS, BUILD) \
	D(MS, "uop_queue_writes", 0x09, "FROM_TC_DELIVER", 1, TS, \
	  "uops of both paths", P(UOPS), P(BOGUS_UOPS)) \
	U(MS, "uop_queue_writes", 0x09, "FROM_ROM", 2, TS, MICROCODE) \
	D(TBPU, "retired_mispred_branch_type", 0x05, "UNCONDITIONAL", 0, TS, "jumps", \
	  P(MISPREDICTED), M(MISPREDICTED_CONDITIONAL), M(MISPREDICTED_CALL), \
	  M(MISPREDICTED_RETURN)) \
	D(TBPU, "retired_mispred_branch_type", 0x05, "CONDITIONAL", 1, TS, NULL, \
	  P(MISPREDICTED_CONDITIONAL)) \
	D(TBPU, "retired_mispred_branch_type", 0x05, "CALL", 2, TS, NULL, P(MISPREDICTED_CALL)) \
	D(TBPU, "retired_mispred_branch_type", 0x05, "RETURN", 3, TS, NULL, \
	  P(MISPREDICTED_RETURN)) \
	D(TBPU, "retired_mispred_branch_type", 0x05, "INDIRECT", 4, TS, INDIRECTS, \
	  P(MISPREDICTED_INDIRECT), P(MISPREDICTED_RETURN)) \
	D(TBPU, "retired_branch_type", 0x04, "UNCONDITIONAL", 0, TS, "jumps", P(BRANCHES), \
	  M(BRANCHES_CONDITIONAL), M(BRANCHES_CALL), M(BRANCHES_RETURN)) \
	D(TBPU, "retired_branch_type", 0x04, "CONDITIONAL", 1, TS, NULL, P(BRANCHES_CONDITIONAL)) \
	D(TBPU, "retired_branch_type", 0x04, "CALL", 2, TS, NULL, P(BRANCHES_CALL)) \
	D(TBPU, "retired_branch_type", 0x04, "RETURN", 3, TS, NULL, P(BRANCHES_RETURN)) \
	D(TBPU, "retired_branch_type", 0x04, "INDIRECT", 4, TS, INDIRECTS, \
	  P(BRANCHES_INDIRECT), P(BRANCHES_RETURN)) \
	U(ALF, "resource_stall", 0x01, "SBFULL", 5, TS, QUEUES) \
	U(DAC, "WC_Buffer", 0x05, "WCB_EVICTS", 0, TI, WC) \
	U(DAC, "WC_Buffer", 0x05, "WCB_FULL_EVICT", 1, TI, WC) \
	U(DAC, "WC_Buffer", 0x05, "WCB_HITM_EVICT", 2, TI, WC) \
	U(FSB, "b2b_cycles", 0x16, "BIT1", 1, TS, BUS) \
	U(FSB, "b2b_cycles", 0x16, "BIT2", 2, TS, BUS) \
	U(FSB, "b2b_cycles", 0x16, "BIT3", 3, TS, BUS) \
	U(FSB, "b2b_cycles", 0x16, "BIT4", 4, TS, BUS) \
	U(FSB, "b2b_cycles", 0x16, "BIT5", 5, TS, BUS) \
	U(FSB, "b2b_cycles", 0x16, "BIT6", 6, TS, BUS) \
	U(FSB, "bnr", 0x08, "BIT0", 0, TS, BUS) \
	U(FSB, "bnr", 0x08, "BIT1", 1, TS, BUS) \
	U(FSB, "bnr", 0x08, "BIT2", 2, TS, BUS) \
	U(FSB, "snoop", 0x06, "BIT2", 2, TS, BUS) \
	U(FSB, "snoop", 0x06, "BIT6", 6, TS, BUS) \
	U(FSB, "snoop", 0x06, "BIT7", 7, TS, BUS) \
	U(FSB, "Response", 0x04, "BIT1", 1, TS, BUS) \
	U(FSB, "Response", 0x04, "BIT2", 2, TS, BUS) \
	U(FSB, "Response", 0x04, "BIT8", 8, TS, BUS) \
	U(FSB, "Response", 0x04, "BIT9", 9, TS, BUS) \
	D(CRU2, "front_end_event", 0x08, "NBOGUS", 0, TS, NULL, P(FRONT_END_TAGGED)) \
	U(CRU2, "front_end_event", 0x08, "BOGUS", 1, TS, NO_TAG) \
	D(CRU2, "execution_event", 0x0c, "NBOGUS0", 0, TS, NULL, P(EXECUTION_TAGGED)) \
	D(CRU2, "execution_event", 0x0c, "NBOGUS1", 1, TS, NULL, P(EXECUTION_TAGGED)) \
	D(CRU2, "execution_event", 0x0c, "NBOGUS2", 2, TS, NULL, P(EXECUTION_TAGGED)) \
	D(CRU2, "execution_event", 0x0c, "NBOGUS3", 3, TS, NULL, P(EXECUTION_TAGGED)) \
	U(CRU2, "execution_event", 0x0c, "BOGUS0", 4, TS, NO_TAG) \
	U(CRU2, "execution_event", 0x0c, "BOGUS1", 5, TS, NO_TAG) \
	U(CRU2, "execution_event", 0x0c, "BOGUS2", 6, TS, NO_TAG) \
	U(CRU2, "execution_event", 0x0c, "BOGUS3", 7, TS, NO_TAG) \
	D(CRU2, "replay_event", 0x09, "NBOGUS", 0, TS, NULL, P(REPLAY_TAGGED)) \
	U(CRU2, "replay_event", 0x09, "BOGUS", 1, TS, NO_TAG) \
	D(CRU0, "instr_retired", 0x02, "NBOGUSNTAG", 0, TS, NULL, P(INSTRUCTIONS), \
	  M(TAGGED_INSTRUCTIONS)) \
	D(CRU0, "instr_retired", 0x02, "NBOGUSTAG", 1, TS, NULL, P(TAGGED_INSTRUCTIONS)) \
	D(CRU0, "instr_retired", 0x02, "BOGUSNTAG", 2, TS, BOGUS, P(BOGUS_UOPS)) \
	U(CRU0, "instr_retired", 0x02, "BOGUSTAG", 3, TS, NO_TAG) \
	D(CRU0, "uops_retired", 0x01, "NBOGUS", 0, TS, NULL, P(UOPS)) \
	D(CRU0, "uops_retired", 0x01, "BOGUS", 1, TS, BOGUS, P(BOGUS_UOPS)) \
	D(RAT, "uop_type", 0x02, "TAGLOADS", 1, TS, TAGS, P(NOTHING)) \
	D(RAT, "uop_type", 0x02, "TAGSTORES", 2, TS, TAGS, P(NOTHING)) \
	D(CRU2, "branch_retired", 0x06, "MMNP", 0, TS, NULL, P(BRANCHES), M(BRANCHES_TAKEN), \
	  M(MISPREDICTED), P(MISPREDICTED_TAKEN)) \
	D(CRU2, "branch_retired", 0x06, "MMNM", 1, TS, NULL, P(MISPREDICTED), \
	  M(MISPREDICTED_TAKEN)) \
	D(CRU2, "branch_retired", 0x06, "MMTP", 2, TS, NULL, P(BRANCHES_TAKEN), \
	  M(MISPREDICTED_TAKEN)) \
	D(CRU2, "branch_retired", 0x06, "MMTM", 3, TS, NULL, P(MISPREDICTED_TAKEN)) \
	D(CRU0, "mispred_branch_retired", 0x03, "NBOGUS", 0, TS, NULL, P(MISPREDICTED)) \
	U(CRU2, "x87_assist", 0x03, "FPSU", 0, TS, ASSISTS) \
	U(CRU2, "x87_assist", 0x03, "FPSO", 1, TS, ASSISTS) \
	U(CRU2, "x87_assist", 0x03, "POAO", 2, TS, ASSISTS) \
	U(CRU2, "x87_assist", 0x03, "POAU", 3, TS, ASSISTS) \
	U(CRU2, "x87_assist", 0x03, "PREA", 4, TS, ASSISTS) \
	U(CRU2, "machine_clear", 0x02, "CLEAR", 0, TS, CLEARS) \
	U(CRU2, "machine_clear", 0x02, "MOCLEAR", 2, TS, CLEARS) \
	U(CRU2, "machine_clear", 0x02, "SMCLEAR", 6, TS, CLEARS) \
	D(CRU0, "instr_completed", 0x07, "NBOGUS", 0, TS, NULL, P(INSTRUCTIONS)) \
	D(CRU0, "instr_completed", 0x07, "BOGUS", 1, TS, BOGUS, P(BOGUS_UOPS))

#endif
