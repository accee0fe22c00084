/* SPDX-License-Identifier: MIT */
/* --limit [NAME=][+|-]NUMBER[%], several of them, each up to a NUL. One that is accepted has a
 * number that is not negative for at least one way, and is found by its name. */
#include "fuzz.h"
#include "../../measure/report/compare.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static void check(const struct limits *l)
{
	for (int i = 0; i < l->n; i++) {
		const struct limit *limit = &l->of[i];

		REQUIRE(!limit->name || *limit->name);
		REQUIRE(!isnan(limit->worse) || !isnan(limit->better));
		REQUIRE(isnan(limit->worse) || limit->worse >= 0);
		REQUIRE(isnan(limit->better) || limit->better >= 0);
		for (int j = 0; j < i; j++)
			REQUIRE(!limit->name != !l->of[j].name ||
				(limit->name && strcmp(limit->name, l->of[j].name)));
	}
}

/* The same value is within each limit, and a lost one within none. */
static void compare_with(const struct limits *l)
{
	const struct saved_value one = { true, 1, 0 }, lost = { false, 0, 0 };

	for (int i = 0; i < l->n; i++) {
		const struct rule rule = { .limit = &l->of[i], .better = BETTER_LOWER };

		REQUIRE(compare_values(&one, &one, &rule) == VERDICT_SAME);
		REQUIRE(compare_values(&one, &lost, &rule) == VERDICT_LOST);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct limits limits = { NULL, 0 };

	while (size) {
		size_t n = strnlen((const char *)data, size);
		char text[300];
		int before = limits.n, rc;

		snprintf(text, sizeof(text), "%.*s", (int)n, (const char *)data);
		rc = limits_add(&limits, text);
		REQUIRE(rc == 0 || rc == -EINVAL);
		REQUIRE(!rc || limits.n == before);
		check(&limits);
		n += n < size;
		data += n;
		size -= n;
	}
	compare_with(&limits);
	limits_free(&limits);
	return 0;
}
