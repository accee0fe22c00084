/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_arl_unc.c : Intel Arrow Lake uncore PMUs
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 */
/* private headers */
#include "pfmlib_priv.h"
#include "pfmlib_intel_client_unc_priv.h"
#include "events/intel_arl_unc_events.h"

static const int arl_unc_models[] = {
	0xc5, /* Arrow Lake H */
	0xc6, /* Arrow Lake S */
	0
};

CLIENT_UNC_HAC_ARB(arl, ARL, "Arrow Lake", 0);
CLIENT_UNC_HAC_ARB(arl, ARL, "Arrow Lake", 1);
CLIENT_UNC_HAC_CBO(arl, ARL, "Arrow Lake", 0);
CLIENT_UNC_HAC_CBO(arl, ARL, "Arrow Lake", 1);
CLIENT_UNC_NCU(arl, ARL, "Arrow Lake compute tile clock", cncu, CNCU);
CLIENT_UNC_NCU(arl, ARL, "Arrow Lake SoC tile clock", sncu, SNCU);
CLIENT_UNC_THR_IMCN(arl, ARL, "Arrow Lake", 0);
CLIENT_UNC_THR_IMCN(arl, ARL, "Arrow Lake", 1);
CLIENT_UNC_IMC_FREE(arl, ARL, "Arrow Lake");
