/* SPDX-License-Identifier: MIT */
/* The life of a counter set, from ipmu_mpi_init() to ipmu_mpi_finalize(), and its counts:
 * ipmu_mpi_get(). Leaders resolve the events and send them to their nodes, so other ranks open a
 * component only for events of their own. In ipmu_mpi_init() agree() follows each step that may
 * fail: all ranks continue, or all return the same error. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "export.h"
#include "ipmu_topology.h"
#include "measure.h"

#define VIRTUAL_PREFIX "VirtualPMU"

static int list_keep(struct ipmu_mpi *m, const char *const *names, int n)
{
	m->events = calloc((size_t)n + 1, sizeof(*m->events));
	if (!m->events)
		return -ENOMEM;
	m->nevents = n;
	for (int i = 0; i < n; i++)
		snprintf(m->events[i].name, sizeof(m->events[i].name), "%s", names[i]);
	return 0;
}

/* ---- what the nodes are ---- */

static int identity_load(struct ipmu_mpi *m, char *why)
{
	char reason[IPMU_WHY_MAX] = "";
	const struct ipmu_topology *t;
	int rc = ipmu_topology_acquire(&t, reason);

	if (rc) {
		snprintf(why, IPMU_MPI_WHY_MAX, "node %s: %.400s", m->at.host, reason);
		return rc;
	}
	m->npackages = t->npackages;
	snprintf(m->identity.vendor, sizeof(m->identity.vendor), "%s", t->vendor);
	snprintf(m->identity.cpu_model, sizeof(m->identity.cpu_model), "%s", t->cpu_model);
	m->identity.family = t->family;
	m->identity.model = t->model;
	ipmu_topology_release();
	return 0;
}

bool node_is_virtual(const struct node_identity *id)
{
	return !strncmp(id->cpu_model, VIRTUAL_PREFIX, strlen(VIRTUAL_PREFIX));
}

static int same_kind(struct ipmu_mpi *m, char *why)
{
	struct { struct node_identity id; char host[HOST_MAX]; } first = { .id = m->identity };
	const struct node_identity *a = &first.id, *b = &m->identity;

	snprintf(first.host, sizeof(first.host), "%s", m->at.host);
	PMPI_Bcast(&first, (int)sizeof(first), MPI_BYTE, 0, m->at.leaders);
	if (!strcmp(a->vendor, b->vendor) && a->family == b->family && a->model == b->model &&
	    node_is_virtual(a) == node_is_virtual(b))
		return 0;
	snprintf(why, IPMU_MPI_WHY_MAX, "the nodes are of different kinds: %s is %s (%s family %d "
		 "model %d), %s is %s (%s family %d model %d); start a job for each kind",
		 first.host, a->cpu_model, a->vendor, a->family, a->model, m->at.host,
		 b->cpu_model, b->vendor, b->family, b->model);
	return -EXDEV;
}

/* ---- leaders resolve the events, and send them to their nodes ---- */

static int resolve_listed(struct ipmu_mpi *m, char *why)
{
	int rc = papi_begin(why);

	for (int i = 0; i < m->nevents && !rc; i++)
		rc = event_resolve(m, &m->events[i], why);
	return rc;
}

/* Resolving an event opens its component, and that may read registers: events of the node are left
 * to its leader. */
static int resolve_own(struct ipmu_mpi *m, char *why)
{
	int rc = papi_begin(why);

	for (int i = 0; i < m->nevents && !rc; i++)
		if (m->events[i].scope == SCOPE_RANK)
			rc = event_resolve(m, &m->events[i], why);
	return rc;
}

static int leaders_resolve(struct ipmu_mpi *m, char *why)
{
	int rc = identity_load(m, why);

	rc = agree(m->at.leaders, rc, why);
	if (!rc)
		rc = agree(m->at.leaders, same_kind(m, why), why);
	if (!rc)
		rc = agree(m->at.leaders, resolve_listed(m, why), why);
	if (rc)
		return rc;
	PMPI_Allreduce(&m->npackages, &m->packages_max, 1, MPI_INT, MPI_MAX, m->at.leaders);
	PMPI_Allreduce(&m->npackages, &m->packages_all, 1, MPI_INT, MPI_SUM, m->at.leaders);
	return 0;
}

static void node_learn(struct ipmu_mpi *m)
{
	int words[3] = { m->npackages, m->packages_max, m->packages_all };

	PMPI_Bcast(words, 3, MPI_INT, 0, m->at.node);
	m->npackages = words[0];
	m->packages_max = words[1];
	m->packages_all = words[2];
	PMPI_Bcast(&m->identity, (int)sizeof(m->identity), MPI_BYTE, 0, m->at.node);
	PMPI_Bcast(m->events, m->nevents * (int)sizeof(*m->events), MPI_BYTE, 0, m->at.node);
	for (int i = 0; i < m->nevents; i++)
		m->any_rank_scope = m->any_rank_scope || m->events[i].scope == SCOPE_RANK;
}

/* ---- memory, and this process's part ---- */

static int allocate(struct ipmu_mpi *m)
{
	size_t cells = cells_count(m), n = (size_t)m->nevents;
	size_t rows = m->at.rank == 0 ? (size_t)m->at.count : 0;

	m->row_bytes = sizeof(struct node_head) + cells * sizeof(struct cell);
	m->mine = calloc(cells, sizeof(*m->mine));
	m->node_cells = calloc(cells, sizeof(*m->node_cells));
	m->share = calloc(n, sizeof(*m->share));
	m->totals = calloc(n, sizeof(*m->totals));
	m->row = calloc(1, m->row_bytes);
	m->rows = calloc(rows + 1, m->row_bytes);
	m->nrows = (int)rows;
	return m->mine && m->node_cells && m->share && m->totals && m->row && m->rows ? 0 : -ENOMEM;
}

static int open_here(struct ipmu_mpi *m, char *why)
{
	int rc = allocate(m);

	if (rc) {
		snprintf(why, IPMU_MPI_WHY_MAX, "rank %d: out of memory", m->at.rank);
		return rc;
	}
	if (m->any_rank_scope && m->at.node_rank)
		rc = resolve_own(m, why);
	return rc ? rc : measure_open(m, why);
}

static int set_up(struct ipmu_mpi *m, const char *const *events, int n, char *why)
{
	int rc = event_list_agree(m->at.comm, events, n, why);

	if (rc)
		return rc;
	rc = list_keep(m, events, n);
	if (rc)
		snprintf(why, IPMU_MPI_WHY_MAX, "rank %d: out of memory", m->at.rank);
	rc = agree(m->at.comm, rc, why);
	if (rc)
		return rc;
	if (m->at.node_rank == 0)
		rc = leaders_resolve(m, why);
	rc = agree(m->at.comm, rc, why);
	if (rc)
		return rc;
	node_learn(m);
	return agree(m->at.comm, open_here(m, why), why);
}

static void counters_release(struct ipmu_mpi *m)
{
	measure_close(m);
	nodes_free(&m->at);
	free(m->events);
	free(m->mine);
	free(m->node_cells);
	free(m->share);
	free(m->totals);
	free(m->row);
	free(m->rows);
	free(m);
}

/* ---- for users ---- */

API int ipmu_mpi_init(MPI_Comm comm, const char *const *events, int n, struct ipmu_mpi **out,
		      char *why)
{
	char own[IPMU_MPI_WHY_MAX] = "";
	struct ipmu_mpi *m = calloc(1, sizeof(*m));
	int rc = m ? 0 : -ENOMEM;

	if (!m)
		snprintf(own, sizeof(own), "a rank is out of memory");
	rc = agree(comm, rc, own);
	if (!rc) {
		nodes_split(comm, &m->at);
		rc = set_up(m, events, n, own);
		if (rc)
			counters_release(m);
		else
			*out = m;
	} else {
		free(m);
	}
	if (rc && why)
		memcpy(why, own, sizeof(own));
	return rc;
}

API int ipmu_mpi_start(struct ipmu_mpi *m)
{
	if (m->running) {
		snprintf(m->why, sizeof(m->why), "the set is running already: stop it first");
		return -EBUSY;
	}
	wait_for_all(m->at.node);
	measure_start(m);
	m->running = true;
	ranks_tell(m);
	wait_for_all(m->at.node);
	return 0;
}

API int ipmu_mpi_stop(struct ipmu_mpi *m)
{
	if (!m->running) {
		snprintf(m->why, sizeof(m->why), "the set is not running: start it first");
		return -EINVAL;
	}
	wait_for_all(m->at.node);
	measure_stop(m);
	m->running = false;
	wait_for_all(m->at.node);
	return 0;
}

static void count_set(struct ipmu_mpi_count *out, const struct cell *c)
{
	*out = (struct ipmu_mpi_count){ c->count, (int)c->measured, (int)c->expected };
}

API int ipmu_mpi_get(const struct ipmu_mpi *m, int event, int node, int package,
		     struct ipmu_mpi_count *out)
{
	struct cell sum = { 0 };

	if (event < 0 || event >= m->nevents || node < IPMU_MPI_ALL || node >= m->at.count ||
	    package < IPMU_MPI_ALL || package >= m->packages_max)
		return -EINVAL;
	if (!m->has_read)
		return -ENODATA;
	if (node == IPMU_MPI_ALL) {
		count_set(out, &m->totals[event]);
		return 0;
	}
	if (node >= m->nrows)
		return -EPERM;
	for (int p = 0; p <= m->packages_max; p++)
		if (package == IPMU_MPI_ALL || p == package)
			cell_add(&sum, &node_cells_of(m, node)[cell_index(m, event, p)]);
	count_set(out, &sum);
	return 0;
}

API void ipmu_mpi_shape_get(const struct ipmu_mpi *m, struct ipmu_mpi_shape *out)
{
	*out = (struct ipmu_mpi_shape){
		.ranks = m->at.nranks, .nodes = m->at.count, .packages = m->packages_all,
		.node = m->at.index, .leader = m->at.node_rank == 0,
	};
}

API const char *ipmu_mpi_why(const struct ipmu_mpi *m)
{
	return m->why;
}

API int ipmu_mpi_finalize(struct ipmu_mpi **m)
{
	if (!*m)
		return 0;
	if ((*m)->stage != READ_IDLE)
		ipmu_mpi_read_wait(*m);
	if ((*m)->running)
		ipmu_mpi_stop(*m);
	counters_release(*m);
	*m = NULL;
	return 0;
}
