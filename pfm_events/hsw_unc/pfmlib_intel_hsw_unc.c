/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_hsw_unc.c : Intel Haswell client uncore PMUs
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 */
/* private headers */
#include "pfmlib_priv.h"
#include "pfmlib_intel_client_unc_priv.h"
#include "events/intel_hsw_unc_events.h"

static const int hsw_unc_models[] = {
	0x3c, /* Haswell */
	0x45, /* Haswell ULT */
	0x46, /* Haswell with GT3e */
	0
};

CLIENT_UNC_CBO(hsw, HSW, "Haswell client", 0);
CLIENT_UNC_CBO(hsw, HSW, "Haswell client", 1);
CLIENT_UNC_CBO(hsw, HSW, "Haswell client", 2);
CLIENT_UNC_CBO(hsw, HSW, "Haswell client", 3);
CLIENT_UNC_ARB(hsw, HSW, "Haswell client");
CLIENT_UNC_CLK(hsw, HSW, "Haswell client");
CLIENT_UNC_IMC(hsw, HSW, "Haswell client");
