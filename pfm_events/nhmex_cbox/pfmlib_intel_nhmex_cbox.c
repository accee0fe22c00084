/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_nhmex_cbox.c : Intel Xeon 7500 (Nehalem-EX) and E7 (Westmere-EX)
 *                             C-Box uncore PMUs, slices of the last-level cache
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 *
 * Registers: Intel 323535-001 (March 2010), Table 2-13; C-Boxes 8 and 9, which
 * the E7 alone has: the SDM.
 */
/* private headers */
#include "pfmlib_priv.h"
#include "pfmlib_intel_x86_priv.h"

#define NHMEX_CBOX_ATTRS	(_INTEL_X86_ATTR_E | _INTEL_X86_ATTR_I | _INTEL_X86_ATTR_C)

#include "events/intel_nhmex_cbox_events.h"

/* the shared encoder knows a modifier by its position in intel_x86_mods[] */
static const pfmlib_attr_desc_t nhmex_cbox_mods[]={
	[INTEL_X86_ATTR_K] = PFM_ATTR_SKIP,
	[INTEL_X86_ATTR_U] = PFM_ATTR_SKIP,
	[INTEL_X86_ATTR_E] = PFM_ATTR_B("e", "count rising edges, not clocks (wants c >= 1)"),
	[INTEL_X86_ATTR_I] = PFM_ATTR_B("i", "invert the threshold"),
	[INTEL_X86_ATTR_C] = PFM_ATTR_I("c", "threshold [0-255]: clocks with increment >= c"),
	[INTEL_X86_ATTR_C + 1] = PFM_ATTR_NULL
};

static const int nhmex_cbox_models[] = {
	0x2e, /* Xeon 7500, 6500 */
	0x2f, /* Xeon E7 */
	0
};

static const int wsmex_cbox_models[] = {
	0x2f, /* Xeon E7 */
	0
};

#define NHMEX_CBOX(n, models) \
pfmlib_pmu_t intel_nhmex_unc_cbox##n##_support={ \
	.desc			= "Intel Xeon 7500/E7 C-Box "#n" uncore", \
	.name			= "nhmex_unc_cbox"#n, \
	.perf_name		= "uncore_cbox_"#n, \
	.pmu			= PFM_PMU_INTEL_NHMEX_UNC_CB##n, \
	.pme_count		= LIBPFM_ARRAY_SIZE(intel_nhmex_cbox_pe), \
	.type			= PFM_PMU_TYPE_UNCORE, \
	.num_cntrs		= 6, \
	.num_fixed_cntrs	= 0, \
	.max_encoding		= 1, \
	.pe			= intel_nhmex_cbox_pe, \
	.atdesc			= nhmex_cbox_mods, \
	.flags			= PFMLIB_PMU_FL_NO_SMPL | PFMLIB_PMU_FL_RAW_UMASK, \
	.cpu_family		= 6, \
	.cpu_models		= models, \
	.pmu_detect		= pfm_intel_x86_model_detect, \
	.get_event_encoding[PFM_OS_NONE] = pfm_intel_x86_get_encoding, \
	 PFMLIB_ENCODE_PERF(pfm_intel_nhm_unc_get_perf_encoding), \
	 PFMLIB_OS_DETECT(pfm_intel_x86_perf_detect), \
	.get_event_first	= pfm_intel_x86_get_event_first, \
	.get_event_next		= pfm_intel_x86_get_event_next, \
	.event_is_valid		= pfm_intel_x86_event_is_valid, \
	.validate_table		= pfm_intel_x86_validate_table, \
	.get_event_info		= pfm_intel_x86_get_event_info, \
	.get_event_attr_info	= pfm_intel_x86_get_event_attr_info, \
	 PFMLIB_VALID_PERF_PATTRS(pfm_intel_x86_perf_validate_pattrs), \
	.get_event_nattrs	= pfm_intel_x86_get_event_nattrs, \
}

NHMEX_CBOX(0, nhmex_cbox_models);
NHMEX_CBOX(1, nhmex_cbox_models);
NHMEX_CBOX(2, nhmex_cbox_models);
NHMEX_CBOX(3, nhmex_cbox_models);
NHMEX_CBOX(4, nhmex_cbox_models);
NHMEX_CBOX(5, nhmex_cbox_models);
NHMEX_CBOX(6, nhmex_cbox_models);
NHMEX_CBOX(7, nhmex_cbox_models);
NHMEX_CBOX(8, wsmex_cbox_models);
NHMEX_CBOX(9, wsmex_cbox_models);
