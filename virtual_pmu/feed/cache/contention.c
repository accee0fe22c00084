/* SPDX-License-Identifier: MIT */
/* Decides which accesses are contended. vpmu_contended_by() is called at each hit of the LLC that
 * other cores share, under the machine lock. It reads the clocks and waits of other threads, which
 * these write without a lock. A value that is a moment old changes the count by one access. */
#include "contention.h"

#include <string.h>

#include "private_caches.h"
#include "../thread/clock.h"
#include "../thread/pause_loop.h"

static uint64_t waits;		/* of the process's threads, in order */

/* The time of a hardware thread: its runner's or, without one, that of the last one when it left.
 * from: since then its clock has not jumped. */
struct pace {
	const struct vpmu_runner *runner;
	uint64_t from, clock, uses;
	struct vpmu_wait wait[VPMU_WAITS];
	bool waits;
};

/* An agent's last use of a line. clock: of the use; 0: not contended. waits: the thread that made
 * the use waits for a change of the line. */
struct use {
	struct vpmu_way *way;
	uint32_t agent;
	uint64_t clock;
	bool waits;
};

#define AGENT_THREADS VPMU_CLUSTER_MAX	/* those of a core, or the cores of a cluster */

/* Accesses of a thread between its use of a barrier's line and its wait there, at most. Libraries
 * make 4 to 12. */
#define USES_BEFORE_WAIT 16u

static struct pace paces[VPMU_CPUS_MAX][AGENT_THREADS];

/* Clocks of an agent's first and last use of a line, with less than a slice between two uses.
 * user: the agent's number, plus 1; 0: none. */
struct period {
	uint32_t user;
	uint64_t first, last;
};

#define PERIODS 4u
#define MOVING 4096u	/* more lines than two threads use in a slice of memory's clocks */

/* A line that has moved between agents. lender: which one had it modified when a contended load
 * made it shared, plus 1; 0: none. period: of agents that are behind the owner, and of former
 * owners. */
static struct moving {
	uint64_t line;			/* vpmu_line_of() */
	uint32_t lender;
	struct period period[PERIODS];
} moving[MOVING];

struct vpmu_owned vpmu_contended_owned[VPMU_OWNED];
bool vpmu_contended_possible;

static uint32_t agent_number(const struct vpmu_caches *c, uint32_t package, uint32_t agent)
{
	return (package * c->layout.agents + agent) % VPMU_CPUS_MAX;
}

static struct pace *paces_of(const struct vpmu_caches *c, uint32_t package, uint32_t agent)
{
	return paces[agent_number(c, package, agent)];
}

static struct pace *pace_of(const struct vpmu_caches *c, const struct vpmu_runner *r)
{
	uint32_t thread = vpmu_cpu_thread(&c->s->machine, r->cpu);

	return &paces_of(c, r->package, r->core)[(thread + r->member) % AGENT_THREADS];
}

static uint64_t clock_load(const uint64_t *from)
{
	return __atomic_load_n(from, __ATOMIC_RELAXED);
}

/* ---- waiting ---- */

static bool spins(const struct vpmu_runner *r)
{
	uint64_t paused = clock_load(&r->contention.paused);

	return paused && vpmu_runner_now(r) - paused < r->spin_clocks;
}

/* Orders this wait among those of other threads. Uses that the thread has made until now come
 * before uses that others make after later waits. */
static void begin_wait(struct vpmu_runner *r)
{
	struct vpmu_contention *k = &r->contention;
	struct vpmu_wait *w = &k->wait[k->waits++ % VPMU_WAITS];

	__atomic_store_n(&w->uses, r->uses, __ATOMIC_RELAXED);
	__atomic_store_n(&w->number, __atomic_add_fetch(&waits, 1, __ATOMIC_RELAXED),
			 __ATOMIC_RELAXED);
}

static void end_wait(struct vpmu_runner *r)
{
	r->contention.seen = clock_load(&waits);
}

void vpmu_contended_pause(struct vpmu_runner *r)
{
	if (!spins(r))
		begin_wait(r);
	__atomic_store_n(&r->contention.paused, r->clock, __ATOMIC_RELAXED);
}

void vpmu_contended_sleep(struct vpmu_runner *r, bool sleeps)
{
	if (r->contention.sleeps == sleeps)
		return;
	__atomic_store_n(&r->contention.sleeps, sleeps, __ATOMIC_RELAXED);
	if (sleeps)
		begin_wait(r);
	else
		end_wait(r);
}

static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0x66: case 0x67:
	case 0xf2: case 0xf3:
		return true;
	default:
		return false;
	}
}

bool vpmu_is_locked(const uint8_t *bytes, size_t count)
{
	size_t at = 0;

	while (at < count && is_prefix(bytes[at]))
		at++;
	if (at < count && bytes[at] == 0xf0)
		return true;
	if (at < count && (bytes[at] & 0xf0) == 0x40)	/* REX */
		at++;
	return at + 1 < count && (bytes[at] & 0xfe) == 0x86 && bytes[at + 1] < 0xc0;
}

void vpmu_contended_locked(struct vpmu_runner *r)
{
	r->contention.locked = r->uses + 1;
}

/* ---- clocks of other cores ---- */

static struct pace pace_now(const struct pace *p)
{
	const struct vpmu_runner *r = __atomic_load_n(&p->runner, __ATOMIC_ACQUIRE);
	const struct vpmu_wait *wait = r ? r->contention.wait : p->wait;
	struct pace now = { .runner = r };

	now.from = clock_load(r ? &r->awake : &p->from);
	now.clock = r ? vpmu_runner_now(r) : clock_load(&p->clock);
	now.uses = clock_load(r ? &r->uses : &p->uses);
	for (uint32_t i = 0; i < VPMU_WAITS; i++)
		now.wait[i] = (struct vpmu_wait){ clock_load(&wait[i].uses),
						  clock_load(&wait[i].number) };
	now.waits = r && (__atomic_load_n(&r->contention.sleeps, __ATOMIC_RELAXED) || spins(r));
	return now;
}

void vpmu_contended_forget(void)
{
	if (!vpmu_contended_possible)
		return;
	memset(moving, 0, sizeof(moving));
	memset(vpmu_contended_owned, 0, sizeof(vpmu_contended_owned));
}

void vpmu_contended_enter(const struct vpmu_caches *c, const struct vpmu_runner *r)
{
	static const struct vpmu_runner *last;
	const struct vpmu_runner *before = __atomic_exchange_n(&last, r, __ATOMIC_RELAXED);

	if (before && before != r)
		__atomic_store_n(&vpmu_contended_possible, true, __ATOMIC_RELAXED);
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
	memcpy(p->wait, r->contention.wait, sizeof(p->wait));
	__atomic_store_n(&p->runner, NULL, __ATOMIC_RELEASE);
}

/* Numbers of all threads compare, and advance by `per_clock` or less in a clock. */
static uint64_t clock_of_use(const struct pace *p, uint64_t used, uint32_t per_clock)
{
	uint64_t since = p->uses > used ? (p->uses - used) / per_clock : 0;

	return p->clock > since ? p->clock - since : 0;
}

/* True if the thread began a wait after its use `used`, and another thread has seen that wait. The
 * other thread has seen waits up to number `seen`. */
static bool came_before(const struct pace *p, uint64_t used, uint64_t seen)
{
	for (uint32_t i = 0; i < VPMU_WAITS; i++)
		if (p->wait[i].number && p->wait[i].number <= seen && p->wait[i].uses >= used)
			return true;
	return false;
}

/* True if the thread waits, and `used` is among its last uses before the wait began. */
static bool waits_for(const struct pace *p, uint64_t used)
{
	uint64_t began = 0;

	for (uint32_t i = 0; i < VPMU_WAITS; i++)
		if (p->wait[i].uses > began)
			began = p->wait[i].uses;
	return p->waits && used + USES_BEFORE_WAIT > began;
}

/* Finds the clock of the agent's last use of a line, which has the number `used`. The thread that
 * made it is the one with the least number that has passed `used`. Another thread that was
 * executing at that clock may have used the line until its own clock. */
static void find_clock(const struct vpmu_caches *c, const struct vpmu_runner *r, uint64_t used,
		       struct use *u)
{
	struct pace p[AGENT_THREADS];
	uint64_t least = UINT64_MAX, last = used / r->uses_per_clock;
	uint64_t seen = r->contention.seen;

	for (uint32_t i = 0; i < AGENT_THREADS; i++) {
		p[i] = pace_now(&paces_of(c, r->package, u->agent)[i]);
		if (p[i].uses >= used && p[i].uses < least) {
			least = p[i].uses;
			last = clock_of_use(&p[i], used, r->uses_per_clock);
			u->waits = waits_for(&p[i], used);
			u->clock = came_before(&p[i], used, seen) ? 0 : last;
		}
	}
	for (uint32_t i = 0; i < AGENT_THREADS; i++)
		if (p[i].from <= last && clock_of_use(&p[i], used, r->uses_per_clock) > u->clock &&
		    !came_before(&p[i], used, seen))
			u->clock = clock_of_use(&p[i], used, r->uses_per_clock);
}

/* The way in which an L1D of the agent has the line; or NULL. */
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

/* The use of the one of the agents that has used the line last; its way is NULL if none has. */
static struct use last_use(const struct vpmu_caches *c, const struct vpmu_runner *r, uint64_t tag,
			   uint64_t agents)
{
	struct use last = { NULL, 0, 0, false };

	for (; agents; agents &= agents - 1) {
		struct use u = { .agent = (uint32_t)__builtin_ctzll(agents) };

		u.way = way_of(c, r, u.agent, tag);
		if (!u.way)
			continue;
		find_clock(c, r, clock_load(&u.way->used), &u);
		if (!last.way || u.clock > last.clock)
			last = u;
	}
	return last;
}

/* Notes the order with other threads, if the access ends a wait or is what others wait for. */
static void note_order(struct vpmu_runner *r, enum vpmu_touch kind, const struct use *last)
{
	bool waited_for = kind == VPMU_STORE && last->waits && r->contention.locked == r->uses + 1;

	if (waited_for)
		begin_wait(r);
	if (waited_for || spins(r))
		end_wait(r);
}

/* ---- lines that move ---- */

static struct moving *moving_of(uint64_t line)
{
	struct moving *m = &moving[(line >> 6 ^ line >> 18) % MOVING];

	if (m->line != line)
		*m = (struct moving){ .line = line };
	return m;
}

/* The clock since which the line's owner has it; 0: that is not known. */
static uint64_t owned_since(uint64_t line)
{
	const struct vpmu_owned *o = vpmu_owned_of(line);

	return o->line == line ? o->clock : 0;
}

static void note_period(struct moving *m, struct period p)
{
	struct period *to = &m->period[0];

	for (uint32_t i = 0; i < PERIODS; i++) {
		struct period *old = &m->period[i];

		if (old->user == p.user) {
			to = old;
			if (p.first < old->last + VPMU_SLICE_CLOCKS && old->first < p.first)
				p.first = old->first;
			break;
		}
		if (old->last < to->last)
			to = old;
	}
	*to = p;
}

static bool contains(const struct period *p, uint64_t clock)
{
	return p->first <= clock && clock < p->last;
}

/* How often the line moves for the runner's access, which takes its place among those of others
 * that have been executed before. */
static uint32_t count_moves(const struct moving *m, const struct vpmu_runner *r,
			    const struct period *owner)
{
	uint64_t clock = r->clock, before = 0;
	const struct period *mine = NULL;
	bool owner_uses = contains(owner, clock), others_use = false;

	for (const struct period *p = m->period; p < m->period + PERIODS; p++) {
		if (p->user == r->core + 1) {
			mine = p;
			continue;
		}
		if (p->user == owner->user)
			owner_uses |= contains(p, clock);
		else
			others_use |= contains(p, clock);
		if (p->first <= clock && p->last > before)
			before = p->last;
	}
	if (owner_uses || others_use)
		return owner_uses && others_use ? 1 : 2;
	return mine && mine->last <= clock && mine->last >= before ? 0 : 1;
}

int vpmu_contended_by(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag,
		      enum vpmu_touch kind, uint64_t others, struct vpmu_contended *k)
{
	struct use last = last_use(c, r, tag, others);
	uint64_t line = vpmu_line_of(r, tag);
	struct moving *m = moving_of(line);
	struct period owner = { last.agent + 1, owned_since(line), last.clock };

	note_order(r, kind, &last);
	if (last.clock > r->clock) {
		k->found = (enum vpmu_word_state)(clock_load(&last.way->word) - tag);
		if (k->found == VPMU_WORD_M ||
		    (k->found == VPMU_WORD_S && m->lender == owner.user)) {
			k->moves = count_moves(m, r, &owner);
			if (!k->moves && (kind != VPMU_STORE || others & (others - 1)))
				k->moves = 1;	/* a copy is made, or others are taken away */
			note_period(m, (struct period){ r->core + 1, r->clock, r->clock });
			m->lender = owner.user;
			return (int)last.agent;
		}
	}
	if (kind == VPMU_STORE)
		m->lender = 0;
	if (last.clock)
		note_period(m, owner);
	return -1;
}

void vpmu_contended_return(const struct vpmu_caches *c, struct vpmu_runner *r, uint32_t agent,
			   uint64_t tag)
{
	struct vpmu_private p = vpmu_private_sets(c, r, agent, tag);
	struct vpmu_way *way = way_of(c, r, agent, tag);
	int second;

	if (!way || way->word != (tag | VPMU_WORD_S))
		return;
	way->word = tag | VPMU_WORD_M;
	second = set_find(&p.l2, tag);
	if (second >= 0)
		set_put(&p.l2, (uint32_t)second, tag | VPMU_WORD_E);
}
