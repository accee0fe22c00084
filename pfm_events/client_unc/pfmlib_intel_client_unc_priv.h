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

/* of the processors; Nova Lake has another one */
#ifndef CLIENT_UNC_CPU_FAMILY
#define CLIENT_UNC_CPU_FAMILY	6
#endif

#define CLIENT_UNC_ATTRS	(_INTEL_X86_ATTR_E | _INTEL_X86_ATTR_I | _INTEL_X86_ATTR_C)

extern const pfmlib_attr_desc_t pfm_intel_client_unc_mods[];
extern const pfmlib_attr_desc_t pfm_intel_client_unc_wide_mods[];
extern const pfmlib_attr_desc_t pfm_intel_client_unc_byte_mods[];
extern int pfm_intel_client_unc_get_encoding(void *this, pfmlib_event_desc_t *e);
extern int pfm_intel_client_unc_wide_get_encoding(void *this, pfmlib_event_desc_t *e);
extern int pfm_intel_client_unc_imc_select_get_encoding(void *this, pfmlib_event_desc_t *e);
extern int pfm_intel_client_unc_imc_thr_get_encoding(void *this, pfmlib_event_desc_t *e);
extern int pfm_intel_client_unc_imc_get_encoding(void *this, pfmlib_event_desc_t *e);
extern int pfm_intel_client_unc_clk_get_perf_encoding(void *this, pfmlib_event_desc_t *e);
extern int pfm_intel_client_unc_clk_perf_detect(void *this);
extern int pfm_intel_client_unc_ncu_get_perf_encoding(void *this, pfmlib_event_desc_t *e);
extern int pfm_intel_client_unc_imc_get_perf_encoding(void *this, pfmlib_event_desc_t *e);
extern int pfm_intel_client_unc_imc64_get_perf_encoding(void *this, pfmlib_event_desc_t *e);

#define CLIENT_UNC_COMMON(g, G, d, n, p, id, tab, ngen, nfix, fl) \
	CLIENT_UNC_SHARED(g, G, d, n, p, id, tab, ngen, nfix, fl, pfm_intel_client_unc_mods), \
	.get_event_first	= pfm_intel_x86_get_event_first, \
	.event_is_valid		= pfm_intel_x86_event_is_valid

#define CLIENT_UNC_SHARED(g, G, d, n, p, id, tab, ngen, nfix, fl, mods) \
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
	.atdesc			= mods, \
	.flags			= PFMLIB_PMU_FL_NO_SMPL | (fl), \
	.cpu_family		= CLIENT_UNC_CPU_FAMILY, \
	.cpu_models		= g##_unc_models, \
	.pmu_detect		= pfm_intel_x86_model_detect, \
	.get_event_next		= pfm_intel_x86_get_event_next, \
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

/* with a threshold of 6 bits; `shown` is pfm_intel_x86, unless its functions are replaced */
#define CLIENT_UNC_WIDE_BOX(g, G, v, d, n, p, id, tab, shown) \
pfmlib_pmu_t intel_##g##_unc_##v##_support={ \
	CLIENT_UNC_SHARED(g, G, d, n, p, id, tab, 2, 0, PFMLIB_PMU_FL_RAW_UMASK, \
			  pfm_intel_client_unc_wide_mods), \
	.get_event_first	= shown##_get_event_first, \
	.event_is_valid		= shown##_event_is_valid, \
	.get_event_encoding[PFM_OS_NONE] = pfm_intel_client_unc_wide_get_encoding, \
	 PFMLIB_ENCODE_PERF(pfm_intel_nhm_unc_get_perf_encoding), \
	 PFMLIB_OS_DETECT(pfm_intel_x86_perf_detect), \
}

/* two arbiters, with 5 bits and with 6 */
#define CLIENT_UNC_ARBN(g, G, d, n) \
	CLIENT_UNC_BOX(g, G, arb##n, d" arbiter "#n, "arb"#n, "uncore_arb_"#n, ARB##n, \
		       intel_##g##_unc_arb_pe)
#define CLIENT_UNC_WIDE_ARB(g, G, d, n) \
	CLIENT_UNC_WIDE_BOX(g, G, arb##n, d" arbiter "#n, "arb"#n, "uncore_arb_"#n, ARB##n, \
			    intel_##g##_unc_arb_pe, pfm_intel_x86)
#define CLIENT_UNC_HAC_ARB(g, G, d, n) \
	CLIENT_UNC_WIDE_BOX(g, G, hac_arb##n, d" SoC tile arbiter "#n, "hac_arb"#n, \
			    "uncore_hac_arb_"#n, HAC_ARB##n, intel_##g##_unc_hac_arb_pe, \
			    pfm_intel_x86)
#define CLIENT_UNC_HAC_CBO(g, G, d, n) \
	CLIENT_UNC_WIDE_BOX(g, G, hac_cbo##n, d" SoC tile C-box "#n, "hac_cbo"#n, \
			    "uncore_hac_cbox_"#n, HAC_CBO##n, intel_##g##_unc_hac_cbo_pe, \
			    pfm_intel_x86)

/* counters of memory controller n with event selects, which have no enable bit */
#define CLIENT_UNC_IMCN(g, G, d, n) \
pfmlib_pmu_t intel_##g##_unc_imc##n##_support={ \
	CLIENT_UNC_COMMON(g, G, d" memory controller "#n, "imc"#n, "uncore_imc_"#n, IMC##n, \
			  intel_##g##_unc_imc_pe, 5, 0, 0), \
	.get_event_encoding[PFM_OS_NONE] = pfm_intel_client_unc_imc_select_get_encoding, \
	 PFMLIB_ENCODE_PERF(pfm_intel_nhm_unc_get_perf_encoding), \
	 PFMLIB_OS_DETECT(pfm_intel_x86_perf_detect), \
}

/* the same with a threshold */
#define CLIENT_UNC_THR_IMCN(g, G, d, n) \
pfmlib_pmu_t intel_##g##_unc_imc##n##_support={ \
	CLIENT_UNC_SHARED(g, G, d" memory controller "#n, "imc"#n, "uncore_imc_"#n, IMC##n, \
			  intel_##g##_unc_imc_pe, 5, 0, 0, pfm_intel_client_unc_byte_mods), \
	.get_event_first	= pfm_intel_x86_get_event_first, \
	.event_is_valid		= pfm_intel_x86_event_is_valid, \
	.get_event_encoding[PFM_OS_NONE] = pfm_intel_client_unc_imc_thr_get_encoding, \
	 PFMLIB_ENCODE_PERF(pfm_intel_nhm_unc_get_perf_encoding), \
	 PFMLIB_OS_DETECT(pfm_intel_x86_perf_detect), \
}

/* the clock of a tile */
#define CLIENT_UNC_NCU(g, G, d, v, p, id) \
pfmlib_pmu_t intel_##g##_unc_##v##_support={ \
	CLIENT_UNC_COMMON(g, G, d, #v, p, id, intel_##g##_unc_clk_pe, 0, 1, 0), \
	.get_event_encoding[PFM_OS_NONE] = pfm_intel_client_unc_get_encoding, \
	 PFMLIB_ENCODE_PERF(pfm_intel_client_unc_ncu_get_perf_encoding), \
	 PFMLIB_OS_DETECT(pfm_intel_x86_perf_detect), \
}

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
	CLIENT_UNC_FREE(g, G, imc, d" memory controllers", "imc", IMC, intel_##g##_unc_imc_pe)
/* beside counters with event selects */
#define CLIENT_UNC_IMC_FREE(g, G, d) \
	CLIENT_UNC_FREE(g, G, imc_free, d" memory controllers, free-running", \
			"imc_free_running", IMC_FREE, intel_##g##_unc_imc_free_pe)
#define CLIENT_UNC_FREE(g, G, v, d, n, id, tab) \
pfmlib_pmu_t intel_##g##_unc_##v##_support={ \
	CLIENT_UNC_COMMON(g, G, d, n, "uncore_imc_free_running_0", id, tab, 0, 6, 0), \
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
