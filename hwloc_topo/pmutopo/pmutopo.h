/* SPDX-License-Identifier: MIT */
/* What pmutopo's parts know of each other. */
#ifndef PMUTOPO_H
#define PMUTOPO_H

#include <stdint.h>

#include "ipmu_topology.h"

struct boxes {
	int n;
	struct ipmu_topology_box *box;
};

/* Counts of a run; value[i] belongs to box[i] where given[i]. */
struct counts {
	uint64_t *value;
	bool *given;
};

/* The kind of boxes of that PMU, or NULL: this machine has none. */
const struct ipmu_box_kind *kind_of(const struct ipmu_topology *t, const char *pmu);

/* Each returns 0 or a negative errno and a sentence in why, and leaves stdout to the caller to
 * flush. */
void table_print(const struct ipmu_topology *t, const struct boxes *b);
int topology_print_json(const struct ipmu_topology *t, const struct boxes *b,
			char why[IPMU_WHY_MAX]);
int counts_read(const char *path, const struct boxes *b, struct counts *c,
		char why[IPMU_WHY_MAX]);
void counts_free(struct counts *c);
/* Draw into the file at path, which appears whole or not at all; counts may be NULL. */
int svg_write(const struct ipmu_topology *t, const struct boxes *b, const struct counts *c,
	      const char *path, char why[IPMU_WHY_MAX]);

#endif
