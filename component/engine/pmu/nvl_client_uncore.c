/* SPDX-License-Identifier: MIT */
/* Uncore of Nova Lake, of family 18: Intel publishes five events of the memory controllers, whose
 * counters are found as Panther Lake's are, by another MSR. Its clock, slices and SANTA have
 * registers by Linux and no published event. */
#include "client_uncore.h"

#define SRC "Intel perfmon NVL 1.00; Linux uncore_snb.c, uncore_discovery.h"
#define LINUX "Linux uncore_snb.c, uncore_discovery.h; no document of Intel's was found"

static const struct ipmu_reg discovery = {
	.name = "PACKAGE_UNCORE_DISCOVERY_MSR", .src = LINUX, .addr = 0x711, .width = 64,
	.access = IPMU_RO, .discovery = true, .fields = { F("TABLE", 63, 0) },
};

static const struct ipmu_reg *const registers[] = { IPMU_PTL_IMC_REGISTERS(&discovery), NULL };

static const struct ipmu_pmu_type imc = {
	IPMU_CLIENT_IMC_SELECTS("nvl_unc_imc"), .src = SRC, IPMU_PTL_IMC,
};
static const struct ipmu_pmu_type imc_free = {
	IPMU_CLIENT_IMC("nvl_unc_imc_free_running"), .src = LINUX,
	.counters = 6, .fixed = ipmu_adl_imc_events,
};

static const struct ipmu_pmu_type *const types[] = { &imc, &imc_free, NULL };

static const struct ipmu_client_layout layout = {
	.window_thaw = &ipmu_ptl_units_global_ctl,
	.remark = "Intel publishes events of the memory controllers alone; registers are known "
		  "from Linux",
	.units = { IPMU_PTL_IMC_UNITS(&imc, &imc_free) },
};

static const int models[] = { 1, 3, -1 };

const struct ipmu_family ipmu_nvl_client_uncore = {
	.machine = "nova-lake",
	.name = "nvl_unc", IPMU_CLIENT_FAMILY_OF(18), .src = SRC,
	.models = models, .models_text = "family 18 models 1, 3 (Nova Lake)",
	.types = types, .registers = registers, .layout = &layout,
};
