/* SPDX-License-Identifier: MIT */
/* Parses an event name with its qualifiers into a request. libpfm4 chooses neither ESCR nor counter
 * and drops the replay tags, so qualifiers are read here. */
#include "netburst_request.h"

#include "counter_ops.h"

#include "../base/why.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* tag=, start= (another event: counting begins when that has overflowed), ovf= (after so many),
 * force_ovf (at every one), threads= (counting while so many threads of the core are active),
 * select= (the CCCR's ESCR number, where the document's is in doubt). */
const struct ipmu_own_qualifier ipmu_netburst_qualifiers[] = {
	{ .name = "tag" },	/* listed with the events that have tags */
	{ .name = "start", .form = "start=EVENT.MASK:ovf=N" },	/* ... where N may be 1 */
	{ .name = "ovf", .least = 2, .most = NETBURST_PERIOD_MAX },
	{ .name = "force_ovf", .form = "force_ovf" },
	{ .name = "threads", .form = "threads=none|single|both|any" },
	{ .name = "select", .least = 0, .most = 7 },
	{ 0 },
};

/* ---- qualifiers, one by one */

/* A key alone is as good as key=1. */
static const char *qualifier_value(const struct ipmu_qualifier *q)
{
	return q->value ? q->value : "1";
}

static int set_flag(bool *flag, const struct ipmu_qualifier *q, char *why)
{
	const char *value = qualifier_value(q);
	uint64_t number = 0;

	if (strcasecmp(value, "y") == 0 || strcasecmp(value, "t") == 0)
		number = 1;
	else if (strcasecmp(value, "n") && strcasecmp(value, "f") && ipmu_number(value, 1, &number))
		return ipmu_fail(why, -EINVAL, IPMU_QUALIFIER_FORMAT ": the value is 0 or 1",
				 IPMU_QUALIFIER_WORDS(q));
	*flag = number;
	return 0;
}

static int set_tag(struct netburst_request *r, const struct netburst_tag *tag,
		   const struct ipmu_qualifier *q, char *why)
{
	if (!tag)
		return ipmu_fail(why, -EINVAL, IPMU_QUALIFIER_FORMAT ": %s has no such tag: "
				 "papi_native_avail lists its qualifiers", IPMU_QUALIFIER_WORDS(q),
				 r->event->name);
	if (r->tag && r->tag != tag)
		return ipmu_fail(why, -EINVAL, "%s and %s: %s counts one tag at a time",
				 r->tag->name, tag->name, r->event->name);
	r->tag = tag;
	return 0;
}

/* libpfm4's TAG0 to TAG3 are unit masks of the events that tag. */
static bool is_tag_value(const struct netburst_request *r, const char *key)
{
	return r->event->role == TAGS_EXECUTION && strncasecmp(key, "TAG", 3) == 0 &&
	       key[3] >= '0' && key[3] <= '3' && !key[4];
}

/* A unit mask, also of libpfm4's spelling, where the replay tags are unit masks too. */
static int read_mask(struct netburst_request *r, const struct ipmu_qualifier *q, char *why)
{
	const struct netburst_mask *mask = ipmu_netburst_mask(r->event, q->key);
	const struct netburst_tag *tag = ipmu_netburst_tag(COUNTS_REPLAY, q->key);

	if (mask && !q->value) {
		r->mask |= 1ull << mask->bit;
		return 0;
	}
	if (tag && !q->value && r->event->role == COUNTS_REPLAY)
		return set_tag(r, tag, q, why);
	if (is_tag_value(r, q->key) && !q->value) {
		r->tag_value |= 1ull << (q->key[3] - '0');
		return 0;
	}
	return ipmu_fail(why, -ENOKEY, IPMU_QUALIFIER_FORMAT, IPMU_QUALIFIER_WORDS(q));
}

static int read_modifier(struct netburst_request *r, const struct ipmu_qualifier *q, char *why)
{
	if (ipmu_qualifier_is(q, "u")) {
		r->said_level = true;
		return set_flag(&r->usr, q, why);
	}
	if (ipmu_qualifier_is(q, "k")) {
		r->said_level = true;
		return set_flag(&r->os, q, why);
	}
	if (ipmu_qualifier_is(q, "e")) {
		r->said_edge = true;
		return set_flag(&r->edge, q, why);
	}
	if (ipmu_qualifier_is(q, "cmpl"))
		return set_flag(&r->complement, q, why);
	if (ipmu_qualifier_is(q, "thr"))
		return ipmu_number(qualifier_value(q), 15, &r->threshold) ?
			ipmu_fail(why, -EINVAL, IPMU_QUALIFIER_FORMAT ": a threshold is 0 to 15",
				  IPMU_QUALIFIER_WORDS(q)) : 0;
	return read_mask(r, q, why);
}

/* EVENT.MASK of the event that starts this one. */
static int read_start(struct netburst_request *r, const char *value, char *why)
{
	const struct netburst_mask *mask;
	char text[IPMU_NAME_MAX], *dot;

	strcpy(text, value);
	dot = strchr(text, '.');
	if (dot)
		*dot++ = '\0';
	r->start = ipmu_netburst_event(text);
	if (!r->start || !dot)
		return ipmu_fail(why, -EINVAL, "start=%s: name an event and its unit mask, as in "
				 "start=instr_retired.NBOGUSNTAG", value);
	mask = ipmu_netburst_mask(r->start, dot);
	if (!mask)
		return ipmu_fail(why, -EINVAL, "start=%s: %s has no unit mask %s", value, text,
				 dot);
	r->start_mask = 1ull << mask->bit;
	return 0;
}

static int read_number(struct netburst_request *r, const struct ipmu_qualifier *q, char *why)
{
	uint64_t number;

	if (ipmu_number(qualifier_value(q), 7, &number))
		return ipmu_fail(why, -EINVAL, IPMU_QUALIFIER_FORMAT ": an ESCR's number in the "
				 "CCCR is 0 to 7", IPMU_QUALIFIER_WORDS(q));
	r->number = (int)number;
	return 0;
}

static int read_period(struct netburst_request *r, const struct ipmu_qualifier *q, char *why)
{
	if (ipmu_number(qualifier_value(q), NETBURST_PERIOD_MAX, &r->period) || !r->period)
		return ipmu_fail(why, -EINVAL, IPMU_QUALIFIER_FORMAT ": the number of events is 1 "
				 "to %llu", IPMU_QUALIFIER_WORDS(q), NETBURST_PERIOD_MAX);
	return 0;
}

/* SDM 18.16.2: the values of CCCR bits 17:16 in their order. */
static int read_threads(struct netburst_request *r, const struct ipmu_qualifier *q, char *why)
{
	static const char *const states[] = { "none", "single", "both", "any" };

	for (unsigned i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (q->value && strcasecmp(q->value, states[i]) == 0) {
			r->active = i;
			return 0;
		}
	return ipmu_fail(why, -EINVAL, IPMU_QUALIFIER_FORMAT ": active threads of a core are "
			 "none, single, both or any", IPMU_QUALIFIER_WORDS(q));
}

static int read_own(struct netburst_request *r, const struct ipmu_qualifier *q, char *why)
{
	if (ipmu_qualifier_is(q, "tag"))
		return set_tag(r, ipmu_netburst_tag(r->event->role, qualifier_value(q)), q, why);
	if (ipmu_qualifier_is(q, "start"))
		return read_start(r, qualifier_value(q), why);
	if (ipmu_qualifier_is(q, "force_ovf"))
		return set_flag(&r->force_ovf, q, why);
	if (ipmu_qualifier_is(q, "threads"))
		return read_threads(r, q, why);
	if (ipmu_qualifier_is(q, "select"))
		return read_number(r, q, why);
	return read_period(r, q, why);
}

static int read_each(struct netburst_request *r, const struct ipmu_qualifiers *q,
		     enum ipmu_qualifier_owner owner, char *why,
		     int (*read)(struct netburst_request *, const struct ipmu_qualifier *, char *))
{
	int rc = 0;

	for (int i = 0; i < q->n && !rc; i++)
		if (q->list[i].owner == owner)
			rc = read(r, &q->list[i], why);
	return rc;
}

/* ---- defaults, and combinations that are refused */

/* Set the default mask. An event with a single mask bit needs no name for it; a tagged event counts
 * what retires. */
static void default_mask(struct netburst_request *r)
{
	const struct netburst_event *e = r->event;

	if (r->mask)
		return;
	if (!e->masks[1].name)
		r->mask = 1ull << e->masks[0].bit;
	else if (r->tag && r->tag->role != COUNTS_EXECUTION)
		r->mask = 1;
}

static int extra_mask(const struct netburst_request *r, char *why)
{
	char list[IPMU_WHY_MAX / 2] = "";

	for (const struct netburst_mask *m = r->event->masks; m->name; m++)
		strcat(strcat(list, m == r->event->masks ? "" : ", "), m->name);
	return ipmu_fail(why, -EINVAL, "%s needs a unit mask: %s", r->event->name, list);
}

static int request_check(const struct netburst_request *r, char *why)
{
	const struct netburst_event *e = r->event;

	if (!r->mask && !(r->tag && r->tag->role == COUNTS_EXECUTION))
		return extra_mask(r, why);
	for (int i = 0; i < 2; i++)
		if (__builtin_popcountll(r->mask & e->one_of[i]) > 1)
			return ipmu_fail(why, -EINVAL, "%s: of its unit masks 0x%X only one can be "
					 "counted at a time", e->name, e->one_of[i]);
	if (!r->os && !r->usr)
		return ipmu_fail(why, -EINVAL, "%s: without u and k it counts nothing", e->name);
	if (r->start && !r->period)
		return ipmu_fail(why, -EINVAL, "%s: start= needs ovf=N: counting starts after the "
				 "Nth %s", e->name, r->start->name);
	if (r->period && !r->start && r->force_ovf)
		return ipmu_fail(why, -EINVAL, "%s: with force_ovf every event overflows and "
				 "interrupts: remove ovf=", e->name);
	if (r->period == 1 && !r->start)
		return ipmu_fail(why, -EINVAL, "%s: ovf=1: the interrupt comes with the event "
				 "after the overflow, so with the 2nd at the earliest; for one "
				 "with every event there is force_ovf", e->name);
	if (r->start && (r->tag || r->tag_value || r->start->role != PLAIN))
		return ipmu_fail(why, -EINVAL, "%s: start= cannot be combined with tags", e->name);
	return 0;
}

static bool old_model(const struct ipmu_pmu_type *type)
{
	return strcmp(type->name, "netburst") == 0;
}

static int check_old(const struct netburst_request *r, char *why)
{
	const struct netburst_event *e = r->event->from_model_3 ? r->event : r->start;

	if (r->start && r->force_ovf)
		return ipmu_fail(why, -EINVAL, "%s: force_ovf: on models 0 to 2 a counter that "
				 "another one starts sends no interrupt", r->event->name);
	return e && e->from_model_3 ?
		ipmu_fail(why, -ENOENT, "%s exists on models 3, 4 and 6, not on this one",
			  e->name) : 0;
}

int ipmu_netburst_request(struct netburst_request *r, const struct ipmu_pmu_type *type,
			  const char *event, const struct ipmu_qualifiers *q, char *why)
{
	int rc;

	*r = (struct netburst_request){ .event = ipmu_netburst_event(event), .number = -1,
					  .active = CCCR_ANY };
	if (!r->event)
		return ipmu_fail(why, -ENOENT, "%s has no event %s: papi_native_avail lists its "
				 "events", type->name, event);
	rc = read_each(r, q, IPMU_OF_PFM, why, read_modifier);
	if (!rc)
		rc = read_each(r, q, IPMU_OF_TYPE, why, read_own);
	if (rc)
		return rc;
	if (!r->said_level)
		r->os = r->usr = true;
	if (!r->said_edge)
		r->edge = r->event->edge;
	default_mask(r);
	rc = old_model(type) ? check_old(r, why) : 0;
	return rc ? rc : request_check(r, why);
}
