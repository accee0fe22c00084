/* SPDX-License-Identifier: MIT */
/* Registers as msr-safe's allowlist has them. */
#ifndef IPMU_ALLOW_H
#define IPMU_ALLOW_H

#include "reg.h"

#define IPMU_ALLOW_LINE 128

/* Bits to be allowed for writing. msr-safe merges a masked write with what the register holds, so
 * registers that cannot take that back get all bits: those cleared by writing 1, those that cannot
 * be read, and counters that extend a sign over the bits above. IA32_DS_AREA gets none. */
uint64_t ipmu_allow_mask(const struct ipmu_reg *reg);

/* "0xADDR 0xWRITEMASK # NAME" of one of the registers, -ENOENT if none is there. */
int ipmu_allow_line(const struct ipmu_reg *const *registers, uint32_t addr,
		    char line[IPMU_ALLOW_LINE]);

#endif
