/* SPDX-License-Identifier: MIT */
/* Changes between code that is counted and code outside of regions: on_edge(). Each change drops
 * all translations. The caches stay as the last region has left them.
 *
 * A process is counted while one of its threads is in a region, and for AFTER_CLOCKS more. A loop
 * around a short region so stays translated. Those clocks are not in the report either, because
 * ipmu-run reads the counters at the region's edges. */
#include "outside.h"

#include "../../system/regions.h"
#include "../thread/emulated_thread.h"

#define AFTER_CLOCKS 1000000u	/* 2 ms of emulation; translating a small program takes 10 */

uint64_t vpmu_outside_from = UINT64_MAX;
static bool outside;
static void (*drop_code)(void);

static void outside_set(bool now)
{
	__atomic_store_n(&vpmu_outside_from, UINT64_MAX, __ATOMIC_RELAXED);
	if (__atomic_exchange_n(&outside, now, __ATOMIC_RELAXED) != now)
		drop_code();
}

static void on_edge(bool inside)
{
	if (inside)
		outside_set(false);
	else if (vpmu_self)
		__atomic_store_n(&vpmu_outside_from, vpmu_self->runner.clock + AFTER_CLOCKS,
				 __ATOMIC_RELAXED);
}

void vpmu_outside_leave(void)
{
	outside_set(true);
}

bool vpmu_outside(void)
{
	return __atomic_load_n(&outside, __ATOMIC_RELAXED);
}

void vpmu_outside_begin(const char *where, void (*retranslate)(void))
{
	drop_code = retranslate;
	outside = vpmu_regions_only(where);
	vpmu_regions_begin(where, outside ? on_edge : NULL);
}
