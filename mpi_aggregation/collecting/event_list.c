/* SPDX-License-Identifier: MIT */
#include "event_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "ipmu_mpi.h"

int event_list_split(char *list, const char *names[LIST_MAX])
{
	char *rest = NULL;
	int n = 0;

	for (char *word = strtok_r(list, ",", &rest); word && n < LIST_MAX;
	     word = strtok_r(NULL, ",", &rest))
		names[n++] = word;
	return n;
}

static int list_check(const char *const *names, int n, int rank, char *why)
{
	if (n < 1 || n >= LIST_MAX || !names) {
		snprintf(why, IPMU_MPI_WHY_MAX, "rank %d: %d events, but a list has 1 to %d",
			 rank, n, LIST_MAX - 1);
		return -EINVAL;
	}
	for (int i = 0; i < n; i++) {
		if (strlen(names[i]) >= NAME_MAX_BYTES - 16) {
			snprintf(why, IPMU_MPI_WHY_MAX, "the name of event %.120s... is too long: "
				 "at most %d bytes", names[i], NAME_MAX_BYTES - 17);
			return -EINVAL;
		}
		for (int j = 0; j < i; j++)
			if (!strcmp(names[i], names[j])) {
				snprintf(why, IPMU_MPI_WHY_MAX, "event %s is in the list twice",
					 names[i]);
				return -EINVAL;
			}
	}
	return 0;
}

int event_list_agree(MPI_Comm comm, const char *const *names, int n, char *why)
{
	char *text = calloc(LIST_MAX, NAME_MAX_BYTES + 1);
	int rank, rc;

	PMPI_Comm_rank(comm, &rank);
	rc = list_check(names, n, rank, why);
	if (!text && !rc) {
		snprintf(why, IPMU_MPI_WHY_MAX, "rank %d: out of memory", rank);
		rc = -ENOMEM;
	}
	rc = agree(comm, rc, why);
	for (int i = 0; i < n && !rc; i++) {
		strcat(text, i ? "," : "");
		strcat(text, names[i]);
	}
	if (!rc)
		rc = agree_text(comm, text, "pass different lists of events", why);
	free(text);
	return rc;
}
