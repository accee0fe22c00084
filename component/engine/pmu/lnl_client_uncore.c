/* SPDX-License-Identifier: MIT */
/* Uncore of the Core Ultra 200V (Lunar Lake). Intel publishes events of two of its parts: the
 * memory controllers, which are Alder Lake's, and a clock whose register no source gives. */
#include "client_uncore.h"

#define SRC "Intel perfmon LNL 1.26; Linux uncore_snb.c"

static const struct ipmu_reg *const registers[] = { IPMU_ADL_IMC_REGISTERS, NULL };

static const struct ipmu_pmu_type imc = {
	IPMU_CLIENT_IMC_SELECTS("lnl_unc_imc"), .src = SRC, IPMU_ADL_IMC,
};
static const struct ipmu_pmu_type imc_free = {
	IPMU_CLIENT_IMC("lnl_unc_imc_free_running"), .src = SRC,
	.counters = 6, .fixed = ipmu_adl_imc_events,
};

static const struct ipmu_pmu_type *const types[] = { &imc, &imc_free, NULL };

static const struct ipmu_client_layout layout = {
	.window_reset = &ipmu_adl_imc_global_ctl,
	.remark = "Intel publishes events of the memory controllers alone; their registers are "
		  "known from Linux",
	.units = { IPMU_ADL_IMC_UNITS(&imc, &imc_free) },
};

static const int models[] = { 0xBD, -1 };

const struct ipmu_family ipmu_lnl_client_uncore = {
	.machine = "lunar-lake",
	.name = "lnl_unc", IPMU_CLIENT_FAMILY, .src = SRC,
	.models = models, .models_text = "model 0xBD (Lunar Lake)",
	.types = types, .registers = registers, .layout = &layout,
};
