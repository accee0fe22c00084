/* SPDX-License-Identifier: MIT */
/* Counting of the M-Boxes over time: stretches of clocks in which no command comes or leaves, and
 * single commands. In the clock in which an overflow freezes the uncore, everything stops.
 * nhmex_advance() finishes all clocks before one, nhmex_command() adds a command. The caller holds
 * the machine lock. Clocks before p->done are final. */
#include "nhmex_state.h"

static bool counting(const struct nhmex_package *p)
{
	return p->u_ctl & NHMEX_EN_ALL;
}

static bool freezing(const struct nhmex_package *p)
{
	return p->u_ctl & NHMEX_FRZ_ALL;
}

static bool locally_enabled(const struct nhmex_box *b, uint32_t counter)
{
	return (b->global_ctl >> counter & 1) && (b->ctl[counter] & CTL_EN);
}

bool nhmex_enabled(const struct nhmex_package *p, const struct nhmex_box *b, uint32_t counter)
{
	return counting(p) && locally_enabled(b, counter);
}

/* wrap_mode = 0 stops a counter at its over- or underflow. The documents do not say what starts
 * it again; here it is the clearing of its overflow flag. */
static bool stopped(const struct nhmex_box *b, uint32_t counter)
{
	return !(b->ctl[counter] & CTL_WRAP_MODE) && (b->status >> counter & 1);
}

static bool active(const struct nhmex_package *p, const struct nhmex_box *b, uint32_t counter)
{
	return nhmex_enabled(p, b, counter) && !stopped(b, counter);
}

static bool goes_down(uint64_t ctl)
{
	return VPMU_GET(CTL_COUNT_MODE, ctl) == NHMEX_DOWN;
}

/* Occurrences up to and with the one that over- or underflows. */
static uint64_t until_overflow(const struct nhmex_box *b, uint32_t counter, bool down)
{
	uint64_t value = b->cnt[counter];

	return down ? value + 1 : (UINT64_C(1) << NHMEX_WIDTH) - value;
}

/* True when it over- or underflowed and requests a PMI for that. */
static bool counter_add(struct nhmex_package *p, struct nhmex_box *b, uint32_t counter, uint64_t n,
			bool down)
{
	uint64_t ctl = b->ctl[counter], room = until_overflow(b, counter, down);
	bool over = n >= room;

	if (over && !(ctl & CTL_WRAP_MODE))
		n = room;
	b->cnt[counter] = (down ? b->cnt[counter] - n : b->cnt[counter] + n) & NHMEX_CNT_MASK;
	if (over) {
		b->status |= UINT64_C(1) << counter;
		p->u_status |= NHMEX_U_OVERFLOW(b - p->box);
	}
	return over && (ctl & CTL_PMI_EN);
}

/* The U-Box got a PMI in this clock. */
static void interrupted(struct nhmex_package *p, uint64_t clock)
{
	if (!freezing(p))
		return;
	p->u_ctl &= ~NHMEX_EN_ALL;
	p->frozen = clock + 1;
}

/* ---- stretches of clocks ---- */

/* The counter's gain in each clock of the stretch. */
static uint32_t increment(const struct nhmex_package *p, const struct nhmex_box *b, uint32_t i)
{
	return active(p, b, i) ? nhmex_source(p, b, b->ctl[i]).clocks : 0;
}

/* The number of the next n clocks up to and including the first that freezes. */
static uint64_t until_frozen(const struct nhmex_package *p, uint64_t n)
{
	if (!freezing(p))
		return n;
	for (uint32_t i = 0; i < NHMEX_BOXES * NHMEX_COUNTERS; i++) {
		const struct nhmex_box *b = &p->box[i / NHMEX_COUNTERS];
		uint32_t counter = i % NHMEX_COUNTERS, each = increment(p, b, counter);
		uint64_t room = until_overflow(b, counter, goes_down(b->ctl[counter]));
		uint64_t clocks = each ? (room - 1) / each + 1 : n;

		if (clocks < n && (b->ctl[counter] & CTL_PMI_EN))
			n = clocks;
	}
	return n;
}

static uint64_t nhmex_step(struct nhmex_package *p, uint64_t n)
{
	bool pmi = false;

	n = until_frozen(p, n);
	for (uint32_t i = 0; i < NHMEX_BOXES * NHMEX_COUNTERS; i++) {
		struct nhmex_box *b = &p->box[i / NHMEX_COUNTERS];
		uint32_t counter = i % NHMEX_COUNTERS, each = increment(p, b, counter);

		if (each)
			pmi |= counter_add(p, b, counter, n * each, goes_down(b->ctl[counter]));
	}
	if (pmi)
		interrupted(p, p->done + n - 1);
	return n;
}

/* ---- commands ---- */

bool nhmex_counting_in(const struct nhmex_package *p, uint64_t clock)
{
	return counting(p) || p->frozen == clock + 1;
}

/* n commands at once. True when it requests a PMI. */
static bool counter_take(struct nhmex_package *p, struct nhmex_box *b, uint32_t counter,
			 uint32_t occurrences, uint32_t n)
{
	uint64_t ctl = b->ctl[counter];
	struct nhmex_source source = nhmex_source(p, b, ctl);
	bool pmi = false;

	if (!locally_enabled(b, counter))
		return false;
	if ((source.occurrences & occurrences) && !stopped(b, counter))
		pmi = counter_add(p, b, counter, n, goes_down(ctl));
	if (VPMU_GET(CTL_COUNT_MODE, ctl) == NHMEX_BOTH && (source.opposite & occurrences) &&
	    !stopped(b, counter))
		pmi |= counter_add(p, b, counter, n, true);
	return pmi;
}

static bool take_all(struct nhmex_package *p, struct nhmex_box *b, uint32_t occurrences, uint32_t n)
{
	bool pmi = false;

	for (uint32_t i = 0; i < NHMEX_COUNTERS; i++)
		pmi |= counter_take(p, b, i, occurrences, n);
	return pmi;
}

/* The first clock after p->done in which a command leaves, or limit. */
static uint64_t next_leave(const struct nhmex_package *p, uint64_t limit)
{
	for (uint32_t i = 0; i < NHMEX_BOXES * 2; i++) {
		uint64_t clock = nhmex_queue_next(&p->box[i / 2].queue[i % 2]);

		if (clock < limit)
			limit = clock;
	}
	return limit;
}

/* Commands whose last clock was the one before p->done leave in p->done. */
static void commands_leave(struct nhmex_package *p)
{
	bool pmi = false;

	for (uint32_t i = 0; i < NHMEX_BOXES * 2; i++) {
		struct nhmex_box *b = &p->box[i / 2];
		uint32_t n = nhmex_queue_leave(&b->queue[i % 2], p->done);

		if (n && nhmex_counting_in(p, p->done))
			pmi |= take_all(p, b, NHMEX_SERVED, n);
	}
	if (pmi && counting(p) && freezing(p)) {
		/* The others still count in the clock of the underflow. */
		p->done += nhmex_step(p, 1);
		interrupted(p, p->done - 1);
	}
}

/* The timestamp advances whatever is enabled, frozen or reset. */
void nhmex_advance(struct nhmex_package *p, uint64_t clock)
{
	while (counting(p) && p->done < clock) {
		p->done += nhmex_step(p, next_leave(p, clock) - p->done);
		commands_leave(p);
	}
	if (p->done < clock)
		p->done = clock;
	for (uint32_t i = 0; i < NHMEX_BOXES; i++)
		p->box[i].timestamp = p->done & 0xffff;
}

void nhmex_begin(struct nhmex_package *p)
{
	for (uint32_t i = 0; i < NHMEX_BOXES * 2; i++)
		nhmex_queue_leave(&p->box[i / 2].queue[i % 2], p->done);
}

void nhmex_pmi(struct nhmex_package *p, uint64_t clock)
{
	if (!counting(p))
		return;
	/* The others still count in the clock of the overflow. */
	if (freezing(p) && clock >= p->done)
		nhmex_advance(p, clock + 1);
	interrupted(p, clock);
}

void nhmex_command(struct nhmex_package *p, struct nhmex_box *b, uint32_t occurrences,
		   uint64_t clock)
{
	uint32_t kind = occurrences & NHMEX_WRITE ? 1 : 0;

	nhmex_advance(p, clock);
	nhmex_queue_enter(&b->queue[kind], p->done, p->done + p->latency[kind]);
	if (nhmex_counting_in(p, clock) && take_all(p, b, occurrences, 1))
		nhmex_pmi(p, clock);
}
