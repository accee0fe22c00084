/* SPDX-License-Identifier: MIT */
/* 64-bit values of counters, from registers that have fewer bits. ipmu_slot_read() reads and
 * extends a register; ipmu_slot_take() extends a value that the caller has read. Both take no lock
 * and are async-signal-safe; ipmu_slot_begin() needs the system's lock. A slot's value only
 * advances by what its register advanced. If a watched register was set back, the slot is lost and
 * its value stays. */
#include "slot.h"

#include <errno.h>

/* The low bits of the 64-bit value are the last raw value, or its distance to 0 for a counter that
 * counts down. A counter that goes both ways is assumed to have taken the shorter way. */
static uint64_t advance(uint64_t old, uint64_t raw, uint64_t mask, uint8_t direction)
{
	uint64_t by = ((direction == IPMU_DOWN ? 0 - raw : raw) - old) & mask;

	if (direction == IPMU_UP_DOWN && by > mask / 2)
		by |= ~mask;
	return old + by;
}

uint64_t ipmu_slot_mask(const struct ipmu_box *box)
{
	int found = box->unit->found.widths[box->type_index];

	return ~0ull >> (64 - (found ? found : ipmu_type_width(box->type)));
}

bool ipmu_slot_readable(const struct ipmu_box *box, int ctr)
{
	int index;

	return ipmu_type_counter(box->type, ctr, &index)->space != IPMU_MSR ||
	       ipmu_access_is_ours(&box->unit->regs);
}

/* The wrap guard reads so often that no counter adds half of its range between two reads. A larger
 * step is a step back: somebody else wrote the counter, or a reset did. Two kinds are exempt:
 * up/down counters, and counters that wrap by nature (no rate in their table). */
static bool jumps(const struct ipmu_box *box, const struct ipmu_slot *slot, uint64_t by)
{
	return atomic_load_explicit(&slot->watched, memory_order_relaxed) &&
	       box->type->per_clock && slot->choice.direction != IPMU_UP_DOWN &&
	       by > ipmu_slot_mask(box) / 2;
}

/* A jump from an outdated value is none: another reader has moved the slot in between. */
int ipmu_slot_take(struct ipmu_box *box, int ctr, uint64_t old, uint64_t raw, uint64_t *value)
{
	struct ipmu_slot *slot = &box->slots[ctr];
	uint64_t was = old;

	*value = advance(old, raw, ipmu_slot_mask(box), slot->choice.direction);
	if (!jumps(box, slot, *value - old))
		return atomic_compare_exchange_strong(&slot->value, &was, *value) ? 0 : -EAGAIN;
	if (atomic_load(&slot->value) != old)
		return -EAGAIN;
	atomic_store(&slot->lost, ESTALE);
	return -ESTALE;
}

/* The old value is loaded before the register is read, so the register is never older than it. The
 * difference modulo the counter's width is what was counted in between. If another reader has moved
 * the value meanwhile, the register's value may be older than theirs: read again. */
int ipmu_slot_read(struct ipmu_box *box, int ctr, uint64_t *value)
{
	const struct ipmu_pmu_type *type = box->type;
	struct ipmu_slot *slot = &box->slots[ctr];
	uint64_t old, now, raw;
	int rc;

	do {
		old = atomic_load_explicit(&slot->value, memory_order_acquire);
		rc = type->ops->read(&box->unit->regs, type, box->index, ctr, &raw);
		if (rc)
			return rc;
		rc = ipmu_slot_take(box, ctr, old, raw, &now);
	} while (rc == -EAGAIN);
	if (!rc)
		*value = now;
	return rc;
}

/* Has the counter's register been saved just now, as the `from`th or later, and not written? */
static bool saved_since(const struct ipmu_box *box, int ctr, int from, uint64_t *raw)
{
	const struct ipmu_pmu_type *type = box->type;
	const struct ipmu_regs *regs = &box->unit->regs;
	int index;
	const struct ipmu_reg *reg = ipmu_type_counter(type, ctr, &index);

	for (int i = from; i < regs->nsaved; i++) {
		const struct ipmu_saved *s = &regs->saved[i];

		if (s->reg == reg && s->now == s->found &&
		    s->addr == ipmu_reg_addr(reg, box->index, index)) {
			*raw = s->found;
			return true;
		}
	}
	return false;
}

int ipmu_slot_begin(struct ipmu_box *box, int ctr, uint64_t *value)
{
	struct ipmu_slot *slot = &box->slots[ctr];
	uint64_t raw, old = atomic_load_explicit(&slot->value, memory_order_relaxed);

	if (atomic_load(&slot->lost))
		return -atomic_load(&slot->lost);
	if (box->unit->running || box->unit->lease.others_count ||
	    box->unit->family->scope != IPMU_SCOPE_PACKAGE ||
	    !saved_since(box, ctr, box->unit->saved_before, &raw))
		return ipmu_slot_read(box, ctr, value);
	*value = advance(old, raw, ipmu_slot_mask(box), slot->choice.direction);
	atomic_store(&slot->value, *value);
	return 0;
}
