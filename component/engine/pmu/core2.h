/* SPDX-License-Identifier: MIT */
/* The fixed counters of Core 2 and of later CPUs, and the unit mask's sub-fields on Core 2. */
#ifndef IPMU_CORE2_H
#define IPMU_CORE2_H

#include "pmu.h"

#define IPMU_FIXED_COUNTERS 3
/* Bits of the global control, status and overflow control, one for each fixed counter. */
#define IPMU_FIXED_BITS BITS(34, 32)
#define IPMU_FIXED_BIT(ctr) BITS(32 + (ctr), 32 + (ctr))
/* Fields of the fixed counters' control, for each counter; a Core 2 has no AnyThread. */
#define IPMU_FIXED_PMI(ctr) BITS(4 * (ctr) + 3, 4 * (ctr) + 3)
#define IPMU_FIXED_ANY_THREAD(ctr) BITS(4 * (ctr) + 2, 4 * (ctr) + 2)
#define IPMU_FIXED_ENABLE(ctr) BITS(4 * (ctr) + 1, 4 * (ctr))

/* A CPU as CPUID describes it, with its counters as leaf 0AH has them. */
struct ipmu_cpuid {
	int family, model;	/* -1: not an Intel CPU */
	int version;		/* of architectural PerfMon; 0: none */
	int fixed, width;	/* counters, and their bits */
	int general, general_width;
	bool microcode_counts;	/* with general counter 3: TSX, see SDM volume 2, leaf 07H */
	bool hypervisor;
};

void ipmu_cpuid_read(int os_cpu, struct ipmu_cpuid *id);

/* Can the three fixed counters be used? Checks CPUID, that nobody counts with them and that they
 * hold what is written. 1, or 0 with a reason. type->select is their control register. */
int ipmu_fixed_discover(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int fixed,
			const struct ipmu_reg *global_ctrl, char *reason);

/* Does somebody count with one of them? Saves global_ctrl. */
int ipmu_fixed_busy(struct ipmu_regs *p, const struct ipmu_pmu_type *type,
		    const struct ipmu_reg *global_ctrl, char *why);

extern const struct ipmu_ops ipmu_fixed_ops;

/* Is it the code of the one event in libpfm4's tables of general counters that only fixed counter
 * 2 counts? ipmu_fixed_encode() makes it an event of the type with fixed counters, or fails with
 * -EINVAL. */
bool ipmu_fixed_alone(uint64_t code);
int ipmu_fixed_encode(struct ipmu_event *e, const struct ipmu_pmu_type *fixed, const char *event,
		      const struct ipmu_qualifiers *q, const uint64_t *codes, int ncodes,
		      char *why);

extern const struct ipmu_measure ipmu_fixed_measures[];

/* Qualifiers by name, before libpfm4 sees them, and the whole unit mask afterwards: -EINVAL if they
 * mix sub-fields that exclude each other, or set bits that the event does not have. */
int ipmu_core2_check_names(const struct ipmu_pmu_type *type, const char *event,
			   const struct ipmu_qualifiers *q, char *why);
int ipmu_core2_check_umask(const char *event, uint64_t select, char *why);

#endif
