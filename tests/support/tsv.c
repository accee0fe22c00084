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
	t->number = t->last = 0;
}

/* Reads a row and the range of numbers that it stands for, "{0..9}"; without one it is itself. */
static int read_row(struct tsv *t)
{
	if (!fgets(t->row, sizeof(t->row), t->file)) {
		fclose(t->file);
		t->file = NULL;
		return 0;
	}
	t->first = t->last = 0;
	for (const char *at = strchr(t->row, '{'); at; at = strchr(at + 1, '{'))
		if (sscanf(at, "{%d..%d}", &t->first, &t->last) == 2)
			break;
	t->number = t->first;
	return 1;
}

/* Writes the line of the present number: it stands for "{0..9}" and "{#}", and "{0x700+16}" is
 * higher by so many steps of 16 as the number is higher than the first. */
static void expand_row(struct tsv *t)
{
	size_t used = 0, length;

	for (const char *at = t->row; *at && used < sizeof(t->line) - 32; at += length) {
		unsigned from, step, steps = (unsigned)(t->number - t->first);

		length = *at == '{' ? strcspn(at, "}") + 1 : 1;
		if (sscanf(at, "{0x%x+%u}", &from, &step) == 2)
			used += (size_t)sprintf(t->line + used, "0x%X", from + steps * step);
		else if (*at == '{')
			used += (size_t)sprintf(t->line + used, "%d", t->number);
		else
			t->line[used++] = *at;
	}
	t->line[used] = '\0';
}

int tsv_next(struct tsv *t)
{
	if (t->number < t->last)
		t->number++;
	else if (!read_row(t))
		return 0;
	expand_row(t);
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
