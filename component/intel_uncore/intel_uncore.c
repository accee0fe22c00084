/* SPDX-License-Identifier: MIT */
/* PAPI component for the documented uncore PMUs: what belongs to packages. */
#include "../papi_glue/glue.h"

GLUE_COMPONENT(intel_uncore, IPMU_SCOPE_PACKAGE, PAPI_GRN_SYS,
	       "Documented Intel uncore PMUs; sums over this node, package=N and box=N narrow it");
