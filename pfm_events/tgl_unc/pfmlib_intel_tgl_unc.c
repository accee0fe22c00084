/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_tgl_unc.c : Intel Tiger Lake client uncore PMUs
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 */
/* private headers */
#include "pfmlib_priv.h"
#include "pfmlib_intel_client_unc_priv.h"
#include "events/intel_tgl_unc_events.h"

static const int tgl_unc_models[] = {
	0x8c, /* Tiger Lake mobile */
	0x8d, /* Tiger Lake H */
	0
};

CLIENT_UNC_ARB(tgl, TGL, "Tiger Lake client");
CLIENT_UNC_CLK(tgl, TGL, "Tiger Lake client");
CLIENT_UNC_IMC64(tgl, TGL, "Tiger Lake client");
