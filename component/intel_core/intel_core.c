/* SPDX-License-Identifier: MIT */
/* PAPI component for the documented core PMUs: what belongs to CPUs. */
#include "../papi_glue/glue.h"

GLUE_COMPONENT(intel_core, IPMU_SCOPE_CPU, PAPI_GRN_THR,
	       "Documented Intel core PMUs; the CPUs that the starting thread may use, or cpu=N");
