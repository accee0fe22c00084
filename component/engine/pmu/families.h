/* SPDX-License-Identifier: MIT */
/* The families that the engine knows. */
#ifndef IPMU_FAMILIES_H
#define IPMU_FAMILIES_H

#include "pmu.h"

extern const struct ipmu_family ipmu_skl_client_uncore, ipmu_cml_client_uncore,
	ipmu_snb_client_uncore, ipmu_ivb_client_uncore, ipmu_hsw_client_uncore,
	ipmu_bdw_client_uncore, ipmu_icl_client_uncore, ipmu_tgl_client_uncore,
	ipmu_tglh_client_uncore, ipmu_rkl_client_uncore, ipmu_adl_client_uncore,
	ipmu_mtl_client_uncore, ipmu_arl_client_uncore, ipmu_lnl_client_uncore,
	ipmu_ptl_client_uncore, ipmu_nvl_client_uncore,
	ipmu_knc, ipmu_core2, ipmu_skl_core, ipmu_arch_core;
extern const struct ipmu_family ipmu_nehalem_ex, ipmu_westmere_ex;
extern const struct ipmu_family ipmu_netburst, ipmu_netburst_p;

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
