/* SPDX-License-Identifier: MIT */
/* The feed's fast paths against its general one, by random programs on random machines. A failure
 * prints the seed and how many steps of the program it takes; PATHS_SEED=N runs this seed alone.
 *
 * Odd seeds have machines whose clock estimates time. There an instruction that loads and stores
 * has one miss in place of two, and the load's line counts as arrived when the store owns it. So
 * either no thread stores to another's lines, or there are no such instructions.
 *
 * Then the same with a profile: what its instructions have caused is what was counted. */
#include "both_paths.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SEEDS 40u
#define MACHINES 12u		/* with the same blocks */
#define STEPS 300u
#define PROFILED_SEEDS 10u

static void *allocate(uint64_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

/* A program, and what both ways leave. */
struct pair {
	struct both_machine *m;
	struct random_blocks *blocks;
	struct draws draws;
	struct both_outcome *o;
};

/* ---- profiles ---- */

/* Sums over the profile, less those at the last check. */
static uint64_t sums[VPMU_KINDS], last_sums[VPMU_KINDS], instructions, last_instructions;

static void add_cell(const struct vpmu_profile_cell *cell)
{
	const struct vpmu_profile_pattern *p =
		vpmu_profile_at(vpmu_profile_first(VPMU_LIST_PATTERNS));

	if (cell->kind < VPMU_KINDS) {
		sums[cell->kind] += cell->count;
		return;
	}
	while (p->number != cell->kind)
		p = vpmu_profile_at(p->next);
	for (uint32_t i = 0; i < p->count; i++)
		sums[p->what[i].kind] += cell->count * p->what[i].times;
}

static void add_up_profile(void)
{
	const struct vpmu_profile_note *n = vpmu_profile_at(vpmu_profile_first(VPMU_LIST_NOTES));
	const struct vpmu_profile_block *b = vpmu_profile_at(vpmu_profile_first(VPMU_LIST_BLOCKS));
	uint64_t before;

	memset(sums, 0, sizeof(sums));
	for (; n; n = vpmu_profile_at(n->next))
		for (const struct vpmu_profile_cell *c = vpmu_profile_at(n->cells); c;
		     c = vpmu_profile_at(c->next))
			add_cell(c);
	instructions = 0;
	for (; b; b = vpmu_profile_at(b->next))
		instructions += (b->executed[0] + b->executed[1]) * b->count;
	for (uint32_t i = 0; i < VPMU_KINDS; i++) {
		before = last_sums[i];
		last_sums[i] = sums[i];
		sums[i] -= before;
	}
	before = last_instructions;
	last_instructions = instructions;
	instructions -= before;
}

#define SUM(kind, wanted) assert_int_equal(sums[VPMU_KIND_##kind], wanted)
#define SUMS_OF_CONTROLLERS(kind) \
	(sums[VPMU_KIND_##kind] + sums[VPMU_KIND_##kind##_0] + sums[VPMU_KIND_##kind##_1])

static void check_profile(const struct both_machine *m, const struct both_outcome *o)
{
	const struct record *r = &o->seen;
	uint64_t retired = 0, commands[2][3] = { { 0 } };

	add_up_profile();
	for (uint32_t state = 0; state < 4; state++) {
		SUM(LOOKUP_READ_M + state, r->lookup[VPMU_READ][1 << state]);
		SUM(LOOKUP_WRITE_M + state, r->lookup[VPMU_WRITE][1 << state]);
	}
	for (uint32_t kind = 0; kind < 4; kind++) {
		uint32_t more = kind < VPMU_TRK_WRITE ? segment->machine.memory_clocks - 1 :
							segment->machine.write_clocks - 1;

		SUM(TRACKER_DATA_READ + kind, r->tracker[kind]);
		SUM(TRACKER_DATA_READ_CLOCKS + kind, r->tracker[kind] * more);
		SUM(AWAY_REQUEST_DATA_READ + kind, r->away_requests[kind]);
		SUM(AWAY_DATA_READ + kind, r->away_tracker[kind]);
		SUM(AWAY_DATA_READ_CLOCKS + kind, r->away_tracker[kind] * more);
	}
	SUM(SNOOP_XCORE_MISS, r->snoop[VPMU_XCORE][VPMU_SNOOP_MISS]);
	SUM(SNOOP_XCORE_HIT, r->snoop[VPMU_XCORE][VPMU_SNOOP_HIT]);
	SUM(SNOOP_XCORE_HITM, r->snoop[VPMU_XCORE][VPMU_SNOOP_HITM]);
	SUM(SNOOP_EVICTION_MISS, r->snoop[VPMU_EVICTION][VPMU_SNOOP_MISS]);
	SUM(SNOOP_EVICTION_HIT, r->snoop[VPMU_EVICTION][VPMU_SNOOP_HIT]);
	SUM(SNOOP_EVICTION_HITM, r->snoop[VPMU_EVICTION][VPMU_SNOOP_HITM]);
	assert_int_equal(SUMS_OF_CONTROLLERS(DRAM_REQUESTS), r->requests);
	assert_int_equal(SUMS_OF_CONTROLLERS(DRAM_READS), r->reads);
	assert_int_equal(SUMS_OF_CONTROLLERS(DRAM_WRITES), r->writes);
	for (uint32_t i = 0; i < 8 * 2 * 2 * 3; i++)
		commands[i / 3 % 2][i % 3] += (&r->command[0][0][0][0])[i];
	for (uint32_t page = 0; page < 3; page++) {
		SUM(MEMORY_READ_HIT + page, commands[0][page]);
		SUM(MEMORY_WRITE_HIT + page, commands[1][page]);
	}
	for (uint32_t i = 0; i < m->threads; i++)
		retired += o->number[i][RETIRED];
	assert_int_equal(instructions, retired);
}

/* ---- both ways ---- */

/* Runs the general way in a child, so that both begin with the same process: costs of loops, once
 * computed, are kept (timed_blocks.c). Returns what differs; NULL: nothing. */
static const char *compare_steps(const struct pair *p, uint32_t steps)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		vpmu_notes_forked();
		run_both_way(p->m, p->blocks, p->draws, steps, GENERAL, &p->o[GENERAL]);
		_exit(0);
	}
	run_both_way(p->m, p->blocks, p->draws, steps, FAST, &p->o[FAST]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	if (vpmu_profiles())
		check_profile(p->m, &p->o[FAST]);
	return both_difference(&p->o[FAST], &p->o[GENERAL]);
}

static void compare(const struct pair *p, uint64_t seed)
{
	const char *differs;
	uint32_t steps = STEPS;

	for (int way = FAST; way < WAYS; way++)
		p->o[way].caches = allocate(segment->caches_bytes);
	differs = compare_steps(p, STEPS);
	if (differs)
		for (steps = 1; steps < STEPS && !(differs = compare_steps(p, steps)); steps++)
			;
	if (differs)
		fail_msg("seed %llu, %u steps: %s", (unsigned long long)seed, steps, differs);
	for (int way = FAST; way < WAYS; way++)
		munmap(p->o[way].caches, segment->caches_bytes);
}

/* Blocks, the first machine for them, and what is drawn then. */
struct program {
	uint64_t seed;
	struct random_blocks *blocks;
	struct both_machine first;
	struct draws draws;
};

static bool estimates(const struct program *p)
{
	return p->seed % 2;
}

static bool shares(const struct program *p)
{
	return !estimates(p) || p->seed % 4 == 1;
}

static struct program make_program(uint64_t seed)
{
	struct program p = { .seed = seed, .blocks = allocate(sizeof(*p.blocks)),
			     .draws = { .x = seed * 0x9e3779b97f4a7c15u } };

	p.first = some_machine(&p.draws, estimates(&p), shares(&p));
	segment = segment_of(&p.first.shape);
	assert_true(make_blocks(p.blocks, &p.draws, 0x400000, !estimates(&p) || !shares(&p)));
	free(segment);
	return p;
}

static void run_program(const struct program *p)
{
	struct both_outcome *o = allocate(WAYS * sizeof(*o));
	struct draws d = p->draws;

	for (uint32_t i = 0; i < MACHINES; i++) {
		struct both_machine m = i ? some_machine(&d, estimates(p), shares(p)) : p->first;

		segment = segment_of(&m.shape);
		if (!i && vpmu_profiles())
			assert_true(translate_blocks(p->blocks, FAST));
		else
			assert_true(open_machine(FAST));
		compare(&(struct pair){ &m, p->blocks, d, o }, p->seed);
		next_random(&d.x);
		free(m.idle);
		free(segment);
	}
	vpmu_groups_free();
	munmap(p->blocks, sizeof(*p->blocks));
	munmap(o, WAYS * sizeof(*o));
}

static void run_seed(uint64_t seed)
{
	struct program p;

	forget_producers();
	p = make_program(seed);
	run_program(&p);
}

static void all_seeds_leave_the_same(void **state)
{
	const char *one = getenv("PATHS_SEED");

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS && !one; seed++)
		run_seed(seed);
	if (one)
		run_seed(strtoull(one, NULL, 10));
}

/* A comparison without them shows nothing. Programs make some 5 million accesses. */
static void fast_paths_were_taken(void **state)
{
	(void)state;
	if (getenv("PATHS_SEED"))
		skip();
	assert_true(accesses_shown < accesses_made * 5 / 6);
	assert_true(fast_uses.inside > 100000);
	assert_true(fast_uses.settled > 10000);
	assert_true(fast_uses.plain > 400000);
}

/* GENERAL is made without a profile, and nothing else has made blocks. */
static void profile_seed(uint64_t seed, const char *folder)
{
	static const uint32_t paused;
	struct program p;

	forget_producers();
	p = make_program(seed);
	assert_true(vpmu_notes_begin(
		&(struct vpmu_profile_origin){ .folder = folder, .machine = "test" }, &paused));
	run_program(&p);
	vpmu_notes_end();
}

/* A process has one profile, so each seed has a process. A failing one reports that, and
 * executes the remaining tests before it ends. */
static void profiles_add_up(void **state)
{
	char folder[] = "/tmp/feed_paths.XXXXXX", command[64];
	int status = 0;
	pid_t child;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	for (uint64_t seed = 1; seed <= PROFILED_SEEDS && !status; seed++) {
		child = fork();
		assert_true(child >= 0);
		if (!child) {
			profile_seed(seed, folder);
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
	}
	assert_int_equal(system(command), 0);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First: blocks that the others make keep the numbers of their accesses. */
		cmocka_unit_test(profiles_add_up),
		cmocka_unit_test(all_seeds_leave_the_same),
		cmocka_unit_test(fast_paths_were_taken),
	};

	return cmocka_run_group_tests_name("feed paths", tests, NULL, NULL);
}
