/* SPDX-License-Identifier: MIT */
/* Adds up cells: ipmu_mpi_read() and its parts. A read has stages: sums within each node if
 * ranks count something, sums and rows over the leaders, and the totals back to the node.
 * Once begun, a read moves on in next_stage() alone. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "export.h"
#include "measure.h"

static void row_fill(struct ipmu_mpi *m)
{
	struct node_head *head = (void *)m->row;

	memset(head, 0, sizeof(*head));
	head->ns = m->took_ns;
	head->nranks = m->at.node_nranks;
	snprintf(head->host, sizeof(head->host), "%s", m->at.host);
	snprintf(head->why, sizeof(head->why), "%s", m->measure.why);
	memcpy(head + 1, m->node_cells, cells_count(m) * sizeof(struct cell));
}

static void sums_fill(const struct ipmu_mpi *m, const struct cell *cells, struct cell *sums)
{
	for (int i = 0; i < m->nevents; i++)
		for (int p = 0; p <= m->packages_max; p++)
			cell_add(&sums[i], &cells[cell_index(m, i, p)]);
}

/* ---- the stages of a collective read ---- */

static void begin_share(struct ipmu_mpi *m, MPI_Request *request)
{
	PMPI_Ibcast(m->totals, m->nevents * CELL_WORDS, MPI_INT64_T, 0, m->at.node, request);
}

static void begin_node(struct ipmu_mpi *m)
{
	m->requests[0] = m->requests[1] = MPI_REQUEST_NULL;
	if (m->any_rank_scope)
		PMPI_Ireduce(m->mine, m->node_cells, (int)cells_count(m) * CELL_WORDS, MPI_INT64_T,
			     MPI_SUM, 0, m->at.node, &m->requests[0]);
	else
		memcpy(m->node_cells, m->mine, cells_count(m) * sizeof(struct cell));
	if (m->at.node_rank)
		begin_share(m, &m->requests[1]);
	m->stage = m->at.node_rank ? READ_SHARE : READ_NODE;
}

static void begin_leaders(struct ipmu_mpi *m)
{
	row_fill(m);
	memset(m->share, 0, (size_t)m->nevents * sizeof(*m->share));
	sums_fill(m, m->node_cells, m->share);
	PMPI_Iallreduce(m->share, m->totals, m->nevents * CELL_WORDS, MPI_INT64_T, MPI_SUM,
			m->at.leaders, &m->requests[0]);
	PMPI_Igather(m->row, (int)m->row_bytes, MPI_BYTE, m->rows, (int)m->row_bytes, MPI_BYTE, 0,
		     m->at.leaders, &m->requests[1]);
	m->stage = READ_LEADERS;
}

static void next_stage(struct ipmu_mpi *m)
{
	switch (m->stage) {
	case READ_NODE:
		begin_leaders(m);
		break;
	case READ_LEADERS:
		begin_share(m, &m->requests[0]);
		m->stage = READ_SHARE;
		break;
	default:
		m->stage = READ_IDLE;
		m->has_read = true;
	}
}

static int wrong(struct ipmu_mpi *m, int rc, const char *what)
{
	snprintf(m->why, sizeof(m->why), "%s", what);
	return rc;
}

API int ipmu_mpi_read_begin(struct ipmu_mpi *m)
{
	if (m->stage != READ_IDLE)
		return wrong(m, -EBUSY, "a read is under way: end it with ipmu_mpi_read_wait");
	if (m->running)
		measure_read(m);
	begin_node(m);
	return 0;
}

API int ipmu_mpi_read_test(struct ipmu_mpi *m, int *done)
{
	MPI_Status done_ones[2];	/* MPICH's "ignore" is a null array to gcc, which warns */
	int finished = 1;

	if (m->stage == READ_IDLE)
		return wrong(m, -EINVAL, "no read is under way: begin it with ipmu_mpi_read_begin");
	while (finished && m->stage != READ_IDLE) {
		PMPI_Testall(2, m->requests, &finished, done_ones);
		if (finished)
			next_stage(m);
	}
	*done = m->stage == READ_IDLE;
	return 0;
}

API int ipmu_mpi_read_wait(struct ipmu_mpi *m)
{
	MPI_Status done_ones[2];

	if (m->stage == READ_IDLE)
		return wrong(m, -EINVAL, "no read is under way: begin it with ipmu_mpi_read_begin");
	while (m->stage != READ_IDLE) {
		PMPI_Waitall(2, m->requests, done_ones);
		next_stage(m);
	}
	return 0;
}

API int ipmu_mpi_read(struct ipmu_mpi *m)
{
	int rc = ipmu_mpi_read_begin(m);

	return rc ? rc : ipmu_mpi_read_wait(m);
}
