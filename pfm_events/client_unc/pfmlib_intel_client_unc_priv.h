/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_client_unc_priv.h : Intel client uncore PMUs, by generation
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 *
 * A generation G has intel_G_unc_{cbo,arb,clk,imc}_pe[] and G_unc_models[].
 */
#ifndef __PFMLIB_INTEL_CLIENT_UNC_PRIV_H__
#define __PFMLIB_INTEL_CLIENT_UNC_PRIV_H__

#include "pfmlib_intel_x86_priv.h"

#define CLIENT_UNC_ATTRS	(_INTEL_X86_ATTR_E | _INTEL_X86_ATTR_I | _INTEL_X86_ATTR_C)

extern const pfmlib_attr_desc_t pfm_intel_client_unc_mods[];
extern int pfm_intel_client_unc_get_encoding(void *this, pfmlib_event_desc_t *e);
extern int pfm_intel_client_unc_imc_get_encoding(void *this, pfmlib_event_desc_t *e);
extern int pfm_intel_client_unc_clk_get_perf_encoding(void *this, pfmlib_event_desc_t *e);
extern int pfm_intel_client_unc_clk_perf_detect(void *this);
extern int pfm_intel_client_unc_imc_get_perf_encoding(void *this, pfmlib_event_desc_t *e);
extern int pfm_intel_client_unc_imc64_get_perf_encoding(void *this, pfmlib_event_desc_t *e);

#define CLIENT_UNC_COMMON(g, G, d, n, p, id, tab, ngen, nfix, fl) \
	.desc			= "Intel "d" uncore", \
	.name			= #g"_unc_"n, \
	.perf_name		= p, \
	.pmu			= PFM_PMU_INTEL_##G##_UNC_##id, \
	.pme_count		= LIBPFM_ARRAY_SIZE(tab), \
	.type			= PFM_PMU_TYPE_UNCORE, \
	.num_cntrs		= ngen, \
	.num_fixed_cntrs	= nfix, \
	.max_encoding		= 1, \
	.pe			= tab, \
	.atdesc			= pfm_intel_client_unc_mods, \
	.flags			= PFMLIB_PMU_FL_NO_SMPL | (fl), \
	.cpu_family		= 6, \
	.cpu_models		= g##_unc_models, \
	.pmu_detect		= pfm_intel_x86_model_detect, \
	.get_event_first	= pfm_intel_x86_get_event_first, \
	.get_event_next		= pfm_intel_x86_get_event_next, \
	.event_is_valid		= pfm_intel_x86_event_is_valid, \
	.validate_table		= pfm_intel_x86_validate_table, \
	.get_event_info		= pfm_intel_x86_get_event_info, \
	.get_event_attr_info	= pfm_intel_x86_get_event_attr_info, \
	 PFMLIB_VALID_PERF_PATTRS(pfm_intel_x86_perf_validate_pattrs), \
	.get_event_nattrs	= pfm_intel_x86_get_event_nattrs

/* a unit with two counters and event selects */
#define CLIENT_UNC_BOX(g, G, v, d, n, p, id, tab) \
pfmlib_pmu_t intel_##g##_unc_##v##_support={ \
	CLIENT_UNC_COMMON(g, G, d, n, p, id, tab, 2, 0, PFMLIB_PMU_FL_RAW_UMASK), \
	.get_event_encoding[PFM_OS_NONE] = pfm_intel_client_unc_get_encoding, \
	 PFMLIB_ENCODE_PERF(pfm_intel_nhm_unc_get_perf_encoding), \
	 PFMLIB_OS_DETECT(pfm_intel_x86_perf_detect), \
}

#define CLIENT_UNC_CBO(g, G, d, n) \
	CLIENT_UNC_BOX(g, G, cbo##n, d" C-box "#n, "cbo"#n, "uncore_cbox_"#n, CB##n, \
		       intel_##g##_unc_cbo_pe)
#define CLIENT_UNC_ARB(g, G, d) \
	CLIENT_UNC_BOX(g, G, arb, d" arbiter", "arb", "uncore_arb", ARB, intel_##g##_unc_arb_pe)

#define CLIENT_UNC_CLK(g, G, d) \
pfmlib_pmu_t intel_##g##_unc_clk_support={ \
	CLIENT_UNC_COMMON(g, G, d" clock", "clk", "uncore_clock", CLK, intel_##g##_unc_clk_pe, \
			  0, 1, 0), \
	.get_event_encoding[PFM_OS_NONE] = pfm_intel_client_unc_get_encoding, \
	 PFMLIB_ENCODE_PERF(pfm_intel_client_unc_clk_get_perf_encoding), \
	 PFMLIB_OS_DETECT(pfm_intel_client_unc_clk_perf_detect), \
}

/* free-running counters of two controllers: bits 16 of the code is the controller */
#define CLIENT_UNC_IMC64(g, G, d) \
pfmlib_pmu_t intel_##g##_unc_imc_support={ \
	CLIENT_UNC_COMMON(g, G, d" memory controllers", "imc", "uncore_imc_free_running_0", IMC, \
			  intel_##g##_unc_imc_pe, 0, 6, 0), \
	.get_event_encoding[PFM_OS_NONE] = pfm_intel_client_unc_imc_get_encoding, \
	 PFMLIB_ENCODE_PERF(pfm_intel_client_unc_imc64_get_perf_encoding), \
	 PFMLIB_OS_DETECT(pfm_intel_x86_perf_detect), \
}

#define CLIENT_UNC_IMC(g, G, d) \
pfmlib_pmu_t intel_##g##_unc_imc_support={ \
	CLIENT_UNC_COMMON(g, G, d" memory controller", "imc", "uncore_imc", IMC, \
			  intel_##g##_unc_imc_pe, 0, 5, 0), \
	.get_event_encoding[PFM_OS_NONE] = pfm_intel_client_unc_imc_get_encoding, \
	 PFMLIB_ENCODE_PERF(pfm_intel_client_unc_imc_get_perf_encoding), \
	 PFMLIB_OS_DETECT(pfm_intel_x86_perf_detect), \
}

#endif /* __PFMLIB_INTEL_CLIENT_UNC_PRIV_H__ */
