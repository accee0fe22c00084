/* SPDX-License-Identifier: MIT */
/* Description of a virtual machine: identity, shape, geometry and latencies.
 *
 * Plain data without pointers, so that it can be copied into the shared segment.
 * All sizes are bytes, all times are uncore clocks (UCLK). */
#ifndef VPMU_MACHINE_H
#define VPMU_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VPMU_NAME_MAX 32
#define VPMU_CPUS_MAX 512
#define VPMU_PACKAGES_MAX 8
#define VPMU_SLICES_MAX 8

struct vpmu_cache {
	uint32_t bytes;		/* of the whole package for the LLC; 0: level absent */
	uint32_t ways;
	uint32_t line;		/* always 64 on the machines of today */
};

/* A family of machines that share a register model. */
enum vpmu_family { VPMU_SKYLAKE_CLIENT = 1 };

struct vpmu_machine {
	char name[VPMU_NAME_MAX];	/* "skl-4c8t" */
	char qemu_cpu[160];		/* value of QEMU's -cpu option */
	char brand[64];			/* CPU brand string; starts with "VirtualPMU" */
	uint32_t family_id;		/* enum vpmu_family */
	uint32_t cpuid_family, cpuid_model, cpuid_stepping;
	uint32_t packages, cores, threads;	/* cores per package, threads per core */
	uint32_t slices;			/* CBo slices per package */
	struct vpmu_cache l1i, l1d, l2, llc;	/* l1i, l1d, l2: private to a core */
	uint32_t llc_clocks;		/* latency of an LLC hit */
	uint32_t memory_clocks;		/* of a read from DRAM = residence of its tracker entry */
	uint32_t write_clocks;		/* residence of a write's tracker entry */
	uint32_t fill_buffers;		/* outstanding line fills per core */
};

/* CPU numbering is Linux's on these parts: the first thread of every core of every
 * package first, then the second threads. cpu < packages*cores*threads. */
static inline uint32_t vpmu_machine_cpus(const struct vpmu_machine *m)
{
	return m->packages * m->cores * m->threads;
}
static inline uint32_t vpmu_cpu_core(const struct vpmu_machine *m, uint32_t cpu)
{
	return cpu % (m->packages * m->cores);	/* machine-wide core index */
}
static inline uint32_t vpmu_cpu_package(const struct vpmu_machine *m, uint32_t cpu)
{
	return vpmu_cpu_core(m, cpu) / m->cores;
}

/* Fill *out for "skl-4c8t"-like names (any cores and threads the family allows).
 * 0, or -EINVAL with a sentence in why[]. */
int vpmu_machine_parse(const char *name, struct vpmu_machine *out, char *why, size_t why_bytes);
/* Another number of CBo slices, 1..VPMU_SLICES_MAX; the LLC grows or shrinks with it. */
int vpmu_machine_slices(struct vpmu_machine *m, uint32_t slices);
/* Name prefix of the family number `index`, with example names; NULL after the last. */
const char *vpmu_machine_family(uint32_t index, const char **examples);

#endif
