/* SPDX-License-Identifier: MIT */
/* The families that the engine knows. */
#ifndef IPMU_FAMILIES_H
#define IPMU_FAMILIES_H

#include "pmu.h"

/* All families, ipmu_NAME each. One that takes a CPU away from another stands before it: Comet Lake
 * shares a model with Skylake, and arch_core is for CPUs that no other of its scope takes. */
#define IPMU_FAMILIES(F) \
	F(cml_client_uncore) F(skl_client_uncore) F(snb_client_uncore) \
	F(ivb_client_uncore) F(hsw_client_uncore) F(bdw_client_uncore) \
	F(icl_client_uncore) F(tgl_client_uncore) F(tglh_client_uncore) \
	F(rkl_client_uncore) F(adl_client_uncore) F(mtl_client_uncore) \
	F(arl_client_uncore) F(lnl_client_uncore) F(ptl_client_uncore) \
	F(nvl_client_uncore) F(knc) F(nehalem_ex) F(westmere_ex) F(netburst) \
	F(netburst_p) F(core2) F(skl_core) F(arch_core)

#define IPMU_FAMILY_DECLARED(name) extern const struct ipmu_family ipmu_##name;
IPMU_FAMILIES(IPMU_FAMILY_DECLARED)

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
