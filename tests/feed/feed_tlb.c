/* SPDX-License-Identifier: MIT */
/* Random pages beside lists by recency: an entry is there if fewer than `ways` other pages of its
 * set are more recent. The shapes are those that tlb.h states, and 248966's for Skylake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "virtual_pmu/feed/core/tlb.h"

#define PAGES 4096u
#define ROUNDS 200000u

struct level { uint32_t sets, ways; uint64_t used[PAGES]; };	/* used: when; 0: not there */

static uint64_t now;

/* Fewer than `ways` pages of its set are more recent. */
static bool level_has(const struct level *l, uint64_t page)
{
	uint32_t newer = 0;

	for (uint64_t other = page % l->sets; other < PAGES; other += l->sets)
		newer += other != page && l->used[other] > l->used[page];
	return l->used[page] && newer < l->ways;
}

static bool level_use(struct level *l, uint64_t page)
{
	bool found = level_has(l, page);

	l->used[page] = ++now;
	return found;
}

static void level_forget(struct level *l, uint64_t first, uint64_t last)
{
	for (uint64_t page = 0; page < PAGES; page++)
		if (!level_has(l, page))	/* evicted: it does not come back when others go */
			l->used[page] = 0;
	for (uint64_t page = first; page <= last; page++)
		l->used[page] = 0;
}

/* Two buffers; the second one may have the first one's second level. */
static void compare(const struct vpmu_tlb_shape *shape, const struct level *first,
		    const struct level *second, bool shared)
{
	static struct level model[2][2];
	static struct vpmu_tlb tlb[2];

	for (int k = 0; k < 2; k++) {
		model[k][0] = *first;
		model[k][1] = *second;
		tlb[k] = (struct vpmu_tlb){ .shape = shape };
	}
	tlb[1].other = shared ? &tlb[0] : NULL;
	srand(1);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		int k = rand() % 2;
		struct level *outer = &model[shared ? 0 : k][1];
		/* few pages, then more than the second level has */
		uint64_t page = (uint64_t)rand() % (i % 4096 < 1024 ? 256u : PAGES / 2);
		enum vpmu_walk expected = level_use(&model[k][0], page) ? VPMU_NO_WALK :
					  level_use(outer, page) ? VPMU_WALK : VPMU_LONG_WALK;

		assert_int_equal(vpmu_tlb_access(&tlb[k], page), expected);
		if (rand() % 1000)
			continue;
		page = (uint64_t)rand() % (PAGES - 64);
		vpmu_tlb_forget(&tlb[k], page, page + 63);
		level_forget(&model[k][0], page, page + 63);
		level_forget(outer, page, page + 63);
	}
}

static void each_shape(void **state)
{
	static const struct level stated[] = { { .sets = 64 / 4, .ways = 4 },
					       { .sets = 512 / 4, .ways = 4 } };
	static const struct level data = { .sets = 64 / 4, .ways = 4 };
	static const struct level code = { .sets = 128 / 8, .ways = 8 };
	static const struct level both = { .sets = 1536 / 12, .ways = 12 };

	(void)state;
	compare(NULL, &stated[0], &stated[1], false);
	compare(&vpmu_tlb_skl_data, &data, &both, true);
	compare(&vpmu_tlb_skl_code, &code, &both, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_shape) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
