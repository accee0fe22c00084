/* SPDX-License-Identifier: MIT */
/* Which instruction causes what is counted. Before a callback does anything it stores the note of
 * its instruction in vpmu_profile.note. A place that counts an occurrence charges that note. One
 * thread of a process executes at a time, so both need no lock. Without a profile there is no
 * note. */
#ifndef VPMU_FEED_CHARGE_H
#define VPMU_FEED_CHARGE_H

#include "../../machine/profile_file.h"
#include "../../model/kinds.h"

/* A block of code with a profile, once for all of its translations. */
struct vpmu_noted_block {
	struct vpmu_noted_block *next;		/* in its bucket */
	struct vpmu_profile_block *record;	/* in the file */
	uint64_t address;
	uint32_t map, hash;
	/* A note for each instruction, then one for the block's entry, and one for repetitions of
	 * its last instruction. */
	struct vpmu_note *notes;
};

/* An instruction of a block. User data of its callbacks. */
struct vpmu_note {
	uint64_t user;				/* without a profile */
	struct vpmu_noted_block *block;
	struct vpmu_profile_note *record;	/* NULL: nothing was charged yet */
};

#define VPMU_COLLECTED_MAX 24u	/* more are charged one by one */

/* A thread's instructions and clocks while the profile counts; on cores, and on E cores. */
struct vpmu_thread_totals { uint64_t instructions[2], clocks[2]; };

/* A thread's last access to a line. at: as below. */
struct vpmu_last_access { struct vpmu_note *note; uint64_t at; };

struct vpmu_profile {
	struct vpmu_note *note;		/* NULL: there is no profile */
	const uint32_t *paused;		/* not 0: nothing counts now */
	uint32_t little;		/* 1: the thread that executes is on an E core */
	uint64_t stalled;		/* clocks of stalls that were charged: see clocks.h */
	/* For what follows threads: NULL without it. at: address << 1, and 1 for a store, of the
	 * access that the thread makes now; 0: none. last, totals: of the thread that executes.
	 * charged: called for what is. */
	uint64_t at;
	struct vpmu_last_access *last;
	struct vpmu_thread_totals *totals;
	void (*charged)(uint32_t kind, uint64_t times);
	void (*fixed)(const struct vpmu_profile_block *block);
	/* Occurrences that the access or fetch at hand has caused so far: see patterns.h. */
	bool collects;
	uint32_t collected;
	struct vpmu_profile_occurrence what[VPMU_COLLECTED_MAX];
};
extern struct vpmu_profile vpmu_profile __attribute__((visibility("hidden")));

/* The instruction at this address, or that of the note, has caused so many more. */
void vpmu_charge_at(uint64_t address, uint32_t kind, uint64_t times);
void vpmu_charge_note(struct vpmu_note *note, uint32_t kind, uint64_t times);

static inline bool vpmu_profiles(void)
{
	return __builtin_expect(vpmu_profile.note != NULL, 0);
}

void vpmu_charge_collected(void);

/* Occurrences between these two are charged at once. Another note has two of its own between
 * them. */
static inline void vpmu_charges_begin(void)
{
	vpmu_profile.collects = true;
}

static inline void vpmu_charge_so_far(void)
{
	if (__builtin_expect(vpmu_profile.collected != 0, 0))
		vpmu_charge_collected();
}

static inline void vpmu_charges_end(void)
{
	vpmu_profile.collects = false;
	vpmu_charge_so_far();
}

/* The instruction that executes has caused this. */
static inline void vpmu_charge(uint32_t kind, uint64_t times)
{
	if (!vpmu_profiles() || !times)
		return;
	if (vpmu_profile.collects && vpmu_profile.collected < VPMU_COLLECTED_MAX)
		vpmu_profile.what[vpmu_profile.collected++] =
			(struct vpmu_profile_occurrence){ kind, times };
	else
		vpmu_charge_note(vpmu_profile.note, kind, times);
}

/* Entries of a tracker, each of so many clocks. */
static inline void vpmu_charge_tracker(bool away, enum vpmu_tracker kind, uint64_t times,
				       uint64_t clocks)
{
	if (!vpmu_profiles() || !clocks)	/* the model takes none of no clocks */
		return;
	vpmu_charge((away ? VPMU_KIND_AWAY_DATA_READ : VPMU_KIND_TRACKER_DATA_READ) + kind, times);
	vpmu_charge((away ? VPMU_KIND_AWAY_DATA_READ_CLOCKS :
			    VPMU_KIND_TRACKER_DATA_READ_CLOCKS) + kind, times * (clocks - 1));
}

/* Commands of a memory controller. kind: vpmu_kind_dram(). */
static inline void vpmu_charge_dram(uint32_t kind, uint64_t requests, bool write)
{
	if (!vpmu_profiles())
		return;
	vpmu_charge(kind, requests);
	vpmu_charge(kind + 1 + write, 1);
}

/* An occurrence in the hardware thread that executes. */
static inline void vpmu_charge_core(enum vpmu_core_event event, uint64_t times)
{
	vpmu_charge(vpmu_kind_core(vpmu_profile.little, event), times);
}

/* Adds the instructions of a block, and what occurs whenever it is executed. */
static inline void vpmu_total_block(const struct vpmu_profile_block *b)
{
	vpmu_profile.totals->instructions[vpmu_profile.little] += b->count;
	if (__builtin_expect(b->fixed != 0, 0))
		vpmu_profile.fixed(b);
}

/* The note's block is entered. */
static inline void vpmu_charge_block(struct vpmu_note *note)
{
	if (*vpmu_profile.paused)
		return;
	note->block->record->executed[vpmu_profile.little]++;
	if (__builtin_expect(vpmu_profile.totals != NULL, 0))
		vpmu_total_block(note->block->record);
}

/* The same in the name of a block's first instruction. */
static inline struct vpmu_note *vpmu_note_of_block(const struct vpmu_note *note)
{
	return note->block->notes;
}

#endif
