/* SPDX-License-Identifier: MIT */
/* Interfaces between pmutopo's files. */
#ifndef PMUTOPO_H
#define PMUTOPO_H

#include <stdbool.h>
#include <stdint.h>

#include "ipmu_topology.h"

struct hwloc_topology;

struct boxes {
	int n;
	struct ipmu_topology_box *box;
};

/* Counts of a run; value[i] belongs to box[i] where given[i]. */
struct counts {
	uint64_t *value;
	bool *given;
};

/* A line of a file that is read, for its complaints. */
struct line {
	const char *path;
	int number;
	char *why;	/* of IPMU_WHY_MAX bytes */
};

/* Passes each line of l->path to take(), until that fails. 0 or a negative errno. */
int lines_read(struct line *l, int (*take)(void *to, char *text), void *to);
int line_refuse(const struct line *l, const char *what, const char *word);	/* -EINVAL */
/* digits: of the word. 0 or -EINVAL. */
int line_number(const struct line *l, const char *word, const char *digits, uint64_t most,
		uint64_t *out);

/* The kind of boxes of that PMU, or NULL: this machine has none. */
const struct ipmu_box_kind *kind_of(const struct ipmu_topology *t, const char *pmu);
bool has_slices(const struct ipmu_topology *t);	/* it has boxes that belong to cores' slices */

/* Each returns 0 or a negative errno and a sentence in why, and leaves stdout to the caller to
 * flush. */
void table_print(const struct ipmu_topology *t, const struct boxes *b);
int topology_print_json(const struct ipmu_topology *t, const struct boxes *b,
			char why[IPMU_WHY_MAX]);
int counts_read(const char *path, const struct boxes *b, struct counts *c,
		char why[IPMU_WHY_MAX]);
void counts_free(struct counts *c);
/* Puts the lines of text in that file on hwloc's objects; on_cores becomes true if one is on a core
 * or within. */
int labels_insert(struct hwloc_topology *topology, const struct ipmu_topology *t,
		  const char *path, bool *on_cores, char why[IPMU_WHY_MAX]);

struct drawing {
	const char *path;		/* appears whole or not at all */
	const struct counts *counts;	/* NULL: boxes without counts */
	const char *labels;		/* a file of lines to be drawn instead of boxes, or NULL */
	bool narrow;			/* all below one another */
};

int svg_write(const struct ipmu_topology *t, const struct boxes *b, const struct drawing *what,
	      char why[IPMU_WHY_MAX]);

#endif
