/* SPDX-License-Identifier: MIT */
/* The definition of a user's struct ipmu_mpi: collecting writes it, report.c reads it. */
#ifndef IPMU_MPI_COUNTER_SET_H
#define IPMU_MPI_COUNTER_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../measure/counting/sets.h"
#include "event_list.h"
#include "ipmu_mpi.h"
#include "nodes.h"

#define NODE_WHY_MAX 320

/* "Every package" events have a count for each package; others one for the node. */
enum event_scope { SCOPE_PACKAGE, SCOPE_NODE, SCOPE_RANK };

struct listed {
	char name[NAME_MAX_BYTES];	/* as the user wrote it */
	int32_t scope;			/* enum event_scope */
	int32_t package;		/* the only one it counts on, or IPMU_MPI_ALL */
};

/* Sums of cells are sums of their members, whatever the cells are of. */
struct cell {
	int64_t count, measured, expected;
};
#define CELL_WORDS 3

/* The message of a node to rank 0, followed by its cells. */
struct node_head {
	int64_t ns;
	int32_t nranks;
	char host[HOST_MAX];
	char why[NODE_WHY_MAX];		/* why something was not measured; "": nothing known */
};

struct node_identity {
	char vendor[16], cpu_model[96];
	int32_t family, model;
};

/* Events of this process. */
struct measure {
	struct event *events;		/* one for each of the set's; empty unless chosen */
	bool *chosen;
	struct sets *sets;
	int nparts;			/* of the chosen events */
	struct count *counts;		/* for each part its count, and its cell in `mine` */
	size_t *cells;
	bool registers;			/* registers of the processor are written */
	bool guarded;			/* takes part in the guardian */
	char why[NODE_WHY_MAX];		/* of the first failure */
};

enum read_stage { READ_IDLE, READ_NODE, READ_LEADERS, READ_SHARE };

struct ipmu_mpi {
	struct nodes at;
	struct node_identity identity;
	int nevents;
	struct listed *events;
	int npackages, packages_max, packages_all;
	bool any_rank_scope;
	struct measure measure;
	bool running;
	int64_t started_ns, took_ns;	/* on the virtual machine's clock, or the wall's */

	/* Cells of this process and of this node: nevents rows of packages_max + 1, the last for
	 * what belongs to no package. */
	struct cell *mine, *node_cells;
	struct cell *share, *totals;	/* nevents: the node's, the job's */
	size_t row_bytes;
	/* node_head and cells. row: of this node, on leaders. rows: of all nodes on rank 0, none
	 * elsewhere. */
	unsigned char *row, *rows;
	int nrows;
	enum read_stage stage;
	MPI_Request requests[2];
	bool has_read;
	char why[IPMU_MPI_WHY_MAX];
};

/* ---- counter_set.c: a virtual machine's CPU says so. */
bool node_is_virtual(const struct node_identity *id);

/* ---- cells.c */
size_t cell_index(const struct ipmu_mpi *m, int event, int cell);
size_t cells_count(const struct ipmu_mpi *m);
void cell_add(struct cell *sum, const struct cell *c);
const struct node_head *node_head_of(const struct ipmu_mpi *m, int node);
const struct cell *node_cells_of(const struct ipmu_mpi *m, int node);

#endif
