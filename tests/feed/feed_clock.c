/* SPDX-License-Identifier: MIT */
/* Costs of misses where the clock estimates time: the reorder buffer, producers of addresses, page
 * walks, lines from the L2 and lines that another core has modified. Expected clocks are sums of
 * the machine's latencies, 30 of the LLC and 100 of memory, and of what clock.h states. */
#include "feed_runners.h"

#define MEMORY 100u
#define LLC 30u
#define BUFFERS 4u
#define PLAIN 0u		/* sites: of a load that depends on none, of one that does */
#define DEPENDENT VPMU_SITES_PLAIN

static struct vpmu_tlb dtlb[RUNNERS];

static void begin(void)
{
	const struct vpmu_machine m = {
		.name = "test", .family_id = 1, .core_design = VPMU_SKYLAKE_CORES,
		.packages = 1, .cores = 4, .threads = 1, .slices = 1,
		.l1i = { 1024, 8, 64 }, .l1d = { 1024, 8, 64 }, .l2 = { 16384, 4, 64 },
		.llc = { 262144, 16, 64 }, .llc_level = 3,
		.llc_clocks = LLC, .memory_clocks = MEMORY, .write_clocks = 60,
		.fill_buffers = BUFFERS,
	};

	start(&m);
	memset(dtlb, 0, sizeof(dtlb));
	for (uint32_t i = 0; i < RUNNERS; i++) {
		dtlb[i].shape = &vpmu_tlb_skl_data;
		runner[i].dtlb = &dtlb[i];
	}
	for (uint32_t i = 0; i < VPMU_SITES; i++)
		vpmu_site_same[i] = (uint16_t)i;
	vpmu_site_producer[0] = PLAIN;
}

static struct vpmu_runner *self(void)
{
	return &runner[0];
}

/* The page is in the first level of the translation buffer. */
static void translate_line(uint64_t line)
{
	vpmu_tlb_access(self()->dtlb, vpmu_runner_tag(self(), line * 64) >> VPMU_PAGE_SHIFT);
}

/* A load of the instruction with this site that misses the L1. */
static void miss(uint32_t site, uint64_t line)
{
	vpmu_runner_load_begins(self(), site, vpmu_runner_tag(self(), line * 64));
	load(0, line);
	vpmu_runner_load_ends(self(), site);
}

/* The same where the page is known. Returns the clocks that the thread stalls. */
static uint64_t stall(uint32_t site, uint64_t line)
{
	uint64_t before = self()->clock;

	translate_line(line);
	miss(site, line);
	return self()->clock - before;
}

static void execute(uint64_t instructions, uint64_t clocks)
{
	self()->instructions += instructions;
	self()->clock += clocks;
}

/* 448 instructions in 40 clocks: with 224 behind the load, 20 clocks after it, the thread stops
 * until the line is there, and executes the others in 20 clocks. */
static void a_full_reorder_buffer_stops(void **state)
{
	(void)state;
	begin();
	assert_int_equal(self()->window_size, 224);
	assert_int_equal(stall(PLAIN, 1), 0);
	execute(2 * 224, 40);
	assert_int_equal(stall(PLAIN, 2), MEMORY - 20);
	assert_int_equal(self()->clock, MEMORY + 20);
	stop_runners();
}

static void a_reorder_buffer_with_room_does_not(void **state)
{
	(void)state;
	begin();
	stall(PLAIN, 1);
	execute(224, 40);
	assert_int_equal(stall(PLAIN, 2), 0);
	stop_runners();

	/* the line of the first load was there before the buffer was full */
	begin();
	stall(PLAIN, 1);
	execute(2 * 224, 2 * MEMORY);
	assert_int_equal(stall(PLAIN, 2), 0);
	stop_runners();
}

static void later_cores_have_larger_buffers(void **state)
{
	static const struct { const char *name; uint32_t window; } rows[] = {
		{ "skl-4c8t", 224 }, { "bdw-4c8t", 224 }, { "icl-4c8t", 352 },
		{ "adl-8p8e24t", 512 }, { "lnl-4p4e8t", 512 },
	};
	struct vpmu_machine m;
	char why[512];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(vpmu_machine_parse(rows[i].name, &m, why, sizeof(why)), 0);
		start(&m);
		assert_int_equal(self()->window_size, rows[i].window);
		stop_runners();
	}
}

static void a_load_waits_for_its_producer(void **state)
{
	(void)state;
	begin();
	assert_int_equal(stall(PLAIN, 1), 0);
	execute(4, 5);
	assert_int_equal(stall(DEPENDENT, 2), MEMORY - 5);
	/* the next pointer: by the producer's last line, which is there */
	execute(4, 5);
	assert_int_equal(stall(DEPENDENT, 3), 0);
	stop_runners();
}

/* a[b[i]]: the index hits, so its load does not miss and is not seen. */
static void a_producer_that_hits_delays_nothing(void **state)
{
	(void)state;
	begin();
	assert_int_equal(stall(DEPENDENT, 1), 0);
	execute(4, 5);
	assert_int_equal(stall(DEPENDENT, 2), 0);
	stop_runners();
}

/* p->value misses, and p->next, by the same register, is in that line. */
static void loads_of_one_line_share_its_arrival(void **state)
{
	(void)state;
	begin();
	vpmu_site_same[1] = PLAIN;
	vpmu_site_producer[0] = 1;
	stall(PLAIN, 1);
	execute(4, 5);
	assert_int_equal(stall(DEPENDENT, 2), MEMORY - 5);
	stop_runners();
}

/* A walk of 26 delays the thread and the line by half each, as two are made at once. */
static void a_page_is_walked_for(void **state)
{
	(void)state;
	begin();
	miss(PLAIN, 1);
	assert_int_equal(self()->clock, 13);
	assert_int_equal(self()->served, 13 + MEMORY + 13);
	stop_runners();
}

/* Five pages of a set of four ways, among others: the second level has the first one. */
static void a_page_of_the_second_level_comes_later(void **state)
{
	(void)state;
	begin();
	for (uint64_t page = 0; page < 65; page++)
		translate_line(page * 64);
	execute(0, 1000);
	miss(PLAIN, 0);
	assert_int_equal(self()->clock, 1000);
	assert_int_equal(self()->served, 1000 + MEMORY + 9);
	stop_runners();
}

/* 2 clocks apart, and 12 later; the thread waits if more than 8 are under way. */
static void lines_from_the_second_level(void **state)
{
	uint64_t first;

	(void)state;
	begin();
	for (uint64_t line = 0; line < 128; line++)	/* the L1 has room for 16 */
		load(0, line);
	execute(0, 10000);
	first = self()->clock;
	for (uint64_t line = 0; line < 32; line++) {
		uint64_t next = first + 2 * line;

		translate_line(line);
		miss(PLAIN, line);
		assert_int_equal(self()->served, next + 12);
		assert_int_equal(self()->clock, next > first + 16 ? next - 16 : first);
	}
	stop_runners();
}

static uint64_t clocks_of_owned(enum vpmu_touch owner, enum vpmu_touch kind)
{
	uint64_t before;

	begin();
	access_line(1, 1, owner);
	execute(0, 10000);
	before = self()->clock;
	access_line(0, 1, kind);
	stop_runners();
	return self()->clock - before;
}

static void a_modified_line_takes_50_more(void **state)
{
	(void)state;
	assert_int_equal(clocks_of_owned(VPMU_LOAD, VPMU_LOAD), 0);
	assert_int_equal(clocks_of_owned(VPMU_STORE, VPMU_LOAD), 50);
	assert_int_equal(clocks_of_owned(VPMU_LOAD, VPMU_STORE), 0);
	assert_int_equal(clocks_of_owned(VPMU_STORE, VPMU_STORE), 50);
}

/* Code is not executed before it is there; a thread's clock begins with its first block. */
static void code_is_waited_for(void **state)
{
	(void)state;
	begin();
	self()->served = 0;
	access_line(0, 1, VPMU_CODE);
	vpmu_runner_code_ends(self());
	assert_int_equal(self()->clock, 0);
	self()->before = (struct vpmu_timed_block *)(uintptr_t)&dtlb;	/* some block */
	self()->served = 0;
	access_line(0, 2, VPMU_CODE);
	vpmu_runner_code_ends(self());
	assert_int_equal(self()->clock, MEMORY + MEMORY / BUFFERS);
	stop_runners();
}

/* ---- counts of waiting loads ---- */

/* Clocks in which a load that has missed the L1, the L2 or the LLC is under way, of a stall. */
static void stalls_beside_pending_loads(void **state)
{
	uint32_t n[VPMU_CORE_EVENTS] = { 0 };

	(void)state;
	begin();
	self()->counts = n;
	self()->clock = 100;
	self()->pending[0] = 180;
	self()->pending[1] = 130;
	self()->pending[2] = 90;
	vpmu_runner_stall(self(), 150);
	assert_int_equal(n[VPMU_STALLS], 1);
	assert_int_equal(n[VPMU_STALL_CLOCKS], 50);
	assert_int_equal(n[VPMU_L1_PENDING_STALLS], 50);
	assert_int_equal(n[VPMU_L2_PENDING_STALLS], 30);
	assert_int_equal(n[VPMU_L3_PENDING_STALLS], 0);
	stop_runners();
}

static void full_buffers_are_counted(void **state)
{
	uint32_t n[VPMU_CORE_EVENTS] = { 0 };

	(void)state;
	begin();
	self()->counts = n;
	for (uint64_t line = 0; line < BUFFERS; line++)
		load(0, line);
	assert_int_equal(n[VPMU_FILLS_FULL], 0);
	load(0, BUFFERS);
	assert_int_equal(n[VPMU_FILLS_FULL], 1);
	assert_int_equal(self()->clock, MEMORY);
	stop_runners();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_reorder_buffer_stops),
		cmocka_unit_test(a_reorder_buffer_with_room_does_not),
		cmocka_unit_test(later_cores_have_larger_buffers),
		cmocka_unit_test(a_load_waits_for_its_producer),
		cmocka_unit_test(a_producer_that_hits_delays_nothing),
		cmocka_unit_test(loads_of_one_line_share_its_arrival),
		cmocka_unit_test(a_page_is_walked_for),
		cmocka_unit_test(a_page_of_the_second_level_comes_later),
		cmocka_unit_test(lines_from_the_second_level),
		cmocka_unit_test(a_modified_line_takes_50_more),
		cmocka_unit_test(code_is_waited_for),
		cmocka_unit_test(stalls_beside_pending_loads),
		cmocka_unit_test(full_buffers_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
