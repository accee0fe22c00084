/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_skl_unc.c : Intel Skylake client uncore PMUs
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 *
 * Registers and events: Intel 334060-001 (April 2016).
 */
#include <sys/types.h>
#include <stdlib.h>

/* private headers */
#include "pfmlib_priv.h"
#include "pfmlib_intel_x86_priv.h"
#include "events/intel_skl_unc_events.h"

#ifdef __linux__
#include "pfmlib_perf_event_priv.h"
#endif

#define SKL_UNC_THR_MAX	31 /* THR is bits 28:24 (Table 2-7); the core PMU has 8 bits */

static const int skl_unc_models[] = {
	0x4e, /* Skylake mobile */
	0x5e, /* Skylake desktop */
	0x8e, /* Kaby Lake, Amber Lake, Whiskey Lake mobile */
	0x9e, /* Kaby Lake, Coffee Lake desktop */
	0xa5, /* Comet Lake */
	0xa6, /* Comet Lake mobile */
	0
};

/* the shared encoder knows a modifier by its position in intel_x86_mods[] */
static const pfmlib_attr_desc_t skl_unc_mods[] = {
	[INTEL_X86_ATTR_K] = PFM_ATTR_SKIP,
	[INTEL_X86_ATTR_U] = PFM_ATTR_SKIP,
	[INTEL_X86_ATTR_E] = PFM_ATTR_B("e", "count rising edges, not clocks (wants c >= 1)"),
	[INTEL_X86_ATTR_I] = PFM_ATTR_B("i", "invert the threshold: increment < c"),
	[INTEL_X86_ATTR_C] = PFM_ATTR_I("c", "threshold [0-31]: clocks with increment >= c"),
	[INTEL_X86_ATTR_C + 1] = PFM_ATTR_NULL
};

static int
skl_unc_get_encoding(void *this, pfmlib_event_desc_t *e)
{
	const pfmlib_event_attr_info_t *a;
	int i;

	for (i = 0; i < e->nattrs; i++) {
		a = attr(e, i);
		if (a->ctrl != PFM_ATTR_CTRL_PMU || a->type != PFM_ATTR_MOD_INTEGER)
			continue;
		if (a->idx == INTEL_X86_ATTR_C && e->attrs[i].ival > SKL_UNC_THR_MAX)
			return PFM_ERR_ATTR_VAL;
	}
	return pfm_intel_x86_get_encoding(this, e);
}

static int
skl_unc_imc_get_encoding(void *this, pfmlib_event_desc_t *e)
{
	const intel_x86_entry_t *pe = this_pe(this);

	e->fstr[0] = '\0';
	e->codes[0] = pe[e->event].code;
	e->count = 1;
	evt_strcat(e->fstr, "%s", pe[e->event].name);

	__pfm_vbprintf("[BAR+0x%"PRIx64"] %s\n", e->codes[0], e->fstr);

	return PFM_SUCCESS;
}

#ifdef __linux__
#define SKL_UNC_PERF_FIXED	0xff /* the kernel's code for an uncore fixed counter */

/*
 * Kernels give Skylake's fixed counter to C-box 0. A unit of its own for the
 * clock, as kernels have it from Ice Lake on, is preferred if it is there.
 */
static const char *const skl_unc_clk_perf_names[] = {
	"uncore_clock",
	"uncore_cbox_0",
};

/* offset of an IMC counter -> event number of the kernel's uncore_imc */
static const struct {
	uint64_t offset;
	uint64_t config;
} skl_unc_imc_perf_events[] = {
	{ .offset = 0x5040, .config = 0x3 }, /* gt_requests, from Linux 5.9 */
	{ .offset = 0x5044, .config = 0x4 }, /* ia_requests, from Linux 5.9 */
	{ .offset = 0x5048, .config = 0x5 }, /* io_requests, from Linux 5.9 */
	{ .offset = 0x5050, .config = 0x1 }, /* data_reads */
	{ .offset = 0x5054, .config = 0x2 }, /* data_writes */
};

static int
skl_unc_clk_get_perf_encoding(void *this, pfmlib_event_desc_t *e)
{
	pfmlib_pmu_t pmu = *(pfmlib_pmu_t *)this;
	struct perf_event_attr *pattr = e->os_data;
	int ret = PFM_ERR_NOTSUPP;
	size_t i;

	for (i = 0; i < LIBPFM_ARRAY_SIZE(skl_unc_clk_perf_names); i++) {
		pmu.perf_name = skl_unc_clk_perf_names[i];
		ret = pfm_intel_nhm_unc_get_perf_encoding(&pmu, e);
		if (ret != PFM_ERR_NOTSUPP)
			break;
	}
	if (ret == PFM_SUCCESS)
		pattr->config = SKL_UNC_PERF_FIXED;

	return ret;
}

static int
skl_unc_clk_perf_detect(void *this)
{
	pfmlib_pmu_t pmu = *(pfmlib_pmu_t *)this;
	int ret = PFM_ERR_NOTSUPP;
	size_t i;

	for (i = 0; ret != PFM_SUCCESS && i < LIBPFM_ARRAY_SIZE(skl_unc_clk_perf_names); i++) {
		pmu.perf_name = skl_unc_clk_perf_names[i];
		ret = pfm_intel_x86_perf_detect(&pmu);
	}
	return ret;
}

static int
skl_unc_imc_get_perf_encoding(void *this, pfmlib_event_desc_t *e)
{
	struct perf_event_attr *pattr = e->os_data;
	size_t i;
	int ret;

	ret = pfm_intel_nhm_unc_get_perf_encoding(this, e);
	if (ret != PFM_SUCCESS)
		return ret;

	for (i = 0; i < LIBPFM_ARRAY_SIZE(skl_unc_imc_perf_events); i++) {
		if (skl_unc_imc_perf_events[i].offset == e->codes[0]) {
			pattr->config = skl_unc_imc_perf_events[i].config;
			return PFM_SUCCESS;
		}
	}
	return PFM_ERR_NOTSUPP;
}
#endif /* __linux__ */

#define SKL_UNC_COMMON(d, n, p, id, tab, ngen, nfix, fl) \
	.desc			= "Intel Skylake client "d" uncore", \
	.name			= "skl_unc_"n, \
	.perf_name		= p, \
	.pmu			= PFM_PMU_INTEL_SKL_UNC_##id, \
	.pme_count		= LIBPFM_ARRAY_SIZE(tab), \
	.type			= PFM_PMU_TYPE_UNCORE, \
	.num_cntrs		= ngen, \
	.num_fixed_cntrs	= nfix, \
	.max_encoding		= 1, \
	.pe			= tab, \
	.atdesc			= skl_unc_mods, \
	.flags			= PFMLIB_PMU_FL_NO_SMPL | (fl), \
	.cpu_family		= 6, \
	.cpu_models		= skl_unc_models, \
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
#define SKL_UNC_BOX(v, d, n, p, id, tab) \
pfmlib_pmu_t intel_skl_unc_##v##_support={ \
	SKL_UNC_COMMON(d, n, p, id, tab, 2, 0, PFMLIB_PMU_FL_RAW_UMASK), \
	.get_event_encoding[PFM_OS_NONE] = skl_unc_get_encoding, \
	 PFMLIB_ENCODE_PERF(pfm_intel_nhm_unc_get_perf_encoding), \
	 PFMLIB_OS_DETECT(pfm_intel_x86_perf_detect), \
}

#define SKL_UNC_CBO(n) \
	SKL_UNC_BOX(cbo##n, "C-box "#n, "cbo"#n, "uncore_cbox_"#n, CB##n, intel_skl_unc_cbo_pe)

SKL_UNC_CBO(0);
SKL_UNC_CBO(1);
SKL_UNC_CBO(2);
SKL_UNC_CBO(3);
SKL_UNC_CBO(4);
SKL_UNC_CBO(5);
SKL_UNC_CBO(6);
SKL_UNC_CBO(7);
SKL_UNC_BOX(arb, "arbiter", "arb", "uncore_arb", ARB, intel_skl_unc_arb_pe);

pfmlib_pmu_t intel_skl_unc_clk_support={
	SKL_UNC_COMMON("clock", "clk", "uncore_clock", CLK, intel_skl_unc_clk_pe, 0, 1, 0),
	.get_event_encoding[PFM_OS_NONE] = skl_unc_get_encoding,
	 PFMLIB_ENCODE_PERF(skl_unc_clk_get_perf_encoding),
	 PFMLIB_OS_DETECT(skl_unc_clk_perf_detect),
};

pfmlib_pmu_t intel_skl_unc_imc_support={
	SKL_UNC_COMMON("memory controller", "imc", "uncore_imc", IMC, intel_skl_unc_imc_pe,
		       0, 5, 0),
	.get_event_encoding[PFM_OS_NONE] = skl_unc_imc_get_encoding,
	 PFMLIB_ENCODE_PERF(skl_unc_imc_get_perf_encoding),
	 PFMLIB_OS_DETECT(pfm_intel_x86_perf_detect),
};
