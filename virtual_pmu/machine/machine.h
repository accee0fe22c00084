/* SPDX-License-Identifier: MIT */
/* machine/: what a virtual machine is, without its registers: its shape (this header), the shared
 * segment that holds it, the machine lock, the threads on it, and how a program is started on it.
 *
 * The shape - identity, geometry and latencies - is plain data without pointers, so that it can be
 * copied into the segment.
 * All sizes are bytes, all times are uncore clocks (UCLK). */
#ifndef VPMU_MACHINE_H
#define VPMU_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VPMU_NAME_MAX 32
#define VPMU_CPUS_MAX 512
#define VPMU_PACKAGES_MAX 8
#define VPMU_SLICES_MAX 16
#define VPMU_CLUSTER_MAX 4

struct vpmu_cache {
	uint32_t bytes;		/* of the whole package for the LLC; 0: level absent */
	uint32_t ways;
	uint32_t line;		/* always 64 on the machines of today */
};

/* The design of the cores; a hybrid machine's P cores stand for its E cores too. */
enum vpmu_cores {
	VPMU_OTHER_CORES,	/* of processors that are no clients */
	VPMU_OLD_CORES,		/* of clients, Sandy Bridge to Broadwell */
	VPMU_SKYLAKE_CORES, VPMU_SUNNY_COVE, VPMU_GOLDEN_COVE, VPMU_REDWOOD_COVE, VPMU_LION_COVE,
};

/* The E cores of a machine that has any: the last of its cores, one thread each. */
struct vpmu_little {
	uint32_t cores;			/* per package */
	uint32_t cluster;		/* so many share an L2 */
	uint32_t native;		/* generation of all cores: "native model ID", leaf 1AH */
	uint32_t away;			/* of them, the last: not behind the LLC */
	struct vpmu_cache l1i, l1d, l2;
};

struct vpmu_machine {
	char name[VPMU_NAME_MAX];	/* "skl-4c8t" */
	char qemu_cpu[160];		/* value of QEMU's -cpu option */
	char brand[64];			/* CPU brand string; starts with "VirtualPMU" */
	uint32_t family_id;		/* the number of the row in vpmu_families, from 1 */
	uint32_t core_design;		/* enum vpmu_cores */
	uint32_t cpuid_family, cpuid_model, cpuid_stepping;
	uint32_t packages, cores, threads;	/* cores per package, threads per core (P core) */
	uint32_t smt_adjacent;			/* CPU numbering, see vpmu_cpu_core */
	uint32_t one_node;			/* memory is behind one bus: a single NUMA node */
	uint32_t slices;			/* LLC slices per package */
	struct vpmu_cache l1i, l1d, l2, llc;	/* l1i, l1d, l2: private to a core */
	uint32_t llc_level;			/* 2 or 3; 0: llc is no cache but a directory */
	uint32_t llc_clocks;		/* latency of an LLC hit */
	uint32_t memory_clocks;		/* of a read from DRAM = residence of its tracker entry */
	uint32_t write_clocks;		/* residence of a write's tracker entry */
	uint32_t fill_buffers;		/* outstanding line fills per core */
	uint32_t memory_boxes;		/* controllers per package that report commands; may be 0 */
	struct vpmu_little little;	/* on machines of one package, with smt_adjacent */
};

/* CPU numbering: as Linux has it on most machines, the first thread of every core of every package
 * first, then the second threads. With smt_adjacent core c has the CPUs threads*c and following, as
 * the P cores of hybrid machines, whose E cores come last. Knights Corner numbers like that, except
 * that its CPU 0 is the last core's last thread and all others are one higher; here they start at
 * 0. cpu < vpmu_machine_cpus(). */
static inline uint32_t vpmu_machine_cpus(const struct vpmu_machine *m)
{
	return m->packages * (m->cores - m->little.cores) * m->threads + m->little.cores;
}
/* Memory of each node, as in the topology. */
#define VPMU_NODE_BYTES (16ull << 30)
/* The machine is switched on at 2020-01-01T00:00:00Z, in seconds since 1970. No file seems so old
 * that a program would delete it. */
#define VPMU_TIME_START 1577836800ll
static inline uint32_t vpmu_machine_nodes(const struct vpmu_machine *m)
{
	return m->one_node ? 1 : m->packages;
}
/* The first E core of the package; vpmu_machine.cores where there is none. */
static inline uint32_t vpmu_first_little(const struct vpmu_machine *m)
{
	return m->cores - m->little.cores;
}
static inline bool vpmu_is_hybrid(const struct vpmu_machine *m)
{
	return m->little.cores && vpmu_first_little(m);
}
/* The cores are Skylake's: those of Comet Lake are the same. */
static inline bool vpmu_has_skylake_cores(const struct vpmu_machine *m)
{
	return m->core_design == VPMU_SKYLAKE_CORES;
}
/* The clock estimates time: instructions take what published tables say. On other machines, which
 * are no clients, each takes a clock. */
static inline bool vpmu_clock_estimates(const struct vpmu_machine *m)
{
	return m->core_design != VPMU_OTHER_CORES;
}
/* How far the CPU is behind the first of the E cores; negative: it is none of them. */
static inline int64_t vpmu_cpu_little(const struct vpmu_machine *m, uint32_t cpu)
{
	return m->little.cores ? (int64_t)cpu - vpmu_first_little(m) * m->threads : -1;
}
/* Machine-wide index of the core. */
static inline uint32_t vpmu_cpu_core(const struct vpmu_machine *m, uint32_t cpu)
{
	if (vpmu_cpu_little(m, cpu) >= 0)
		return vpmu_first_little(m) + (uint32_t)vpmu_cpu_little(m, cpu);
	return m->smt_adjacent ? cpu / m->threads : cpu % (m->packages * m->cores);
}
/* CPU of a core's thread: the reverse. */
static inline uint32_t vpmu_core_cpu(const struct vpmu_machine *m, uint32_t core, uint32_t thread)
{
	if (m->little.cores && core >= vpmu_first_little(m))
		return vpmu_first_little(m) * (m->threads - 1) + core;
	return m->smt_adjacent ? core * m->threads + thread :
				 thread * m->packages * m->cores + core;
}
static inline uint32_t vpmu_cpu_thread(const struct vpmu_machine *m, uint32_t cpu)
{
	if (vpmu_cpu_little(m, cpu) >= 0)
		return 0;
	return m->smt_adjacent ? cpu % m->threads : cpu / (m->packages * m->cores);
}
/* The agent of a core: a part of the package with private caches, which the others see as one. An
 * agent is a core, or a cluster of E cores. Agents are numbered as cores are. */
static inline uint32_t vpmu_core_agent(const struct vpmu_machine *m, uint32_t core)
{
	uint32_t first = vpmu_first_little(m);

	return core < first ? core : first + (core - first) / m->little.cluster;
}
static inline uint32_t vpmu_package_agents(const struct vpmu_machine *m)
{
	return vpmu_core_agent(m, m->cores - 1) + 1;
}
/* Is the core, of any package, behind the LLC? */
static inline bool vpmu_core_away(const struct vpmu_machine *m, uint32_t core)
{
	return core % m->cores >= m->cores - m->little.away;
}
static inline uint32_t vpmu_cpu_package(const struct vpmu_machine *m, uint32_t cpu)
{
	return vpmu_cpu_core(m, cpu) / m->cores;
}

/* A core's place on a board: its number, or on a hybrid machine one that leaves gaps, so that cores
 * that share a cache have the higher bits of it in common. place: of a core. */
uint32_t vpmu_core_place(const struct vpmu_machine *m, uint32_t core);
uint32_t vpmu_place_core(const struct vpmu_machine *m, uint32_t place);
/* The number of the CPU's local APIC: from the top its package, its core's place and its thread. */
uint32_t vpmu_cpu_apic(const struct vpmu_machine *m, uint32_t cpu);
/* Bits of that number below the package that cores up to this one need. */
uint32_t vpmu_apic_bits(const struct vpmu_machine *m, uint32_t core);
/* The number of bits that `count` different numbers need. */
uint32_t vpmu_bits_for(uint32_t count);

/* Fill *out for "skl-4c8t"-like names (any packages, cores and threads the family allows).
 * 0, or -EINVAL with a sentence in why[]. */
int vpmu_machine_parse(const char *name, struct vpmu_machine *out, char *why, size_t why_bytes);
/* Another number of CBo slices, up to what machines of its name have; 0: theirs is fixed. The LLC
 * grows or shrinks with it. */
uint32_t vpmu_machine_slices_max(const struct vpmu_machine *m);
int vpmu_machine_slices(struct vpmu_machine *m, uint32_t slices);
/* Is it a machine of its name, but for the slices and caches, which options may change, and for the
 * numbering of its CPUs, which is the board's? */
bool vpmu_machine_whole(const struct vpmu_machine *m);
/* Geometry and latencies on one line: what options of `vpmu run` may change is in it. */
void vpmu_machine_text(const struct vpmu_machine *m, char *text, size_t bytes);
/* Name prefix of the family number `index`, with example names; NULL after the last. Its names as
 * a pattern, and what the letters may be. */
const char *vpmu_machine_family(uint32_t index, const char **examples);
const char *vpmu_machine_shapes(uint32_t index, const char **meaning);

#endif
