/* SPDX-License-Identifier: MIT */
/* Rows of the tables under facts and tests/data: tab-separated, one header line, no quoting. */
#ifndef TSV_H
#define TSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TSV_COLUMNS 16

struct tsv {
	FILE *file;
	int columns;
	char header[1024], row[2048], line[2048];	/* row: of the file; line: of a register */
	int first, number, last;	/* "{0..9}" in the row: facts/README.md */
	const char *names[TSV_COLUMNS], *cells[TSV_COLUMNS];
};

/* Open facts/NAME, or tests/data/NAME ($TEST_DATA) if NAME has no folder; the process ends with a
 * message if that fails. */
void tsv_open(struct tsv *t, const char *name);
int tsv_next(struct tsv *t);	/* 1: a row is in cells; 0: the end, and the file is closed */
const char *tsv_cell(const struct tsv *t, const char *column);
/* True if the word is one of those that commas separate in the cell. */
bool tsv_has(const struct tsv *t, const char *column, const char *word);
uint64_t tsv_number(const struct tsv *t, const char *column);	/* a trailing '?' is ignored */

#endif
