/* SPDX-License-Identifier: MIT */
/* Lunar Lake's home boxes (HBO) and sNCU, behind a base of their own: Linux uncore_snb.c. Registers
 * hold what is written, selects and counters are reset, and nothing counts: no event of theirs is
 * published. The second box is below the first. */
#include <string.h>

#include "client_imc.h"

#define AT(offset) (SKL_IMC_WINDOW_64 + (offset) - SKL_SAF_FROM)
#define HBO(box) AT(0xe54000u - 0x1000u * (box))
#define SNCU AT(0xe4b000u)
#define BOXES 2u
#define PER_BOX 4u

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
	for (uint32_t box = 0; box < BOXES; box++) {
		if (how & IMC_RST_CTRL) {
			memset(mmio + HBO(box) + 0x548, 0, sizeof(uint32_t));
			memset(mmio + HBO(box) + 0x550, 0, PER_BOX * sizeof(uint32_t));
		}
		if (how & IMC_RST_CTRS)
			memset(mmio + HBO(box) + 0x570, 0, PER_BOX * sizeof(uint64_t));
	}
	if (how & IMC_RST_CTRL)
		memset(mmio + SNCU + 0x380, 0, sizeof(uint32_t));
}

static bool is_select(uint32_t offset)
{
	for (uint32_t box = 0; box < BOXES; box++)
		if (offset - (HBO(box) + 0x550) < PER_BOX * sizeof(uint32_t))
			return true;
	return false;
}

void hbo_written(struct vpmu_segment *s, uint32_t package, uint32_t offset, uint64_t value)
{
	if (offset == SNCU + 0x700)
		reset_by(vpmu_package_mmio(s, package), value);
	else if (is_select(offset) && VPMU_GET(IMC_EVENT, value))
		vpmu_record_undriven(s, VPMU_MMIO, offset, (value & 0xffff) |
				     (uint64_t)IMC_NOT_PUBLISHED << 16);
}
