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

const struct ipmu_reg *ipmu_reg_at(const struct ipmu_family *family, uint32_t addr, int *box,
				   int *ctr)
{
	for (const struct ipmu_reg *const *r = family->registers; *r; r++) {
		if ((*r)->space != IPMU_MSR)
			continue;
		for (*box = 0; *box < ((*r)->boxes ? (*r)->boxes : 1); ++*box)
			for (*ctr = 0; *ctr < ((*r)->ctrs ? (*r)->ctrs : 1); ++*ctr)
				if (ipmu_reg_addr(*r, *box, *ctr) == addr)
					return *r;
	}
	return NULL;
}

int ipmu_allow_line(const struct ipmu_family *family, uint32_t addr, char line[IPMU_ALLOW_LINE])
{
	int box, ctr;
	const struct ipmu_reg *reg = ipmu_reg_at(family, addr, &box, &ctr);
	char name[64];

	if (!reg)
		return -ENOENT;
	ipmu_reg_name(reg, box, ctr, name);
	snprintf(line, IPMU_ALLOW_LINE, "0x%08X 0x%016llX # %s", (unsigned)addr,
		 (unsigned long long)ipmu_allow_mask(reg), name);
	return 0;
}
