/* SPDX-License-Identifier: MIT */
/* Sampling on Knights Corner: counters that overflow on the Nth event, and the service of their
 * interrupt after 327357-001 section 1.4.3.9. Everything works on the registers of one hardware
 * thread; what it writes is put back by ipmu_access_restore. Not for counters that a session
 * counts with. Functions return 0 or a negative errno of the register access. */
#ifndef IPMU_KNC_H
#define IPMU_KNC_H

#include "../access/access.h"

#define IPMU_KNC_COUNTERS 2
#define IPMU_KNC_INT (1ull << 20)	/* of a select: overflow interrupts through the APIC */

extern const struct ipmu_family ipmu_knc;

/* Let counter ctr overflow on the nth event, 1 to 2^40: write 2^40 - n. The counter should stand
 * still. -EINVAL: n is out of range. */
int ipmu_knc_preset(struct ipmu_regs *p, int ctr, uint64_t n);

/* Stop the thread's counters, forget older overflows of counter ctr, and set it up to count
 * `select` (an event's choice, IPMU_KNC_INT if wanted) and to overflow on the nth event. */
int ipmu_knc_arm(struct ipmu_regs *p, int ctr, uint64_t select, uint64_t n);

/* Let the counters of `mask` run, and no others. */
int ipmu_knc_run(struct ipmu_regs *p, unsigned mask);

/* An overflow of counter ctr, whose value is `value`: what went past the overflow. The counters
 * stand still. A negative return value ends the service, which returns it. */
typedef int (*ipmu_knc_overflow)(struct ipmu_regs *p, int ctr, uint64_t value, void *arg);

/* Service overflows: stop the counters; until none is reported, call `act` for each counter that
 * is, and acknowledge exactly those; then let the counters run again that ran before. Stopping
 * first means that no counter can overflow behind the last look, so the interrupt line is low at
 * the end and the next overflow raises it. The caller unmasks the APIC's LVT entry afterwards.
 * -EIO: the flags do not go away; the counters stay stopped then, and after any other failure. */
int ipmu_knc_service(struct ipmu_regs *p, ipmu_knc_overflow act, void *arg);

#endif
