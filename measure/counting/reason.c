/* SPDX-License-Identifier: MIT */
#include "reason.h"

#include <papi.h>

const char *reason_of(int component, int papi)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(component);

	return info && info->disabled_reason[0] ? info->disabled_reason : PAPI_strerror(papi);
}
