/* SPDX-License-Identifier: MIT */
/* Threads that wait for another one in a loop of PAUSE instructions, as OpenMP's do for some time,
 * of system calls that find no event, as MPI libraries do, or of loads alone. Such a loop ends the
 * thread's turn (scheduler.h). */
#ifndef VPMU_FEED_PAUSE_LOOP_H
#define VPMU_FEED_PAUSE_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../translate/timed_blocks.h"

/* PAUSEs that are at most this many clocks apart are a loop; where a PAUSE takes 140. */
#define VPMU_SPIN_CLOCKS 64u
#define VPMU_SPIN_CLOCKS_LONG 256u
#define VPMU_SPIN_LOOP 3u	/* PAUSEs until another thread runs */
#define VPMU_READ_LOOP_BLOCKS 8u	/* at most, of a loop of loads */
#define VPMU_READ_LOOP_CLOCKS 1024u	/* without an L1 miss, between searches for one */
#define VPMU_POLL_LOOP 64u	/* system calls until another thread runs, at each */

struct vpmu_spinning {
	uint64_t clock;
	uint32_t pauses;
	uint32_t polls;			/* in sequence, without a miss of an L1 between them */
	uint64_t misses;
	/* A loop that is followed from this block on, its blocks so far; NULL: none is. The clock
	 * and the misses when the last search began. */
	const struct vpmu_timed_block *loop;
	uint32_t blocks;
	uint16_t addressed, written;
	bool loads;
	uint64_t searched, missed;
};

bool vpmu_is_pause(const uint8_t *bytes, size_t count);
/* A PAUSE at this clock of the thread: true if it is in a loop. within: one of the above. */
bool vpmu_spinning(struct vpmu_spinning *s, uint64_t clock, uint32_t within);
/* The same for a system call that does not wait and has found nothing, after so many misses of an
 * L1. A thread that has missed since the last call has done work. */
bool vpmu_spinning_polls(struct vpmu_spinning *s, uint64_t misses);
/* A block is entered at this clock: true at the end of a loop's round that has only read the same
 * places again, in an L1. While `loop` is not NULL each block has to be shown. */
bool vpmu_spinning_reads(struct vpmu_spinning *s, uint64_t clock, uint64_t misses,
			 const struct vpmu_timed_block *b);

#endif
