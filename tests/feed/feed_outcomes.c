/* SPDX-License-Identifier: MIT */
/* The parts behind core events and memory commands, each by itself, with counts by hand: predictor,
 * translation buffers, the LLC as the level behind the L1s, a directory, homes of pages and DRAM
 * pages. */
#include "feed_machine.h"
#include "virtual_pmu/feed/cache/memory_controller.h"
#include "virtual_pmu/feed/core/predictor.h"
#include "virtual_pmu/feed/core/tlb.h"

/* ---- predictor ---- */

static bool foreseen(struct vpmu_predictor *p, enum vpmu_branch kind, uint64_t address,
		     uint64_t target)
{
	struct vpmu_branched b = {
		.kind = kind, .address = address, .next = address + 5, .target = target,
	};

	return vpmu_predict(p, &b);
}

static void conditions_are_learned_by_history(void **state)
{
	struct vpmu_predictor p = { 0 };
	int wrong = 0;

	(void)state;
	/* Always taken: a new history each time until all 12 bits are set, and once with those. */
	for (int i = 0; i < 100; i++)
		wrong += !foreseen(&p, VPMU_CONDITIONAL, 0x1000, 0x2000);
	assert_int_equal(wrong, 13);
	/* Never taken, elsewhere: the histories 0xffe, ..., 0x800 and 0 are new again, but counters
	 * start at "not taken"; 0xfff is at 0x1fff ^ 0xfff, which nobody has used. */
	for (int i = 0; i < 100; i++)
		wrong += !foreseen(&p, VPMU_CONDITIONAL, 0x1aaa, 0x1aaf);
	assert_int_equal(wrong, 13);
}

/* Counters have two bits: one deviation from four does not change the forecast. */
static void one_deviation_is_forgiven(void **state)
{
	struct vpmu_predictor p = { 0 };
	bool seen_it;

	(void)state;
	for (int i = 0; i < 100; i++)
		foreseen(&p, VPMU_CONDITIONAL, 0x1000, 0x2000);
	seen_it = foreseen(&p, VPMU_CONDITIONAL, 0x1000, 0x1005);
	assert_false(seen_it);
	for (int i = 0; i < 12; i++)	/* until the history is all ones once more */
		foreseen(&p, VPMU_CONDITIONAL, 0x1000, 0x2000);
	assert_true(foreseen(&p, VPMU_CONDITIONAL, 0x1000, 0x2000));
}

static void the_last_target_is_expected(void **state)
{
	static const struct { uint64_t address, target; bool foreseen; } steps[] = {
		{ 0x1000, 0xa000, false }, { 0x1000, 0xa000, true }, { 0x1000, 0xb000, false },
		{ 0x1000, 0xb000, true }, { 0x1200, 0xb000, false },	/* 512 away: same entry */
		{ 0x1000, 0xb000, false }, { 0x1001, 0xc000, false }, { 0x1000, 0xb000, true },
	};
	struct vpmu_predictor p = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		assert_int_equal(foreseen(&p, VPMU_JUMP_INDIRECT, steps[i].address,
					  steps[i].target), steps[i].foreseen);
	assert_true(foreseen(&p, VPMU_JUMP, 0x5000, 0x6000));
}

static int wrong_returns(uint64_t depth)
{
	struct vpmu_predictor p = { 0 };
	int wrong = 0;

	for (uint64_t i = 0; i < depth; i++)
		assert_true(foreseen(&p, VPMU_CALL, 0x1000 + 16 * i, 0x1010 + 16 * i));
	for (uint64_t i = depth; i-- > 0;)
		wrong += !foreseen(&p, VPMU_RETURN, 0x9000, 0x1005 + 16 * i);
	return wrong;
}

static void sixteen_returns_are_remembered(void **state)
{
	struct vpmu_predictor p = { 0 };

	(void)state;
	assert_int_equal(wrong_returns(16), 0);
	assert_int_equal(wrong_returns(17), 1);
	assert_int_equal(wrong_returns(40), 24);
	assert_false(foreseen(&p, VPMU_RETURN, 0x9000, 0x1000));
	assert_false(foreseen(&p, VPMU_CALL_INDIRECT, 0x1000, 0x7000));
	assert_true(foreseen(&p, VPMU_RETURN, 0x9000, 0x1005));
}

/* ---- translation buffers ---- */

static void walks(struct vpmu_tlb *t, uint64_t pages, uint32_t times[3])
{
	memset(times, 0, 3 * sizeof(times[0]));
	for (uint64_t page = 0; page < pages; page++)
		times[vpmu_tlb_access(t, page)]++;
}

static void tlb_levels(void **state)
{
	struct vpmu_tlb t = { 0 };
	uint32_t n[3];

	(void)state;
	walks(&t, 64, n);
	assert_int_equal(n[VPMU_LONG_WALK], 64);
	walks(&t, 64, n);
	assert_int_equal(n[VPMU_NO_WALK], 64);
	/* Five pages for each set of four, in turn: each is evicted before it is used again. */
	walks(&t, 80, n);
	assert_int_equal(n[VPMU_LONG_WALK], 16);
	walks(&t, 80, n);
	assert_int_equal(n[VPMU_WALK], 80);
	walks(&t, 640, n);
	walks(&t, 640, n);
	assert_int_equal(n[VPMU_LONG_WALK], 640);
	assert_int_equal(vpmu_tlb_access(&t, 639), VPMU_NO_WALK);
}

static void tlb_forgets_the_least_recent(void **state)
{
	struct vpmu_tlb t = { 0 };
	static const uint64_t pages[] = { 0, 16, 32, 48, 0, 64 };	/* one set; 16 is evicted */

	(void)state;
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		vpmu_tlb_access(&t, pages[i]);
	assert_int_equal(vpmu_tlb_access(&t, 0), VPMU_NO_WALK);
	assert_int_equal(vpmu_tlb_access(&t, 32), VPMU_NO_WALK);
	assert_int_equal(vpmu_tlb_access(&t, 16), VPMU_WALK);
}

/* ---- caches without the plugin ---- */

struct bench {
	struct vpmu_segment *s;
	struct vpmu_caches caches;
	struct vpmu_runner r[4];
	uint32_t cpu[4], counts[4][VPMU_CORE_EVENTS];
	uint64_t clock[4];
};

static struct bench *bench_of(const struct vpmu_machine *m)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->s = segment_of(m);
	assert_int_equal(vpmu_caches_open(&b->caches, b->s), 0);
	for (uint32_t i = 0; i < 4; i++) {
		b->r[i].tid = 100 + i;
		b->r[i].cpu_slot = &b->cpu[i];
		b->r[i].clock_slot = &b->clock[i];
		b->r[i].counts = b->counts[i];
		vpmu_caches_place(&b->caches, &b->r[i], i);
	}
	return b;
}

static void bench_free(struct bench *b)
{
	free(b->s);
	free(b);
}

/* Accesses follow each other in time, so that none is contended (contention.h). */
static void go(struct bench *b, uint32_t cpu, uint64_t address, enum vpmu_touch kind)
{
	for (uint32_t i = 0; i < 4; i++)
		if (b->r[i].clock > b->r[cpu].clock)
			b->r[cpu].clock = b->r[i].clock;
	vpmu_caches_access(&b->caches, &b->r[cpu], vpmu_runner_tag(&b->r[cpu], address), kind);
}

#define OF(cpu, event) b->counts[cpu][VPMU_##event]

static void a_shared_l2_is_the_level_behind(void **state)
{
	struct vpmu_machine m = one_set_machine(2, 0, 4);
	struct bench *b;

	(void)state;
	m.llc_level = 2;
	b = bench_of(&m);
	go(b, 0, 0x000, VPMU_LOAD);
	go(b, 0, 0x040, VPMU_STORE);
	go(b, 0, 0x080, VPMU_CODE);
	assert_int_equal(OF(0, L1D_READ_MISSES), 1);
	assert_int_equal(OF(0, L1D_WRITE_MISSES), 1);
	assert_int_equal(OF(0, CODE_MISSES), 1);
	assert_int_equal(OF(0, L2_READ_MISS), 1);
	assert_int_equal(OF(0, L2_WRITE_MISS), 1);
	assert_int_equal(OF(0, L2_CODE_MISS), 1);
	assert_int_equal(OF(0, FILL_READ_MEMORY), 1);
	assert_int_equal(OF(0, FILL_WRITE_MEMORY), 1);
	assert_int_equal(OF(0, FILL_CODE_MEMORY), 1);
	assert_int_equal(OF(0, L2_LINES_IN), 3);
	assert_int_equal(OF(0, L2_LINES_OUT), 0);
	/* Another core: 0 and the code are there unmodified, 0x40 is modified in core 0's L1. */
	go(b, 1, 0x000, VPMU_LOAD);
	go(b, 1, 0x080, VPMU_CODE);
	go(b, 1, 0x040, VPMU_LOAD);
	assert_int_equal(OF(1, L2_READ_HIT_E), 2);
	assert_int_equal(OF(1, L2_CODE_HIT), 1);
	assert_int_equal(OF(1, FILL_READ_CACHE), 2);	/* core 0 still had both lines */
	assert_int_equal(seen.core[0][VPMU_SNOOPED_HITM], 1);
	assert_int_equal(seen.core[0][VPMU_SNOOPED_HIT], 2);
	assert_int_equal(seen.core[0][VPMU_L1D_WRITE_BACKS], 1);
	assert_int_equal(seen.core[0][VPMU_SNOOPED_FOR_READ], 3);
	assert_int_equal(seen.core[0][VPMU_SNOOPED_FOR_WRITE], 0);
	/* Now shared in both L1s: a store requests ownership. */
	go(b, 1, 0x040, VPMU_STORE);
	assert_int_equal(OF(1, L1D_WRITE_MISSES), 0);
	assert_int_equal(OF(1, L2_WRITE_HIT_M), 1);
	assert_int_equal(seen.core[0][VPMU_SNOOPED_HIT], 3);
	assert_int_equal(seen.core[0][VPMU_SNOOPED_FOR_WRITE], 1);
	/* 0x40 is the most recent of the four: the fifth line drops 0x000, then 0x080, then it. */
	for (uint64_t i = 0; i < 4; i++)
		go(b, 2, 0x400 + 64 * i, VPMU_LOAD);
	assert_int_equal(OF(2, L2_LINES_OUT), 3);
	assert_int_equal(OF(2, L2_LINES_OUT_M), 1);
	bench_free(b);
}

static void a_directory_sends_for_other_cores_data(void **state)
{
	struct vpmu_machine m = one_set_machine(2, 4, 16);
	struct bench *b;

	(void)state;
	m.llc_level = 0;
	b = bench_of(&m);
	assert_true(b->caches.layout.directory);
	go(b, 0, 0x000, VPMU_LOAD);
	assert_int_equal(OF(0, FILL_READ_MEMORY), 1);
	go(b, 1, 0x000, VPMU_LOAD);	/* clean, from core 0 */
	assert_int_equal(OF(1, L2_READ_MISS), 1);
	assert_int_equal(OF(1, FILL_READ_CACHE), 1);
	assert_int_equal(seen.core[0][VPMU_SNOOPED_HIT], 1);
	go(b, 1, 0x000, VPMU_STORE);	/* an upgrade: no data */
	assert_int_equal(OF(1, L2_WRITE_HIT_S), 1);
	assert_int_equal(OF(1, FILL_WRITE_CACHE) + OF(1, FILL_WRITE_MEMORY), 0);
	assert_int_equal(seen.core[0][VPMU_SNOOPED_HIT], 2);
	assert_int_equal(seen.writes, 0);
	go(b, 0, 0x000, VPMU_STORE);	/* modified, from core 1: no memory is involved */
	assert_int_equal(OF(0, FILL_WRITE_CACHE), 1);
	assert_int_equal(seen.core[1][VPMU_SNOOPED_HITM], 1);
	assert_int_equal(seen.writes, 0);
	go(b, 2, 0x000, VPMU_LOAD);	/* modified becomes shared: written */
	assert_int_equal(OF(2, FILL_READ_CACHE), 1);
	assert_int_equal(seen.core[0][VPMU_SNOOPED_HITM], 1);
	assert_int_equal(seen.writes, 1);
	assert_int_equal(seen.reads, 1);
	bench_free(b);
}

/* A line that no core has any more is in memory, whatever the directory remembers. */
static void a_directory_has_no_data(void **state)
{
	struct vpmu_machine m = one_set_machine(1, 2, 16);
	struct bench *b;

	(void)state;
	m.llc_level = 0;
	b = bench_of(&m);
	go(b, 0, 0x000, VPMU_STORE);
	for (uint64_t i = 1; i <= 3; i++)
		go(b, 0, 64 * i, VPMU_LOAD);	/* L1 and L2 lose it, memory gets it */
	assert_int_equal(seen.writes, 1);
	assert_int_equal(OF(0, L2_LINES_OUT_M), 1);
	assert_int_equal(seen.reads, 4);
	go(b, 1, 0x000, VPMU_LOAD);
	assert_int_equal(seen.reads, 5);
	assert_int_equal(OF(1, FILL_READ_MEMORY), 1);
	assert_int_equal(seen.core[0][VPMU_SNOOPED_HIT] + seen.core[0][VPMU_SNOOPED_HITM], 0);
	bench_free(b);
	b = bench_of(&m);
	go(b, 0, 0x000, VPMU_STORE);
	for (uint64_t i = 1; i < 24; i++)	/* forgotten, too, without another write */
		go(b, 0, 64 * i, VPMU_LOAD);
	assert_int_equal(seen.writes, 1);
	bench_free(b);
}

static void many_ways_are_split(void **state)
{
	struct vpmu_machine m = one_set_machine(2, 0, 4);
	struct vpmu_layout l;

	(void)state;
	m.llc = (struct vpmu_cache){ 24 * 64 * 1024, 24, 64 };
	assert_int_equal(vpmu_layout_make(&m, &l), 0);
	assert_int_equal(l.llc.ways, 12);
	assert_int_equal(l.llc.sets, 2048);
}

/* ---- memory ---- */

static struct vpmu_machine two_packages(void)
{
	struct vpmu_machine m = one_set_machine(1, 0, 4);

	m.cores = 2;
	m.packages = 2;
	m.memory_boxes = 2;
	return m;
}

#define COMMANDS(package, box, write, page) \
	seen.command[package][box][write][VPMU_PAGE_##page]

static void pages_stay_open(void **state)
{
	struct vpmu_machine m = two_packages();
	struct bench *b;

	(void)state;
	m.packages = 1;
	m.cores = 4;
	b = bench_of(&m);
	go(b, 0, 0x00000, VPMU_LOAD);
	assert_int_equal(COMMANDS(0, 0, 0, EMPTY), 1);
	go(b, 0, 0x00080, VPMU_LOAD);		/* box 0 again, 8 KiB of its lines: 16 KiB */
	go(b, 0, 0x01f80, VPMU_LOAD);
	assert_int_equal(COMMANDS(0, 0, 0, HIT), 2);
	go(b, 0, 0x00040, VPMU_LOAD);		/* bit 6 */
	go(b, 0, 0x02000, VPMU_LOAD);		/* bit 13 */
	assert_int_equal(COMMANDS(0, 1, 0, EMPTY), 1);
	assert_int_equal(COMMANDS(0, 1, 0, HIT), 1);
	go(b, 0, 0x04000, VPMU_LOAD);		/* the next page: another bank */
	assert_int_equal(COMMANDS(0, 0, 0, EMPTY), 2);
	/* Page 33 is in row 1, and there in bank 1 ^ 1: that of page 0. */
	go(b, 0, 33 << 14, VPMU_LOAD);
	assert_int_equal(COMMANDS(0, 0, 0, MISS), 1);
	go(b, 0, 0x00000, VPMU_LOAD);
	assert_int_equal(COMMANDS(0, 0, 0, MISS), 2);
	bench_free(b);
}

static void write_backs_are_write_commands(void **state)
{
	struct vpmu_machine m = two_packages();
	struct bench *b = bench_of(&m);

	(void)state;
	go(b, 0, 0x00040, VPMU_STORE);
	for (uint64_t i = 1; i <= 4; i++)	/* out of the LLC of four lines */
		go(b, 0, 0x20000 + 128 * i, VPMU_LOAD);
	/* To the box of the line that left, whose page is still open; the reads were in box 0. */
	assert_int_equal(COMMANDS(0, 1, 0, EMPTY), 1);
	assert_int_equal(COMMANDS(0, 1, 1, HIT), 1);
	assert_int_equal(COMMANDS(0, 0, 0, EMPTY), 1);
	assert_int_equal(COMMANDS(0, 0, 0, HIT), 3);
	assert_int_equal(COMMANDS(0, 0, 1, HIT) + COMMANDS(0, 0, 1, EMPTY), 0);
	bench_free(b);
}

static void nontemporal_stores_are_write_commands(void **state)
{
	struct vpmu_machine m = two_packages();
	struct bench *b = bench_of(&m);
	struct vpmu_combining w = { .used = 0 };

	(void)state;
	vpmu_lock(b->s);
	vpmu_combining_open(&b->caches, &b->r[2], &w, 0x30040, UINT64_MAX);
	vpmu_combining_open(&b->caches, &b->r[2], &w, 0x30080, 0xffff);
	vpmu_combining_flush(&b->caches, &b->r[2], &w);
	vpmu_unlock(b->s);
	/* Bit 16 as well as bit 6. */
	assert_int_equal(COMMANDS(1, 0, 1, EMPTY), 1);
	assert_int_equal(COMMANDS(1, 1, 1, EMPTY), 1);
	bench_free(b);
}

/* CPUs 0 and 1 are package 0, 2 and 3 package 1. */
static void pages_live_where_they_were_first_touched(void **state)
{
	struct vpmu_machine m = two_packages();
	struct bench *b = bench_of(&m);
	uint64_t in_1 = 0;

	(void)state;
	go(b, 2, 0x80000, VPMU_LOAD);
	go(b, 0, 0x81000, VPMU_LOAD);
	memset(&seen, 0, sizeof(seen));
	b->r[0].clock = 1000000;
	for (uint64_t i = 2; i < 64; i += 2)
		go(b, 0, 0x80000 + 64 * i, VPMU_LOAD);	/* the other package's page */
	for (int page = 0; page < 3; page++)
		in_1 += seen.command[1][0][0][page] + seen.command[1][1][0][page];
	assert_int_equal(in_1, 31);
	assert_int_equal(COMMANDS(0, 0, 0, HIT) + COMMANDS(0, 0, 0, EMPTY), 0);
	assert_true(b->s->uclk[1] >= 1000000);	/* it worked at that time */
	go(b, 3, 0x81040, VPMU_LOAD);
	assert_int_equal(COMMANDS(0, 1, 0, EMPTY), 1);
	assert_int_equal(seen.reads, 32);
	bench_free(b);
}

static void homes_overflow_to_interleaving(void **state)
{
	struct vpmu_machine m = two_packages();
	struct bench *b = bench_of(&m);
	uint32_t home[2] = { 0, 0 };

	(void)state;
	for (uint64_t page = 0; page < 2 * VPMU_HOME_PAGES; page++)
		vpmu_controller_home_package(&b->caches, &b->r[3], page << 12);
	for (uint64_t page = 0; page < 2 * VPMU_HOME_PAGES; page++)
		home[vpmu_controller_home_package(&b->caches, &b->r[0], page << 12)]++;
	/* Package 1 touched all of them; it has those of the table, and half of the others. */
	assert_in_range(home[0], VPMU_HOME_PAGES / 2, VPMU_HOME_PAGES * 6 / 10);
	bench_free(b);
}

static void sequences_use_both_boxes_alike(void **state)
{
	struct vpmu_machine m = two_packages();
	struct bench *b = bench_of(&m);
	uint32_t box[2] = { 0, 0 };

	(void)state;
	for (uint64_t line = 0; line < 65536; line++)
		box[vpmu_controller_box(&b->caches, line << 6)]++;
	assert_int_equal(box[0], 32768);
	box[0] = 0;
	for (uint64_t i = 0; i < 4096; i++)	/* a stride of 8 KiB */
		box[0] += vpmu_controller_box(&b->caches, i << 13) == 0;
	assert_int_equal(box[0], 2048);
	assert_int_equal(vpmu_controller_box(&b->caches, 1 << 16), 1);
	assert_int_equal(vpmu_controller_box(&b->caches, 1 << 20), 1);
	assert_int_equal(vpmu_controller_box(&b->caches, 1 << 21), 0);
	bench_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions_are_learned_by_history),
		cmocka_unit_test(one_deviation_is_forgiven),
		cmocka_unit_test(the_last_target_is_expected),
		cmocka_unit_test(sixteen_returns_are_remembered),
		cmocka_unit_test(tlb_levels),
		cmocka_unit_test(tlb_forgets_the_least_recent),
		cmocka_unit_test(a_shared_l2_is_the_level_behind),
		cmocka_unit_test(a_directory_sends_for_other_cores_data),
		cmocka_unit_test(a_directory_has_no_data),
		cmocka_unit_test(many_ways_are_split),
		cmocka_unit_test(pages_stay_open),
		cmocka_unit_test(write_backs_are_write_commands),
		cmocka_unit_test(nontemporal_stores_are_write_commands),
		cmocka_unit_test(pages_live_where_they_were_first_touched),
		cmocka_unit_test(homes_overflow_to_interleaving),
		cmocka_unit_test(sequences_use_both_boxes_alike),
	};

	return cmocka_run_group_tests_name("feed outcomes", tests, NULL, NULL);
}
