/* SPDX-License-Identifier: MIT */
/* states COMPONENT EVENT: the component's state when PAPI has started, and after a query for the
 * event. PAPI queries all components for the events of its presets that the kernel does not have,
 * and opening a machine takes longer than the rest of PAPI_library_init. */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>

static const char *state_of(const char *component)
{
	int i = PAPI_get_component_index(component);
	const PAPI_component_info_t *info = i < 0 ? NULL : PAPI_get_component_info(i);

	return !info ? "missing" : info->disabled == PAPI_EDELAY_INIT ? "delayed" :
	       info->disabled ? "disabled" : "active";
}

int main(int argc, char **argv)
{
	const char *before;
	int code;

	if (argc != 3 || PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return EXIT_FAILURE;
	before = state_of(argv[1]);
	if (PAPI_event_name_to_code(argv[2], &code) != PAPI_OK)
		return EXIT_FAILURE;
	printf("%s: %s, %s\n", argv[1], before, state_of(argv[1]));
	return EXIT_SUCCESS;
}
