/* SPDX-License-Identifier: MIT */
/* Counts of a run, one line a box: PMU, box, package and count, between blanks or commas. */
#include "pmutopo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEPARATORS " \t,;\r\n"

static int box_find(const struct boxes *b, const char *pmu, uint64_t box_idx, uint64_t pkg_idx)
{
	for (int i = 0; i < b->n; i++)
		if (!strcmp(b->box[i].kind->pmu, pmu) &&
		    (uint64_t)b->box[i].box_idx == box_idx &&
		    (uint64_t)b->box[i].pkg_idx == pkg_idx)
			return i;
	return -1;
}

struct counts_reader {
	struct line line;
	const struct boxes *boxes;
	struct counts *counts;
};

static int line_take(void *to, char *text)
{
	struct counts_reader *r = to;
	const struct line *l = &r->line;
	struct counts *c = r->counts;
	char *words[5], *rest = text, *word;
	uint64_t box_idx = 0, pkg_idx = 0, value = 0;
	int n = 0, i;

	text[strcspn(text, "#")] = '\0';
	while (n < 5 && (word = strtok_r(rest, SEPARATORS, &rest)))
		words[n++] = word;
	if (!n || (l->number == 1 && !strcmp(words[0], "pmu")))
		return 0;
	if (n != 4)
		return line_refuse(l, "expected PMU, box, package and count, got something else "
				   "after", words[n < 4 ? n - 1 : 3]);
	if (line_number(l, words[1], words[1], UINT64_MAX, &box_idx) ||
	    line_number(l, words[2], words[2], UINT64_MAX, &pkg_idx) ||
	    line_number(l, words[3], words[3], UINT64_MAX, &value))
		return -EINVAL;
	i = box_find(r->boxes, words[0], box_idx, pkg_idx);
	if (i < 0)
		return line_refuse(l, "this machine has no such box; see pmutopo for those of",
				   words[0]);
	if (c->given[i])
		return line_refuse(l, "a second count for a box of", words[0]);
	c->given[i] = true;
	c->value[i] = value;
	return 0;
}

int counts_read(const char *path, const struct boxes *b, struct counts *c,
		char why[IPMU_WHY_MAX])
{
	struct counts_reader r = { .line = { .path = path, .why = why }, .boxes = b, .counts = c };

	c->value = calloc((size_t)b->n + 1, sizeof(*c->value));
	c->given = calloc((size_t)b->n + 1, sizeof(*c->given));
	if (c->value && c->given)
		return lines_read(&r.line, line_take, &r);
	snprintf(why, IPMU_WHY_MAX, "the counts in %s: %s", path, strerror(ENOMEM));
	return -ENOMEM;
}

void counts_free(struct counts *c)
{
	free(c->value);
	free(c->given);
}
