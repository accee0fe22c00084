/* SPDX-License-Identifier: MIT */
/* Counts one PAPI event while a long array is read:
 *
 *   cc count.c $(pkg-config --cflags --libs papi) -o count
 *   vpmu run -m skl-4c8t -- ./count intel_uncore:::skl_unc_imc.DRAM_DATA_READS
 */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES ((size_t)32 << 20)

static void must(int rc, const char *what)
{
	if (rc >= PAPI_OK)
		return;
	fprintf(stderr, "%s: %s\n", what, PAPI_strerror(rc));
	exit(1);
}

static unsigned long sum(const unsigned long *words, size_t n)
{
	unsigned long s = 0;

	for (size_t i = 0; i < n; i++)
		s += words[i];
	return s;
}

int main(int argc, char **argv)
{
	const char *event = argc > 1 ? argv[1] : "intel_uncore:::skl_unc_imc.DRAM_DATA_READS";
	unsigned long *words = malloc(BYTES), total;
	int set = PAPI_NULL, version = PAPI_library_init(PAPI_VER_CURRENT);
	long long count;

	if (!words || version != PAPI_VER_CURRENT) {
		fprintf(stderr, "no memory, or another PAPI than that of papi.h\n");
		return 1;
	}
	memset(words, 1, BYTES);
	must(PAPI_create_eventset(&set), "event set");
	must(PAPI_add_named_event(set, event), event);
	must(PAPI_start(set), "start");
	total = sum(words, BYTES / sizeof(*words));
	must(PAPI_stop(set, &count), "stop");
	printf("%s %lld (%zu lines of 64 bytes were read, sum %lu)\n", event, count, BYTES / 64,
	       total);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	PAPI_shutdown();
	free(words);
	return 0;
}
