/* SPDX-License-Identifier: MIT */
#include "system.h"

#include <errno.h>

void vpmu_system_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	(void)leaf, (void)subleaf, (void)registers;
}

void vpmu_system_cpuid_of(uint32_t cpu, uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	(void)cpu, (void)leaf, (void)subleaf;
	for (int i = 0; i < 4; i++)
		registers[i] = 0;
}

int vpmu_system_rdpmc(uint32_t index, uint64_t *value)
{
	(void)index, (void)value;
	return -EIO;
}

uint64_t vpmu_system_time_stamp(uint64_t emulators)
{
	return emulators;
}

bool vpmu_system_opcode(uint64_t general[16], uint64_t *rip)
{
	(void)general, (void)rip;
	return false;
}
