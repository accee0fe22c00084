/* SPDX-License-Identifier: MIT */
/* In front of PAPI's header: the calls of its high level are regions of ipmu-run. The rest of PAPI
 * is as it was, if it is installed. PAPI_hl_read() and PAPI_hl_print_output() do nothing. */
#ifndef IPMU_MARKERS_PAPI_H
#define IPMU_MARKERS_PAPI_H

#if defined(__has_include_next)
#if __has_include_next(<papi.h>)
#pragma GCC system_header
#include_next <papi.h>
#endif
#endif
#include "ipmu_markers.h"

#ifndef PAPI_OK
#define PAPI_OK 0
#endif

static inline int ipmu_markers_nothing(void)
{
	return PAPI_OK;
}

#define PAPI_hl_region_begin(name) ipmu_region_begin(name)
#define PAPI_hl_region_end(name) ipmu_region_end(name)
#define PAPI_hl_read(name) ((void)(name), ipmu_markers_nothing())
#define PAPI_hl_stop() ipmu_markers_nothing()
#define PAPI_hl_print_output() ((void)0)

#endif
