/* SPDX-License-Identifier: MIT */
/* A line's place in the LLC of a package. Its callers hold the machine lock. */
#ifndef VPMU_FEED_LLC_SET_H
#define VPMU_FEED_LLC_SET_H

#include "private_caches.h"

/* Every miss runs this code. It is compiled twice: for the only thread of a machine, and for one of
 * several. */
#define HOT inline __attribute__((always_inline))

struct vpmu_llc_place {
	struct vpmu_set set;
	/* Bitmap per way: agents that may have the line. `few` or `many`, by their number. */
	uint8_t *few;
	uint64_t *many;
	uint32_t slice;
};

/* Stand-in for the undocumented slice hash. Lines are taken in groups of one line per slice: each
 * slice gets one of every group, so sequences are balanced exactly. The rotation of a group is a
 * folded product of its number, so that no stride prefers a slice. */
static HOT uint64_t vpmu_mixed(uint64_t group)
{
	uint64_t mixed = (group ^ group >> 23) * 0xd6e8feb86659fd93ull;

	return (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93ull;
}

/* The slice of a line where the number of slices is a power of two; `last` is that number less one.
 * The product's first bits rotate the slices. With one slice they do not matter. */
static HOT uint32_t vpmu_slice_of_power(uint64_t line, uint64_t group, uint32_t shift,
					uint32_t last)
{
	return ((uint32_t)line + (uint32_t)(vpmu_mixed(group) >> (-shift & 63))) & last;
}

static HOT uint32_t vpmu_slice_of(const struct vpmu_layout *l, uint64_t tag, uint32_t *set)
{
	bool power = l->slice_shift < 32;
	uint64_t line = vpmu_placed_line(tag);
	uint64_t group = power ? line >> l->slice_shift : line / l->slices;
	uint32_t slice;

	*set = (uint32_t)(l->llc.mask ? group & l->llc.mask : group % l->llc.sets);
	if (power)
		return vpmu_slice_of_power(line, group, l->slice_shift, l->slices - 1);
	slice = (uint32_t)line - (uint32_t)group * l->slices +
		(uint32_t)((vpmu_mixed(group) >> 32) * l->slices >> 32);
	return slice < l->slices ? slice : slice - l->slices;
}

static HOT struct vpmu_llc_place vpmu_llc_place_of(const struct vpmu_caches *c, uint32_t package,
					   uint64_t tag)
{
	const struct vpmu_level *l = &c->layout.llc;
	unsigned char *head = c->base + package * c->layout.package_bytes + c->layout.llc_at;
	struct vpmu_llc_place at;
	uint64_t *words;
	uint32_t set;

	at.slice = vpmu_slice_of(&c->layout, tag, &set);
	head += ((uint64_t)at.slice * l->sets + set) * l->set_bytes;
	words = (uint64_t *)(void *)(head + VPMU_LLC_HEAD_BYTES);
	at.set = (struct vpmu_set){ (uint64_t *)(void *)head, words, l->ways };
	at.few = c->layout.few ? head + VPMU_LLC_FEW_AT : NULL;
	at.many = words + l->ways;
	return at;
}

static HOT uint64_t vpmu_cores_of(const struct vpmu_llc_place *at, uint32_t way)
{
	return at->few ? at->few[way] : at->many[way];
}

static HOT void vpmu_put_cores(const struct vpmu_llc_place *at, uint32_t way, uint64_t cores)
{
	if (at->few)
		at->few[way] = (uint8_t)cores;
	else
		at->many[way] = cores;
}

static HOT void vpmu_place_put(const struct vpmu_llc_place *at, uint32_t way, uint64_t word,
			       uint64_t cores)
{
	set_put(&at->set, way, word);
	set_put_print(&at->set, way, set_tag(word));
	vpmu_put_cores(at, way, cores);
	set_touch(at->set.order, way);
}

/* The host fetches what a lookup will read, all lines of it at once. */
static HOT void vpmu_prefetch(const struct vpmu_caches *c, const struct vpmu_llc_place *at)
{
	const char *set = (const char *)at->set.order;

	for (uint32_t i = 0; i < c->layout.llc.set_bytes; i += VPMU_LINE_BYTES)
		__builtin_prefetch(set + i, 1);
}

/* Programs that miss often do so line after line: then the next line's set as well. */
static HOT void vpmu_prefetch_ahead(const struct vpmu_caches *c, struct vpmu_runner *r,
				    uint64_t tag)
{
	struct vpmu_miss_stream *stream = vpmu_stream_of(r, tag);
	struct vpmu_llc_place next;

	if (stream->missed + VPMU_LINE_BYTES == tag) {
		next = vpmu_llc_place_of(c, r->package, tag + VPMU_LINE_BYTES);
		vpmu_prefetch(c, &next);
	}
	if (stream->missed != tag)	/* plain_access.c has not been here before */
		stream->next.set = NULL;
	stream->missed = tag;
}

#endif
