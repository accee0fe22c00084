/* SPDX-License-Identifier: MIT */
/* A counter's 64-bit value, from a register that has fewer bits. */
#ifndef IPMU_SLOT_H
#define IPMU_SLOT_H

#include "../lease/unit.h"

/* The bits of a counter of that box. */
uint64_t ipmu_slot_mask(const struct ipmu_box *box);

/* False: the program has closed the device that the counter is read through. Async-signal-safe. */
bool ipmu_slot_readable(const struct ipmu_box *box, int ctr);

/* The counter's 64-bit value; one register read, more only if another reader was in between.
 * -ESTALE: it is lost, see ipmu_slot_take. */
int ipmu_slot_read(struct ipmu_box *box, int ctr, uint64_t *value);

/* The same when a session begins: without a read if the counter's register has been saved in this
 * phase and the unit stands still. Lock held. */
int ipmu_slot_begin(struct ipmu_box *box, int ctr, uint64_t *value);

/* Take a raw value that was read after `old` was loaded from the slot. -EAGAIN: the slot has moved
 * on meanwhile, read again. -ESTALE: a watched counter was set back behind its reader, so that what
 * it had counted is not known: it is lost, and its value stays. */
int ipmu_slot_take(struct ipmu_box *box, int ctr, uint64_t old, uint64_t raw, uint64_t *value);

#endif
