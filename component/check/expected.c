/* SPDX-License-Identifier: MIT */
/* Events whose count follows from what a kernel does. A line is 64 bytes.
 *
 * READ loads each line of a buffer once, CHASE does so in an order of pointers, WRITE stores to
 * each line and flushes it, STREAM stores past the caches. No cache has a line of it before, so
 * every one comes from memory once, whatever is prefetched, and each stored one goes back once. A
 * step of LOOP is four instructions without memory, of which two need each other.
 *
 * The tolerance covers other activity of the machine. Clocks are checked only for a dead counter
 * and for a unit that is wrong by orders of magnitude: nothing fixes the ratio of a core's clock to
 * the uncore's. */
#include "check.h"

#define READS .per = { [READ] = 1, [WRITE] = 1, [CHASE] = 1 }, .kernels = MEMORY
#define READS_OF_HALF .per = { [READ] = 0.5, [WRITE] = 0.5, [CHASE] = 0.5 }, .kernels = MEMORY
#define WRITES .per = { [WRITE] = 1, [STREAM] = 1 }, .kernels = MEMORY
#define WRITES_OF_HALF .per = { [WRITE] = 0.5, [STREAM] = 0.5 }, .kernels = MEMORY
#define BOTH .per = { [READ] = 1, [WRITE] = 2, [STREAM] = 1, [CHASE] = 1 }, .kernels = MEMORY
/* Without STREAM: how such stores look up the cache is documented nowhere. */
#define MISSES .per = { [READ] = 1, [WRITE] = 1, [CHASE] = 1 }, \
	.kernels = KERNEL(READ) | KERNEL(WRITE) | KERNEL(CHASE)
#define CLOCKS .per = { [LOOP] = 4 }, .kernels = KERNEL(LOOP), .factor = 16
#define UNCORE_CLOCKS CLOCKS, .clock = true
/* Instructions per line of kernels.c. WRITE flushes with a loop of four for each line. */
#define INSTRUCTIONS .factor = 1.03, .kernels = MEMORY | KERNEL(LOOP), \
	.per = { [READ] = 4, [WRITE] = 8, [STREAM] = 11, [CHASE] = 3, [LOOP] = 4 }
#define BRANCHES .factor = 1.03, .kernels = MEMORY | KERNEL(LOOP), \
	.per = { [READ] = 1, [WRITE] = 2, [STREAM] = 1, [CHASE] = 1, [LOOP] = 1 }
#define LOADS .factor = 1.03, .per = { [READ] = 1, [CHASE] = 1 }, \
	.kernels = KERNEL(READ) | KERNEL(CHASE) | KERNEL(LOOP)
#define STORES .factor = 1.03, .per = { [WRITE] = 1 }, \
	.kernels = KERNEL(READ) | KERNEL(WRITE) | KERNEL(LOOP)

const struct expected expected[] = {
	{ "*_unc_imc", "DRAM_DATA_READS", READS, .factor = 1.1, .perf = "uncore_imc/data_reads",
	  .src = "334060-001 Table 3-3" },
	{ "*_unc_imc", "DRAM_DATA_WRITES", WRITES, .factor = 1.1, .perf = "uncore_imc/data_writes",
	  .src = "334060-001 Table 3-3" },
	{ "*_unc_imc", "DRAM_IA_REQUESTS", BOTH, .factor = 1.1, .src = "334060-001 Table 3-3" },
	{ "*_unc_imc*", "UNC_MC0_RDCAS_COUNT_FREERUN", READS_OF_HALF, .factor = 1.25,
	  .perf = "uncore_imc_free_running_0/data_read", .src = "Intel's event files" },
	{ "*_unc_imc*", "UNC_MC1_RDCAS_COUNT_FREERUN", READS_OF_HALF, .factor = 1.25,
	  .perf = "uncore_imc_free_running_1/data_read", .src = "Intel's event files" },
	{ "*_unc_imc*", "UNC_MC0_WRCAS_COUNT_FREERUN", WRITES_OF_HALF, .factor = 1.25,
	  .perf = "uncore_imc_free_running_0/data_write", .src = "Intel's event files" },
	{ "*_unc_imc*", "UNC_MC1_WRCAS_COUNT_FREERUN", WRITES_OF_HALF, .factor = 1.25,
	  .perf = "uncore_imc_free_running_1/data_write", .src = "Intel's event files" },
	{ "*_unc_imc", "UNC_M_CAS_COUNT_RD", READS, .factor = 1.1, .perf = "uncore_imc",
	  .src = "Intel's event files" },
	{ "*_unc_imc", "UNC_M_CAS_COUNT_WR", WRITES, .factor = 1.1, .perf = "uncore_imc",
	  .src = "Intel's event files" },
	{ "*_unc_cbo", "UNC_CBO_CACHE_LOOKUP:READ_I", MISSES, .factor = 1.1, .perf = "uncore_cbox",
	  .src = "334060-001 Table 3-1" },
	{ "*_unc_arb", "UNC_ARB_TRK_REQUESTS:ALL", BOTH, .factor = 1.1, .perf = "uncore_arb",
	  .src = "334060-001 Table 3-2" },
	{ "*_unc_arb", "UNC_ARB_TRK_REQUESTS:WRITES", WRITES, .factor = 1.1, .perf = "uncore_arb",
	  .src = "334060-001 Table 3-2" },
	{ "*_unc_hac_arb", "UNC_HAC_ARB_TRANSACTIONS:READS", READS, .factor = 1.1,
	  .perf = "uncore_hac_arb", .src = "Intel's event files" },
	{ "*_unc_hac_arb", "UNC_HAC_ARB_TRANSACTIONS:WRITES", WRITES, .factor = 1.1,
	  .perf = "uncore_hac_arb", .src = "Intel's event files" },
	{ "*_unc_clk", "UNC_CLOCK:SOCKET", UNCORE_CLOCKS, .perf = "uncore_clock/clockticks",
	  .src = "334060-001 Table 3-2" },
	{ "*_unc_cncu", "UNC_CLOCK:SOCKET", UNCORE_CLOCKS, .src = "Intel's event files" },
	/* Not FVC_EVn: whether fvid limits its commands to one index is open (page 2-109). */
	{ "nhmex_unc_mbox", "INFLIGHT_CMDS", BOTH, .factor = 1.1,
	  .src = "323535-001 page 2-101" },
	{ "nhmex_unc_mbox", "BBOX_CMDS_ALL", BOTH, .factor = 1.1,
	  .src = "323535-001 page 2-101" },
	{ "nhmex_unc_mbox", "CYCLES:package=0:box=0", UNCORE_CLOCKS,
	  .src = "323535-001 page 2-101" },
	{ "nhmex_unc_cbox", "LLC_MISSES:ALL", MISSES, .factor = 1.1, .perf = "uncore_cbox",
	  .src = "LIKWID" },
	{ "core_fixed", "INST_RETIRED:ANY", INSTRUCTIONS, .src = "SDM 18.2, Table 19-1" },
	{ "core_fixed", "CPU_CLK_UNHALTED:CORE", CLOCKS, .src = "SDM 18.2, Table 19-1" },
	{ "core_fixed", "CPU_CLK_UNHALTED:REF", CLOCKS, .src = "SDM 18.2, Table 19-1" },
	{ "ix86arch", "BRANCH_INSTRUCTIONS_RETIRED", BRANCHES, .src = "SDM 18.2, Table 19-1" },
	{ "core", "BRANCH_INSTRUCTIONS_RETIRED", BRANCHES, .src = "SDM 18.2, Table 19-1" },
	{ "core", "INST_RETIRED:LOADS", LOADS, .src = "SDM 18.4" },
	{ "core", "INST_RETIRED:STORES", STORES, .src = "SDM 18.4" },
	{ "skl", "MEM_INST_RETIRED:ALL_LOADS", LOADS, .src = "Intel's event files" },
	{ "skl", "MEM_INST_RETIRED:ALL_STORES", STORES, .src = "Intel's event files" },
	{ "knc", "INSTRUCTIONS_EXECUTED", INSTRUCTIONS, .src = "327357-001" },
	{ "knc", "BRANCHES", BRANCHES, .src = "327357-001" },
	{ "knc", "DATA_READ", LOADS, .src = "327357-001" },
	{ "knc", "DATA_WRITE", STORES, .src = "327357-001" },
	{ "knc", "CPU_CLK_UNHALTED", CLOCKS, .src = "327357-001" },
	{ "netburst*", "instr_retired:NBOGUSNTAG", INSTRUCTIONS, .src = "SDM 18.15" },
	{ "netburst*", "branch_retired:MMNP:MMNM:MMTP:MMTM", BRANCHES, .src = "SDM 18.15" },
	{ "netburst*", "global_power_events:RUNNING", CLOCKS, .src = "SDM 18.15" },
	{ 0 },
};
