/* SPDX-License-Identifier: MIT */
/* Finds which ranks are on one node, and which of them leads: nodes_split() and nodes_free(),
 * collective. A node is what has one kernel, recognized by its boot id, even if containers split
 * it. Every node has one leader, its rank 0, and all ranks know their node's index and the number
 * of nodes. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* FNV-1a. Boot ids are random, so 62 bits of the hash distinguish the nodes of any machine. */
static uint64_t id_hash(const char *id)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *id; id++)
		hash = (hash ^ (unsigned char)*id) * 0x100000001b3u;
	return hash;
}

/* MPI splits by 31 bits at a time. */
static void split_by_id(struct nodes *n)
{
	char id[ID_BYTES] = "";
	MPI_Comm some;
	uint64_t hash;

	node_id(id);
	hash = id_hash(id);
	PMPI_Comm_split(n->comm, (int)(hash & 0x7fffffff), n->rank, &some);
	PMPI_Comm_split(some, (int)(hash >> 32 & 0x7fffffff), n->rank, &n->node);
	PMPI_Comm_free(&some);
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

void nodes_split(MPI_Comm comm, struct nodes *out)
{
	struct nodes n = { .leaders = MPI_COMM_NULL, .node = MPI_COMM_NULL };

	PMPI_Comm_dup(comm, &n.comm);
	PMPI_Comm_rank(n.comm, &n.rank);
	PMPI_Comm_size(n.comm, &n.nranks);
	gethostname(n.host, sizeof(n.host) - 1);
	split_by_id(&n);
	PMPI_Comm_rank(n.node, &n.node_rank);
	PMPI_Comm_split(n.comm, n.node_rank ? MPI_UNDEFINED : 0, n.rank, &n.leaders);
	number_nodes(&n);
	*out = n;
}

void nodes_free(struct nodes *n)
{
	if (n->leaders != MPI_COMM_NULL)
		PMPI_Comm_free(&n->leaders);
	PMPI_Comm_free(&n->node);
	PMPI_Comm_free(&n->comm);
}
