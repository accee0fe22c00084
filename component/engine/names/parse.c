/* SPDX-License-Identifier: MIT */
/* The grammar of event names; parse.h has its forms. ipmu_name_parse() cuts a name into PMU, event
 * and qualifiers; ipmu_name_read() does the same for programs that have no machine. Both allocate
 * nothing and take no lock. A parsed name's pointers point into its own text, so it must not be
 * copied. */
#include "parse.h"

#include "../base/why.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAID_MAX (IPMU_QUALIFIERS_MAX - 1)

int ipmu_name_check_length(const char *name, char *why)
{
	if (strlen(name) >= IPMU_NAME_MAX)
		return ipmu_fail(why, -EINVAL, "the event name is longer than %d characters: "
				 "%.40s...", IPMU_NAME_MAX - 1, name);
	return 0;
}

static int check_characters(const char *name, char *why)
{
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

static const struct ipmu_pmu_type *type_of(const struct ipmu_family *family, const char *pmu,
					   int *box)
{
	for (int t = 0; family->types[t]; t++) {
		const struct ipmu_pmu_type *type = family->types[t];

		*box = numbered_box(type, pmu);
		if (*box != IPMU_ALL || strcasecmp(pmu, type->name) == 0)
			return type;
	}
	return NULL;
}

const struct ipmu_pmu_type *ipmu_type_named(const struct ipmu_family *family, const char *pmu,
					    int *box)
{
	const struct ipmu_pmu_type *type = NULL;

	if (family)
		return type_of(family, pmu, box);
	for (const struct ipmu_family *const *f = ipmu_families; *f && !type; f++)
		type = type_of(*f, pmu, box);
	return type;
}

int ipmu_name_check_twice(const struct ipmu_qualifiers *q, const char *name, char *why)
{
	for (int i = 0; i < q->n; i++)
		for (int j = 0; j < i; j++)
			if (ipmu_qualifier_is(&q->list[i], q->list[j].key))
				return ipmu_fail(why, -EINVAL, "'%s': the qualifier %s is given "
						 "twice", name, q->list[i].key);
	return 0;
}

static int text_number(const char *text, int *out)
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

int ipmu_name_number(const struct ipmu_qualifier *q, const char *name, int *out, char *why)
{
	if (q->value && text_number(q->value, out) == 0)
		return 0;
	return ipmu_fail(why, -EINVAL, "'%s': %s takes a number, as in %s=0", name, q->key,
			 q->key);
}

/* ---- cutting */

static void add_qualifier(struct ipmu_parsed_name *p, char *word)
{
	char *equals = strchr(word, '=');

	if (equals)
		*equals = '\0';
	p->q.list[p->q.n++] = (struct ipmu_qualifier){ .key = word,
						       .value = equals ? equals + 1 : NULL };
}

/* "EVENT.UMASK": the manual's spelling of an event with its unit mask. libpfm4 cannot have a dot in
 * a unit mask and has an underscore there. */
static int cut_umask(struct ipmu_parsed_name *p, const char *name, char *event, char *why)
{
	char *dot = strchr(event, '.');

	p->event = event;
	if (!dot)
		return 0;
	if (dot[1] == '\0')
		return ipmu_fail(why, -EINVAL, "'%s': no unit mask follows the dot", name);
	*dot = '\0';
	for (char *c = dot + 1; *c; c++)
		if (*c == '.')
			*c = '_';
	add_qualifier(p, dot + 1);
	return 0;
}

static int cut_qualifiers(struct ipmu_parsed_name *p, const char *name, char *rest, char *why)
{
	char *colon = strchr(rest, ':');
	int rc;

	if (colon)
		*colon = '\0';
	rc = cut_umask(p, name, rest, why);
	while (colon && !rc) {
		char *next = strchr(colon + 1, ':');

		if (next)
			*next = '\0';
		if (p->q.n == SAID_MAX)
			return ipmu_fail(why, -EINVAL, "'%s': more than %d qualifiers", name,
					 SAID_MAX);
		if (colon[1] == '\0')
			return ipmu_fail(why, -EINVAL, "'%s': a qualifier is empty: nothing "
					 "follows a colon", name);
		add_qualifier(p, colon + 1);
		colon = next;
	}
	return rc;
}

/* Cut off the PMU and return what follows it. A dot ends a PMU's name only if some machine has a
 * PMU of that name. Otherwise the dot stands before a unit mask. */
static char *cut_pmu(struct ipmu_parsed_name *p)
{
	char *colons = strstr(p->text, "::"), *dot = strchr(p->text, '.');
	int box;

	if (colons) {
		*colons = '\0';
		p->pmu = p->text;
		return colons + 2;
	}
	if (!dot)
		return p->text;
	*dot = '\0';
	if (ipmu_type_named(NULL, p->text, &box)) {
		p->pmu = p->text;
		return dot + 1;
	}
	*dot = '.';
	return p->text;
}

int ipmu_name_parse(const char *name, struct ipmu_parsed_name *out, char *why)
{
	int rc = ipmu_name_check_length(name, why);
	char *rest;

	if (!rc)
		rc = check_characters(name, why);
	if (rc)
		return rc;
	memset(out, 0, sizeof(*out));
	strcpy(out->text, name);
	rest = cut_pmu(out);
	if (!*rest || *rest == ':')
		return ipmu_fail(why, -EINVAL, "'%s' names no event: write pmu.EVENT:UMASK", name);
	return cut_qualifiers(out, name, rest, why);
}

/* ---- without a machine */

/* Box number at the end of a PMU's name; IPMU_ALL: none. If a type has several boxes, libpfm4 has a
 * PMU for each, numbered like the box. */
static int box_of(const char *pmu)
{
	size_t n = pmu ? strlen(pmu) : 0;
	int box = IPMU_ALL;

	while (n > 0 && isdigit((unsigned char)pmu[n - 1]))
		n--;
	if (pmu)
		text_number(pmu + n, &box);
	return box;
}

static int *place_in(struct ipmu_name *n, const struct ipmu_qualifier *q)
{
	return ipmu_qualifier_is(q, "package") ? &n->package :
	       ipmu_qualifier_is(q, "cpu") ? &n->cpu : ipmu_qualifier_is(q, "box") ? &n->box : NULL;
}

static int read_places(struct ipmu_parsed_name *p, const char *name, struct ipmu_name *out,
		       char *why)
{
	int box = box_of(p->pmu), rc = ipmu_name_check_twice(&p->q, name, why);

	out->package = out->cpu = IPMU_ALL;
	out->box = box;
	for (struct ipmu_qualifier *q = p->q.list; q < p->q.list + p->q.n && !rc; q++) {
		int *number = place_in(out, q);

		if (!number)
			continue;
		q->owner = IPMU_OF_PLACE;
		rc = ipmu_name_number(q, name, number, why);
	}
	if (!rc && box != IPMU_ALL && out->box != box)
		rc = ipmu_fail(why, -EINVAL, "'%s' names box %d and box %d", name, box, out->box);
	return rc;
}

int ipmu_name_read(const char *name, struct ipmu_name *out, char *why)
{
	char text[IPMU_QUALIFIERS_TEXT];
	struct ipmu_parsed_name parsed;
	struct ipmu_name read;
	int rc = ipmu_name_parse(name, &parsed, why);

	if (!rc)
		rc = read_places(&parsed, name, &read, why);
	if (rc)
		return rc;
	snprintf(read.event, sizeof(read.event), "%s%s", parsed.event,
		 ipmu_qualifiers_text(&parsed.q, IPMU_OF_PFM, text));
	*out = read;
	return 0;
}
