/* SPDX-License-Identifier: MIT */
/* Lists the groups: list_groups() for --groups with metrics, events and advice, list_names() for
 * messages. Groups that count here are listed first. Then come those whose PMU cannot be used, with
 * the reason, and those of other machines. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define WIDTH 96

/* Text in lines of at most WIDTH, indented by six. */
static void print_wrapped(const char *text)
{
	int column = 0;

	while (*text) {
		int n = (int)strcspn(text, " ");

		if (column && column + 1 + n > WIDTH) {
			putchar('\n');
			column = 0;
		}
		column += printf("%s%.*s", column ? " " : "      ", n, text);
		text += n;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void print_group(const struct group *g)
{
	printf("  %s  (%s): %s\n", g->name, g->pmu, g->title);
	for (int i = 0; i < g->nmetrics; i++) {
		const struct group_metric *m = &g->metrics[i];

		printf("    %s [%s] = %s", m->name, m->unit, m->formula);
		printf(m->better == BETTER_NEITHER ? "\n" : "  (%s is better)\n",
		       better_word(m->better));
	}
	for (int i = 0; i < g->nevents; i++)
		if (!g->events[i].clock)
			printf("    %s: %s\n", g->events[i].id, g->events[i].name);
	print_wrapped(g->tells);
	print_wrapped(g->misleads);
	putchar('\n');
}

/* PMUs of this machine that cannot be used, in one line a group. */
static void print_left_out(const struct machine *m, const struct group_list *list,
			   const int *failed)
{
	bool begun = false;
	char why[COUNT_WHY_MAX];

	for (int i = 0; i < list->n; i++) {
		if (failed[i] != -ENXIO || group_here(m, list->groups[i], why) != -ENXIO)
			continue;
		if (!begun)
			puts("Groups of this machine that cannot be counted now:");
		begun = true;
		printf("  %s: %s\n", list->groups[i]->name, why);
	}
	if (begun)
		putchar('\n');
}

static void print_others(const struct group_list *list, const int *failed)
{
	const char *pmu = "";

	puts("Groups of other machines:");
	for (int i = 0; i < list->n; i++) {
		const struct group *g = list->groups[i];

		if (!failed[i] || failed[i] == -ENXIO)
			continue;
		if (strcmp(pmu, g->pmu))
			printf("%s  %s:", *pmu ? "\n" : "", g->pmu);
		pmu = g->pmu;
		printf(" %s", g->name);
	}
	putchar('\n');
}

int list_groups(const struct machine *m)
{
	struct group_list list = { 0 };
	int bad = groups_find(NULL, &list, complain_group_file), found = 0, rc = 0;
	int *failed = calloc((size_t)list.n + 1, sizeof(*failed));
	char why[COUNT_WHY_MAX] = "", one[COUNT_WHY_MAX];

	if (!failed) {
		groups_free(&list);
		return complain(EXIT_CANNOT_COUNT, "no memory");
	}
	for (int i = 0; i < list.n; i++) {
		failed[i] = group_here(m, list.groups[i], one);
		found += !failed[i];
		if (failed[i] && !group_unknown(rc)) {
			rc = failed[i];
			snprintf(why, sizeof(why), "%s", one);
		}
	}
	if (found)
		printf("Groups of this machine, %s:\n\n", m->model);
	for (int i = 0; i < list.n; i++)
		if (!failed[i])
			print_group(list.groups[i]);
	print_left_out(m, &list, failed);
	if (found < list.n)
		print_others(&list, failed);
	free(failed);
	groups_free(&list);
	if (!found)
		return complain_machine(rc, why, NULL);
	return bad ? EXIT_USAGE : 0;
}

void list_names(const struct machine *m, char *out, size_t bytes)
{
	struct group_list list = { 0 };
	char why[COUNT_WHY_MAX];
	size_t n = 0;

	out[0] = '\0';
	groups_find(NULL, &list, NULL);
	for (int i = 0; i < list.n && n < bytes; i++)
		if (!group_here(m, list.groups[i], why))
			n += (size_t)snprintf(out + n, bytes - n, "%s%s", n ? ", " : "",
					      list.groups[i]->name);
	groups_free(&list);
}
