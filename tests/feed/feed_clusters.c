/* SPDX-License-Identifier: MIT */
/* Clusters of E cores, which share an L2, against counts worked out by hand. CPU 0 is a P core, 1
 * and 2 are a cluster, 3 and 4 another. */
#include "feed_runners.h"

static struct vpmu_machine hybrid(uint32_t l1, uint32_t l2, uint32_t llc)
{
	struct vpmu_machine m = one_set_machine(l1, l2, llc);

	m.cores = 5;
	m.smt_adjacent = 1;
	m.little = (struct vpmu_little){
		.cores = 4, .cluster = 2, .l1i = m.l1i, .l1d = m.l1d, .l2 = m.l2,
	};
	return m;
}

static bool l1_has(int cpu, uint64_t line)
{
	return vpmu_fast_find(&runner[cpu].l1d, vpmu_runner_tag(&runner[cpu], line * 64));
}

static void a_cluster_reads_a_line_once(void **state)
{
	struct vpmu_machine m = hybrid(2, 4, 16);

	(void)state;
	start(&m);
	load(1, 7);
	load(2, 7);
	access_line(2, 7, VPMU_CODE);
	assert_int_equal(READS(VPMU_I), 1);
	assert_int_equal(all_lookups(), 1);
	assert_true(l1_has(1, 7) && l1_has(2, 7));
	load(3, 7);
	assert_int_equal(READS(VPMU_E), 1);
	assert_int_equal(XCORE(VPMU_SNOOP_HIT), 1);
	assert_int_equal(all_snoops(), 1);
	stop_runners();
}

static void a_store_takes_the_line_from_the_other_core(void **state)
{
	struct vpmu_machine m = hybrid(2, 4, 16);

	(void)state;
	start(&m);
	load(1, 7);
	load(2, 7);
	store(1, 7);
	assert_true(l1_has(1, 7) && !l1_has(2, 7));
	store(2, 7);
	assert_true(l1_has(2, 7) && !l1_has(1, 7));
	load(1, 7);
	assert_true(l1_has(2, 7) && l1_has(1, 7));
	store(1, 7);	/* which got it shared, although the cluster alone has it */
	assert_false(l1_has(2, 7));
	assert_int_equal(all_lookups(), 1);
	assert_int_equal(all_snoops(), 0);
	stop_runners();
}

/* Modified in the first core's L1 when the second reads it, it is modified to the outside. */
static void modified_lines_are_the_clusters(void **state)
{
	struct vpmu_machine m = hybrid(2, 4, 16);

	(void)state;
	start(&m);
	store(1, 7);
	load(2, 7);
	load(0, 7);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 1);
	forget();
	store(2, 7);	/* all have it shared */
	assert_int_equal(all_lookups(), 1);
	assert_int_equal(XCORE(VPMU_SNOOP_HIT), 1);
	assert_false(l1_has(0, 7) || l1_has(1, 7));
	store(0, 7);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 1);
	assert_int_equal(all_snoops(), 2);
	assert_false(l1_has(2, 7));
	assert_int_equal(seen.reads + seen.writes, 0);
	stop_runners();
}

/* Line 1 is modified in the L2, and line 2 only in an L1: for line 2 the L2 lets line 1 go. */
static void the_l2_gets_what_only_an_l1_had(void **state)
{
	struct vpmu_machine m = hybrid(2, 1, 16);

	(void)state;
	start(&m);
	store(1, 1);
	store(1, 2);	/* L1 2 1 | L2 2 */
	load(1, 3);	/* L1 3 2 | L2 1 */
	forget();
	load(2, 2);
	assert_int_equal(WRITES(VPMU_E), 1);
	assert_int_equal(all_lookups(), 1);
	forget();
	load(0, 2);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 1);
	load(0, 1);
	assert_int_equal(READS(VPMU_M), 1);
	assert_int_equal(seen.reads + seen.writes, 0);
	stop_runners();
}

static void llc_takes_its_lines_out_of_all_cores(void **state)
{
	struct vpmu_machine m = hybrid(2, 4, 2);

	(void)state;
	start(&m);
	load(3, 1);
	load(4, 1);
	load(0, 2);
	load(0, 3);
	assert_int_equal(EVICTION(VPMU_SNOOP_HIT), 1);
	assert_int_equal(all_snoops(), 1);
	assert_false(l1_has(3, 1) || l1_has(4, 1));
	stop_runners();
}

/* Ten lines of each core, two L1 sets' worth: the two of a cluster share one L2 of 16 ways, and the
 * P core has its own. */
static void an_l2_is_shared_by_two(void **state)
{
	struct vpmu_machine m = hybrid(2, 16, 64);

	(void)state;
	m.llc = (struct vpmu_cache){ 64 * 64, 16, 64 };
	start(&m);
	for (int round = 0; round < 2; round++) {
		forget();
		for (uint64_t line = 0; line < 8; line++)
			for (int cpu = 0; cpu < 3; cpu++)
				load(cpu, line * 4 + (uint64_t)cpu);
	}
	assert_int_equal(all_lookups(), 0);	/* 8 lines of the P core, 16 of the cluster */
	load(2, 8 * 4 + 2);
	load(1, 1);	/* it fell out of the L2 for that one */
	assert_int_equal(READS(VPMU_I), 1);
	assert_int_equal(READS(VPMU_E), 1);
	assert_int_equal(all_lookups(), 2);
	stop_runners();
}

/* CPUs 3 and 4 are not behind the LLC. */
static struct vpmu_machine away(uint32_t l1, uint32_t l2, uint32_t llc)
{
	struct vpmu_machine m = hybrid(l1, l2, llc);

	m.little.away = 2;
	return m;
}

static void who_is_away_reads_past_the_llc(void **state)
{
	struct vpmu_machine m = away(1, 1, 16);

	(void)state;
	start(&m);
	load(3, 1);
	load(4, 1);		/* in its cluster's L2 */
	load(3, 2);		/* line 1 leaves the cluster's L2 */
	load(4, 2);
	access_line(3, 1, VPMU_CODE);
	assert_int_equal(all_lookups(), 0);
	assert_int_equal(seen.away_requests[VPMU_TRK_DATA_READ], 2);
	assert_int_equal(seen.away_requests[VPMU_TRK_CODE_READ], 1);
	assert_int_equal(seen.away_tracker[VPMU_TRK_DATA_READ], 2);
	assert_int_equal(seen.away_tracker[VPMU_TRK_CODE_READ], 1);
	assert_int_equal(seen.tracker[VPMU_TRK_DATA_READ], 0);
	assert_int_equal(seen.reads, 3);	/* the LLC had no data of line 1 */
	stop_runners();
}

static void who_is_away_writes_past_the_llc(void **state)
{
	struct vpmu_machine m = away(1, 1, 16);

	(void)state;
	start(&m);
	store(3, 1);
	load(3, 2);		/* L1 2 | L2 1, modified */
	assert_int_equal(seen.writes, 0);
	load(3, 3);
	assert_int_equal(seen.writes, 1);
	assert_int_equal(seen.away_requests[VPMU_TRK_WRITE], 1);
	assert_int_equal(seen.away_tracker[VPMU_TRK_EVICTION], 1);
	assert_int_equal(seen.tracker[VPMU_TRK_EVICTION], 0);
	assert_int_equal(all_lookups(), 0);
	stop_runners();
}

/* A line that one side has is supplied to the other from there; the LLC takes it when asked. */
static void both_sides_agree_on_a_line(void **state)
{
	struct vpmu_machine m = away(2, 4, 16);

	(void)state;
	start(&m);
	store(3, 7);
	load(0, 7);
	assert_int_equal(READS(VPMU_I), 1);
	assert_int_equal(all_lookups(), 1);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 1);
	assert_int_equal(seen.reads, 1);	/* the store's */
	forget();
	load(1, 7);
	assert_int_equal(READS(VPMU_M), 1);
	store(4, 7);
	assert_false(l1_has(0, 7) || l1_has(1, 7) || l1_has(3, 7));
	assert_int_equal(all_lookups(), 1);
	assert_int_equal(seen.away_requests[VPMU_TRK_DATA_READ], 1);
	load(0, 7);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 1);
	assert_int_equal(seen.reads + seen.writes, 0);
	stop_runners();
}

static void a_clean_line_of_the_other_side_is_shared(void **state)
{
	struct vpmu_machine m = away(2, 4, 16);

	(void)state;
	start(&m);
	load(3, 7);
	load(0, 7);
	assert_int_equal(XCORE(VPMU_SNOOP_HIT), 1);
	store(0, 7);
	assert_false(l1_has(3, 7));
	assert_int_equal(XCORE(VPMU_SNOOP_HIT), 2);
	assert_int_equal(seen.reads, 1);
	/* The first one drops it: the LLC, which has it now, need not ask memory. */
	load(3, 7);
	assert_int_equal(seen.reads, 1);
	stop_runners();
}

static void fill_buffers_are_a_cores_own(void **state)
{
	struct vpmu_machine m = hybrid(2, 4, 16);

	(void)state;
	start(&m);
	for (uint64_t line = 0; line < 2; line++) {
		load(1, line);
		load(2, 10 + line);
	}
	assert_int_equal(runner[1].clock + runner[2].clock, 0);
	load(1, 5);	/* waits for its first one's 100 clocks */
	assert_int_equal(runner[1].clock, 100);
	assert_int_equal(runner[2].clock, 0);
	stop_runners();
}

static void bad_clusters_are_refused(void **state)
{
	struct vpmu_machine good = hybrid(2, 4, 16), m = good;

	(void)state;
	assert_int_not_equal(vpmu_caches_bytes(&m), 0);
	m.little.cluster = 0;
	assert_int_equal(vpmu_caches_bytes(&m), 0);
	m.little.cluster = VPMU_CLUSTER_MAX + 1;
	assert_int_equal(vpmu_caches_bytes(&m), 0);
	m = good;
	m.little.cores = 6;
	assert_int_equal(vpmu_caches_bytes(&m), 0);
	m = good;
	m.little.l2.bytes = 0;
	assert_int_equal(vpmu_caches_bytes(&m), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cluster_reads_a_line_once),
		cmocka_unit_test(a_store_takes_the_line_from_the_other_core),
		cmocka_unit_test(modified_lines_are_the_clusters),
		cmocka_unit_test(the_l2_gets_what_only_an_l1_had),
		cmocka_unit_test(llc_takes_its_lines_out_of_all_cores),
		cmocka_unit_test(an_l2_is_shared_by_two),
		cmocka_unit_test(fill_buffers_are_a_cores_own),
		cmocka_unit_test(who_is_away_reads_past_the_llc),
		cmocka_unit_test(who_is_away_writes_past_the_llc),
		cmocka_unit_test(both_sides_agree_on_a_line),
		cmocka_unit_test(a_clean_line_of_the_other_side_is_shared),
		cmocka_unit_test(bad_clusters_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
