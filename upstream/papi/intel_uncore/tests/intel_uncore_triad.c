/* SPDX-License-Identifier: MIT */
/* STREAM's triad, a = b + 3 c, on arrays that no cache can hold: each of their lines is looked up
 * in the C-Boxes, which do not have it. The event without a box is the sum of the boxes. */
#include <stdlib.h>

#include "uncore_test.h"

#define EVENT "intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I"
#define N (4L << 20)	/* 32 MiB an array; the largest of these last-level caches has 20 */
#define LINES (3 * N * (long) sizeof(double) / 64)
#define BOXES_MAX 8

static double a[N], b[N], c[N];

/* Adds the event of each box, as many as there are. */
static int add_boxes(int set)
{
	char name[PAPI_MAX_STR_LEN];
	int n = 0, rc = PAPI_OK;

	while (rc == PAPI_OK && n <= BOXES_MAX) {
		snprintf(name, sizeof(name), EVENT ":box=%d", n);
		rc = PAPI_add_named_event(set, name);
		n += rc == PAPI_OK;
	}
	return n;
}

static void check(long long sum, const long long *boxes, int n)
{
	long long total = 0;

	for (int i = 0; i < n; i++) {
		total += boxes[i];
		if (!TESTS_QUIET)
			printf("C-Box %d: %lld\n", i, boxes[i]);
	}
	if (!TESTS_QUIET)
		printf("sum: %lld, lines: %ld\n", sum, LINES);
	/* What the caches still hold, a quarter at most, is not looked up as missing. */
	if (sum < LINES / 4 * 3)
		test_fail(__FILE__, __LINE__, "fewer misses than the arrays have lines", 0);
	if (llabs(total - sum) > sum / 100)
		test_fail(__FILE__, __LINE__, "the boxes do not add up to the sum", 0);
}

int main(int argc, char **argv)
{
	long long counts[1 + BOXES_MAX + 1] = { 0 };
	int set, n;

	uncore_test_begin(argc, argv);
	for (long i = 0; i < N; i++) {
		b[i] = 1;
		c[i] = (double) i;
	}
	set = uncore_test_set(EVENT);
	n = add_boxes(set);
	CHECK(PAPI_start(set), PAPI_OK);
	for (long i = 0; i < N; i++)
		a[i] = b[i] + 3 * c[i];
	CHECK(PAPI_stop(set, counts), PAPI_OK);
	if (n == 0 || a[N - 1] < 3.0 * (N - 1))
		test_fail(__FILE__, __LINE__, "boxes", n);
	check(counts[0], counts + 1, n);
	uncore_test_destroy(set);
	test_pass(__FILE__);
}
