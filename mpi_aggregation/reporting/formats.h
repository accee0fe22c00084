/* SPDX-License-Identifier: MIT */
/* The forms of a report, each of the last completed read. */
#ifndef IPMU_MPI_FORMATS_H
#define IPMU_MPI_FORMATS_H

#include <stdio.h>

#include "ipmu_mpi.h"

void text_print(FILE *to, const struct ipmu_mpi *m);
/* 0 or a negative errno. */
int csv_fill(FILE *f, const struct ipmu_mpi *m);
int json_fill(FILE *f, const struct ipmu_mpi *m);

/* "measured", "partial" or "not measured". */
static inline const char *count_status(const struct ipmu_mpi_count *c)
{
	return !c->measured ? "not measured" : c->measured < c->expected ? "partial" : "measured";
}

#endif
