/* SPDX-License-Identifier: MIT */
/* The journal's format (journal.h): rows for choices and registers, and ipmu_journal_check(), which
 * a file has to pass before any register is restored from it. Pure functions: they take no lock,
 * read no file and touch no register. A journal that passed names only registers, fields, boxes and
 * counters that the family's tables have. */
#include "journal.h"

#include "../base/why.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAGIC 0x314C4E5255504D49ull	/* "IMPURNL1", little end first */
#define VERSION 4u

void ipmu_journal_init(struct ipmu_journal_header *h, const struct ipmu_family *family, int place,
		       const char *boot_id)
{
	memset(h, 0, sizeof(*h));
	h->magic = MAGIC;
	h->version = VERSION;
	h->bytes = sizeof(struct ipmu_journal);
	h->place = place;
	h->generation = 1;
	snprintf(h->boot_id, sizeof(h->boot_id), "%s", boot_id);
	snprintf(h->family, sizeof(h->family), "%s", family->name);
}

/* ---- registers by number and by address */

static const struct ipmu_reg *by_number(const struct ipmu_family *family, unsigned number)
{
	const struct ipmu_reg *const *reg = family->registers;

	for (; *reg && number; reg++)
		number--;
	if (*reg)
		return *reg;
	for (reg = family->shared_resources; reg && *reg && number; reg++)
		number--;
	return reg ? *reg : NULL;
}

static int register_number(const struct ipmu_family *family, const struct ipmu_reg *wanted)
{
	const struct ipmu_reg *reg;

	for (unsigned n = 0; (reg = by_number(family, n)) != NULL; n++)
		if (reg == wanted)
			return (int)n;
	return -ENOENT;
}

const struct ipmu_reg *ipmu_journal_register(const struct ipmu_family *family, uint32_t addr,
					     int *box, int *ctr)
{
	const struct ipmu_reg *reg = ipmu_reg_at(family->registers, addr, box, ctr);

	return reg && reg->access != IPMU_WO && !reg->never_write ? reg : NULL;
}

/* ---- choices */

int ipmu_journal_put_choice(const struct ipmu_family *family, const struct ipmu_choice *choice,
			    struct ipmu_journal_slot *slot)
{
	slot->preset = choice->preset;
	slot->direction = choice->direction;
	slot->clear = choice->clear;
	slot->counters = choice->counters;
	slot->select = choice->select;
	slot->companions = choice->companions;
	slot->companion_select = choice->companion_select;
	slot->preset_value = choice->preset_value;
	slot->nextra = (uint32_t)choice->nextra;
	for (int i = 0; i < choice->nextra; i++) {
		const struct ipmu_extra_reg *extra = &choice->extra[i];
		int number = register_number(family, extra->reg);

		if (number < 0)
			return number;
		slot->extra[i] = (struct ipmu_journal_extra_reg){
			.reg = (uint16_t)number, .index = (uint16_t)extra->index,
			.mask = extra->mask, .value = extra->value,
		};
	}
	return 0;
}

void ipmu_journal_get_choice(const struct ipmu_family *family,
			     const struct ipmu_journal_slot *slot, struct ipmu_choice *choice)
{
	memset(choice, 0, sizeof(*choice));
	choice->preset = slot->preset;
	choice->direction = slot->direction;
	choice->clear = slot->clear;
	choice->counters = slot->counters;
	choice->select = slot->select;
	choice->companions = slot->companions;
	choice->companion_select = slot->companion_select;
	choice->preset_value = slot->preset_value;
	choice->nextra = (int)slot->nextra;
	for (int i = 0; i < choice->nextra; i++)
		choice->extra[i] = (struct ipmu_extra_reg){
			.reg = by_number(family, slot->extra[i].reg),
			.index = slot->extra[i].index,
			.mask = slot->extra[i].mask, .value = slot->extra[i].value,
		};
}

/* ---- checks */

static int bad(char *why, const char *what)
{
	return ipmu_fail(why, -EBADMSG, "%s", what);
}

static int check_header(const struct ipmu_journal_header *h, size_t length,
			const struct ipmu_family *family, int place, const char *boot_id, char *why)
{
	if (h->magic != MAGIC)
		return bad(why, "its first bytes are not those of a journal");
	if (h->version != VERSION || h->bytes != sizeof(struct ipmu_journal))
		return bad(why, "its version is not the one of this library");
	if (length != sizeof(struct ipmu_journal))
		return bad(why, "its size is wrong: it has been cut off or added to");
	if (!memchr(h->boot_id, '\0', sizeof(h->boot_id)) ||
	    !memchr(h->family, '\0', sizeof(h->family)))
		return bad(why, "its header is invalid");
	if (strcmp(h->boot_id, boot_id) != 0)
		return IPMU_JOURNAL_OLD;
	if (strcmp(h->family, family->name) != 0 || h->place != place)
		return bad(why, "it is the journal of another PMU");
	if (!h->generation || h->nsaved > IPMU_SAVED_MAX || h->nslots > IPMU_JOURNAL_SLOTS)
		return bad(why, "its header is invalid");
	return IPMU_JOURNAL_VALID;
}

static int check_saved(const struct ipmu_journal *j, const struct ipmu_family *family, char *why)
{
	for (uint32_t i = 0; i < j->header.nsaved; i++) {
		const struct ipmu_journal_entry *e = &j->saved[i];
		const struct ipmu_reg *reg = ipmu_journal_register(family, e->addr, NULL, NULL);

		if (!reg)
			return ipmu_fail(why, -EBADMSG, "it names 0x%X, which is no register "
					 "that counting with %s changes", (unsigned)e->addr,
					 family->name);
		if (e->writable != ipmu_reg_writable(reg))
			return ipmu_fail(why, -EBADMSG, "it gives other fields to the register "
					 "0x%X than the document does", (unsigned)e->addr);
		for (uint32_t k = 0; k < i; k++)
			if (j->saved[k].addr == e->addr)
				return ipmu_fail(why, -EBADMSG, "it names the register 0x%X "
						 "twice", (unsigned)e->addr);
	}
	return 0;
}

static bool extra_reg_fits(const struct ipmu_journal_extra_reg *extra,
			   const struct ipmu_family *family)
{
	const struct ipmu_reg *reg = by_number(family, extra->reg);

	if (!reg || extra->index >= (reg->ctrs ? reg->ctrs : 1))
		return false;
	return reg->space == IPMU_SHARED_RESOURCE || !(extra->value & ~ipmu_reg_writable(reg));
}

static bool slot_fits(const struct ipmu_journal_slot *slot, const struct ipmu_family *family)
{
	int types = 0;

	if (slot->used > 1 || slot->companion > 1 || slot->preset > 1 || slot->clear > 1)
		return false;
	while (family->types[types])
		types++;
	if (slot->type >= types || slot->box >= IPMU_BOXES_MAX ||
	    slot->ctr >= family->types[slot->type]->counters)
		return false;
	if (slot->direction > IPMU_UP_DOWN || slot->nextra > IPMU_EXTRA_MAX ||
	    strnlen(slot->event, sizeof(slot->event)) >= IPMU_NAME_MAX)
		return false;
	for (uint32_t i = 0; i < slot->nextra; i++)
		if (!extra_reg_fits(&slot->extra[i], family))
			return false;
	for (const char *c = slot->event; *c; c++)
		if (*c <= ' ' || *c > '~')
			return false;	/* it is printed */
	return true;
}

static int check_slots(const struct ipmu_journal *j, const struct ipmu_family *family, char *why)
{
	for (uint32_t i = 0; i < j->header.nslots; i++) {
		const struct ipmu_journal_slot *a = &j->slots[i];

		if (a->used && !slot_fits(a, family))
			return bad(why, "it describes a counter by invalid values");
		for (uint32_t k = 0; k < i && a->used; k++) {
			const struct ipmu_journal_slot *b = &j->slots[k];

			if (b->used && a->type == b->type && a->box == b->box && a->ctr == b->ctr)
				return bad(why, "it names a counter twice");
		}
	}
	return 0;
}

static bool all_zero(const unsigned char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (bytes[i])
			return false;
	return true;
}

int ipmu_journal_check(const void *bytes, size_t length, const struct ipmu_family *family,
		       int place, const char *boot_id, struct ipmu_journal *out, char *why)
{
	struct ipmu_journal_header header;
	int rc;

	if (!length)
		return IPMU_JOURNAL_FRESH;
	if (length < sizeof(header))
		return bad(why, "its size is wrong: it has been cut off");
	memcpy(&header, bytes, sizeof(header));
	if (all_zero(bytes, sizeof(header)))
		return IPMU_JOURNAL_FRESH;
	rc = check_header(&header, length, family, place, boot_id, why);
	if (rc != IPMU_JOURNAL_VALID)
		return rc;
	memmove(out, bytes, sizeof(*out));
	rc = check_saved(out, family, why);
	return rc ? rc : check_slots(out, family, why);
}
