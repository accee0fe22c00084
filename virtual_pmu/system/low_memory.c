/* SPDX-License-Identifier: MIT */
/* MAP_32BIT, which JITs use for code that calls reach in four bytes. The emulator ignores the flag.
 * vpmu_low_memory_before() proposes an address where Linux has such mappings, each behind the last
 * one, and from the lowest one again after 1 GiB. If something else is there the kernel chooses
 * another address, which may be higher. */
#include <sys/mman.h>

#include "calls.h"

#define LOW_BEGIN UINT64_C(0x40000000)
#define LOW_END UINT64_C(0x80000000)
#define PAGE UINT64_C(4096)

static uint64_t next = LOW_BEGIN;

void vpmu_low_memory_before(int64_t a[6])
{
	uint64_t bytes = ((uint64_t)a[1] + PAGE - 1) / PAGE * PAGE, at, from;

	if (!(a[3] & MAP_32BIT) || a[3] & (MAP_FIXED | MAP_FIXED_NOREPLACE) || a[0] ||
	    !bytes || bytes > LOW_END - LOW_BEGIN)
		return;
	from = __atomic_load_n(&next, __ATOMIC_RELAXED);
	do
		at = from + bytes > LOW_END ? LOW_BEGIN : from;
	while (!__atomic_compare_exchange_n(&next, &from, at + bytes, true, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED));
	a[0] = (int64_t)at;
}
