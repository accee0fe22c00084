/* SPDX-License-Identifier: MIT */
#include "system.h"

bool vpmu_system_map(int64_t arguments[6], int64_t *answer)
{
	(void)arguments, (void)answer;
	return false;
}

bool vpmu_system_fault(uint64_t address, uint64_t general[16], uint64_t *rip, uint64_t *flags)
{
	(void)address, (void)general, (void)rip, (void)flags;
	return false;
}
