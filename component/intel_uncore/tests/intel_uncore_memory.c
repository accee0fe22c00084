/* SPDX-License-Identifier: MIT */
/* Reading an array that no cache holds for the first time is at least so many lines from memory. */
#include "../../papi_glue/component_test.h"

#include <stdlib.h>

#define LINE 64
#define BYTES (96L << 20)	/* four times the largest last-level cache of these machines */

static const char *const names[] = {
	"intel_uncore:::skl_unc_imc.DRAM_DATA_READS",
	"intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I",
	"intel_uncore:::nhmex_unc_mbox.INFLIGHT_CMDS",
};

static const char *reads_here(void)
{
	int code;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (PAPI_event_name_to_code(names[i], &code) == PAPI_OK)
			return names[i];
	test_skip(__FILE__, __LINE__, "no event for reads from memory", 0);
}

static long touch(const volatile char *bytes)
{
	long sum = 0;

	for (long i = 0; i < BYTES; i += LINE)
		sum += bytes[i];
	return sum;
}

int main(int argc, char **argv)
{
	long long count = 0;
	int rc, set = PAPI_NULL;
	const char *name;
	char *bytes;

	component_test_begin(argc, argv, "intel_uncore");
	name = reads_here();
	bytes = malloc(BYTES);
	if (!bytes)
		test_skip(__FILE__, __LINE__, "no memory for the array", 0);
	memset(bytes, 1, BYTES);
	rc = component_test_start(&name, 1, &set);
	if (rc != PAPI_OK)
		test_fail(__FILE__, __LINE__, "start", rc);
	if (touch(bytes) != BYTES / LINE)
		test_fail(__FILE__, __LINE__, "the array", 0);
	rc = component_test_stop(&set, &count);
	if (rc != PAPI_OK)
		test_fail(__FILE__, __LINE__, "stop", rc);
	if (!TESTS_QUIET)
		printf("%s: %lld, lines: %ld\n", name, count, BYTES / LINE);
	/* Lines that the caches still hold, a quarter at most, are not read again. */
	if (count < BYTES / LINE / 4 * 3)
		test_fail(__FILE__, __LINE__, "fewer lines were read than the array has", 0);
	free(bytes);
	test_pass(__FILE__);
}
