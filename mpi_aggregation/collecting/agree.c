/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "ipmu_mpi.h"

struct agreed_verdict {
	int32_t rc;
	char why[IPMU_MPI_WHY_MAX];
};

/* Up and down a tree: two messages a rank on average, where MPI_Allreduce and MPI_Barrier send the
 * logarithm of the ranks. */
static int least(MPI_Comm comm, int mine)
{
	int min = mine;

	PMPI_Reduce(&mine, &min, 1, MPI_INT, MPI_MIN, 0, comm);
	PMPI_Bcast(&min, 1, MPI_INT, 0, comm);
	return min;
}

void wait_for_all(MPI_Comm comm)
{
	least(comm, 0);
}

/* The lowest rank that failed is heard. Two steps of O(log ranks), one where nothing failed. */
int agree(MPI_Comm comm, int rc, char *why)
{
	struct agreed_verdict v = { .rc = rc };
	int rank, speaker;

	PMPI_Comm_rank(comm, &rank);
	speaker = least(comm, rc ? rank : INT_MAX);
	if (speaker == INT_MAX)
		return 0;
	snprintf(v.why, sizeof(v.why), "%s", rc ? why : "");
	PMPI_Bcast(&v, (int)sizeof(v), MPI_BYTE, speaker, comm);
	memcpy(why, v.why, sizeof(v.why));
	return v.rc;
}

/* Whether all have rank 0's text. */
int agree_text(MPI_Comm comm, const char *text, const char *what, char *why)
{
	int rank, bytes = (int)strlen(text) + 1, wanted = bytes, rc = 0;

	PMPI_Comm_rank(comm, &rank);
	PMPI_Bcast(&wanted, 1, MPI_INT, 0, comm);
	char *first = calloc(1, (size_t)wanted);
	if (first && rank == 0)
		memcpy(first, text, (size_t)wanted);
	if (!first) {
		snprintf(why, IPMU_MPI_WHY_MAX, "rank %d: out of memory", rank);
		rc = -ENOMEM;
	}
	rc = agree(comm, rc, why);
	if (rc)
		goto out;
	PMPI_Bcast(first, wanted, MPI_CHAR, 0, comm);
	if (bytes != wanted || memcmp(first, text, (size_t)wanted)) {
		snprintf(why, IPMU_MPI_WHY_MAX, "the ranks %s: rank 0 '%.150s', rank %d '%.150s'; "
			 "give all the same", what, first, rank, text);
		rc = -EINVAL;
	}
	rc = agree(comm, rc, why);
out:
	free(first);
	return rc;
}
