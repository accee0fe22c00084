/* SPDX-License-Identifier: MIT */
/* Units that a discovery table describes, from Panther Lake on: the memory controllers' counters
 * with event selects, home boxes (HBO) and sNCU. Linux uncore_discovery.h has the table's layout,
 * the meaning of a unit's registers and the kinds of units. Where a unit is, only the table of a
 * machine says, so all places here are stand-ins, as are 48 bits for a counter. The units' numbers
 * and counters are Lunar Lake's. No event of HBO and sNCU is published: they count nothing. */
#include <string.h>

#include "client_imc.h"

enum kind { IMC = 6, SNCU = 34, HBO = 41 };	/* Linux uncore_snb.c */

static const struct unit { uint16_t kind, number; uint8_t counters; uint32_t at; } units[] = {
	{ IMC, 0, 5, UNIT_IMC(0) }, { SNCU, 0, 2, UNIT_SNCU }, { IMC, 1, 5, UNIT_IMC(1) },
	{ HBO, 0, 4, UNIT_HBO(0) }, { HBO, 1, 4, UNIT_HBO(1) },
};
#define UNITS (sizeof(units) / sizeof(units[0]))
#define STRIDE 4u		/* words of an entry, of which three are used */
#define MEMORY_MAPPED UINT64_C(1)

static void put(uint8_t *table, size_t entry, uint64_t head, uint64_t control, uint64_t kind)
{
	const uint64_t words[] = { head | MEMORY_MAPPED << 62, control, kind };

	memcpy(table + entry * STRIDE * sizeof(uint64_t), words, sizeof(words));
}

void units_reset(uint8_t *mmio, uint64_t at)
{
	uint64_t base = at - SKL_UNITS_FROM;

	put(mmio + SKL_UNITS_FROM, 0, 1 | STRIDE << 8 | UNITS << 16, base + UNITS_GLOBAL_CTL, 0);
	for (size_t i = 0; i < UNITS; i++)
		put(mmio + SKL_UNITS_FROM, i + 1, units[i].counters | UNIT_SELECTS << 8 |
		    UNIT_WIDTH << 16 | (uint64_t)UNIT_COUNTERS << 24, base + units[i].at,
		    units[i].kind | (uint64_t)units[i].number << 16);
	mmio[UNITS_GLOBAL_CTL] = UNIT_FRZ;
}

/* A reset is over when the write is. */
static void reset_by(uint8_t *mmio, const struct unit *u, uint64_t how)
{
	if (how & UNIT_RST_CTRL)
		memset(mmio + u->at + UNIT_SELECTS, 0, u->counters * sizeof(uint32_t));
	if (how & UNIT_RST_CTRS)
		memset(mmio + u->at + UNIT_COUNTERS, 0, u->counters * sizeof(uint64_t));
	mmio[u->at + 1] = 0;	/* bits 15:8 */
}

void units_written(struct vpmu_segment *s, uint32_t package, uint32_t offset, uint64_t value)
{
	const struct unit *u = units;

	while (u < units + UNITS && offset - u->at >= 0x100)
		u++;
	if (u < units + UNITS && offset == u->at)
		reset_by(vpmu_package_mmio(s, package), u, value);
	if (u < units + UNITS && u->kind == IMC)
		imc_written(s, package, offset, value);
	else if (u < units + UNITS && VPMU_GET(IMC_EVENT, value) &&
		 offset - (u->at + UNIT_SELECTS) < u->counters * sizeof(uint32_t))
		vpmu_record_undriven(s, VPMU_MMIO, offset, (value & 0xffff) |
				     (uint64_t)IMC_NOT_PUBLISHED << 16);
}
