/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_mtl_unc.c : Intel Meteor Lake uncore PMUs
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 */
/* private headers */
#include "pfmlib_priv.h"
#include "pfmlib_intel_client_unc_priv.h"
#include "events/intel_mtl_unc_events.h"

static const int mtl_unc_models[] = {
	0xaa, /* Meteor Lake mobile */
	0xac, /* Meteor Lake */
	0xb5, /* Arrow Lake U */
	0
};

CLIENT_UNC_WIDE_ARB(mtl, MTL, "Meteor Lake", 0);
CLIENT_UNC_WIDE_ARB(mtl, MTL, "Meteor Lake", 1);
CLIENT_UNC_HAC_ARB(mtl, MTL, "Meteor Lake", 0);
CLIENT_UNC_HAC_ARB(mtl, MTL, "Meteor Lake", 1);
CLIENT_UNC_HAC_CBO(mtl, MTL, "Meteor Lake", 0);
CLIENT_UNC_HAC_CBO(mtl, MTL, "Meteor Lake", 1);
CLIENT_UNC_NCU(mtl, MTL, "Meteor Lake compute tile clock", cncu, CNCU);
CLIENT_UNC_NCU(mtl, MTL, "Meteor Lake SoC tile clock", sncu, SNCU);
CLIENT_UNC_IMCN(mtl, MTL, "Meteor Lake", 0);
CLIENT_UNC_IMCN(mtl, MTL, "Meteor Lake", 1);
CLIENT_UNC_IMC_FREE(mtl, MTL, "Meteor Lake");
