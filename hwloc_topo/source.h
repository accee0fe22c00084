/* SPDX-License-Identifier: MIT */
/* Which machine hwloc loads. For this folder only: hwloc's types do not leave it. */
#ifndef IPMU_SOURCE_H
#define IPMU_SOURCE_H

#include <hwloc.h>

/* Load, with whatever type filters the caller has set, the machine of hwloc's environment, CPUs
 * that are not allowed included. Returns 0 or a negative errno and a sentence in
 * why[IPMU_WHY_MAX]; the caller destroys the topology in either case. */
int ipmu_source_load(hwloc_topology_t topology, char *why);

/* The same for a new topology of packages, cores and CPUs, which the caller destroys unless this
 * fails. A privileged process (AT_SECURE) forgets hwloc's environment first. */
int ipmu_source_open(hwloc_topology_t *topology, char *why);

#endif
