/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_client_unc.c : what Intel client uncore PMUs have in common
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 *
 * Registers: Intel 334060-001 (April 2016) for Skylake; the SDM, section
 * 18.9.6, for Sandy Bridge, whose layout it is.
 */
#include <sys/types.h>

/* private headers */
#include "pfmlib_priv.h"
#include "pfmlib_intel_client_unc_priv.h"

#ifdef __linux__
#include "pfmlib_perf_event_priv.h"
#endif

#define CLIENT_UNC_THR_MAX	31 /* THR is bits 28:24 (Table 2-7); the core PMU has 8 bits */
#define CLIENT_UNC_WIDE_THR_MAX	63 /* 29:24, of C-boxes from Alder Lake on */
#define CLIENT_UNC_BYTE_THR_MAX	255
#define CLIENT_UNC_IMC_SELECT	0x40fff /* edge, channel mask, event */
#define CLIENT_UNC_IMC_THR	0xff800000ULL /* threshold, invert */

/* the shared encoder knows a modifier by its position in intel_x86_mods[] */
#define CLIENT_UNC_MODS(most) { \
	[INTEL_X86_ATTR_K] = PFM_ATTR_SKIP, \
	[INTEL_X86_ATTR_U] = PFM_ATTR_SKIP, \
	[INTEL_X86_ATTR_E] = PFM_ATTR_B("e", "count rising edges, not clocks (wants c >= 1)"), \
	[INTEL_X86_ATTR_I] = PFM_ATTR_B("i", "invert the threshold: increment < c"), \
	[INTEL_X86_ATTR_C] = PFM_ATTR_I("c", "threshold [0-" most "]: clocks with increment >= c"), \
	[INTEL_X86_ATTR_C + 1] = PFM_ATTR_NULL \
}
const pfmlib_attr_desc_t pfm_intel_client_unc_mods[] = CLIENT_UNC_MODS("31");
const pfmlib_attr_desc_t pfm_intel_client_unc_wide_mods[] = CLIENT_UNC_MODS("63");
const pfmlib_attr_desc_t pfm_intel_client_unc_byte_mods[] = CLIENT_UNC_MODS("255");

static int
client_unc_get_encoding(void *this, pfmlib_event_desc_t *e, unsigned int thr_max)
{
	const pfmlib_event_attr_info_t *a;
	int i;

	for (i = 0; i < e->nattrs; i++) {
		a = attr(e, i);
		if (a->ctrl != PFM_ATTR_CTRL_PMU || a->type != PFM_ATTR_MOD_INTEGER)
			continue;
		if (a->idx == INTEL_X86_ATTR_C && e->attrs[i].ival > thr_max)
			return PFM_ERR_ATTR_VAL;
	}
	return pfm_intel_x86_get_encoding(this, e);
}

int
pfm_intel_client_unc_get_encoding(void *this, pfmlib_event_desc_t *e)
{
	return client_unc_get_encoding(this, e, CLIENT_UNC_THR_MAX);
}

int
pfm_intel_client_unc_wide_get_encoding(void *this, pfmlib_event_desc_t *e)
{
	return client_unc_get_encoding(this, e, CLIENT_UNC_WIDE_THR_MAX);
}

/* the shared encoder sets enable and interrupt, which these selects do not have */
int
pfm_intel_client_unc_imc_select_get_encoding(void *this, pfmlib_event_desc_t *e)
{
	int ret = pfm_intel_x86_get_encoding(this, e);

	if (ret == PFM_SUCCESS)
		e->codes[0] &= CLIENT_UNC_IMC_SELECT;
	return ret;
}

/* the same with a threshold of 8 bits and its inversion */
int
pfm_intel_client_unc_imc_thr_get_encoding(void *this, pfmlib_event_desc_t *e)
{
	int ret = client_unc_get_encoding(this, e, CLIENT_UNC_BYTE_THR_MAX);

	if (ret == PFM_SUCCESS)
		e->codes[0] &= CLIENT_UNC_IMC_SELECT | CLIENT_UNC_IMC_THR;
	return ret;
}

int
pfm_intel_client_unc_imc_get_encoding(void *this, pfmlib_event_desc_t *e)
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
#define CLIENT_UNC_PERF_FIXED	0xff /* the kernel's code for an uncore fixed counter */

/*
 * Kernels give the fixed counter to C-box 0. A unit of its own for the clock,
 * as kernels have it from Ice Lake on, is preferred if it is there.
 */
static const char *const client_unc_clk_perf_names[] = {
	"uncore_clock",
	"uncore_cbox_0",
};

/* offset of an IMC counter -> event number of the kernel's uncore_imc */
static const struct {
	uint64_t offset;
	uint64_t config;
} client_unc_imc_perf_events[] = {
	{ .offset = 0x5040, .config = 0x3 }, /* gt_requests, from Linux 5.9 */
	{ .offset = 0x5044, .config = 0x4 }, /* ia_requests, from Linux 5.9 */
	{ .offset = 0x5048, .config = 0x5 }, /* io_requests, from Linux 5.9 */
	{ .offset = 0x5050, .config = 0x1 }, /* data_reads */
	{ .offset = 0x5054, .config = 0x2 }, /* data_writes */
};

int
pfm_intel_client_unc_clk_get_perf_encoding(void *this, pfmlib_event_desc_t *e)
{
	pfmlib_pmu_t pmu = *(pfmlib_pmu_t *)this;
	struct perf_event_attr *pattr = e->os_data;
	int ret = PFM_ERR_NOTSUPP;
	size_t i;

	for (i = 0; i < LIBPFM_ARRAY_SIZE(client_unc_clk_perf_names); i++) {
		pmu.perf_name = client_unc_clk_perf_names[i];
		ret = pfm_intel_nhm_unc_get_perf_encoding(&pmu, e);
		/* a PMU that the kernel lacks: 4.13.0 says the one, later versions the other */
		if (ret != PFM_ERR_NOTSUPP && ret != PFM_ERR_NOTFOUND)
			break;
	}
	if (ret == PFM_SUCCESS)
		pattr->config = CLIENT_UNC_PERF_FIXED;

	return ret;
}

int
pfm_intel_client_unc_ncu_get_perf_encoding(void *this, pfmlib_event_desc_t *e)
{
	struct perf_event_attr *pattr = e->os_data;
	int ret = pfm_intel_nhm_unc_get_perf_encoding(this, e);

	if (ret == PFM_SUCCESS)
		pattr->config = CLIENT_UNC_PERF_FIXED;

	return ret;
}

int
pfm_intel_client_unc_clk_perf_detect(void *this)
{
	pfmlib_pmu_t pmu = *(pfmlib_pmu_t *)this;
	int ret = PFM_ERR_NOTSUPP;
	size_t i;

	for (i = 0; ret != PFM_SUCCESS && i < LIBPFM_ARRAY_SIZE(client_unc_clk_perf_names); i++) {
		pmu.perf_name = client_unc_clk_perf_names[i];
		ret = pfm_intel_x86_perf_detect(&pmu);
	}
	return ret;
}

int
pfm_intel_client_unc_imc_get_perf_encoding(void *this, pfmlib_event_desc_t *e)
{
	struct perf_event_attr *pattr = e->os_data;
	size_t i;
	int ret;

	ret = pfm_intel_nhm_unc_get_perf_encoding(this, e);
	if (ret != PFM_SUCCESS)
		return ret;

	for (i = 0; i < LIBPFM_ARRAY_SIZE(client_unc_imc_perf_events); i++) {
		if (client_unc_imc_perf_events[i].offset == e->codes[0]) {
			pattr->config = client_unc_imc_perf_events[i].config;
			return PFM_SUCCESS;
		}
	}
	return PFM_ERR_NOTSUPP;
}
/* each controller is a PMU of the kernel's; the low 16 bits of the code are the kernel's number */
int
pfm_intel_client_unc_imc64_get_perf_encoding(void *this, pfmlib_event_desc_t *e)
{
	static const char *const names[] = {
		"uncore_imc_free_running_0",
		"uncore_imc_free_running_1",
	};
	pfmlib_pmu_t pmu = *(pfmlib_pmu_t *)this;
	struct perf_event_attr *pattr = e->os_data;
	int ret;

	pmu.perf_name = names[((const intel_x86_entry_t *)this_pe(this))[e->event].code >> 16 & 1];
	ret = pfm_intel_nhm_unc_get_perf_encoding(&pmu, e);
	if (ret == PFM_SUCCESS)
		pattr->config = e->codes[0] & 0xffff;

	return ret;
}
#endif /* __linux__ */
