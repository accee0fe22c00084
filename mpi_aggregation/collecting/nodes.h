/* SPDX-License-Identifier: MIT */
/* The nodes of a communicator, and what the ranks of one share. */
#ifndef IPMU_MPI_NODES_H
#define IPMU_MPI_NODES_H

#include <mpi.h>

#define HOST_MAX 64

struct nodes {
	MPI_Comm comm, node, leaders;	/* ours; leaders: MPI_COMM_NULL on others */
	int rank, nranks, node_rank, node_nranks;
	int index, count;		/* of the node, of nodes */
	char host[HOST_MAX];
};

int nodes_split(MPI_Comm comm, struct nodes *out, char *why);
void nodes_free(struct nodes *n);

/* ---- node_share.c. Collective over a node. fd is the leader's, -1: it has none. Returns on the
 * leader its own, on others a descriptor of the same file, -1: not to be had (containers). */
int node_share(const struct nodes *at, int fd);
/* Collective over the node: from here on its processes read the machine's topology once, if they
 * can. */
void share_topology(const struct nodes *at);

#endif
