/* SPDX-License-Identifier: MIT */
/* Counting on NetBurst: filters of the CCCR, overflow, PMI and cascading (SDM 18.15.3 to 18.15.5).
 * When in its clocks something happened is as core_count.h says. p4_count() takes what a logical
 * processor did, and splits it where an overflow starts another counter. So within a part the same
 * counters run from its first clock to its last. The caller holds the machine lock. */
#include "core_count.h"
#include "netburst_state.h"

/* ---- one counter ---- */

/* COMPARE passes an input above the threshold, with COMPLEMENT one that is not; without COMPARE
 * there is no edge detection either. */
static struct vpmu_filter filter_of(uint64_t cccr)
{
	if (!(cccr & P4_COMPARE))
		return (struct vpmu_filter){ .threshold = 0 };
	return (struct vpmu_filter){
		.threshold = VPMU_GET(CCCR_THRESHOLD, cccr) + 1,
		.invert = cccr & P4_COMPLEMENT,
		.edge = cccr & P4_EDGE,
	};
}

/* Gain of the counter in the batch; *level is that of its edge detector afterwards. */
static uint64_t gain(const struct p4_batch *b, uint32_t counter, uint32_t *level)
{
	struct vpmu_filter filter = filter_of(b->core->cccr[counter]);
	struct vpmu_stalls stalls = {
		.rows = b->count[VPMU_STALLS], .clocks = b->count[VPMU_STALL_CLOCKS],
	};
	uint64_t input;
	bool listens;

	*level = b->core->level >> counter & 1;
	if (!p4_running(b->core, counter))
		return 0;
	input = p4_input(b, counter, &listens);
	stalls.counted = input == b->clocks;
	return listens ? vpmu_filter_gain(&filter, level, input, b->clocks, stalls) : 0;
}

static uint64_t until_overflow(const struct p4_core *core, uint32_t counter)
{
	if (core->cccr[counter] & P4_FORCE_OVF)
		return 1;
	return (UINT64_C(1) << P4_WIDTH) - core->counter[counter];
}

/* Cascaded counters of the models 0 to 2 raise no PMI (18.15.5.7). */
static void interrupt(const struct p4_batch *b, uint32_t counter, uint64_t times)
{
	uint64_t cccr = b->core->cccr[counter];

	if (b->s->machine.cpuid_model <= 2 && !(cccr & P4_ENABLE))
		return;
	if (cccr & P4_OVF_PMI_T0)
		b->core->interrupts[0] += times;
	if ((cccr & P4_OVF_PMI_T1) && b->s->machine.threads > 1)
		b->core->interrupts[1] += times;
}

static void add(const struct p4_batch *b, uint32_t counter, uint64_t n)
{
	struct p4_core *core = b->core;
	uint32_t bit = 1u << counter;
	uint64_t room = until_overflow(core, counter), pmis = 0;

	if (!n)
		return;
	if (core->due & bit)
		pmis = 1;
	core->due &= ~bit;
	if (core->cccr[counter] & P4_FORCE_OVF)
		pmis = n;
	else if (n > room)
		pmis++;
	else if (n == room)
		core->due |= bit;	/* the PMI comes with the next event */
	if (n >= room)
		core->cccr[counter] |= P4_OVF;
	core->counter[counter] = (core->counter[counter] + n) & P4_COUNTER_MASK;
	core->kept[counter] = core->counter[counter];
	interrupt(b, counter, pmis);
}

/* ---- batches ---- */

/* In which clock of the batch this counter first overflows; 0: in none. */
static uint64_t overflow_clock(const struct p4_batch *b, uint32_t counter)
{
	uint32_t level;
	uint64_t n = gain(b, counter, &level), room = until_overflow(b->core, counter);

	return n && n >= room ? (room * b->clocks + n - 1) / n : 0;
}

/* In which clock of the batch an overflow first starts another counter; the last: in none. */
static uint64_t until_cascade(const struct p4_batch *b)
{
	uint64_t first = b->clocks;

	for (uint32_t i = 0; i < P4_COUNTERS; i++) {
		const uint32_t sources[] = { p4_cascade_source(i), p4_extended_source(i) };

		for (uint32_t k = 0; k < 2; k++) {
			uint64_t clock = 0;

			if (p4_cascades_from(b->core, i, sources[k]) &&
			    !p4_overflowed(b->core, sources[k]))
				clock = overflow_clock(b, sources[k]);
			if (clock && clock < first)
				first = clock;
		}
	}
	return first;
}

/* Take the first `clocks` clocks off the batch. */
static struct p4_batch split(struct p4_batch *b, uint64_t clocks)
{
	struct p4_batch part = *b;

	part.clocks = clocks;
	for (uint32_t i = 0; i < VPMU_CORE_EVENTS; i++) {
		part.count[i] = vpmu_times_until(b->count[i], b->clocks, clocks);
		b->count[i] -= part.count[i];
	}
	b->clocks -= clocks;
	return part;
}

static void take(const struct p4_batch *b)
{
	uint64_t gains[P4_COUNTERS];
	uint32_t levels = 0;

	for (uint32_t i = 0; i < P4_COUNTERS; i++) {
		uint32_t level;

		gains[i] = gain(b, i, &level);
		levels |= level << i;
	}
	b->core->level = levels;
	for (uint32_t i = 0; i < P4_COUNTERS; i++)
		add(b, i, gains[i]);
}

void p4_count(struct p4_batch *b)
{
	uint64_t clocks;

	do {
		struct p4_batch part;

		clocks = until_cascade(b);
		part = split(b, clocks);
		take(&part);
	} while (b->clocks);
}
