/* SPDX-License-Identifier: MIT */
/* Files of groups with their formulas. What is accepted is whole, its formulas have a value, and
 * written again it reads the same. */
#include "fuzz.h"
#include "../../measure/groups/formula.h"
#include "../../measure/groups/group.h"

#include <errno.h>

#define PATH "here/pmu/GROUP"

static struct group *read_text(const char *text, size_t bytes)
{
	char why[GROUP_WHY_MAX] = "";
	struct group *g = NULL;
	FILE *f = fmemopen((void *)(uintptr_t)text, bytes, "r");
	int rc;

	REQUIRE(f);
	rc = group_read(f, PATH, &g, why);
	fclose(f);
	REQUIRE(rc == 0 || rc == -EINVAL);
	REQUIRE(rc ? why[0] && !g : g != NULL);
	return g;
}

static void check_formulas(const struct group *g)
{
	double *values = calloc((size_t)g->time + 1, sizeof(*values)), value;

	REQUIRE(values);
	for (int i = 0; i < g->nmetrics; i++) {
		const struct group_metric *m = &g->metrics[i];

		REQUIRE(formula_value(m->parsed, values, &value) == 0);
		REQUIRE(m->timed == m->uses[g->time]);
	}
	free(values);
}

static void check_events(const struct group *g)
{
	int clocks = 0;

	for (int i = 0; i < g->nevents; i++) {
		REQUIRE(g->events[i].id[0] && g->events[i].name[0]);
		REQUIRE(group_event_find(g, g->events[i].id) == i);
		clocks += g->events[i].clock;
	}
	REQUIRE(clocks <= 1 && g->nevents > clocks);
	REQUIRE((group_clock(g) >= 0) == (clocks == 1));
}

static char *written(const struct group *g, size_t *bytes)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, bytes);

	REQUIRE(f);
	fprintf(f, "title: %s\n", g->title);
	for (int i = 0; i < g->nevents; i++)
		fprintf(f, "%s: %s = %s\n", g->events[i].clock ? "clock" : "event",
			g->events[i].id, g->events[i].name);
	for (int i = 0; i < g->nmetrics; i++)
		fprintf(f, "metric: %s [%s] = %s\n", g->metrics[i].name, g->metrics[i].unit,
			g->metrics[i].formula);
	fprintf(f, "tells: %s\nmisleads: %s\n", g->tells, g->misleads);
	REQUIRE(fclose(f) == 0);
	return text;
}

static void check_same(const struct group *a, const struct group *b)
{
	REQUIRE(!strcmp(a->title, b->title) && !strcmp(a->tells, b->tells));
	REQUIRE(!strcmp(a->misleads, b->misleads) && !strcmp(a->name, "GROUP"));
	REQUIRE(a->nevents == b->nevents && a->nmetrics == b->nmetrics);
	for (int i = 0; i < a->nevents; i++)
		REQUIRE(!strcmp(a->events[i].name, b->events[i].name));
	for (int i = 0; i < a->nmetrics; i++)
		REQUIRE(!strcmp(a->metrics[i].name, b->metrics[i].name) &&
			!strcmp(a->metrics[i].unit, b->metrics[i].unit) &&
			!strcmp(a->metrics[i].formula, b->metrics[i].formula));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct group *g, *again;
	size_t bytes;
	char *text;

	if (!size)
		return 0;
	g = read_text((const char *)data, size);
	if (!g)
		return 0;
	check_events(g);
	check_formulas(g);
	text = written(g, &bytes);
	again = read_text(text, bytes);
	REQUIRE(again);
	check_same(g, again);
	group_free(again);
	group_free(g);
	free(text);
	return 0;
}
