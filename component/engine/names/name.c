/* SPDX-License-Identifier: MIT */
/* Event names: pmu.EVENT:UMASK:modifiers:package=N:box=N, pmu::EVENT..., EVENT.UMASK... */
#include "pfm.h"
#include "../counting/system.h"

#include "../base/why.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUALIFIERS_MAX 16

/* A name cut to pieces; the pieces point into `text`. */
struct pieces {
	char text[IPMU_NAME_MAX];
	const char *pmu, *event;	/* pmu NULL: not given */
	const char *qualifiers[QUALIFIERS_MAX];
	int n;
};

static int check_length(const char *name, char *why)
{
	if (strlen(name) >= IPMU_NAME_MAX)
		return ipmu_fail(why, -EINVAL, "the event name is longer than %d characters: "
				 "%.40s...", IPMU_NAME_MAX - 1, name);
	if (strpbrk(name, ", \t"))
		return ipmu_fail(why, -EINVAL, "'%s': an event name has no blank and no comma",
				 name);
	return 0;
}

static int numbered_box(const struct ipmu_pmu_type *type, const char *pmu)
{
	size_t n = strlen(type->name);

	if (!type->pfm_numbered || strncasecmp(pmu, type->name, n) != 0 ||
	    !isdigit((unsigned char)pmu[n]) || pmu[n + 1] != '\0')
		return IPMU_ALL;
	return pmu[n] - '0';
}

static const struct ipmu_pmu_type *find_type(const struct ipmu_system *sys, const char *pmu,
					     int *box)
{
	*box = IPMU_ALL;
	for (int t = 0; sys->family->types[t]; t++) {
		const struct ipmu_pmu_type *type = sys->family->types[t];

		if (strcasecmp(pmu, type->name) == 0)
			return type;
		*box = numbered_box(type, pmu);
		if (*box != IPMU_ALL)
			return type;
	}
	return NULL;
}

/* "EVENT.UMASK": the manual's spelling of an event with its unit mask. libpfm4 cannot have a dot in
 * a unit mask and has an underscore there. */
static int cut_umask(struct pieces *p, char *event, char *why)
{
	char *dot = strchr(event, '.');

	if (dot && dot[1] == '\0')
		return ipmu_fail(why, -EINVAL, "'%s': no unit mask follows the dot", event);
	if (dot) {
		*dot = '\0';
		p->qualifiers[p->n++] = dot + 1;
		for (char *c = dot + 1; *c; c++)
			if (*c == '.')
				*c = '_';
	}
	p->event = event;
	return 0;
}

static int cut_qualifiers(struct pieces *p, char *rest, char *why)
{
	char *colon = strchr(rest, ':');
	int rc;

	if (colon)
		*colon = '\0';
	rc = cut_umask(p, rest, why);
	if (rc)
		return rc;
	while (colon) {
		char *next = strchr(colon + 1, ':');

		if (next)
			*next = '\0';
		if (p->n == QUALIFIERS_MAX || colon[1] == '\0')
			return ipmu_fail(why, -EINVAL, "'%s': %s", p->event, colon[1] ?
					 "too many qualifiers" : "a qualifier is empty");
		p->qualifiers[p->n++] = colon + 1;
		colon = next;
	}
	return 0;
}

static int cut(const struct ipmu_system *sys, const char *name, struct pieces *p, char *why)
{
	char *rest = p->text, *sep;
	int box;

	memset(p, 0, sizeof(*p));
	strcpy(p->text, name);
	sep = strstr(rest, "::");
	if (sep) {
		*sep = '\0';
		p->pmu = rest;
		rest = sep + 2;
	} else if ((sep = strchr(rest, '.')) != NULL) {
		*sep = '\0';
		if (find_type(sys, rest, &box)) {
			p->pmu = rest;
			rest = sep + 1;
		} else {
			*sep = '.';
		}
	}
	if (!*rest || *rest == ':')
		return ipmu_fail(why, -EINVAL, "'%s' names no event: write pmu.EVENT:UMASK", name);
	return cut_qualifiers(p, rest, why);
}

static size_t key_length(const char *qualifier)
{
	return strcspn(qualifier, "=");
}

static int check_duplicates(const struct pieces *p, const char *name, char *why)
{
	for (int i = 0; i < p->n; i++)
		for (int j = 0; j < i; j++) {
			size_t n = key_length(p->qualifiers[i]);

			if (n == key_length(p->qualifiers[j]) &&
			    strncasecmp(p->qualifiers[i], p->qualifiers[j], n) == 0)
				return ipmu_fail(why, -EINVAL, "'%s': the qualifier %.*s stands "
						 "there twice", name, (int)n, p->qualifiers[i]);
		}
	return 0;
}

static int parse_number(const char *text, int *out)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || v > 9999)
		return -EINVAL;
	*out = (int)v;
	return 0;
}

static bool is_key(const char *qualifier, const char *key)
{
	size_t n = key_length(qualifier);

	return n == strlen(key) && strncasecmp(qualifier, key, n) == 0;
}

static bool types_own(const struct ipmu_pmu_type *type, const char *qualifier)
{
	for (const struct ipmu_qualifier *q = type->qualifiers; q && q->name; q++)
		if (is_key(qualifier, q->name))
			return true;
	return false;
}

/* The place and the box are ours, some are the type's, the rest is libpfm4's. */
static int sort_qualifiers(const struct ipmu_system *sys, const struct pieces *p, const char *name,
			   struct ipmu_event *e, char *rest, char *own, char *why)
{
	const char *place = sys->family->scope == IPMU_SCOPE_PACKAGE ? "package" : "cpu";

	rest[0] = own[0] = '\0';
	for (int i = 0; i < p->n; i++) {
		const char *q = p->qualifiers[i];
		int *number = is_key(q, place) ? &e->place : is_key(q, "box") ? &e->box : NULL;
		int n = (int)key_length(q);

		if (!number)
			strcat(strcat(types_own(e->type, q) ? own : rest, ":"), q);
		else if (q[n] != '=' || parse_number(q + n + 1, number))
			return ipmu_fail(why, -EINVAL, "'%s': %.*s wants a number, as in %.*s=0",
					 name, n, q, n, q);
	}
	return 0;
}

static int check_box(const struct ipmu_system *sys, const struct ipmu_event *e, const char *name,
		     int place, char *why)
{
	int boxes = ipmu_system_boxes(sys, e->type, place, why);

	if (!boxes)
		return -ENODEV;
	if (e->box >= boxes)
		return ipmu_fail(why, -EINVAL, "'%s': there is no box %d, %s has %d in %s %d, "
				 "counted from 0", name, e->box, e->type->name, boxes,
				 sys->family->scope == IPMU_SCOPE_PACKAGE ? "package" : "CPU",
				 place);
	return 0;
}

static int check_place(const struct ipmu_system *sys, const struct ipmu_event *e, const char *name,
		       char *why)
{
	int rc = 0;

	if (e->place != IPMU_ALL && !ipmu_unit_find(sys, e->place))
		return sys->family->scope == IPMU_SCOPE_PACKAGE ?
			ipmu_fail(why, -EINVAL, "'%s': there is no package %d, this machine has "
				  "%d, counted from 0", name, e->place, sys->nunits) :
			ipmu_fail(why, -EINVAL, "'%s': this machine has no CPU %d", name, e->place);
	if (e->place != IPMU_ALL)
		return check_box(sys, e, name, e->place, why);
	for (int u = 0; u < sys->nunits && !rc; u++)
		rc = check_box(sys, e, name, sys->units[u].place, why);
	return rc;
}

static int fixed_counter(const struct ipmu_pmu_type *type, const char *event)
{
	for (int i = 0; type->fixed[i].event; i++)
		if (strcasecmp(type->fixed[i].event, event) == 0)
			return i;
	return -1;
}

static int encode_plain(struct ipmu_event *e, const char *event, uint64_t code, char *why)
{
	const struct ipmu_pmu_type *type = e->type;
	struct ipmu_choice *choice = &e->choices[0];

	e->nchoices = 1;
	choice->counters = (1ull << type->counters) - 1;
	choice->select = code & type->select_mask;
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

static int encode(struct ipmu_event *e, const char *event, const char *rest, const char *own,
		  char *why)
{
	uint64_t codes[IPMU_CODES_MAX] = { 0 };
	int n = e->type->ops->check ? e->type->ops->check(e->type, event, rest, why) : 0;

	if (!n && e->type->own_names)
		return e->type->ops->encode(e, event, rest, own, codes, 0, why);
	if (!n)
		n = ipmu_pfm_encode(e->type, e->box, event, rest, codes, why);
	if (n < 0)
		return n;
	if (e->type->ops->encode)
		return e->type->ops->encode(e, event, rest, own, codes, n, why);
	n = encode_plain(e, event, codes[0], why);
	return n || !e->type->ops->extend ? n : e->type->ops->extend(e, event, own, why);
}

static const char *units_of(const struct ipmu_event *e, const char *event, const char *rest)
{
	const char *plain = ipmu_type_units(e->type, event, rest);

	return e->type->ops->units ? e->type->ops->units(e, event, plain) : plain;
}

static int append(char *name, const char *format, const char *text, int number)
{
	size_t n = strlen(name);
	int m = snprintf(name + n, IPMU_NAME_MAX - n, format, text, number);

	return m < 0 || (size_t)m >= IPMU_NAME_MAX - n ? -EINVAL : 0;
}

static int write_name(const struct ipmu_system *sys, struct ipmu_event *e, const char *event,
		      const char *rest, const char *own, char *why)
{
	const char *place = sys->family->scope == IPMU_SCOPE_PACKAGE ? "package" : "cpu";
	int rc = snprintf(e->name, sizeof(e->name), "%s.%s%s%s", e->type->name, event, rest, own) >=
		 (int)sizeof(e->name);

	if (!rc && e->place != IPMU_ALL)
		rc = append(e->name, ":%s=%d", place, e->place);
	if (!rc && e->box != IPMU_ALL)
		rc = append(e->name, ":%s=%d", "box", e->box);
	return rc ? ipmu_fail(why, -EINVAL, "the event name is longer than %d characters",
			      IPMU_NAME_MAX - 1) : 0;
}

static int choose_type(const struct ipmu_system *sys, const struct pieces *p, const char *name,
		       struct ipmu_event *e, char *why)
{
	e->place = e->box = IPMU_ALL;
	e->type = find_type(sys, p->pmu, &e->box);
	return e->type ? 0 : ipmu_fail(why, -ENOENT, "'%s': this machine has no PMU %s", name,
				       p->pmu);
}

static bool has_event(const struct ipmu_pmu_type *type, const char *event)
{
	return type->own_names ? type->ops->knows(event) :
				 ipmu_pfm_has_event(type, IPMU_ALL, event);
}

static bool says_level(const struct pieces *p)
{
	for (int i = 0; i < p->n; i++)
		if (is_key(p->qualifiers[i], "u") || is_key(p->qualifiers[i], "k"))
			return true;
	return false;
}

/* `rest` has room for it: a name has no more qualifiers than there is room for. */
static int apply_frame(const struct ipmu_system *sys, const struct pieces *p, const char *name,
		       const struct ipmu_frame *frame, struct ipmu_event *e, char *rest, char *why)
{
	bool packages = sys->family->scope == IPMU_SCOPE_PACKAGE;

	if (frame->user != frame->kernel && !packages && !says_level(p))
		strcat(rest, frame->user ? ":u" : ":k");
	if (frame->place == IPMU_ALL || e->place == frame->place)
		return 0;
	if (e->place != IPMU_ALL)
		return ipmu_fail(why, -EINVAL, "'%s' belongs to a set that counts on %s %d: leave "
				 "%s= away", name, packages ? "package" : "CPU", frame->place,
				 packages ? "package" : "cpu");
	e->place = frame->place;
	return 0;
}

/* No driver knows of such an interrupt, so what the kernel makes of it is not a matter of taste. */
static int check_interrupts(const struct ipmu_system *sys, const struct ipmu_event *e,
			    const char *name, char *why)
{
	if (!e->interrupts || sys->allow_pmi)
		return 0;
	return ipmu_fail(why, -EPERM, "'%s' makes its counter send an interrupt, and nothing here "
			 "handles it: under Linux it is an NMI of unknown reason, a panic with "
			 "kernel.unknown_nmi_panic, and the APIC's entry for it stays masked "
			 "afterwards, so that perf and the NMI watchdog are silent on that CPU: "
			 "where that is wanted, set IPMU_ALLOW_PMI=1", name);
}

/* Without a PMU: the first one that takes it. Otherwise the first one that has the event says why
 * it does not. */
static int parse_anywhere(const struct ipmu_system *sys, const char *name, const char *event,
			  const struct ipmu_frame *frame, struct ipmu_event *out, char *why)
{
	char full[IPMU_NAME_MAX + 32];
	int first = 0, rc;

	for (int t = 0; sys->family->types[t]; t++) {
		if (!has_event(sys->family->types[t], event))
			continue;
		snprintf(full, sizeof(full), "%s.%s", sys->family->types[t]->name, name);
		rc = ipmu_event_parse_in(sys, full, frame, out, first ? NULL : why);
		if (!rc)
			return 0;
		first = first ? first : rc;
	}
	return first ? first : ipmu_fail(why, -ENOENT, "'%s': no documented PMU of this machine "
					 "has an event %s: papi_native_avail lists them", name,
					 event);
}

int ipmu_event_parse(const struct ipmu_system *sys, const char *name, struct ipmu_event *out,
		     char *why)
{
	static const struct ipmu_frame anywhere = { .place = IPMU_ALL };

	return ipmu_event_parse_in(sys, name, &anywhere, out, why);
}

int ipmu_event_parse_in(const struct ipmu_system *sys, const char *name,
			const struct ipmu_frame *frame, struct ipmu_event *out, char *why)
{
	struct ipmu_event e = { 0 };
	const struct ipmu_pmu_type *type;
	char rest[IPMU_NAME_MAX + QUALIFIERS_MAX], own[IPMU_NAME_MAX + QUALIFIERS_MAX];
	struct pieces p;
	int rc, box;

	rc = check_length(name, why);
	if (!rc)
		rc = cut(sys, name, &p, why);
	if (!rc && !p.pmu)
		return parse_anywhere(sys, name, p.event, frame, out, why);
	if (!rc)
		rc = choose_type(sys, &p, name, &e, why);
	type = e.type;
	if (!rc)
		rc = check_duplicates(&p, name, why);
	box = e.box;
	if (!rc)
		rc = sort_qualifiers(sys, &p, name, &e, rest, own, why);
	if (!rc)
		rc = apply_frame(sys, &p, name, frame, &e, rest, why);
	if (!rc && box != IPMU_ALL && e.box != box)
		rc = ipmu_fail(why, -EINVAL, "'%s' names box %d and box %d", name, box, e.box);
	if (!rc)
		rc = check_place(sys, &e, name, why);
	if (!rc)
		rc = encode(&e, p.event, rest, own, why);
	if (!rc)
		rc = check_interrupts(sys, &e, name, why);
	if (!rc && e.type != type)	/* the event is another type's here */
		rc = check_place(sys, &e, name, why);
	if (!rc)
		e.units = units_of(&e, p.event, rest);
	if (!rc)
		rc = write_name(sys, &e, p.event, rest, own, why);
	if (!rc)
		*out = e;
	return rc;
}

/* Of a listed name, "pmu.EVENT:UMASK". */
static const char *list_units(const struct ipmu_pmu_type *type, const char *name)
{
	const char *event = strchr(name, '.') + 1, *umask = strchr(event, ':');
	char bare[IPMU_NAME_MAX];

	snprintf(bare, sizeof(bare), "%.*s", (int)(umask - event), event);
	return ipmu_type_units(type, bare, umask);
}

/* An event or unit mask that libpfm4's table lacks and the type knows. */
static int list_own(const struct ipmu_pmu_type *type, int event, int umask,
		    struct ipmu_event_info *out)
{
	struct ipmu_event_info probe;
	const char *name, *desc;
	int n = 0;

	if (!type->own_names)
		return -ENOENT;
	memset(out, 0, sizeof(*out));
	if (ipmu_pfm_list(type, event, -1, out)) {
		while (ipmu_pfm_list(type, n, -1, &probe) == 0)
			n++;
		if (type->ops->more(NULL, event - n, &name, &desc))
			return -ENOENT;
		out->type = type;
		out->units = ipmu_type_units(type, name, "");
		snprintf(out->name, sizeof(out->name), "%s.%s", type->name, name);
		snprintf(out->desc, sizeof(out->desc), "%s", desc);
		n = 0;
	} else {
		while (ipmu_pfm_list(type, event, n, &probe) == 0)
			n++;
	}
	if (umask < 0)
		return 0;
	if (type->ops->more(strchr(out->name, '.') + 1, umask - n, &name, &desc) ||
	    append(out->name, ":%s", name, 0))
		return -ENOENT;
	snprintf(out->umask_desc, sizeof(out->umask_desc), "%s", desc);
	out->units = list_units(type, out->name);
	return 0;
}

static int list_event(const struct ipmu_pmu_type *type, int event, int umask,
		      struct ipmu_event_info *out)
{
	return ipmu_pfm_list(type, event, umask, out) ? list_own(type, event, umask, out) : 0;
}

int ipmu_event_list(const struct ipmu_system *sys, int event, int umask,
		    struct ipmu_event_info *out)
{
	struct ipmu_event_info probe;

	for (int t = 0; sys->family->types[t]; t++) {
		const struct ipmu_pmu_type *type = sys->family->types[t];

		if (!ipmu_unit_model(sys)->found.nboxes[t])
			continue;
		if (list_event(type, event, -1, &probe) == 0)
			return list_event(type, event, umask, out);
		for (int n = 0; list_event(type, n, -1, &probe) == 0; n++)
			event--;
	}
	return -ENOENT;
}
