/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_skl_unc.c : Intel Skylake client uncore PMUs
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 *
 * Registers and events: Intel 334060-001 (April 2016).
 */
/* private headers */
#include "pfmlib_priv.h"
#include "pfmlib_intel_client_unc_priv.h"
#include "events/intel_skl_unc_events.h"

static const int skl_unc_models[] = {
	0x4e, /* Skylake mobile */
	0x5e, /* Skylake desktop */
	0x8e, /* Kaby Lake, Amber Lake, Whiskey Lake mobile */
	0x9e, /* Kaby Lake, Coffee Lake desktop */
	0xa5, /* Comet Lake */
	0xa6, /* Comet Lake mobile */
	0
};

#define SKL_UNC_CBO(n)	CLIENT_UNC_CBO(skl, SKL, "Skylake client", n)

SKL_UNC_CBO(0);
SKL_UNC_CBO(1);
SKL_UNC_CBO(2);
SKL_UNC_CBO(3);
SKL_UNC_CBO(4);
SKL_UNC_CBO(5);
SKL_UNC_CBO(6);
SKL_UNC_CBO(7);
CLIENT_UNC_ARB(skl, SKL, "Skylake client");
CLIENT_UNC_CLK(skl, SKL, "Skylake client");
CLIENT_UNC_IMC(skl, SKL, "Skylake client");
