/* SPDX-License-Identifier: MIT */
/* Units that a discovery table describes: client processors from Panther Lake on have the counters
 * of the memory controllers at addresses that only the table contains. An MSR holds the table's
 * physical address. Its first entry describes the package, each further one a unit: kind, number,
 * control register, where selects and counters are behind that, how many, and how wide they are.
 *
 * Registers of such units have numbers of their own, from IPMU_UNITS_FROM on (registers/reg.h).
 * This file turns one into an address. ipmu_discovery_read() reads the table once for each opened
 * package. What it finds is checked, since all that is written there goes where the table says.
 * Layout: Linux uncore_discovery.h; not documented by Intel. */
#include "access.h"

#include "../base/why.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 0x1000u

/* Words of an entry, and fields in them. The third word of the first entry is not used. */
enum { HEAD, CONTROL, KIND, WORDS };
#define HEAD_STRIDE BITS(15, 8)		/* of the first entry: words from one entry to the next */
#define HEAD_UNITS BITS(25, 16)
#define HEAD_COUNTERS BITS(7, 0)	/* of a unit */
#define HEAD_SELECTS_AT BITS(15, 8)	/* bytes behind the control */
#define HEAD_WIDTH BITS(23, 16)
#define HEAD_COUNTERS_AT BITS(31, 24)
#define HEAD_ACCESS BITS(63, 62)
#define KIND_TYPE BITS(15, 0)
#define ACCESS_MMIO 1u

struct discovery_table {
	uint64_t at;
	struct ipmu_window page;	/* the one that was read last */
	uint64_t page_at;
};

static void unmap(struct discovery_table *t)
{
	if (t->page.page)
		munmap((void *)(uintptr_t)t->page.page, PAGE);
	t->page.page = NULL;
}

static int read_word(struct discovery_table *t, uint64_t at, uint64_t *word, char *why)
{
	int rc = 0;

	if (!t->page.page || t->page_at != (at & ~(uint64_t)(PAGE - 1))) {
		unmap(t);
		t->page_at = at & ~(uint64_t)(PAGE - 1);
		rc = ipmu_window_map(&t->page, t->page_at, false, why);
	}
	if (!rc)
		*word = ((volatile uint64_t *)t->page.page)[at % PAGE / sizeof(*word)];
	return rc;
}

static int read_entry(struct discovery_table *t, uint64_t offset, uint64_t words[WORDS], char *why)
{
	int rc = 0;

	for (uint64_t i = 0; i < WORDS && !rc; i++)
		rc = read_word(t, t->at + offset + i * sizeof(*words), &words[i], why);
	return rc;
}

/* Linux leaves out such entries. */
static bool is_valid(const uint64_t words[WORDS])
{
	return words[HEAD] && words[CONTROL] && words[HEAD] != ~0ull && words[CONTROL] != ~0ull &&
	       words[KIND] != ~0ull;
}

static int refuse(const struct discovery_table *t, const char *what, uint64_t number, char *why)
{
	return ipmu_fail(why, -ENODEV, "the discovery table at 0x%llX has %s (0x%llX): its units "
			 "are not used", (unsigned long long)t->at, what,
			 (unsigned long long)number);
}

/* All registers of a unit have to be in the page of its control, each at its natural place. */
static bool fits(uint64_t control, uint64_t offset, uint64_t bytes, uint64_t n)
{
	uint64_t first = control % PAGE + offset;

	return first % bytes == 0 && first + n * bytes <= PAGE;
}

static int add_unit(struct ipmu_regs *p, const struct discovery_table *t,
		    const uint64_t words[WORDS], char *why)
{
	struct ipmu_discovered *d = &p->discovered;
	const uint64_t head = words[HEAD];
	const struct ipmu_discovered_unit unit = {
		.control = words[CONTROL],
		.selects = (uint8_t)ipmu_bits_get(HEAD_SELECTS_AT, head),
		.counters = (uint8_t)ipmu_bits_get(HEAD_COUNTERS_AT, head),
	};
	uint8_t n = (uint8_t)ipmu_bits_get(HEAD_COUNTERS, head);
	uint8_t width = (uint8_t)ipmu_bits_get(HEAD_WIDTH, head);

	if (d->units == IPMU_UNITS_MAX)
		return refuse(t, "more units of a kind than are known", IPMU_UNITS_MAX, why);
	if (ipmu_bits_get(HEAD_ACCESS, head) != ACCESS_MMIO)
		return refuse(t, "a unit that is not memory-mapped", head, why);
	if (!n || width < 32 || width > 64 || !unit.selects || !unit.counters ||
	    !fits(unit.control, 0, 4, 1) || !fits(unit.control, unit.selects, 4, n) ||
	    !fits(unit.control, unit.counters, 8, n))
		return refuse(t, "a unit whose registers cannot be", head, why);
	if (d->units && (n != d->ctrs || width != d->width))
		return refuse(t, "units of a kind that differ", head, why);
	d->ctrs = n;
	d->width = width;
	d->unit[d->units++] = unit;
	return 0;
}

static int read_table(struct ipmu_regs *p, struct discovery_table *t, unsigned type, char *why)
{
	uint64_t words[WORDS], bytes, units;
	int rc = read_entry(t, 0, words, why);

	if (rc)
		return rc;
	bytes = ipmu_bits_get(HEAD_STRIDE, words[HEAD]) * sizeof(*words);
	units = ipmu_bits_get(HEAD_UNITS, words[HEAD]);
	if (!is_valid(words) || bytes < sizeof(words) || !fits(words[CONTROL], 0, 4, 1))
		return refuse(t, "no valid first entry", words[HEAD], why);
	p->discovered.unit[IPMU_UNITS_MAX].control = words[CONTROL];
	for (uint64_t i = 1; i <= units && !rc; i++) {
		rc = read_entry(t, i * bytes, words, why);
		if (!rc && is_valid(words) && ipmu_bits_get(KIND_TYPE, words[KIND]) == type)
			rc = add_unit(p, t, words, why);
	}
	if (!rc && !p->discovered.units)
		rc = refuse(t, "no unit of this kind", type, why);
	return rc;
}

/* The MSR with the table's address, and the kind of unit that this family uses. */
static const struct ipmu_reg *table_register(const struct ipmu_regs *p, unsigned *type)
{
	const struct ipmu_reg *found = NULL;

	for (const struct ipmu_reg *const *r = p->registers; *r; r++) {
		if ((*r)->unit_type && (*r)->space == IPMU_MMIO)
			*type = (*r)->unit_type;
		if ((*r)->discovery)
			found = *r;
	}
	return found;
}

int ipmu_discovery_read(struct ipmu_regs *p, char *why)
{
	unsigned type = 0;
	const struct ipmu_reg *reg = table_register(p, &type);
	struct discovery_table t = { 0 };
	int rc;

	if (p->discovered.units)
		return 0;
	rc = ipmu_msr_read(p, reg->addr, &t.at);
	if (rc)
		return ipmu_fail(why, rc, "%s: %s (0x%X) cannot be read: %s: a hypervisor "
				 "or the firmware hides the discovery table", p->msr_path,
				 reg->name, (unsigned)reg->addr, strerror(-rc));
	if (!t.at || t.at % sizeof(uint64_t))
		return ipmu_fail(why, -ENODEV, "%s is 0x%llX: there is no discovery table, so "
				 "it is not known where the memory controllers' counters "
				 "are", reg->name,
				 (unsigned long long)t.at);
	rc = read_table(p, &t, type, why);
	unmap(&t);
	if (rc)
		p->discovered = (struct ipmu_discovered){ .units = 0 };
	return rc;
}

bool ipmu_discovery_has(const struct ipmu_regs *p, uint32_t addr)
{
	return addr >= IPMU_UNITS_GLOBAL ||
	       (addr - IPMU_UNITS_FROM) / IPMU_UNIT_STEP < (uint32_t)p->discovered.units;
}

uint64_t ipmu_discovery_address(const struct ipmu_regs *p, uint32_t addr)
{
	uint32_t inside = addr % IPMU_UNIT_STEP;
	const struct ipmu_discovered_unit *unit =
		&p->discovered.unit[(addr - IPMU_UNITS_FROM) / IPMU_UNIT_STEP];

	if (inside >= IPMU_UNIT_COUNTERS)
		return unit->control + unit->counters + (inside - IPMU_UNIT_COUNTERS);
	if (inside >= IPMU_UNIT_SELECTS)
		return unit->control + unit->selects + (inside - IPMU_UNIT_SELECTS);
	return unit->control;
}
