/* SPDX-License-Identifier: MIT */
#include "futex_wakes.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>

#define WAKES 1024u

/* Later addresses replace those of the same place: then the clock is not known. Two threads that
 * write an entry at once leave the clock of either. */
static struct wake { uint64_t address, clock; } wakes[WAKES];

static struct wake *wake_of(uint64_t address)
{
	return &wakes[(address >> 2 ^ address >> 12) % WAKES];
}

static void note(uint64_t address, uint64_t clock)
{
	struct wake *w = wake_of(address);

	__atomic_store_n(&w->clock, clock, __ATOMIC_RELAXED);
	__atomic_store_n(&w->address, address, __ATOMIC_RELEASE);
}

void vpmu_wakes_note(int64_t number, const uint64_t arguments[5], uint64_t clock)
{
	if (number != SYS_futex)
		return;
	switch (arguments[1] & (uint64_t)FUTEX_CMD_MASK) {
	case FUTEX_WAKE_OP:
		note(arguments[4], clock);
		note(arguments[0], clock);
		break;
	case FUTEX_WAKE: case FUTEX_WAKE_BITSET: case FUTEX_UNLOCK_PI:
	case FUTEX_REQUEUE: case FUTEX_CMP_REQUEUE:
		note(arguments[0], clock);
		break;
	default:
		break;
	}
}

uint64_t vpmu_wakes_address(int64_t number, const uint64_t arguments[5])
{
	if (number != SYS_futex || !(arguments[1] & FUTEX_PRIVATE_FLAG))
		return 0;
	return arguments[0];
}

uint64_t vpmu_wakes_clock(uint64_t address, int64_t answer)
{
	struct wake *w = wake_of(address);

	/* The word may have changed before the call slept, and the wake found nobody. */
	if (!address || (answer && answer != -EAGAIN) ||
	    __atomic_load_n(&w->address, __ATOMIC_ACQUIRE) != address)
		return 0;
	return __atomic_load_n(&w->clock, __ATOMIC_RELAXED);
}
