/* SPDX-License-Identifier: MIT */
/* The same random program on the same machine in two ways, which have to leave the same behind.
 * FAST is what the plugin does: one callback stands for several, loops of one block are not looked
 * up again, and plain_access.c does what concerns no other core.
 * GENERAL has none of these: llc.c does all, each access by its own callback, and nothing is
 * remembered from one block to the next.
 *
 * Several threads take turns at the ends of blocks. One that begins its turn continues at the
 * newest clock of all: contention (contention.h) is decided by the numbers of uses, of which a fast
 * path makes fewer. For the same reason uses are compared by their order. */
#ifndef BOTH_PATHS_H
#define BOTH_PATHS_H

#include "random_blocks.h"
#include "virtual_pmu/feed/cache/contention.h"
#include "virtual_pmu/feed/cache/private_caches.h"
#include "virtual_pmu/feed/core/predictor.h"
#include "virtual_pmu/feed/thread/emulated_thread.h"

#define THREADS_MAX 4u

struct both_machine {
	struct vpmu_machine shape;
	uint32_t threads, cpu[THREADS_MAX], spaces, rounds;	/* rounds: of a loop, at most */
	bool shares;	/* threads store to the same lines, and move */
	struct vpmu_runner *idle;	/* one on each CPU; the caller frees them */
};

/* Numbers that a thread ends with. Tables are hashed. */
enum thread_number {
	CLOCK, PUBLISHED, CLOCK_PARTS, RETIRED, PATH, SECOND, ARRIVALS, WINDOW, PREDICTOR, TLB,
	COMBINING, THREAD_NUMBERS,
};
static const char *const thread_numbers[THREAD_NUMBERS] = {
	"clock", "published clock", "part of a clock", "instructions", "path of blocks",
	"clock of the L2", "arrivals of lines", "reorder buffer", "predictor",
	"translation buffer", "combining buffers",
};

struct both_outcome {
	struct record seen;
	uint64_t number[THREADS_MAX][THREAD_NUMBERS], uclk[VPMU_PACKAGES_MAX];
	unsigned char *caches;		/* a copy, in which uses are ranks */
};

/* How often the fast paths were taken. */
static struct { uint64_t inside, settled, plain; } fast_uses;

/* ---- machines ---- */

static uint32_t one_of(struct draws *d, const uint32_t *from, uint32_t count)
{
	return from[draw(d, count)];
}
#define ONE_OF(d, ...) one_of(d, (uint32_t[]){ __VA_ARGS__ }, \
			      sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

static struct vpmu_cache some_cache(struct draws *d, uint32_t sets, uint32_t ways)
{
	uint32_t of_sets = sets << draw(d, 2);

	return (struct vpmu_cache){ of_sets * ways * 64, ways, 64 };
}

static void make_little(struct draws *d, struct vpmu_machine *m)
{
	uint32_t clusters = 1 + draw(d, 2);

	m->packages = 1;
	m->smt_adjacent = 1;
	m->little = (struct vpmu_little){
		.cluster = ONE_OF(d, 2, 4), .l1i = some_cache(d, 2, 4), .l1d = some_cache(d, 2, 4),
		.l2 = some_cache(d, 4, 4),
	};
	m->little.cores = clusters * m->little.cluster;
	m->little.away = clusters > 1 && one_in(d, 3) ? m->little.cluster : 0;
	m->cores += m->little.cores;
}

/* Small, so that all levels overflow and threads meet. Half of the machines have the shape for
 * which plain_access.c is compiled by itself. */
static struct vpmu_machine some_shape(struct draws *d, bool estimates)
{
	bool usual = draw(d, 2);
	struct vpmu_machine m = {
		.name = "test", .packages = 1, .cores = one_in(d, 4) ? 10 : 1 + draw(d, 4),
		.threads = 1 + one_in(d, 3), .slices = usual ? 1u << draw(d, 3) : 1 + draw(d, 5),
		.l1d = some_cache(d, 2, usual ? 8 : ONE_OF(d, 2, 4, 8, 12)),
		.l2 = some_cache(d, 4, usual ? 4 : ONE_OF(d, 2, 4, 8, 16)),
		.llc = some_cache(d, 8, usual ? 16 : ONE_OF(d, 4, 12, 16)), .llc_level = 3,
		.llc_clocks = 30, .memory_clocks = 100, .write_clocks = 60,
		.fill_buffers = ONE_OF(d, 1, 3, 10, 12), .smt_adjacent = draw(d, 2),
		.core_design = estimates ? VPMU_SKYLAKE_CORES : VPMU_OTHER_CORES,
	};

	m.l1i = usual ? m.l1d : some_cache(d, 2, ONE_OF(d, 2, 8));
	m.llc.bytes *= m.slices;
	if (one_in(d, 6)) {		/* no power of two of sets: nothing is plain */
		m.l1d.bytes = m.l1d.ways * 64 * 3;
		m.llc.bytes = m.llc.ways * 64 * 11 * m.slices;
	}
	if (one_in(d, 6))
		make_little(d, &m);
	else if (one_in(d, 6))
		m.packages = 2;
	else if (one_in(d, 8))
		m.llc_level = 0;	/* a directory */
	if (m.packages == 1 && one_in(d, 4))
		m.memory_boxes = 2;
	return m;
}

static inline struct both_machine some_machine(struct draws *d, bool estimates, bool shares)
{
	struct both_machine m = { .shape = some_shape(d, estimates), .rounds = 60 };
	uint32_t cpus = vpmu_machine_cpus(&m.shape);

	m.threads = one_in(d, 3) ? 1 : 1 + draw(d, THREADS_MAX);
	m.threads = m.threads < cpus ? m.threads : cpus;
	m.shares = shares;
	m.spaces = 1 + one_in(d, 4);
	for (uint32_t i = 0; i < m.threads; i++)
		m.cpu[i] = one_in(d, 3) ? cpus - 1 - i : i;
	return m;
}

/* ---- threads ---- */

static struct vpmu_emulated *both_thread[THREADS_MAX];
static struct vpmu_llc_counts both_counts;

/* Cores keep the times of the last threads that they had: for each CPU a thread that has done
 * nothing, made at the first run, has been on its core in each of its places. */
static void forget_times(struct both_machine *m)
{
	uint32_t cpus = vpmu_machine_cpus(&segment->machine);

	if (!m->idle) {
		m->idle = calloc(cpus, sizeof(*m->idle));
		assert_non_null(m->idle);
		for (uint32_t cpu = 0; cpu < cpus; cpu++)
			vpmu_caches_place(&vpmu_feed.caches, &m->idle[cpu], cpu);
	}
	for (uint32_t i = 0; i < cpus * VPMU_CLUSTER_MAX; i++) {
		struct vpmu_runner *idle = &m->idle[i / VPMU_CLUSTER_MAX];

		idle->member = i % VPMU_CLUSTER_MAX;
		vpmu_contended_enter(&vpmu_feed.caches, idle);
		vpmu_contended_leave(&vpmu_feed.caches, idle);
	}
}

/* The thread's CPU and clock are in its own record: all of them are this one of the host. */
static void begin_both_thread(const struct both_machine *m, uint32_t i)
{
	struct vpmu_emulated *t;

	vpmu_feed.space = (uint64_t)(1 + i % m->spaces) << VPMU_SPACE_SHIFT;
	vpmu_self = NULL;
	both_thread[i] = t = vpmu_emulated_start(i);
	t->spare.cpu = m->cpu[i];
	t->slot = &t->spare;
	t->runner.cpu_slot = &t->spare.cpu;
	t->runner.clock_slot = &t->spare.clock;
	t->runner.clock = t->runner.published = t->runner.numbered = t->runner.uses = 0;
	vpmu_caches_place(&vpmu_feed.caches, &t->runner, t->spare.cpu);
}

static void begin_both(struct both_machine *m, struct random_blocks *b, int way)
{
	memset((unsigned char *)segment + segment->caches_offset, 0, segment->caches_bytes);
	memset(&seen, 0, sizeof(seen));
	memset(&both_counts, 0, sizeof(both_counts));
	memset(segment->uclk, 0, sizeof(segment->uclk));
	memset(segment->threads, 0, sizeof(segment->threads));
	told_singly = 0;
	llc_counts = way == FAST ? &both_counts : NULL;		/* NULL: no access is plain */
	for (uint32_t i = 0; i < BLOCKS; i++) {
		b->timed[i]->from = NULL;
		b->timed[i]->path = b->timed[i]->back = 0;
	}
	forget_times(m);
	for (uint32_t i = 0; i < m->threads; i++)
		begin_both_thread(m, i);
	vpmu_self = both_thread[0];
}

/* The runner remembers nothing of where its instructions and code found their lines. */
static void forget_ways(struct vpmu_runner *r)
{
	static struct vpmu_way none, *nowhere[VPMU_SITES];

	for (uint32_t i = 0; !nowhere[VPMU_SITES - 1] && i < VPMU_SITES; i++)
		nowhere[i] = &none;
	memcpy(r->site, nowhere, sizeof(r->site));
	memcpy(r->code, nowhere, sizeof(r->code));
	r->settled = NULL;
	r->inside = NULL;
}

/* ---- what is left ---- */

static uint64_t clock_of_all(void)
{
	uint64_t clock = 0;

	for (uint32_t i = 0; i < THREADS_MAX && both_thread[i]; i++)
		if (both_thread[i]->runner.clock > clock)
			clock = both_thread[i]->runner.clock;
	return clock;
}

/* Hashes the arrivals of lines that dependent instructions wait for. */
static uint64_t hash_of_arrivals(const struct vpmu_runner *r)
{
	uint64_t hash = 0;

	for (uint32_t i = 0; i < VPMU_SITES_PLAIN; i++)
		if (vpmu_site_producer[i] != NO_SITE)
			hash = hash * 0x100000001b3ull +
			       r->arrival[vpmu_site_same[vpmu_site_producer[i]]];
	return hash;
}

static void end_both_thread(struct vpmu_emulated *t, uint64_t *number)
{
	const struct vpmu_runner *r = &t->runner;

	vpmu_self = t;
	vpmu_callbacks_publish(t);
	number[CLOCK] = r->clock;
	number[PUBLISHED] = t->spare.clock;
	number[CLOCK_PARTS] = r->work;
	number[RETIRED] = r->instructions;
	number[PATH] = r->path;
	number[SECOND] = r->second;
	number[ARRIVALS] = hash_of_arrivals(r);
	number[WINDOW] = hash_of(&r->window, sizeof(r->window));
	number[PREDICTOR] = r->predictor ? hash_of(r->predictor, sizeof(*r->predictor)) : 0;
	number[TLB] = r->dtlb ? hash_of(r->dtlb, sizeof(*r->dtlb)) : 0;
	number[COMBINING] = t->combining.used;
}

/* Replaces the numbers of last uses in a set of an L1 by their ranks. */
static void rank_uses(struct vpmu_way *way, uint32_t ways)
{
	uint64_t rank[VPMU_WAYS_MAX] = { 0 };

	for (uint32_t i = 0; i < ways; i++)
		for (uint32_t k = 0; k < ways; k++)
			rank[i] += way[k].used < way[i].used ||
				   (way[k].used == way[i].used && k < i);
	for (uint32_t i = 0; i < ways; i++)
		way[i].used = way[i].word ? rank[i] : 0;
}

static void rank_level(unsigned char *at, const struct vpmu_level *level)
{
	for (uint32_t i = 0; i < level->sets; i++)
		rank_uses((struct vpmu_way *)(void *)(at + i * level->set_bytes +
						      VPMU_SET_HEAD_BYTES), level->ways);
}

/* Leaves the agent's fill buffers alone in its header. */
static void rank_agent(uint32_t package, uint32_t agent)
{
	const struct vpmu_agent_block *b = vpmu_block_of(&vpmu_feed.caches, agent);
	struct vpmu_core *core = vpmu_caches_core(&vpmu_feed.caches, package, agent);
	struct vpmu_core_fills fills[VPMU_CLUSTER_MAX];

	memcpy(fills, core->fills, sizeof(fills));
	memset(core, 0, sizeof(*core));
	memcpy(core->fills, fills, sizeof(fills));
	for (uint32_t i = 0; i < b->members; i++) {
		unsigned char *at = (unsigned char *)core + i * b->member_bytes;

		rank_level(at + b->l1i_at, &b->l1i);
		rank_level(at + b->l1d_at, &b->l1d);
	}
}

/* Occurrences that were added up are recorded as if they had come one by one. */
static void tell_counts(const struct vpmu_llc_counts *n, struct record *r)
{
	for (uint32_t slice = 0; slice < VPMU_SLICES_MAX; slice++)
		for (uint32_t state = 0; state < 4; state++) {
			for (uint32_t request = 0; request < 3; request++) {
				uint64_t times = n->lookup[slice][request][state];

				r->lookup[1 << request][1 << state] += times;
				r->slice[slice] += times;
				fast_uses.plain += times;
			}
			r->snoop[VPMU_XCORE][1 << state] += n->snoop[slice][0][state];
			r->snoop[VPMU_EVICTION][1 << state] += n->snoop[slice][1][state];
		}
}

static void end_both(const struct both_machine *m, struct both_outcome *o)
{
	vpmu_runner_settle(&vpmu_self->runner);
	for (uint32_t i = 0; i < m->threads; i++)
		end_both_thread(both_thread[i], o->number[i]);
	for (uint32_t p = 0; p < m->shape.packages; p++)
		for (uint32_t agent = 0; agent < vpmu_feed.caches.layout.agents; agent++)
			rank_agent(p, agent);
	memcpy(o->caches, vpmu_feed.caches.base, segment->caches_bytes);
	memcpy(o->uclk, segment->uclk, sizeof(o->uclk));
	o->seen = seen;
	tell_counts(&both_counts, &o->seen);
	for (uint32_t i = 0; i < m->threads; i++) {
		vpmu_self = both_thread[i];
		vpmu_emulated_end();
		both_thread[i] = NULL;
	}
}

/* ---- steps of a program ---- */

/* Some lines are used again and again, some have the same set, some are used hardly ever, and some
 * are those of the code. Clusters have none of the latter: stores to the code of a loop that is not
 * looked up again differ there. */
static struct registers some_registers(const struct both_machine *m,
				       const struct random_blocks *b, struct draws *d,
				       uint32_t thread)
{
	static const uint64_t strides[] = { 8, 64, 1024, 4096 };
	uint64_t own = m->shares && one_in(d, 2) ? 0 : 0x10000000 * (uint64_t)(thread + 1);
	uint64_t stride = strides[draw(d, 4)], place = draw(d, one_in(d, 3) ? 4096 : 16);

	struct registers r = { .of = {
		[RSP] = 0x1000000 + 0x1000 + own +
			(one_in(d, 3) ? 64 * place : 8 * draw(d, 16)) + (one_in(d, 16) ? 3 : 0),
		[RAX] = 0x2000000 + own + stride * place + 4 * draw(d, 16), [RBX] = draw(d, 16),
		[RSI] = 0x3000000 + own + 64 * draw(d, 256),
	} };

	r.of[RCX] = r.of[RBX] / 2;
	r.of[RBP] = r.of[RSP] + 0x200;
	r.of[RDI] = r.of[RSI] + 0x80 + place;
	r.of[R12] = r.of[RAX] + 0x1000;
	r.of[R13] = r.of[RSP] + 0x400;
	if (m->shares && !m->shape.little.cores && one_in(d, 12))
		r.of[RAX] = b->timed[draw(d, BLOCKS)]->start & ~7ull;
	return r;
}

static void execute_some(const struct random_blocks *b, uint32_t which, int way,
			 struct registers r)
{
	struct vpmu_emulated *t = vpmu_self;

	if (way == GENERAL)
		forget_ways(&t->runner);
	fast_uses.settled += t->runner.settled == b->timed[which];
	fast_uses.inside += t->runner.inside == b->timed[which];
	execute_block(b, which, way, r);
}

/* A loop of one to three blocks. */
static void execute_loop(const struct both_machine *m, const struct random_blocks *b,
			 struct draws *d, uint32_t thread, int way)
{
	static const uint64_t steps[] = { 0, 0, 4, 8, 64, 192 };
	uint32_t which[3], blocks = 1 + (one_in(d, 3) ? draw(d, 3) : 0);
	uint32_t times = 1 + draw(d, one_in(d, 8) ? m->rounds : m->rounds / 10);
	struct registers r = some_registers(m, b, d, thread);
	uint64_t step = steps[draw(d, 6)];

	for (uint32_t i = 0; i < blocks; i++)
		which[i] = draw(d, BLOCKS);
	for (uint32_t i = 0; i < times * blocks; i++, r.of[RAX] += step, r.of[RSI] += step)
		execute_some(b, which[i % blocks], way, r);
}

/* Nothing is pending when another thread runs, or when this one moves, and its clock is published,
 * which plain_access.c does later than llc.c. A thread searches its loop again at its next turn, as
 * in scheduler.c: others may have used its core's L1I. Numbers of uses grow from turn to turn, so
 * threads of one core use its L1 in the same order both ways. */
static void change_thread(uint32_t *thread, uint32_t to)
{
	uint64_t uses;

	vpmu_callbacks_publish(vpmu_self);
	vpmu_self->runner.inside = NULL;
	vpmu_self->runner.settled = NULL;
	*thread = to;
	uses = vpmu_self->runner.uses;
	vpmu_self = both_thread[to];
	vpmu_turn_limit = &vpmu_self->runner.work_limit;
	if (vpmu_self->runner.uses < uses)
		vpmu_self->runner.uses = uses;
	vpmu_runner_continue(&vpmu_self->runner, clock_of_all());
}

static bool is_free(const struct both_machine *m, uint32_t cpu)
{
	for (uint32_t i = 0; i < m->threads; i++)
		if (both_thread[i]->spare.cpu == cpu)
			return false;
	return true;
}

static void both_step(const struct both_machine *m, const struct random_blocks *b,
		      struct draws *d, uint32_t *thread, int way)
{
	uint32_t what = draw(d, 64), cpu;

	if (what > 8 || !what) {
		execute_loop(m, b, d, *thread, way);
	} else if (what > 3) {
		change_thread(thread, draw(d, m->threads));
	} else if (what == 3) {
		cpu = draw(d, vpmu_machine_cpus(&m->shape));
		vpmu_runner_settle(&vpmu_self->runner);
		if (m->shares && is_free(m, cpu))
			vpmu_self->spare.cpu = cpu;
	} else if (what == 2) {
		vpmu_callbacks_publish(vpmu_self);
	} else {
		vpmu_runner_settle(&vpmu_self->runner);
		told_singly ^= one_in(d, 4);
	}
}

static inline void run_both_way(struct both_machine *m, struct random_blocks *b,
				struct draws d, uint32_t steps, int way, struct both_outcome *o)
{
	uint64_t hidden = accesses_made - accesses_shown;
	uint32_t thread = 0;

	begin_both(m, b, way);
	for (uint32_t i = 0; i < steps && (!d.data || d.size); i++)
		both_step(m, b, &d, &thread, way);
	end_both(m, o);
	assert_true(way == FAST || accesses_made - accesses_shown == hidden);
}

/* ---- comparison ---- */

static const char *record_difference(const struct record *a, const struct record *b)
{
#define DIFFERS(member) memcmp(&a->member, &b->member, sizeof(a->member))
	return DIFFERS(lookup) ? "lookups" : DIFFERS(snoop) ? "snoops" :
	       DIFFERS(tracker) ? "entries of the tracker" : DIFFERS(slice) ? "slices" :
	       DIFFERS(start) || DIFFERS(end) || DIFFERS(tracked) ? "clocks of entries" :
	       DIFFERS(command) ? "commands" :
	       memcmp(a, b, sizeof(*a)) ? "other records" : NULL;
#undef DIFFERS
}

/* NULL: both are the same; else what differs. */
static inline const char *both_difference(const struct both_outcome *a,
					  const struct both_outcome *b)
{
	static char text[128];

	for (uint32_t i = 0; i < THREADS_MAX; i++)
		for (uint32_t k = 0; k < THREAD_NUMBERS; k++)
			if (a->number[i][k] != b->number[i][k]) {
				snprintf(text, sizeof(text), "thread %u: %s: %llu, %llu", i,
					 thread_numbers[k], (unsigned long long)a->number[i][k],
					 (unsigned long long)b->number[i][k]);
				return text;
			}
	if (memcmp(a->uclk, b->uclk, sizeof(a->uclk)))
		return "clocks of packages";
	if (record_difference(&a->seen, &b->seen))
		return record_difference(&a->seen, &b->seen);
	if (!memcmp(a->caches, b->caches, segment->caches_bytes))
		return NULL;
	for (uint64_t i = 0; i < segment->caches_bytes; i++)
		if (a->caches[i] != b->caches[i]) {
			snprintf(text, sizeof(text), "caches, at %#llx",
				 (unsigned long long)i);
			return text;
		}
	return NULL;
}

#endif
