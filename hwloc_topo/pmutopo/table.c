/* SPDX-License-Identifier: MIT */
/* The table that a person reads. table_print() prints the CPUs, the CPUs that reach each package,
 * and the boxes; errors of the standard output are left to the caller. Texts from hwloc pass
 * through shown(), because an XML file may hold escape sequences. */
#include "pmutopo.h"

#include "shown.h"

#include <stdio.h>
#include <string.h>

static void number_print(const char *label, int value)
{
	if (value < 0)
		printf(" %s unknown", label);
	else
		printf(" %s %d (0x%X)", label, value, (unsigned int)value);
}

static void identity_print(const struct ipmu_topology *t)
{
	char text[SHOWN_ROOM(sizeof(t->cpu_model))];

	printf("%s", *t->vendor ? shown(t->vendor, text, sizeof(text)) : "unknown vendor");
	number_print("family", t->family);
	number_print("model", t->model);
	number_print("stepping", t->stepping);
	printf(": %s\n", *t->cpu_model ? shown(t->cpu_model, text, sizeof(text)) :
	       "unnamed processor");
	printf("%d package%s, %d core%s, %d CPU%s", t->npackages, t->npackages == 1 ? "" : "s",
	       t->ncores, t->ncores == 1 ? "" : "s", t->ncpus, t->ncpus == 1 ? "" : "s");
	if (t->noffline)
		printf(" and %d offline", t->noffline);
	printf("\n\n");
}

static void cell(char out[16], bool known, int value)
{
	if (known)
		snprintf(out, 16, "%d", value);
	else
		snprintf(out, 16, "-");
}

/* "0,1": the boxes of a kind that a package has. */
static void numbers_of(const struct ipmu_topology *t, const struct ipmu_box_kind *kind,
		       int pkg_idx, char out[32])
{
	int n = kind ? ipmu_topology_nboxes(t, kind, pkg_idx) : 0;
	size_t used = 0;

	snprintf(out, 32, "-");
	for (int i = 0; i < n && used < 28; i++)
		used += (size_t)snprintf(out + used, 32 - used, "%s%d", i ? "," : "", i);
}

static bool has_kinds(const struct ipmu_topology *t)
{
	for (int i = 0; i < t->ncpus; i++)
		if (t->cpus[i].kind[0])
			return true;
	return false;
}

static void cpus_print(const struct ipmu_topology *t)
{
	bool slices = has_slices(t);
	const struct ipmu_box_kind *mbox = kind_of(t, "nhmex_unc_mbox");
	char kind[SHOWN_ROOM(sizeof(t->cpus->kind))];
	bool kinds = has_kinds(t);

	printf("%5s %8s %6s %7s %5s %10s %8s %8s%s\n", "CPU", "package", "core", "thread",
	       "NUMA", "CBo slice", "M-Boxes", "allowed", kinds ? "  kind" : "");
	for (int i = 0; i < t->ncpus; i++) {
		const struct ipmu_cpu *cpu = &t->cpus[i];
		char slice[16], node[16], mboxes[32];

		cell(node, cpu->numa_os >= 0, cpu->numa_os);
		cell(slice, slices && ipmu_topology_slice(t, cpu->os_cpu) >= 0,
		     ipmu_topology_slice(t, cpu->os_cpu));
		numbers_of(t, mbox, cpu->pkg_idx, mboxes);
		printf("%5d %8d %6d %7d %5s %10s %8s %8s%s%s\n", cpu->os_cpu, cpu->pkg_idx,
		       cpu->core_idx, cpu->smt_idx, node, slice, mboxes,
		       cpu->allowed ? "yes" : "no", kinds ? "  " : "",
		       shown(cpu->kind, kind, sizeof(kind)));
	}
}

static bool may_reach(const struct ipmu_topology *t, int i, int pkg_idx)
{
	return i < t->ncpus && t->cpus[i].pkg_idx == pkg_idx && t->cpus[i].allowed;
}

/* Allowed CPUs of a package as ranges of neighbouring numbers: "0-3,8". */
static void ranges_print(const struct ipmu_topology *t, int pkg_idx)
{
	const char *comma = "";

	for (int i = 0; i < t->ncpus; i++) {
		int first = i;

		if (!may_reach(t, i, pkg_idx))
			continue;
		while (may_reach(t, i + 1, pkg_idx) &&
		       t->cpus[i + 1].os_cpu == t->cpus[i].os_cpu + 1)
			i++;
		printf("%s%d", comma, t->cpus[first].os_cpu);
		if (i > first)
			printf("-%d", t->cpus[i].os_cpu);
		comma = ",";
	}
}

static void reach_print(const struct ipmu_topology *t, int pkg_idx)
{
	printf("package %d: ", pkg_idx);
	if (t->packages[pkg_idx].reach_cpu < 0) {
		printf("out of reach, none of its CPUs is allowed\n");
		return;
	}
	printf("reached through CPU %d, possible: ", t->packages[pkg_idx].reach_cpu);
	ranges_print(t, pkg_idx);
	putchar('\n');
}

static bool counts_for_package(const struct ipmu_box_kind *kind)
{
	return kind->place == IPMU_BOX_PACKAGE || kind->place == IPMU_BOX_SLICE;
}

static void package_boxes_print(const struct ipmu_topology *t, const struct boxes *b)
{
	bool heading = false;
	int width = 16;

	for (int i = 0; i < b->n; i++)
		if (counts_for_package(b->box[i].kind) &&
		    (int)strlen(b->box[i].kind->pmu) > width)
			width = (int)strlen(b->box[i].kind->pmu);
	for (int i = 0; i < b->n; i++) {
		const struct ipmu_topology_box *box = &b->box[i];
		char core[16];

		if (!counts_for_package(box->kind))
			continue;
		if (!heading)
			printf("\n%-*s %8s %5s %6s  %s\n", width, "PMU", "package", "box", "core",
			       "through CPU");
		heading = true;
		cell(core, box->core_idx >= 0, box->core_idx);
		printf("%-*s %8d %5d %6s  ", width, box->kind->pmu, box->pkg_idx, box->box_idx,
		       core);
		ranges_print(t, box->pkg_idx);
		puts(box->reach_cpu < 0 ? "none" : "");
	}
}

/* Print one line for each kind of box that every core or thread has: the CPUs above are the
 * list. */
static void core_boxes_print(const struct ipmu_topology *t, const struct boxes *b)
{
	for (const struct ipmu_box_kind *kind = ipmu_topology_kinds(t); kind->pmu; kind++) {
		int n = 0, reached = 0;

		if (counts_for_package(kind))
			continue;
		for (int i = 0; i < b->n; i++) {
			n += b->box[i].kind == kind;
			reached += b->box[i].kind == kind && b->box[i].reach_cpu >= 0;
		}
		printf("\n%s: one in every %s, %d, %d of them within reach\n", kind->pmu,
		       kind->place == IPMU_BOX_CPU ? "hardware thread" :
		       "core, shared by its threads", n, reached);
	}
}

void table_print(const struct ipmu_topology *t, const struct boxes *b)
{
	identity_print(t);
	cpus_print(t);
	putchar('\n');
	for (int i = 0; i < t->npackages; i++)
		reach_print(t, i);
	package_boxes_print(t, b);
	core_boxes_print(t, b);
}
