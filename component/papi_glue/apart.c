/* SPDX-License-Identifier: MIT */
/* Comparison of the points at which a node's ranks read; apart.h says why. A ring in shared memory
 * has the last reads by number, each with the times of the first and the last of the other ranks.
 * apart_other_reads() notes a read in it, and apart_read() of the rank that reports compares. Both
 * take no lock and are async-signal-safe; the caller serialises apart_open() and apart_close(). The
 * page is static memory, over which the file is mapped, so that a read in a signal handler always
 * finds it. */
#include "apart.h"

#include "ipmu.h"

#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define RING 64			/* reads by which ranks may be apart and still be compared */
#define PAGE 4096
#define UNIT_SHIFT 14		/* 16 us; 32 bits of them are 19 hours */
/* Reported if so much of two regions' counts may be in the wrong one of them. The smaller one's
 * count is a bound. A part of the larger one's is an estimate, too high where ranks only waited. */
#define SMALLER 0.02
#define LARGER 0.1
#define MATTERS 0.01		/* of the largest count of a region */

/* Number and time of a read in one word. */
union page {
	struct {
		uint64_t first[RING], last[RING];
		uint32_t others;
	} ring;
	char bytes[PAGE];
};

static _Alignas(PAGE) union page page;
static bool reporting;
static uint32_t reads;		/* in this process */
static struct {
	uint32_t apart;
	unsigned int worst;	/* percent of a region's count */
} found;

static uint32_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint32_t)(((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec) >> UNIT_SHIFT);
}

static void map(int fd, int flags)
{
	mmap(&page, PAGE, PROT_READ | PROT_WRITE, MAP_FIXED | flags, fd, 0);
}

void apart_open(int fd, bool reports)
{
	if (ftruncate(fd, PAGE))
		return;
	map(fd, MAP_SHARED);
	reporting = reports;
	reads = 0;
	found.apart = found.worst = 0;
	if (!reports)
		__atomic_fetch_add(&page.ring.others, 1, __ATOMIC_RELAXED);
}

bool apart_close(char *why)
{
	bool any = reporting && found.apart;

	if (any)
		snprintf(why, IPMU_WHY_MAX, "this node's ranks came apart at %u of %u reads and "
			 "resets: up to %u %% of a region's count may be in the region before or "
			 "after it; put a barrier before and after each begin and end of a region",
			 found.apart, reads, found.worst);
	map(-1, MAP_PRIVATE | MAP_ANONYMOUS);
	reporting = false;
	found.apart = 0;
	return any;
}

/* ---- the other ranks */

static bool is_newer(uint64_t a, uint64_t b)
{
	return (int32_t)((uint32_t)(a >> 32) - (uint32_t)(b >> 32)) > 0;
}

void apart_other_reads(void)
{
	uint32_t number = __atomic_add_fetch(&reads, 1, __ATOMIC_RELAXED);
	uint64_t mine = (uint64_t)number << 32 | now();
	uint64_t *first = &page.ring.first[number % RING], *last = &page.ring.last[number % RING];
	uint64_t old = __atomic_load_n(first, __ATOMIC_RELAXED);

	if (is_newer(mine, old))
		__atomic_compare_exchange_n(first, &old, mine, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	if (!is_newer(__atomic_load_n(last, __ATOMIC_RELAXED), mine))
		__atomic_store_n(last, mine, __ATOMIC_RELAXED);
}

/* ---- the rank that reports */

static uint32_t between(uint32_t from, uint32_t to, uint32_t most)
{
	int32_t n = (int32_t)(to - from);

	return n < 0 ? 0 : (uint32_t)n < most ? (uint32_t)n : most;
}

/* Times by which the earliest of the others was before the last read, and the latest after it.
 * Others whose number is not in the ring have passed it long ago, or have yet to come. */
static void look_up(const struct apart *a, uint32_t length, uint32_t *early, uint32_t *late)
{
	uint64_t first = __atomic_load_n(&page.ring.first[a->number % RING], __ATOMIC_RELAXED);
	uint64_t last = __atomic_load_n(&page.ring.last[a->number % RING], __ATOMIC_RELAXED);
	int32_t ahead = (int32_t)((uint32_t)(first >> 32) - a->number);

	*early = ahead > 0 ? a->length : ahead ? 0 : between((uint32_t)first, a->time, a->length);
	*late = ahead < 0 ? length : ahead ? 0 : between(a->time, (uint32_t)last, length);
}

/* Percent of a region's count that its neighbour got; 0 if it does not matter. All ranks work, so
 * the one that reports has made its share of the region's count within it. */
static unsigned int in_doubt(uint64_t neighbour, uint32_t time, uint32_t length, uint64_t region,
			     uint64_t largest, uint32_t ranks)
{
	double both = (double)neighbour + (double)region;
	double moved = length ? (double)neighbour * time / length : 0;

	if (moved <= both * (neighbour > region ? LARGER : SMALLER) ||
	    moved <= (double)largest * MATTERS || moved > (double)region * ranks)
		return 0;
	return (unsigned int)(100 * moved / (moved + (double)region) + 0.5);
}

static unsigned int judge(const struct apart *a, const uint64_t *after, uint32_t length, int n)
{
	uint32_t ranks = __atomic_load_n(&page.ring.others, __ATOMIC_RELAXED) + 1, early, late;
	unsigned int worst = 0;

	if (ranks == 1)
		return 0;
	look_up(a, length, &early, &late);
	for (int i = 0; i < n; i++) {
		uint64_t before = a->before[i], largest = a->largest[i];
		unsigned int percent = in_doubt(before, early, a->length, after[i], largest, ranks);

		worst = percent > worst ? percent : worst;
		percent = in_doubt(after[i], late, length, before, largest, ranks);
		worst = percent > worst ? percent : worst;
	}
	return worst;
}

void apart_start(struct apart *a)
{
	*a = (struct apart){ .number = __atomic_add_fetch(&reads, 1, __ATOMIC_RELAXED),
			     .time = now() };
}

/* A reset moves the end of the interval before it: tools read and reset in one go, and lose what is
 * counted between. A signal handler that reads in the middle of a read is not compared. */
void apart_read(struct apart *a, const long long *counts, int n, bool is_reset)
{
	uint32_t number = __atomic_add_fetch(&reads, 1, __ATOMIC_RELAXED), time = now(), length;
	uint64_t after[APART_EVENTS];
	unsigned int worst;

	if (__atomic_test_and_set(&a->busy, __ATOMIC_ACQUIRE))
		return;
	length = time - a->time;
	for (int i = 0; i < n; i++) {
		uint64_t count = (uint64_t)counts[i];

		after[i] = count > a->last[i] ? count - a->last[i] : 0;
		a->largest[i] = after[i] > a->largest[i] ? after[i] : a->largest[i];
		a->last[i] = is_reset ? 0 : count;
	}
	worst = is_reset ? 0 : judge(a, after, length, n);
	found.apart += worst != 0;
	found.worst = worst > found.worst ? worst : found.worst;
	for (int i = 0; i < n; i++)
		a->before[i] = after[i] + (is_reset ? a->before[i] : 0);
	a->length = length + (is_reset ? a->length : 0);
	a->number = number;
	a->time = time;
	__atomic_clear(&a->busy, __ATOMIC_RELEASE);
}
