/* SPDX-License-Identifier: MIT */
#include "allow.h"

#include <errno.h>
#include <stdio.h>

static bool extends_a_sign(const struct ipmu_reg *reg)
{
	return reg->counter && ipmu_reg_writable(reg) &&
	       ipmu_reg_writable(reg) != ~0ull >> (64 - reg->width);
}

uint64_t ipmu_allow_mask(const struct ipmu_reg *reg)
{
	if (reg->never_write)
		return 0;
	if (reg->access == IPMU_RW1C || reg->access == IPMU_WO || extends_a_sign(reg))
		return ~0ull;
	return ipmu_reg_writable(reg);
}

int ipmu_allow_line(const struct ipmu_reg *const *registers, uint32_t addr,
		    char line[IPMU_ALLOW_LINE])
{
	int box, ctr;
	const struct ipmu_reg *reg = ipmu_reg_at(registers, addr, &box, &ctr);
	char name[64];

	if (!reg)
		return -ENOENT;
	ipmu_reg_name(reg, box, ctr, name);
	snprintf(line, IPMU_ALLOW_LINE, "0x%08X 0x%016llX # %s", (unsigned)addr,
		 (unsigned long long)ipmu_allow_mask(reg), name);
	return 0;
}
