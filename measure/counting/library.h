/* SPDX-License-Identifier: MIT */
/* PAPI itself, and the machine's shape as PAPI reports it. */
#ifndef IPMU_RUN_LIBRARY_H
#define IPMU_RUN_LIBRARY_H

#include "machine.h"

/* Initializes PAPI. 0, or a negative errno with a sentence. */
int library_open(char why[COUNT_WHY_MAX]);
/* Packages, cores, threads and caches on one line. PAPI is initialized. */
void machine_geometry(char *text, size_t bytes);

#endif
