/* SPDX-License-Identifier: MIT */
/* Counters of the uncore: two of each C-Box, two of the arbiter and the clock's. Each has a local
 * enable; one register starts and stops all. A set of events is programmed while they are stopped.
 * Counters have 44 bits or more: they do not wrap within an hour. So a difference above half of
 * the range means that another program has written the counter, and the count is lost. */
#include <stdio.h>
#include <string.h>

#include "papi.h"
#include "uncore_count.h"
#include "uncore_msr.h"
#include "skl_registers.h"

#define EN (1ull << 22)		/* local enable, of a select and of the clock's control */
#define GLOBAL_EN (1ull << 29)
#define BITS(width) ((1ull << (width)) - 1)

static uint32_t select_of(enum uncore_unit unit, int box, int counter)
{
	switch (unit) {
	case UNIT_CBO:
		return skl_cboxes[box].select + (uint32_t) counter;
	case UNIT_ARB:
		return SKL_ARB_SELECT + (uint32_t) counter;
	default:
		return SKL_FIXED_CTRL;
	}
}

static uint32_t counter_of(enum uncore_unit unit, int box, int counter)
{
	switch (unit) {
	case UNIT_CBO:
		return skl_cboxes[box].ctr + (uint32_t) counter;
	case UNIT_ARB:
		return SKL_ARB_CTR + (uint32_t) counter;
	default:
		return SKL_FIXED_CTR;
	}
}

static uint64_t select_bits(enum uncore_unit unit)
{
	return unit == UNIT_CLK ? SKL_FIXED_CTRL_BITS : SKL_SELECT_BITS;
}

static uint64_t counter_bits(enum uncore_unit unit)
{
	return unit == UNIT_CLK ? BITS(SKL_FIXED_CTR_WIDTH) : BITS(SKL_CTR_WIDTH);
}

static int boxes_of(enum uncore_unit unit, int boxes)
{
	return unit == UNIT_CBO ? boxes : 1;
}

static int counters_of(enum uncore_unit unit)
{
	return unit == UNIT_CLK ? 1 : 2;
}

/* Calls a function with each counter, until it does not return PAPI_OK. */
static int for_each_counter(int boxes, int (*what)(enum uncore_unit, int box, int counter, void *),
			    void *data)
{
	for (enum uncore_unit unit = UNIT_CBO; unit <= UNIT_CLK; unit++)
		for (int box = 0; box < boxes_of(unit, boxes); box++)
			for (int counter = 0; counter < counters_of(unit); counter++) {
				int rc = what(unit, box, counter, data);

				if (rc != PAPI_OK)
					return rc;
			}
	return PAPI_OK;
}

/* Bits 3:0 of the register are their number, plus one (Table 2-6). */
int uncore_count_boxes(char *reason)
{
	uint64_t config = 0;
	int rc = uncore_msr_read(SKL_CBO_CONFIG, &config), boxes = (int) (config & 0xf) - 1;

	if (rc == PAPI_OK && boxes >= 1 && boxes <= SKL_CBOX_MAX)
		return boxes;
	snprintf(reason, PAPI_HUGE_STR_LEN, rc != PAPI_OK ?
		 "MSR_UNC_CBO_CONFIG cannot be read: a hypervisor or msr-safe hides it" :
		 "MSR_UNC_CBO_CONFIG reports a number of C-Boxes that is not known");
	return PAPI_ENOSUPP;
}

/* ---- from events to counters */

static bool uses_box(const struct uncore_event *e, int box, int boxes)
{
	return box < boxes_of(e->unit, boxes) && (e->box < 0 || e->box == box);
}

static int assign_event(struct uncore_use *use, int boxes,
			unsigned taken[UNIT_CLK + 1][UNCORE_BOXES_MAX])
{
	const struct uncore_event *e = use->event;

	for (int box = 0; box < UNCORE_BOXES_MAX; box++) {
		int counter = 0;

		use->counter[box] = -1;
		if (!uses_box(e, box, boxes))
			continue;
		while (counter < counters_of(e->unit) &&
		       !((e->counters & ~taken[e->unit][box]) >> counter & 1))
			counter++;
		if (counter == counters_of(e->unit))
			return PAPI_ECNFLCT;
		use->counter[box] = (signed char) counter;
		taken[e->unit][box] |= 1u << counter;
	}
	return PAPI_OK;
}

/* Events that only counter 0 can count choose first. */
int uncore_count_assign(struct uncore_counts *c, const struct uncore_event *const *events, int n,
			int boxes)
{
	unsigned taken[UNIT_CLK + 1][UNCORE_BOXES_MAX] = { { 0 } };
	struct uncore_counts next = { .n = n };
	int rc = PAPI_OK;

	if (n > UNCORE_EVENTS_MAX)
		return PAPI_ECNFLCT;
	for (int i = 0; i < n; i++)
		next.uses[i].event = events[i];
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < n && rc == PAPI_OK; i++)
			if ((events[i]->counters == 1) == (pass == 0))
				rc = assign_event(&next.uses[i], boxes, taken);
	if (rc == PAPI_OK)
		*c = next;
	return rc;
}

/* ---- registers */

/* The bits that the component writes; 0: it does not write that register. */
struct lookup {
	uint32_t msr;
	uint64_t bits;
};

static int look_up(enum uncore_unit unit, int box, int counter, void *data)
{
	struct lookup *l = data;

	if (l->msr == select_of(unit, box, counter))
		l->bits = select_bits(unit);
	else if (l->msr == counter_of(unit, box, counter))
		l->bits = counter_bits(unit);
	return PAPI_OK;
}

static uint64_t written_bits(uint32_t msr)
{
	struct lookup l = { .msr = msr, .bits = msr == SKL_GLOBAL_CTRL ? GLOBAL_EN : 0 };

	for_each_counter(SKL_CBOX_MAX, look_up, &l);
	return l.bits;
}

static int check_idle(enum uncore_unit unit, int box, int counter, void *reason)
{
	uint64_t select;
	int rc = uncore_msr_read(select_of(unit, box, counter), &select);

	if (rc != PAPI_OK || !(select & EN))
		return rc;
	snprintf(reason, UNCORE_REASON_MAX, "MSR 0x%X holds 0x%llX: another program counts, "
		 "perhaps the kernel's perf", select_of(unit, box, counter),
		 (unsigned long long) select);
	return PAPI_ECNFLCT;
}

/* A counter that is enabled while all are started counts for somebody. */
static int check_foreign_use(int boxes, char *reason)
{
	uint64_t global;
	int rc = uncore_msr_read(SKL_GLOBAL_CTRL, &global);

	if (rc != PAPI_OK || !(global & GLOBAL_EN))
		return rc;
	return for_each_counter(boxes, check_idle, reason);
}

static int save_and_write(uint32_t msr, uint64_t bits, uint64_t value)
{
	int rc = uncore_lease_save(msr);

	return rc == PAPI_OK ? uncore_msr_write(msr, bits, value) : rc;
}

/* Counters start at 0. Those of other sets stay off: their local enable is cleared. */
static int clear(enum uncore_unit unit, int box, int counter, void *unused)
{
	uint64_t select;
	int rc = uncore_msr_read(select_of(unit, box, counter), &select);

	(void) unused;
	if (rc != PAPI_OK || !(select & EN))
		return rc;
	return save_and_write(select_of(unit, box, counter), EN, 0);
}

static int program(struct uncore_use *use)
{
	const struct uncore_event *e = use->event;
	int rc = PAPI_OK;

	for (int box = 0; box < UNCORE_BOXES_MAX && rc == PAPI_OK; box++) {
		int counter = use->counter[box];

		if (counter < 0)
			continue;
		rc = save_and_write(counter_of(e->unit, box, counter), counter_bits(e->unit), 0);
		if (rc == PAPI_OK)
			rc = save_and_write(select_of(e->unit, box, counter), select_bits(e->unit),
					    e->unit == UNIT_CLK ? EN : e->select | EN);
		use->last[box] = 0;
	}
	use->count = 0;
	return rc;
}

/* The global control is saved first, so it is restored last. */
static int program_all(struct uncore_counts *c, int boxes)
{
	int rc = save_and_write(SKL_GLOBAL_CTRL, GLOBAL_EN, 0);

	if (rc == PAPI_OK)
		rc = for_each_counter(boxes, clear, NULL);
	for (int i = 0; i < c->n && rc == PAPI_OK; i++)
		rc = program(&c->uses[i]);
	return rc == PAPI_OK ? uncore_msr_write(SKL_GLOBAL_CTRL, GLOBAL_EN, GLOBAL_EN) : rc;
}

/* ---- counting */

int uncore_count_start(struct uncore_counts *c, int boxes, char *reason)
{
	int rc = uncore_lease_take(written_bits, reason);

	if (rc != PAPI_OK)
		return rc;
	rc = check_foreign_use(boxes, reason);
	if (rc == PAPI_OK)
		rc = program_all(c, boxes);
	if (rc != PAPI_OK) {
		uncore_lease_give_up();
		return rc;
	}
	c->running = true;
	return PAPI_OK;
}

static int read_use(struct uncore_use *use)
{
	const struct uncore_event *e = use->event;

	for (int box = 0; box < UNCORE_BOXES_MAX; box++) {
		uint64_t value, advance;

		if (use->counter[box] < 0)
			continue;
		if (uncore_msr_read(counter_of(e->unit, box, use->counter[box]), &value) != PAPI_OK)
			return PAPI_ESYS;
		advance = (value - use->last[box]) & counter_bits(e->unit);
		if (advance > counter_bits(e->unit) / 2)
			return PAPI_ECLOST;
		use->last[box] = value;
		use->count += (long long) advance;
	}
	return PAPI_OK;
}

int uncore_count_read(struct uncore_counts *c)
{
	uint64_t global;
	int rc = PAPI_OK;

	if (!c->running)
		return PAPI_OK;
	for (int i = 0; i < c->n && rc == PAPI_OK; i++)
		rc = read_use(&c->uses[i]);
	if (rc == PAPI_OK)
		rc = uncore_msr_read(SKL_GLOBAL_CTRL, &global);
	return rc != PAPI_OK ? rc : global & GLOBAL_EN ? PAPI_OK : PAPI_ECLOST;
}

int uncore_count_stop(struct uncore_counts *c)
{
	if (!c->running)
		return PAPI_OK;
	c->running = false;
	return uncore_lease_give_up();
}
