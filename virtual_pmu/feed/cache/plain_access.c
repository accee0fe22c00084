/* SPDX-License-Identifier: MIT */
/* The fast path of an access: the core has an L2 of its own, and no other core has the line.
 * vpmu_plain_miss() is the entry point. It returns false, with nothing changed, where llc.c has to
 * do the access in general; both have to count alike. An access is one function without calls,
 * except in rare cases. */
#include "plain_access.h"

#include <string.h>

#include "../thread/clock.h"
#include "contention.h"
#include "memory_controller.h"
#include "other_cores.h"
#include "plain_sets.h"
#include "private_access.h"
#include "../thread/machine_lock.h"

#define COLD __attribute__((noinline, cold))
#define WHOLE __attribute__((flatten))
#define NOINLINE __attribute__((noinline))
#define unlikely(x) __builtin_expect(!!(x), 0)

enum { READS, WRITES };

static HOT bool is_modified(uint64_t word)
{
	return set_state(word) == VPMU_WORD_M;
}

/* ---- the core's own caches ---- */

/* Returns what falls out of the L1. */
static HOT uint64_t fill_first(const struct plain *q, uint32_t way)
{
	q->r->filled = &q->l1.ways[way];
	return l1_fill(&q->l1, way, q->word, set_print(q->tag), &q->r->uses);
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
	} else if (is_modified(victim)) {
		write_back(q, victim);
	}
	vpmu_runner_second(q->r);
	return true;
}

/* ---- the LLC ---- */

static COLD void tell_transfer(const struct vpmu_caches *c, const struct vpmu_runner *r,
			       uint64_t tag, enum vpmu_tracker kind, uint64_t start, uint64_t end)
{
	vpmu_tracker(c->s, r->package, kind, true, start, end);
	vpmu_controller_access(c, r, tag, kind == VPMU_TRK_EVICTION, 1);
}

static HOT void transfer(const struct plain *q, uint64_t tag, enum vpmu_tracker kind,
			 uint64_t start, uint32_t clocks)
{
	vpmu_charge_tracker(false, kind, 1, clocks);
	if (!vpmu_bulk_transfer(&q->r->bulk, kind, start, start + clocks))
		tell_transfer(q->c, q->r, tag, kind, start, start + clocks);
	else
		vpmu_charge_dram(VPMU_KIND_DRAM_REQUESTS, 1, kind == VPMU_TRK_EVICTION);
}

static HOT void write_memory(const struct plain *q, uint64_t tag)
{
	transfer(q, tag, VPMU_TRK_EVICTION, q->r->clock, q->r->write_clocks);
}

/* Bits of these counts are M, E, S, I: the states of words, from the last to the first. */
static HOT void count_lookup(const struct plain *q, const struct vpmu_llc_place *at,
			     uint32_t request, enum vpmu_word_state state)
{
	vpmu_charge(request * 4 + VPMU_KIND_LOOKUP_READ_M + (VPMU_WORD_M - state), 1);
	if (q->ways.counted)
		q->r->bulk.llc->lookup[at->slice][request][VPMU_WORD_M - state]++;
}

static COLD enum vpmu_snoop_result take_out(const struct vpmu_caches *c, struct vpmu_runner *r,
					    uint64_t tag)
{
	struct vpmu_private own = vpmu_private_sets(c, r, r->core, tag);

	r->inside = NULL;
	return vpmu_private_snoop(&own, tag, true);
}

/* Takes the line out of the core's own caches, if it is there. */
static HOT enum vpmu_snoop_result snoop(const struct plain *q, uint64_t tag)
{
	struct vpmu_set l2 = second_set(q, tag);
	uint32_t candidates = first_candidates(q, tag) | set_candidates(l2.order, l2.ways, tag);

	return candidates ? take_out(q->c, q->r, tag) : VPMU_SNOOP_MISS;
}

static HOT void count_evictions(const struct plain *q, const struct vpmu_llc_place *at,
				enum vpmu_snoop_result result, uint32_t n)
{
	vpmu_charge(vpmu_kind_snoop(VPMU_EVICTION, result), n);
	if (q->ways.counted)
		q->r->bulk.llc->snoop[at->slice][1][__builtin_ctz(result)] += n;
}

/* Evicts the line from the LLC and from the core. Agents in `others` may have had it, but do not
 * have it now. */
static HOT void evict(const struct plain *q, const struct vpmu_llc_place *at, uint64_t word,
		      uint64_t agents, uint64_t others)
{
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
static HOT bool concerns_others(uint64_t word, uint64_t others)
{
	return (others && set_state(word)) || set_state(word) == VPMU_WORD_S;
}

static HOT bool hit_llc(const struct plain *q, const struct vpmu_llc_place *at, uint32_t way)
{
	uint64_t word = set_word(&at->set, way), me = q->r->me;

	if (concerns_others(word, vpmu_cores_of(at, way) & ~me))
		return false;
	count_lookup(q, at, READS, set_state(word));
	vpmu_runner_fill(q->r, q->r->llc_pace);
	vpmu_put_cores(at, way, me);
	set_touch(at->set.order, way);
	return true;
}

/* Cold, so that what the usual case needs later stays in registers. */
static COLD bool others_lack(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t others,
			     uint64_t tag)
{
	return vpmu_others_lack(c, r, others, tag);
}

static HOT bool fill_llc(const struct plain *q, const struct vpmu_llc_place *at)
{
	uint64_t order = set_order(&at->set), me = q->r->me;
	uint32_t way = order_last(order, at->set.ways);
	uint64_t victim = set_word(&at->set, way), agents = vpmu_cores_of(at, way);
	uint64_t others = agents & ~me;
	uint32_t clocks;

	if (unlikely(concerns_others(victim, others)) &&
	    !others_lack(q->c, q->r, others, set_tag(victim)))
		return false;
	set_replace(&at->set, order, q->tag | VPMU_WORD_E);
	vpmu_put_cores(at, way, me);
	count_lookup(q, at, READS, VPMU_WORD_I);
	clocks = q->r->memory_pace.latency;
	transfer(q, q->tag, VPMU_TRK_DATA_READ, vpmu_runner_fill(q->r, q->r->memory_pace), clocks);
	if (set_state(victim))
		evict(q, at, victim, agents, others);
	return true;
}

/* False: another core may have the line, or the line that would be evicted. */
static HOT bool take_from_llc(const struct plain *q, const struct vpmu_llc_place *at)
{
	int way = set_search(&at->set, q->tag);

	return way < 0 ? fill_llc(q, at) : hit_llc(q, at, (uint32_t)way);
}

/* A modified word that leaves the core. */
static HOT void plain_take_back(const struct plain *q, uint64_t word,
				const struct vpmu_llc_place *at)
{
	uint64_t tag = set_tag(word);
	int way = set_search(&at->set, tag);

	if (way < 0) {	/* inclusion is broken: see llc.c */
		count_lookup(q, at, WRITES, VPMU_WORD_I);
		write_memory(q, tag);
		return;
	}
	word = set_word(&at->set, (uint32_t)way);
	count_lookup(q, at, WRITES, set_state(word));
	set_put(&at->set, (uint32_t)way, tag | VPMU_WORD_M);
	if (!first_candidates(q, tag) || !first_has(q, tag))
		vpmu_put_cores(at, (uint32_t)way,
			       vpmu_cores_of(at, (uint32_t)way) & ~q->r->me);
}

static HOT void take_back_to(const struct plain *q, uint64_t word, struct vpmu_ahead back)
{
	struct vpmu_llc_place at = place_at(q, back);

	plain_take_back(q, word, &at);
}

/* The word that the L2 will lose for the line, unless the LLC takes another one from it. If it goes
 * to the LLC, the host fetches its set there meanwhile. */
static HOT uint64_t next_spill(const struct plain *q, struct vpmu_ahead *back)
{
	uint64_t word = set_word(&q->l2, set_last(&q->l2));

	if (is_modified(word)) {
		*back = place_of(q, set_tag(word));
		prefetch(*back);
	}
	return word;
}

/* These are seldom needed; by value, so that requests need not lie in memory for them. */
static NOINLINE void take_back_other(const struct vpmu_caches *c, struct vpmu_runner *r,
				     uint64_t word)
{
	struct plain q = plain_of(c, r, word, ways_of(r, &c->layout));

	take_back_to(&q, word, place_of(&q, q.tag));
}

static HOT bool miss(struct plain *q, const struct vpmu_llc_place *at)
{
	struct vpmu_ahead back = { NULL, 0 };
	uint64_t next = next_spill(q, &back), spill, victim;

	if (*q->r->bulk.precise || !take_from_llc(q, at))
		return false;
	spill = set_insert(&q->l2, q->tag | VPMU_WORD_E);
	victim = fill_first(q, l1_last(&q->l1));
	vpmu_contended_owns(q->r, q->tag);
	victim = is_modified(victim) ? write_back(q, victim) : 0;
	if (is_modified(spill) && spill == next)
		take_back_to(q, spill, back);
	else if (unlikely(is_modified(spill)))
		take_back_other(q->c, q->r, spill);
	if (unlikely(victim))
		take_back_other(q->c, q->r, victim);
	return true;
}

/* Not marked cold: otherwise the compiler treats the code behind the calls as cold, too. */
static NOINLINE void plain_publish(const struct vpmu_caches *c, struct vpmu_runner *r)
{
	vpmu_runner_publish(c, r, VPMU_PUBLISH_CLOCKS);
}

static NOINLINE void plain_let_others(struct vpmu_segment *s, struct vpmu_runner *r)
{
	vpmu_runner_let_others(s, r);
}

/* No other thread reads the runner's clock before that is published, as by
 * vpmu_runner_publish(). */
static HOT bool plain_access_llc(struct plain *q)
{
	struct vpmu_llc_place at = place_ahead(q);

	if (!miss(q, &at))
		return false;
	q->r->published = q->r->clock;
	if (unlikely(vpmu_runner_number_is_due(q->r) || vpmu_retired_is_due(q->r)))
		plain_publish(q->c, q->r);
	if (vpmu_runner_is_asked(q->c->s, q->r))
		plain_let_others(q->c->s, q->r);
	return true;
}

static HOT bool plain_miss(struct plain q)
{
	int way = set_search(&q.l2, q.tag);

	q.r->misses++;
	vpmu_runner_lock(q.c->s, q.r);
	return way < 0 ? plain_access_llc(&q) : hit_second(&q, (uint32_t)way);
}

bool vpmu_plain_usual(const struct vpmu_caches *c, const struct vpmu_runner *r)
{
	struct ways ways = ways_of(r, &c->layout);

	return !memcmp(&ways, &USUAL_WAYS, sizeof(ways));
}

/* Separate functions, so that each is compiled for one shape of the caches. */
static WHOLE NOINLINE bool miss_of_any(const struct vpmu_caches *c, struct vpmu_runner *r,
				       uint64_t word)
{
	return plain_miss(plain_of(c, r, word, ways_of(r, &c->layout)));
}

static WHOLE NOINLINE bool miss_of_usual(const struct vpmu_caches *c, struct vpmu_runner *r,
					 uint64_t word)
{
	return plain_miss(plain_of(c, r, word, USUAL_WAYS));
}

bool vpmu_plain_miss(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t word)
{
	return r->usual ? miss_of_usual(c, r, word) : miss_of_any(c, r, word);
}
