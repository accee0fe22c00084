/* SPDX-License-Identifier: MIT */
/* The write-combining buffers of a thread. vpmu_combining_add() adds to an open buffer without a
 * lock; vpmu_combining_open() and the flushes need the machine lock, because buffers that leave
 * become requests. Buffers are in the order in which they were opened, oldest first. A line is in
 * one buffer at most, and in no cache of the package when its buffer is opened. */
#include <string.h>

#include "write_combining.h"
#include "memory_controller.h"

#define FULL UINT64_MAX

bool vpmu_combining_add(struct vpmu_combining *w, uint64_t tag, uint64_t bytes)
{
	for (uint32_t i = 0; i < w->used; i++) {
		if (w->lines[i].tag != tag)
			continue;
		if (w->lines[i].bytes == FULL)
			return false;
		w->lines[i].bytes |= bytes;
		return true;
	}
	return false;
}

static void write_requests(const struct vpmu_caches *c, const struct vpmu_runner *r,
			   uint64_t tag, uint32_t requests)
{
	uint64_t now = r->clock;

	vpmu_charge_tracker(r->core >= c->layout.away_from, VPMU_TRK_WRITE, requests,
			    c->s->machine.write_clocks);
	for (uint32_t i = 0; i < requests; i++)
		if (r->core < c->layout.away_from)
			vpmu_tracker(c->s, r->package, VPMU_TRK_WRITE, true, now,
				     now + c->s->machine.write_clocks);
		else
			vpmu_away_tracker(c->s, r->package, VPMU_TRK_WRITE, true, now,
					  now + c->s->machine.write_clocks);
	vpmu_controller_access(c, r, tag, true, requests);
}

static uint32_t pieces(uint64_t bytes)
{
	uint32_t n = 0;

	for (; bytes; bytes >>= 8)
		n += (bytes & 0xff) != 0;
	return n;
}

static void leave(const struct vpmu_caches *c, struct vpmu_runner *r,
		  struct vpmu_combining_line *line)
{
	/* Once more: another thread may have read the line since the buffer was opened. */
	bool dirty = vpmu_caches_remove(c, r, line->tag) || line->dirty;

	if (line->bytes == FULL) {
		write_requests(c, r, line->tag, 1);
		return;
	}
	if (dirty)
		write_requests(c, r, line->tag, 1);
	write_requests(c, r, line->tag, pieces(line->bytes));
}

static void drop(const struct vpmu_caches *c, struct vpmu_runner *r, struct vpmu_combining *w,
		 uint32_t index)
{
	struct vpmu_combining_line line = w->lines[index];

	w->used--;
	memmove(&w->lines[index], &w->lines[index + 1], (w->used - index) * sizeof(line));
	leave(c, r, &line);
}

/* Full buffers leave when the next one is opened: one taking of the machine lock for both. */
static void drop_full(const struct vpmu_caches *c, struct vpmu_runner *r, struct vpmu_combining *w)
{
	for (uint32_t i = 0; i < w->used;)
		if (w->lines[i].bytes == FULL)
			drop(c, r, w, i);
		else
			i++;
}

void vpmu_combining_open(const struct vpmu_caches *c, struct vpmu_runner *r,
			 struct vpmu_combining *w, uint64_t tag, uint64_t bytes)
{
	drop_full(c, r, w);
	if (w->used == VPMU_COMBINING_LINES)
		drop(c, r, w, 0);
	w->lines[w->used++] = (struct vpmu_combining_line){
		.tag = tag, .bytes = bytes, .dirty = vpmu_caches_remove(c, r, tag),
	};
}

void vpmu_combining_flush(const struct vpmu_caches *c, struct vpmu_runner *r,
			  struct vpmu_combining *w)
{
	while (w->used)
		drop(c, r, w, 0);
}

void vpmu_combining_flush_line(const struct vpmu_caches *c, struct vpmu_runner *r,
			       struct vpmu_combining *w, uint64_t tag)
{
	for (uint32_t i = 0; i < w->used; i++) {
		if (w->lines[i].tag == tag) {
			drop(c, r, w, i);
			return;
		}
	}
}
