/* SPDX-License-Identifier: MIT */
#include "system.h"

#include "../machine/kernel.h"

struct vpmu_system vpmu_system;

void vpmu_system_begin(struct vpmu_segment *segment, const char *path,
		       const struct vpmu_program_memory *memory)
{
	vpmu_system = (struct vpmu_system){
		.segment = segment, .path = path, .memory = memory,
	};
}

uint32_t vpmu_system_cpu(void)
{
	const struct vpmu_thread *t = vpmu_thread_find(vpmu_system.segment, vpmu_gettid());

	return t ? __atomic_load_n(&t->cpu, __ATOMIC_RELAXED) : 0;
}
