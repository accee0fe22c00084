/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_core_fixed.c : Intel Core 2 fixed counters
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 *
 * Events: Intel SDM 325384-059, Table 18-8.
 */
/* private headers */
#include "pfmlib_priv.h"
#include "pfmlib_intel_x86_priv.h"
#include "events/intel_core_fixed_events.h"

static const int core_fixed_models[] = {
	0x0f, /* 65 nm Core 2 */
	0x16, /* Merom-L */
	0x17, /* 45 nm Core 2 */
	0x1d, /* Dunnington */
	0
};

#ifdef __linux__
/*
 * Kernels place these events on the fixed counters by themselves, from their
 * names in the core PMU. A second core PMU that is present would only make
 * users of perf_event, who take the one that they find, choose the wrong one.
 */
static int
core_fixed_perf_detect(void *this)
{
	return PFM_ERR_NOTSUPP;
}
#endif

pfmlib_pmu_t intel_core_fixed_support={
	.desc			= "Intel Core 2 fixed counters",
	.name			= "core_fixed",
	.pmu			= PFM_PMU_INTEL_CORE_FIXED,
	.pme_count		= LIBPFM_ARRAY_SIZE(intel_core_fixed_pe),
	.type			= PFM_PMU_TYPE_CORE,
	.num_cntrs		= 0,
	.num_fixed_cntrs	= 3,
	.max_encoding		= 1,
	.supported_plm		= INTEL_X86_PLM,
	.pe			= intel_core_fixed_pe,
	.atdesc			= intel_x86_mods,

	.cpu_family		= 6,
	.cpu_models		= core_fixed_models,
	.pmu_detect		= pfm_intel_x86_model_detect,

	.get_event_encoding[PFM_OS_NONE] = pfm_intel_x86_get_encoding,
	 PFMLIB_ENCODE_PERF(pfm_intel_x86_get_perf_encoding),
	 PFMLIB_OS_DETECT(core_fixed_perf_detect),

	.get_event_first	= pfm_intel_x86_get_event_first,
	.get_event_next		= pfm_intel_x86_get_event_next,
	.event_is_valid		= pfm_intel_x86_event_is_valid,
	.validate_table		= pfm_intel_x86_validate_table,
	.get_event_info		= pfm_intel_x86_get_event_info,
	.get_event_attr_info	= pfm_intel_x86_get_event_attr_info,
	 PFMLIB_VALID_PERF_PATTRS(pfm_intel_x86_perf_validate_pattrs),
	.get_event_nattrs	= pfm_intel_x86_get_event_nattrs,
};
