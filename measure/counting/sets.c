/* SPDX-License-Identifier: MIT */
/* Counts events by PAPI's event sets: sets_open(), sets_start(), sets_read(), sets_stop(),
 * sets_close(). There is a set for each component and, where an event is counted CPU by CPU, for
 * each CPU. Counts that PAPI reports as lost are unknown from then on, and are never given as a
 * value. */
#include <errno.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sets.h"

/* PAPI runs one set of a component in a thread, and one on each CPU that a set is attached to. */
struct set {
	int papi, component, cpu;	/* cpu -1: not attached */
	int size;
	bool running, lost;
};

struct slot {
	int code, set, place;	/* place: in the values of its set */
	int count;		/* where its count goes */
};

struct sets {
	struct set *set;
	int nsets;
	struct slot *slots;
	int nslots;
	long long *values;
	char lost[COUNT_WHY_MAX];
};

static int set_attach(const struct set *s)
{
	PAPI_option_t option = { .cpu = { .eventset = s->papi, .cpu_num = (unsigned)s->cpu } };

	return PAPI_set_opt(PAPI_CPU_ATTACH, &option);
}

static int set_create(struct sets *s, int component, int cpu)
{
	struct set *one = &s->set[s->nsets];
	int rc;

	*one = (struct set){ .papi = PAPI_NULL, .component = component, .cpu = cpu };
	rc = PAPI_create_eventset(&one->papi);
	if (rc != PAPI_OK)
		return rc;
	s->nsets++;
	rc = PAPI_assign_eventset_component(one->papi, component);
	return rc == PAPI_OK && cpu >= 0 ? set_attach(one) : rc;
}

static int set_for(struct sets *s, int component, int cpu, int *out)
{
	for (int i = 0; i < s->nsets; i++)
		if (s->set[i].component == component && s->set[i].cpu == cpu) {
			*out = i;
			return PAPI_OK;
		}
	*out = s->nsets;
	return set_create(s, component, cpu);
}

static int sets_add(struct sets *s, const struct event *e, int part)
{
	const struct part *p = &e->parts[part];
	struct slot slot = { .count = e->first + part };
	char name[EVENT_NAME_MAX];
	int rc;

	event_part_name(e, p, name);
	rc = PAPI_event_name_to_code(name, &slot.code);
	if (rc == PAPI_OK)
		rc = set_for(s, e->component, e->nparts > 1 ? p->cpu : -1, &slot.set);
	if (rc != PAPI_OK)
		return rc;
	/* Two spellings of an event are the same to PAPI, which takes it once. */
	for (int i = 0; i < s->nslots; i++)
		if (s->slots[i].code == slot.code && s->slots[i].set == slot.set) {
			slot.place = s->slots[i].place;
			s->slots[s->nslots++] = slot;
			return PAPI_OK;
		}
	rc = PAPI_add_event(s->set[slot.set].papi, slot.code);
	slot.place = s->set[slot.set].size;
	if (rc == PAPI_OK) {
		s->set[slot.set].size++;
		s->slots[s->nslots++] = slot;
	}
	return rc;
}

/* The component's sentence or, without one, PAPI's for the code, which cannot carry a sentence. Our
 * components leave theirs where PAPI has the reason why a component is disabled. */
static const char *reason_of(int component, int papi)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(component);

	return info && info->disabled_reason[0] ? info->disabled_reason : PAPI_strerror(papi);
}

static int sets_explain(int papi, const char *what, const char *name, int component, char *why)
{
	snprintf(why, COUNT_WHY_MAX, "cannot %s %.120s: %.800s", what, name,
		 reason_of(component, papi));
	switch (papi) {
	case PAPI_ECNFLCT:
	case PAPI_ECOUNT:
		return -ENOSPC;
	case PAPI_EPERM:
		return -EPERM;
	case PAPI_ENOMEM:
		return -ENOMEM;
	default:
		return -EIO;
	}
}

static int explain_part(int papi, const struct event *e, int part, char *why)
{
	char name[EVENT_NAME_MAX];

	event_part_name(e, &e->parts[part], name);
	return sets_explain(papi, "count", e->some ? name : e->given, e->component, why);
}

static int sets_add_event(struct sets *s, const struct event *e, char *why)
{
	int added = 0, rc = 0;

	for (int i = 0; i < e->nparts; i++) {
		int papi = sets_add(s, e, i);

		added += papi == PAPI_OK;
		if (papi != PAPI_OK && !rc)
			rc = explain_part(papi, e, i, why);
		if (rc && (!e->some || rc == -ENOSPC))
			return rc;
	}
	return added ? 0 : rc;
}

static struct sets *sets_new(const struct event *events, int n, const bool *chosen)
{
	struct sets *s = calloc(1, sizeof(*s));
	size_t parts = 1;

	for (int i = 0; i < n; i++)
		parts += chosen[i] ? (size_t)events[i].nparts : 0;
	if (!s)
		return NULL;
	s->set = calloc(parts + 1, sizeof(*s->set));
	s->slots = calloc(parts, sizeof(*s->slots));
	s->values = calloc(parts, sizeof(*s->values));
	if (s->set && s->slots && s->values)
		return s;
	sets_close(s);
	return NULL;
}

int sets_open(const struct event *events, int n, const bool *chosen, struct sets **out,
	      char why[COUNT_WHY_MAX])
{
	struct sets *s = sets_new(events, n, chosen);
	int rc = 0;

	if (!s) {
		snprintf(why, COUNT_WHY_MAX, "no memory");
		return -ENOMEM;
	}
	for (int i = 0; i < n && !rc; i++)
		if (chosen[i])
			rc = sets_add_event(s, &events[i], why);
	if (rc)
		sets_close(s);
	else
		*out = s;
	return rc;
}

static const char *component_name(const struct set *s)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(s->component);

	return info ? info->name : "";
}

int sets_start(struct sets *s, char why[COUNT_WHY_MAX])
{
	int rc = 0;

	for (int i = 0; i < s->nsets; i++) {
		struct set *one = &s->set[i];
		int papi = PAPI_start(one->papi);

		one->running = papi == PAPI_OK;
		if (!one->running && !rc)
			rc = sets_explain(papi, "start the counters of", component_name(one),
				     one->component, why);
	}
	return rc == -ENOSPC ? -EBUSY : rc;
}

static void set_take(const struct sets *s, int set, struct count *counts)
{
	for (int i = 0; i < s->nslots; i++)
		if (s->slots[i].set == set)
			counts[s->slots[i].count] =
				(struct count){ s->values[s->slots[i].place], true };
}

static void set_forget(const struct sets *s, int set, struct count *counts)
{
	for (int i = 0; i < s->nslots; i++)
		if (s->slots[i].set == set)
			counts[s->slots[i].count].known = false;
}

/* PAPI reports a loss once, and gives the last good count from then on. */
void sets_read(struct sets *s, struct count *counts)
{
	for (int i = 0; i < s->nsets; i++) {
		struct set *one = &s->set[i];
		int rc = one->running && !one->lost ? PAPI_read(one->papi, s->values) : PAPI_OK;

		if (rc == PAPI_ECLOST) {
			one->lost = true;
			sets_explain(rc, "read the counters of", component_name(one),
				     one->component, s->lost);
		}
		if (rc == PAPI_OK && one->running && !one->lost)
			set_take(s, i, counts);
		else
			set_forget(s, i, counts);
	}
}

/* PAPI_stop reports lost counts once, and ends the set only when it is called again. */
static int set_stop(struct sets *s, struct set *one, struct count *counts, char *why)
{
	int rc = PAPI_stop(one->papi, s->values);

	one->running = false;
	if (one->lost) {
		snprintf(why, COUNT_WHY_MAX, "%s", s->lost);
		return -ESTALE;
	}
	if (rc == PAPI_OK) {
		set_take(s, (int)(one - s->set), counts);
		return 0;
	}
	sets_explain(rc, "read the counters of", component_name(one), one->component, why);
	if (rc == PAPI_ECLOST)
		PAPI_stop(one->papi, s->values);
	return -ESTALE;
}

int sets_stop(struct sets *s, struct count *counts, char why[COUNT_WHY_MAX])
{
	char others[COUNT_WHY_MAX];
	int rc = 0;

	for (int i = 0; i < s->nsets; i++)
		if (s->set[i].running)
			rc |= set_stop(s, &s->set[i], counts, rc ? others : why);
	return rc;
}

void sets_close(struct sets *s)
{
	/* After another's PAPI_shutdown the numbers of our sets mean nothing. */
	bool valid = s->set && PAPI_is_initialized() != PAPI_NOT_INITED;

	for (int i = 0; valid && i < s->nsets; i++) {
		if (s->set[i].running)
			PAPI_stop(s->set[i].papi, s->values);
		PAPI_cleanup_eventset(s->set[i].papi);
		PAPI_destroy_eventset(&s->set[i].papi);
	}
	free(s->set);
	free(s->slots);
	free(s->values);
	free(s);
}
