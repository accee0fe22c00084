/* SPDX-License-Identifier: MIT */
/* What llc.c and private_access.h do in general, made short for a core with an L2 of its own whose
 * line no other core has. A whole access is one function without calls, but for the tracker. */
#include "plain.h"

#include "clock.h"
#include "place.h"
#include "waiting.h"

struct plain {
	const struct vpmu_caches *c;
	struct vpmu_runner *r;
	uint64_t tag;
	enum vpmu_touch kind;
	struct vpmu_l1 l1;
	struct vpmu_set l2;
	struct vpmu_llc_counts *counts;
};

/* Bits of the counts, by state of the LLC's word. */
static const uint8_t found[] = { [VPMU_WORD_I] = 3, [VPMU_WORD_S] = 2, [VPMU_WORD_E] = 1,
				 [VPMU_WORD_M] = 0 };
enum { READS, WRITES };

/* Levels are there, and have a power of two of sets. */
static HOT unsigned char *set_at(const struct vpmu_fast *f, uint64_t line)
{
	return f->sets + (line & f->level.mask) * f->level.set_bytes;
}

static HOT struct vpmu_l1 first_set(const struct vpmu_fast *f, uint64_t tag)
{
	unsigned char *at = set_at(f, tag >> 6);

	return (struct vpmu_l1){ (uint64_t *)(void *)at,
				 (struct vpmu_way *)(void *)(at + VPMU_SET_HEAD_BYTES),
				 f->level.ways };
}

static HOT struct vpmu_set second_set(const struct vpmu_runner *r, uint64_t tag)
{
	unsigned char *at = set_at(&r->l2, vpmu_placed_line(tag));

	return (struct vpmu_set){ (uint64_t *)(void *)at,
				  (uint64_t *)(void *)(at + VPMU_SET_HEAD_BYTES),
				  r->l2.level.ways };
}

static HOT struct vpmu_llc_place place_at(const struct plain *q, unsigned char *set,
					  uint32_t slice)
{
	return (struct vpmu_llc_place){
		.set = { (uint64_t *)(void *)set, (uint64_t *)(void *)(set + VPMU_LLC_HEAD_BYTES),
			 q->c->layout.llc.ways },
		.few = set + VPMU_LLC_FEW_AT, .slice = slice,
	};
}

/* As vpmu_llc_place_of: slices are a power of two, too, and agents few. */
static HOT struct vpmu_llc_place place_of(const struct plain *q, uint64_t tag)
{
	const struct vpmu_layout *l = &q->c->layout;
	uint64_t line = vpmu_placed_line(tag), group = line >> l->slice_shift;
	uint32_t slice = ((uint32_t)line + vpmu_rotation(group, l->slices)) & (l->slices - 1);
	uint64_t set = slice * (uint64_t)l->llc.sets + (group & l->llc.mask);

	return place_at(q, q->r->llc + set * l->llc.set_bytes, slice);
}

/* With few agents a set has at most so many lines of the host. */
static HOT void prefetch(const struct vpmu_llc_place *at)
{
	const char *set = (const char *)at->set.order;

	__builtin_prefetch(set, 1);
	__builtin_prefetch(set + VPMU_LINE_BYTES, 1);
	__builtin_prefetch(set + 2 * VPMU_LINE_BYTES, 1);
}

/* As vpmu_prefetch and vpmu_prefetch_ahead. What was found for the next line then is used now. */
static HOT struct vpmu_llc_place place_ahead(const struct plain *q)
{
	uint32_t stream = (q->tag >> 12 ^ q->tag >> 22) % VPMU_STREAMS;
	struct vpmu_ahead *ahead = &q->r->ahead[stream];
	bool goes_on = q->r->missed[stream] + VPMU_LINE_BYTES == q->tag;
	struct vpmu_llc_place at, next;

	q->r->missed[stream] = q->tag;
	if (goes_on && ahead->set) {
		at = place_at(q, ahead->set, ahead->slice);
	} else {
		at = place_of(q, q->tag);
		prefetch(&at);
	}
	ahead->set = NULL;
	if (goes_on) {
		next = place_of(q, q->tag + VPMU_LINE_BYTES);
		prefetch(&next);
		*ahead = (struct vpmu_ahead){ (unsigned char *)next.set.order, next.slice };
	}
	return at;
}

static HOT uint64_t first_word(const struct plain *q)
{
	return q->tag | (q->kind == VPMU_STORE ? VPMU_WORD_M : VPMU_WORD_E);
}

static HOT bool is_modified(uint64_t word)
{
	return set_state(word) == VPMU_WORD_M;
}

/* ---- the core's own caches ---- */

static HOT bool hit_first(const struct plain *q, uint32_t index, bool alone)
{
	struct vpmu_way *way = &q->l1.ways[index];

	if (q->kind == VPMU_STORE && !l1_way_modify(way, q->tag, alone))
		return false;
	l1_touch(way, &q->r->uses);
	return true;
}

/* Returns what falls out of the L1. */
static HOT uint64_t fill_first(const struct plain *q, uint32_t way)
{
	if (q->kind != VPMU_CODE)
		q->r->filled = &q->l1.ways[way];
	return l1_replace(&q->l1, way, first_word(q), &q->r->uses);
}

/* A modified word leaves the L1: the L2 takes it. Returns what leaves the core for it, or 0. */
static HOT uint64_t write_back(const struct plain *q, uint64_t word)
{
	struct vpmu_set l2 = second_set(q->r, word);
	int way = set_search(&l2, set_tag(word));
	uint64_t victim;

	if (way >= 0) {
		set_put(&l2, (uint32_t)way, word);
		return 0;
	}
	victim = set_insert(&l2, word);
	return is_modified(victim) ? victim : 0;
}

static HOT bool hit_second(const struct plain *q, uint32_t way)
{
	enum vpmu_word_state state = set_state(set_word(&q->l2, way));
	uint32_t last = l1_last(&q->l1);
	uint64_t victim = l1_word(&q->l1, last);
	struct vpmu_set l2 = second_set(q->r, victim);
	int place = -1;

	if (state == VPMU_WORD_S)
		return false;
	set_touch(q->l2.order, way);
	if (is_modified(victim)) {
		place = set_search(&l2, set_tag(victim));
		if (place < 0 && is_modified(set_word(&l2, set_last(&l2))))
			return false;	/* the core would lose that line */
	}
	victim = fill_first(q, last);
	if (place >= 0)
		set_put(&l2, (uint32_t)place, victim);
	else if (is_modified(victim))	/* another thread's store may just have come */
		write_back(q, victim);
	return true;
}

/* ---- the LLC ---- */

static HOT void transfer(const struct plain *q, enum vpmu_tracker kind, uint64_t start)
{
	const struct vpmu_machine *m = &q->c->s->machine;
	bool write = kind == VPMU_TRK_EVICTION;

	vpmu_transfer(q->c->s, q->r->package, kind, start,
		      start + (write ? m->write_clocks : m->memory_clocks));
}

/* The LLC gives the line up, and the core with it. */
static HOT void evict(const struct plain *q, const struct vpmu_llc_place *at, uint64_t word,
		      bool held)
{
	enum vpmu_snoop_result result = VPMU_SNOOP_MISS;
	uint64_t tag = set_tag(word);
	struct vpmu_l1 l1d = first_set(&q->r->l1d, tag), l1i = first_set(&q->r->l1i, tag);
	struct vpmu_set l2 = second_set(q->r, tag);

	if (held) {
		private_snoop_l1(&l1d, tag, true, &result);
		private_snoop_l1(&l1i, tag, true, &result);
		private_snoop_set(&l2, tag, true, &result);
		q->counts->snoop[at->slice][1][__builtin_ctz(result)]++;
	}
	if (is_modified(word) || result == VPMU_SNOOP_HITM)
		transfer(q, VPMU_TRK_EVICTION, q->r->clock);
}

/* False: another core may have the line, or the one that falls out. */
static HOT bool take_from_llc(const struct plain *q, const struct vpmu_llc_place *at)
{
	uint8_t me = (uint8_t)(1u << q->r->core);
	uint64_t word;
	int way = set_search(&at->set, q->tag);
	uint32_t chosen = way < 0 ? set_last(&at->set) : (uint32_t)way;

	word = set_word(&at->set, chosen);
	if (set_state(word) == VPMU_WORD_S || (set_state(word) && (at->few[chosen] & ~me)))
		return false;
	q->counts->lookup[at->slice][READS][found[way < 0 ? 0 : set_state(word)]]++;
	if (way >= 0) {
		q->r->clock += q->c->s->machine.llc_clocks;
		at->few[chosen] = me;
		set_touch(at->set.order, chosen);
		return true;
	}
	transfer(q, q->kind == VPMU_CODE ? VPMU_TRK_CODE_READ : VPMU_TRK_DATA_READ,
		 vpmu_runner_fill(q->r, q->c->s->machine.memory_clocks));
	if (set_state(word))
		evict(q, at, word, at->few[chosen] & me);
	set_insert(&at->set, q->tag | VPMU_WORD_E);
	at->few[chosen] = me;
	return true;
}

/* A modified word that leaves the core. */
static HOT void take_back(const struct plain *q, uint64_t word)
{
	uint64_t tag = set_tag(word);
	struct vpmu_llc_place at = place_of(q, tag);
	struct vpmu_l1 l1d = first_set(&q->r->l1d, tag), l1i = first_set(&q->r->l1i, tag);
	int way = set_search(&at.set, tag);

	if (way < 0) {	/* inclusion is broken: see llc.c */
		q->counts->lookup[at.slice][WRITES][found[0]]++;
		transfer(q, VPMU_TRK_EVICTION, q->r->clock);
		return;
	}
	word = set_word(&at.set, (uint32_t)way);
	q->counts->lookup[at.slice][WRITES][found[set_state(word)]]++;
	set_put(&at.set, (uint32_t)way, tag | VPMU_WORD_M);
	if (l1_search(&l1d, tag) < 0 && l1_search(&l1i, tag) < 0)
		at.few[way] &= (uint8_t)~(1u << q->r->core);
}

/* The lock that is kept holds the registers as they are. */
static HOT struct vpmu_llc_counts *counts_of(struct vpmu_segment *s, struct vpmu_runner *r)
{
	if (!r->keeps)
		return vpmu_llc_counts(s, r->package);
	if (!r->llc_counts)
		r->llc_counts = vpmu_llc_counts(s, r->package);
	return r->llc_counts;
}

static HOT bool miss(struct plain *q, const struct vpmu_llc_place *at)
{
	uint64_t spill, victim;

	q->counts = counts_of(q->c->s, q->r);
	if (!q->counts || !take_from_llc(q, at))
		return false;
	spill = set_insert(&q->l2, q->tag | VPMU_WORD_E);
	victim = fill_first(q, l1_last(&q->l1));
	victim = is_modified(victim) ? write_back(q, victim) : 0;
	if (is_modified(spill))
		take_back(q, spill);
	if (victim)
		take_back(q, victim);
	return true;
}

/* ---- with locks, or without ---- */

static HOT bool access_llc(struct plain *q, uint32_t version, bool alone)
{
	struct vpmu_llc_place at = place_ahead(q);
	struct vpmu_segment *s = q->c->s;
	bool done;

	if (alone) {
		done = miss(q, &at);
	} else {
		if (!vpmu_runner_lock(s, q->r))
			return true;
		vpmu_core_lock(q->r->own, q->r->tid);
		done = vpmu_core_unchanged(q->r->own, version) && miss(q, &at);
		vpmu_core_unlock(q->r->own);
	}
	if (done)
		vpmu_runner_publish(q->c, q->r, VPMU_PUBLISH_CLOCKS);
	vpmu_runner_unlock(s, q->r);
	return done;
}

static HOT struct plain plain_of(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag,
				 enum vpmu_touch kind)
{
	return (struct plain){
		.c = c, .r = r, .tag = tag, .kind = kind, .l2 = second_set(r, tag),
		.l1 = first_set(kind == VPMU_CODE ? &r->l1i : &r->l1d, tag),
	};
}

static HOT bool miss_alone(struct plain *q)
{
	int way = set_search(&q->l2, q->tag);

	return way < 0 ? access_llc(q, 0, true) : hit_second(q, (uint32_t)way);
}

static HOT bool access_shared(struct plain *q)
{
	uint32_t version = vpmu_core_version(q->r->own);
	int way = l1_search(&q->l1, q->tag);
	bool done;

	if (way >= 0)
		return hit_first(q, (uint32_t)way, false);
	way = set_search(&q->l2, q->tag);
	if (way < 0)
		return access_llc(q, version, false);
	vpmu_core_lock(q->r->own, q->r->tid);
	done = vpmu_core_unchanged(q->r->own, version) && hit_second(q, (uint32_t)way);
	vpmu_core_unlock(q->r->own);
	return done;
}

bool vpmu_plain_miss(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag,
		     enum vpmu_touch kind)
{
	struct plain q = plain_of(c, r, tag, kind);

	return miss_alone(&q);
}

bool vpmu_plain_access(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag,
		       enum vpmu_touch kind)
{
	struct plain q = plain_of(c, r, tag, kind);
	int way;

	if (!r->keeps)
		return access_shared(&q);
	way = l1_search(&q.l1, tag);
	return way < 0 ? vpmu_plain_miss(c, r, tag, kind) : hit_first(&q, (uint32_t)way, true);
}
