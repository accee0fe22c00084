/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_bdw_unc.c : Intel Broadwell client uncore PMUs
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 */
/* private headers */
#include "pfmlib_priv.h"
#include "pfmlib_intel_client_unc_priv.h"
#include "events/intel_bdw_unc_events.h"

static const int bdw_unc_models[] = {
	0x3d, /* Broadwell */
	0x47, /* Broadwell with GT3e */
	0
};

CLIENT_UNC_CBO(bdw, BDW, "Broadwell client", 0);
CLIENT_UNC_CBO(bdw, BDW, "Broadwell client", 1);
CLIENT_UNC_CBO(bdw, BDW, "Broadwell client", 2);
CLIENT_UNC_CBO(bdw, BDW, "Broadwell client", 3);
CLIENT_UNC_ARB(bdw, BDW, "Broadwell client");
CLIENT_UNC_CLK(bdw, BDW, "Broadwell client");
CLIENT_UNC_IMC(bdw, BDW, "Broadwell client");
