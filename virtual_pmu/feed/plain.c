/* SPDX-License-Identifier: MIT */
/* What llc.c and private_access.h do in general, made short for a core with an L2 of its own whose
 * line no other core has. A whole access is one function without calls, but for what is rare. */
#include "plain.h"

#include <string.h>

#include "clock.h"
#include "home.h"
#include "others.h"
#include "place.h"
#include "private_access.h"
#include "waiting.h"

#define COLD __attribute__((noinline, cold))
#define WHOLE __attribute__((flatten))

/* What follows is compiled for caches with these ways, which then are constants, and an LLC of a
 * power of two of slices and sets and with few agents; and for any. */
struct ways { uint32_t l1d, l1i, l2, llc, powers, few; };

#define USUAL_WAYS ((struct ways){ 8, 8, 4, 16, 1, 1 })

struct plain {
	const struct vpmu_caches *c;
	struct vpmu_runner *r;
	uint64_t tag;
	enum vpmu_touch kind;
	struct ways ways;
	struct vpmu_l1 l1;
	struct vpmu_set l2;
};

/* Bits of the counts, by state of the LLC's word. */
static const uint8_t found[] = { [VPMU_WORD_I] = 3, [VPMU_WORD_S] = 2, [VPMU_WORD_E] = 1,
				 [VPMU_WORD_M] = 0 };
enum { READS, WRITES };

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
	return first_set(&q->r->l1i, tag, q->ways.l1i);
}

static HOT struct vpmu_set second_set(const struct plain *q, uint64_t tag)
{
	const struct vpmu_fast *f = &q->r->l2;
	unsigned char *at = f->sets +
			    (vpmu_placed_line(tag) & f->level.mask) * vpmu_set_bytes(q->ways.l2);

	return (struct vpmu_set){ (uint64_t *)(void *)at,
				  (uint64_t *)(void *)(at + VPMU_SET_HEAD_BYTES), q->ways.l2 };
}

static HOT struct vpmu_llc_place place_at(const struct plain *q, unsigned char *set,
					  uint32_t slice)
{
	uint64_t *words = (uint64_t *)(void *)(set + VPMU_LLC_HEAD_BYTES);

	return (struct vpmu_llc_place){
		.set = { (uint64_t *)(void *)set, words, q->ways.llc }, .slice = slice,
		.few = q->ways.few ? set + VPMU_LLC_FEW_AT : NULL, .many = words + q->ways.llc,
	};
}

static struct ways ways_of(const struct vpmu_runner *r, const struct vpmu_layout *l)
{
	return (struct ways){ r->l1d.level.ways, r->l1i.level.ways, r->l2.level.ways, l->llc.ways,
			      l->llc.mask && l->slice_shift < 32, l->few };
}

static HOT struct plain plain_of(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag,
				 enum vpmu_touch kind, struct ways ways)
{
	struct plain q = { .c = c, .r = r, .tag = tag, .kind = kind, .ways = ways };

	q.l1 = kind == VPMU_CODE ? code_set(&q, tag) : data_set(&q, tag);
	q.l2 = second_set(&q, tag);
	return q;
}

/* As vpmu_llc_place_of. */
static HOT struct vpmu_llc_place place_of(const struct plain *q, uint64_t tag)
{
	const struct vpmu_layout *l = &q->c->layout;
	uint32_t index, slice;
	uint64_t set;

	if (q->ways.powers && (l->slice_shift >= 32 || !l->llc.mask))
		__builtin_unreachable();
	slice = vpmu_slice_of(l, tag, &index);
	set = slice * (uint64_t)l->llc.sets + index;
	return place_at(q, q->r->llc + set * vpmu_llc_set_bytes(q->ways.llc, q->ways.few), slice);
}

/* Of the line behind that at this place: mostly the same set of the next slice, where slices are a
 * power of two. */
static HOT struct vpmu_llc_place place_behind(const struct plain *q,
					      const struct vpmu_llc_place *at)
{
	uint32_t last = q->c->layout.slices - 1, slice = (at->slice + 1) & last;
	uint64_t tag = q->tag + VPMU_LINE_BYTES;
	unsigned char *set = (unsigned char *)at->set.order;

	if (!q->ways.powers || (vpmu_placed_line(tag) & last) == 0)
		return place_of(q, tag);
	set += ((int64_t)slice - at->slice) * (int64_t)q->r->slice_bytes;
	return place_at(q, set, slice);
}

/* With few agents a set has at most so many lines of the host; which others there are is a matter
 * of the way. */
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
		next = place_behind(q, &at);
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
	struct vpmu_set l2 = second_set(q, word);
	int way = set_search(&l2, set_tag(word));
	uint64_t victim;

	if (way >= 0) {
		set_put(&l2, (uint32_t)way, word);
		return 0;
	}
	victim = set_insert(&l2, word);
	return is_modified(victim) ? victim : 0;
}

/* Which L1 line falls out is hard to foretell, so its line in the L2 is searched in any case. */
static HOT bool hit_second(const struct plain *q, uint32_t way)
{
	enum vpmu_word_state state = set_state(set_word(&q->l2, way));
	uint32_t last = l1_last(&q->l1);
	uint64_t victim = l1_word(&q->l1, last), below;
	struct vpmu_set l2 = second_set(q, victim);
	int place = set_search(&l2, set_tag(victim));

	if (state == VPMU_WORD_S)
		return false;
	set_touch(q->l2.order, way);
	if (place < 0 && is_modified(victim) && is_modified(set_word(&l2, set_last(&l2))))
		return false;	/* the core would lose that line */
	victim = fill_first(q, last);
	if (place >= 0) {
		below = set_word(&l2, (uint32_t)place);
		set_put(&l2, (uint32_t)place, is_modified(victim) ? victim : below);
	} else if (is_modified(victim)) {	/* another thread's store may just have come */
		write_back(q, victim);
	}
	return true;
}

/* ---- the LLC ---- */

static COLD void tell_transfer(const struct vpmu_caches *c, const struct vpmu_runner *r,
			       uint64_t tag, enum vpmu_tracker kind, uint64_t start, uint64_t end)
{
	vpmu_tracker(c->s, r->package, kind, true, start, end);
	vpmu_home_access(c, r, tag, kind == VPMU_TRK_EVICTION, 1);
}

static HOT void transfer(const struct plain *q, uint64_t tag, enum vpmu_tracker kind,
			 uint64_t start, uint32_t clocks)
{
	if (!vpmu_bulk_transfer(&q->r->bulk, kind, start, start + clocks))
		tell_transfer(q->c, q->r, tag, kind, start, start + clocks);
}

static HOT void write_memory(const struct plain *q, uint64_t tag)
{
	transfer(q, tag, VPMU_TRK_EVICTION, q->r->clock, q->c->s->machine.write_clocks);
}

static HOT void count_lookup(const struct plain *q, const struct vpmu_llc_place *at,
			     uint32_t request, enum vpmu_word_state state)
{
	if (q->r->bulk.llc)
		q->r->bulk.llc->lookup[at->slice][request][found[state]]++;
}

static COLD enum vpmu_snoop_result take_out(const struct vpmu_caches *c, struct vpmu_runner *r,
					    uint64_t tag)
{
	struct vpmu_private own = vpmu_private_sets(c, r, r->core, tag);

	return vpmu_private_snoop(&own, tag, true);
}

/* The core gives up the line, which it may have. */
static HOT enum vpmu_snoop_result snoop(const struct plain *q, uint64_t tag)
{
	struct vpmu_l1 l1d = data_set(q, tag), l1i = code_set(q, tag);
	struct vpmu_set l2 = second_set(q, tag);
	uint32_t candidates = set_candidates(l1d.head, l1d.count, tag) |
			      set_candidates(l1i.head, l1i.count, tag) |
			      set_candidates(l2.order, l2.ways, tag);

	return candidates ? take_out(q->c, q->r, tag) : VPMU_SNOOP_MISS;
}

static HOT void count_evictions(const struct plain *q, const struct vpmu_llc_place *at,
				enum vpmu_snoop_result result, uint32_t n)
{
	if (q->r->bulk.llc)
		q->r->bulk.llc->snoop[at->slice][1][__builtin_ctz(result)] += n;
}

/* The LLC gives the line up, and the core with it. Other agents may have had it, but have not. */
static HOT void evict(const struct plain *q, const struct vpmu_llc_place *at, uint64_t word,
		      uint64_t agents)
{
	uint64_t others = agents & ~(1ull << q->r->core);
	enum vpmu_snoop_result result = VPMU_SNOOP_MISS;

	if (agents != others) {
		result = snoop(q, set_tag(word));
		count_evictions(q, at, result, 1);
	}
	if (others)
		count_evictions(q, at, VPMU_SNOOP_MISS, (uint32_t)__builtin_popcountll(others));
	if (is_modified(word) || result == VPMU_SNOOP_HITM)
		write_memory(q, set_tag(word));
}

/* May another core have the line of this word? */
static HOT bool concerns_others(uint64_t word, uint64_t agents, uint64_t me)
{
	return set_state(word) == VPMU_WORD_S || (set_state(word) && (agents & ~me));
}

static HOT bool hit_llc(const struct plain *q, const struct vpmu_llc_place *at, uint32_t way)
{
	uint64_t word = set_word(&at->set, way), me = 1ull << q->r->core;

	if (concerns_others(word, vpmu_cores_of(at, way), me))
		return false;
	count_lookup(q, at, READS, set_state(word));
	q->r->clock += q->c->s->machine.llc_clocks;
	vpmu_put_cores(at, way, me);
	set_touch(at->set.order, way);
	return true;
}

static HOT bool fill_llc(const struct plain *q, const struct vpmu_llc_place *at)
{
	uint32_t clocks = q->c->s->machine.memory_clocks;
	uint64_t order = set_order(&at->set), me = 1ull << q->r->core;
	uint32_t way = order_last(order, at->set.ways);
	uint64_t victim = set_word(&at->set, way), agents = vpmu_cores_of(at, way);

	if (concerns_others(victim, agents, me) &&
	    !vpmu_others_lack(q->c, q->r, agents & ~me, set_tag(victim)))
		return false;
	set_replace(&at->set, order, q->tag | VPMU_WORD_E);
	vpmu_put_cores(at, way, me);
	count_lookup(q, at, READS, VPMU_WORD_I);
	transfer(q, q->tag, q->kind == VPMU_CODE ? VPMU_TRK_CODE_READ : VPMU_TRK_DATA_READ,
		 vpmu_runner_fill(q->r, clocks), clocks);
	if (set_state(victim))
		evict(q, at, victim, agents);
	return true;
}

/* False: another core may have the line, or the one that falls out. */
static HOT bool take_from_llc(const struct plain *q, const struct vpmu_llc_place *at)
{
	int way = set_search(&at->set, q->tag);

	return way < 0 ? fill_llc(q, at) : hit_llc(q, at, (uint32_t)way);
}

/* A modified word that leaves the core. */
static HOT void take_back(const struct plain *q, uint64_t word, const struct vpmu_llc_place *at)
{
	uint64_t tag = set_tag(word);
	struct vpmu_l1 l1d = data_set(q, tag), l1i = code_set(q, tag);
	int way = set_search(&at->set, tag);

	if (way < 0) {	/* inclusion is broken: see llc.c */
		count_lookup(q, at, WRITES, VPMU_WORD_I);
		write_memory(q, tag);
		return;
	}
	word = set_word(&at->set, (uint32_t)way);
	count_lookup(q, at, WRITES, set_state(word));
	set_put(&at->set, (uint32_t)way, tag | VPMU_WORD_M);
	if (l1_search(&l1d, tag) < 0 && l1_search(&l1i, tag) < 0)
		vpmu_put_cores(at, (uint32_t)way,
			       vpmu_cores_of(at, (uint32_t)way) & ~(1ull << q->r->core));
}

/* The word that the L2 will lose for the line, unless the LLC takes another one from it. If it goes
 * to the LLC, the host fetches its set there meanwhile. */
static HOT uint64_t next_spill(const struct plain *q, struct vpmu_llc_place *at)
{
	uint64_t word = set_word(&q->l2, set_last(&q->l2));

	if (is_modified(word)) {
		*at = place_of(q, set_tag(word));
		prefetch(at);
	}
	return word;
}

/* These are seldom needed; by value, so that requests need not lie in memory for them. */
static COLD void take_back_other(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t word)
{
	struct plain q = plain_of(c, r, set_tag(word), VPMU_STORE, ways_of(r, &c->layout));
	struct vpmu_llc_place at = place_of(&q, q.tag);

	take_back(&q, word, &at);
}

static HOT bool miss(struct plain *q, const struct vpmu_llc_place *at)
{
	struct vpmu_llc_place back = *at;
	uint64_t next = next_spill(q, &back), spill, victim;

	if (*q->r->bulk.precise || !take_from_llc(q, at))
		return false;
	spill = set_insert(&q->l2, q->tag | VPMU_WORD_E);
	victim = fill_first(q, l1_last(&q->l1));
	victim = is_modified(victim) ? write_back(q, victim) : 0;
	if (is_modified(spill) && spill == next)
		take_back(q, spill, &back);
	else if (is_modified(spill))
		take_back_other(q->c, q->r, spill);
	if (victim)
		take_back_other(q->c, q->r, victim);
	return true;
}

/* ---- with locks, or without ---- */

static COLD void let_go(struct vpmu_segment *s, struct vpmu_runner *r)
{
	vpmu_runner_share(s, r);
}

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
		vpmu_core_lock(q->r->own, q->r);
		done = vpmu_core_unchanged(q->r->own, version) && miss(q, &at);
		vpmu_core_unlock(q->r->own);
	}
	if (done)
		vpmu_runner_publish(q->c, q->r, VPMU_PUBLISH_CLOCKS);
	if (!alone)
		vpmu_runner_unlock(s, q->r);
	else if (vpmu_keeping_ends(s, q->r))
		let_go(s, q->r);
	return done;
}

static HOT bool miss_alone(struct plain q)
{
	int way = set_search(&q.l2, q.tag);

	return way < 0 ? access_llc(&q, 0, true) : hit_second(&q, (uint32_t)way);
}

static HOT bool miss_among(struct plain q, uint32_t version)
{
	int way = set_search(&q.l2, q.tag);
	bool done;

	if (way < 0)
		return access_llc(&q, version, false);
	vpmu_core_lock(q.r->own, q.r);
	done = vpmu_core_unchanged(q.r->own, version) && hit_second(&q, (uint32_t)way);
	vpmu_core_unlock(q.r->own);
	return done;
}

bool vpmu_plain_usual(const struct vpmu_caches *c, const struct vpmu_runner *r)
{
	struct ways ways = ways_of(r, &c->layout);

	return !memcmp(&ways, &USUAL_WAYS, sizeof(ways));
}

WHOLE bool vpmu_plain_miss(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag,
			   enum vpmu_touch kind)
{
	return r->usual ? miss_alone(plain_of(c, r, tag, kind, USUAL_WAYS)) :
			  miss_alone(plain_of(c, r, tag, kind, ways_of(r, &c->layout)));
}

WHOLE bool vpmu_plain_miss_among(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag,
				 enum vpmu_touch kind, uint32_t version)
{
	return r->usual ? miss_among(plain_of(c, r, tag, kind, USUAL_WAYS), version) :
			  miss_among(plain_of(c, r, tag, kind, ways_of(r, &c->layout)), version);
}

bool vpmu_plain_access(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag,
		       enum vpmu_touch kind)
{
	uint32_t version = vpmu_core_version(r->own);
	struct plain q = plain_of(c, r, tag, kind, ways_of(r, &c->layout));
	int way = l1_search(&q.l1, tag);

	if (way >= 0)
		return hit_first(&q, (uint32_t)way, r->keeps);
	return r->keeps ? vpmu_plain_miss(c, r, tag, kind) :
			  vpmu_plain_miss_among(c, r, tag, kind, version);
}
