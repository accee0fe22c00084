/* SPDX-License-Identifier: MIT */
/* Places of a machine's cores on a board. Linux and tools derive from the numbers of local APICs
 * which CPUs share a cache: those whose numbers differ in the last bits only. So on a hybrid
 * machine, as in the silicon, each P core has the room of a cluster. Cores that are not behind the
 * LLC begin where the bits of those behind it end. */
#include "machine.h"

static uint32_t first_cluster(const struct vpmu_machine *m)
{
	return vpmu_first_little(m) * m->little.cluster;
}

/* The end of those behind the LLC, a power of two. */
static uint32_t first_away(const struct vpmu_machine *m)
{
	uint32_t end = 1, used = first_cluster(m) + m->little.cores - m->little.away;

	while (end < used)
		end *= 2;
	return end;
}

uint32_t vpmu_core_place(const struct vpmu_machine *m, uint32_t core)
{
	uint32_t first = vpmu_first_little(m), away = m->cores - m->little.away;

	if (!vpmu_is_hybrid(m))
		return core;
	if (core < first)
		return core * m->little.cluster;
	return core < away ? first_cluster(m) + core - first : first_away(m) + core - away;
}

uint32_t vpmu_place_core(const struct vpmu_machine *m, uint32_t place)
{
	uint32_t first = vpmu_first_little(m), away = m->cores - m->little.away;

	if (!vpmu_is_hybrid(m))
		return place;
	if (place < first_cluster(m))
		return place / m->little.cluster;
	if (m->little.away && place >= first_away(m))
		return away + place - first_away(m);
	return first + place - first_cluster(m);
}

uint32_t vpmu_bits_for(uint32_t count)
{
	uint32_t bits = 0;

	while (count > UINT32_C(1) << bits)
		bits++;
	return bits;
}

uint32_t vpmu_apic_bits(const struct vpmu_machine *m, uint32_t core)
{
	return vpmu_bits_for(m->threads) + vpmu_bits_for(vpmu_core_place(m, core) + 1);
}

uint32_t vpmu_cpu_apic(const struct vpmu_machine *m, uint32_t cpu)
{
	uint32_t place = vpmu_core_place(m, vpmu_cpu_core(m, cpu) % m->cores);

	return vpmu_cpu_package(m, cpu) << vpmu_apic_bits(m, m->cores - 1) |
	       place << vpmu_bits_for(m->threads) | vpmu_cpu_thread(m, cpu);
}
