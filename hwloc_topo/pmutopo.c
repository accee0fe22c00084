/* SPDX-License-Identifier: MIT */
/* pmutopo(1): which CPU, core, package and LLC slice belong together, and who may reach what. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ipmu_topology.h"

#ifndef IPMU_VERSION
#define IPMU_VERSION "development"
#endif

static void usage(FILE *f)
{
	fputs("Usage: pmutopo [OPTION]...\n"
	      "Show how this machine's CPUs, cores, packages and LLC slices belong together.\n\n"
	      "  -h, --help     show this text and leave\n"
	      "  -V, --version  show the version and leave\n\n"
	      "The machine is the one that hwloc sees: HWLOC_XMLFILE, HWLOC_SYNTHETIC and\n"
	      "the like apply. Exit status: 0, 1 if there is no topology to show, 2 for a\n"
	      "wrong option.\n", f);
}

/* Parts with one CBo slice beside each core: Skylake client and those with the same uncore. */
static bool has_slices(const struct ipmu_topology *t)
{
	static const int models[] = { 0x4E, 0x5E, 0x8E, 0x9E, 0xA5, 0xA6 };

	if (strcmp(t->vendor, "GenuineIntel") || t->family != 6)
		return false;
	for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++)
		if (t->model == models[i])
			return true;
	return false;
}

static void number_print(const char *label, int value)
{
	if (value < 0)
		printf(" %s unknown", label);
	else
		printf(" %s %d (0x%X)", label, value, (unsigned int)value);
}

static void identity_print(const struct ipmu_topology *t)
{
	printf("%s", *t->vendor ? t->vendor : "unknown vendor");
	number_print("family", t->family);
	number_print("model", t->model);
	number_print("stepping", t->stepping);
	printf(": %s\n", *t->cpu_model ? t->cpu_model : "unnamed processor");
	printf("%d package%s, %d core%s, %d CPU%s\n\n", t->npackages, t->npackages == 1 ? "" : "s",
	       t->ncores, t->ncores == 1 ? "" : "s", t->ncpus, t->ncpus == 1 ? "" : "s");
}

static void cpus_print(const struct ipmu_topology *t)
{
	bool slices = has_slices(t);

	printf("%5s %8s %6s %7s %10s %8s\n", "CPU", "package", "core", "thread", "CBo slice",
	       "allowed");
	for (int i = 0; i < t->ncpus; i++) {
		const struct ipmu_cpu *cpu = &t->cpus[i];
		char slice[16] = "-";

		if (slices)
			snprintf(slice, sizeof(slice), "%d", ipmu_topology_slice(t, cpu->os_cpu));
		printf("%5d %8d %6d %7d %10s %8s\n", cpu->os_cpu, cpu->pkg_idx, cpu->core_idx,
		       cpu->smt_idx, slice, cpu->allowed ? "yes" : "no");
	}
}

static bool may_reach(const struct ipmu_topology *t, int i, int pkg_idx)
{
	return i < t->ncpus && t->cpus[i].pkg_idx == pkg_idx && t->cpus[i].allowed;
}

/* CPUs as ranges of neighbouring numbers: "0-3,8". */
static void reach_print(const struct ipmu_topology *t, int pkg_idx)
{
	const char *comma = "";

	printf("package %d: ", pkg_idx);
	if (t->packages[pkg_idx].reach_cpu < 0) {
		printf("out of reach, none of its CPUs is allowed\n");
		return;
	}
	printf("reached through CPU %d, possible: ", t->packages[pkg_idx].reach_cpu);
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
	putchar('\n');
}

static int options_parse(int argc, char **argv, bool *done)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	*done = true;
	while ((c = getopt_long(argc, argv, "hV", options, NULL)) != -1) {
		if (c == 'h') {
			usage(stdout);
			return 0;
		}
		if (c == 'V') {
			printf("pmutopo %s\n", IPMU_VERSION);
			return 0;
		}
		fprintf(stderr, "Try 'pmutopo --help'.\n");
		return 2;
	}
	if (optind < argc) {
		fprintf(stderr, "pmutopo: takes no argument, but got '%s'; try 'pmutopo --help'.\n",
			argv[optind]);
		return 2;
	}
	*done = false;
	return 0;
}

int main(int argc, char **argv)
{
	struct ipmu_topology *t;
	char why[IPMU_WHY_MAX];
	bool done;
	int rc = options_parse(argc, argv, &done);

	if (rc || done)
		return rc;
	if (ipmu_topology_load(&t, why)) {
		fprintf(stderr, "pmutopo: %s\n", why);
		return 1;
	}
	identity_print(t);
	cpus_print(t);
	putchar('\n');
	for (int i = 0; i < t->npackages; i++)
		reach_print(t, i);
	ipmu_topology_free(t);
	return fflush(stdout) ? 1 : 0;
}
