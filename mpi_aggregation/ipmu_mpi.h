/* SPDX-License-Identifier: MIT */
/* libipmu_mpi: counts of PAPI events over the ranks of an MPI job, each node's shared counters
 * counted once.
 *
 * One rank of each node, its leader, counts the events of node-wide components (intel_uncore, rapl,
 * perf_event_uncore, ...) for every package of the node; events of all other components
 * (intel_core, ...) are counted by each rank and summed. A node is what has one kernel, that is one
 * boot id.
 *
 * Conventions. Functions return 0 or a negative errno. Those marked "collective" are called by all
 * ranks of the communicator in the same order, and return the same on all of them; they send on a
 * private duplicate and through PMPI, so that tools do not see their messages. All others are
 * local. One counter set is used by one thread at a time. MPI must be initialized, by any code;
 * MPI_THREAD_SINGLE is enough. PAPI is initialized where needed and never shut down. */
#ifndef IPMU_MPI_H
#define IPMU_MPI_H

#include <mpi.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IPMU_MPI_WHY_MAX 512	/* bytes of a buffer for an error sentence, NUL included */
#define IPMU_MPI_ALL (-1)	/* every node, every package */

struct ipmu_mpi;

struct ipmu_mpi_shape {
	int ranks, nodes, packages;	/* that the communicator covers */
	int node, leader;		/* of the calling rank: its node; 1: leads it */
};

/* A count over parts (packages, nodes or ranks). `count` is the sum of the `measured` parts, and
 * `expected` is how many there are. measured 0: the count is not known, and not 0. */
struct ipmu_mpi_count {
	long long count;
	int measured, expected;
};

/* Collective. The events are PAPI's names of at most 111 bytes, n of them, 1 to 127. On success
 * *out is a counter set, which ends with ipmu_mpi_finalize. On failure why (may be NULL) has one
 * sentence, the same on every rank: -EINVAL the ranks pass different lists, or an empty one;
 * -ENOENT no such event; -ENODEV a node has not the PMU; -EXDEV the nodes have different
 * processors; -ENOSPC the events cannot be counted together; -ENOMEM. */
int ipmu_mpi_init(MPI_Comm comm, const char *const *events, int n, struct ipmu_mpi **out,
		  char *why);

/* Collective over the ranks of each node, which wait for each other: what they do between start
 * and stop is counted, and nothing else of theirs. A start counts from 0. Where counters cannot be
 * started, their place is "not measured" until the next start. -EBUSY: is running. -EINVAL: is
 * not. */
int ipmu_mpi_start(struct ipmu_mpi *m);
int ipmu_mpi_stop(struct ipmu_mpi *m);

/* Collective. Reads running counters, or takes the final counts of stopped ones, and adds up.
 * Afterwards every rank has the totals of the job, and rank 0 those of nodes and packages. */
int ipmu_mpi_read(struct ipmu_mpi *m);

/* The same in two steps. Counters are read in the first, which does not wait for other ranks. The
 * second may be called any number of times to test whether it is done (*done 1); ipmu_mpi_read_wait
 * waits. -EBUSY: a read is under way. -EINVAL: none is. */
int ipmu_mpi_read_begin(struct ipmu_mpi *m);
int ipmu_mpi_read_test(struct ipmu_mpi *m, int *done);
int ipmu_mpi_read_wait(struct ipmu_mpi *m);

/* The last completed read. node IPMU_MPI_ALL: the job, on every rank. A node's index, and
 * a package's or IPMU_MPI_ALL: on rank 0 of the communicator only (-EPERM elsewhere).
 * -EINVAL: no such event, node or package. -ENODATA: nothing was read yet. */
int ipmu_mpi_get(const struct ipmu_mpi *m, int event, int node, int package,
		 struct ipmu_mpi_count *out);

/* Rank 0 of the communicator (others: nothing happens, 0) prints the last completed read; or writes
 * it to PREFIX.csv and PREFIX.json, which appear whole and are such as ipmu-run writes. A count of
 * which a part was not measured is not known there. `ipmu-run --show PREFIX.json` adds metrics. */
int ipmu_mpi_report(const struct ipmu_mpi *m, FILE *to);
int ipmu_mpi_write(const struct ipmu_mpi *m, const char *prefix);

void ipmu_mpi_shape_get(const struct ipmu_mpi *m, struct ipmu_mpi_shape *out);

/* The last failure of a function on this set, "" if none. Owned by the set. */
const char *ipmu_mpi_why(const struct ipmu_mpi *m);

/* Collective. Stops, frees, and sets *m to NULL. */
int ipmu_mpi_finalize(struct ipmu_mpi **m);

#ifdef __cplusplus
}
#endif

#endif
