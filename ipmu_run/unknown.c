/* SPDX-License-Identifier: MIT */
/* Complaints about events and groups that cannot be counted here: complain_event() and
 * complain_group(). They name the nearest names that can be counted, or the virtual machines that
 * have the event or group. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "near.h"
#include "run.h"

/* For each PMU, by how its name begins, a virtual machine that has it. */
static const struct { const char *pmu, *machine; } machines[] = {
	{ "skl_unc", "skl-4c8t" },
#include "client_machines.h"	/* of the other clients, by facts/client-list */
	{ "knc", "knc-4c16t" }, { "netburst", "p4-1c2t" }, { "nhmex_unc", "nhmex-1p8c16t" },
	{ "core", "core2-2c" },
};

static const char *machine_with(const char *pmu)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (!strncasecmp(pmu, machines[i].pmu, strlen(machines[i].pmu)))
			return machines[i].machine;
	return NULL;
}

/* ---- events */

static const char *bare(const char *name)
{
	const char *colons = strstr(name, ":::");

	return colons ? colons + 3 : name;
}

struct near_search {
	struct near near;
	const char *pmu;	/* as typed */
	size_t pmu_bytes;	/* 0: none was */
	bool has_pmu;		/* ... and it is one of this machine */
};

/* The end of a name is as good as all of it, as in perf's data_reads for DRAM_DATA_READS. */
static void try_event(void *arg, const char *name)
{
	struct near_search *s = arg;

	if (s->pmu_bytes && !strncasecmp(name, s->pmu, s->pmu_bytes))
		s->has_pmu = true;
	near_try(&s->near, name, name);
	for (const char *part = strpbrk(name, "._:"); part; part = strpbrk(part + 1, "._:"))
		near_try(&s->near, part + 1, name);
}

/* Without what follows event and unit mask: qualifiers with a number, and LIKWID's counters. */
static void cut_qualifiers(char *name)
{
	for (char *colon = strchr(name, ':'); colon; colon = strchr(colon + 1, ':')) {
		size_t n = strcspn(colon + 1, ":=");

		if (colon[1 + n] == '=' || strcspn(colon + 1, "0123456789") < n) {
			*colon = '\0';
			return;
		}
	}
}

/* "skl_unc_cbo" before a dot or two colons: the bytes with the dot; 0: there is none. */
static size_t pmu_bytes(const char *name)
{
	size_t n = strcspn(name, ".:");

	return name[n] == '.' || !strncmp(name + n, "::", 2) ? n : 0;
}

/* Is it a machine of that kind, "lnl" of lnl-4p4e8t? What it lacks no other one of them has. */
static bool is_of_kind(const struct machine *m, const char *machine)
{
	static const char brand[] = "VirtualPMU ";

	return !strncmp(m->model, brand, sizeof(brand) - 1) &&
	       !strncmp(m->model + sizeof(brand) - 1, machine, strcspn(machine, "-") + 1);
}

static int complain_unknown(const struct machine *m, const char *given, const char *machine,
			    const char *why)
{
	char typed[EVENT_NAME_MAX], nearest[300];
	struct near_search s = { .pmu = bare(given), .pmu_bytes = pmu_bytes(bare(given)) };

	snprintf(typed, sizeof(typed), "%s", s.pmu);
	cut_qualifiers(typed);
	near_begin(&s.near, typed);
	s.near.cost -= s.pmu_bytes / 2;	/* a PMU that is right makes no event near */
	events_each(try_event, &s);
	if (machine && s.pmu_bytes && !s.has_pmu && is_of_kind(m, machine))
		return complain(EXIT_CANNOT_COUNT, "no event %.100s here: this machine has no PMU "
				"%.*s", given, (int)s.pmu_bytes, s.pmu);
	if (machine && s.pmu_bytes && !s.has_pmu)
		return complain(EXIT_CANNOT_COUNT, "no event %.100s here: this machine has no PMU "
				"%.*s, ipmu-run --on %s has it", given, (int)s.pmu_bytes, s.pmu,
				machine);
	return complain(EXIT_CANNOT_COUNT, "%s%s", why,
			near_text(&s.near, nearest, sizeof(nearest)));
}

int complain_event(const struct machine *m, const char *given, int rc, const char *why)
{
	const char *machine = machine_with(bare(given));

	if (rc == -ENOENT)
		return complain_unknown(m, given, machine, why);
	return complain_machine(rc, why, machine);
}

/* ---- groups */

static void nearest_group(const struct machine *m, const char *name, bool here, char *text,
			  size_t bytes)
{
	struct group_list all = { 0 };
	char why[COUNT_WHY_MAX], full[300];
	bool slash = strchr(name, '/');
	struct near n;

	near_begin(&n, name);
	groups_find(NULL, &all, NULL);
	for (int i = 0; i < all.n; i++) {
		const struct group *g = all.groups[i];

		if (here && group_here(m, g, why))
			continue;
		snprintf(full, sizeof(full), "%s/%s", g->pmu, g->name);
		near_try(&n, slash ? full : g->name, slash ? full : g->name);
	}
	groups_free(&all);
	near_text(&n, text, bytes);
}

/* Names a machine that has a group of the list; NULL: any does. */
static const char *machine_of(const struct group_list *list)
{
	for (int i = 0; i < list->n; i++)
		if (machine_with(list->groups[i]->pmu) == machines[0].machine)
			return NULL;
	return list->n ? machine_with(list->groups[0]->pmu) : NULL;
}

/* "ipmu-run --on core2-2c, knc-4c16t or p4-1c2t" */
static void list_machines(const struct group_list *list, char *text, size_t bytes)
{
	size_t n = 0;

	for (int i = 0; i < list->n && n < bytes; i++) {
		const char *machine = machine_with(list->groups[i]->pmu);

		if (machine)
			n += (size_t)snprintf(text + n, bytes - n, "%s%s", !n ? "ipmu-run --on " :
					      i + 1 == list->n ? " or " : ", ", machine);
	}
}

int complain_group(const struct machine *m, const char *name, const struct group_list *same,
		   int rc, const char *why)
{
	char here[1024], more[512] = "";

	list_names(m, here, sizeof(here));
	if (group_unknown(rc) || (same->n && !here[0]))
		return complain_machine(group_unknown(rc) ? rc : -ENODEV, why, machine_of(same));
	if (same->n && rc != -ENOENT && rc != -ENODEV)
		return complain(EXIT_USAGE, "group %s cannot be counted here: %s", name, why);
	if (same->n) {
		list_machines(same, more, sizeof(more));
		return complain(EXIT_USAGE, "no group %s here, other machines have it%s%s; there "
				"are: %s", name, more[0] ? ": " : "", more, here);
	}
	nearest_group(m, name, here[0], more, sizeof(more));
	if (!more[0] && here[0])
		nearest_group(m, name, false, more, sizeof(more));
	return complain(EXIT_USAGE, "no group %s%s%s%s%s", name, here[0] ? " here" : "", more,
			here[0] ? "; there are: " : ": 'ipmu-run --groups' lists them", here);
}
