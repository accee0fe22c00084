/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_nvl_unc.c : Intel Nova Lake uncore PMUs
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 */
/* private headers */
#include "pfmlib_priv.h"
#define CLIENT_UNC_CPU_FAMILY	18
#include "pfmlib_intel_client_unc_priv.h"
#include "events/intel_lnl_unc_events.h"
#include "events/intel_nvl_unc_events.h"

static const int nvl_unc_models[] = {
	0x01, /* Nova Lake */
	0x03, /* Nova Lake */
	0
};

CLIENT_UNC_IMCN(nvl, NVL, "Nova Lake", 0);
CLIENT_UNC_IMCN(nvl, NVL, "Nova Lake", 1);
CLIENT_UNC_IMC_FREE_OF(lnl, nvl, NVL, "Nova Lake");
