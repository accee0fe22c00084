/* SPDX-License-Identifier: MIT */
#include "system.h"

void vpmu_system_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	vpmu_cpuid(&vpmu_system.segment->machine, vpmu_system_cpu(), leaf, subleaf, registers);
}

void vpmu_system_cpuid_of(uint32_t cpu, uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	vpmu_system.memory->cpuid(leaf, subleaf, registers);
	vpmu_cpuid(&vpmu_system.segment->machine, cpu, leaf, subleaf, registers);
}

int vpmu_system_rdpmc(uint32_t index, uint64_t *value)
{
	struct vpmu_segment *s = vpmu_system.segment;
	int rc;

	vpmu_lock(s);
	rc = vpmu_rdpmc(s, vpmu_system_cpu(), index, value);
	vpmu_unlock(s);
	return rc;
}
