/* SPDX-License-Identifier: MIT */
/* CPUID's answers beyond a machine's name and features: performance counters, caches, and on hybrid
 * machines the kind of a core and its threads. vpmu_cpuid() and vpmu_cpuid_place() change the
 * emulator's answer where the machine has one of its own. vpmu_cpuid_identity() does so with a
 * host's answer, which has another processor's name. They read constants: no lock.
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

/* E cores have caches of other sizes, and a cluster one L2; a P core has the room of a cluster. */
struct told { const struct vpmu_machine *m; uint32_t core; bool little, away; };

static bool find_level(const struct told *t, uint32_t index, struct cache_level *out)
{
	const struct vpmu_machine *m = t->m;
	uint32_t core = vpmu_bits_for(m->threads);
	uint32_t second = core + (m->little.cores ? vpmu_bits_for(m->little.cluster) : 0);
	uint32_t last = t->away ? 0 : vpmu_apic_bits(m, m->cores - m->little.away - 1);
	const struct cache_level all[] = {
		{ t->little ? &m->little.l1d : &m->l1d, 1, DATA, core },
		{ t->little ? &m->little.l1i : &m->l1i, 1, INSTRUCTION, core },
		{ t->little ? &m->little.l2 : &m->l2, 2, UNIFIED, second },
		{ &m->llc, t->away ? 0 : m->llc_level, UNIFIED, last },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].cache->bytes && all[i].level && !index--) {
			*out = all[i];
			return true;
		}
	return false;
}

/* Leaf 04H, "Deterministic Cache Parameters". */
static void tell_cache(const struct told *t, uint32_t index, uint32_t registers[4])
{
	const struct vpmu_machine *m = t->m;
	uint32_t places = vpmu_core_place(m, m->cores - 1) + 1;
	uint32_t in_package = (UINT32_C(1) << vpmu_bits_for(places)) - 1;
	struct cache_level l;
	bool last;

	if (!find_level(t, index, &l))
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
static void tell_second(const struct told *t, uint32_t registers[4])
{
	const struct vpmu_cache *own = t->little ? &t->m->little.l2 : &t->m->l2;
	const struct vpmu_cache *l2 = t->m->llc_level == 2 ? &t->m->llc : own;

	registers[ECX] = (l2->bytes >> 10) << 16 | UINT32_C(7) << 12 | l2->line;
}

/* Leaves 0BH and 1FH, "Extended Topology Enumeration". */
static void tell_topology(const struct told *t, uint32_t cpu, uint32_t subleaf,
			  uint32_t registers[4])
{
	const struct vpmu_machine *m = t->m;

	registers[ECX] = subleaf & 0xff;
	registers[EDX] = vpmu_cpu_apic(m, cpu);
	if (subleaf > 1)
		return;
	registers[EAX] = subleaf ? vpmu_apic_bits(m, m->cores - 1) : vpmu_bits_for(m->threads);
	registers[EBX] = subleaf ? vpmu_machine_cpus(m) / m->packages :
				   t->little ? 1 : m->threads;
	registers[ECX] |= (subleaf ? 2u : 1u) << 8;	/* cores; threads of a core */
}

/* Leaf 01H: EBX has the number of the CPU's APIC and how many of them a package has room for; EDX
 * bit 28: more than one. */
static void tell_apic(const struct vpmu_machine *m, uint32_t cpu, uint32_t registers[4])
{
	uint32_t room = UINT32_C(1) << vpmu_apic_bits(m, m->cores - 1);

	registers[EBX] = (registers[EBX] & 0xffff) | (room < 255 ? room : 255) << 16 |
			 vpmu_cpu_apic(m, cpu) << 24;
	registers[EDX] = (registers[EDX] & ~(UINT32_C(1) << 28)) |
			 (uint32_t)(vpmu_machine_cpus(m) > m->packages) << 28;
}

void vpmu_cpuid_place(const struct vpmu_machine *m, uint32_t cpu, uint32_t leaf, uint32_t subleaf,
		      uint32_t registers[4])
{
	struct told t = { m, vpmu_cpu_core(m, cpu), vpmu_cpu_little(m, cpu) >= 0, false };

	if (leaf == 0x1)
		tell_apic(m, cpu, registers);
	if (leaf != 0xb)
		return;
	memset(registers, 0, 4 * sizeof(registers[0]));
	tell_topology(&t, cpu, subleaf, registers);
}

/* Leaf 01H, EAX: stepping, model, family, and the upper bits of model and family. */
static uint32_t signature(const struct vpmu_machine *m)
{
	uint32_t family = m->cpuid_family < 15 ? m->cpuid_family : 15;

	return m->cpuid_stepping | (m->cpuid_model & 0xf) << 4 | family << 8 |
	       m->cpuid_model >> 4 << 16 | (m->cpuid_family - family) << 20;
}

void vpmu_cpuid_identity(const struct vpmu_machine *m, uint32_t leaf, uint32_t registers[4])
{
	switch (leaf) {
	case 0x0:	/* the last leaf is the one that the emulator has */
		registers[EAX] = vpmu_is_hybrid(m) ? 0x1f : 0xd;
		registers[EBX] = 0x756e6547;	/* "Genu", "ineI", "ntel" */
		registers[EDX] = 0x49656e69;
		registers[ECX] = 0x6c65746e;
		break;
	case 0x1:
		registers[EAX] = signature(m);
		registers[ECX] &= ~(UINT32_C(1) << 31);		/* no hypervisor */
		break;
	case 0x7:
		registers[EDX] = 0;	/* what the host's microcode does to its counters */
		break;
	default:
		break;
	}
}

/* Leaves with contents on hybrid machines only. */
static bool tell_hybrid(const struct told *t, uint32_t cpu, uint32_t leaf, uint32_t subleaf,
			uint32_t registers[4])
{
	if (!vpmu_is_hybrid(t->m))
		return false;
	switch (leaf) {
	case 0x7:
		registers[EDX] |= subleaf ? 0 : UINT32_C(1) << 15;	/* hybrid */
		return true;
	case 0xb: case 0x1f:
		memset(registers, 0, 4 * sizeof(registers[0]));
		tell_topology(t, cpu, subleaf, registers);
		return true;
	case 0x1a:
		memset(registers, 0, 4 * sizeof(registers[0]));
		if (!subleaf)	/* Intel Atom, Intel Core */
			registers[EAX] = (t->little ? 0x20u : 0x40u) << 24 | t->m->little.native;
		return true;
	default:
		return false;
	}
}

bool vpmu_cpuid(const struct vpmu_machine *m, uint32_t cpu, uint32_t leaf, uint32_t subleaf,
		uint32_t registers[4])
{
	const struct vpmu_model_type *type = vpmu_model_type(m);
	struct told t = { m, vpmu_cpu_core(m, cpu), vpmu_cpu_little(m, cpu) >= 0, false };
	uint32_t own[4] = { 0 };
	bool hybrid;

	t.away = vpmu_core_away(m, t.core);
	switch (leaf) {
	case 0x2:
		own[EAX] = 0xff01;	/* descriptor FFH: see leaf 04H */
		break;
	case 0x4:
		tell_cache(&t, subleaf, own);
		break;
	case 0xa:
		memcpy(own, type->perfmon, sizeof(type->perfmon));
		if (!own[EAX])
			return type->core && type->core->cpuid(m, cpu, leaf, subleaf, registers);
		break;
	case 0x80000006:
		tell_second(&t, own);
		break;
	default:
		hybrid = tell_hybrid(&t, cpu, leaf, subleaf, registers);
		return (type->core &&
			type->core->cpuid(m, cpu, leaf, subleaf, registers)) || hybrid;
	}
	memcpy(registers, own, sizeof(own));
	return true;
}
