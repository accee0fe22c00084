/* SPDX-License-Identifier: MIT */
/* Events of the Skylake-client uncore (334060-001 tables 3-1 to 3-3) and whether the virtual
 * machine makes them happen. */
#include "skl_state.h"

#define CBO(n, c, u, t) { .name = n, .unit = "CBO", .code = c, .umask = u, .counters = "0,1", \
			  .driven = true, .cite = "334060-001 Table 3-1", .why = t }
#define ARB(n, c, u, k, s, t) { .name = n, .unit = "ARB", .code = c, .umask = u, .counters = k, \
				.driven = true, .cite = s, .why = t }
#define IMC(n, c, d, t) { .name = n, .unit = "IMC", .code = c, .umask = 0, .counters = "FREE", \
			  .driven = d, .cite = "334060-001 Table 3-3", .why = t }
#define TABLE "334060-001 Table 3-2"
#define JSON "Intel perfmon events, Skylake uncore"

const struct vpmu_event_info skl_events[SKL_EVENTS] = {
	CBO("UNC_CBO_XSNP_RESPONSE.MISS_XCORE", 0x22, 0x41, NULL),
	CBO("UNC_CBO_XSNP_RESPONSE.MISS_EVICTION", 0x22, 0x81, NULL),
	CBO("UNC_CBO_XSNP_RESPONSE.HIT_XCORE", 0x22, 0x44, NULL),
	CBO("UNC_CBO_XSNP_RESPONSE.HITM_XCORE", 0x22, 0x48, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.WRITE_M", 0x34, 0x21, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.ANY_M", 0x34, 0x81, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.READ_I", 0x34, 0x18, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.ANY_I", 0x34, 0x88, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.READ_MESI", 0x34, 0x1f, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.WRITE_MESI", 0x34, 0x2f, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.ANY_MESI", 0x34, 0x8f, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.ANY_ES", 0x34, 0x86, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.READ_ES", 0x34, 0x16, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.WRITE_ES", 0x34, 0x26, NULL),
	ARB("UNC_ARB_TRK_OCCUPANCY.ALL", 0x80, 0x01, "0", TABLE, "requests of the cores only"),
	ARB("UNC_ARB_TRK_REQUESTS.ALL", 0x81, 0x01, "0,1", TABLE, NULL),
	ARB("UNC_ARB_TRK_REQUESTS.WRITES", 0x81, 0x20, "0,1", TABLE, NULL),
	ARB("UNC_ARB_COH_TRK_REQUESTS.ALL", 0x84, 0x01, "0,1", TABLE, NULL),
	ARB("UNC_ARB_TRK_OCCUPANCY.CYCLES_WITH_ANY_REQUEST", 0x80, 0x01, "0", TABLE, "with THR=1"),
	{
		.name = "UNC_CLOCK.SOCKET", .unit = "FIXED", .code = 0, .umask = 1,
		.counters = "FIXED", .driven = true, .cite = TABLE,
	},
	ARB("UNC_ARB_TRK_OCCUPANCY.DATA_READ", 0x80, 0x02, "0", JSON, NULL),
	ARB("UNC_ARB_TRK_REQUESTS.DATA_READ", 0x81, 0x02, "0,1", JSON, NULL),
	ARB("UNC_ARB_TRK_REQUESTS.DRD_DIRECT", 0x81, 0x02, "0,1", JSON, "same as DATA_READ"),
	IMC("DRAM_GT_REQUESTS", 0x5040, false, "stays 0: no graphics on this machine"),
	IMC("DRAM_IA_REQUESTS", 0x5044, true, NULL),
	IMC("DRAM_IO_REQUESTS", 0x5048, false, "stays 0: no I/O traffic on this machine"),
	IMC("DRAM_DATA_READS", 0x5050, true, NULL),
	IMC("DRAM_DATA_WRITES", 0x5054, true, NULL),
};

static const char *cbo_why(uint64_t select)
{
	uint32_t umask = VPMU_GET(SELECT_UMASK, select), low = umask & 0xf, high = umask >> 4;

	switch (VPMU_GET(SELECT_EVENT, select)) {
	case SKL_CACHE_LOOKUP:
		if (!low || !high)
			return "it selects no line state or no kind of lookup, so it stays 0";
		if ((high & VPMU_EXTERNAL) && !(high & 8))
			return "no external snoops happen on this machine: that part stays 0";
		return NULL;
	case SKL_XSNP_RESPONSE:
		if (!(low & 0xd) || !(high & 0xc))
			return "it selects no snoop response or no cause, so it stays 0";
		if ((low & ~0xdu) || (high & ~0xcu))
			return "no such snoop response or cause is documented: that part stays 0";
		return NULL;
	}
	return "not an event of the CBo's documents, it stays 0";
}

static const char *arb_why(uint32_t counter, uint64_t select)
{
	static const char *const no_umask = "this unit mask is not documented: that part stays 0";
	uint32_t umask = VPMU_GET(SELECT_UMASK, select);

	switch (VPMU_GET(SELECT_EVENT, select)) {
	case SKL_TRK_OCCUPANCY:
		if (counter != SKL_ARB)
			return "the occupancy is counted by counter 0 only, here it stays 0";
		return umask && !(umask & ~(SKL_TRK_ALL | SKL_TRK_DATA_READ)) ? NULL : no_umask;
	case SKL_TRK_REQUESTS:
		return umask && !(umask & ~(SKL_TRK_ALL | SKL_TRK_DATA_READ | SKL_TRK_WRITES)) ?
		       NULL : no_umask;
	case SKL_COH_TRK_REQUESTS:
		return umask == SKL_TRK_ALL ? NULL : no_umask;
	}
	return "not an event of the arbiter's documents, it stays 0";
}

static bool is_arb(uint32_t counter)
{
	return counter < SKL_CBO(0);
}

bool skl_drives_any(uint32_t counter, uint64_t select)
{
	uint32_t umask = VPMU_GET(SELECT_UMASK, select);

	switch (VPMU_GET(SELECT_EVENT, select) | (is_arb(counter) ? 0x100u : 0)) {
	case SKL_CACHE_LOOKUP:
		return (umask & 0xf) && (umask & 0xf0);
	case SKL_XSNP_RESPONSE:
		return (umask & 0xd) && (umask & 0xc0);
	case 0x100 | SKL_TRK_OCCUPANCY:
		return counter == SKL_ARB && (umask & (SKL_TRK_ALL | SKL_TRK_DATA_READ));
	case 0x100 | SKL_TRK_REQUESTS:
		return umask & (SKL_TRK_ALL | SKL_TRK_DATA_READ | SKL_TRK_WRITES);
	case 0x100 | SKL_COH_TRK_REQUESTS:
		return umask & SKL_TRK_ALL;
	}
	return false;
}

const char *skl_undriven_why(uint32_t counter, uint64_t select)
{
	return is_arb(counter) ? arb_why(counter, select) : cbo_why(select);
}
