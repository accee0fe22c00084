/* SPDX-License-Identifier: MIT */
/* misses WORK: known work that misses caches and TLBs, or is mispredicted. WORK: see work.h; or
 * walk:N (N times a load from each of 16384 pages); or guess:N (N random branches). */
#include <stdint.h>

#include "work.h"

#define PAGES 16384L		/* 64 MiB: more than caches and TLBs hold */
static char memory[PAGES * 4096] __attribute__((aligned(4096)));

/* Each turn loads from another line of the page. */
static void walk(long turns)
{
	memset(memory, 1, sizeof(memory));
	for (long t = 0; t < turns; t++)
		for (long i = 0; i < PAGES; i++)
			(void)*(volatile char *)&memory[i * 4096 + (i + 8 * t) % 64 * 64];
}

/* A branch that is taken or not by a random bit, and the loop's own. */
static void guess(long n)
{
	uint64_t x = 88172645463325252u;

	for (long i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		__asm__ volatile("test $1, %b0\n\tjz 1f\n\tnop\n1:" : : "q"(x));
	}
}

int main(int argc, char **argv)
{
	struct work work;

	if (argc != 2)
		return 2;
	if (!strncmp(argv[1], "walk:", 5)) {
		walk(atol(argv[1] + 5));
	} else if (!strncmp(argv[1], "guess:", 6)) {
		guess(atol(argv[1] + 6));
	} else {
		work = work_of(argv[1]);
		work_do(&work);
	}
	return 0;
}
