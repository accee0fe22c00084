/* SPDX-License-Identifier: MIT */
/* The nodes of a communicator. */
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

void nodes_split(MPI_Comm comm, struct nodes *out);
void nodes_free(struct nodes *n);

#endif
