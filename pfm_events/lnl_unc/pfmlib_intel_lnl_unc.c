/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_lnl_unc.c : Intel Lunar Lake uncore PMUs
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 */
/* private headers */
#include "pfmlib_priv.h"
#include "pfmlib_intel_client_unc_priv.h"
#include "events/intel_lnl_unc_events.h"

static const int lnl_unc_models[] = {
	0xbd, /* Lunar Lake */
	0
};

CLIENT_UNC_IMCN(lnl, LNL, "Lunar Lake", 0);
CLIENT_UNC_IMCN(lnl, LNL, "Lunar Lake", 1);
CLIENT_UNC_IMC_FREE(lnl, LNL, "Lunar Lake");
