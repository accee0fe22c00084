/* SPDX-License-Identifier: MIT */
/* Indices of cells, by event and package, and a node's cells. */
#include "counter_set.h"

size_t cell_index(const struct ipmu_mpi *m, int event, int cell)
{
	return (size_t)event * (size_t)(m->packages_max + 1) + (size_t)cell;
}

size_t cells_count(const struct ipmu_mpi *m)
{
	return cell_index(m, m->nevents, 0);
}

void cell_add(struct cell *sum, const struct cell *c)
{
	sum->count += c->count;
	sum->measured += c->measured;
	sum->expected += c->expected;
}

const struct node_head *node_head_of(const struct ipmu_mpi *m, int node)
{
	return (const void *)(m->rows + (size_t)node * m->row_bytes);
}

const struct cell *node_cells_of(const struct ipmu_mpi *m, int node)
{
	return (const void *)(node_head_of(m, node) + 1);
}
