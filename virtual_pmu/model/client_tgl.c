/* SPDX-License-Identifier: MIT */
/* Tiger Lake client uncore PMU: SRC has the registers, Intel's perfmon TGL 1.19 the events. The two
 * models have the memory controllers' counters at other offsets; lines are of one controller and
 * the other in turn. */
#include "client_rows.h"

#define SRC "Linux uncore_snb.c"
#define JSON "Intel perfmon TGL 1.19"
#define U_BLOCK 0x5000u
#define H_BLOCK 0xd800u

#define ROWS(block) { \
	CLIENT_ENABLE(0xe01, SRC), CLIENT_FIXED_CTRL(SRC), CLIENT_FIXED_CTR(SRC), \
	CLIENT_CONFIG(SRC), CLIENT_ARB_COUNTERS(SRC), CLIENT_ARB_SELECTS(SRC), CLIENT_BAR(SRC), \
	CLIENT_DATA(block, SRC) }
static const struct vpmu_register_row u_rows[] = ROWS(U_BLOCK), h_rows[] = ROWS(H_BLOCK);

#define ARB(n, c, u, k, t) CLIENT_EVENT(n, "ARB", c, u, k, true, JSON, t)
#define IMC(n, c) CLIENT_EVENT(n, "IMC", c, 0, "FREE", true, JSON, NULL)
#define EVENTS(block) { \
	ARB("UNC_ARB_TRK_REQUESTS.ALL", 0x81, 0x01, "0,1", NULL), \
	ARB("UNC_ARB_COH_TRK_REQUESTS.ALL", 0x84, 0x01, "0,1", \
	    COHERENT_STAND_IN), \
	CLIENT_EVENT("UNC_CLOCK.SOCKET", "FIXED", 0, 1, "FIXED", true, JSON, NULL), \
	ARB("UNC_ARB_TRK_OCCUPANCY.ALL", 0x80, 0x01, "0", "requests of the cores only"), \
	ARB("UNC_ARB_REQ_TRK_OCCUPANCY.DRD", 0x80, 0x02, "0", NULL), \
	ARB("UNC_ARB_REQ_TRK_REQUEST.DRD", 0x81, 0x02, "0,1", NULL), \
	ARB("UNC_ARB_IFA_OCCUPANCY.ALL", 0x85, 0x01, "0", NULL), \
	ARB("UNC_ARB_DAT_OCCUPANCY.RD", 0x85, 0x02, "0", NULL), \
	ARB("UNC_ARB_DAT_OCCUPANCY.ALL", 0x85, 0x01, "0", NULL), \
	ARB("UNC_ARB_DAT_REQUESTS.RD", 0x81, 0x02, "0,1", NULL), \
	ARB("UNC_ARB_TRK_OCCUPANCY.RD", 0x80, 0x02, "0", NULL), \
	ARB("UNC_ARB_TRK_REQUESTS.RD", 0x81, 0x02, "0,1", NULL), \
	IMC("UNC_MC0_TOTAL_REQCOUNT_FREERUN", block + 0x40), \
	IMC("UNC_MC0_RDCAS_COUNT_FREERUN", block + 0x58), \
	IMC("UNC_MC0_WRCAS_COUNT_FREERUN", block + 0xa0), \
	IMC("UNC_MC1_TOTAL_REQCOUNT_FREERUN", block + 0x10040), \
	IMC("UNC_MC1_RDCAS_COUNT_FREERUN", block + 0x10058), \
	IMC("UNC_MC1_WRCAS_COUNT_FREERUN", block + 0x100a0) }
static const struct vpmu_event_info u_events[] = EVENTS(U_BLOCK), h_events[] = EVENTS(H_BLOCK);

static const struct skl_design u_design = {
	.events = u_events, .event_count = CLIENT_COUNT(u_events), .controllers = U_BLOCK,
	.device = { 0x14, 0x9a }, .device_of_two = { 0x02, 0x9a },
};
static const struct skl_design h_design = {
	.events = h_events, .event_count = CLIENT_COUNT(h_events), .controllers = H_BLOCK,
	.device = { 0x36, 0x9a }, .device_of_two = { 0x36, 0x9a },
};

CLIENT_WITH_CORES(1, tgl, u_rows, u_events, u_design, SKL_IMC_WINDOW_64);
CLIENT_WITH_CORES(1, tglh, h_rows, h_events, h_design, SKL_IMC_WINDOW_64);
