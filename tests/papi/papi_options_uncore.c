/* SPDX-License-Identifier: MIT */
/* Event sets of intel_uncore that are attached to a CPU, and their domains, on a virtual Xeon 7500
 * of four packages whose memory commands this test raises itself. */
#include "papi_machine.h"

#define C "intel_uncore:::"
#define READS C "nhmex_unc_mbox.FVC_EV0:BBOX_CMDS_READS"
#define WRITES C "nhmex_unc_mbox.FVC_EV0:BBOX_CMDS_WRITES"

/* 1, 10, 100 and 1000 reads in box 0 of the packages, twice as many in box 1 */
static void reads_in_each_package(void)
{
	static uint64_t clock;
	int n = 1;

	vpmu_lock(machine.segment);
	for (uint32_t package = 0; package < 4; package++, n *= 10)
		for (int i = 0; i < 3 * n; i++)
			vpmu_memory_command(machine.segment, package, i < n ? 0 : 1, false,
					    VPMU_PAGE_HIT, clock += 10);
	vpmu_unlock(machine.segment);
}

static long long counted(int set)
{
	long long v[4];

	assert_papi(PAPI_start(set), PAPI_OK);
	reads_in_each_package();
	assert_papi(PAPI_stop(set, v), PAPI_OK);
	return v[0];
}

/* Threads 32 to 63 are the second ones of the cores of threads 0 to 31. */
static void a_cpu_means_its_package(void **state)
{
	static const struct {
		unsigned cpu;
		long long all, box1;
	} cases[] = {
		{ 0, 3, 2 }, { 7, 3, 2 }, { 8, 30, 20 }, { 23, 300, 200 }, { 31, 3000, 2000 },
		{ 32, 3, 2 }, { 63, 3000, 2000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int set = papi_sets_one(READS);

		print_message("CPU %u\n", cases[i].cpu);
		assert_int_equal(counted(set), 3333);
		assert_papi(papi_sets_attach(set, cases[i].cpu), PAPI_OK);
		assert_int_equal(counted(set), cases[i].all);
		papi_sets_end(set);
		set = papi_sets_one(READS ":box=1");
		assert_papi(papi_sets_attach(set, cases[i].cpu), PAPI_OK);
		assert_int_equal(counted(set), cases[i].box1);
		papi_sets_end(set);
	}
}

static void packages_have_to_agree(void **state)
{
	static const struct {
		unsigned cpu;
		const char *reason;
	} bad[] = {
		{ 64, "CPU 64: this machine has none" },
		{ 8, "remove package= from the name" },
	};
	int set = papi_sets_one(READS ":package=2");

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		papi_sets_attach_refused(set, bad[i].cpu, bad[i].reason);
		assert_int_equal(counted(set), 300);
	}
	assert_papi(papi_sets_attach(set, 16), PAPI_OK);
	assert_int_equal(counted(set), 300);
	assert_papi(PAPI_add_named_event(set, WRITES ":package=0"), PAPI_EINVAL);
	papi_sets_end(set);
}

static void an_uncore_counts_all_levels(void **state)
{
	int set = papi_sets_one(READS), uncore = PAPI_get_component_index("intel_uncore");
	struct papi_sets_ear ear;
	int rc;

	(void)state;
	assert_papi(papi_sets_domain(set, PAPI_DOM_ALL), PAPI_OK);
	assert_papi(papi_sets_domain(set, PAPI_DOM_USER | PAPI_DOM_KERNEL), PAPI_OK);
	ear = papi_sets_listen();
	rc = papi_sets_domain(set, PAPI_DOM_USER);
	papi_sets_heard(ear, "PAPI_DOM_ALL is its only domain");
	papi_sets_check("PAPI_DOM_USER", rc, PAPI_EINVAL_DOM);
	assert_papi(papi_sets_domain(set, PAPI_DOM_KERNEL), PAPI_EINVAL_DOM);
	assert_int_equal(counted(set), 3333);
	papi_sets_end(set);
	/* PAPI does not query defaults: such a set gets no events */
	set = PAPI_NULL;
	assert_papi(PAPI_set_cmp_domain(PAPI_DOM_USER, uncore), PAPI_OK);
	assert_papi(PAPI_create_eventset(&set), PAPI_OK);
	assert_papi(PAPI_add_named_event(set, READS), PAPI_EINVAL_DOM);
	papi_sets_end(set);
	assert_papi(PAPI_set_cmp_domain(PAPI_DOM_ALL, uncore), PAPI_OK);
}

static void granularity(void **state)
{
	int set = papi_sets_one(READS);

	(void)state;
	assert_papi(papi_sets_granularity(set, PAPI_GRN_SYS), PAPI_OK);
	assert_papi(papi_sets_granularity(set, PAPI_GRN_THR), PAPI_EINVAL);
	assert_papi(PAPI_attach(set, (unsigned long)getpid()), PAPI_ECMP);
	papi_sets_end(set);
}

/* Refused in both of its ways: by ourselves, and PAPI's own by PAPI, for lack of its clock. */
static void multiplexing_is_refused(void **state)
{
	int set = papi_sets_one(READS);
	PAPI_option_t forced = {
		.multiplex = { .eventset = set, .flags = PAPI_MULTIPLEX_FORCE_SW },
	};

	(void)state;
	assert_papi(PAPI_multiplex_init(), PAPI_OK);
	assert_papi(PAPI_set_multiplex(set), PAPI_ENOSUPP);
	assert_int_not_equal(PAPI_set_opt(PAPI_MULTIPLEX, &forced), PAPI_OK);
	assert_int_equal(counted(set), 3333);
	papi_sets_end(set);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_means_its_package),
		cmocka_unit_test(packages_have_to_agree),
		cmocka_unit_test(an_uncore_counts_all_levels),
		cmocka_unit_test(granularity),
		cmocka_unit_test(multiplexing_is_refused),
	};

	(void)argc;
	on_machine(argv, "nhmex-4p32c64t");
	return cmocka_run_group_tests(tests, papi_machine_open, papi_machine_close);
}
