/* SPDX-License-Identifier: MIT */
/* The families that the engine supports. */
#ifndef IPMU_FAMILIES_H
#define IPMU_FAMILIES_H

#include "pmu.h"

#define FAMILY(name) extern const struct ipmu_family ipmu_##name;
#include "family_list.h"
#undef FAMILY

extern const struct ipmu_family *const ipmu_families[];	/* up to NULL */

/* The family of that scope that the machine belongs to; NULL: none, and `why` lists them. */
const struct ipmu_family *ipmu_family_find(const struct ipmu_topology *topo,
					   enum ipmu_scope scope, char *why);

/* The CPU through which this process reaches the registers of a place (a package, or a CPU by its
 * number); negative: there is none. */
int ipmu_family_reach(const struct ipmu_family *family, const struct ipmu_topology *topo,
		      int place);

/* Open the registers of a unit of that family, through one of its CPUs. */
int ipmu_family_open(struct ipmu_regs *p, const struct ipmu_family *family, int os_cpu, char *why);

#endif
