/* SPDX-License-Identifier: MIT */
/* Group files are PMU/NAME below the user's folder and below the installed one. */
#ifndef IPMU_RUN_FIND_H
#define IPMU_RUN_FIND_H

#include "group.h"

struct group_list {
	struct group **groups;
	int n;
};

/* Adds the groups of that NAME or PMU/NAME to the list, of whatever PMU; with NULL, all. One of the
 * user's replaces the installed one of the same PMU and name. Errors in a file are reported to
 * `bad`, which may be NULL. Returns how many files were bad, or -ENOMEM. */
int groups_find(const char *name, struct group_list *list, void (*bad)(const char *why));
void groups_free(struct group_list *list);

#endif
