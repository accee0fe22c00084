/* SPDX-License-Identifier: MIT */
/* accesses MIB: what four kinds of work cost in a table of so many MiB: CPU nanoseconds of the
 * process for a next line, a random word, a hit in an L1 and a block, the least of some rounds. For
 * bench/growth, which runs it on the bare emulator and on the virtual machine. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 3
#define LINE 8			/* words */
#define PAGE 512
#define SWEPT (1l << 20)	/* lines; of a larger table whole pages that are evenly spread */
#define RANDOM (1l << 19)
#define HITS (1l << 22)
#define HIT_LINES 64l		/* that stay in an L1 */
#define BLOCKS (1l << 22)

static volatile uint64_t *table;
static long words;

static long sweep(void)
{
	long lines = words / LINE, most = lines < SWEPT ? lines : SWEPT, pages = most * LINE / PAGE;
	long apart = words / PAGE / pages * PAGE;

	#pragma omp parallel for schedule(static)
	for (long p = 0; p < pages; p++)
		for (long i = 0; i < PAGE; i += LINE)
			(void)table[p * apart + i];
	return pages * PAGE / LINE;
}

/* The table is as large as a power of two. What is read, and is small, is part of the next address:
 * the host waits for its memory in the bare emulator, too. */
static long at_random(void)
{
	uint64_t last = 0;

	#pragma omp parallel for schedule(static) firstprivate(last)
	for (long i = 0; i < RANDOM; i++) {
		uint64_t x = ((uint64_t)i + (last >> 1)) * 0x9e3779b97f4a7c15u;

		x ^= x >> 29;
		x *= 0xbf58476d1ce4e5b9u;
		last = table[(x ^ x >> 32) & (uint64_t)(words - 1)];
	}
	return RANDOM;
}

static long hit(void)
{
	#pragma omp parallel for schedule(static)
	for (long i = 0; i < HITS / HIT_LINES; i++)
		for (long j = 0; j < HIT_LINES; j++)
			(void)table[j * LINE];
	return HITS;
}

/* Blocks of two instructions, the second of which jumps to the next block. */
static long block(void)
{
	#pragma omp parallel for schedule(static)
	for (long i = 0; i < BLOCKS; i++)
		__asm__ volatile("" ::: "memory");
	return BLOCKS;
}

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The first round is not counted: it brings in pages and threads. */
static double cost(long (*work)(void))
{
	double least = 0;

	for (int i = 0; i <= ROUNDS; i++) {
		double begin = cpu_ns(), n = (double)work(), each = (cpu_ns() - begin) / n;

		if (i && (i == 1 || each < least))
			least = each;
	}
	return least;
}

int main(int argc, char **argv)
{
	long mib = argc == 2 ? strtol(argv[1], NULL, 10) : 0;

	if (mib < 1 || mib & (mib - 1)) {
		fprintf(stderr, "Usage: accesses MIB (a power of two)\n");
		return 2;
	}
	words = mib << 17;
	table = aligned_alloc(4096, (size_t)mib << 20);
	if (!table)
		return 1;
	for (long i = 0; i < words; i += PAGE)
		table[i] = 1;
	printf("%.2f %.2f %.2f %.2f\n", cost(sweep), cost(at_random), cost(hit), cost(block));
	free((void *)table);
	return 0;
}
