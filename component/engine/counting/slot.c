/* SPDX-License-Identifier: MIT */
#include "system.h"

/* The low bits of the 64-bit value are the last raw value, or what it lacks to 0 if it counts down.
 * Of a counter that goes both ways the shorter way is taken. */
static uint64_t advance(uint64_t old, uint64_t raw, uint64_t mask, uint8_t direction)
{
	uint64_t by = ((direction == IPMU_DOWN ? 0 - raw : raw) - old) & mask;

	if (direction == IPMU_UP_DOWN && by > mask / 2)
		by |= ~mask;
	return old + by;
}

/* The old value is loaded before the register is read, so the register is never older than it and
 * the difference modulo the counter's width is what was counted in between. If someone else has
 * moved the value meanwhile, the register read may be older than theirs: read again. */
int ipmu_slot_read(struct ipmu_box *box, int ctr, uint64_t *value)
{
	const struct ipmu_pmu_type *type = box->type;
	struct ipmu_slot *slot = &box->slots[ctr];
	int found = box->unit->regs.widths[box->type_index];
	uint64_t mask = ~0ull >> (64 - (found ? found : type->width));
	uint64_t old, now, raw;
	int rc;

	do {
		old = atomic_load_explicit(&slot->value, memory_order_acquire);
		rc = type->ops->read(&box->unit->regs, type, box->index, ctr, &raw);
		if (rc)
			return rc;
		now = advance(old, raw, mask, slot->choice.direction);
	} while (!atomic_compare_exchange_weak(&slot->value, &old, now));
	*value = now;
	return 0;
}
