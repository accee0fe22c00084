/* SPDX-License-Identifier: MIT */
/* Counting clock by clock: finishes stretches of clocks in order. So the clock counter, the
 * occupancy and counters with a threshold stop in the very clock of a freezing overflow.
 * skl_advance() finishes all clocks before one, skl_count() adds an occurrence. The caller holds
 * the machine lock. Clocks before p->done are final. */
#include <string.h>

#include "skl_state.h"

#define STEP_MAX (UINT64_C(1) << 32)	/* keeps increment * clocks within 63 bits */

static uint32_t width_of(const struct skl_package *p, uint32_t counter)
{
	return counter == SKL_FIXED ? SKL_FIXED_WIDTH : p->ctr_width;
}

static uint64_t status_of(uint32_t counter)
{
	if (counter == SKL_FIXED)
		return SKL_FIXED_OVF;
	return skl_is_arb(counter) ? SKL_ARB_OVF : SKL_CBO_OVF;
}

bool skl_counting(const struct skl_package *p)
{
	return p->always || (p->global_ctrl & SKL_GLOBAL_EN);
}

bool skl_counting_in(const struct skl_package *p, uint64_t clock)
{
	return skl_counting(p) || p->frozen == clock + 1;
}

bool skl_freezing(const struct skl_package *p)
{
	return p->global_ctrl & SKL_GLOBAL_FRZ_ON_PMI;
}

bool skl_counts_occupancy(const struct skl_package *p, uint32_t counter)
{
	switch (VPMU_GET(SELECT_EVENT, p->counter[counter].select)) {
	case SKL_TRK_OCCUPANCY:
	case SKL_COH_TRK_OCCUPANCY:
	case SKL_DAT_OCCUPANCY:
		return skl_drives_any(p, counter);
	}
	return false;
}

/* Which entries the counter adds up. */
enum skl_entries skl_entries_of(const struct skl_package *p, uint32_t counter)
{
	uint64_t select = p->counter[counter].select;

	if (!(VPMU_GET(SELECT_UMASK, select) & SKL_TRK_ALL))
		return SKL_DATA_READS;
	return VPMU_GET(SELECT_EVENT, select) == SKL_TRK_OCCUPANCY ? SKL_ALL : SKL_COHERENT;
}

static uint64_t occupancy(const struct skl_package *p, uint32_t counter)
{
	int32_t now = p->occupancy.entries[skl_arb_of(counter)][skl_entries_of(p, counter)];

	return now > 0 ? (uint64_t)now : 0;
}

/* Interrupts the cores that PMI_SEL names: those of their threads whose IA32_DEBUGCTL enables
 * interrupts of the uncore. No core of this machine sleeps, so WAKE_ON_PMI does nothing. */
static void forward(struct skl_package *p)
{
	for (uint32_t core = 0; core < SKL_PMI_SEL_CORES; core++)
		for (uint32_t thread = 0; thread < SKL_CORE_THREADS; thread++)
			if ((p->global_ctrl >> core & 1) && (p->receivers[core] >> thread & 1))
				p->interrupts[core][thread]++;
}

/* An overflow is forwarded only with OVF_EN, and again when its flag has been cleared; the freeze
 * clears the global enable. */
static void overflow(struct skl_package *p, uint32_t counter)
{
	if (!(p->counter[counter].select & SELECT_OVF_EN))
		return;
	if (!(p->global_status & status_of(counter)))
		forward(p);
	p->global_status |= status_of(counter);
	if (skl_freezing(p))
		p->global_ctrl &= ~SKL_GLOBAL_EN;
}

void skl_apply(struct skl_package *p, uint32_t counter, uint64_t increment, uint64_t n)
{
	if (vpmu_counter_apply(&p->counter[counter], width_of(p, counter), increment, n))
		overflow(p, counter);
}

/* ---- one stretch: n clocks from p->done in which nothing changes ---- */

struct lane { uint32_t counter; uint64_t increment; };
struct stretch { struct lane lane[SKL_COUNTERS]; uint32_t lanes; uint64_t n; };

static void add_lane(struct skl_package *p, struct stretch *st, uint32_t counter,
		     uint64_t increment)
{
	const struct vpmu_counter *c = &p->counter[counter];

	if (skl_freezing(p) && (c->select & SELECT_OVF_EN)) {
		uint64_t clocks = vpmu_counter_wraps_in(c, width_of(p, counter), increment, st->n);

		if (clocks)
			st->n = clocks;
	}
	st->lane[st->lanes++] = (struct lane){ counter, increment };
}

/* A grouped counter's own increments change between clocks: shorten the stretch to that. */
static void add_grouped(struct skl_package *p, struct stretch *st, uint32_t counter)
{
	const struct vpmu_counter *c = &p->counter[counter];

	if (c->group_clock > p->done) {		/* these clocks have been applied already */
		if (st->n > c->group_clock - p->done)
			st->n = c->group_clock - p->done;
		return;
	}
	if (c->group_increment)
		st->n = 1;
	add_lane(p, st, counter, c->group_increment);
}

static void gather(struct skl_package *p, struct stretch *st)
{
	if (p->counter[SKL_FIXED].select & SELECT_EN)
		add_lane(p, st, SKL_FIXED, 1);
	for (uint32_t arb = 0; arb < SKL_ARBS; arb++) {
		uint32_t first = skl_first_of(arb);

		if ((p->counter[first].select & SELECT_EN) && skl_counts_occupancy(p, first))
			add_lane(p, st, first, occupancy(p, first));
	}
	for (uint64_t left = p->grouped; left; left &= left - 1)
		add_grouped(p, st, (uint32_t)__builtin_ctzll(left));
}

/* While counting is stopped the edge detector keeps watching, so that enabling is no edge. */
static uint64_t step_stopped(struct skl_package *p, uint64_t n)
{
	struct vpmu_counter *c;

	for (uint32_t arb = 0; arb < SKL_ARBS; arb++) {
		uint32_t first = skl_first_of(arb);

		c = &p->counter[first];
		if (skl_counts_occupancy(p, first))
			c->active = vpmu_counter_condition(c->select, occupancy(p, first));
	}
	for (uint64_t left = p->grouped; left; left &= left - 1) {
		c = &p->counter[__builtin_ctzll(left)];
		if (c->group_clock >= p->done + n)
			continue;
		c->group_clock = p->done + n;
		c->group_increment = 0;
		c->active = vpmu_counter_condition(c->select, 0);
	}
	return n;
}

/* Up to n clocks; returns how many were done. */
static uint64_t skl_step(struct skl_package *p, uint64_t n)
{
	struct stretch st = { .lanes = 0, .n = n < STEP_MAX ? n : STEP_MAX };

	if (!skl_counting(p))
		return step_stopped(p, n);
	gather(p, &st);
	for (uint32_t i = 0; i < st.lanes; i++) {
		struct vpmu_counter *c = &p->counter[st.lane[i].counter];

		c->group_clock = p->done + st.n;
		c->group_increment = 0;
		skl_apply(p, st.lane[i].counter, st.lane[i].increment, st.n);
	}
	if (!skl_counting(p))
		p->frozen = p->done + st.n;
	return st.n;
}

/* ---- the ring of occupancy changes ---- */

static void take_change(struct skl_package *p, uint64_t clock)
{
	uint32_t at = (uint32_t)clock % SKL_WINDOW;
	uint64_t bit = UINT64_C(1) << at % 64;

	if (!(p->changed[at / 64] & bit))
		return;
	p->changed[at / 64] &= ~bit;
	p->changes--;
	for (uint32_t arb = 0; arb < SKL_ARBS; arb++)
		for (int i = 0; i < SKL_ENTRY_KINDS; i++)
			p->occupancy.entries[arb][i] += p->change[at].entries[arb][i];
	memset(&p->change[at], 0, sizeof(p->change[at]));
}

/* First clock in (from, limit) at which the occupancy changes, or limit. */
static uint64_t next_change(const struct skl_package *p, uint64_t from, uint64_t limit)
{
	uint64_t end = limit - from > SKL_WINDOW ? from + SKL_WINDOW : limit;

	for (uint64_t clock = from + 1; clock < end; clock += 64 - clock % 64) {
		uint32_t at = (uint32_t)clock % SKL_WINDOW;
		uint64_t word = p->changed[at / 64] >> at % 64;

		if (word) {
			clock += (uint64_t)__builtin_ctzll(word);
			return clock < end ? clock : limit;
		}
	}
	return limit;
}

void skl_advance(struct skl_package *p, uint64_t clock)
{
	if (!p->precise) {
		p->done = clock > p->done ? clock : p->done;
		return;
	}
	while (p->done < clock) {
		take_change(p, p->done);
		p->done += skl_step(p, next_change(p, p->done, clock) - p->done);
	}
}

void skl_take_changes(struct skl_package *p, uint64_t from, uint64_t to,
		      uint64_t clocks[SKL_ARBS][SKL_ENTRY_KINDS])
{
	uint64_t next;

	for (; p->changes && from < to; from = next) {
		take_change(p, from);
		next = next_change(p, from, to);
		for (uint32_t arb = 0; arb < SKL_ARBS; arb++)
			for (int i = 0; i < SKL_ENTRY_KINDS; i++)
				clocks[arb][i] += (uint64_t)p->occupancy.entries[arb][i] *
						  (next - from);
	}
}

void skl_put_change(struct skl_package *p, uint64_t clock, int32_t by,
		    const struct vpmu_entry *e)
{
	uint32_t at = (uint32_t)clock % SKL_WINDOW;

	p->changes += !(p->changed[at / 64] >> at % 64 & 1);
	p->changed[at / 64] |= UINT64_C(1) << at % 64;
	skl_entry_add(e->kind, by, &p->change[at]);
}

/* ---- momentary events ---- */

/* Without a freeze the order among counters does not matter: apply the clocks before `clock`. */
static void group_advance(struct skl_package *p, uint32_t counter, uint64_t clock)
{
	struct vpmu_counter *c = &p->counter[counter];

	if (clock <= c->group_clock)
		return;
	skl_apply(p, counter, c->group_increment, 1);
	for (uint64_t gap = clock - c->group_clock - 1, n; gap; gap -= n) {
		n = gap < STEP_MAX ? gap : STEP_MAX;
		skl_apply(p, counter, 0, n);
	}
	c->group_clock = clock;
	c->group_increment = 0;
}

static void count_at_once(struct skl_package *p, uint32_t counter, uint64_t clock)
{
	struct vpmu_counter *c = &p->counter[counter];
	bool froze;

	if (!vpmu_counter_apply(c, width_of(p, counter), 1, 1))
		return;
	/* The others still count in the clock of the overflow; a late one ends with `done`. */
	if (skl_freezing(p) && (c->select & SELECT_OVF_EN) && clock >= p->done)
		skl_advance(p, clock + 1);
	froze = skl_counting(p);
	overflow(p, counter);
	if (froze && !skl_counting(p))
		p->frozen = clock + 1;
}

/* Those under a threshold first: an overflow of one of the others makes the clock final. */
void skl_count(struct skl_package *p, uint64_t counters, uint64_t clock)
{
	uint64_t left;

	if (skl_freezing(p))
		skl_advance(p, clock);
	if (!skl_counting_in(p, clock))
		return;
	for (left = counters & p->grouped; left; left &= left - 1) {
		uint32_t counter = (uint32_t)__builtin_ctzll(left);

		group_advance(p, counter, clock);
		p->counter[counter].group_increment++;
	}
	for (left = counters & ~p->grouped; left; left &= left - 1)
		count_at_once(p, (uint32_t)__builtin_ctzll(left), clock);
}

void skl_select_written(struct skl_package *p, uint32_t counter)
{
	struct vpmu_counter *c = &p->counter[counter];
	bool over_time = skl_is_first(counter) && skl_counts_occupancy(p, counter);

	p->grouped &= ~(UINT64_C(1) << counter);
	if ((c->select & SELECT_EN) && skl_drives_any(p, counter) && !over_time &&
	    (VPMU_GET(SELECT_LONG_THR, c->select) || (c->select & SELECT_E)))
		p->grouped |= UINT64_C(1) << counter;
	c->group_clock = p->done;
	c->group_increment = 0;
	c->active = vpmu_counter_condition(c->select, over_time ? occupancy(p, counter) : 0);
}
