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

uint64_t vpmu_system_newest(void)
{
	const struct vpmu_segment *s = vpmu_system.segment;
	uint64_t newest = 0;

	for (uint32_t i = 0; i < s->machine.packages; i++) {
		uint64_t clock = __atomic_load_n(&s->uclk[i], __ATOMIC_RELAXED);

		newest = clock > newest ? clock : newest;
	}
	return newest;
}

uint32_t vpmu_system_cpu(void)
{
	const struct vpmu_thread *t = vpmu_thread_find(vpmu_system.segment, vpmu_gettid());

	return t ? __atomic_load_n(&t->cpu, __ATOMIC_RELAXED) : 0;
}
