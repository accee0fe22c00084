/* SPDX-License-Identifier: MIT */
/* What the files of libipmu_mpi know of each other. */
#ifndef IPMU_MPI_INSIDE_H
#define IPMU_MPI_INSIDE_H

#include "ipmu_mpi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENTS_MAX 128		/* in a list, ours included */
#define SETS_MAX 8		/* PAPI components in one list */
#define HOST_MAX 64
#define NAME_MAX_BYTES 128	/* PAPI's limit */
#define NODE_WHY_MAX 192
#define API __attribute__((visibility("default")))

/* "Every package" events have a count for each package; others one for the node. */
enum event_scope { SCOPE_PACKAGE, SCOPE_NODE, SCOPE_RANK };

struct event {
	char name[NAME_MAX_BYTES];	/* as the user wrote it */
	char unit[32];
	int32_t scope;			/* enum event_scope */
	int32_t package;		/* the only one it counts on, or IPMU_MPI_ALL */
	int32_t hidden;			/* counted for our own use */
};

/* Sums of cells are sums of their members, whatever the cells are of. */
struct cell {
	int64_t count, measured, expected;
};
#define CELL_WORDS 3

/* What a node tells rank 0, followed by its cells. */
struct node_head {
	int64_t wall_ns;
	int32_t npackages, nranks;
	char host[HOST_MAX];
	char why[NODE_WHY_MAX];		/* why something was not measured; "": nothing known */
};

struct node_identity {
	char vendor[16], cpu_model[96];
	int32_t family, model;
};

struct nodes {
	MPI_Comm comm, node, leaders;	/* ours; leaders: MPI_COMM_NULL on others */
	int rank, nranks, node_rank, node_nranks;
	int index, count;		/* of the node, of nodes */
	char host[HOST_MAX];
};

/* This process's PAPI event sets. */
struct slot {
	int code, event, cell, set, place;
};
struct measure {
	int nsets;
	struct event_set {
		int papi, component, size;
		bool running;
	} sets[SETS_MAX];
	int nslots;
	struct slot *slots;
	long long *values;		/* of a set */
	bool frozen;			/* somebody ends PAPI: the cells stay as they are */
	bool guarded;			/* takes part in the guardian */
	char why[NODE_WHY_MAX];		/* of the first failure */
};

enum read_stage { READ_IDLE, READ_NODE, READ_LEADERS, READ_SHARE };

struct ipmu_mpi {
	struct nodes at;
	struct node_identity identity;
	int nevents, nlisted;		/* hidden ones follow the listed */
	struct event *events;
	int npackages, packages_max, packages_all;
	bool model_clock, any_rank_scope;
	struct measure measure;
	bool running;
	int64_t started_ns, wall_ns;

	/* Cells of this process and of this node: nevents rows of packages_max + 1, the last for
	 * what belongs to no package. */
	struct cell *mine, *node_cells;
	struct cell *share, *totals;	/* nevents: the node's, the job's */
	size_t row_bytes;
	/* node_head and cells: of this node, for leaders; and of nodes first_row and on, for who
	 * reports: all nodes on rank 0, after read_alone the own one on other leaders. */
	unsigned char *row, *rows;
	int first_row, nrows;
	enum read_stage stage;
	MPI_Request requests[2];
	bool has_read;
	char incomplete[128];		/* why the report is; "": it is not */
	char why[IPMU_MPI_WHY_MAX];
};

/* ---- agree.c: one answer for all ranks of a communicator */
int agree(MPI_Comm comm, int rc, char *why);
void wait_for_all(MPI_Comm comm);
int agree_text(MPI_Comm comm, const char *text, const char *what, char *why);

/* ---- nodes.c */
int nodes_split(MPI_Comm comm, struct nodes *out, char *why);
void nodes_free(struct nodes *n);

/* ---- node_share.c. Collective over a node. fd is the leader's, -1: it has none; returns an own
 * descriptor of the same file, -1: not to be had (containers), and on the leader its own. */
int node_share(const struct nodes *at, int fd);
/* Collective over the node: from here on its processes look at the machine once, if they can. */
void share_topology(const struct nodes *at);

/* ---- measure.c: PAPI */
int papi_begin(char *why);
/* What stands behind "KEY=" in an event's name, the key in any case, as PAPI takes it; NULL: there
 * is none. */
const char *event_qualifier(const char *name, const char *key);
int event_resolve(struct event *e, const char *host, char *why);
int measure_open(struct ipmu_mpi *m, char *why);
void measure_close(struct measure *ms);
void measure_start(struct ipmu_mpi *m);
void measure_stop(struct ipmu_mpi *m);
void measure_read(struct ipmu_mpi *m);
void papi_shutdown(void);	/* the library's own, whoever else has the name */
void measure_freeze(struct ipmu_mpi *m, const char *why);

/* ---- guardian.c: a process that puts registers back when this one is killed, from the first who
 * joins to the last who leaves. False: there is none. */
bool guardian_join(void);
void guardian_leave(void);

/* ---- ranks.c. Collective over the node, while it counts. */
void ranks_tell(struct ipmu_mpi *m);

/* ---- reduce.c */
size_t cell_index(const struct ipmu_mpi *m, int event, int cell);
const struct node_head *node_head_of(const struct ipmu_mpi *m, int node);
const struct cell *node_cells_of(const struct ipmu_mpi *m, int node);
void cell_add(struct cell *sum, const struct cell *c);
int64_t clock_ns(void);

/* Local: what this node's leader has itself becomes the last read, the other nodes are not
 * measured. For a job that is being ended. */
void read_alone(struct ipmu_mpi *m, const char *reason);

/* ---- metrics.c */
struct metric {
	const char *name, *unit, *formula;
};
struct metric_value {
	const struct metric *metric;
	double value;
	bool known;
};
#define METRICS_MAX 32
/* Metrics whose events are in the list; node IPMU_MPI_ALL: of the job. Returns how many. */
int metrics_of(const struct ipmu_mpi *m, int node, struct metric_value out[METRICS_MAX]);
/* Seconds that rates use; 0: not known. */
double metric_seconds(const struct ipmu_mpi *m, int node);

/* What this process counted between two looks at its cells, for the timeline. */
struct interval {
	const struct cell *now, *before;
	int64_t wall_ns;
};
/* Rates only. With cells NULL none is known, which gives their names. */
int metrics_of_interval(const struct ipmu_mpi *m, const struct interval *in,
			struct metric_value out[METRICS_MAX]);
double interval_seconds(const struct ipmu_mpi *m, const struct interval *in);
int64_t model_clocks(const struct ipmu_mpi *m, int node);
#define MODEL_HZ 1e9

/* ---- files.c. A file that is published appears whole, or not at all; one that replaces what has
 * its name is empty at first, and for the caller to write and to close. */
int file_publish(const char *path, int (*fill)(FILE *f, const void *arg), const void *arg);
int file_replace(const char *path, FILE **out);
int file_close(FILE *f);	/* a negative errno: not all of it could be written */

/* ---- report.c, json.c */
int json_fill(FILE *f, const void *m);
const char *count_status(const struct ipmu_mpi_count *c);

#endif
