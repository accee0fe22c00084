/* SPDX-License-Identifier: MIT */
/* Write-combining buffers of one thread, for non-temporal stores.
 *
 * Stated model: a store takes its line out of all caches and gathers in one of four buffers. A
 * buffer leaves when it is full (one write request, one write CAS, data in caches is dead), or
 * early, when the buffers run out, at a fence, a system call, or an ordinary access to its line:
 * then each 8-byte piece that has data is a request of its own, and they share one write CAS;
 * modified data that the caches had is written back first, by one more request and CAS. */
#ifndef VPMU_FEED_WRITE_COMBINING_H
#define VPMU_FEED_WRITE_COMBINING_H

#include "caches.h"

#define VPMU_COMBINING_LINES 4u

struct vpmu_combining_line {
	uint64_t tag;
	uint64_t bytes;		/* bit per byte that has data */
	bool dirty;		/* the caches had newer data than memory */
};

struct vpmu_combining {
	uint32_t used;
	struct vpmu_combining_line lines[VPMU_COMBINING_LINES];	/* oldest first */
};

/* A store that stays in one line and only adds to its buffer; false: use _open. */
bool vpmu_combining_add(struct vpmu_combining *w, uint64_t tag, uint64_t bytes);
/* The caller of these holds the machine lock. */
void vpmu_combining_open(const struct vpmu_caches *c, struct vpmu_runner *r,
			 struct vpmu_combining *w, uint64_t tag, uint64_t bytes);
void vpmu_combining_flush(const struct vpmu_caches *c, struct vpmu_runner *r,
			  struct vpmu_combining *w);
/* Flushes only this line's buffer. */
void vpmu_combining_flush_line(const struct vpmu_caches *c, struct vpmu_runner *r,
			       struct vpmu_combining *w, uint64_t tag);

static inline bool vpmu_combining_has(const struct vpmu_combining *w, uint64_t tag)
{
	for (uint32_t i = 0; i < w->used; i++)
		if (w->lines[i].tag == tag)
			return true;
	return false;
}

#endif
