/* SPDX-License-Identifier: MIT */
/* busy MILLIONS [EVENT]: so many million steps of arithmetic; with an event, counted by PAPI calls
 * around them. For bench/overhead. */
#include <papi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int set = PAPI_NULL;

static int begin(const char *event)
{
	return PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
	       PAPI_create_eventset(&set) != PAPI_OK ||
	       PAPI_add_named_event(set, event) != PAPI_OK || PAPI_start(set) != PAPI_OK;
}

static uint64_t work(long millions)
{
	uint64_t x = 88172645463325252u;

	for (long i = 0; i < millions * 1000000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

int main(int argc, char **argv)
{
	long long count;
	uint64_t x;

	if (argc < 2 || (argc > 2 && begin(argv[2]))) {
		fprintf(stderr, "Usage: busy MILLIONS [EVENT]; or the event cannot be counted\n");
		return 1;
	}
	x = work(strtol(argv[1], NULL, 10));
	if (argc > 2 && PAPI_stop(set, &count) != PAPI_OK)
		return 1;
	return x == 0;
}
