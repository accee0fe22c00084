/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_ptl_unc.c : Intel Panther Lake uncore PMUs
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 */
/* private headers */
#include "pfmlib_priv.h"
#include "pfmlib_intel_client_unc_priv.h"
#include "events/intel_lnl_unc_events.h"
#include "events/intel_ptl_unc_events.h"

static const int ptl_unc_models[] = {
	0xcc, /* Panther Lake */
	0xd5, /* Wildcat Lake */
	0xe5, /* Panther Lake, by perfmon */
	0
};

CLIENT_UNC_NCU_OF(ptl, ptl, PTL, "Panther Lake clock", cncu, "uncore_cncu_0", CNCU);
CLIENT_UNC_IMCN_OF(lnl, ptl, PTL, "Panther Lake", 0);
CLIENT_UNC_IMCN_OF(lnl, ptl, PTL, "Panther Lake", 1);
CLIENT_UNC_IMC_FREE_OF(lnl, ptl, PTL, "Panther Lake");
