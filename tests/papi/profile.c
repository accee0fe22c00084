/* SPDX-License-Identifier: MIT */
/* profile EVENT THRESHOLD [OTHER-EVENT]: two functions take two turns each of 1/8 s of CPU time;
 * only `hot` makes EVENT happen. Prints the hits that PAPI_profil and PAPI_sprofil give to each. */
#include <papi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TURNS 2
#define TURN (CLOCKS_PER_SEC / 8)
#define LINES (1u << 18)	/* 16 MiB: more than any of the caches */

extern const char __start_hot_code, __stop_hot_code, __start_cold_code, __stop_cold_code;

static volatile uint64_t sink;
static uint64_t *memory;

__attribute__((noinline, section("hot_code"))) static uint64_t hot(uint32_t first)
{
	uint64_t sum = 0;

	for (uint32_t i = first; i < first + LINES / 16; i++)
		sum += memory[(uint64_t)(i % LINES) * 8];
	return sum;
}

__attribute__((noinline, section("cold_code"))) static uint64_t cold(uint64_t x)
{
	for (int i = 0; i < 100000; i++)
		x = (x << 7) ^ (x >> 9) ^ (x + (uint64_t)i);
	return x;
}

static void take_turns(void)
{
	uint32_t at = 0;

	for (int turn = 0; turn < 2 * TURNS; turn++)
		for (clock_t end = clock() + TURN; clock() < end;)
			if (turn % 2)
				sink = cold(sink);
			else
				sink += hot(at += LINES / 16);
}

static void check(const char *what, int rc)
{
	if (rc == PAPI_OK)
		return;
	printf("%s: %s\n", what, PAPI_strerror(rc));
	exit(1);
}

static void count(int set)
{
	long long v[2];

	check("PAPI_start", PAPI_start(set));
	take_turns();
	check("PAPI_stop", PAPI_stop(set, v));
}

static unsigned long sum(const unsigned *buckets, size_t n)
{
	unsigned long hits = 0;

	for (size_t i = 0; i < n; i++)
		hits += buckets[i];
	return hits;
}

#define SIZE(part) ((size_t)(&__stop_##part##_code - &__start_##part##_code))
#define BUCKETS(part) (SIZE(part) / 2 + 2)	/* scale 65536 with 32 bits: one for two bytes */

/* Everything from the first to the last of both functions in one array. */
static void profile(int set, int code, int threshold)
{
	const char *low = &__start_hot_code < &__start_cold_code ? &__start_hot_code :
			  &__start_cold_code;
	const char *high = &__stop_hot_code > &__stop_cold_code ? &__stop_hot_code :
			   &__stop_cold_code;
	size_t n = (size_t)(high - low) / 2 + 2;
	unsigned *buckets = calloc(n, sizeof(*buckets));

	check("PAPI_profil", PAPI_profil(buckets, (unsigned)(n * sizeof(*buckets)), (vptr_t)low,
					 65536, set, code, threshold,
					 PAPI_PROFIL_POSIX | PAPI_PROFIL_BUCKET_32));
	count(set);
	check("PAPI_profil, to end it", PAPI_profil(buckets, 0, (vptr_t)low, 65536, set, code, 0,
						    PAPI_PROFIL_POSIX));
	printf("profil hot %lu cold %lu all %lu\n",
	       sum(buckets + (&__start_hot_code - low) / 2, SIZE(hot) / 2),
	       sum(buckets + (&__start_cold_code - low) / 2, SIZE(cold) / 2), sum(buckets, n));
	count(set);	/* it has ended: nothing is added, and nothing disturbs */
	printf("ended %lu\n", sum(buckets, n));
}

/* A region each. */
static void profile_regions(int set, int code, int threshold)
{
	static unsigned hot_hits[4096], cold_hits[4096];
	PAPI_sprofil_t regions[2] = {
		{ .pr_base = hot_hits, .pr_size = (unsigned)(BUCKETS(hot) * sizeof(unsigned)),
		  .pr_off = (vptr_t)&__start_hot_code, .pr_scale = 65536 },
		{ .pr_base = cold_hits, .pr_size = (unsigned)(BUCKETS(cold) * sizeof(unsigned)),
		  .pr_off = (vptr_t)&__start_cold_code, .pr_scale = 65536 },
	};

	check("PAPI_sprofil", PAPI_sprofil(regions, 2, set, code, threshold,
					   PAPI_PROFIL_POSIX | PAPI_PROFIL_BUCKET_32));
	count(set);
	check("PAPI_sprofil, to end it", PAPI_sprofil(NULL, 0, set, code, 0, PAPI_PROFIL_POSIX));
	printf("sprofil hot %lu cold %lu\n", sum(hot_hits, 4096), sum(cold_hits, 4096));
}

int main(int argc, char **argv)
{
	int set = PAPI_NULL, code = 0, threshold;

	if (argc < 3)
		return 2;
	threshold = atoi(argv[2]);
	memory = malloc((size_t)LINES * 64);
	if (!memory)
		return 2;
	memset(memory, 1, (size_t)LINES * 64);
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 2;
	check("PAPI_create_eventset", PAPI_create_eventset(&set));
	for (int i = 3; i < argc; i++)
		check(argv[i], PAPI_add_named_event(set, argv[i]));
	check(argv[1], PAPI_add_named_event(set, argv[1]));
	check(argv[1], PAPI_event_name_to_code(argv[1], &code));
	profile(set, code, threshold);
	profile_regions(set, code, threshold);
	PAPI_shutdown();
	return 0;
}
