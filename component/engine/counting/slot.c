/* SPDX-License-Identifier: MIT */
#include "system.h"

/* The old value is loaded before the register is read, so the register is never older than it and
 * the difference modulo the counter's width is what was counted in between. If someone else has
 * moved the value meanwhile, the register read may be older than theirs: read again. */
int ipmu_slot_read(struct ipmu_box *box, int ctr, uint64_t *value)
{
	const struct ipmu_pmu_type *type = box->type;
	struct ipmu_slot *slot = &box->slots[ctr];
	uint64_t mask = ~0ull >> (64 - type->width);
	uint64_t old, now, raw;
	int rc;

	do {
		old = atomic_load_explicit(&slot->value, memory_order_acquire);
		rc = type->ops->read(&box->unit->regs, type, box->index, ctr, &raw);
		if (rc)
			return rc;
		now = old + ((raw - old) & mask);
	} while (!atomic_compare_exchange_weak(&slot->value, &old, now));
	*value = now;
	return 0;
}
