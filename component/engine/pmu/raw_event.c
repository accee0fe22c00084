/* SPDX-License-Identifier: MIT */
/* The event RAW (raw_event.h): ipmu_raw_encode() makes an event select from numbers,
 * ipmu_raw_modifiers() from modifiers alone, and ipmu_raw_most() returns a field's largest number.
 * Nothing here touches a register. Only fields that the type's own register table lets an event set
 * can be set. */
#include "raw_event.h"

#include "core_ops.h"

#include "../base/why.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Places of the P6's fields; a register has those of them that its table lets an event set. */
static const struct raw_field {
	const char *key;
	uint64_t bits;
} fields[] = {
	{ "event", BITS(7, 0) }, { "umask", BITS(15, 8) }, { "u", IPMU_CORE_USR },
	{ "k", IPMU_CORE_OS }, { "e", BITS(18, 18) }, { "t", BITS(21, 21) },
	{ "i", BITS(23, 23) }, { "c", BITS(31, 24) }, { 0 },
};

static uint64_t field_bits(const struct ipmu_pmu_type *type, const char *key)
{
	const struct raw_field *f = fields;

	while (f->key && strcasecmp(f->key, key) != 0)
		f++;
	return f->key ? f->bits & ipmu_reg_event_bits(type->select) : 0;
}

bool ipmu_raw_is(const struct ipmu_pmu_type *type, const char *event)
{
	return type->raw && strcasecmp(event, IPMU_RAW_EVENT) == 0;
}

uint64_t ipmu_raw_most(const struct ipmu_pmu_type *type, const char *key)
{
	uint64_t bits = field_bits(type, key);

	return bits ? ipmu_bits_get(bits, bits) : 0;
}

static int no_such_field(const struct ipmu_pmu_type *type, const struct ipmu_qualifier *q,
			 char *why)
{
	char list[80] = "";
	size_t n = 0;

	for (const struct raw_field *f = fields; f->key; f++)
		if (field_bits(type, f->key))
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "",
					      f->key);
	return ipmu_fail(why, -EINVAL, "%s." IPMU_RAW_EVENT ": no such qualifier as "
			 IPMU_QUALIFIER_FORMAT ": its fields are %s", type->name,
			 IPMU_QUALIFIER_WORDS(q), list);
}

/* A modifier alone is as good as 1; an event and a unit mask need their number. */
static int put_field(const struct ipmu_pmu_type *type, const struct ipmu_qualifier *q,
		     uint64_t *select, char *why)
{
	uint64_t bits = field_bits(type, q->key), most = ipmu_raw_most(type, q->key), number;
	bool is_flag = most == 1;

	if (!bits)
		return no_such_field(type, q, why);
	if ((!q->value && !is_flag) || ipmu_number(q->value ? q->value : "1", most, &number))
		return ipmu_fail(why, -EINVAL, "%s." IPMU_RAW_EVENT ":" IPMU_QUALIFIER_FORMAT
				 ": %s takes a number from 0 to 0x%llX", type->name,
				 IPMU_QUALIFIER_WORDS(q), q->key, (unsigned long long)most);
	*select = (*select & ~bits) | ipmu_bits_put(bits, number);
	return 0;
}

static bool says(const struct ipmu_qualifiers *q, const char *key)
{
	for (int i = 0; i < q->n; i++)
		if (ipmu_qualifier_is(&q->list[i], key))
			return true;
	return false;
}

int ipmu_raw_encode(const struct ipmu_pmu_type *type, const struct ipmu_qualifiers *q,
		    uint64_t *select, char *why)
{
	int rc = 0;

	*select = 0;
	if (!says(q, "u") && !says(q, "k"))
		*select = field_bits(type, "u") | field_bits(type, "k");
	for (int i = 0; i < q->n && !rc; i++)
		if (q->list[i].owner == IPMU_OF_PFM)
			rc = put_field(type, &q->list[i], select, why);
	if (rc || says(q, "event"))
		return rc;
	return ipmu_fail(why, -EINVAL, "%s." IPMU_RAW_EVENT " needs the event's code, and its "
			 "unit mask if that is not 0, as in " IPMU_RAW_EVENT ":%s",
			 type->name, type->raw);
}

int ipmu_raw_modifiers(const struct ipmu_pmu_type *type, const struct ipmu_qualifiers *q,
		       uint64_t *select, char *why)
{
	int rc = 0;

	*select = 0;
	if (!says(q, "u") && !says(q, "k"))
		*select = field_bits(type, "u") | field_bits(type, "k");
	for (const struct ipmu_qualifier *w = q->list; w < q->list + q->n && !rc; w++) {
		bool number = ipmu_qualifier_is(w, "event") || ipmu_qualifier_is(w, "umask");

		if (w->owner == IPMU_OF_PLACE || ipmu_qualifier_is(w, "ovf"))
			continue;
		if (number || !field_bits(type, w->key))
			return ipmu_fail(why, -ENOKEY, IPMU_QUALIFIER_FORMAT,
					 IPMU_QUALIFIER_WORDS(w));
		rc = put_field(type, w, select, why);
	}
	return rc;
}
