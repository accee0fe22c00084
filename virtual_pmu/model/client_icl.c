/* SPDX-License-Identifier: MIT */
/* Ice Lake client uncore PMU: SRC has the registers, Intel's perfmon ICL 1.24 the events. The
 * global enable has no effect, nor has counter 0 of the arbiter: neither is here. */
#include "client_rows.h"

#define SRC "Linux uncore_snb.c"
#define MEM "Linux uncore_snb.c; PCM"
#define JSON "Intel perfmon ICL 1.24"

static const struct vpmu_register_row rows[] = {
	CLIENT_FIXED_CTRL(SRC), CLIENT_FIXED_CTR(SRC),
	CLIENT_CONFIG(SRC), CLIENT_ARB_1(SRC),
	CLIENT_BAR(MEM), CLIENT_DRAM(MEM),
};

#define ARB(n, c, u, k, t) CLIENT_EVENT(n, "ARB", c, u, k, true, JSON, t)
#define IMC(n, c, d, t) CLIENT_EVENT(n, "IMC", c, 0, "FREE", d, MEM, t)

static const struct vpmu_event_info events[] = {
	ARB("UNC_ARB_TRK_REQUESTS.ALL", 0x81, 0x01, "1", NULL),
	ARB("UNC_ARB_COH_TRK_REQUESTS.ALL", 0x84, 0x01, "1",
	    COHERENT_STAND_IN),
	CLIENT_EVENT("UNC_CLOCK.SOCKET", "FIXED", 0, 1, "FIXED", true, JSON, NULL),
	IMC("DRAM_DATA_READS", 0x5050, true, NULL),
	IMC("DRAM_DATA_WRITES", 0x5054, true, NULL),
	IMC("DRAM_GT_REQUESTS", 0x5040, false, "stays 0: no graphics on this machine"),
	IMC("DRAM_IA_REQUESTS", 0x5044, true, NULL),
	IMC("DRAM_IO_REQUESTS", 0x5048, false, "stays 0: no I/O traffic on this machine"),
};

static const struct skl_design design = {
	.events = events, .event_count = CLIENT_COUNT(events), .always = true,
	.more = 0, .device = { 0x02, 0x8a }, .device_of_two = { 0x12, 0x8a },
};

CLIENT_WITH_CORES(1, icl, rows, events, design, SKL_IMC_WINDOW);
