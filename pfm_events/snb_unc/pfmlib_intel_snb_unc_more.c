/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_snb_unc_more.c : Intel Sandy Bridge uncore PMUs beside the C-boxes
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 */
/* private headers */
#include "pfmlib_priv.h"
#include "pfmlib_intel_client_unc_priv.h"
#include "events/intel_snb_unc_more_events.h"

static const int snb_unc_models[] = {
	0x2a, /* Sandy Bridge */
	0
};

CLIENT_UNC_ARB(snb, SNB, "Sandy Bridge");
CLIENT_UNC_CLK(snb, SNB, "Sandy Bridge");
CLIENT_UNC_IMC(snb, SNB, "Sandy Bridge");
