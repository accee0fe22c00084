/* SPDX-License-Identifier: MIT */
/* Counts of a run, one line a box: PMU, box, package and count, between blanks or commas. */
#include "pmutopo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEPARATORS " \t,;\r\n"

struct reader {
	const char *path;
	int line;
	char *why;
};

static int refuse(const struct reader *r, const char *what, const char *word)
{
	snprintf(r->why, IPMU_WHY_MAX, "%s, line %d: %s '%.64s'", r->path, r->line, what, word);
	return -EINVAL;
}

static int number(const struct reader *r, const char *word, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(word, &end, 10);
	if (*word < '0' || *word > '9' || *end || errno)
		return refuse(r, "expected a number, not", word);
	return 0;
}

static int box_find(const struct boxes *b, const char *pmu, uint64_t box_idx, uint64_t pkg_idx)
{
	for (int i = 0; i < b->n; i++)
		if (!strcmp(b->box[i].kind->pmu, pmu) &&
		    (uint64_t)b->box[i].box_idx == box_idx &&
		    (uint64_t)b->box[i].pkg_idx == pkg_idx)
			return i;
	return -1;
}

static int line_take(const struct reader *r, char *line, const struct boxes *b, struct counts *c)
{
	char *words[5], *rest = line, *word;
	uint64_t box_idx = 0, pkg_idx = 0, value = 0;
	int n = 0, i;

	line[strcspn(line, "#")] = '\0';
	while (n < 5 && (word = strtok_r(rest, SEPARATORS, &rest)))
		words[n++] = word;
	if (!n || (r->line == 1 && !strcmp(words[0], "pmu")))
		return 0;
	if (n != 4)
		return refuse(r, "expected PMU, box, package and count, got something else after",
			      words[n < 4 ? n - 1 : 3]);
	if (number(r, words[1], &box_idx) || number(r, words[2], &pkg_idx) ||
	    number(r, words[3], &value))
		return -EINVAL;
	i = box_find(b, words[0], box_idx, pkg_idx);
	if (i < 0)
		return refuse(r, "this machine has no such box; see pmutopo for those of",
			      words[0]);
	if (c->given[i])
		return refuse(r, "a second count for a box of", words[0]);
	c->given[i] = true;
	c->value[i] = value;
	return 0;
}

int counts_read(const char *path, const struct boxes *b, struct counts *c,
		char why[IPMU_WHY_MAX])
{
	struct reader r = { .path = path, .why = why };
	char *line = NULL;
	size_t bytes = 0;
	int rc = 0;
	FILE *f = fopen(path, "re");

	if (!f) {
		rc = -errno;
		snprintf(why, IPMU_WHY_MAX, "%s: %s", path, strerror(errno));
		return rc;
	}
	c->value = calloc((size_t)b->n + 1, sizeof(*c->value));
	c->given = calloc((size_t)b->n + 1, sizeof(*c->given));
	if (!c->value || !c->given) {
		snprintf(why, IPMU_WHY_MAX, "the counts in %s: %s", path, strerror(ENOMEM));
		rc = -ENOMEM;
	}
	errno = 0;
	while (!rc && getline(&line, &bytes, f) >= 0) {
		r.line++;
		rc = line_take(&r, line, b, c);
	}
	if (!rc && ferror(f)) {
		rc = errno ? -errno : -EIO;
		snprintf(why, IPMU_WHY_MAX, "%s: %s", path, strerror(-rc));
	}
	free(line);
	fclose(f);
	return rc;
}

void counts_free(struct counts *c)
{
	free(c->value);
	free(c->given);
}
