/* SPDX-License-Identifier: MIT */
/* The unit mask of a Core 2 event is made of sub-fields (SDM Tables 18-2 to 18-7). Three of them
 * share bits 11:8 and two share bit 13: libpfm4's tables keep them apart by name, but anything can
 * be written as a number. */
#include "core2.h"

#include "qualifiers.h"

#include "../base/why.h"

#include <errno.h>
#include <string.h>

enum { CORE = 1, AGENT = 2, PREFETCH = 4, MESI = 8, RESPONSE = 16, TYPE = 32 };
#define LOW (MESI | RESPONSE | TYPE)

static const struct sub_field {
	int kind;
	const char *name, *src;
	unsigned mask;		/* of the unit mask */
	unsigned valid;		/* bit i: value i of the field may be programmed */
} sub_fields[] = {
	{ CORE, "the core (bits 15:14)", "SDM Table 18-2", 0xC0, 1 << 1 | 1 << 3 },
	{ AGENT, "the agent (bit 13)", "SDM Table 18-3", 0x20, 1 << 0 | 1 << 1 },
	{ PREFETCH, "the prefetch qualification (bits 13:12)", "SDM Table 18-4", 0x30,
	  1 << 0 | 1 << 1 | 1 << 3 },
	{ MESI, "the MESI states (bits 11:8)", "SDM Table 18-5", 0x0F, 0xFFFE },
	/* HITM 8, HIT 2, CLEAN 1; 4 is reserved, and with no bit nothing is counted */
	{ RESPONSE, "the snoop response (bits 11, 9, 8)", "SDM Table 18-6", 0x0F,
	  1 << 1 | 1 << 2 | 1 << 3 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 11 },
	{ TYPE, "the snoop type (bits 9:8)", "SDM Table 18-7", 0x03, 1 << 1 | 1 << 2 | 1 << 3 },
	{ 0 },
};

static const struct { uint8_t code; int kinds; } events[] = {	/* SDM Table 19-23 */
	{ 0x21, CORE }, { 0x23, CORE }, { 0x24, CORE | PREFETCH }, { 0x25, CORE },
	{ 0x26, CORE | PREFETCH }, { 0x27, CORE | PREFETCH }, { 0x28, CORE | MESI },
	{ 0x29, CORE | PREFETCH | MESI }, { 0x2A, CORE | MESI }, { 0x2B, CORE | MESI },
	{ 0x2E, CORE | PREFETCH | MESI }, { 0x30, CORE | PREFETCH | MESI }, { 0x32, CORE },
	{ 0x40, MESI }, { 0x41, MESI }, { 0x42, MESI }, { 0x60, CORE | AGENT }, { 0x61, AGENT },
	{ 0x62, AGENT }, { 0x63, CORE | AGENT }, { 0x64, CORE }, { 0x65, CORE | AGENT },
	{ 0x66, CORE | AGENT }, { 0x67, CORE | AGENT }, { 0x68, CORE | AGENT },
	{ 0x69, CORE | AGENT }, { 0x6A, CORE | AGENT }, { 0x6B, CORE | AGENT },
	{ 0x6C, CORE | AGENT }, { 0x6D, CORE | AGENT }, { 0x6E, CORE | AGENT },
	{ 0x6F, CORE | AGENT }, { 0x70, CORE | AGENT }, { 0x77, AGENT | RESPONSE },
	{ 0x78, CORE | TYPE }, { 0x7A, AGENT }, { 0x7B, AGENT }, { 0x7D, CORE },
	{ 0x7E, CORE | AGENT }, { 0x7F, CORE },
};

static const struct { const char *name; int kind; } names[] = {
	{ "SELF", CORE }, { "BOTH_CORES", CORE }, { "THIS_AGENT", AGENT }, { "ALL_AGENTS", AGENT },
	{ "PREFETCH", PREFETCH }, { "EXCL_PREFETCH", PREFETCH }, { "MESI", MESI },
	{ "M_STATE", MESI }, { "E_STATE", MESI }, { "S_STATE", MESI }, { "I_STATE", MESI },
	{ "CLEAN", RESPONSE }, { "HIT", RESPONSE }, { "HITM", RESPONSE },
	{ "SHARE", TYPE }, { "INVALIDATE", TYPE },
};

static const struct sub_field *sub_field(int kind)
{
	const struct sub_field *f = sub_fields;

	while (f->kind && f->kind != kind)
		f++;
	return f;
}

static int kind_of_name(const struct ipmu_qualifier *q)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!q->value && ipmu_qualifier_is(q, names[i].name))
			return names[i].kind;
	return 0;
}

static bool exclude_each_other(int a, int b)
{
	return a && b && a != b && (((a & LOW) && (b & LOW)) || (a | b) == (AGENT | PREFETCH));
}

static bool edge_without_threshold(const struct ipmu_qualifiers *q)
{
	bool edge = false, threshold = false;

	for (const struct ipmu_qualifier *w = q->list; w < q->list + q->n; w++) {
		edge = edge || (ipmu_qualifier_is(w, "e") && (!w->value || w->value[0] == '1'));
		threshold = threshold || (ipmu_qualifier_is(w, "c") && w->value);
	}
	return edge && !threshold;
}

int ipmu_core2_check_names(const struct ipmu_pmu_type *type, const char *event,
			   const struct ipmu_qualifiers *q, char *why)
{
	char text[IPMU_QUALIFIERS_TEXT];
	int seen = 0;

	for (int i = 0; i < q->n; i++) {
		int kind = kind_of_name(&q->list[i]);

		if (exclude_each_other(seen, kind))
			return ipmu_fail(why, -EINVAL, "%s.%s%s: %s and %s exclude each other, "
					 "they are the same bits of the unit mask (%s, %s)",
					 type->name, event,
					 ipmu_qualifiers_text(q, IPMU_OF_PFM, text),
					 sub_field(seen)->name, sub_field(kind)->name,
					 sub_field(seen)->src, sub_field(kind)->src);
		if (kind & ~CORE)
			seen = kind & LOW || !seen ? kind : seen;
	}
	if (edge_without_threshold(q))
		return ipmu_fail(why, -EINVAL, "%s.%s%s: e counts how often a threshold is "
				 "reached: add c=1", type->name, event,
				 ipmu_qualifiers_text(q, IPMU_OF_PFM, text));
	return 0;
}

/* Refuse bits that are in none of the event's sub-fields, and name the other kind of sub-field that
 * they belong to, if any. */
static int foreign_bits(const char *event, unsigned umask, int kinds, unsigned left, char *why)
{
	for (const struct sub_field *f = sub_fields; f->kind; f++)
		if (!(kinds & f->kind) && (f->mask & left))
			return ipmu_fail(why, -EINVAL, "core.%s with the unit mask 0x%02X: bits "
					 "0x%02X are %s (%s), which this event does not have: one "
					 "event takes one kind of qualifier in these bits", event,
					 umask, left, f->name, f->src);
	return ipmu_fail(why, -EINVAL, "core.%s has no unit mask 0x%02X", event, umask);
}

int ipmu_core2_check_umask(const char *event, uint64_t select, char *why)
{
	unsigned umask = select >> 8 & 0xFF, used = 0;
	int kinds = 0;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (events[i].code == (select & 0xFF))
			kinds = events[i].kinds;
	if (!kinds)
		return 0;
	for (const struct sub_field *f = sub_fields; f->kind; f++)
		if (kinds & f->kind)
			used |= f->mask;
	if (umask & ~used)
		return foreign_bits(event, umask, kinds, umask & ~used, why);
	if ((kinds & RESPONSE) && (umask & 0x04))
		return foreign_bits(event, umask, kinds, 0x04, why);
	for (const struct sub_field *f = sub_fields; f->kind; f++) {
		unsigned value = (umask & f->mask) / (f->mask & -f->mask);

		if ((kinds & f->kind) && !(f->valid >> value & 1))
			return ipmu_fail(why, -EINVAL, "core.%s with the unit mask 0x%02X: the "
					 "value %u of %s is reserved or counts nothing (%s)",
					 event, umask, value, f->name, f->src);
	}
	return 0;
}
