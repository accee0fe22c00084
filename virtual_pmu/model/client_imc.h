/* SPDX-License-Identifier: MIT */
/* The memory controllers of later client generations: rows, and what skl_client.c passes on. */
#ifndef VPMU_CLIENT_IMC_H
#define VPMU_CLIENT_IMC_H

#include "skl_state.h"

#define IMC_BLOCK 0xd900u	/* programmable counters; the free-running ones: skl_design */
#define IMC_ALL "0,1,2,3,4"	/* of events: counters */

#define IMC_RST_CTRL 2u		/* GLOBAL_CTL */
#define IMC_RST_CTRS 4u
#define IMC_FRZ 1u		/* BOX_CTL */
#define IMC_EDGE VPMU_BITS(18, 18)	/* selects */
/* ... of Arrow Lake, and of Lunar Lake's other units */
#define IMC_THRESHOLD VPMU_BITS(31, 23)		/* with INVERT */
#define IMC_FRZ_ON_OV VPMU_BITS(20, 20)
#define IMC_RST VPMU_BITS(17, 17)	/* clears the counter, and itself */
#define IMC_CHANNELS VPMU_BITS(11, 8)
#define IMC_EVENT VPMU_BITS(7, 0)

#define IMC_ROW(n, what, at, w, m, src) { \
	.name = "MC" n "_" what, .cite = src, .space = VPMU_MMIO, .access = VPMU_RW, \
	.unit = "MC " n, .address = at, .width = w, .mask = m }
#define IMC_ROWS_OF(n, what, at, stride, w, m, src) { \
	.name = "MC" n "_" what "m", .cite = src, .space = VPMU_MMIO, .access = VPMU_RW, \
	.unit = "MC " n, .address = at, .width = w, .mask = m, .counters = 5, \
	.counter_stride = stride }
#define IMC_ROWS(n, block, src) \
	IMC_ROWS_SELECT(n, block, IMC_EDGE | IMC_CHANNELS | IMC_EVENT, src)
#define IMC_ROWS_SELECT(n, block, select, src) \
	IMC_ROW(n, "GLOBAL_CTL", block + 0xc0, 32, IMC_RST_CTRL | IMC_RST_CTRS, src), \
	IMC_ROW(n, "BOX_CTL", block + 0xc4, 32, IMC_FRZ, src), \
	IMC_ROWS_OF(n, "PERFEVTSEL", block + 0xd0, 4, 32, select, src), \
	IMC_ROWS_OF(n, "PERFCTR", block + 0xe8, 8, 64, UINT64_MAX, src)

enum imc_why { IMC_NO_EVENT = SKL_IMC_WHY, IMC_NOT_HERE, IMC_EDGES, IMC_OTHER_CHANNEL,
	       IMC_NOT_PUBLISHED, IMC_THRESHOLDS };

struct imc_traffic { uint32_t requests, reads, writes; };

void imc_reset(struct skl_package *p, const struct skl_design *d);
/* Enters controller `mc`, and causes these CAS commands. */
void imc_requests(struct skl_package *p, uint8_t *mmio, uint32_t mc, const struct imc_traffic *t);
/* Counts clocks up to the newest one published. */
void imc_clock(struct vpmu_segment *s, uint32_t package);
/* A register in the window holds a new value. */
void imc_written(struct vpmu_segment *s, uint32_t package, uint32_t offset, uint64_t value);
const char *imc_undriven_text(uint32_t why);

/* client_hbo.c: the same of Lunar Lake's other base. */
void hbo_written(struct vpmu_segment *s, uint32_t package, uint32_t offset, uint64_t value);

/* client_units.c: the same of what a discovery table describes. */
#define UNITS_GLOBAL_CTL (SKL_UNITS_FROM + 0x3380u)	/* of all units, in the sNCU's page */
/* Control, selects and counters of a unit, from its control on. */
#define UNIT_SELECTS 0x10u
#define UNIT_COUNTERS 0x40u
#define UNIT_WIDTH 48u
#define UNIT_IMC(n) (SKL_UNITS_FROM + 0x1900u + 0x1000u * (n))
#define UNIT_SNCU (SKL_UNITS_FROM + 0x3000u)
#define UNIT_HBO(n) (SKL_UNITS_FROM + 0x4400u + 0x1000u * (n))
#define UNIT_FRZ IMC_FRZ
#define UNIT_RST_CTRL 0x100u
#define UNIT_RST_CTRS 0x200u
#define UNIT_THRESHOLD VPMU_BITS(31, 23)	/* with INV */
#define UNIT_UMASK VPMU_BITS(15, 8)
#define UNIT_SELECT (UNIT_THRESHOLD | IMC_EDGE | UNIT_UMASK | IMC_EVENT)
/* Writes the table, whose physical address is `at`, and freezes all units. */
void units_reset(uint8_t *mmio, uint64_t at);
void units_written(struct vpmu_segment *s, uint32_t package, uint32_t offset, uint64_t value);

#endif
