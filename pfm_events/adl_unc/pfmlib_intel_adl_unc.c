/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_adl_unc.c : Intel Alder Lake uncore PMUs
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 */
/* private headers */
#include "pfmlib_priv.h"
#include "pfmlib_intel_client_unc_priv.h"
#include "events/intel_adl_unc_events.h"

static const int adl_unc_models[] = {
	0x97, /* Alder Lake S */
	0x9a, /* Alder Lake mobile */
	0xb7, /* Raptor Lake S */
	0xba, /* Raptor Lake mobile */
	0xbe, /* Alder Lake N */
	0xbf, /* Raptor Lake of the other die */
	0
};

CLIENT_UNC_ARBN(adl, ADL, "Alder Lake", 0);
CLIENT_UNC_ARBN(adl, ADL, "Alder Lake", 1);
CLIENT_UNC_CLK(adl, ADL, "Alder Lake");
CLIENT_UNC_IMCN(adl, ADL, "Alder Lake", 0);
CLIENT_UNC_IMCN(adl, ADL, "Alder Lake", 1);
CLIENT_UNC_IMC_FREE(adl, ADL, "Alder Lake");
