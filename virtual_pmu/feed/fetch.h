/* SPDX-License-Identifier: MIT */
/* The lines that a block's code is in: for callbacks.c alone. */
#ifndef VPMU_FEED_FETCH_H
#define VPMU_FEED_FETCH_H

#include "data_access.h"

/* Uses the lines from the first on that are in the L1I where they were last. Returns how many. */
static inline uint32_t lines_again(struct vpmu_runner *r, uint64_t tag, uint32_t lines)
{
	uint64_t uses = r->uses;
	uint32_t n;

	for (n = 0; n < lines; n++, tag += VPMU_LINE_BYTES) {
		struct vpmu_way *way = *vpmu_runner_code(r, tag);

		if (!l1_way_has(way, tag, VPMU_WORD_S))
			break;
		l1_touch(way, &uses);
	}
	r->uses = uses;
	return n;
}

/* True if all lines of a block are where they were last. Most blocks have one line. */
static inline bool fetch_again(struct vpmu_runner *r, uint64_t line, uint32_t lines)
{
	uint64_t tag = vpmu_runner_tag(r, line << 6);

	if (likely(lines == 1))
		return lines_again(r, tag, 1);
	return lines_again(r, tag, lines) == lines;
}

/* Fetches all lines of a block, wherever they are. */
static void fetch_lines(struct vpmu_emulated *t, const struct vpmu_timed_block *b)
{
	struct vpmu_runner *r = &t->runner;
	uint64_t tag = vpmu_runner_tag(r, b->line << 6);
	uint64_t end = tag + b->lines * VPMU_LINE_BYTES;

	r->inside = NULL;
	for (;;) {
		struct vpmu_way *way;

		tag += lines_again(r, tag, (uint32_t)((end - tag) >> 6)) * VPMU_LINE_BYTES;
		if (tag == end)
			return;
		way = vpmu_fast_find(&r->l1i, tag);
		if (!way) {
			r->served = 0;
			touch(t, tag, VPMU_CODE);
			vpmu_runner_code_ends(r);
		} else {
			l1_touch(*vpmu_runner_code(r, tag) = way, &r->uses);
		}
		tag += VPMU_LINE_BYTES;
	}
}

/* The same, in the name of the block's first instruction. */
static NOINLINE void fetch(struct vpmu_emulated *t, const struct vpmu_timed_block *b)
{
	struct vpmu_note *note = vpmu_profile.note;
	uint64_t at = vpmu_profile.at;
	bool collects = vpmu_profile.collects;

	if (!note) {
		fetch_lines(t, b);
		return;
	}
	vpmu_charges_end();
	vpmu_profile.note = vpmu_note_of_block(note);
	vpmu_profile.at = 0;
	vpmu_charges_begin();
	fetch_lines(t, b);
	vpmu_charges_end();
	vpmu_profile.note = note;
	vpmu_profile.at = at;
	vpmu_profile.collects = collects;
}

#endif
