/* SPDX-License-Identifier: MIT */
/* The notes of a process: made when its code is translated, and the same ones whenever the same
 * code is translated again. */
#ifndef VPMU_FEED_NOTES_H
#define VPMU_FEED_NOTES_H

#include "charge.h"
#include "store.h"

/* A block as the translator shows it. fixed: what occurs whenever it is executed. */
struct vpmu_block_shape {
	uint64_t address;
	const uint8_t *size;		/* of each of its `count` instructions */
	const struct vpmu_profile_fixed *fixed;
	uint16_t count, fixed_count;
};

/* Begins the profile of this process. paused: while this is not 0 nothing is counted. False: there
 * is no profile, as the file cannot be made. */
bool vpmu_notes_begin(const struct vpmu_profile_origin *from, const uint32_t *paused);
/* In the child of a fork: its counts begin at 0. */
void vpmu_notes_forked(void);
void vpmu_notes_end(void);

/* Never NULL. A block that finds no room shares a record that is in no file. */
struct vpmu_noted_block *vpmu_note_block(const struct vpmu_block_shape *shape);
#define VPMU_NOTE_ENTRY SIZE_MAX
#define VPMU_NOTE_REPEAT (SIZE_MAX - 1)
/* The note of its instruction, its entry or its last one's repetitions, with the user data that the
 * callback has without a profile. */
static inline struct vpmu_note *vpmu_note_use(struct vpmu_noted_block *b, size_t index,
					      uint64_t user)
{
	size_t count = b->record->count, extra = index == VPMU_NOTE_REPEAT;
	struct vpmu_note *note = &b->notes[index < count ? index : count + extra];

	note->user = user;
	return note;
}

/* Address of the instruction, and its record in the file; NULL: there is no room for it. */
uint64_t vpmu_note_address(const struct vpmu_note *note);
struct vpmu_profile_note *vpmu_note_record(struct vpmu_note *note);
/* Adds to the cell of a record, whose list of cells begins there. */
void vpmu_cell_add(uint32_t *cells, uint32_t kind, uint64_t times);

#endif
