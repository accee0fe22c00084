/* SPDX-License-Identifier: MIT */
/* Tables of where the counts of a run come from, which reports show. */
#ifndef IPMU_PROFILE_WHERE_H
#define IPMU_PROFILE_WHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WHERE_TIME "time"	/* what a clock counts */

/* A function, a line or an object with its counts, one for each event of the run. */
struct where_row {
	const char *function;	/* of a line: the one that has its machine code */
	const char *object;	/* the file with that */
	const char *file;	/* of the source; "": not known */
	int line;		/* 0: not known */
	char *source;		/* of a line: the text there; NULL: not readable */
	int64_t *counts;
	int64_t *inclusive;	/* of a function: with what it calls; NULL: calls were not seen */
	uint64_t calls;
};

/* A variable, an allocation site or other memory. Counts of 0 of all events: not accessed. */
struct where_data {
	const char *storage;	/* "global", "heap", "mmap", "stack", "unknown" */
	const char *name;	/* of a variable, or of the function that allocates it */
	const char *file;	/* of an allocation site; "": not known */
	int line;
	uint64_t bytes, times;	/* size; how often it was allocated, 0: not known */
	int64_t *counts;
};

/* An access to a line that several threads use at once. */
struct where_side {
	const char *function, *file;
	int line;
	int offset;		/* in the cache line */
	unsigned int thread;
	const char *access;	/* "load", "store" */
	const char *data;	/* what is there; "": not known */
	const char *storage;	/* as in struct where_data */
	const char *data_file;	/* where it was allocated; "": not known */
	int data_line;
	uint64_t data_offset;
	uint64_t times;
};

struct where_contended {
	uint64_t address, hits, modified;	/* snoops that found it unmodified, modified */
	struct where_side *sides;	/* requesting sides first, then the other sides */
	size_t nsides, nasked;
};

struct where_lost {
	const char *what;
	uint64_t n;
};

/* Rows have no order: see where_rank(). */
struct where {
	int nevents;			/* those of the run, and behind them instructions */
	int64_t *sums;			/* of all rows */
	bool *halved;			/* of one of two boxes: the rows have half of both */
	const char **apart;		/* why an event has no profile; NULL: it has one */
	struct where_row *functions, *lines;
	size_t nfunctions, nlines;
	struct where_data *data;
	size_t ndata;
	struct where_contended *contended;
	size_t ncontended;
	struct where_lost *lost;
	size_t nlost;
	int processes;			/* images of programs that were profiled */
};

/* Rows with the largest shares of these events: `most` of them at most, by their index. Returns
 * their number, 0 without memory. */
size_t where_rank(const struct where *w, const struct where_row *rows, size_t n,
		  const int *events, int nevents, size_t most, size_t *out);
/* The same of w->data. */
size_t where_rank_data(const struct where *w, const int *events, int nevents, size_t most,
		       size_t *out);

/* The last part of a path. */
const char *where_file_name(const char *path);
/* "a.c:12"; "" where the line is not known. */
#define WHERE_PLACE_MAX 280
void where_place(const char *file, int line, bool whole_path, char out[WHERE_PLACE_MAX]);

#endif
