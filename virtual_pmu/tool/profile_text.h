/* SPDX-License-Identifier: MIT */
/* A profile's file while it is printed: profile.c. */
#ifndef VPMU_PROFILE_TEXT_H
#define VPMU_PROFILE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "../machine/profile_file.h"

#define VPMU_TEXT_PLACE UINT32_MAX	/* a kind: only the place is named */

#define VPMU_PATTERNS_READ 4096u

/* note: number of the place, from 1. */
struct vpmu_text_cell { uint64_t address; uint32_t map, kind; uint64_t count; uint32_t note; };

struct vpmu_profile_text {
	const uint8_t *base;
	const struct vpmu_profile_head *head;
	uint64_t used;
	struct vpmu_text_cell *cell;	/* by place and kind */
	size_t cell_count, cell_room;
	/* By its number, from VPMU_KINDS on; NULL: there is none. */
	const struct vpmu_profile_pattern *pattern[VPMU_PATTERNS_READ];
};

/* So many bytes of a record; NULL: they are not in the file. */
const void *vpmu_profile_text_at(const struct vpmu_profile_text *t, uint32_t ref, size_t bytes);
/* The next one in the list of a record; 0: none. */
uint32_t vpmu_profile_text_next(const struct vpmu_profile_text *t, uint32_t ref);
/* Orders cells by place and kind, for qsort(). */
int vpmu_profile_text_compare(const void *one, const void *other);
/* The number of a note by its reference in the file; 0: none. */
uint32_t vpmu_profile_text_note(const struct vpmu_profile_text *t, uint32_t ref);

/* Adds what a list of cells has to counts[], by kind. */
void vpmu_profile_text_sum(const struct vpmu_profile_text *t, uint32_t cells, uint64_t counts[]);
/* Prints calls, objects and contended lines: profile_data.c. */
void vpmu_profile_text_data(const struct vpmu_profile_text *t);

#endif
