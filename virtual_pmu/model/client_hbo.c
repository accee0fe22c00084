/* SPDX-License-Identifier: MIT */
/* Lunar Lake's home boxes (HBO) and sNCU, behind a base of their own: Linux uncore_snb.c, and Intel
 * 831649 for the selects. Registers hold what is written, selects and counters are reset, and
 * nothing counts: no event of theirs is published. The second box is below the first. */
#include <string.h>

#include "client_imc.h"

#define AT(offset) (SKL_IMC_WINDOW_64 + (offset) - SKL_SAF_FROM)
#define HBO(box) AT(0xe54000u - 0x1000u * (box))
#define SNCU AT(0xe4b000u)
/* A unit's selects and counters, and how far they are apart. */
static const struct saf_unit { uint32_t select, counter, step, count; } units[] = {
	{ HBO(0) + 0x550, HBO(0) + 0x570, 8, 4 }, { HBO(1) + 0x550, HBO(1) + 0x570, 8, 4 },
	{ SNCU + 0x398, SNCU + 0x390, 16, 2 },
};
#define UNITS (sizeof(units) / sizeof(units[0]))

const char *vpmu_mmio_base(uint32_t address, uint32_t *behind)
{
	if (address < SKL_IMC_WINDOW_64) {
		*behind = address;
		return "BAR";
	}
	if (address < SKL_UNITS_FROM) {
		*behind = address - SKL_IMC_WINDOW_64 + SKL_SAF_FROM;
		return "SAFBAR";
	}
	*behind = address - SKL_UNITS_FROM;
	return "TABLE";
}

static void reset_by(uint8_t *mmio, uint64_t how)
{
	for (const struct saf_unit *u = units; u < units + UNITS; u++)
		for (uint32_t i = 0; i < u->count; i++) {
			if (how & IMC_RST_CTRL)
				memset(mmio + u->select + i * u->step, 0, sizeof(uint64_t));
			if (how & IMC_RST_CTRS)
				memset(mmio + u->counter + i * u->step, 0, sizeof(uint64_t));
		}
	if (!(how & IMC_RST_CTRL))
		return;
	memset(mmio + HBO(0) + 0x548, 0, sizeof(uint32_t));
	memset(mmio + HBO(1) + 0x548, 0, sizeof(uint32_t));
	memset(mmio + SNCU + 0x380, 0, sizeof(uint32_t));
}

/* A select's RST clears its counter, and itself. False: the register is no select. */
static bool select_written(uint8_t *mmio, uint32_t offset, uint64_t value)
{
	for (const struct saf_unit *u = units; u < units + UNITS; u++)
		for (uint32_t i = 0; i < u->count; i++) {
			if (offset != u->select + i * u->step)
				continue;
			if (value & IMC_RST) {
				value &= ~(uint64_t)IMC_RST;
				memcpy(mmio + offset, &value, sizeof(value));
				memset(mmio + u->counter + i * u->step, 0, sizeof(value));
			}
			return true;
		}
	return false;
}

void hbo_written(struct vpmu_segment *s, uint32_t package, uint32_t offset, uint64_t value)
{
	if (offset == SNCU + 0x700)
		reset_by(vpmu_package_mmio(s, package), value);
	else if (select_written(vpmu_package_mmio(s, package), offset, value) &&
		 VPMU_GET(IMC_EVENT, value))
		vpmu_record_undriven(s, VPMU_MMIO, offset, (value & 0xffff) |
				     (uint64_t)IMC_NOT_PUBLISHED << 16);
}
