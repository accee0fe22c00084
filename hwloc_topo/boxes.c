/* SPDX-License-Identifier: MIT */
/* Boxes: which counters a machine has and which CPUs reach them, from its identity and topology.
 * ipmu_topology_kinds() finds the kinds of the CPU's model in a table, ipmu_topology_boxes() lists
 * all boxes, ipmu_topology_slice() finds a core's slice. Tables and topology are only read, so no
 * lock is needed. No register is read: cores that are fused off cannot be seen. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ipmu_topology.h"

/* The other client processors from Sandy Bridge on, made by facts/client-list. From Panther Lake on
 * a discovery table has the number of controllers; the free-running counters are of two. */
#include "client_boxes.h"

static const struct ipmu_box_kind skylake_client[] = {	/* 334060-001 Table 2-1, 3.3 */
	{ "skl_unc_cbo", "CBo", IPMU_BOX_SLICE, 1 },
	{ "skl_unc_arb", "ARB", IPMU_BOX_PACKAGE, 1 },
	{ "skl_unc_clk", "UCLK", IPMU_BOX_PACKAGE, 1 },
	{ "skl_unc_imc", "IMC", IPMU_BOX_PACKAGE, 1 },
	{ .pmu = NULL },
};
/* Xeon 7500 uncore guide 2.3, 2.5; of the E7, SDM Table 35-17. C-Boxes without a slice exist. */
#define NHMEX_KINDS(cboxes) { \
	{ "nhmex_unc_mbox", "M-Box", IPMU_BOX_PACKAGE, 2 }, \
	{ "nhmex_unc_cbox", "C-Box", IPMU_BOX_PACKAGE, cboxes }, \
	{ .pmu = NULL } }
static const struct ipmu_box_kind nehalem_ex[] = NHMEX_KINDS(8);
static const struct ipmu_box_kind westmere_ex[] = NHMEX_KINDS(10);
static const struct ipmu_box_kind core2[] = {		/* SDM 18.2, 18.4 */
	{ "core", "PMU", IPMU_BOX_CPU, 1 },
	{ "core_fixed", "fixed", IPMU_BOX_CPU, 1 },
	{ .pmu = NULL },
};
static const struct ipmu_box_kind knights_corner[] = {	/* 327357-001 Table 1-2 */
	{ "knc", "PMU", IPMU_BOX_CPU, 1 },
	{ .pmu = NULL },
};
static const struct ipmu_box_kind netburst[] = {	/* SDM 18.15, 18.16: threads share it */
	{ "netburst", "PMU", IPMU_BOX_CORE, 1 },
	{ .pmu = NULL },
};
static const struct ipmu_box_kind netburst_p[] = {
	{ "netburst_p", "PMU", IPMU_BOX_CORE, 1 },
	{ .pmu = NULL },
};
static const struct ipmu_box_kind nothing[] = { { .pmu = NULL } };

static const struct identity {
	int family;
	int models[8];		/* up to -1 */
	const struct ipmu_box_kind *kinds;
} identities[] = {
	{ 6, { 0x4E, 0x5E, 0x8E, 0x9E, 0xA5, 0xA6, -1 }, skylake_client },
	CLIENT_IDENTITIES
	{ 6, { 0x2E, -1 }, nehalem_ex },
	{ 6, { 0x2F, -1 }, westmere_ex },
	{ 6, { 0x0F, 0x16, 0x17, 0x1D, -1 }, core2 },
	{ 11, { 1, -1 }, knights_corner },
	{ 15, { 0, 1, 2, -1 }, netburst },
	{ 15, { 3, 4, 6, -1 }, netburst_p },
};

const struct ipmu_box_kind *ipmu_topology_kinds(const struct ipmu_topology *t)
{
	if (strcmp(t->vendor, "GenuineIntel"))
		return nothing;
	for (size_t i = 0; i < sizeof(identities) / sizeof(*identities); i++)
		for (const int *m = identities[i].models; *m >= 0; m++)
			if (t->family == identities[i].family && t->model == *m)
				return identities[i].kinds;
	return nothing;
}

/* The kernel's core numbers of a package as a set, or 0 if they cannot stand for slices. Without
 * offline CPUs counting the cores is safer: those numbers may have gaps of their own. */
static uint64_t core_numbers(const struct ipmu_topology *t, int pkg_idx)
{
	uint64_t seen = 0;
	int n = 0;

	for (int i = 0; i < t->ncpus; i++) {
		const struct ipmu_cpu *cpu = &t->cpus[i];

		if (cpu->pkg_idx != pkg_idx)
			continue;
		if (!t->noffline || cpu->cluster || cpu->core_os < 0 || cpu->core_os > 63)
			return 0;
		seen |= UINT64_C(1) << cpu->core_os;
	}
	for (uint64_t rest = seen; rest; rest &= rest - 1)
		n++;
	return n == t->packages[pkg_idx].ncores ? seen : 0;
}

/* The first core of those beside the CPU's slice; -1: its core has none. */
static int slice_leader(const struct ipmu_topology *t, const struct ipmu_cpu *cpu)
{
	int leader = cpu->core_idx;

	for (int i = 0; cpu->cluster > 0 && i < t->ncpus; i++)
		if (t->cpus[i].cluster == cpu->cluster && t->cpus[i].core_idx < leader)
			leader = t->cpus[i].core_idx;
	return cpu->cluster < 0 ? -1 : leader;
}

/* Slices of the package that come before that of the core. */
static int slices_before(const struct ipmu_topology *t, int pkg_idx, int leader)
{
	int n = 0;

	for (int core = 0; core < leader; core++)
		for (int i = 0; i < t->ncpus; i++)
			if (t->cpus[i].pkg_idx == pkg_idx &&
			    slice_leader(t, &t->cpus[i]) == core) {
				n++;
				break;
			}
	return n;
}

static int slice_count(const struct ipmu_topology *t, int pkg_idx)
{
	uint64_t numbers = core_numbers(t, pkg_idx);
	int n = 0;

	if (!numbers)
		return slices_before(t, pkg_idx, t->ncores);
	for (; numbers; numbers >>= 1)
		n++;
	return n;
}

int ipmu_topology_slice(const struct ipmu_topology *t, int os_cpu)
{
	const struct ipmu_cpu *cpu = ipmu_topology_cpu(t, os_cpu);
	int leader;

	if (!cpu)
		return -EINVAL;
	if (core_numbers(t, cpu->pkg_idx))
		return cpu->core_os;
	leader = slice_leader(t, cpu);
	return leader < 0 ? -ENODEV : slices_before(t, cpu->pkg_idx, leader);
}

int ipmu_topology_nboxes(const struct ipmu_topology *t, const struct ipmu_box_kind *kind,
			 int pkg_idx)
{
	if (pkg_idx < 0 || pkg_idx >= t->npackages)
		return -EINVAL;
	switch (kind->place) {
	case IPMU_BOX_SLICE:
		return kind->each * slice_count(t, pkg_idx);
	case IPMU_BOX_CORE:
		return kind->each * t->packages[pkg_idx].ncores;
	case IPMU_BOX_CPU:
		return kind->each * t->packages[pkg_idx].ncpus;
	case IPMU_BOX_PACKAGE:
		break;
	}
	return kind->each;
}

bool ipmu_topology_box_reached(const struct ipmu_topology *t, const struct ipmu_topology_box *box,
			       int os_cpu)
{
	const struct ipmu_cpu *cpu = ipmu_topology_cpu(t, os_cpu);

	if (!cpu || !cpu->allowed || cpu->pkg_idx != box->pkg_idx)
		return false;
	if (box->kind->place == IPMU_BOX_CORE)
		return cpu->core_idx == box->core_idx;
	return box->kind->place != IPMU_BOX_CPU || cpu->os_cpu == box->box_idx;
}

static int slice_core(const struct ipmu_topology *t, int pkg_idx, int slice)
{
	for (int i = 0; i < t->ncpus; i++)
		if (t->cpus[i].pkg_idx == pkg_idx &&
		    ipmu_topology_slice(t, t->cpus[i].os_cpu) == slice)
			return t->cpus[i].core_idx;
	return -1;
}

static void box_reach(const struct ipmu_topology *t, struct ipmu_topology_box *box)
{
	box->reach_cpu = -1;
	for (int i = 0; i < t->ncpus && box->reach_cpu < 0; i++)
		if (ipmu_topology_box_reached(t, box, t->cpus[i].os_cpu))
			box->reach_cpu = t->cpus[i].os_cpu;
}

static bool core_is_new(const struct ipmu_topology *t, int i)
{
	for (int j = 0; j < i; j++)
		if (t->cpus[j].core_idx == t->cpus[i].core_idx)
			return false;
	return true;
}

/* Boxes of the cores and threads of a package, in the order of their CPUs. */
static int cpu_boxes(const struct ipmu_topology *t, const struct ipmu_box_kind *kind, int pkg_idx,
		     struct ipmu_topology_box *out)
{
	int n = 0;

	for (int i = 0; i < t->ncpus; i++) {
		const struct ipmu_cpu *cpu = &t->cpus[i];

		if (cpu->pkg_idx != pkg_idx || (kind->place == IPMU_BOX_CORE && !core_is_new(t, i)))
			continue;
		out[n] = (struct ipmu_topology_box){ .kind = kind, .pkg_idx = pkg_idx,
			.box_idx = cpu->os_cpu, .core_idx = cpu->core_idx };
		box_reach(t, &out[n++]);
	}
	return n;
}

static int package_boxes(const struct ipmu_topology *t, const struct ipmu_box_kind *kind,
			 int pkg_idx, struct ipmu_topology_box *out)
{
	int n = ipmu_topology_nboxes(t, kind, pkg_idx);

	if (kind->place == IPMU_BOX_CORE || kind->place == IPMU_BOX_CPU)
		return cpu_boxes(t, kind, pkg_idx, out);
	for (int i = 0; i < n; i++) {
		out[i] = (struct ipmu_topology_box){ .kind = kind, .pkg_idx = pkg_idx,
			.box_idx = i, .core_idx = -1 };
		if (kind->place == IPMU_BOX_SLICE)
			out[i].core_idx = slice_core(t, pkg_idx, i);
		box_reach(t, &out[i]);
	}
	return n;
}

int ipmu_topology_boxes(const struct ipmu_topology *t, struct ipmu_topology_box **out)
{
	const struct ipmu_box_kind *kinds = ipmu_topology_kinds(t), *kind;
	struct ipmu_topology_box *boxes = NULL;
	int n = 0;

	for (kind = kinds; kind->pmu; kind++)
		for (int p = 0; p < t->npackages; p++)
			n += ipmu_topology_nboxes(t, kind, p);
	if (n) {
		boxes = calloc((size_t)n, sizeof(*boxes));
		if (!boxes)
			return -ENOMEM;
	}
	n = 0;
	for (kind = kinds; kind->pmu; kind++)
		for (int p = 0; p < t->npackages; p++)
			n += package_boxes(t, kind, p, &boxes[n]);
	*out = boxes;
	return n;
}
