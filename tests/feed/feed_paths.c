/* SPDX-License-Identifier: MIT */
/* The feed's fast paths against its general one, by random programs on random machines. A failure
 * prints the seed and how many steps of the program it takes; PATHS_SEED=N runs this seed alone.
 *
 * Odd seeds have machines whose clock estimates time. There an instruction that loads and stores
 * has one miss in place of two, and the load's line counts as arrived when the store owns it. So
 * either no thread stores to another's lines, or there are no such instructions. */
#include "both_paths.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SEEDS 40u
#define MACHINES 12u		/* with the same blocks */
#define STEPS 300u

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

/* Runs the general way in a child, so that both begin with the same process: costs of loops, once
 * computed, are kept (timed_blocks.c). Returns what differs; NULL: nothing. */
static const char *compare_steps(const struct pair *p, uint32_t steps)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		run_both_way(p->m, p->blocks, p->draws, steps, GENERAL, &p->o[GENERAL]);
		_exit(0);
	}
	run_both_way(p->m, p->blocks, p->draws, steps, FAST, &p->o[FAST]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
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

static void run_seed(uint64_t seed)
{
	struct draws d = { .x = seed * 0x9e3779b97f4a7c15u };
	struct random_blocks *b = allocate(sizeof(*b));
	struct both_outcome *o = allocate(WAYS * sizeof(*o));
	bool estimates = seed % 2, shares = !estimates || seed % 4 == 1;

	for (uint32_t i = 0; i < MACHINES; i++) {
		struct both_machine m = some_machine(&d, estimates, shares);

		segment = segment_of(&m.shape);
		if (i)
			assert_true(open_machine(FAST));
		else
			assert_true(make_blocks(b, &d, 0x400000, !estimates || !shares));
		compare(&(struct pair){ &m, b, d, o }, seed);
		next_random(&d.x);
		free(m.idle);
		free(segment);
	}
	vpmu_groups_free();
	munmap(b, sizeof(*b));
	munmap(o, WAYS * sizeof(*o));
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
	assert_true(fast_uses.deferred > 100000);
	assert_true(fast_uses.inside > 100000);
	assert_true(fast_uses.settled > 10000);
	assert_true(fast_uses.plain > 500000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_seeds_leave_the_same),
		cmocka_unit_test(fast_paths_were_taken),
	};

	return cmocka_run_group_tests_name("feed paths", tests, NULL, NULL);
}
