/* SPDX-License-Identifier: MIT */
/* Remarks of the report about ranks whose own counts are missing, or counted more than once. */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "agree.h"
#include "measure.h"

#define CPU_WORDS (CPU_SETSIZE / 64)
#define CORE_COMPONENT "intel_core:::"

/* The first rank of the node that could not count something sends its leader the reason. */
static void tell_why(struct ipmu_mpi *m)
{
	char why[IPMU_MPI_WHY_MAX] = "";
	bool failed = m->measure.why[0];

	if (failed)
		snprintf(why, sizeof(why), "rank %d: %s", m->at.rank, m->measure.why);
	agree(m->at.node, failed ? -1 : 0, why);
	if (m->at.node_rank == 0 && !failed && why[0])
		snprintf(m->measure.why, sizeof(m->measure.why), "%.*s", NODE_WHY_MAX - 1, why);
}

/* Such an event counts the CPUs that its thread may use, whichever process runs on them. */
static bool counts_cpus(const struct ipmu_mpi *m)
{
	struct ipmu_name said;

	for (int i = 0; i < m->nevents; i++)
		if (!strncmp(m->events[i].name, CORE_COMPONENT, strlen(CORE_COMPONENT)) &&
		    event_read(m->events[i].name, &said) && said.cpu == IPMU_ALL)
			return true;
	return false;
}

static void check_overlap(struct ipmu_mpi *m)
{
	uint64_t mine[CPU_WORDS] = { 0 }, all[CPU_WORDS] = { 0 };
	int count, sum = 0, distinct = 0;
	cpu_set_t set;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			mine[cpu / 64] |= UINT64_C(1) << cpu % 64;
	count = CPU_COUNT(&set);
	PMPI_Reduce(mine, all, CPU_WORDS, MPI_UINT64_T, MPI_BOR, 0, m->at.node);
	PMPI_Reduce(&count, &sum, 1, MPI_INT, MPI_SUM, 0, m->at.node);
	for (int i = 0; i < CPU_WORDS; i++)
		distinct += __builtin_popcountll(all[i]);
	if (m->at.node_rank == 0 && sum > distinct && !m->measure.why[0])
		snprintf(m->measure.why, sizeof(m->measure.why), "ranks may run on the same CPUs, "
			 "so that intel_core counts what is executed there more than once: bind "
			 "the ranks");
}

void ranks_tell(struct ipmu_mpi *m)
{
	if (!m->any_rank_scope)
		return;
	tell_why(m);
	if (counts_cpus(m))
		check_overlap(m);
}
