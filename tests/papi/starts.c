// SPDX-License-Identifier: MIT
/* Starts PAPI and adds an event, if one is given: starts [EVENT]. */
#include <papi.h>

int main(int argc, char **argv)
{
	int set = PAPI_NULL;

	return PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
	       (argc > 1 && (PAPI_create_eventset(&set) || PAPI_add_named_event(set, argv[1])));
}
