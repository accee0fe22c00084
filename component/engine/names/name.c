/* SPDX-License-Identifier: MIT */
/* From an event's name to the event: ipmu_name_event() parses the name, and event_of() takes it
 * through a list of steps, in their order. The steps choose the PMU, sort the qualifiers, check the
 * place, encode the event and write its canonical name. ipmu_name_event_alone() does the same for
 * an event without qualifiers. Tables and the machine's description are only read, and *out is set
 * only on success. */
#include "name.h"

#include "list.h"
#include "parse.h"
#include "pfm.h"
#include "unknown.h"

#include "../base/why.h"
#include "../pmu/raw_event.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct naming {
	const struct ipmu_machine *m;
	const struct ipmu_frame *frame;
	const char *name;	/* all of it, for messages */
	const char *pmu, *event;
	struct ipmu_qualifiers q;
	struct ipmu_event e;	/* what becomes of it */
	const struct ipmu_pmu_type *named;	/* the PMU as named: the event may be another's */
	int named_box;		/* ... with a number, or IPMU_ALL */
};

static bool is_uncore(const struct naming *n)
{
	return n->m->family->scope == IPMU_SCOPE_PACKAGE;
}

static const char *place_key(const struct naming *n)
{
	return is_uncore(n) ? "package" : "cpu";
}

static int choose_type(struct naming *n, char *why)
{
	n->named = ipmu_type_named(n->m->family, n->pmu, &n->named_box);
	n->e = (struct ipmu_event){ .type = n->named, .place = IPMU_ALL, .box = n->named_box };
	return n->named ? 0 : ipmu_fail(why, -ENOENT, "'%s': this machine has no PMU %s", n->name,
					n->pmu);
}

static int check_twice(struct naming *n, char *why)
{
	return ipmu_name_check_twice(&n->q, n->name, why);
}

/* ---- owners of the qualifiers, and where the event counts */

static bool qualifier_is_own(const struct ipmu_pmu_type *type, const struct ipmu_qualifier *q)
{
	for (const struct ipmu_own_qualifier *own = type->qualifiers; own && own->name; own++)
		if (ipmu_qualifier_is(q, own->name))
			return true;
	return false;
}

static int *naming_place(struct naming *n, const struct ipmu_qualifier *q)
{
	return ipmu_qualifier_is(q, place_key(n)) ? &n->e.place :
	       ipmu_qualifier_is(q, "box") ? &n->e.box : NULL;
}

static int sort_qualifiers(struct naming *n, char *why)
{
	for (struct ipmu_qualifier *q = n->q.list; q < n->q.list + n->q.n; q++) {
		int *number = naming_place(n, q);

		q->owner = number ? IPMU_OF_PLACE :
			   qualifier_is_own(n->e.type, q) ? IPMU_OF_TYPE : IPMU_OF_PFM;
		if (number && ipmu_name_number(q, n->name, number, why))
			return -EINVAL;
	}
	return 0;
}

static bool says_level(const struct naming *n)
{
	for (int i = 0; i < n->q.n; i++)
		if (ipmu_qualifier_is(&n->q.list[i], "u") || ipmu_qualifier_is(&n->q.list[i], "k"))
			return true;
	return false;
}

static int apply_frame(struct naming *n, char *why)
{
	const struct ipmu_frame *frame = n->frame;

	if (frame->user != frame->kernel && !is_uncore(n) && !says_level(n))
		n->q.list[n->q.n++] = (struct ipmu_qualifier){ .key = frame->user ? "u" : "k" };
	if (frame->place == IPMU_ALL || n->e.place == frame->place)
		return 0;
	if (n->e.place != IPMU_ALL)
		return ipmu_fail(why, -EINVAL, "'%s': its event set counts on %s %d: remove %s= "
				 "from the name", n->name, is_uncore(n) ? "package" : "CPU",
				 frame->place, place_key(n));
	n->e.place = frame->place;
	return 0;
}

static int check_one_box(struct naming *n, char *why)
{
	if (n->named_box == IPMU_ALL || n->e.box == n->named_box)
		return 0;
	return ipmu_fail(why, -EINVAL, "'%s' names box %d and box %d", n->name, n->named_box,
			 n->e.box);
}

static int check_box(const struct naming *n, int place, char *why)
{
	int boxes = ipmu_pfm_boxes(n->m, n->e.type, place, why);

	if (!boxes)
		return -ENODEV;
	if (n->e.box >= boxes)
		return ipmu_fail(why, -EINVAL, "'%s': there is no box %d, %s has %d in %s %d, "
				 "counted from 0", n->name, n->e.box, n->e.type->name, boxes,
				 is_uncore(n) ? "package" : "CPU", place);
	return 0;
}

static int no_place(const struct naming *n, char *why)
{
	if (is_uncore(n))
		return ipmu_fail(why, -EINVAL, "'%s': there is no package %d, this machine has "
				 "%d, counted from 0", n->name, n->e.place,
				 ipmu_machine_nplaces(n->m));
	if (n->m->topo->noffline)
		return ipmu_fail(why, -EINVAL, "'%s': CPU %d is offline, or was when the library "
				 "was initialized, or there is none: bring it back and initialize "
				 "again", n->name, n->e.place);
	return ipmu_fail(why, -EINVAL, "'%s': this machine has no CPU %d", n->name, n->e.place);
}

static int check_place(struct naming *n, char *why)
{
	int rc = 0;

	if (n->e.place != IPMU_ALL)
		return ipmu_machine_has(n->m, n->e.place) ? check_box(n, n->e.place, why) :
							    no_place(n, why);
	for (int u = 0; u < ipmu_machine_nplaces(n->m) && !rc; u++)
		rc = check_box(n, ipmu_machine_place(n->m, u), why);
	return rc;
}

/* ---- the registers' values */

static int fixed_counter(const struct ipmu_pmu_type *type, const char *event)
{
	for (int i = 0; type->fixed[i].event; i++)
		if (strcasecmp(type->fixed[i].event, event) == 0)
			return i;
	return -1;
}

/* libpfm4's tables may take a threshold of 8 bits for counters that have fewer. */
static int check_threshold(const struct ipmu_pmu_type *type, const char *event, uint64_t code,
			   char *why)
{
	uint64_t bits = ipmu_reg_set_by(type->select, IPMU_BY_EVENT_THRESHOLD);

	if (!bits || !(code & BITS(31, 24) & ~bits))
		return 0;
	return ipmu_fail(why, -EINVAL, "%s.%s: a modifier's value is out of range (c: 0 to %u)",
			 type->name, event, (unsigned)ipmu_bits_get(bits, bits));
}

static int encode_plain(struct ipmu_event *e, const char *event, uint64_t code, char *why)
{
	const struct ipmu_pmu_type *type = e->type;
	struct ipmu_choice *choice = &e->choices[0];

	e->nchoices = 1;
	choice->counters = (1ull << type->counters) - 1;
	choice->select = code & ipmu_reg_event_bits(type->select);
	if (type->fixed) {
		int i = fixed_counter(type, event);

		if (i < 0)
			return ipmu_fail(why, -ENOENT, "%s has no counter for %s", type->name,
					 event);
		choice->counters = 1ull << i;
	}
	for (const struct ipmu_constraint *c = type->constraints; c && c->counters; c++)
		if (c->code == (choice->select & 0xFF))
			choice->counters = c->counters;
	return 0;
}

static int encode_qualified(struct naming *n, char *why)
{
	const struct ipmu_ops *ops = n->e.type->ops;
	uint64_t codes[IPMU_CODES_MAX] = { 0 };
	int rc = ops->check ? ops->check(n->e.type, n->event, &n->q, why) : 0;

	if (!rc && ipmu_raw_is(n->e.type, n->event))
		rc = ipmu_raw_encode(n->e.type, &n->q, &codes[0], why);
	else if (!rc && !n->e.type->own_names)
		rc = ipmu_pfm_encode(n->e.type, n->event, &n->q, codes, why);
	if (rc < 0)
		return rc;
	if (ops->encode)
		return ops->encode(&n->e, n->event, &n->q, codes, rc, why);
	rc = check_threshold(n->e.type, n->event, codes[0], why);
	if (!rc)
		rc = encode_plain(&n->e, n->event, codes[0], why);
	return rc || !ops->extend ? rc : ops->extend(&n->e, n->event, &n->q, why);
}

static int naming_encode(struct naming *n, char *why)
{
	int rc = encode_qualified(n, why);

	return rc == -ENOKEY ? ipmu_name_unknown(n->m, n->named, n->event, why) : rc;
}

static int check_threads(struct naming *n, char *why)
{
	const struct ipmu_ops *ops = n->e.type->ops;

	return ops->check_threads ? ops->check_threads(&n->e, n->m->topo, why) : 0;
}

/* Refuse events that send an interrupt, unless the user has allowed it: no driver handles such an
 * interrupt, and its effect depends on the kernel. */
static int check_interrupts(struct naming *n, char *why)
{
	if (!n->e.interrupts || n->m->allow_pmi)
		return 0;
	return ipmu_fail(why, -EPERM, "'%s' makes its counter send an interrupt, and nothing here "
			 "handles it: under Linux it is an NMI of unknown reason, a panic with "
			 "kernel.unknown_nmi_panic, and the APIC's entry for it stays masked "
			 "afterwards, so that perf and the NMI watchdog are silent on that CPU: "
			 "where that is wanted, set IPMU_ALLOW_PMI=1", n->name);
}

static int check_other_type(struct naming *n, char *why)
{
	return n->e.type == n->named ? 0 : check_place(n, why);
}

static int choose_units(struct naming *n, char *why)
{
	const struct ipmu_ops *ops = n->e.type->ops;
	const char *plain = ipmu_type_units(n->e.type, n->event, &n->q);

	(void)why;
	n->e.units = ops->units ? ops->units(&n->e, n->event, plain) : plain;
	return 0;
}

/* ---- the canonical name */

static int write_name(struct naming *n, char *why)
{
	const struct ipmu_pmu_type *type = n->named && n->named->keeps_name ? n->named : n->e.type;
	char pfm[IPMU_QUALIFIERS_TEXT], own[IPMU_QUALIFIERS_TEXT], place[24] = "", box[24] = "";
	int length;

	if (n->e.place != IPMU_ALL)
		snprintf(place, sizeof(place), ":%s=%d", place_key(n), n->e.place);
	if (n->e.box != IPMU_ALL)
		snprintf(box, sizeof(box), ":box=%d", n->e.box);
	length = snprintf(n->e.name, sizeof(n->e.name), "%s.%s%s%s%s%s", type->name, n->event,
			  ipmu_qualifiers_text(&n->q, IPMU_OF_PFM, pfm),
			  ipmu_qualifiers_text(&n->q, IPMU_OF_TYPE, own), place, box);
	return length < (int)sizeof(n->e.name) ? 0 :
	       ipmu_fail(why, -EINVAL, "the event name is longer than %d characters",
			 IPMU_NAME_MAX - 1);
}

static int event_of(struct naming *n, struct ipmu_event *out, char *why)
{
	static int (*const steps[])(struct naming *, char *) = {
		choose_type, check_twice, sort_qualifiers, apply_frame, check_one_box,
		check_place, naming_encode, check_threads, check_interrupts, check_other_type,
		choose_units, write_name,
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !rc; i++)
		rc = steps[i](n, why);
	if (!rc)
		*out = n->e;
	return rc;
}

/* ---- names with a PMU, and without */

/* Not inline: an event takes 2 KiB, and the thread's stack may have 16. */
__attribute__((noinline)) static int event_anywhere(const struct naming *said,
						    struct ipmu_event *out, char *why)
{
	char full[IPMU_NAME_MAX + 32];
	int first = 0, rc;

	for (int t = 0; said->m->family->types[t]; t++) {
		const struct ipmu_pmu_type *type = said->m->family->types[t];
		struct naming n = *said;
		char *reason = first ? NULL : why;

		if (!ipmu_type_has_event(type, said->event))
			continue;
		if (ipmu_raw_is(type, said->event))
			return ipmu_fail(why, -EINVAL, "'%s': its numbers mean another event to "
					 "each PMU: name one, as in %s.%s", said->name,
					 type->name, said->name);
		snprintf(full, sizeof(full), "%s.%s", type->name, said->name);
		n.name = full;
		n.pmu = type->name;
		rc = ipmu_name_check_length(full, reason);
		if (!rc)
			rc = event_of(&n, out, reason);
		if (!rc)
			return 0;
		first = first ? first : rc;
	}
	return first ? first : ipmu_fail(why, -ENOENT, "'%s': no documented PMU of this machine "
					 "has an event %s: papi_native_avail lists them",
					 said->name, said->event);
}

/* A name without a PMU means the first PMU that takes it. If none does, the reason given is that of
 * the first PMU that has the event. */
int ipmu_name_event(const struct ipmu_machine *m, const char *name,
		    const struct ipmu_frame *frame, struct ipmu_event *out, char *why)
{
	struct ipmu_parsed_name parsed;
	struct naming n = { .m = m, .frame = frame, .name = name };
	int rc = ipmu_name_parse(name, &parsed, why);

	if (rc)
		return rc;
	n.pmu = parsed.pmu;
	n.event = parsed.event;
	n.q = parsed.q;
	return n.pmu ? event_of(&n, out, why) : event_anywhere(&n, out, why);
}

int ipmu_name_event_alone(const struct ipmu_machine *m, const struct ipmu_pmu_type *type,
		     const char *event, struct ipmu_event *out)
{
	static const struct ipmu_frame anywhere = { .place = IPMU_ALL };
	struct naming n = { .m = m, .frame = &anywhere, .name = event, .pmu = type->name,
			    .event = event };

	return event_of(&n, out, NULL);
}
