/* SPDX-License-Identifier: MIT */
/* Metrics of the core PMUs: each against arithmetic, with every event that it needs, and with
 * events that the engine takes together on one CPU. Those of the uncore: against arithmetic. */
#include "collecting/counter_set.h"
#include "counting/assign.h"
#include "fake_system.h"
#include "pmu/families.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "collecting/event_name.c"
#include "reporting/metrics.c"

/* ---- what metrics.c asks for; no rate is in question here */

static long long counts[8];
static int missing;	/* an event that one process did not measure, from 1; 0: none */

int ipmu_mpi_get(const struct ipmu_mpi *m, int event, int node, int package,
		 struct ipmu_mpi_count *out)
{
	(void)node, (void)package;
	assert_in_range(event, 0, m->nevents - 1);
	*out = (struct ipmu_mpi_count){ counts[event], missing == event + 1 ? 1 : 2, 2 };
	return 0;
}

size_t cell_index(const struct ipmu_mpi *m, int event, int cell)
{
	return (size_t)event * (size_t)(m->packages_max + 1) + (size_t)cell;
}

const struct node_head *node_head_of(const struct ipmu_mpi *m, int node)
{
	static const struct node_head head = { .wall_ns = 1000000000 };

	(void)m, (void)node;
	return &head;
}

/* ---- */

static const struct {
	const struct ipmu_family *family;
	const char *pmu, *over, *under, *name;
} cases[] = {
	{ &ipmu_core2, "core_fixed", "CPU_CLK_UNHALTED:CORE", "INST_RETIRED:ANY",
	  "clocks per instruction" },
	{ &ipmu_arch_core, "core_fixed", "CPU_CLK_UNHALTED:CORE", "INST_RETIRED:ANY",
	  "clocks per instruction" },
	{ &ipmu_core2, "core", "UNHALTED_CORE_CYCLES", "INSTRUCTION_RETIRED",
	  "clocks per instruction" },
	{ &ipmu_core2, "core", "MISPREDICTED_BRANCH_RETIRED", "BRANCH_INSTRUCTIONS_RETIRED",
	  "branch misprediction ratio" },
	{ &ipmu_core2, "core", "LAST_LEVEL_CACHE_MISSES", "LAST_LEVEL_CACHE_REFERENCES",
	  "L2 miss ratio" },
	{ &ipmu_core2, "core", "L1D_REPL", "L1D_ALL_REF", "L1D miss ratio" },
	{ &ipmu_knc, "knc", "CPU_CLK_UNHALTED", "INSTRUCTIONS_EXECUTED", "clocks per instruction" },
	{ &ipmu_knc, "knc", "BRANCHES_MISPREDICTED", "BRANCHES", "branch misprediction ratio" },
	{ &ipmu_knc, "knc", "DATA_READ_MISS_OR_WRITE_MISS", "DATA_READ_OR_WRITE",
	  "L1D miss ratio" },
	{ &ipmu_knc, "knc", "VPU_ELEMENTS_ACTIVE", "VPU_INSTRUCTIONS_EXECUTED",
	  "elements per VPU instruction" },
	{ &ipmu_netburst, "netburst", "global_power_events:RUNNING", "instr_retired:NBOGUSNTAG",
	  "clocks per instruction" },
	{ &ipmu_netburst_p, "netburst_p", "global_power_events:RUNNING",
	  "instr_retired:NBOGUSNTAG", "clocks per instruction" },
	{ &ipmu_netburst_p, "netburst_p", "mispred_branch_retired:NBOGUS",
	  "branch_retired:MMNP:MMNM:MMTP:MMTM", "branch misprediction ratio" },
};
#define CASES (sizeof(cases) / sizeof(cases[0]))

/* The events of a case, as PAPI's users write them. */
static struct ipmu_mpi listed(size_t i, struct counted_event events[2])
{
	memset(events, 0, 2 * sizeof(*events));
	snprintf(events[0].name, sizeof(events[0].name), "intel_core:::%s.%s", cases[i].pmu,
		 cases[i].over);
	snprintf(events[1].name, sizeof(events[1].name), "intel_core:::%s::%s", cases[i].pmu,
		 cases[i].under);
	return (struct ipmu_mpi){ .nevents = 2, .nlisted = 2, .events = events, .nrows = 1 };
}

static void each_is_a_quotient_of_sums(void **state)
{
	(void)state;
	for (size_t i = 0; i < CASES; i++) {
		struct metric_value v[METRICS_MAX];
		struct counted_event events[2];
		struct ipmu_mpi m = listed(i, events);

		print_message("%s / %s\n", cases[i].over, cases[i].under);
		counts[0] = 3000;
		counts[1] = 8000;
		assert_int_equal(metrics_of(&m, IPMU_MPI_ALL, v), 1);
		assert_string_equal(v[0].metric->name, cases[i].name);
		assert_true(v[0].known && v[0].value > 0.375 - 1e-12 && v[0].value < 0.375 + 1e-12);
		assert_non_null(strstr(v[0].metric->formula, cases[i].over));
		assert_non_null(strstr(v[0].metric->formula, cases[i].under));
		/* nothing executed, and a sum of which a part is missing */
		counts[1] = 0;
		assert_int_equal(metrics_of(&m, IPMU_MPI_ALL, v), 1);
		assert_false(v[0].known);
		counts[1] = 8000;
		missing = 2;
		assert_int_equal(metrics_of(&m, IPMU_MPI_ALL, v), 1);
		assert_false(v[0].known);
		missing = 0;
		/* one of the two is not enough */
		m.nevents = 1;
		assert_int_equal(metrics_of(&m, IPMU_MPI_ALL, v), 0);
		/* no quotient of what only one CPU counted */
		m.nevents = 2;
		strcat(events[0].name, ":cpu=0");
		assert_int_equal(metrics_of(&m, IPMU_MPI_ALL, v), 0);
	}
}

/* The first event has the name under test: a quotient with the second is shown, or none is. */
static void any_spelling_of_the_whole_counts(void **state)
{
	static const struct { const char *name; bool shown; } names[] = {
		{ "intel_core:::core_fixed.CPU_CLK_UNHALTED:CORE", true },
		{ "core_fixed::CPU_CLK_UNHALTED:CORE", true },
		{ "intel_core:::core_fixed.cpu_clk_unhalted:core", true },
		{ "intel_core:::CPU_CLK_UNHALTED.CORE", true },
		{ "perf_event:::ix86arch::CPU_CLK_UNHALTED:CORE", true },
		{ "intel_core:::core_fixed.CPU_CLK_UNHALTED.CORE:CPU=1", false },
		{ "intel_core:::core_fixed.CPU_CLK_UNHALTED:CORE:u", false },
		{ "other:::pmu3::CPU_CLK_UNHALTED:CORE", false },
		{ "CPU_CLK_UNHALTED:CORE:package=0", false },
		{ "CPU_CLK_UNHALTED:CORE:box=0", false },
	};

	(void)state;
	counts[0] = 1;
	counts[1] = 2;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct metric_value v[METRICS_MAX];
		struct counted_event events[2];
		struct ipmu_mpi m = listed(0, events);

		print_message("%s\n", names[i].name);
		snprintf(events[0].name, sizeof(events[0].name), "%s", names[i].name);
		assert_int_equal(metrics_of(&m, IPMU_MPI_ALL, v), names[i].shown);
	}
}

static void their_events_count_together(void **state)
{
	(void)state;
	for (size_t i = 0; i < CASES; i++) {
		const struct ipmu_system *sys = fake_system(cases[i].family);
		struct ipmu_request wants[2];
		struct ipmu_event e[2];
		struct counted_event events[2];
		char why[IPMU_WHY_MAX];

		listed(i, events);
		for (int k = 0; k < 2; k++) {
			e[k] = fake_event(sys, strstr(events[k].name, ":::") + 3);
			wants[k] = (struct ipmu_request){ .choices = e[k].choices,
						       .nchoices = e[k].nchoices,
						       .event = e[k].name };
		}
		if (ipmu_assign(NULL, e[0].type, e[0].type->counters, 0, wants, 2, NULL, why))
			fail_msg("%s", why);
	}
}

/* Lines have 64 bytes, and the second is one of wall time: 3e9 of them are 192 GB/s. */
static void uncore_metrics(void **state)
{
	static const struct {
		const char *name, *events[4];
		long long counts[4];
		double value;
	} uncore[] = {
		{ "memory read bandwidth", { "skl_unc_imc.DRAM_DATA_READS" }, { 3000000000 }, 192 },
		{ "memory write bandwidth", { "skl_unc_imc.DRAM_DATA_WRITES" }, { 500000000 }, 32 },
		{ "memory bandwidth",
		  { "skl_unc_imc.DRAM_DATA_READS", "skl_unc_imc.DRAM_DATA_WRITES" },
		  { 3000000000, 500000000 }, 224 },
		{ "memory read bandwidth",
		  { "adl_unc_imc_free_running.UNC_MC0_RDCAS_COUNT_FREERUN",
		    "adl_unc_imc_free_running.UNC_MC1_RDCAS_COUNT_FREERUN" },
		  { 3000000000, 1000000000 }, 256 },
		{ "memory write bandwidth",
		  { "tgl_unc_imc.UNC_MC1_WRCAS_COUNT_FREERUN",
		    "tgl_unc_imc.UNC_MC0_WRCAS_COUNT_FREERUN" }, { 500000000, 0 }, 32 },
		{ "memory bandwidth",
		  { "lnl_unc_imc_free_running.UNC_MC0_RDCAS_COUNT_FREERUN",
		    "lnl_unc_imc_free_running.UNC_MC1_RDCAS_COUNT_FREERUN",
		    "lnl_unc_imc_free_running.UNC_MC0_WRCAS_COUNT_FREERUN",
		    "lnl_unc_imc_free_running.UNC_MC1_WRCAS_COUNT_FREERUN" },
		  { 500000000, 250000000, 125000000, 125000000 }, 64 },
		{ "LLC miss ratio",
		  { "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I",
		    "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_MESI" }, { 300, 800 }, 0.375 },
		{ "LLC read miss ratio",
		  { "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I",
		    "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_MESI" }, { 100, 800 }, 0.125 },
		{ "ARB occupancy per request",
		  { "skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL",
		    "skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL" }, { 7000, 200 }, 35 },
		{ "M-Box page hit ratio",
		  { "nhmex_unc_mbox.PAGE_HIT", "nhmex_unc_mbox.PAGE_EMPTY",
		    "nhmex_unc_mbox.PAGE_MISS" }, { 50, 30, 20 }, 0.5 },
		{ "M-Box page hit ratio",
		  { "nhmex_unc_mbox.PAGE_HIT", "nhmex_unc_mbox.PAGE_EMPTY" }, { 60, 20 }, 0.75 },
		{ "uncore clock", { "skl_unc_clk.UNC_CLOCK:SOCKET" }, { 2500000000 }, 2.5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(uncore) / sizeof(uncore[0]); i++) {
		struct metric_value v[METRICS_MAX];
		struct counted_event events[4] = { { .hidden = 0 } };
		struct ipmu_mpi m = { .events = events, .nrows = 1 };
		int n, last;

		for (; m.nevents < 4 && uncore[i].events[m.nevents]; m.nevents++) {
			snprintf(events[m.nevents].name, sizeof(events[m.nevents].name),
				 "intel_uncore:::%s", uncore[i].events[m.nevents]);
			counts[m.nevents] = uncore[i].counts[m.nevents];
		}
		print_message("%s\n", uncore[i].name);
		n = metrics_of(&m, IPMU_MPI_ALL, v);
		for (last = n - 1; last >= 0; last--)
			if (!strcmp(v[last].metric->name, uncore[i].name))
				break;
		assert_in_range(last, 0, METRICS_MAX);
		assert_true(v[last].known);
		assert_true(v[last].value > uncore[i].value * (1 - 1e-12) &&
			    v[last].value < uncore[i].value * (1 + 1e-12));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_a_quotient_of_sums),
		cmocka_unit_test(any_spelling_of_the_whole_counts),
		cmocka_unit_test(their_events_count_together),
		cmocka_unit_test(uncore_metrics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
