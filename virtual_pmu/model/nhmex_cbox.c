/* SPDX-License-Identifier: MIT */
/* The C-Boxes: slices of the last-level cache, six counters each. nhmex_cbox_lookup() counts one
 * lookup, nhmex_cbox_apply() those that were only noted (bulk.h). nhmex_select.c decodes selects.
 * The caller holds the machine lock.
 *
 * Stand-ins for what the documents leave open:
 * - Requests of the cores hit or miss; write-backs of the cores' L2 are no requests.
 * - A store to a line that other cores of the package share hits in state S, because no other
 *   package has the line. So the only miss is that of a line which is not there.
 * - A lookup has no clock of its own to compare: a select with a threshold, which would count
 *   clocks, or with edge detection counts nothing. */
#include <string.h>

#include "nhmex_state.h"

/* Lookups by the state that they found, M, E, S and I, that the select counts. The bits of M, E
 * and S in the unit mask of LLC_HITS are those of enum vpmu_mesi. */
static uint64_t selected(uint64_t select, const uint64_t found[4])
{
	uint32_t umask = VPMU_GET(SEL_UMASK, select);
	uint64_t n = 0;

	switch (nhmex_cbox_event(select)) {
	case NHMEX_CBOX_MISSES:
		return found[3];
	case NHMEX_CBOX_HITS:
		for (uint32_t state = 0; state < 3; state++)
			n += umask >> state & 1 ? found[state] : 0;
		return n;
	default:
		return 0;
	}
}

static bool locally_enabled(const struct nhmex_cbox *b, uint32_t counter)
{
	return (b->global_ctl >> counter & 1) && (b->sel[counter] & SEL_EN);
}

bool nhmex_cbox_enabled(const struct nhmex_package *p, const struct nhmex_cbox *b,
			uint32_t counter)
{
	return (p->u_ctl & NHMEX_EN_ALL) && locally_enabled(b, counter);
}

/* True when a counter overflowed and requests a PMI for that. */
static bool take(struct nhmex_package *p, uint32_t slice, const uint64_t found[4])
{
	struct nhmex_cbox *b = &p->cbox[slice];
	bool pmi = false;

	for (uint32_t i = 0; i < NHMEX_COUNTERS; i++) {
		uint64_t n = locally_enabled(b, i) ? selected(b->sel[i], found) : 0;

		b->ctr[i] += n;
		if (b->ctr[i] <= NHMEX_CNT_MASK)
			continue;
		b->ctr[i] &= NHMEX_CNT_MASK;
		b->status |= UINT64_C(1) << i;
		p->u_status |= NHMEX_U_OVERFLOW(NHMEX_SBOX_OF(slice));
		pmi |= b->sel[i] & SEL_PMI_EN;
	}
	return pmi;
}

void nhmex_cbox_lookup(struct nhmex_package *p, uint32_t slice, enum vpmu_request request,
		       enum vpmu_mesi state, uint64_t clock)
{
	uint64_t found[4] = { 0 };

	if (request != VPMU_READ || slice >= NHMEX_CBOXES)
		return;
	if (p->precise)
		nhmex_advance(p, clock);
	if (!nhmex_counting_in(p, clock))
		return;
	found[__builtin_ctz(state)] = 1;
	if (take(p, slice, found))
		nhmex_pmi(p, clock);
}

/* Lookups are noted only while nothing can freeze, so their clocks do not matter. */
void nhmex_cbox_apply(struct nhmex_package *p)
{
	for (uint32_t slice = 0; slice < NHMEX_CBOXES && (p->u_ctl & NHMEX_EN_ALL); slice++)
		take(p, slice, p->llc.lookup[slice][0]);
	memset(&p->llc, 0, sizeof(p->llc));
	p->precise = (p->u_ctl & NHMEX_FRZ_ALL) != 0;
}
