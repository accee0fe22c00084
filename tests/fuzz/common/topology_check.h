/* SPDX-License-Identifier: MIT */
/* The tables of a machine are whole, whatever source hwloc has read it from. */
#ifndef TOPOLOGY_CHECK_H
#define TOPOLOGY_CHECK_H

#include "ipmu_topology.h"

void topology_check(const struct ipmu_topology *t);
/* Its boxes alone, once more for another identity. */
void topology_check_boxes(const struct ipmu_topology *t);

#endif
