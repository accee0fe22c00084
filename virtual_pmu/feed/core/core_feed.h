/* SPDX-License-Identifier: MIT */
/* The execution feed of machines whose model counts what hardware threads do (core_events.h): it
 * stands between QEMU and the callbacks of machines without a core PMU, which keep doing caches and
 * clock, and counts around them.
 *
 * Stated rules, with those of instructions.h, predictor.h, tlb.h and cache_events.h:
 * - Instructions count when their block of guest code is entered, all of them. A repetition of a
 *   string instruction is not a new instruction, though it takes a clock.
 * - LOADS and STORES are instructions' accesses, whatever pieces QEMU makes of them; CMPS and
 *   gathers have one per element, and each repetition of a string instruction its own. An atomic
 *   is one load and one store, and misses as a store.
 * - A branch counts, with its outcome, when the next block starts. BRANCHES are all of them;
 *   calls are direct or indirect; BRANCHES_INDIRECT are jumps and calls, no returns.
 * - CODE_READS are the lines of code that a block lies in, each time it is entered.
 * - VECTOR_LOADS and VECTOR_STORES count one per line touched.
 * - PREFETCH1 are prefetches to the first level (T0, NTA, W), PREFETCH2 the others (T1, T2), which
 *   leave the L1 as it is. A prefetch is no LOAD, and walks no page. It misses the L1 as
 *   PREFETCH1_MISSES alone, and the L2 as PREFETCH1_L2_MISSES or PREFETCH2_MISSES. Behind the L1 it
 *   is a data read as well.
 * - Time spent waiting in system calls is no clock of the thread.
 * - What other threads have not reported when one ends the process is lost (less than a report). */
#ifndef VPMU_FEED_CORE_FEED_H
#define VPMU_FEED_CORE_FEED_H

#include "../cache/caches.h"
#include "../qemu_plugin_api.h"
#include "../translate/instructions.h"
#include "retired.h"

#define VPMU_REPORT_CLOCKS 512u	/* what a block adds may double it */

/* A machine that also has an uncore PMU counts core events only while a core's counter is enabled.
 * Otherwise its blocks have the callbacks of machines without a core PMU. They also have these if
 * counters need instructions and clocks alone (retired.h). A process translates all its code again
 * after a change. It checks for one at each system call, and at least every some thousand clocks,
 * so that its own counters count from the next instruction on. */

/* The callbacks of machines without a core PMU. */
struct vpmu_core_feed_parts {
	qemu_plugin_vcpu_udata_cb_t block, fence;
	qemu_plugin_vcpu_mem_cb_t access, nontemporal, prefetch;
	void (*reported)(void);		/* the model has counted; no lock is held; may be NULL */
	/* The calling thread's, with nothing deferred; NULL: it has none yet. */
	struct vpmu_runner *(*runner)(void);
	bool retires;			/* threads run at one level, as retired.h expects */
	void (*retranslate)(void);	/* all code, before the next block is executed */
};

/* The callback's user data has whether the line is put into the L1D, or into the L2 alone: see
 * vpmu_prefetches_to_l1(). QEMU makes no access: there is none for its helpers to show. */
static inline void vpmu_register_prefetch(struct qemu_plugin_insn *insn,
					  qemu_plugin_vcpu_mem_cb_t callback, void *user)
{
	qemu_plugin_register_vcpu_mem_cb(insn, callback, QEMU_PLUGIN_CB_NO_REGS,
					 QEMU_PLUGIN_MEM_R | VPMU_MEM_IN_CODE,
					 user);
}

/* Can the machine count core events? If not, the functions below do nothing. */
bool vpmu_core_feed_open(const struct vpmu_caches *c, const struct vpmu_core_feed_parts *parts);
bool vpmu_core_feed_active(void);	/* it does now, and all of them */
bool vpmu_core_feed_retires(void);	/* it counts instructions and clocks alone */
/* Checks whether core events are to be counted from now on, and switches the calling thread. */
void vpmu_core_feed_follow(void);
/* The calling thread, a CPU of a whole machine, takes an interrupt. */
void vpmu_core_feed_interrupted(void);
/* Takes back the last `instructions` of the thread's last block, which were not executed. */
void vpmu_core_feed_uncount(uint32_t instructions);
/* Registers the callbacks for a block, which is the argument of parts.block. */
void vpmu_core_feed_translate(struct qemu_plugin_tb *tb, struct vpmu_timed_block *timed);

/* The thread itself calls these. Its runner is in place: */
void vpmu_core_feed_enter(struct vpmu_runner *r);
/* The thread has waited or forked, and its clock may have jumped. */
void vpmu_core_feed_restart(bool forked);
/* The thread is about to continue on another virtual CPU. */
void vpmu_core_feed_moves(void);
/* Translations of these pages are not in its buffers any more. */
void vpmu_core_feed_forget(uint64_t first, uint64_t last);
/* Reports to the model what the thread did; the machine lock is not held. */
void vpmu_core_feed_report(void);
/* The thread ends. */
void vpmu_core_feed_leave(void);

#endif
