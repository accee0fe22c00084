/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_rkl_unc.c : Intel Rocket Lake client uncore PMUs
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 */
/* private headers */
#include "pfmlib_priv.h"
#include "pfmlib_intel_client_unc_priv.h"
#include "events/intel_rkl_unc_events.h"

static const int rkl_unc_models[] = {
	0xa7, /* Rocket Lake */
	0
};

CLIENT_UNC_ARB(rkl, RKL, "Rocket Lake client");
CLIENT_UNC_CLK(rkl, RKL, "Rocket Lake client");
CLIENT_UNC_IMC(rkl, RKL, "Rocket Lake client");
