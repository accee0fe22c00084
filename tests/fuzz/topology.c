/* SPDX-License-Identifier: MIT */
/* HWLOC_SYNTHETIC of any text, and any identity on top: the tables must be whole. Six bytes are for
 * the identity and the CPUs that are not allowed, the rest is the text. */
#include "fuzz.h"
#include "ipmu_topology.h"

#include <ctype.h>

/* hwloc builds what it is told, however large: keep it to what fits a run. */
static int too_large(const char *text)
{
	double product = 1;

	while (*text) {
		if (isdigit((unsigned char)*text)) {
			char *end;
			double n = strtod(text, &end);

			product *= n > 1 ? n : 1;
			text = end > text ? end : text + 1;
		} else {
			text++;
		}
	}
	return product > 48;
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

static void check_boxes(const struct ipmu_topology *t)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int families[] = { 6, 11, 15 };
	struct ipmu_topology *t = NULL;
	unsigned identity[6];
	char text[256], why[IPMU_WHY_MAX] = "";

	for (int i = 0; i < 6; i++)
		identity[i] = fuzz_byte(&data, &size);
	size = size < sizeof(text) ? size : sizeof(text) - 1;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	if (too_large(text) || !text[0])
		return 0;
	REQUIRE(setenv("HWLOC_SYNTHETIC", text, 1) == 0);
	if (ipmu_topology_load(&t, why)) {
		REQUIRE(why[0] && !t);
		return 0;
	}
	check_cpus(t);
	check_packages(t);
	strcpy(t->vendor, "GenuineIntel");
	t->family = families[identity[0] % 3];
	t->model = (int)identity[1];
	t->noffline = (int)identity[2];
	for (int i = 0; i < t->ncpus; i++)
		t->cpus[i].core_os += (int)identity[3] % 3 * i;
	check_boxes(t);
	ipmu_topology_free(t);
	return 0;
}
