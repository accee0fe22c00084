/* SPDX-License-Identifier: MIT */
/* The memory controllers of later client generations: three free-running counters, and five
 * programmable ones with selects and a freeze, all in the window. Linux uncore_snb.c.
 *
 * What is a stand-in: a controller has one channel, its clock is the uncore's, pages stay open
 * until another one is needed, and a reset by GLOBAL_CTL is over when the write is. */
#include <string.h>

#include "client_imc.h"

/* Offsets of MC0's. */
#define GLOBAL_CTL (IMC_BLOCK + 0xc0u)
#define BOX_CTL (IMC_BLOCK + 0xc4u)
#define SELECTS (IMC_BLOCK + 0xd0u)
#define COUNTERS (IMC_BLOCK + 0xe8u)
#define STEP 0x10000u
#define CONTROLLERS 2u
#define PER_CONTROLLER 5u

#define CHANNEL_0 VPMU_BITS(8, 8)

enum imc_code {
	CLOCKTICKS = 0x01, VC0_RD = 0x02, VC0_WR = 0x03, PAGE_HIT_RD = 0x1c, PAGE_EMPTY_RD = 0x1d,
	PAGE_MISS_RD = 0x1e, PAGE_HIT_WR = 0x1f, PAGE_EMPTY_WR = 0x20, PAGE_MISS_WR = 0x21,
	CAS_RD = 0x22, CAS_WR = 0x23, ACT_RD = 0x24, ACT_WR = 0x25, ACT_TOTAL = 0x26,
	PRE_PAGE_MISS = 0x27, TOTAL_REQUESTS = 0x39, RD_DATA = 0x3a, WR_DATA = 0x3b,
	TOTAL_DATA = 0x3c,
};

const char *imc_undriven_text(uint32_t why)
{
	static const char *const texts[] = {
		[IMC_NO_EVENT - SKL_IMC_WHY] =
			"not an event of the memory controllers' documents, it stays 0",
		[IMC_NOT_HERE - SKL_IMC_WHY] =
			"this machine's memory does nothing of the kind, so it stays 0",
		[IMC_EDGES - SKL_IMC_WHY] = "edges are not modelled here, so it stays 0",
		[IMC_OTHER_CHANNEL - SKL_IMC_WHY] =
			"a controller of this machine has channel 0 only, so it stays 0",
		[IMC_NOT_PUBLISHED - SKL_IMC_WHY] =
			"no event of this unit is published, so it stays 0",
		[IMC_THRESHOLDS - SKL_IMC_WHY] =
			"thresholds are not modelled here, so it stays 0",
	};

	return why - SKL_IMC_WHY < sizeof(texts) / sizeof(texts[0]) ? texts[why - SKL_IMC_WHY] :
								       NULL;
}

void imc_reset(struct skl_package *p, const struct skl_design *d)
{
	p->imc_control = d->units ? UNIT_IMC(0) : BOX_CTL;
	p->imc_selects = d->units ? UNIT_IMC(0) + UNIT_SELECTS : SELECTS;
	p->imc_counters = d->units ? UNIT_IMC(0) + UNIT_COUNTERS : COUNTERS;
	p->imc_step = d->units ? UNIT_IMC(1) - UNIT_IMC(0) : STEP;
	p->imc_mask = d->units ? VPMU_BITS(UNIT_WIDTH - 1, 0) : UINT64_MAX;
	p->imc_known = p->imc_driven = 0;
	for (uint32_t i = 0; i < d->event_count; i++) {
		const struct vpmu_event_info *e = &d->events[i];

		if (strcmp(e->unit, "IMC") || strcmp(e->counters, IMC_ALL))
			continue;
		p->imc_known |= UINT64_C(1) << e->code;
		p->imc_driven |= (uint64_t)e->driven << e->code;
	}
}

static uint32_t *select_of(const struct skl_package *p, uint8_t *mmio, uint32_t mc, uint32_t i)
{
	return (uint32_t *)(void *)(mmio + p->imc_selects + mc * p->imc_step +
				    i * sizeof(uint32_t));
}

static uint64_t *counter_of(const struct skl_package *p, uint8_t *mmio, uint32_t mc, uint32_t i)
{
	return (uint64_t *)(void *)(mmio + p->imc_counters + mc * p->imc_step +
				    i * sizeof(uint64_t));
}

static uint32_t *control_of(const struct skl_package *p, uint8_t *mmio, uint32_t mc)
{
	return (uint32_t *)(void *)(mmio + p->imc_control + mc * p->imc_step);
}

static bool is_frozen(const struct skl_package *p, uint8_t *mmio, uint32_t mc)
{
	return (*control_of(p, mmio, mc) & IMC_FRZ) ||
	       (p->units && (mmio[UNITS_GLOBAL_CTL] & UNIT_FRZ));
}

/* The pages are read by programs without the lock, so each counter changes in one piece. */
static void counter_add(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

static uint32_t why_not(const struct skl_package *p, uint64_t select)
{
	uint32_t code = VPMU_GET(IMC_EVENT, select);

	if (code > 63 || !(p->imc_known >> code & 1))
		return IMC_NO_EVENT;
	if (!(p->imc_driven >> code & 1))
		return IMC_NOT_HERE;
	if (select & IMC_EDGE)
		return IMC_EDGES;
	if (p->units)
		return select & UNIT_UMASK ? IMC_NO_EVENT :
		       select & UNIT_THRESHOLD ? IMC_THRESHOLDS : 0;
	if (select & IMC_THRESHOLD)
		return IMC_THRESHOLDS;
	return (select & IMC_CHANNELS) && !(select & CHANNEL_0) ? IMC_OTHER_CHANNEL : 0;
}

static void imc_count(struct skl_package *p, uint8_t *mmio, uint32_t mc, enum imc_code code,
		      uint64_t n)
{
	if (!p->imc_selected || !n || is_frozen(p, mmio, mc))
		return;
	for (uint32_t i = 0; i < PER_CONTROLLER; i++) {
		uint32_t select = *select_of(p, mmio, mc, i);
		uint64_t *counter = counter_of(p, mmio, mc, i);

		if (VPMU_GET(IMC_EVENT, select) == (uint32_t)code && !why_not(p, select))
			__atomic_store_n(counter, (*counter + n) & p->imc_mask, __ATOMIC_RELAXED);
	}
}

void imc_requests(struct skl_package *p, uint8_t *mmio, uint32_t mc, const struct imc_traffic *t)
{
	uint8_t *block = mmio + p->controllers + mc * STEP;

	counter_add((uint64_t *)(void *)(block + 0x40), t->requests);
	counter_add((uint64_t *)(void *)(block + 0x58), t->reads);
	counter_add((uint64_t *)(void *)(block + 0xa0), t->writes);
	if (!p->imc_selected)
		return;
	imc_count(p, mmio, mc, VC0_RD, t->reads);
	imc_count(p, mmio, mc, VC0_WR, t->requests > t->reads ? t->requests - t->reads : 0);
	imc_count(p, mmio, mc, TOTAL_REQUESTS, t->requests);
	imc_count(p, mmio, mc, CAS_RD, t->reads);
	imc_count(p, mmio, mc, CAS_WR, t->writes);
	imc_count(p, mmio, mc, RD_DATA, 2 * t->reads);	/* 32 bytes each */
	imc_count(p, mmio, mc, WR_DATA, 2 * t->writes);
	imc_count(p, mmio, mc, TOTAL_DATA, 2 * (t->reads + t->writes));
}

void skl_memory_command(struct vpmu_segment *s, uint32_t package, uint32_t box, bool write,
			enum vpmu_page page, uint64_t clock)
{
	static const enum imc_code codes[2][3] = {
		{ [VPMU_PAGE_HIT] = PAGE_HIT_RD, [VPMU_PAGE_EMPTY] = PAGE_EMPTY_RD,
		  [VPMU_PAGE_MISS] = PAGE_MISS_RD },
		{ [VPMU_PAGE_HIT] = PAGE_HIT_WR, [VPMU_PAGE_EMPTY] = PAGE_EMPTY_WR,
		  [VPMU_PAGE_MISS] = PAGE_MISS_WR },
	};
	struct skl_package *p = skl_package(s, package);
	uint8_t *mmio = vpmu_package_mmio(s, package);

	(void)clock;
	imc_count(p, mmio, box, codes[write][page], 1);
	if (page == VPMU_PAGE_HIT)
		return;
	imc_count(p, mmio, box, write ? ACT_WR : ACT_RD, 1);
	imc_count(p, mmio, box, ACT_TOTAL, 1);
	if (page == VPMU_PAGE_MISS)
		imc_count(p, mmio, box, PRE_PAGE_MISS, 1);
}

void imc_clock(struct vpmu_segment *s, uint32_t package)
{
	struct skl_package *p = skl_package(s, package);
	uint64_t now = s->uclk[package];

	if (now <= p->imc_clock)
		return;
	for (uint32_t mc = 0; mc < CONTROLLERS; mc++)
		imc_count(p, vpmu_package_mmio(s, package), mc, CLOCKTICKS, now - p->imc_clock);
	p->imc_clock = now;
}

/* ---- what is written ---- */

static void imc_reset_by(const struct skl_package *p, uint8_t *mmio, uint32_t how)
{
	for (uint32_t mc = 0; mc < CONTROLLERS; mc++) {
		if (how & IMC_RST_CTRL) {
			memset(select_of(p, mmio, mc, 0), 0, PER_CONTROLLER * sizeof(uint32_t));
			*control_of(p, mmio, mc) = 0;
		}
		if (how & IMC_RST_CTRS)
			memset(counter_of(p, mmio, mc, 0), 0, PER_CONTROLLER * sizeof(uint64_t));
	}
}

static bool is_select(const struct skl_package *p, uint32_t offset)
{
	for (uint32_t mc = 0; mc < CONTROLLERS; mc++)
		if (offset - (p->imc_selects + mc * p->imc_step) <
		    PER_CONTROLLER * sizeof(uint32_t))
			return true;
	return false;
}

/* Arrow Lake's RST. Of other machines' selects the bit is reserved, and 0. */
static void reset_one(const struct skl_package *p, uint8_t *mmio, uint32_t offset)
{
	for (uint32_t mc = 0; mc < CONTROLLERS; mc++)
		for (uint32_t i = 0; i < PER_CONTROLLER; i++) {
			uint32_t *select = select_of(p, mmio, mc, i);

			if ((uint8_t *)select != mmio + offset || !(*select & IMC_RST))
				continue;
			*select &= ~(uint32_t)IMC_RST;
			__atomic_store_n(counter_of(p, mmio, mc, i), 0, __ATOMIC_RELAXED);
		}
}

static bool any_selected(const struct skl_package *p, uint8_t *mmio)
{
	for (uint32_t mc = 0; mc < CONTROLLERS; mc++)
		for (uint32_t i = 0; i < PER_CONTROLLER; i++)
			if (VPMU_GET(IMC_EVENT, *select_of(p, mmio, mc, i)))
				return true;
	return false;
}

void imc_written(struct vpmu_segment *s, uint32_t package, uint32_t offset, uint64_t value)
{
	struct skl_package *p = skl_package(s, package);
	uint8_t *mmio = vpmu_package_mmio(s, package);
	uint32_t why;

	if (offset == GLOBAL_CTL + STEP)	/* the one of MC1 serves both */
		imc_reset_by(p, mmio, (uint32_t)value);
	p->imc_selected = any_selected(p, mmio);
	if (!p->units)
		reset_one(p, mmio, offset);
	if (!is_select(p, offset) || !VPMU_GET(IMC_EVENT, value))
		return;
	why = why_not(p, value);
	if (why)
		vpmu_record_undriven(s, VPMU_MMIO, offset, (value & 0xff) | (uint64_t)why << 16);
}
