/* SPDX-License-Identifier: MIT */
/* Event names: pmu.EVENT:UMASK:modifiers:package=N:box=N, pmu::EVENT..., EVENT.UMASK... */
#include "pfm.h"
#include "system.h"

#include "../why.h"

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

/* "EVENT.UMASK": the manual's spelling of an event with its unit mask. */
static void cut_umask(struct pieces *p, char *event)
{
	char *dot = strchr(event, '.');

	if (dot) {
		*dot = '\0';
		p->qualifiers[p->n++] = dot + 1;
	}
	p->event = event;
}

static int cut_qualifiers(struct pieces *p, char *rest, char *why)
{
	char *colon = strchr(rest, ':');

	if (colon)
		*colon = '\0';
	cut_umask(p, rest);
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

/* package= and box= are ours, the rest is libpfm4's. */
static int sort_qualifiers(const struct pieces *p, const char *name, struct ipmu_event *e,
			   char *rest, char *why)
{
	rest[0] = '\0';
	for (int i = 0; i < p->n; i++) {
		const char *q = p->qualifiers[i];
		size_t n = key_length(q);
		int *place = n == 7 && strncasecmp(q, "package", n) == 0 ? &e->package :
			     n == 3 && strncasecmp(q, "box", n) == 0 ? &e->box : NULL;

		if (!place) {
			strcat(strcat(rest, ":"), q);
			continue;
		}
		if (q[n] != '=' || parse_number(q + n + 1, place))
			return ipmu_fail(why, -EINVAL, "'%s': %.*s wants a number, as in %.*s=0",
					 name, (int)n, q, (int)n, q);
	}
	return 0;
}

static int check_place(const struct ipmu_system *sys, const struct ipmu_event *e, const char *name,
		       char *why)
{
	int boxes = 0;

	if (e->package >= sys->npackages)
		return ipmu_fail(why, -EINVAL, "'%s': there is no package %d, this machine has "
				 "%d, counted from 0", name, e->package, sys->npackages);
	for (int u = 0; u < sys->npackages; u++)
		if (e->package == IPMU_ALL || e->package == u) {
			boxes = ipmu_system_boxes(sys, e->type, u, why);
			if (!boxes)
				return -ENODEV;
			if (e->box >= boxes)
				return ipmu_fail(why, -EINVAL, "'%s': there is no box %d, %s has "
						 "%d in package %d, counted from 0", name, e->box,
						 e->type->name, boxes, u);
		}
	return 0;
}

static int fixed_counter(const struct ipmu_pmu_type *type, const char *event)
{
	for (int i = 0; type->fixed[i].event; i++)
		if (strcasecmp(type->fixed[i].event, event) == 0)
			return i;
	return -1;
}

static int encode(struct ipmu_event *e, const char *event, const char *rest, char *why)
{
	const struct ipmu_pmu_type *type = e->type;
	uint64_t code;
	int rc = ipmu_pfm_encode(type, e->box, event, rest, &code, why);

	if (rc)
		return rc;
	e->counters = (1ull << type->counters) - 1;
	e->select = code & type->select_mask;
	if (type->fixed) {
		int i = fixed_counter(type, event);

		if (i < 0)
			return ipmu_fail(why, -ENOENT, "%s has no counter for %s", type->name,
					 event);
		e->counters = 1ull << i;
	}
	for (const struct ipmu_constraint *c = type->constraints; c && c->code; c++)
		if (c->code == (e->select & 0xFF))
			e->counters = c->counters;
	return 0;
}

static int append(char *name, const char *format, const char *text, int number)
{
	size_t n = strlen(name);
	int m = snprintf(name + n, IPMU_NAME_MAX - n, format, text, number);

	return m < 0 || (size_t)m >= IPMU_NAME_MAX - n ? -EINVAL : 0;
}

static int write_name(struct ipmu_event *e, const char *event, const char *rest, char *why)
{
	int rc = snprintf(e->name, sizeof(e->name), "%s.%s%s", e->type->name, event, rest) >=
		 (int)sizeof(e->name);

	if (!rc && e->package != IPMU_ALL)
		rc = append(e->name, ":%s=%d", "package", e->package);
	if (!rc && e->box != IPMU_ALL)
		rc = append(e->name, ":%s=%d", "box", e->box);
	return rc ? ipmu_fail(why, -EINVAL, "the event name is longer than %d characters",
			      IPMU_NAME_MAX - 1) : 0;
}

static int choose_type(const struct ipmu_system *sys, const struct pieces *p, const char *name,
		       struct ipmu_event *e, char *why)
{
	e->package = e->box = IPMU_ALL;
	if (p->pmu) {
		e->type = find_type(sys, p->pmu, &e->box);
		return e->type ? 0 : ipmu_fail(why, -ENOENT, "'%s': this machine has no PMU %s",
					       name, p->pmu);
	}
	for (int t = 0; sys->family->types[t]; t++)
		if (ipmu_pfm_has_event(sys->family->types[t], IPMU_ALL, p->event)) {
			e->type = sys->family->types[t];
			return 0;
		}
	return ipmu_fail(why, -ENOENT, "'%s': no documented PMU of this machine has an event %s: "
			 "papi_native_avail lists them", name, p->event);
}

int ipmu_event_parse(const struct ipmu_system *sys, const char *name, struct ipmu_event *out,
		     char *why)
{
	struct ipmu_event e = { 0 };
	char rest[IPMU_NAME_MAX + QUALIFIERS_MAX];
	struct pieces p;
	int rc, box;

	rc = check_length(name, why);
	if (!rc)
		rc = cut(sys, name, &p, why);
	if (!rc)
		rc = choose_type(sys, &p, name, &e, why);
	if (!rc)
		rc = check_duplicates(&p, name, why);
	box = e.box;
	if (!rc)
		rc = sort_qualifiers(&p, name, &e, rest, why);
	if (!rc && box != IPMU_ALL && e.box != box)
		rc = ipmu_fail(why, -EINVAL, "'%s' names box %d and box %d", name, box, e.box);
	if (!rc)
		rc = check_place(sys, &e, name, why);
	if (!rc)
		rc = encode(&e, p.event, rest, why);
	if (!rc)
		rc = write_name(&e, p.event, rest, why);
	if (!rc)
		*out = e;
	return rc;
}

int ipmu_event_list(const struct ipmu_system *sys, int event, int umask,
		    struct ipmu_event_info *out)
{
	struct ipmu_event_info probe;

	for (int t = 0; sys->family->types[t]; t++) {
		const struct ipmu_pmu_type *type = sys->family->types[t];

		if (!ipmu_system_boxes(sys, type, 0, NULL))
			continue;
		if (ipmu_pfm_list(type, event, -1, &probe) == 0)
			return ipmu_pfm_list(type, event, umask, out);
		for (int n = 0; ipmu_pfm_list(type, n, -1, &probe) == 0; n++)
			event--;
	}
	return -ENOENT;
}
