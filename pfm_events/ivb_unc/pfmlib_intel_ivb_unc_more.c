/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_ivb_unc_more.c : Intel Ivy Bridge uncore PMUs beside the C-boxes
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 */
/* private headers */
#include "pfmlib_priv.h"
#include "pfmlib_intel_client_unc_priv.h"
#include "events/intel_ivb_unc_more_events.h"

static const int ivb_unc_models[] = {
	0x3a, /* Ivy Bridge */
	0
};

CLIENT_UNC_ARB(ivb, IVB, "Ivy Bridge");
CLIENT_UNC_CLK(ivb, IVB, "Ivy Bridge");
CLIENT_UNC_IMC(ivb, IVB, "Ivy Bridge");
