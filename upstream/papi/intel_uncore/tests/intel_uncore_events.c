/* SPDX-License-Identifier: MIT */
/* Each event that the component lists can be counted, and the clock advances. */
#include <string.h>

#include "uncore_test.h"

static void count_event(const char *name)
{
	int set = uncore_test_set(name);
	long long count = -1;

	CHECK(PAPI_start(set), PAPI_OK);
	CHECK(PAPI_stop(set, &count), PAPI_OK);
	if (!TESTS_QUIET)
		printf("%-70s %lld\n", name, count);
	if (count < 0 || (strstr(name, "UNC_CLOCK") && count == 0))
		test_fail(__FILE__, __LINE__, name, (int) count);
	uncore_test_destroy(set);
}

int main(int argc, char **argv)
{
	int cid = uncore_test_begin(argc, argv), code = PAPI_NATIVE_MASK, n = 0;

	for (int rc = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, cid); rc == PAPI_OK;
	     rc = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, cid)) {
		char name[PAPI_MAX_STR_LEN];

		CHECK(PAPI_event_code_to_name(code, name), PAPI_OK);
		count_event(name);
		n++;
	}
	if (n == 0)
		test_fail(__FILE__, __LINE__, "no events", n);
	test_pass(__FILE__);
}
