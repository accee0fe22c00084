/* SPDX-License-Identifier: MIT */
/* The plain case of an access against the general one: random accesses by several cores leave the
 * same caches, clocks and counts behind. */
#include "feed_runners.h"

#define ACCESSES 200000

/* Small, so that all levels overflow and cores meet. The L1s have as many ways as is usual, or
 * fewer. */
static struct vpmu_machine machine(uint32_t slices, bool usual, uint32_t boxes)
{
	return (struct vpmu_machine){
		.name = "test", .packages = 1, .cores = 4, .threads = 1, .slices = slices,
		.l1i = { usual ? 1024 : 512, usual ? 8 : 2, 64 },
		.l1d = { 1024, usual ? 8 : 4, 64 }, .l2 = { 2048, 4, 64 }, .memory_boxes = boxes,
		.llc = { slices * 8192, 16, 64 }, .llc_level = 3,
		.llc_clocks = 30, .memory_clocks = 100, .write_clocks = 60, .fill_buffers = 4,
	};
}

struct outcome {
	uint64_t hash, clock, plain;
	struct record seen;
};

/* Occurrences that were added up are recorded as if they had come one by one. */
static void tell(const struct vpmu_llc_counts *n, struct record *r)
{
	for (uint32_t slice = 0; slice < VPMU_SLICES_MAX; slice++)
		for (uint32_t state = 0; state < 4; state++) {
			for (uint32_t request = 0; request < 3; request++) {
				uint64_t times = n->lookup[slice][request][state];

				r->lookup[1 << request][1 << state] += times;
				r->slice[slice] += times;
			}
			r->snoop[VPMU_XCORE][1 << state] += n->snoop[slice][0][state];
			r->snoop[VPMU_EVICTION][1 << state] += n->snoop[slice][1][state];
		}
}

static uint64_t added_up(const struct vpmu_llc_counts *n)
{
	uint64_t sum = 0;

	for (uint32_t slice = 0; slice < VPMU_SLICES_MAX; slice++)
		for (uint32_t state = 0; state < 4; state++)
			sum += n->lookup[slice][0][state];
	return sum;
}

/* Streams, places that are used again, and code. */
static void access_some(int core, uint64_t x, uint64_t i, uint64_t lines)
{
	static const enum vpmu_touch kinds[] = { VPMU_LOAD, VPMU_STORE, VPMU_LOAD, VPMU_CODE };
	uint64_t line = x >> 8 & 1 ? x >> 20 & (lines - 1) :
			x >> 9 & 1 ? x >> 20 & 15 : i / 4 & (8 * lines - 1);

	runner[core].clock += x >> 50 & 15;
	access_line(core, line + 64 * (uint64_t)core * (x >> 10 & 1), kinds[x >> 12 & 3]);
}

static struct outcome run(const struct vpmu_machine *m, int cores,
			  struct vpmu_llc_counts *counts)
{
	uint64_t x = 88172645463325252u;
	struct outcome o;

	llc_counts = counts;
	start(m);
	for (uint64_t i = 0; i < ACCESSES; i++) {
		next_random(&x);
		access_some((int)(x % (uint64_t)cores), x, i, 256);
	}
	o.clock = runner[0].clock;
	o.plain = counts ? added_up(counts) : 0;
	o.seen = seen;
	if (counts)
		tell(counts, &o.seen);
	o.hash = hash_of(caches.base, segment->caches_bytes);
	llc_counts = NULL;
	stop_runners();
	return o;
}

static void compare_on(const struct vpmu_machine *m, int cores)
{
	struct vpmu_llc_counts counts = { 0 };
	struct outcome general = run(m, cores, NULL);
	struct outcome plain = run(m, cores, &counts);

	assert_true(plain.plain > 1000);
	assert_true(general.seen.writes > 1000 && general.seen.snoop[VPMU_EVICTION][1] > 100);
	assert_int_equal(plain.clock, general.clock);
	assert_memory_equal(&plain.seen, &general.seen, sizeof(plain.seen));
	assert_int_equal(plain.hash, general.hash);
}

static void compare(uint32_t slices, int cores)
{
	struct vpmu_machine few = machine(slices, false, 0), usual = machine(slices, true, 0);
	struct vpmu_machine with_boxes = machine(slices, false, 2), many = usual;

	many.cores = 10;
	compare_on(&few, cores);
	compare_on(&usual, cores);
	compare_on(&with_boxes, cores);
	compare_on(&many, cores);
}

static void one_thread(void **state)
{
	(void)state;
	compare(1, 1);
	compare(3, 1);
	compare(4, 1);
}

static void one_of_several(void **state)
{
	(void)state;
	compare(3, 2);
	compare(4, 2);
	compare(4, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_thread),
		cmocka_unit_test(one_of_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
