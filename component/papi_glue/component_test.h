/* SPDX-License-Identifier: MIT */
/* Helpers of the tests of intel_core and intel_uncore, which use PAPI's public functions and its
 * test library. A component that this machine disables is skipped, with its reason. */
#ifndef COMPONENT_TEST_H
#define COMPONENT_TEST_H

#include "papi.h"
#include "papi_test.h"

#include <stdio.h>
#include <string.h>

static inline int component_test_begin(int argc, char **argv, const char *name)
{
	const PAPI_component_info_t *info;
	int rc, cid, code = PAPI_NATIVE_MASK;

	tests_quiet(argc, argv);
	rc = PAPI_library_init(PAPI_VER_CURRENT);
	if (rc != PAPI_VER_CURRENT)
		test_fail(__FILE__, __LINE__, "PAPI_library_init", rc);
	cid = PAPI_get_component_index(name);
	if (cid < 0)
		test_skip(__FILE__, __LINE__, "component is not configured", cid);
	/* The component opens the machine at the first request for its events. */
	rc = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, cid);
	info = PAPI_get_component_info(cid);
	if (rc != PAPI_OK || info->disabled) {
		if (!TESTS_QUIET)
			printf("%s: %s\n", name, info->disabled_reason);
		test_skip(__FILE__, __LINE__, "component is disabled", rc);
	}
	return cid;
}

/* An event set that has begun to count, or PAPI's error. */
static inline int component_test_start(const char *const names[], int n, int *set)
{
	int rc = PAPI_create_eventset(set);

	for (int i = 0; rc == PAPI_OK && i < n; i++)
		rc = PAPI_add_named_event(*set, names[i]);
	return rc == PAPI_OK ? PAPI_start(*set) : rc;
}

static inline int component_test_stop(int *set, long long *counts)
{
	int rc = PAPI_stop(*set, counts);

	if (rc == PAPI_OK)
		rc = PAPI_cleanup_eventset(*set);
	return rc == PAPI_OK ? PAPI_destroy_eventset(set) : rc;
}

/* Count one name, or say why not. Which agents is libpfm4's mask of BUSQ_EMPTY; SDM Table 19-23 has
 * cores there, so one of its values is refused. MEM_TRANS_RETIRED samples, and counts nothing. */
static inline int component_test_count(const char *name)
{
	int rc, set = PAPI_NULL;
	long long count = 0;

	if (strstr(name, "core.BUSQ_EMPTY:ALL_AGENTS") || strstr(name, "skl.MEM_TRANS_RETIRED:"))
		return 0;
	rc = component_test_start(&name, 1, &set);
	if (rc == PAPI_OK)
		rc = component_test_stop(&set, &count);
	else
		PAPI_cleanup_eventset(set);
	if (!TESTS_QUIET || rc != PAPI_OK)
		printf("  %-60s %lld %s\n", name, count, rc == PAPI_OK ? "" : PAPI_strerror(rc));
	return rc == PAPI_OK ? 0 : 1;
}

/* Count an event with each of its unit masks, or alone if it has none. Returns how many names there
 * are, and adds to `failed` those that were not counted. */
static inline int component_test_event(int event, int cid, int *failed)
{
	char name[PAPI_MAX_STR_LEN];
	int names = 0, code = event;

	while (PAPI_enum_cmp_event(&code, PAPI_NTV_ENUM_UMASKS, cid) == PAPI_OK) {
		if (PAPI_event_code_to_name(code, name) != PAPI_OK)
			test_fail(__FILE__, __LINE__, "PAPI_event_code_to_name", code);
		*failed += component_test_count(name);
		names++;
	}
	if (names)
		return names;
	if (PAPI_event_code_to_name(event, name) != PAPI_OK)
		test_fail(__FILE__, __LINE__, "PAPI_event_code_to_name", event);
	*failed += component_test_count(name);
	return 1;
}

/* All events of a component, one after the other. */
static inline void component_test_all(int cid)
{
	int code = PAPI_NATIVE_MASK, names = 0, failed = 0, rc;

	for (rc = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, cid); rc == PAPI_OK;
	     rc = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, cid))
		names += component_test_event(code, cid, &failed);
	if (!TESTS_QUIET)
		printf("%d names, %d not counted\n", names, failed);
	if (!names || failed)
		test_fail(__FILE__, __LINE__, "not all events were counted", failed);
}

#endif
