/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_client_cbo.c : C-boxes of Intel Alder Lake and Meteor Lake
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 *
 * Their events have one source, which is not Intel. They are listed and encoded
 * if the environment has LIBPFM_CLIENT_UNCONFIRMED when the first one is looked up.
 */
#include <sys/types.h>
#include <stdlib.h>

/* private headers */
#include "pfmlib_priv.h"
#include "pfmlib_intel_client_unc_priv.h"
#include "events/intel_client_cbo_events.h"

static const int adl_unc_models[] = {
	0x97, /* Alder Lake S */
	0x9a, /* Alder Lake mobile */
	0xb7, /* Raptor Lake S */
	0xba, /* Raptor Lake mobile */
	0xbe, /* Alder Lake N */
	0xbf, /* Raptor Lake of the other die */
	0
};

static const int mtl_unc_models[] = {
	0xaa, /* Meteor Lake mobile */
	0xac, /* Meteor Lake */
	0xb5, /* Arrow Lake U */
	0
};

static int
client_cbo_wanted(void)
{
	static int want = -1;

	if (want == -1)
		want = getenv("LIBPFM_CLIENT_UNCONFIRMED") != NULL;
	return want;
}

static int
client_cbo_get_event_first(void *this)
{
	return client_cbo_wanted() ? pfm_intel_x86_get_event_first(this) : -1;
}

static int
client_cbo_event_is_valid(void *this, int pidx)
{
	return client_cbo_wanted() && pfm_intel_x86_event_is_valid(this, pidx);
}

#define CLIENT_CBO(g, G, d, n) \
	CLIENT_UNC_WIDE_BOX(g, G, cbo##n, d" C-box "#n, "cbo"#n, "uncore_cbox_"#n, CB##n, \
			    intel_client_cbo_pe, client_cbo)

CLIENT_CBO(adl, ADL, "Alder Lake", 0);
CLIENT_CBO(adl, ADL, "Alder Lake", 1);
CLIENT_CBO(adl, ADL, "Alder Lake", 2);
CLIENT_CBO(adl, ADL, "Alder Lake", 3);
CLIENT_CBO(adl, ADL, "Alder Lake", 4);
CLIENT_CBO(adl, ADL, "Alder Lake", 5);
CLIENT_CBO(adl, ADL, "Alder Lake", 6);
CLIENT_CBO(adl, ADL, "Alder Lake", 7);
CLIENT_CBO(adl, ADL, "Alder Lake", 8);
CLIENT_CBO(adl, ADL, "Alder Lake", 9);
CLIENT_CBO(adl, ADL, "Alder Lake", 10);
CLIENT_CBO(adl, ADL, "Alder Lake", 11);
CLIENT_CBO(mtl, MTL, "Meteor Lake", 0);
CLIENT_CBO(mtl, MTL, "Meteor Lake", 1);
CLIENT_CBO(mtl, MTL, "Meteor Lake", 2);
CLIENT_CBO(mtl, MTL, "Meteor Lake", 3);
CLIENT_CBO(mtl, MTL, "Meteor Lake", 4);
CLIENT_CBO(mtl, MTL, "Meteor Lake", 5);
CLIENT_CBO(mtl, MTL, "Meteor Lake", 6);
CLIENT_CBO(mtl, MTL, "Meteor Lake", 7);
CLIENT_CBO(mtl, MTL, "Meteor Lake", 8);
CLIENT_CBO(mtl, MTL, "Meteor Lake", 9);
CLIENT_CBO(mtl, MTL, "Meteor Lake", 10);
CLIENT_CBO(mtl, MTL, "Meteor Lake", 11);
