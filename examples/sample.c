/* SPDX-License-Identifier: MIT */
/* Samples a program by one PAPI event: which function runs whenever N events have happened?
 *
 *   cc sample.c $(pkg-config --cflags --libs papi) -o sample
 *   vpmu run -m skl-4c8t -- ./sample intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I 1000
 */
#include <papi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BYTES ((size_t)32 << 20)
#define PAGE ((uintptr_t)4096)
#define FUNCTION __attribute__((noinline, aligned(4096)))	/* each in a page of its own */

static long in_reads, in_adds, elsewhere;
static unsigned long *words;
static volatile unsigned long total;

static void must(int rc, const char *what)
{
	if (rc >= PAPI_OK)
		return;
	fprintf(stderr, "%s: %s\n", what, PAPI_strerror(rc));
	exit(1);
}

FUNCTION static void reads(void)
{
	unsigned long sum = 0;

	for (size_t i = 0; i < BYTES / sizeof(*words); i += 8)
		sum += words[i];
	total += sum;
}

FUNCTION static void adds(void)
{
	unsigned long sum = 1;

	for (long i = 0; i < 1000000; i++)
		sum += sum << 1;
	total += sum;
}

static void on_overflow(int set, void *address, long long which, void *context)
{
	uintptr_t page = (uintptr_t)address & -PAGE;

	(void)set, (void)which, (void)context;
	if (page == (uintptr_t)reads)
		in_reads++;
	else if (page == (uintptr_t)adds)
		in_adds++;
	else
		elsewhere++;
}

/* A quarter of a second of CPU time. */
static void turn_of(void (*function)(void))
{
	clock_t end = clock() + CLOCKS_PER_SEC / 4;

	while (clock() < end)
		function();
}

int main(int argc, char **argv)
{
	int set = PAPI_NULL, code, version = PAPI_library_init(PAPI_VER_CURRENT);
	long long count;

	words = malloc(BYTES);
	if (argc < 3 || !words || version != PAPI_VER_CURRENT) {
		fprintf(stderr, "usage: sample EVENT N\n");
		return 1;
	}
	memset(words, 1, BYTES);
	must(PAPI_create_eventset(&set), "event set");
	must(PAPI_event_name_to_code(argv[1], &code), argv[1]);
	must(PAPI_add_event(set, code), argv[1]);
	must(PAPI_overflow(set, code, atoi(argv[2]), 0, on_overflow), "overflow");
	must(PAPI_start(set), "start");
	for (int turn = 0; turn < 2; turn++) {
		turn_of(reads);
		turn_of(adds);
	}
	must(PAPI_stop(set, &count), "stop");
	printf("%s %lld: %ld samples in reads(), %ld in adds(), %ld elsewhere\n", argv[1], count,
	       in_reads, in_adds, elsewhere);
	must(PAPI_overflow(set, code, 0, 0, on_overflow), "overflow");
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	PAPI_shutdown();
	free(words);
	return 0;
}
