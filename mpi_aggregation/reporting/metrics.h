/* SPDX-License-Identifier: MIT */
/* Quantities that follow from counts. */
#ifndef IPMU_MPI_METRICS_H
#define IPMU_MPI_METRICS_H

#include "collecting/counter_set.h"

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
int64_t model_clocks(const struct ipmu_mpi *m, int node);
#define MODEL_HZ 1e9

#endif
