/* SPDX-License-Identifier: MIT */
#include "deferred_accesses.h"

#include <string.h>

/* Misses. They are counted modulo 2^32 and compared by the sign of the difference. */
#define NOT_SOON (UINT32_C(1) << 30)

void vpmu_deferring_start(struct vpmu_deferring *d, struct vpmu_runner *r)
{
	memset(d, 0, sizeof(*d));
	r->space &= ~VPMU_SPACE_DEFERS;
	r->deferring = d;
	r->scattered = 0;
	r->judged_at = VPMU_DEFERRED_PAUSE;
}

void vpmu_deferring_judge(struct vpmu_runner *r)
{
	if (!r->deferring) {
		r->judged_at = r->scattered + NOT_SOON;
		return;
	}
	r->space |= VPMU_SPACE_DEFERS;
	r->inside = NULL;
}

uint32_t vpmu_deferring_take(struct vpmu_runner *r)
{
	uint32_t count = r->deferring->count;

	r->deferring->count = 0;
	r->space &= ~VPMU_SPACE_DEFERS;
	r->judged_at = r->scattered + NOT_SOON;
	return count;
}

void vpmu_deferring_done(struct vpmu_runner *r, uint32_t count, uint32_t misses)
{
	if (count < VPMU_DEFERRED_MAX)
		r->judged_at = r->scattered + 1;
	else if (misses < VPMU_DEFERRED_SPARSE)
		r->judged_at = r->scattered + VPMU_DEFERRED_PAUSE;
	else
		vpmu_deferring_judge(r);
}
