/* SPDX-License-Identifier: MIT */
/* The general path of an access through a package: private caches, LLC slices, snoops, memory.
 * vpmu_caches_access() takes the machine lock; the caller of vpmu_caches_remove() holds the
 * machine lock. A line that no word of the LLC names is in no private cache of the package.
 * plain_access.c is the same made fast for the usual case, and both have to count alike. */
#include "../thread/clock.h"
#include "contention.h"
#include "memory_controller.h"
#include "../core/cache_events.h"
#include "../profile/follower.h"
#include "llc_set.h"
#include "plain_access.h"
#include "private_access.h"
#include "../thread/machine_lock.h"
#include "../thread/turns.h"

/* A core's request, as the functions below pass it on. */
struct llc_request {
	const struct vpmu_caches *c;
	struct vpmu_runner *r;
	uint64_t tag;
	enum vpmu_touch kind;
	const struct vpmu_private *own;	/* the requester's sets of this line; only for an access */
	struct vpmu_llc_place at;
	int lender;	/* the agent that takes the line back at once; -1: none */
	bool contended;	/* no clock advances by it */
	uint32_t moves;	/* of a contended line, for the access */
};

static const enum vpmu_mesi mesi_of[] = {
	[VPMU_WORD_I] = VPMU_I, [VPMU_WORD_S] = VPMU_S, [VPMU_WORD_E] = VPMU_E,
	[VPMU_WORD_M] = VPMU_M,
};

/* Set in an LLC entry that has the line's place and its agents, but no data. The line was fetched
 * for an agent that is not behind the LLC. */
#define AWAY (1ull << 63)

static HOT bool is_away(const struct llc_request *q)
{
	return __builtin_expect(q->r->core >= q->c->layout.away_from, 0);
}

static HOT uint64_t holders(const struct vpmu_llc_place *at, uint32_t way)
{
	return vpmu_cores_of(at, way) & ~AWAY;
}

static enum vpmu_tracker read_of(const struct llc_request *q)
{
	return q->kind == VPMU_CODE ? VPMU_TRK_CODE_READ : VPMU_TRK_DATA_READ;
}

static HOT void lookup(const struct llc_request *q, const struct vpmu_llc_place *at,
		       enum vpmu_request kind, uint64_t word)
{
	if (is_away(q)) {
		enum vpmu_tracker entry = kind == VPMU_WRITE ? VPMU_TRK_WRITE : read_of(q);

		vpmu_charge(VPMU_KIND_AWAY_REQUEST_DATA_READ + entry, 1);
		vpmu_away_request(q->c->s, q->r->package, entry, q->r->clock);
		return;
	}
	vpmu_charge(vpmu_kind_lookup(kind, mesi_of[set_state(word)]), 1);
	vpmu_llc_lookup(q->c->s, q->r->package, at->slice, kind, mesi_of[set_state(word)],
			q->r->clock);
}

/* An entry of the tracker on this side of the LLC's border. */
static HOT void track(const struct llc_request *q, bool away, enum vpmu_tracker kind,
		      uint64_t start, uint32_t clocks)
{
	vpmu_charge_tracker(away, kind, 1, clocks);
	if (away)
		vpmu_away_tracker(q->c->s, q->r->package, kind, true, start, start + clocks);
	else
		vpmu_tracker(q->c->s, q->r->package, kind, true, start, start + clocks);
}

/* Another agent had the line. */
static __attribute__((noinline, cold)) void follow_snoop(const struct llc_request *q,
							 uint32_t other, uint32_t kind)
{
	vpmu_follow_snoop(&(struct vpmu_snooped_line){
		.line = q->tag & ((UINT64_C(1) << VPMU_SPACE_SHIFT) - 1),
		.package = q->r->package, .agent = q->r->core, .other = other, .kind = kind,
	});
}

/* A snoop of another agent that this slice has sent, and the answer. */
static HOT void answer(const struct llc_request *q, uint32_t slice, uint32_t other,
		       enum vpmu_snoop_cause cause, enum vpmu_snoop_result result)
{
	vpmu_charge(vpmu_kind_snoop(cause, result), 1);
	if (__builtin_expect(vpmu_following, 0) && cause == VPMU_XCORE &&
	    result != VPMU_SNOOP_MISS)
		follow_snoop(q, other, vpmu_kind_snoop(cause, result));
	vpmu_snoop(q->c->s, q->r->package, slice, cause, result, q->r->clock);
}

static HOT void write_memory(const struct llc_request *q, uint64_t tag, bool away)
{
	track(q, away, VPMU_TRK_EVICTION, q->r->clock, q->c->s->machine.write_clocks);
	vpmu_controller_access(q->c, q->r, tag, true, 1);
}

static HOT void read_memory(const struct llc_request *q)
{
	const struct vpmu_machine *m = &q->c->s->machine;
	uint64_t start = vpmu_runner_fill(q->r, q->r->memory_pace);

	track(q, is_away(q), read_of(q), start, m->memory_clocks);
	vpmu_controller_access(q->c, q->r, q->tag, false, 1);
	vpmu_cache_events_fill(q->r, q->kind, false);
}

/* Snoops one core and returns its answer. */
static HOT enum vpmu_snoop_result core_ask(const struct llc_request *q, uint32_t core, uint64_t tag,
				  bool take_out, enum vpmu_snoop_cause cause)
{
	struct vpmu_private p = vpmu_private_sets(q->c, q->r, core, tag);
	enum vpmu_snoop_result result;
	bool other = core != q->r->core, l1_lost;

	if (!other)
		q->r->inside = NULL;
	else if (take_out && vpmu_turns_spinning)
		vpmu_turns_snooped(p.core, q->r->clock);
	l1_lost = q->r->counts && vpmu_cache_events_l1_modified(&p, tag);
	result = vpmu_private_snoop(&p, tag, take_out);
	if (other && cause == VPMU_XCORE && result == VPMU_SNOOP_HITM)
		vpmu_runner_hitm(q->r);
	vpmu_cache_events_snooped(q->c, q->r, core, (struct vpmu_snooped){ cause, q->kind, result },
				  l1_lost);
	return result;
}

/* Takes the line out of all these cores. The best that one of them had. */
static HOT enum vpmu_snoop_result invalidate(const struct llc_request *q, uint32_t slice,
					     uint64_t tag, uint64_t cores,
					     enum vpmu_snoop_cause cause)
{
	enum vpmu_snoop_result best = VPMU_SNOOP_MISS;

	for (; cores; cores &= cores - 1) {
		uint32_t core = (uint32_t)__builtin_ctzll(cores);
		enum vpmu_snoop_result result = core_ask(q, core, tag, true, cause);

		answer(q, slice, core, cause, result);
		best = result > best ? result : best;
	}
	return best;
}

static HOT enum vpmu_word_state miss(const struct llc_request *q)
{
	const struct vpmu_llc_place *at = &q->at;
	uint32_t way = set_last(&at->set);
	uint64_t victim = set_word(&at->set, way);
	bool modified = false;

	lookup(q, at, VPMU_READ, 0);
	read_memory(q);
	if (set_state(victim)) {
		modified = invalidate(q, at->slice, set_tag(victim), holders(at, way),
				      VPMU_EVICTION) == VPMU_SNOOP_HITM ||
			   set_state(victim) == VPMU_WORD_M;
		if (modified)
			write_memory(q, set_tag(victim), vpmu_cores_of(at, way) & AWAY);
	}
	vpmu_cache_events_llc_miss(q->c, q->r, q->kind, victim, modified);
	vpmu_place_put(at, way, q->tag | VPMU_WORD_E, 1ull << q->r->core | (is_away(q) ? AWAY : 0));
	return VPMU_WORD_E;
}

/* The LLC has the place of the line only: the data are with the agent for which it was fetched, or
 * in memory. The LLC takes them for an agent that is behind it. */
static enum vpmu_word_state hit_away(const struct llc_request *q, uint32_t way)
{
	uint64_t me = 1ull << q->r->core, holder = holders(&q->at, way) & ~me;
	bool store = q->kind == VPMU_STORE;
	enum vpmu_snoop_result result = VPMU_SNOOP_MISS;
	enum vpmu_word_state state;

	lookup(q, &q->at, VPMU_READ, 0);
	if (holder) {
		uint32_t core = (uint32_t)__builtin_ctzll(holder);

		result = core_ask(q, core, q->tag, store, VPMU_XCORE);
		answer(q, q->at.slice, core, VPMU_XCORE, result);
	}
	if (result == VPMU_SNOOP_MISS)
		read_memory(q);
	else
		vpmu_runner_fill(q->r, q->r->llc_pace);
	state = result == VPMU_SNOOP_HITM ? VPMU_WORD_M :
		result == VPMU_SNOOP_HIT && !store ? VPMU_WORD_S : VPMU_WORD_E;
	if (!store && result != VPMU_SNOOP_MISS)
		me |= holder;
	vpmu_place_put(&q->at, way, q->tag | state, me | (is_away(q) ? AWAY : 0));
	return store || result == VPMU_SNOOP_MISS ? VPMU_WORD_E : VPMU_WORD_S;
}

/* A read of a line that one other core may have modified. Returns the state granted. */
static enum vpmu_word_state read_from_owner(const struct llc_request *q, uint32_t way,
					    uint64_t owner)
{
	uint64_t word = set_word(&q->at.set, way), me = 1ull << q->r->core;
	uint32_t core = (uint32_t)__builtin_ctzll(owner);
	enum vpmu_snoop_result result = core_ask(q, core, q->tag, false, VPMU_XCORE);

	answer(q, q->at.slice, core, VPMU_XCORE, result);
	if (result != VPMU_SNOOP_MISS)
		vpmu_cache_events_fill(q->r, q->kind, true);
	if (result == VPMU_SNOOP_MISS) {
		vpmu_place_put(&q->at, way, word, me);
		return VPMU_WORD_E;
	}
	if (result == VPMU_SNOOP_HITM || set_state(word) == VPMU_WORD_M)
		word = q->tag | VPMU_WORD_M;
	else
		word = q->tag | VPMU_WORD_S;
	vpmu_place_put(&q->at, way, word, owner | me);
	return VPMU_WORD_S;
}

/* Snoops these cores for data until one has it, and makes that line shared. */
static enum vpmu_snoop_result read_from_any(const struct llc_request *q, uint64_t cores)
{
	enum vpmu_snoop_result result = VPMU_SNOOP_MISS;

	for (; cores && result == VPMU_SNOOP_MISS; cores &= cores - 1) {
		uint32_t core = (uint32_t)__builtin_ctzll(cores);

		result = core_ask(q, core, q->tag, false, VPMU_XCORE);
		answer(q, q->at.slice, core, VPMU_XCORE, result);
	}
	return result;
}

static bool has_copy(const struct llc_request *q)
{
	return l1_find(&q->own->l1d, q->tag) >= 0 || set_find(&q->own->l2, q->tag) >= 0;
}

static HOT void wait_for_hit(const struct llc_request *q)
{
	if (!q->contended)
		vpmu_runner_fill(q->r, q->r->llc_pace);
}

/* A directory records which cores may have the line; the data is in one of them, or in memory.
 * Modified data that becomes shared is written to memory. */
static __attribute__((noinline)) enum vpmu_word_state
hit_directory(const struct llc_request *q, uint32_t way, uint64_t others)
{
	bool store = q->kind == VPMU_STORE, copy = store && has_copy(q);
	enum vpmu_snoop_result result = VPMU_SNOOP_MISS;
	uint64_t me = 1ull << q->r->core;

	if (!store)
		result = read_from_any(q, others);
	else
		result = invalidate(q, q->at.slice, q->tag, others, VPMU_XCORE);
	if (!copy && result == VPMU_SNOOP_MISS)
		read_memory(q);
	else
		wait_for_hit(q);
	if (!copy && result != VPMU_SNOOP_MISS)
		vpmu_cache_events_fill(q->r, q->kind, true);
	if (!store && result == VPMU_SNOOP_HITM)
		write_memory(q, q->tag, false);
	if (store || result == VPMU_SNOOP_MISS) {
		vpmu_place_put(&q->at, way, q->tag | VPMU_WORD_E, me);
		return VPMU_WORD_E;
	}
	vpmu_place_put(&q->at, way, q->tag | VPMU_WORD_S, others | me);
	return VPMU_WORD_S;
}

/* A snoop that changes nothing. */
static void tell_snoop(const struct llc_request *q, uint32_t core, bool modified)
{
	enum vpmu_snoop_result result = modified ? VPMU_SNOOP_HITM : VPMU_SNOOP_HIT;

	if (q->kind == VPMU_STORE && vpmu_turns_spinning)
		vpmu_turns_snooped(vpmu_caches_core(q->c, q->r->package, core), q->r->clock);
	answer(q, q->at.slice, core, VPMU_XCORE, result);
	vpmu_cache_events_snooped(q->c, q->r, core,
				  (struct vpmu_snooped){ VPMU_XCORE, q->kind, result }, modified);
}

/* A contended store, as the requester sees it: see contention.h. */
static __attribute__((noinline)) enum vpmu_word_state
borrow(struct llc_request *q, uint32_t lender, uint64_t others, enum vpmu_word_state found)
{
	q->lender = (int)lender;
	if (!q->moves)
		return VPMU_WORD_E;
	invalidate(q, q->at.slice, q->tag, others & ~(1ull << lender), VPMU_XCORE);
	tell_snoop(q, lender, found == VPMU_WORD_M);
	vpmu_runner_hitm(q->r);
	if (!q->c->layout.directory)
		vpmu_cache_events_llc_hit(q->c, q->r, q->kind, VPMU_WORD_M);
	else if (!has_copy(q))
		vpmu_cache_events_fill(q->r, q->kind, true);
	return VPMU_WORD_E;
}

/* Hands the line back to the lender, whose next access was executed before, in host order. */
static __attribute__((noinline)) void give_back(const struct llc_request *q)
{
	uint32_t lender = (uint32_t)q->lender;
	int way = set_find(&q->at.set, q->tag);
	enum vpmu_snoop_result result;

	if (q->moves > 1) {
		result = core_ask(q, q->r->core, q->tag, true, VPMU_XCORE);
		lookup(q, &q->at, VPMU_READ, VPMU_WORD_M);
		answer(q, q->at.slice, lender, VPMU_XCORE, result);
		vpmu_cache_events_taken_back(q->c, q->r, lender);
	} else {
		q->r->inside = NULL;
		vpmu_private_snoop(q->own, q->tag, true);
	}
	vpmu_contended_return(q->c, q->r, lender, q->tag);
	if (way >= 0)
		vpmu_place_put(&q->at, (uint32_t)way, q->tag | (q->c->layout.directory ?
			       VPMU_WORD_E : VPMU_WORD_M), 1ull << lender);
}

static enum vpmu_word_state hit(struct llc_request *q, uint32_t way)
{
	struct vpmu_contended k = { VPMU_WORD_I, 0 };
	uint64_t word = set_word(&q->at.set, way), me = 1ull << q->r->core;
	uint64_t others = vpmu_cores_of(&q->at, way) & ~me;
	uint32_t state = set_state(word);
	int by;

	if (__builtin_expect(others >= AWAY, 0))
		return hit_away(q, way);
	by = others ? vpmu_contended_by(q->c, q->r, q->tag, q->kind, others, &k) : -1;
	q->contended = by >= 0;
	q->moves = k.moves;
	if (by < 0 || k.moves)
		lookup(q, &q->at, VPMU_READ, word);
	if (by >= 0 && q->kind == VPMU_STORE)
		return borrow(q, (uint32_t)by, others, k.found);
	if (by >= 0 && k.found != VPMU_WORD_M)
		tell_snoop(q, (uint32_t)by, true);
	if (q->c->layout.directory)
		return hit_directory(q, way, others);
	wait_for_hit(q);
	vpmu_cache_events_llc_hit(q->c, q->r, q->kind, (enum vpmu_word_state)state);
	if (q->kind == VPMU_STORE) {
		bool modified = invalidate(q, q->at.slice, q->tag, others, VPMU_XCORE) ==
				VPMU_SNOOP_HITM;

		state = modified || state == VPMU_WORD_M ? VPMU_WORD_M : VPMU_WORD_E;
		vpmu_place_put(&q->at, way, q->tag | state, me);
		return VPMU_WORD_E;
	}
	if (state != VPMU_WORD_S && others && vpmu_cores_of(&q->at, way) == others &&
	    (others & (others - 1)) == 0)
		return read_from_owner(q, way, others);
	vpmu_place_put(&q->at, way, word, others | me);
	return others || state == VPMU_WORD_S ? VPMU_WORD_S : VPMU_WORD_E;
}

/* A dirty word that leaves the requester's core. Inclusion says that the LLC has the line; a
 * process killed in the middle of an update can break that, and then memory takes the data. */
static HOT void llc_take_back(const struct llc_request *q, uint64_t word)
{
	uint64_t tag = set_tag(word);
	struct vpmu_llc_place at = vpmu_llc_place_of(q->c, q->r->package, tag);
	int way = set_find(&at.set, tag);
	struct vpmu_private p;
	bool alone;	/* the LLC does not take it */

	lookup(q, &at, VPMU_WRITE, way < 0 ? 0 : set_word(&at.set, (uint32_t)way));
	alone = way < 0 || q->c->layout.directory || (vpmu_cores_of(&at, (uint32_t)way) & AWAY);
	if (alone)
		write_memory(q, tag, is_away(q));
	if (way < 0)
		return;
	if (!alone)
		set_put(&at.set, (uint32_t)way, tag | VPMU_WORD_M);
	p = vpmu_private_sets(q->c, q->r, q->r->core, tag);
	/* The last private level has just lost it; the L1s may have kept it. */
	if (l1_find(&p.l1d, tag) < 0 && l1_find(&p.l1i, tag) < 0 &&
	    !(vpmu_is_cluster(&p) && vpmu_cluster_has(&p, tag)))
		vpmu_put_cores(&at, (uint32_t)way,
			  vpmu_cores_of(&at, (uint32_t)way) & ~(1ull << q->r->core));
}

/* Snoops the cluster's other cores. A line in one of their L1s is stored in the L2, so the LLC need
 * not send it. */
static void ask_cluster(const struct llc_request *q, struct vpmu_private *p)
{
	bool done;
	uint64_t word = vpmu_cluster_ask(p, q->tag, q->kind == VPMU_STORE, true, &done);

	if (word)
		llc_take_back(q, word);
}

static HOT void access_llc(struct llc_request *q, struct vpmu_private *p)
{
	uint64_t spill[2] = { 0, 0 };

	if (vpmu_is_cluster(p))
		ask_cluster(q, p);
	if (!p->refused || !vpmu_private_access(p, q->tag, q->kind, &spill[0])) {
		int way = set_find(&q->at.set, q->tag);
		enum vpmu_word_state grant = way < 0 ? miss(q) : hit(q, (uint32_t)way);

		vpmu_private_fill(p, q->tag, q->kind, grant, spill);
		if (!q->contended)
			vpmu_contended_owns(q->r, q->tag);
	}
	for (int i = 0; i < 2; i++)
		if (spill[i])
			llc_take_back(q, spill[i]);
	if (__builtin_expect(q->lender >= 0, 0))
		give_back(q);
}

static bool access_cluster(const struct llc_request *q, struct vpmu_private *p)
{
	bool done;

	vpmu_cluster_ask(p, q->tag, q->kind == VPMU_STORE, false, &done);
	done = done && vpmu_private_access(p, q->tag, q->kind, NULL);
	if (done)
		vpmu_runner_second(q->r);
	p->refused = true;
	return done;
}

static HOT bool access_private(const struct llc_request *q, struct vpmu_private *p)
{
	bool done = vpmu_private_hit(p, q->tag, q->kind);

	if (done)
		return done;
	q->r->misses++;
	vpmu_runner_lock(q->c->s, q->r);
	if (vpmu_is_cluster(p))
		return access_cluster(q, p);
	p->l2_way = set_find(&p->l2, q->tag);
	if (p->l2_way < 0)
		return false;
	done = vpmu_private_access(p, q->tag, q->kind, NULL);
	if (done)
		vpmu_runner_second(q->r);
	p->refused = true;
	return done;
}

static HOT void access_package(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag,
			       enum vpmu_touch kind, uint32_t *counts, bool skips_l1)
{
	struct vpmu_private p = vpmu_private_sets(c, r, r->core, tag);
	struct llc_request q = {
		.c = c, .r = r, .tag = tag, .kind = kind, .own = &p, .lender = -1,
	};

	p.counts = counts;
	p.skips_l1 = skips_l1;
	if (counts)
		vpmu_cache_events_access(&p, r, tag, kind);
	if (access_private(&q, &p))
		return;
	q.at = vpmu_llc_place_of(c, r->package, tag);
	vpmu_prefetch(c, &q.at);
	vpmu_prefetch_ahead(c, r, tag);
	access_llc(&q, &p);
	vpmu_runner_publish(c, r, VPMU_PUBLISH_CLOCKS);
	vpmu_runner_let_others(c->s, r);
}

uint32_t vpmu_caches_slice(const struct vpmu_caches *c, uint64_t tag, uint32_t *set)
{
	return vpmu_slice_of(&c->layout, tag, set);
}

void vpmu_caches_access(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag,
			enum vpmu_touch kind)
{
	if (!r->counts)
		access_package(c, r, tag, kind, NULL, false);
	else
		access_package(c, r, tag, kind, r->counts, false);
}

void vpmu_caches_prefetch(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag,
			  bool to_l1)
{
	access_package(c, r, tag, VPMU_LOAD, r->counts, !to_l1);
}

bool vpmu_caches_remove(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag)
{
	struct llc_request q = {
		.c = c, .r = r, .tag = tag, .at = vpmu_llc_place_of(c, r->package, tag),
	};
	int way = set_find(&q.at.set, tag);
	uint64_t me = 1ull << r->core;
	bool dirty;

	if (way < 0)
		return false;
	dirty = set_state(set_word(&q.at.set, (uint32_t)way)) == VPMU_WORD_M;
	if (vpmu_cores_of(&q.at, (uint32_t)way) & me)
		dirty |= core_ask(&q, r->core, tag, true, VPMU_EVICTION) == VPMU_SNOOP_HITM;
	dirty |= invalidate(&q, q.at.slice, tag, holders(&q.at, (uint32_t)way) & ~me, VPMU_XCORE) ==
		 VPMU_SNOOP_HITM;
	set_remove(&q.at.set, (uint32_t)way);
	return dirty;
}
