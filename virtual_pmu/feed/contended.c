/* SPDX-License-Identifier: MIT */
#include "contended.h"

#include "private.h"

/* The time of a hardware thread: its runner's or, without one, that of the last one when it left.
 * from: since then it has not waited. */
struct pace {
	const struct vpmu_runner *runner;
	uint64_t from, clock, uses;
};

#define AGENT_THREADS VPMU_CLUSTER_MAX	/* those of a core, or the cores of a cluster */

static struct pace paces[VPMU_CPUS_MAX][AGENT_THREADS];

static struct pace *paces_of(const struct vpmu_caches *c, uint32_t package, uint32_t agent)
{
	return paces[(package * c->layout.agents + agent) % VPMU_CPUS_MAX];
}

static struct pace *pace_of(const struct vpmu_caches *c, const struct vpmu_runner *r)
{
	uint32_t thread = vpmu_cpu_thread(&c->s->machine, r->cpu);

	return &paces_of(c, r->package, r->core)[(thread + r->member) % AGENT_THREADS];
}

static uint64_t load(const uint64_t *from)
{
	return __atomic_load_n(from, __ATOMIC_RELAXED);
}

static struct pace pace_now(const struct pace *p)
{
	const struct vpmu_runner *r = __atomic_load_n(&p->runner, __ATOMIC_ACQUIRE);

	if (r)
		return (struct pace){ r, load(&r->awake), load(&r->clock), load(&r->uses) };
	return (struct pace){ NULL, load(&p->from), load(&p->clock), load(&p->uses) };
}

void vpmu_contended_enter(const struct vpmu_caches *c, const struct vpmu_runner *r)
{
	__atomic_store_n(&pace_of(c, r)->runner, r, __ATOMIC_RELEASE);
}

void vpmu_contended_leave(const struct vpmu_caches *c, const struct vpmu_runner *r)
{
	struct pace *p = pace_of(c, r);

	if (__atomic_load_n(&p->runner, __ATOMIC_RELAXED) != r)
		return;
	__atomic_store_n(&p->from, r->awake, __ATOMIC_RELAXED);
	__atomic_store_n(&p->clock, r->clock, __ATOMIC_RELAXED);
	__atomic_store_n(&p->uses, r->uses, __ATOMIC_RELAXED);
	__atomic_store_n(&p->runner, NULL, __ATOMIC_RELEASE);
}

/* Numbers of all threads compare, and advance by VPMU_USES_PER_CLOCK or less in a clock. */
static uint64_t clock_of_use(const struct pace *p, uint64_t used)
{
	uint64_t since = p->uses > used ? (p->uses - used) / VPMU_USES_PER_CLOCK : 0;

	return p->clock > since ? p->clock - since : 0;
}

/* The clock of the agent's last use of a line, which has this number. Of the threads whose numbers
 * have passed it the one with the least has made it. Another one that has executed at that clock
 * may have used the line until its own. */
static uint64_t latest_use(const struct vpmu_caches *c, uint32_t package, uint32_t agent,
			   uint64_t used)
{
	struct pace p[AGENT_THREADS];
	uint64_t least = UINT64_MAX, last = used / VPMU_USES_PER_CLOCK, latest;

	for (uint32_t i = 0; i < AGENT_THREADS; i++) {
		p[i] = pace_now(&paces_of(c, package, agent)[i]);
		if (p[i].uses >= used && p[i].uses < least) {
			least = p[i].uses;
			last = clock_of_use(&p[i], used);
		}
	}
	latest = last;
	for (uint32_t i = 0; i < AGENT_THREADS; i++)
		if (p[i].from <= last && clock_of_use(&p[i], used) > latest)
			latest = clock_of_use(&p[i], used);
	return latest;
}

/* Where an L1D of the agent has the line, with one of its words; or NULL. */
static struct vpmu_way *way_of(const struct vpmu_caches *c, const struct vpmu_runner *r,
			       uint32_t agent, uint64_t tag)
{
	const struct vpmu_agent_block *b = vpmu_block_of(c, agent);
	unsigned char *block = vpmu_core_block(c, r->package, agent);

	for (uint32_t i = 0; i < b->members; i++) {
		struct vpmu_l1 l1d = vpmu_l1_at(block + i * b->member_bytes + b->l1d_at, &b->l1d,
						tag >> 6);
		int way = l1_find(&l1d, tag);

		if (way >= 0)
			return &l1d.ways[way];
	}
	return NULL;
}

/* Where the one of the agents that has used the line last has it, if that was later than the
 * runner's clock; or NULL. */
static struct vpmu_way *used_later(const struct vpmu_caches *c, const struct vpmu_runner *r,
				   uint64_t tag, uint64_t agents, uint32_t *last)
{
	uint64_t latest = r->clock;
	struct vpmu_way *found = NULL;

	for (; agents; agents &= agents - 1) {
		uint32_t agent = (uint32_t)__builtin_ctzll(agents);
		struct vpmu_way *way = way_of(c, r, agent, tag);
		uint64_t clock = way ? latest_use(c, r->package, agent, load(&way->used)) : 0;

		if (clock <= latest)
			continue;
		latest = clock;
		found = way;
		*last = agent;
	}
	return found;
}

int vpmu_contended_by(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag,
		      enum vpmu_touch kind, uint64_t others, enum vpmu_word_state *found)
{
	uint32_t agent;
	const struct vpmu_way *way = used_later(c, r, tag, others, &agent);
	uint64_t state = way ? load(&way->word) - tag : VPMU_WORD_I;
	bool again;

	if (state - VPMU_WORD_S > VPMU_WORD_M - VPMU_WORD_S)
		return -1;
	*found = (enum vpmu_word_state)state;
	again = r->shared_from == tag;
	if (kind == VPMU_LOAD)
		r->shared_from = tag;
	return state == VPMU_WORD_M || again ? (int)agent : -1;
}

void vpmu_contended_return(const struct vpmu_caches *c, struct vpmu_runner *r, uint32_t agent,
			   uint64_t tag)
{
	struct vpmu_private p = vpmu_private_sets(c, r, agent, tag);
	struct vpmu_way *way = way_of(c, r, agent, tag);
	uint64_t shared = tag | VPMU_WORD_S;
	int second;

	p.alone = false;
	vpmu_private_lock(&p, r);
	if (way && __atomic_compare_exchange_n(&way->word, &shared, tag | VPMU_WORD_M, false,
					       __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		second = set_find(&p.l2, tag);
		if (second >= 0)
			set_put(&p.l2, (uint32_t)second, tag | VPMU_WORD_E);
	}
	vpmu_private_unlock(&p);
}
