/* SPDX-License-Identifier: MIT */
/* The scheduler's queue of an M-Box: commands from the clock in which they arrive to the one in
 * which memory has served them. No document says how long that is. Stand-in: the machine's stated
 * latency of a read or a write, whatever the load.
 *
 * Entry points: nhmex_queue_enter() and nhmex_queue_leave(), both under the machine lock. While no
 * counter is enabled, commands leave only when the next one enters. Invariant: as the package's
 * clock never goes back and each kind has one latency, commands leave in the order in which they
 * came, and no more clocks than the latency have leavers. */
#include "nhmex_state.h"

uint32_t nhmex_queue_leave(struct nhmex_queue *q, uint64_t clock)
{
	uint32_t n = 0;

	while (q->used && q->next <= clock) {
		n += q->leavers[q->first].commands;
		q->first = (q->first + 1) % NHMEX_QUEUE;
		q->used--;
		q->next += q->leavers[q->first].after;
	}
	q->commands -= n;
	return n;
}

/* Commands of a thread that lags behind arrive in the package's present clock, so that many may
 * share the clock in which they leave: they are one entry. */
void nhmex_queue_enter(struct nhmex_queue *q, uint64_t now, uint64_t end)
{
	nhmex_queue_leave(q, now);
	q->commands++;
	if (!q->used) {
		q->next = q->last = end;
		q->used = 1;
		q->leavers[q->first].commands = 1;
		return;
	}
	if (q->last != end && q->used < NHMEX_QUEUE) {
		q->leavers[(q->first + q->used) % NHMEX_QUEUE].after = (uint32_t)(end - q->last);
		q->leavers[(q->first + q->used++) % NHMEX_QUEUE].commands = 0;
		q->last = end;
	}
	q->leavers[(q->first + q->used - 1) % NHMEX_QUEUE].commands++;
}
