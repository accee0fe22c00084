/* SPDX-License-Identifier: MIT */
/* Lines that several cores write at the same time.
 *
 * The host executes a thread for thousands of accesses before another one runs, so there a line
 * that two threads write hardly ever moves. On the modelled machine their clocks advance
 * together, and each store takes the line from the other core. Stated rule: a store is contended if
 * another core has the line modified and used it last at a later clock than the storing thread's.
 * Its place among the uses that have been executed before is that of its clock:
 * - one other core uses the line before and after it: the line moves to the storing core and back,
 *   which is two lookups and two snoops that hit modified data;
 * - two others do: one move more, for the second is known already;
 * - it comes before the owner got the line: one move, from there to the owner, for this core's next
 *   stores as well.
 * Afterwards all caches are as before, and no clock has advanced. So the core that is ahead has the
 * line, and stores of the others are counted until their clocks pass its last use. A core counts as
 * using the line from its first to its last use.
 *
 * A contended load leaves the line shared, as any load does, but the line counts as modified by the
 * other core as before. So the store of an increment is contended, too.
 *
 * Threads that wait for each other have an order, whatever their clocks are. Stated rule: what a
 * thread has used before it waits is not contended with what another thread does after a wait of
 * its own that ends later. A wait is a system call that can wait, or a loop of PAUSE instructions.
 * A thread that executes a locked instruction on the line at which another one waits, as the last
 * one at a barrier does, has waited, too. Waits have numbers, in the order in which they begin.
 *
 * Clocks of cores are those of their threads: a table of the process, written by each thread when
 * it comes to a CPU and when it ends. The machine lock protects the reading of it. */
#ifndef VPMU_FEED_CONTENTION_H
#define VPMU_FEED_CONTENTION_H

#include "caches.h"

/* Nothing is known of another machine's lines. */
void vpmu_contended_forget(void);
/* The runner's thread is on its CPU from now; has ended, machine lock held. */
void vpmu_contended_enter(const struct vpmu_caches *c, const struct vpmu_runner *r);
void vpmu_contended_leave(const struct vpmu_caches *c, const struct vpmu_runner *r);
/* The runner's thread executes a PAUSE; waits in a system call from now, or does not. */
void vpmu_contended_pause(struct vpmu_runner *r);
void vpmu_contended_sleep(struct vpmu_runner *r, bool sleeps);
/* Has the instruction a LOCK prefix, or is it XCHG with memory? */
bool vpmu_is_locked(const uint8_t *bytes, size_t count);
/* The runner's next access is such an instruction's. */
void vpmu_contended_locked(struct vpmu_runner *r);
/* found: the state in which the other agent's L1 has the line. moves: how often the line moves in
 * addition, because of the access. */
struct vpmu_contended {
	enum vpmu_word_state found;
	uint32_t moves;
};

/* Machine lock held: the agent among `others` with which the runner's access to the line is
 * contended; -1: none, and *k is not changed. */
int vpmu_contended_by(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag,
		      enum vpmu_touch kind, uint64_t others, struct vpmu_contended *k);

/* Clocks at which agents got lines from outside of their own caches, of the last lines. */
#define VPMU_OWNED 8192u
struct vpmu_owned { uint64_t line, clock; };
extern struct vpmu_owned vpmu_contended_owned[VPMU_OWNED];
extern bool vpmu_contended_possible;	/* the process has had two threads */

/* The line in the runner's package: its tag, whose last six bits are free, and the package. */
static inline uint64_t vpmu_line_of(const struct vpmu_runner *r, uint64_t tag)
{
	return tag | r->package;
}

static inline struct vpmu_owned *vpmu_owned_of(uint64_t line)
{
	return &vpmu_contended_owned[(line >> 6 ^ line >> 19) % VPMU_OWNED];
}

/* The runner's agent has the line from now. */
static inline void vpmu_contended_owns(const struct vpmu_runner *r, uint64_t tag)
{
	uint64_t line = vpmu_line_of(r, tag);

	if (__builtin_expect(__atomic_load_n(&vpmu_contended_possible, __ATOMIC_RELAXED), 0))
		*vpmu_owned_of(line) = (struct vpmu_owned){ line, r->clock };
}

/* The agent has the line modified again. */
void vpmu_contended_return(const struct vpmu_caches *c, struct vpmu_runner *r, uint32_t agent,
			   uint64_t tag);

#endif
