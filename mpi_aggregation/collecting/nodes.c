/* SPDX-License-Identifier: MIT */
/* Finds which ranks are on one node, and which of them leads: nodes_split() and nodes_free(),
 * collective. A node is what has one kernel, recognized by its boot id, even if containers split
 * it. Ranks that share memory under different kernels are refused. On success every node has one
 * leader, its rank 0, and all ranks know their node's index and the number of nodes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agree.h"
#include "ipmu_mpi.h"
#include "nodes.h"

#define ID_BYTES 64

/* A kernel's name for its own run; a host's name where it is hidden from us. */
static void node_id(char id[ID_BYTES])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, id, ID_BYTES - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0) {
		memset(id, 0, ID_BYTES);
		gethostname(id, ID_BYTES - 1);
	}
}

/* Ranks that share memory but not a kernel are not one node: that is nothing we know of, and no
 * counter of such a node could be trusted. */
static int same_kernel(MPI_Comm shm, const char *id, const char *host, char *why)
{
	char first[ID_BYTES];

	memcpy(first, id, ID_BYTES);
	PMPI_Bcast(first, ID_BYTES, MPI_CHAR, 0, shm);
	if (!memcmp(first, id, ID_BYTES))
		return 0;
	snprintf(why, IPMU_MPI_WHY_MAX, "host %s: ranks that share memory run under different "
		 "kernels (boot ids %.36s and %.36s)", host, first, id);
	return -EXDEV;
}

/* Containers may split the ranks of one kernel into several shared-memory groups. Gives each group
 * the index of the first group with its id; returns whether any were joined, -ENOMEM. */
static int joined_group(MPI_Comm firsts, const char *id, int *index)
{
	char why[IPMU_MPI_WHY_MAX] = "";
	int n, rank, joined;

	PMPI_Comm_size(firsts, &n);
	PMPI_Comm_rank(firsts, &rank);
	char *ids = calloc((size_t)n, ID_BYTES);
	if (agree(firsts, ids ? 0 : -ENOMEM, why)) {
		free(ids);
		return -ENOMEM;
	}
	PMPI_Allgather(id, ID_BYTES, MPI_CHAR, ids, ID_BYTES, MPI_CHAR, firsts);
	*index = 0;
	while (memcmp(ids + (size_t)*index * ID_BYTES, id, ID_BYTES))
		++*index;
	free(ids);
	int moved = *index != rank;
	PMPI_Allreduce(&moved, &joined, 1, MPI_INT, MPI_MAX, firsts);
	return joined;
}

static void split_leaders(struct nodes *n, MPI_Comm node, MPI_Comm *leaders)
{
	PMPI_Comm_rank(node, &n->node_rank);
	PMPI_Comm_split(n->comm, n->node_rank ? MPI_UNDEFINED : 0, n->rank, leaders);
}

static int join_groups(struct nodes *n, const char *id, char *why)
{
	int word[2] = { 0, 0 };		/* index of the node, whether groups were joined */

	split_leaders(n, n->node, &n->leaders);
	if (n->leaders != MPI_COMM_NULL)
		word[1] = joined_group(n->leaders, id, &word[0]);
	PMPI_Bcast(word, 2, MPI_INT, 0, n->node);
	if (word[1] < 0)
		snprintf(why, IPMU_MPI_WHY_MAX, "out of memory for the list of nodes");
	if (word[1] <= 0)
		return word[1];
	PMPI_Comm_free(&n->node);
	if (n->leaders != MPI_COMM_NULL)
		PMPI_Comm_free(&n->leaders);
	PMPI_Comm_split(n->comm, word[0], n->rank, &n->node);
	split_leaders(n, n->node, &n->leaders);
	return 0;
}

static void number_nodes(struct nodes *n)
{
	int word[2] = { 0, 0 };

	if (n->leaders != MPI_COMM_NULL) {
		PMPI_Comm_rank(n->leaders, &word[0]);
		PMPI_Comm_size(n->leaders, &word[1]);
	}
	PMPI_Bcast(word, 2, MPI_INT, 0, n->node);
	n->index = word[0];
	n->count = word[1];
	PMPI_Comm_size(n->node, &n->node_nranks);
}

int nodes_split(MPI_Comm comm, struct nodes *out, char *why)
{
	struct nodes n = { .leaders = MPI_COMM_NULL, .node = MPI_COMM_NULL };
	char id[ID_BYTES] = "";
	int rc;

	PMPI_Comm_dup(comm, &n.comm);
	PMPI_Comm_rank(n.comm, &n.rank);
	PMPI_Comm_size(n.comm, &n.nranks);
	gethostname(n.host, sizeof(n.host) - 1);
	node_id(id);
	PMPI_Comm_split_type(n.comm, MPI_COMM_TYPE_SHARED, n.rank, MPI_INFO_NULL, &n.node);
	rc = agree(n.comm, same_kernel(n.node, id, n.host, why), why);
	if (!rc)
		rc = join_groups(&n, id, why);
	if (rc) {
		nodes_free(&n);
		return rc;
	}
	number_nodes(&n);
	*out = n;
	return 0;
}

void nodes_free(struct nodes *n)
{
	MPI_Comm *const all[] = { &n->leaders, &n->node, &n->comm };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (*all[i] != MPI_COMM_NULL)
			PMPI_Comm_free(all[i]);
}
