/* SPDX-License-Identifier: MIT */
/* The machine's shape, as reports say it. */
#ifndef IPMU_RUN_GEOMETRY_H
#define IPMU_RUN_GEOMETRY_H

#include <stddef.h>

/* Packages, cores, threads and caches on one line. PAPI is initialized. */
void machine_geometry(char *text, size_t bytes);

#endif
