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

#endif
