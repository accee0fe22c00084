/* SPDX-License-Identifier: MIT */
/* Quantities that follow from counts, from one table of formulas: metrics_of() for nodes and the
 * job, metrics_of_interval() for the timeline. A metric is known only if all counts in it were
 * measured in every part. The table does not come from ipmu-run's groups: their formulas take a
 * parser, a C++ library, which users' programs would load. */
#include <stdio.h>
#include <string.h>

#include "metrics.h"
#include "collecting/event_name.h"

#define TERMS_MAX 4
#define CLOCK "UNC_CLOCK:SOCKET"
#define READS(controller) "UNC_MC" #controller "_RDCAS_COUNT_FREERUN"
#define WRITES(controller) "UNC_MC" #controller "_WRCAS_COUNT_FREERUN"

struct term { const char *event; double factor; };

/* The sum of `over` divided by the sum of `under`, or by the seconds where there is none. All
 * counters of memory controllers count lines of 64 bytes (334060-001, section 3.3). */
static const struct row {
	struct metric metric;
	struct term over[TERMS_MAX], under[TERMS_MAX];
	const char *unless;	/* not shown where this event is listed, too */
} rows[] = {
	{ { "memory read bandwidth", "GB/s", "64e-9 * DRAM_DATA_READS / s" },
	  { { "DRAM_DATA_READS", 64e-9 } }, { { 0 } }, NULL },
	{ { "memory write bandwidth", "GB/s", "64e-9 * DRAM_DATA_WRITES / s" },
	  { { "DRAM_DATA_WRITES", 64e-9 } }, { { 0 } }, NULL },
	{ { "memory bandwidth", "GB/s", "64e-9 * (DRAM_DATA_READS + DRAM_DATA_WRITES) / s" },
	  { { "DRAM_DATA_READS", 64e-9 }, { "DRAM_DATA_WRITES", 64e-9 } }, { { 0 } }, NULL },
	/* From Tiger Lake on, of two controllers. */
	{ { "memory read bandwidth", "GB/s", "64e-9 * (" READS(0) " + " READS(1) ") / s" },
	  { { READS(0), 64e-9 }, { READS(1), 64e-9 } }, { { 0 } }, NULL },
	{ { "memory write bandwidth", "GB/s", "64e-9 * (" WRITES(0) " + " WRITES(1) ") / s" },
	  { { WRITES(0), 64e-9 }, { WRITES(1), 64e-9 } }, { { 0 } }, NULL },
	{ { "memory bandwidth", "GB/s",
	    "64e-9 * (" READS(0) " + " READS(1) " + " WRITES(0) " + " WRITES(1) ") / s" },
	  { { READS(0), 64e-9 }, { READS(1), 64e-9 }, { WRITES(0), 64e-9 }, { WRITES(1), 64e-9 } },
	  { { 0 } }, NULL },
	{ { "LLC miss ratio", "1", "UNC_CBO_CACHE_LOOKUP:ANY_I / UNC_CBO_CACHE_LOOKUP:ANY_MESI" },
	  { { "UNC_CBO_CACHE_LOOKUP:ANY_I", 1 } }, { { "UNC_CBO_CACHE_LOOKUP:ANY_MESI", 1 } },
	  NULL },
	{ { "LLC read miss ratio", "1",
	    "UNC_CBO_CACHE_LOOKUP:READ_I / UNC_CBO_CACHE_LOOKUP:READ_MESI" },
	  { { "UNC_CBO_CACHE_LOOKUP:READ_I", 1 } }, { { "UNC_CBO_CACHE_LOOKUP:READ_MESI", 1 } },
	  NULL },
	{ { "ARB occupancy per request", "clocks",
	    "UNC_ARB_TRK_OCCUPANCY:ALL / UNC_ARB_TRK_REQUESTS:ALL" },
	  { { "UNC_ARB_TRK_OCCUPANCY:ALL", 1 } }, { { "UNC_ARB_TRK_REQUESTS:ALL", 1 } }, NULL },
	/* 323535-001 page 2-119: an access finds its page open (CAS only) or its bank without one
	 * (RAS and CAS). That it finds another page open is a row of one unconfirmed source, to be
	 * had with LIBPFM_NHMEX_UNCONFIRMED; without it the ratio is an upper bound. */
	{ { "M-Box page hit ratio", "1", "PAGE_HIT / (PAGE_HIT + PAGE_EMPTY + PAGE_MISS)" },
	  { { "PAGE_HIT", 1 } }, { { "PAGE_HIT", 1 }, { "PAGE_EMPTY", 1 }, { "PAGE_MISS", 1 } },
	  NULL },
	{ { "M-Box page hit ratio", "1",
	    "PAGE_HIT / (PAGE_HIT + PAGE_EMPTY), at most: no PAGE_MISS counted" },
	  { { "PAGE_HIT", 1 } }, { { "PAGE_HIT", 1 }, { "PAGE_EMPTY", 1 } }, "PAGE_MISS" },
	{ { "clocks per instruction", "clocks", "CPU_CLK_UNHALTED:CORE / INST_RETIRED:ANY" },
	  { { "CPU_CLK_UNHALTED:CORE", 1 } }, { { "INST_RETIRED:ANY", 1 } }, NULL },
	{ { "clocks per instruction", "clocks", "UNHALTED_CORE_CYCLES / INSTRUCTION_RETIRED" },
	  { { "UNHALTED_CORE_CYCLES", 1 } }, { { "INSTRUCTION_RETIRED", 1 } }, NULL },
	{ { "branch misprediction ratio", "1",
	    "MISPREDICTED_BRANCH_RETIRED / BRANCH_INSTRUCTIONS_RETIRED" },
	  { { "MISPREDICTED_BRANCH_RETIRED", 1 } }, { { "BRANCH_INSTRUCTIONS_RETIRED", 1 } },
	  NULL },
	{ { "L2 miss ratio", "1", "LAST_LEVEL_CACHE_MISSES / LAST_LEVEL_CACHE_REFERENCES" },
	  { { "LAST_LEVEL_CACHE_MISSES", 1 } }, { { "LAST_LEVEL_CACHE_REFERENCES", 1 } }, NULL },
	{ { "L1D miss ratio", "1", "L1D_REPL / L1D_ALL_REF" },
	  { { "L1D_REPL", 1 } }, { { "L1D_ALL_REF", 1 } }, NULL },
	/* 327357-001 table 1-6: clocks of a hardware thread; mispredictions of branches that the
	 * BTB knew; elements that no mask switched off. */
	{ { "clocks per instruction", "clocks",
	    "CPU_CLK_UNHALTED / INSTRUCTIONS_EXECUTED, of a hardware thread" },
	  { { "CPU_CLK_UNHALTED", 1 } }, { { "INSTRUCTIONS_EXECUTED", 1 } }, NULL },
	{ { "branch misprediction ratio", "1", "BRANCHES_MISPREDICTED / BRANCHES" },
	  { { "BRANCHES_MISPREDICTED", 1 } }, { { "BRANCHES", 1 } }, NULL },
	{ { "L1D miss ratio", "1", "DATA_READ_MISS_OR_WRITE_MISS / DATA_READ_OR_WRITE" },
	  { { "DATA_READ_MISS_OR_WRITE_MISS", 1 } }, { { "DATA_READ_OR_WRITE", 1 } }, NULL },
	{ { "elements per VPU instruction", "1",
	    "VPU_ELEMENTS_ACTIVE / VPU_INSTRUCTIONS_EXECUTED" },
	  { { "VPU_ELEMENTS_ACTIVE", 1 } }, { { "VPU_INSTRUCTIONS_EXECUTED", 1 } }, NULL },
	/* Without replay tagging, as tagged instructions are another unit mask. */
	{ { "clocks per instruction", "clocks",
	    "global_power_events:RUNNING / instr_retired:NBOGUSNTAG" },
	  { { "global_power_events:RUNNING", 1 } }, { { "instr_retired:NBOGUSNTAG", 1 } }, NULL },
	{ { "branch misprediction ratio", "1",
	    "mispred_branch_retired:NBOGUS / branch_retired:MMNP:MMNM:MMTP:MMTM" },
	  { { "mispred_branch_retired:NBOGUS", 1 } },
	  { { "branch_retired:MMNP:MMNM:MMTP:MMTM", 1 } }, NULL },
	{ { "uncore clock", "GHz", "1e-9 * UNC_CLOCK:SOCKET / s, over packages" },
	  { { CLOCK, 1e-9 } }, { { 0 } }, NULL },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))
_Static_assert(ROWS <= METRICS_MAX, "room for all metrics");

/* No formula is true of one box of several, nor of one package or CPU. */
static bool is_whole(const struct ipmu_name *n)
{
	return n->package == IPMU_ALL && n->cpu == IPMU_ALL && n->box == IPMU_ALL;
}

static int event_find(const struct ipmu_mpi *m, const char *wanted)
{
	struct ipmu_name n;

	for (int i = 0; i < m->nevents; i++)
		if (event_read(m->events[i].name, &n) && is_whole(&n) &&
		    !strcasecmp(n.event, wanted))
			return i;
	return -1;
}

/* A sum of which a part was not measured is no sum. */
static bool sum(const struct ipmu_mpi *m, int node, const struct term terms[TERMS_MAX], double *out)
{
	struct ipmu_mpi_count c;

	*out = 0;
	for (int i = 0; i < TERMS_MAX && terms[i].event; i++) {
		int event = event_find(m, terms[i].event);

		if (event < 0 || ipmu_mpi_get(m, event, node, IPMU_MPI_ALL, &c) || !c.measured ||
		    c.measured < c.expected)
			return false;
		*out += terms[i].factor * (double)c.count;
	}
	return true;
}

static bool has_events(const struct ipmu_mpi *m, const struct term terms[TERMS_MAX])
{
	for (int i = 0; i < TERMS_MAX && terms[i].event; i++) {
		int event = event_find(m, terms[i].event);

		if (event < 0 || m->events[event].hidden)
			return false;
	}
	return true;
}

/* Packages and nodes run at the same time: the longest counts. */
int64_t model_clocks(const struct ipmu_mpi *m, int node)
{
	int event = m->model_clock ? event_find(m, CLOCK) : -1;
	struct ipmu_mpi_count c;
	int64_t most = 0;

	for (int n = m->first_row; event >= 0 && n < m->first_row + m->nrows; n++)
		for (int p = 0; p < m->packages_max; p++)
			if ((node == IPMU_MPI_ALL || node == n) &&
			    !ipmu_mpi_get(m, event, n, p, &c) && c.count > most)
				most = c.count;
	return most;
}

double metric_seconds(const struct ipmu_mpi *m, int node)
{
	int64_t most = 0;

	if (m->model_clock)
		return (double)model_clocks(m, node) / MODEL_HZ;
	for (int n = m->first_row; n < m->first_row + m->nrows; n++)
		if ((node == IPMU_MPI_ALL || node == n) && node_head_of(m, n)->wall_ns > most)
			most = node_head_of(m, n)->wall_ns;
	return (double)most * 1e-9;
}

static bool is_shown(const struct ipmu_mpi *m, const struct row *row)
{
	return has_events(m, row->over) && has_events(m, row->under) &&
	       (!row->unless || event_find(m, row->unless) < 0);
}

int metrics_of(const struct ipmu_mpi *m, int node, struct metric_value out[METRICS_MAX])
{
	int n = 0;

	for (size_t i = 0; i < ROWS; i++) {
		struct metric_value *v = &out[n];
		bool rate = !rows[i].under[0].event;
		double over = 0, under = 0;

		if (!is_shown(m, &rows[i]))
			continue;
		v->metric = &rows[i].metric;
		v->known = sum(m, node, rows[i].over, &over) &&
			   sum(m, node, rows[i].under, &under);
		if (rate)
			under = metric_seconds(m, node);
		v->known = v->known && under > 0;
		v->value = v->known ? over / under : 0;
		n++;
	}
	return n;
}
