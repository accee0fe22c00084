/* SPDX-License-Identifier: MIT */
#include "topology_check.h"

#include "fuzz.h"

#include <hwloc.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);

/* libFuzzer calls this before the first input. hwloc loads its plugins whenever it has no topology:
 * one that stays makes each input of its targets 5 to 60 times faster. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static hwloc_topology_t kept;

	(void)argc;
	(void)argv;
	REQUIRE(setenv("HWLOC_HIDE_ERRORS", "2", 1) == 0);
	REQUIRE(hwloc_topology_init(&kept) == 0);
	return 0;
}

static void check_cpus(const struct ipmu_topology *t)
{
	for (int i = 0; i < t->ncpus; i++) {
		const struct ipmu_cpu *cpu = &t->cpus[i];

		REQUIRE(!i || t->cpus[i - 1].os_cpu < cpu->os_cpu);
		REQUIRE(cpu->core_idx >= 0 && cpu->core_idx < t->ncores);
		REQUIRE(cpu->pkg_idx >= 0 && cpu->pkg_idx < t->npackages);
		REQUIRE(cpu->smt_idx >= 0 && cpu->smt_idx < t->ncpus);
		REQUIRE(ipmu_topology_cpu(t, cpu->os_cpu) == cpu);
	}
}

static void check_packages(const struct ipmu_topology *t)
{
	int cpus = 0, cores = 0;

	for (int p = 0; p < t->npackages; p++) {
		int cpu = ipmu_topology_reach(t, p, -1);

		cpus += t->packages[p].ncpus;
		cores += t->packages[p].ncores;
		REQUIRE(cpu < 0 || ipmu_topology_cpu(t, cpu)->pkg_idx == p);
	}
	REQUIRE(cpus == t->ncpus && cores == t->ncores);
}

void topology_check_boxes(const struct ipmu_topology *t)
{
	struct ipmu_topology_box *boxes = NULL;
	int n = ipmu_topology_boxes(t, &boxes);

	REQUIRE(n >= 0 && (n > 0) == (boxes != NULL));
	for (int i = 0; i < n; i++) {
		REQUIRE(boxes[i].pkg_idx >= 0 && boxes[i].pkg_idx < t->npackages);
		REQUIRE(boxes[i].reach_cpu < 0 ||
			ipmu_topology_box_reached(t, &boxes[i], boxes[i].reach_cpu));
	}
	free(boxes);
}

void topology_check(const struct ipmu_topology *t)
{
	check_cpus(t);
	check_packages(t);
	topology_check_boxes(t);
}
