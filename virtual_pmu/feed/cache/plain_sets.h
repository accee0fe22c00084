/* SPDX-License-Identifier: MIT */
/* Finds the sets of a line in the plain case. Included by plain_access.c only. */
#ifndef VPMU_FEED_PLAIN_SETS_H
#define VPMU_FEED_PLAIN_SETS_H

#include "llc_set.h"

/* The shape of the caches. The functions below are compiled twice: for any shape, and for the usual
 * one, whose members are constants. The usual shape has equal L1s, few agents and a power of two of
 * slices and sets. Its LLC lookups are counted in bulk. */
struct ways { uint32_t l1d, l1i, l2, llc, alike, powers, few, counted; };

#define USUAL_WAYS ((struct ways){ VPMU_L1_USUAL_WAYS, VPMU_L1_USUAL_WAYS, 4, 16, 1, 1, 1, 1 })

struct plain {
	const struct vpmu_caches *c;
	struct vpmu_runner *r;
	uint64_t tag, word;	/* word: what the L1 will have */
	struct ways ways;
	struct vpmu_l1 l1;
	struct vpmu_set l2;
};

/* Levels are there, and have a power of two of sets. */
static HOT struct vpmu_l1 first_set(const struct vpmu_fast *f, uint64_t tag, uint32_t ways)
{
	unsigned char *at = f->sets + (tag >> 6 & f->level.mask) * vpmu_l1_set_bytes(ways);

	return (struct vpmu_l1){ (uint64_t *)(void *)at,
				 (struct vpmu_way *)(void *)(at + VPMU_SET_HEAD_BYTES), ways };
}

static HOT struct vpmu_l1 data_set(const struct plain *q, uint64_t tag)
{
	return first_set(&q->r->l1d, tag, q->ways.l1d);
}

static HOT struct vpmu_l1 code_set(const struct plain *q, uint64_t tag)
{
	struct vpmu_fast l1i = q->r->l1i;

	if (q->ways.alike)
		l1i.level.mask = q->r->l1d.level.mask;
	return first_set(&l1i, tag, q->ways.l1i);
}

/* Not 0 where an L1 may have the line. */
static HOT uint32_t first_candidates(const struct plain *q, uint64_t tag)
{
	struct vpmu_l1 l1d = data_set(q, tag), l1i = code_set(q, tag);

	if (q->ways.alike)
		return set_candidates_of_two(l1d.head, l1i.head, l1d.count, tag);
	return set_candidates(l1d.head, l1d.count, tag) | set_candidates(l1i.head, l1i.count, tag);
}

static HOT bool first_has(const struct plain *q, uint64_t tag)
{
	struct vpmu_l1 l1d = data_set(q, tag), l1i = code_set(q, tag);

	return l1_search(&l1d, tag) >= 0 || l1_search(&l1i, tag) >= 0;
}

static HOT struct vpmu_set second_set(const struct plain *q, uint64_t tag)
{
	const struct vpmu_fast *f = &q->r->l2;
	unsigned char *at = f->sets +
			    (vpmu_placed_line(tag) & f->level.mask) * vpmu_set_bytes(q->ways.l2);

	return (struct vpmu_set){ (uint64_t *)(void *)at,
				  (uint64_t *)(void *)(at + VPMU_SET_HEAD_BYTES), q->ways.l2 };
}

static HOT struct vpmu_llc_place place_at(const struct plain *q, struct vpmu_ahead at)
{
	uint64_t *words = (uint64_t *)(void *)(at.set + VPMU_LLC_HEAD_BYTES);

	return (struct vpmu_llc_place){
		.set = { (uint64_t *)(void *)at.set, words, q->ways.llc }, .slice = at.slice,
		.few = q->ways.few ? at.set + VPMU_LLC_FEW_AT : NULL, .many = words + q->ways.llc,
	};
}

static struct ways ways_of(const struct vpmu_runner *r, const struct vpmu_layout *l)
{
	return (struct ways){ r->l1d.level.ways, r->l1i.level.ways, r->l2.level.ways, l->llc.ways,
			      r->l1d.level.sets == r->l1i.level.sets &&
				r->l1d.level.ways == r->l1i.level.ways,
			      l->llc.mask && l->slice_shift < 32, l->few, r->bulk.llc != NULL };
}

static HOT struct plain plain_of(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t word,
				 struct ways ways)
{
	struct plain q = { .c = c, .r = r, .tag = set_tag(word), .word = word, .ways = ways };

	q.l1 = data_set(&q, q.tag);
	q.l2 = second_set(&q, q.tag);
	return q;
}

/* As vpmu_llc_place_of, but that place_at makes the rest of it where it is used. */
static HOT struct vpmu_ahead place_of(const struct plain *q, uint64_t tag)
{
	const struct vpmu_runner *r = q->r;
	uint64_t line = vpmu_placed_line(tag), group = line >> r->slice_shift;
	uint32_t index = (uint32_t)group & r->set_last;
	struct vpmu_ahead at;

	if (q->ways.powers)
		at.slice = vpmu_slice_of_power(line, group, r->slice_shift, r->slice_last);
	else
		at.slice = vpmu_slice_of(&q->c->layout, tag, &index);
	at.set = q->r->llc + at.slice * q->r->slice_bytes +
		 index * (uint64_t)vpmu_llc_set_bytes(q->ways.llc, q->ways.few);
	return at;
}

/* The place of the next line. With a power of two of slices this is mostly the same set of the next
 * slice. */
static HOT struct vpmu_ahead place_behind(const struct plain *q, struct vpmu_ahead at)
{
	uint32_t last = q->r->slice_last, slice = (at.slice + 1) & last;
	uint64_t tag = q->tag + VPMU_LINE_BYTES;

	if (!q->ways.powers || (vpmu_placed_line(tag) & last) == 0)
		return place_of(q, tag);
	at.set += ((int64_t)slice - at.slice) * (int64_t)q->r->slice_bytes;
	at.slice = slice;
	return at;
}

/* With few agents a set has at most so many lines of the host; which others there are is a matter
 * of the way. */
static HOT void prefetch(struct vpmu_ahead at)
{
	__builtin_prefetch(at.set, 1);
	__builtin_prefetch(at.set + VPMU_LINE_BYTES, 1);
	__builtin_prefetch(at.set + 2 * VPMU_LINE_BYTES, 1);
}

/* As vpmu_prefetch and vpmu_prefetch_ahead. What was found for the next line then is used now. */
static HOT struct vpmu_llc_place place_ahead(const struct plain *q)
{
	struct vpmu_miss_stream *stream = vpmu_stream_of(q->r, q->tag);
	bool goes_on = stream->missed + VPMU_LINE_BYTES == q->tag;
	struct vpmu_ahead at;

	stream->missed = q->tag;
	if (goes_on && stream->next.set) {
		at = stream->next;
	} else {
		at = place_of(q, q->tag);
		prefetch(at);
		stream->next.set = NULL;
	}
	if (goes_on) {
		stream->next = place_behind(q, at);
		prefetch(stream->next);
	}
	return place_at(q, at);
}

#endif
