/* SPDX-License-Identifier: MIT */
/* The two kinds of counters: MSRs, most with an event select, and those in the memory controllers'
 * window, most free-running. */
#ifndef IPMU_COUNTER_OPS_H
#define IPMU_COUNTER_OPS_H

#include "pmu.h"
#include "qualifiers.h"

extern const struct ipmu_ops ipmu_window_ops;	/* always running, read through the window */

/* Error of a discovery in which a register could not be read or written because of rc: -EACCES,
 * -EPERM or, for any other rc, -ENXIO. */
int ipmu_msr_absence(int rc);

/* Write a pattern to a counter that nothing has enabled, read it back, restore the old value.
 * -ENXIO: it does not hold what was written. */
int ipmu_msr_probe(struct ipmu_regs *p, const struct ipmu_reg *select,
		   const struct ipmu_reg *ctr, uint64_t enable, char *why);

/* Operations of counters with a select register, and reading those of the window. */
int ipmu_msr_program(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		     uint64_t select);
int ipmu_msr_count_read(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
			uint64_t *raw);
int ipmu_window_count_read(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
			   uint64_t *raw);
/* ops->program of counters that always run. */
int ipmu_program_nothing(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
			 uint64_t select);

/* Clear, through ovf_ctrl, those flags of `mine` that status has now and had not when it was saved.
 * Async-signal-safe. */
int ipmu_msr_clear_flags(struct ipmu_regs *p, const struct ipmu_reg *status,
			 const struct ipmu_reg *ovf_ctrl, uint64_t mine);
/* If anything has been started (which saved `ctrl`): stop it. If `status` is saved: clear the flags
 * of `mine` in it that were not set before. Async-signal-safe. */
int ipmu_msr_quiesce(struct ipmu_regs *p, const struct ipmu_reg *ctrl,
		    const struct ipmu_reg *status, const struct ipmu_reg *ovf_ctrl, uint64_t mine);

/* All of `text` as a number of at most max: -EINVAL. */
int ipmu_number(const char *text, uint64_t max, uint64_t *n);
/* The number of events that the type's qualifier `key` says, from 1 to its most; 0: it is not
 * given. */
int ipmu_period(const struct ipmu_pmu_type *type, const char *event,
		const struct ipmu_qualifiers *given, const char *key, uint64_t *n, char *why);

/* For event selects laid out as on the P6: with a threshold they count clocks in which a condition
 * holds, with edge detection the times that it begins to hold. */
const char *ipmu_select_units(const struct ipmu_event *e, const char *event, const char *plain);

#endif
