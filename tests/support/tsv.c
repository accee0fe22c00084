/* SPDX-License-Identifier: MIT */
#include "tsv.h"

#include <stdlib.h>
#include <string.h>

static int cut(char *line, const char **cells)
{
	int n = 0;

	line[strcspn(line, "\n")] = '\0';
	for (char *at = line; at && n < TSV_COLUMNS; n++) {
		cells[n] = at;
		at = strchr(at, '\t');
		if (at)
			*at++ = '\0';
	}
	return n;
}

void tsv_open(struct tsv *t, const char *name)
{
	const char *dir = getenv("TEST_DATA");
	char path[512];

	snprintf(path, sizeof(path), "%s/%s%s", dir ? dir : "tests/data",
		 strchr(name, '/') ? "../../facts/" : "", name);
	t->file = fopen(path, "r");
	if (!t->file || !fgets(t->header, sizeof(t->header), t->file)) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(1);
	}
	t->columns = cut(t->header, t->names);
}

int tsv_next(struct tsv *t)
{
	if (!fgets(t->line, sizeof(t->line), t->file)) {
		fclose(t->file);
		t->file = NULL;
		return 0;
	}
	if (cut(t->line, t->cells) != t->columns) {
		fprintf(stderr, "a row of the table has not %d cells: %s\n", t->columns, t->line);
		exit(1);
	}
	return 1;
}

const char *tsv_cell(const struct tsv *t, const char *column)
{
	for (int i = 0; i < t->columns; i++)
		if (strcmp(t->names[i], column) == 0)
			return t->cells[i];
	fprintf(stderr, "the table has no column %s\n", column);
	exit(1);
}

bool tsv_has(const struct tsv *t, const char *column, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = tsv_cell(t, column); at; at = strchr(at, ','), at += at != NULL)
		if (strcspn(at, ",") == length && strncmp(at, word, length) == 0)
			return true;
	return false;
}

uint64_t tsv_number(const struct tsv *t, const char *column)
{
	return strtoull(tsv_cell(t, column), NULL, 0);
}
