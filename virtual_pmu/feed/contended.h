/* SPDX-License-Identifier: MIT */
/* Lines that several cores write at the same time.
 *
 * The host executes a thread for thousands of accesses before another one runs, so there a line
 * that two threads write hardly ever moves. On the modelled machine their clocks advance
 * together, and each store takes the line from the other core. Stated rule: a store is contended if
 * another core has the line modified and used it last at a later clock than the storing thread's.
 * The line then moves to the storing core and back at once: two lookups and two snoops that hit
 * modified data. Afterwards all caches are as before, and no clock has advanced. So the core that
 * is ahead has the line, and stores of the others are counted until their clocks pass its last use.
 *
 * A load leaves the line shared, as any load does. If the same thread stores to that line next, as
 * an increment does, the store is contended as if the other core still had the line modified.
 *
 * Clocks of cores are those of their threads: a table of the process, written by each thread when
 * it comes to a CPU and when it ends. The machine lock protects the reading of it. */
#ifndef VPMU_FEED_CONTENDED_H
#define VPMU_FEED_CONTENDED_H

#include "caches.h"

/* The runner's thread is on its CPU from now; has ended, machine lock held. */
void vpmu_contended_enter(const struct vpmu_caches *c, const struct vpmu_runner *r);
void vpmu_contended_leave(const struct vpmu_caches *c, const struct vpmu_runner *r);
/* Machine lock held: the agent among `others` for which the runner's store to the line is
 * contended; -1: none. *found: the state in which that agent's L1 has the line. */
int vpmu_contended_by(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag,
		      enum vpmu_touch kind, uint64_t others, enum vpmu_word_state *found);
/* The agent has the line modified again. */
void vpmu_contended_return(const struct vpmu_caches *c, struct vpmu_runner *r, uint32_t agent,
			   uint64_t tag);

#endif
