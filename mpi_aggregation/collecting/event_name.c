/* SPDX-License-Identifier: MIT */
#include "event_name.h"

#include <string.h>

bool event_read(const char *name, struct ipmu_name *out)
{
	const char *component = strstr(name, ":::");

	return ipmu_name_read(component ? component + 3 : name, out, NULL) == 0;
}
