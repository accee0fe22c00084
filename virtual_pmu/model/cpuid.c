/* SPDX-License-Identifier: MIT */
/* What CPUID says of a machine beyond its name and features: its performance counters and caches.
 * Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID. */
#include <string.h>

#include "model_type.h"

enum { EAX, EBX, ECX, EDX };
enum cache_type { DATA = 1, INSTRUCTION, UNIFIED };	/* leaf 04H, EAX bits 4:0 */

struct cache_level {
	const struct vpmu_cache *cache;
	uint32_t level;
	enum cache_type type;
	uint32_t sharers;		/* bits of a local APIC's number */
};

/* How many bits of a local APIC's number tell this many apart. */
static uint32_t bits_for(uint32_t count)
{
	uint32_t bits = 0;

	while (count > UINT32_C(1) << bits)
		bits++;
	return bits;
}

/* E cores have caches of other sizes, and a cluster one L2. Of a hybrid machine the P cores' are
 * told. */
static bool is_all_little(const struct vpmu_machine *m)
{
	return m->little.cores && !vpmu_is_hybrid(m);
}

static bool find_level(const struct vpmu_machine *m, uint32_t index, struct cache_level *out)
{
	bool small = is_all_little(m);
	uint32_t core = bits_for(m->threads);
	uint32_t second = small ? core + bits_for(m->little.cluster) : core;
	const struct cache_level all[] = {
		{ small ? &m->little.l1d : &m->l1d, 1, DATA, core },
		{ small ? &m->little.l1i : &m->l1i, 1, INSTRUCTION, core },
		{ small ? &m->little.l2 : &m->l2, 2, UNIFIED, second },
		{ &m->llc, m->llc_level, UNIFIED, core + bits_for(m->cores) },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].cache->bytes && all[i].level && !index--) {
			*out = all[i];
			return true;
		}
	return false;
}

/* Leaf 04H, "Deterministic Cache Parameters". */
static void tell_cache(const struct vpmu_machine *m, uint32_t index, uint32_t registers[4])
{
	uint32_t in_package = (UINT32_C(1) << bits_for(m->cores)) - 1;
	struct cache_level l;
	bool last;

	if (!find_level(m, index, &l))
		return;
	last = l.cache == &m->llc;
	registers[EAX] = l.type | l.level << 5 | UINT32_C(1) << 8 |
			 ((UINT32_C(1) << l.sharers) - 1) << 14 |
			 (in_package < 63 ? in_package : 63) << 26;
	registers[EBX] = (l.cache->ways - 1) << 22 | (l.cache->line - 1);
	registers[ECX] = l.cache->bytes / l.cache->ways / l.cache->line - 1;
	/* Inclusive of what is below it; slices are chosen by a function of all bits. */
	registers[EDX] = last ? UINT32_C(1) << 1 | (m->slices > 1 ? UINT32_C(1) << 2 : 0) : 0;
}

/* Leaf 80000006H: size in KB, associativity (7: see leaf 04H), line of the L2. */
static void tell_second(const struct vpmu_machine *m, uint32_t registers[4])
{
	const struct vpmu_cache *own = is_all_little(m) ? &m->little.l2 : &m->l2;
	const struct vpmu_cache *l2 = m->llc_level == 2 ? &m->llc : own;

	registers[ECX] = (l2->bytes >> 10) << 16 | UINT32_C(7) << 12 | l2->line;
}

bool vpmu_cpuid(const struct vpmu_machine *m, uint32_t leaf, uint32_t subleaf,
		uint32_t registers[4])
{
	const struct vpmu_model_type *type = vpmu_model_type(m);

	memset(registers, 0, 4 * sizeof(registers[0]));
	switch (leaf) {
	case 0x2:
		registers[EAX] = 0xff01;	/* descriptor FFH: see leaf 04H */
		return true;
	case 0x4:
		tell_cache(m, subleaf, registers);
		return true;
	case 0xa:
		memcpy(registers, type->perfmon, sizeof(type->perfmon));
		return type->perfmon[0];
	case 0x80000006:
		tell_second(m, registers);
		return true;
	default:
		return false;
	}
}
