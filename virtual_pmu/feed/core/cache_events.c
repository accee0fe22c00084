/* SPDX-License-Identifier: MIT */
/* Adds what the caches did to a thread's core event counts. llc.c calls these while r->counts is
 * set; cache_events.h has the rules. The caller holds the machine lock, but for
 * vpmu_cache_events_access(), which only reads the core's caches. Snoops and lines taken back count
 * for another core and go to the model at once. Everything else stays in r->counts until the
 * thread's report. */
#include "cache_events.h"

#include "../profile/count.h"

static enum vpmu_core_event l1_miss(enum vpmu_touch kind)
{
	static const enum vpmu_core_event events[] = {
		[VPMU_LOAD] = VPMU_L1D_READ_MISSES, [VPMU_STORE] = VPMU_L1D_WRITE_MISSES,
		[VPMU_CODE] = VPMU_CODE_MISSES,
	};

	return events[kind];
}

/* A request to the level behind, and what it found there. */
static enum vpmu_core_event behind(enum vpmu_touch kind, enum vpmu_word_state found)
{
	static const enum vpmu_core_event events[3][4] = {
		[VPMU_LOAD] = { VPMU_L2_READ_MISS, VPMU_L2_READ_HIT_S, VPMU_L2_READ_HIT_E,
				VPMU_L2_READ_HIT_M },
		[VPMU_STORE] = { VPMU_L2_WRITE_MISS, VPMU_L2_WRITE_HIT_S, VPMU_L2_WRITE_HIT_E,
				 VPMU_L2_WRITE_HIT_M },
		[VPMU_CODE] = { VPMU_L2_CODE_MISS, VPMU_L2_CODE_HIT, VPMU_L2_CODE_HIT,
				VPMU_L2_CODE_HIT },
	};

	return events[kind][found];
}

/* The L2 will take the line in, and lose its last one. */
static void fill_l2(const struct vpmu_private *p, uint32_t *counts)
{
	enum vpmu_word_state lost = set_state(set_word(&p->l2, set_last(&p->l2)));

	vpmu_count(counts, VPMU_L2_LINES_IN, 1);
	vpmu_count(counts, VPMU_L2_LINES_OUT, lost != VPMU_WORD_I);
	vpmu_count(counts, VPMU_L2_LINES_OUT_M, lost == VPMU_WORD_M);
}

void vpmu_cache_events_access(const struct vpmu_private *p, const struct vpmu_runner *r,
			      uint64_t tag, enum vpmu_touch kind)
{
	const struct vpmu_l1 *l1 = kind == VPMU_CODE ? &p->l1i : &p->l1d;
	int way = l1_find(l1, tag);

	if (way < 0)
		vpmu_count(r->counts, l1_miss(kind), 1);
	else if (kind != VPMU_STORE || set_state(l1_word(l1, (uint32_t)way)) != VPMU_WORD_S)
		return;
	if (!p->l2.words)
		return;
	way = set_find(&p->l2, tag);
	if (way < 0)
		fill_l2(p, r->counts);
	vpmu_count(r->counts, behind(kind, way < 0 ? VPMU_WORD_I :
				     set_state(set_word(&p->l2, (uint32_t)way))), 1);
}

bool vpmu_cache_events_l1_modified(const struct vpmu_private *p, uint64_t tag)
{
	int way = l1_find(&p->l1d, tag);

	return way >= 0 && set_state(l1_word(&p->l1d, (uint32_t)way)) == VPMU_WORD_M;
}

void vpmu_cache_events_count_hit(const struct vpmu_caches *c, const struct vpmu_runner *r,
				 enum vpmu_touch kind, enum vpmu_word_state state)
{
	if (!c->layout.core.l2.sets)
		vpmu_count(r->counts, behind(kind, state), 1);
}

void vpmu_cache_events_count_miss(const struct vpmu_caches *c, const struct vpmu_runner *r,
				  enum vpmu_touch kind, uint64_t victim, bool modified)
{
	if (c->layout.core.l2.sets)
		return;
	vpmu_count(r->counts, behind(kind, VPMU_WORD_I), 1);
	vpmu_count(r->counts, VPMU_L2_LINES_IN, 1);
	vpmu_count(r->counts, VPMU_L2_LINES_OUT, set_state(victim) != VPMU_WORD_I);
	vpmu_count(r->counts, VPMU_L2_LINES_OUT_M, modified);
}

void vpmu_cache_events_count_fill(const struct vpmu_runner *r, enum vpmu_touch kind,
				  bool from_cache)
{
	static const enum vpmu_core_event events[3][2] = {
		[VPMU_LOAD] = { VPMU_FILL_READ_MEMORY, VPMU_FILL_READ_CACHE },
		[VPMU_STORE] = { VPMU_FILL_WRITE_MEMORY, VPMU_FILL_WRITE_CACHE },
		[VPMU_CODE] = { VPMU_FILL_CODE_MEMORY, VPMU_FILL_CODE_CACHE },
	};

	vpmu_count(r->counts, events[kind][from_cache], 1);
}

/* Counts what the runner's access has done to a core of its package. */
static void tell_core(const struct vpmu_caches *c, const struct vpmu_runner *r, uint32_t core,
		      const uint32_t counts[VPMU_CORE_EVENTS])
{
	const struct vpmu_machine *m = &c->s->machine;
	uint32_t cpu = vpmu_core_cpu(m, r->package * m->cores + core, 0);

	vpmu_charge_cores(m, cpu, counts);
	vpmu_core_events(c->s, cpu, counts, 0);
}

void vpmu_cache_events_count_snoop(const struct vpmu_caches *c, const struct vpmu_runner *r,
				   uint32_t core, struct vpmu_snooped snooped, bool l1_lost)
{
	uint32_t counts[VPMU_CORE_EVENTS] = { 0 };

	if (snooped.result == VPMU_SNOOP_MISS && snooped.cause != VPMU_XCORE)
		return;
	if (snooped.cause == VPMU_XCORE)
		counts[snooped.kind == VPMU_STORE ? VPMU_SNOOPED_FOR_WRITE :
						    VPMU_SNOOPED_FOR_READ] = 1;
	if (snooped.result != VPMU_SNOOP_MISS)
		counts[snooped.result == VPMU_SNOOP_HITM ? VPMU_SNOOPED_HITM :
							   VPMU_SNOOPED_HIT] = 1;
	counts[VPMU_L1D_WRITE_BACKS] = l1_lost;
	tell_core(c, r, core, counts);
}

void vpmu_cache_events_count_taken_back(const struct vpmu_caches *c, const struct vpmu_runner *r,
					uint32_t core)
{
	uint32_t counts[VPMU_CORE_EVENTS] = { [VPMU_L1D_WRITE_MISSES] = 1 };

	if (c->layout.core.l2.sets) {
		counts[behind(VPMU_STORE, VPMU_WORD_I)] = 1;
		counts[VPMU_L2_LINES_IN] = 1;
	} else {
		counts[behind(VPMU_STORE, VPMU_WORD_M)] = 1;
	}
	counts[VPMU_FILL_WRITE_CACHE] = c->layout.directory;
	tell_core(c, r, core, counts);
}
