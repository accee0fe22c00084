/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_icl_unc.c : Intel Ice Lake client uncore PMUs
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 */
/* private headers */
#include "pfmlib_priv.h"
#include "pfmlib_intel_client_unc_priv.h"
#include "events/intel_icl_unc_events.h"

static const int icl_unc_models[] = {
	0x7d, /* Ice Lake client */
	0x7e, /* Ice Lake mobile */
	0
};

CLIENT_UNC_ARB(icl, ICL, "Ice Lake client");
CLIENT_UNC_CLK(icl, ICL, "Ice Lake client");
CLIENT_UNC_IMC(icl, ICL, "Ice Lake client");
