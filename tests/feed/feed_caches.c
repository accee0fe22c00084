/* SPDX-License-Identifier: MIT */
/* The feed's caches against counts worked out by hand, and against a plain LRU list. */
#include "feed_runners.h"

#include <errno.h>

static void compulsory_misses(void **state)
{
	struct vpmu_machine m = one_set_machine(4, 0, 16);

	(void)state;
	start(&m);
	for (int round = 0; round < 3; round++)
		for (uint64_t line = 0; line < 4; line++)
			load(0, line);
	assert_int_equal(READS(VPMU_I), 4);
	assert_int_equal(all_lookups(), 4);
	assert_int_equal(seen.tracker[VPMU_TRK_DATA_READ], 4);
	assert_int_equal(seen.coherent, 4);
	assert_int_equal(seen.requests, 4);
	assert_int_equal(seen.reads, 4);
	assert_int_equal(seen.writes, 0);
	stop_runners();
}

static void code_reads_are_told_apart(void **state)
{
	struct vpmu_machine m = one_set_machine(4, 4, 16);

	(void)state;
	start(&m);
	access_line(0, 1, VPMU_CODE);
	access_line(0, 1, VPMU_CODE);
	load(0, 1);	/* L2 hit */
	assert_int_equal(seen.tracker[VPMU_TRK_CODE_READ], 1);
	assert_int_equal(seen.tracker[VPMU_TRK_DATA_READ], 0);
	assert_int_equal(all_lookups(), 1);
	stop_runners();
}

/* Each numbers its uses by itself, and in the order of their clocks. */
static void two_threads_of_a_core_replace_the_least_recently_used(void **state)
{
	struct vpmu_machine m = one_set_machine(2, 0, 8);

	(void)state;
	start(&m);
	vpmu_caches_place(&caches, &runner[1], 0);
	for (runner[0].clock = 0; runner[0].clock < 1000; runner[0].clock++)
		load(0, 1);
	load(0, 2);
	segment->uclk[0] = runner[0].clock;
	vpmu_runner_catch_up(&runner[1]);
	load(1, 3);	/* 1 falls out */
	load(0, 4);	/* 2 falls out */
	forget();
	load(1, 3);
	load(0, 4);
	assert_int_equal(all_lookups(), 0);
	stop_runners();
}

/* A thread's last loads are in its L1, whatever another thread of the core did. */
static void load_and_keep(uint64_t from, uint64_t lines)
{
	for (uint64_t line = from; line < from + lines; line++)
		load(0, line);
	for (uint64_t line = from + lines - 2; line < from + lines; line++)
		assert_non_null(vpmu_fast_find(&runner[0].l1d,
					       vpmu_runner_tag(&runner[0], line * 64)));
}

static void old_lines_of_another_thread_are_replaced(void **state)
{
	struct vpmu_machine m = one_set_machine(4, 8, 16);

	(void)state;
	m.l2.bytes *= 32;	/* for all lines */
	m.llc.bytes *= 32;
	start(&m);
	vpmu_caches_place(&caches, &runner[1], 0);
	load_and_keep(100, 100);
	vpmu_runner_catch_up(&runner[1]);
	for (uint64_t line = 1; line < 5; line++)
		load(1, line);
	load_and_keep(200, 10);		/* from memory */
	runner[1].clock += 1000000;	/* it has run alone for a while */
	for (uint64_t line = 5; line < 9; line++)
		load(1, line);
	assert_true(vpmu_runner_behind(&runner[0]));
	load_and_keep(100, 10);		/* from the L2 */
	stop_runners();
}

static void l1_replaces_the_least_recently_used(void **state)
{
	struct vpmu_machine m = one_set_machine(2, 0, 8);

	(void)state;
	start(&m);
	load(0, 1);
	load(0, 2);
	load(0, 1);
	load(0, 3);	/* 2 falls out */
	forget();
	load(0, 1);
	load(0, 3);
	assert_int_equal(all_lookups(), 0);
	load(0, 2);
	assert_int_equal(READS(VPMU_E), 1);
	assert_int_equal(all_lookups(), 1);
	stop_runners();
}

static void l2_replaces_the_least_recently_used(void **state)
{
	struct vpmu_machine m = one_set_machine(1, 2, 8);

	(void)state;
	start(&m);
	load(0, 1);
	load(0, 2);	/* L1 2 | L2 2 1 */
	load(0, 1);	/* L1 1 | L2 1 2 */
	load(0, 3);	/* L1 3 | L2 3 1 */
	forget();
	load(0, 1);
	assert_int_equal(all_lookups(), 0);
	load(0, 2);
	assert_int_equal(READS(VPMU_E), 1);
	stop_runners();
}

static void llc_takes_its_lines_out_of_the_cores(void **state)
{
	struct vpmu_machine m = one_set_machine(8, 0, 2);

	(void)state;
	start(&m);
	load(0, 1);
	load(0, 2);
	load(0, 3);	/* 1 leaves the LLC, hence the L1, which had room */
	assert_int_equal(EVICTION(VPMU_SNOOP_HIT), 1);
	assert_int_equal(all_snoops(), 1);
	load(0, 1);	/* 2 leaves */
	assert_int_equal(READS(VPMU_I), 4);
	assert_int_equal(EVICTION(VPMU_SNOOP_HIT), 2);
	assert_int_equal(seen.writes, 0);
	stop_runners();
}

static void clean_l1_eviction_leaves_a_stale_bit(void **state)
{
	struct vpmu_machine m = one_set_machine(1, 0, 2);

	(void)state;
	start(&m);
	load(0, 1);
	load(0, 2);	/* 1 leaves the L1 in silence */
	load(0, 3);	/* 1 leaves the LLC; the core is asked and does not have it */
	assert_int_equal(EVICTION(VPMU_SNOOP_MISS), 1);
	assert_int_equal(all_snoops(), 1);
	stop_runners();
}

static void exclusive_becomes_modified_in_silence(void **state)
{
	struct vpmu_machine m = one_set_machine(4, 0, 2);

	(void)state;
	start(&m);
	load(0, 1);
	store(0, 1);
	store(0, 1);
	assert_int_equal(all_lookups(), 1);
	load(0, 2);
	load(0, 3);	/* 1 leaves the LLC, modified in the core */
	assert_int_equal(EVICTION(VPMU_SNOOP_HITM), 1);
	assert_int_equal(seen.tracker[VPMU_TRK_EVICTION], 1);
	assert_int_equal(seen.writes, 1);
	assert_int_equal(seen.requests, 4);
	stop_runners();
}

static void store_to_a_shared_line_asks_for_ownership(void **state)
{
	struct vpmu_machine m = one_set_machine(4, 4, 8);

	(void)state;
	start(&m);
	load(0, 1);			/* I; core 0 exclusive */
	load(1, 1);			/* E; core 0 has it clean; both shared */
	assert_int_equal(READS(VPMU_E), 1);
	assert_int_equal(XCORE(VPMU_SNOOP_HIT), 1);
	load(2, 1);			/* S; nobody needs to be asked */
	assert_int_equal(READS(VPMU_S), 1);
	assert_int_equal(all_snoops(), 1);
	forget();
	store(0, 1);			/* S; both others lose it */
	assert_int_equal(READS(VPMU_S), 1);
	assert_int_equal(all_lookups(), 1);
	assert_int_equal(XCORE(VPMU_SNOOP_HIT), 2);
	forget();
	load(1, 1);			/* E; core 0 has it modified; the data goes to the LLC */
	assert_int_equal(READS(VPMU_E), 1);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 1);
	load(2, 1);			/* M, and all shared: not asked */
	assert_int_equal(READS(VPMU_M), 1);
	assert_int_equal(all_snoops(), 1);
	store(2, 1);			/* 0 and 1 lose it */
	assert_int_equal(READS(VPMU_M), 2);
	assert_int_equal(XCORE(VPMU_SNOOP_HIT), 2);
	assert_int_equal(seen.reads + seen.writes, 0);
	stop_runners();
}

static void snoop_of_a_core_that_dropped_the_line(void **state)
{
	struct vpmu_machine m = one_set_machine(1, 0, 8);

	(void)state;
	start(&m);
	load(0, 1);
	load(0, 2);		/* core 0 drops 1 */
	load(1, 1);
	assert_int_equal(XCORE(VPMU_SNOOP_MISS), 1);
	forget();
	store(1, 1);		/* it was granted exclusively */
	assert_int_equal(all_lookups(), 0);
	load(0, 1);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 1);
	stop_runners();
}

static void ping_pong(void **state)
{
	struct vpmu_machine m = one_set_machine(4, 4, 8);

	(void)state;
	start(&m);
	store(0, 1);
	forget();
	for (int i = 0; i < 10; i++) {
		runner[1].clock = runner[0].clock;	/* it has waited for the other one */
		store(1, 1);
		runner[0].clock = runner[1].clock;
		store(0, 1);
	}
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 20);
	assert_int_equal(all_snoops(), 20);
	/* Modified data passes through the LLC: E only the first time. */
	assert_int_equal(READS(VPMU_E), 1);
	assert_int_equal(READS(VPMU_M), 19);
	assert_int_equal(seen.requests, 0);
	stop_runners();
}

static void dirty_lines_go_down_level_by_level(void **state)
{
	struct vpmu_machine m = one_set_machine(1, 2, 4);

	(void)state;
	start(&m);
	store(0, 1);		/* L1 1m | L2 1 | LLC 1 */
	store(0, 2);		/* L1 2m | L2 2 1m */
	assert_int_equal(all_lookups(), 2);
	store(0, 3);		/* the L2 drops 1m for 3, then takes 2m */
	assert_int_equal(WRITES(VPMU_E), 1);
	forget();
	load(0, 1);		/* LLC M; its last owner kept nothing: exclusive. The L2 drops 2m */
	assert_int_equal(READS(VPMU_M), 1);
	assert_int_equal(WRITES(VPMU_E), 1);
	assert_int_equal(all_snoops(), 0);
	store(0, 1);
	load(0, 4);		/* the L2 drops 3m, takes 1m again */
	assert_int_equal(WRITES(VPMU_E), 2);
	load(0, 5);		/* LLC: 2 M leaves; the L2 drops 1m, found M */
	assert_int_equal(WRITES(VPMU_M), 1);
	assert_int_equal(seen.writes, 1);
	assert_int_equal(EVICTION(VPMU_SNOOP_MISS), 0);	/* the write-back had cleared the bit */
	stop_runners();
}

/* The L2 drops line 1 with newer data while an L1 has it again, in one way of that L1 and in the
 * other: the LLC still knows, so another core's store reaches that copy. */
static void the_llc_remembers_what_an_l1_keeps(enum vpmu_touch kind, bool other_way)
{
	struct vpmu_machine m = one_set_machine(2, 2, 16);

	start(&m);
	if (other_way)
		access_line(0, 100, kind);
	store(0, 1);
	load(0, 2);
	load(0, 3);			/* the L1 gives 1m to the L2 */
	access_line(0, 1, kind);	/* from the L2, which keeps 1m */
	load(0, 4);
	access_line(0, 1, kind);	/* newest of its L1, oldest of the L2 */
	forget();
	load(0, 5);			/* the L2 drops 1m */
	assert_int_equal(WRITES(VPMU_E), 1);
	access_line(0, 1, kind);
	assert_int_equal(all_lookups(), 2);	/* 5, and what was dropped */
	store(1, 1);
	assert_int_equal(all_snoops(), 1);
	assert_int_equal(XCORE(VPMU_SNOOP_HIT), 1);
	access_line(0, 1, kind);
	assert_int_equal(all_lookups(), 4);
	stop_runners();
}

static void a_copy_that_outlives_the_l2s_is_found(void **state)
{
	(void)state;
	for (int way = 0; way < 2; way++) {
		the_llc_remembers_what_an_l1_keeps(VPMU_LOAD, way);
		the_llc_remembers_what_an_l1_keeps(VPMU_CODE, way);
	}
}

static void every_bit_of_an_address_tells_lines_apart(void **state)
{
	struct vpmu_machine m = one_set_machine(16, 0, 16);

	(void)state;
	for (int bit = 0; bit < 48; bit++) {
		start(&m);
		for (int i = 0; i < 2; i++)
			vpmu_caches_access(&caches, &runner[0],
					   vpmu_runner_tag(&runner[0], (uint64_t)i << bit),
					   VPMU_LOAD);
		assert_int_equal(all_lookups(), bit < 6 ? 1 : 2);
		stop_runners();
	}
}

static void gather(struct vpmu_combining *w, uint64_t line, uint64_t bytes)
{
	if (vpmu_combining_add(w, line * 64, bytes))
		return;
	vpmu_lock(segment);
	vpmu_combining_open(&caches, &runner[0], w, line * 64, bytes);
	vpmu_unlock(segment);
}

static void flush(struct vpmu_combining *w)
{
	vpmu_lock(segment);
	vpmu_combining_flush(&caches, &runner[0], w);
	vpmu_unlock(segment);
}

static void nontemporal_full_line(void **state)
{
	struct vpmu_machine m = one_set_machine(4, 4, 8);
	struct vpmu_combining w = { .used = 0 };

	(void)state;
	start(&m);
	store(0, 1);
	store(1, 1);
	forget();
	for (int i = 0; i < 8; i++)
		gather(&w, 1, 0xffull << 8 * i);
	flush(&w);
	/* Core 1 had it modified; that data is dead. */
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 1);
	assert_int_equal(seen.requests, 1);
	assert_int_equal(seen.writes, 1);
	assert_int_equal(seen.tracker[VPMU_TRK_WRITE], 1);
	assert_int_equal(all_lookups(), 0);
	load(1, 1);
	assert_int_equal(READS(VPMU_I), 1);
	stop_runners();
}

static void nontemporal_part_of_a_line(void **state)
{
	struct vpmu_machine m = one_set_machine(4, 4, 8);
	struct vpmu_combining w = { .used = 0 };

	(void)state;
	start(&m);
	gather(&w, 1, 0xff);
	gather(&w, 1, 0xf0ull << 16);	/* the third piece, half */
	flush(&w);
	assert_int_equal(seen.requests, 2);
	assert_int_equal(seen.writes, 1);
	store(0, 2);
	forget();
	gather(&w, 2, 0xff);		/* over modified data: that goes first */
	flush(&w);
	assert_int_equal(seen.requests, 2);
	assert_int_equal(seen.writes, 2);
	forget();
	for (uint64_t line = 10; line < 15; line++)
		gather(&w, line, 0xff);	/* five lines, four buffers */
	assert_int_equal(seen.requests, 1);
	flush(&w);
	assert_int_equal(seen.requests, 5);
	assert_int_equal(seen.writes, 5);
	stop_runners();
}

static void lines_come_at_the_pace_of_the_buffers(void **state)
{
	struct vpmu_machine m = one_set_machine(8, 0, 16);	/* 2 buffers, 100 clocks, hit 30 */
	static const uint64_t begin[] = { 0, 0, 100, 150, 200 };

	(void)state;
	start(&m);
	for (uint64_t line = 0; line < 5; line++)
		load(0, line);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(seen.start[i], begin[i]);
		assert_int_equal(seen.end[i], begin[i] + 100);
	}
	assert_int_equal(runner[0].clock, 200);
	load(1, 7);		/* another core has its own buffers and its own clock */
	assert_int_equal(seen.start[5], 0);
	load(1, 0);		/* the other buffer, until 15 clocks after that */
	assert_int_equal(runner[1].clock, 0);
	load(1, 1);
	load(1, 2);
	assert_int_equal(runner[1].clock, 115);
	stop_runners();
}

static void spaces_do_not_share(void **state)
{
	struct vpmu_machine m = one_set_machine(8, 0, 16);

	(void)state;
	start(&m);
	runner[1].space = 1ull << VPMU_SPACE_SHIFT;
	load(0, 1);
	load(1, 1);
	assert_int_equal(READS(VPMU_I), 2);
	assert_int_equal(all_snoops(), 0);
	stop_runners();
}

/* ---- slices ---- */

#define SLICES_HERE 10	/* machines have 1 to 8, and 10 */

static struct vpmu_machine sliced_machine(uint32_t slices)
{
	struct vpmu_machine m = one_set_machine(8, 0, 16);

	m.slices = slices;
	m.llc = (struct vpmu_cache){ slices * 64 * 16 * 32, 16, 64 };
	return m;
}

static void count_slices(uint64_t stride, uint64_t lines, uint64_t *count)
{
	uint32_t set;

	memset(count, 0, VPMU_SLICES_MAX * sizeof(*count));
	for (uint64_t i = 0; i < lines; i++)
		count[vpmu_caches_slice(&caches, (0x7f0000000ull + i * stride) << 6, &set)]++;
}

static void slices_are_balanced(void **state)
{
	uint64_t count[VPMU_SLICES_MAX];

	(void)state;
	for (uint32_t slices = 1; slices <= SLICES_HERE; slices += slices == 8 ? 2 : 1) {
		struct vpmu_machine m = sliced_machine(slices);

		start(&m);
		count_slices(1, 840 * 10, count);
		for (uint32_t i = 0; i < slices; i++)	/* whole groups, give or take the ends */
			assert_in_range(count[i], 8400 / slices - 1, 8400 / slices + 1);
		for (uint64_t stride = 2; stride <= 4096; stride++) {
			count_slices(stride, 4096, count);
			/* A quarter of the even share is 5 standard deviations of chance. */
			for (uint32_t i = 0; i < slices; i++)
				assert_in_range(count[i], 4096 / slices * 3 / 4,
						4096 / slices * 5 / 4 + 1);
		}
		stop_runners();
	}
}

/* Every line of a cache-sized run has a place of its own: the whole LLC is usable. */
static void slices_and_sets_cover_the_llc(void **state)
{
	(void)state;
	for (uint32_t slices = 1; slices <= SLICES_HERE; slices += slices == 8 ? 2 : 1) {
		struct vpmu_machine m = sliced_machine(slices);
		uint8_t used[VPMU_SLICES_MAX][32] = { { 0 } };

		start(&m);
		for (uint64_t line = 0; line < slices * 32; line++) {
			uint32_t set, slice = vpmu_caches_slice(&caches, line << 6, &set);

			assert_true(slice < slices && set < 32);
			assert_int_equal(used[slice][set]++, 0);
		}
		stop_runners();
	}
}

/* ---- against an independent simulation ---- */

#define REF_SETS 48
#define REF_WAYS 6

static struct { uint64_t line, last; } ref[REF_SETS][REF_WAYS];

static bool ref_misses(uint64_t line, uint64_t now)
{
	uint32_t oldest = 0;
	uint64_t set = line % REF_SETS;

	for (uint32_t way = 0; way < REF_WAYS; way++) {
		if (ref[set][way].last && ref[set][way].line == line) {
			ref[set][way].last = now;
			return false;
		}
		if (ref[set][way].last < ref[set][oldest].last)
			oldest = way;
	}
	ref[set][oldest].line = line;
	ref[set][oldest].last = now;
	return true;
}

/* A one-line L1 hides nothing but repetitions, which change no order. Sets: not a power of two. */
static void misses_as_a_plain_lru_has_them(void **state)
{
	struct vpmu_machine m = one_set_machine(1, 0, 16);
	uint64_t misses = 0, x = 1;

	(void)state;
	m.llc = (struct vpmu_cache){ REF_SETS * REF_WAYS * 64, REF_WAYS, 64 };
	start(&m);
	memset(ref, 0, sizeof(ref));
	for (uint64_t now = 1; now <= 200000; now++) {
		uint64_t line;

		x = x * 6364136223846793005ull + 1442695040888963407ull;
		line = (x >> 33) % 500;
		misses += ref_misses(line, now);
		if (x >> 63)
			load(0, line);
		else
			store(0, line);
	}
	assert_in_range(misses, 50000, 150000);	/* the case is worth something */
	assert_int_equal(READS(VPMU_I), misses);
	assert_int_equal(seen.reads, misses);
	stop_runners();
}

/* ---- the order word ---- */

static void naive_move(uint32_t *order, uint32_t ways, uint32_t way, bool to_front)
{
	uint32_t at = 0;

	while (order[at] != way)
		at++;
	for (; to_front && at > 0; at--)
		order[at] = order[at - 1];
	for (; !to_front && at + 1 < ways; at++)
		order[at] = order[at + 1];
	order[at] = way;
}

static void order_word_follows_a_plain_list(void **state)
{
	uint64_t stored, words[16], x = 7;

	(void)state;
	for (uint32_t ways = 1; ways <= 16; ways++) {
		struct vpmu_set set = { &stored, words, ways };
		uint32_t order[16];

		stored = 0;
		for (uint32_t i = 0; i < ways; i++)
			order[i] = i;
		for (int i = 0; i < 20000; i++) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			uint32_t way = (uint32_t)(x >> 40) % ways;

			if (x >> 62)
				set_touch(&stored, way);
			else
				set_remove(&set, way);
			naive_move(order, ways, way, x >> 62);
			assert_int_equal(set_last(&set), order[ways - 1]);
		}
	}
}

static void refused(const struct vpmu_machine *m)
{
	struct vpmu_layout layout;

	assert_int_equal(vpmu_layout_make(m, &layout), -EINVAL);
	assert_int_equal(vpmu_caches_bytes(m), 0);
}

static void bad_geometries_are_refused(void **state)
{
	struct vpmu_machine m = one_set_machine(4, 4, 8);

	(void)state;
	assert_int_not_equal(vpmu_caches_bytes(&m), 0);
	m.llc.ways = 17;
	refused(&m);
	m = one_set_machine(0, 4, 8);
	refused(&m);
	m = one_set_machine(4, 4, 8);
	m.cores = 65;
	refused(&m);
	m = one_set_machine(4, 4, 8);
	m.fill_buffers = 0;
	refused(&m);
	m = one_set_machine(4, 4, 8);
	start(&m);
	segment->caches_bytes--;
	assert_int_equal(vpmu_caches_open(&caches, segment), -EINVAL);
	segment->caches_bytes++;
	segment->machine.llc.ways = 17;
	assert_int_equal(vpmu_caches_open(&caches, segment), -EINVAL);
	stop_runners();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compulsory_misses),
		cmocka_unit_test(code_reads_are_told_apart),
		cmocka_unit_test(l1_replaces_the_least_recently_used),
		cmocka_unit_test(two_threads_of_a_core_replace_the_least_recently_used),
		cmocka_unit_test(old_lines_of_another_thread_are_replaced),
		cmocka_unit_test(l2_replaces_the_least_recently_used),
		cmocka_unit_test(llc_takes_its_lines_out_of_the_cores),
		cmocka_unit_test(clean_l1_eviction_leaves_a_stale_bit),
		cmocka_unit_test(exclusive_becomes_modified_in_silence),
		cmocka_unit_test(store_to_a_shared_line_asks_for_ownership),
		cmocka_unit_test(snoop_of_a_core_that_dropped_the_line),
		cmocka_unit_test(ping_pong),
		cmocka_unit_test(dirty_lines_go_down_level_by_level),
		cmocka_unit_test(a_copy_that_outlives_the_l2s_is_found),
		cmocka_unit_test(every_bit_of_an_address_tells_lines_apart),
		cmocka_unit_test(nontemporal_full_line),
		cmocka_unit_test(nontemporal_part_of_a_line),
		cmocka_unit_test(lines_come_at_the_pace_of_the_buffers),
		cmocka_unit_test(spaces_do_not_share),
		cmocka_unit_test(slices_are_balanced),
		cmocka_unit_test(slices_and_sets_cover_the_llc),
		cmocka_unit_test(misses_as_a_plain_lru_has_them),
		cmocka_unit_test(order_word_follows_a_plain_list),
		cmocka_unit_test(bad_geometries_are_refused),
	};

	return cmocka_run_group_tests_name("feed caches", tests, NULL, NULL);
}
