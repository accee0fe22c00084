/* SPDX-License-Identifier: MIT */
/* The two kinds of counters of uncore PMUs: pairs of MSRs, and free-running in memory. */
#ifndef IPMU_UNCORE_OPS_H
#define IPMU_UNCORE_OPS_H

#include "../access/access.h"

extern const struct ipmu_ops ipmu_msr_ops;	/* a select and a counter MSR */
extern const struct ipmu_ops ipmu_window_ops;	/* always running, read through the window */

/* Write a pattern to a counter that nothing has enabled, read it back, put the old value back.
 * -ENXIO: it does not hold what was written. */
int ipmu_msr_probe(struct ipmu_regs *p, const struct ipmu_reg *select,
		   const struct ipmu_reg *ctr, uint64_t enable, char *why);

/* Two of them, for types that have more. */
int ipmu_msr_program(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		     uint64_t select);
int ipmu_msr_count_read(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
			uint64_t *raw);

/* The number of ours, "" or ":freeze=N", for a counter of that width; 0: not given. */
int ipmu_uncore_freeze(const char *event, const char *ours, int width, uint64_t *n, char *why);

#endif
