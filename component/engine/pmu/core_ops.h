/* SPDX-License-Identifier: MIT */
/* Operations for PMUs of a CPU whose counters are pairs of an event select and a counter MSR, laid
 * out as on the P6: CMASK, INV, EN, INT, E, OS, USR, UMASK, event. */
#ifndef IPMU_CORE_OPS_H
#define IPMU_CORE_OPS_H

#include "counter_ops.h"

#define IPMU_CORE_EN BITS(22, 22)
#define IPMU_CORE_INT BITS(20, 20)
#define IPMU_CORE_OS BITS(17, 17)
#define IPMU_CORE_USR BITS(16, 16)

/* ovf=N: the counter starts so that the Nth event overflows it, which sets its flag and sends the
 * interrupt. Types that take it have these qualifiers, and a preset operation. */
extern const struct ipmu_own_qualifier ipmu_core_qualifiers[];	/* N to 2^40 */
/* ovf=N makes the event's first choice one with a preset; *n 0: there is no such qualifier. */
int ipmu_core_period(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
		     uint64_t *n, char *why);
/* ops->program: the counter's value after a reset is undefined, so it starts from 0. */
int ipmu_core_program(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		      uint64_t select);
/* Write the counter's start value and clear its flag, a bit of ovf_ctrl. */
int ipmu_core_preset(struct ipmu_regs *p, const struct ipmu_reg *reg, int ctr, uint64_t value,
		     const struct ipmu_reg *ovf_ctrl, uint64_t flag);

/* Encode one choice by the fields of the type's select and by its constraints. -EINVAL: no
 * privilege level is left. */
int ipmu_core_encode(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
		     const uint64_t *codes, int ncodes, char *why);

/* Does somebody count already? If `ctrl` is not saved yet, save it, and check the selects of those
 * of `n` general counters that it enables. */
int ipmu_core_busy(struct ipmu_regs *p, const struct ipmu_reg *ctrl, const struct ipmu_reg *select,
		   int n, char *why);

#endif
