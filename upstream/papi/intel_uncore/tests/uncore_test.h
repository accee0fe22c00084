/* SPDX-License-Identifier: MIT */
/* Helpers of the tests. Where the component is disabled, the tests are skipped with its reason. */
#ifndef UNCORE_TEST_H
#define UNCORE_TEST_H

#include <stdio.h>

#include "papi.h"
#include "papi_test.h"

#define CHECK(what, expected)							\
	do {									\
		int check_rc = (what);						\
		if (check_rc != (expected))					\
			test_fail(__FILE__, __LINE__, #what, check_rc);		\
	} while (0)

static inline int uncore_test_begin(int argc, char **argv)
{
	const PAPI_component_info_t *info;
	int cid;

	tests_quiet(argc, argv);
	CHECK(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
	cid = PAPI_get_component_index("intel_uncore");
	if (cid < 0)
		test_skip(__FILE__, __LINE__, "the component is not configured", cid);
	info = PAPI_get_component_info(cid);
	if (info->disabled) {
		if (!TESTS_QUIET)
			printf("intel_uncore: %s\n", info->disabled_reason);
		test_skip(__FILE__, __LINE__, "the component is disabled", info->disabled);
	}
	return cid;
}

/* A new event set with one event. */
static inline int uncore_test_set(const char *event)
{
	int set = PAPI_NULL;

	CHECK(PAPI_create_eventset(&set), PAPI_OK);
	CHECK(PAPI_add_named_event(set, event), PAPI_OK);
	return set;
}

static inline void uncore_test_destroy(int set)
{
	CHECK(PAPI_cleanup_eventset(set), PAPI_OK);
	CHECK(PAPI_destroy_eventset(&set), PAPI_OK);
}

#endif
