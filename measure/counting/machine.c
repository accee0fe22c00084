/* SPDX-License-Identifier: MIT */
/* PAPI on this machine, and events by name: machine_open(), event_find(), events_each(). A name
 * without a component is tried in the likely one first, then in the other. A found event has its
 * full name and at least one part. On failure the result is a negative errno, and why has a
 * sentence. */
#include <errno.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpus.h"
#include "library.h"
#include "machine.h"
#include "virtual.h"

#define CORE "intel_core"
#define UNCORE "intel_uncore"
#define VIRTUAL "VirtualPMU"
#define MANY 4096	/* more packages, boxes than any machine has */

static int list_cpus(struct machine *m)
{
	struct cpus set;

	m->cpus = calloc(CPUS_MAX, sizeof(*m->cpus));
	if (!m->cpus || cpus_get(&set))
		return -ENOMEM;
	for (int cpu = 0; cpu < CPUS_MAX; cpu++)
		if (cpus_has(&set, cpu))
			m->cpus[m->ncpus++] = cpu;
	return 0;
}

void machine_host(char host[HOST_BYTES])
{
	host[HOST_BYTES - 1] = '\0';
	if (gethostname(host, HOST_BYTES - 1) || !host[0])
		strcpy(host, "unknown");
	for (char *c = host; *c; c++)
		if (*c <= ' ')
			*c = '_';
}

int machine_open(struct machine *m, char why[COUNT_WHY_MAX])
{
	const PAPI_hw_info_t *info;
	int rc;

	*m = (struct machine){ .model = "" };
	rc = library_open(why);
	if (rc)
		return rc;
	info = PAPI_get_hardware_info();
	snprintf(m->model, sizeof(m->model), "%.120s", info ? info->model_string : "");
	machine_host(m->host);
	machine_geometry(m->geometry, sizeof(m->geometry));
	m->is_virtual = strstr(m->model, VIRTUAL) != NULL;
	m->clock = machine_clock_rule(m->is_virtual);
	m->has_seed = virtual_seed(&m->seed);
	rc = list_cpus(m);
	if (rc)
		snprintf(why, COUNT_WHY_MAX, "no memory");
	return rc;
}

void machine_close(struct machine *m)
{
	free(m->cpus);
	*m = (struct machine){ 0 };
	PAPI_shutdown();
}

/* ---- names ---- */

static const PAPI_component_info_t *component(const char *name)
{
	int i = PAPI_get_component_index(name);

	return i < 0 ? NULL : PAPI_get_component_info(i);
}

static bool exists(const char *name)
{
	int code;

	return PAPI_event_name_to_code(name, &code) == PAPI_OK;
}

static int qualifier_number(const char *name, const char *key)
{
	const char *text = event_qualifier(name, key);

	return text ? (int)strtol(text, NULL, 10) : -1;
}

/* ---- parts ---- */

static int add_part(struct event *e, struct part p)
{
	struct part *more = realloc(e->parts, (size_t)(e->nparts + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	e->parts = more;
	e->parts[e->nparts++] = p;
	return 0;
}

static bool part_exists(const struct event *e, struct part p)
{
	char name[EVENT_NAME_MAX];

	event_part_name(e, &p, name);
	return exists(name);
}

static int add_boxes(struct event *e, int package)
{
	struct part p = { package, 0, -1, 0 };
	int rc = 0;

	if (event_qualifier(e->name, "box") || !part_exists(e, p))
		return add_part(e, (struct part){ package, qualifier_number(e->name, "box"),
						  -1, 0 });
	for (; !rc && p.box < MANY && part_exists(e, p); p.box++)
		rc = add_part(e, p);
	return rc;
}

static int add_packages(struct event *e, struct split split)
{
	int given = qualifier_number(e->name, "package"), rc = 0;
	struct part p = { given, qualifier_number(e->name, "box"), -1, 0 };

	if (given >= 0)
		return split.box ? add_boxes(e, given) : add_part(e, p);
	for (p.package = 0; !rc && p.package < MANY && part_exists(e, p); p.package++)
		rc = split.box ? add_boxes(e, p.package) : add_part(e, p);
	return rc;
}

static int add_cpus(const struct machine *m, struct event *e, struct split split)
{
	int given = qualifier_number(e->name, "cpu"), rc = 0;

	if (!split.cpu || given >= 0)
		return add_part(e, (struct part){ -1, -1, given, 0 });
	for (int i = 0; i < m->ncpus && !rc; i++)
		rc = add_part(e, (struct part){ -1, -1, m->cpus[i], 0 });
	return rc;
}

/* ---- finding ---- */

static bool is_disabled(const PAPI_component_info_t *info)
{
	return info && info->disabled && info->disabled != PAPI_EDELAY_INIT;
}

/* True: the component can count, so it may own a name that does not say its component. */
static bool is_active(const char *name)
{
	const PAPI_component_info_t *info = component(name);
	char any[64];

	/* A component checks the machine at the first query for a name. */
	snprintf(any, sizeof(any), "%s:::any", name);
	exists(any);
	return info && !is_disabled(info);
}

static int explain_disabled(const PAPI_component_info_t *info, char *why)
{
	snprintf(why, COUNT_WHY_MAX, "%s", info->disabled_reason);
	return info->disabled == PAPI_EPERM ? -EPERM : info->disabled == PAPI_ESYS ? -EIO :
	       info->disabled == PAPI_ENOMEM ? -ENOMEM : -ENODEV;
}

#define LISTER "papi_native_avail"

/* A sentence that names the program that lists events, which has to run on the same machine. */
static void put_reason(const struct machine *m, const char *reason, char *why)
{
	const char *lister = strstr(reason, LISTER);
	char name[64];

	if (lister && m->is_virtual && sscanf(m->model, VIRTUAL " %63s", name) == 1)
		snprintf(why, COUNT_WHY_MAX, "%.*s'vpmu run -m %s " LISTER "'%s",
			 (int)(lister - reason), reason, name, lister + strlen(LISTER));
	else
		snprintf(why, COUNT_WHY_MAX, "%s", reason);
}

/* The engine's words about a name that nothing here has. Other words are about a PMU of this
 * machine that had to be skipped. */
static bool is_unknown(const char *reason)
{
	return strstr(reason, LISTER) || strstr(reason, "this machine has no PMU");
}

static bool left_out(const PAPI_component_info_t *info)
{
	return info && info->disabled_reason[0] && !is_unknown(info->disabled_reason);
}

/* `papi` is what PAPI has said to the name with the owner before it. */
static int machine_explain(const struct machine *m, const char *given, const char *owner, int papi,
			   char *why)
{
	const PAPI_component_info_t *info = component(owner);
	char reason[256];

	if (!info) {
		snprintf(why, COUNT_WHY_MAX, "this PAPI has no component %s", owner);
		return -ENODEV;
	}
	if (is_disabled(info))
		return explain_disabled(info, why);
	snprintf(reason, sizeof(reason), "no event %.100s here: " LISTER " lists them", given);
	put_reason(m, info->disabled_reason[0] ? info->disabled_reason : reason, why);
	switch (papi) {
	case PAPI_EPERM: return -EACCES;
	case PAPI_EINVAL: return -EINVAL;
	case PAPI_ESYS: return -EIO;
	case PAPI_ENOMEM: return -ENOMEM;
	}
	return is_unknown(why) ? -ENOENT : -ENXIO;
}

/* A name without its component: names of uncore PMUs and of their events have this in them. */
static const char *likely_owner(const char *given)
{
	return strcasestr(given, "unc_") ? UNCORE : CORE;
}

/* PAPI's code. */
static int find_in(const char *owner, const char *given, struct event *e)
{
	int code, rc;

	if (strstr(given, ":::"))
		snprintf(e->name, sizeof(e->name), "%s", given);
	else
		snprintf(e->name, sizeof(e->name), "%s:::%s", owner, given);
	rc = PAPI_event_name_to_code(e->name, &code);
	if (rc != PAPI_OK)
		return rc;
	e->component = PAPI_get_event_component(code);
	e->uncore = !strncmp(e->name, UNCORE ":::", strlen(UNCORE ":::"));
	return rc;
}

/* A name without its component: if the likely owner does not have it, the other one may. *owner
 * becomes the one that has it, or else says more. PAPI's code. */
static int find_in_both(const char **owner, const char *given, struct event *e)
{
	const char *other = strcmp(*owner, CORE) ? CORE : UNCORE;
	int rc = find_in(*owner, given, e), second;
	const PAPI_component_info_t *info;

	if (rc == PAPI_OK || strstr(given, ":::") || !is_active(other))
		return rc;
	second = find_in(other, given, e);
	info = component(*owner);
	if (second == PAPI_ENOEVNT && !(is_disabled(info) && info->disabled == PAPI_ECMP) &&
	    !left_out(component(other)))
		return rc;
	*owner = other;
	return second;
}

static const char *owner_of(const char *given)
{
	if (!strstr(given, ":::"))
		return likely_owner(given);
	if (!strncmp(given, UNCORE ":::", strlen(UNCORE ":::")))
		return UNCORE;
	return !strncmp(given, CORE ":::", strlen(CORE ":::")) ? CORE : NULL;
}

static int check_name(const char *given, const char *owner, char *why)
{
	if (!owner) {
		snprintf(why, COUNT_WHY_MAX, "%.100s: only events of " CORE " and " UNCORE
			 " count what another process does", given);
		return -EINVAL;
	}
	if (strlen(given) + strlen(UNCORE ":::") < EVENT_NAME_MAX)
		return 0;
	snprintf(why, COUNT_WHY_MAX, "the name of event %.100s... is too long: at most %zu "
		 "bytes", given, EVENT_NAME_MAX - strlen(UNCORE ":::") - 1);
	return -EINVAL;
}

static int event_no_memory(struct event *e, char *why)
{
	event_free(e);
	snprintf(why, COUNT_WHY_MAX, "no memory");
	return -ENOMEM;
}

int event_find(const struct machine *m, const char *given, struct split split, struct event *out,
	       char why[COUNT_WHY_MAX])
{
	const char *owner = owner_of(given);
	struct event e = { .given = NULL };
	int rc = check_name(given, owner, why);

	if (rc)
		return rc;
	rc = find_in_both(&owner, given, &e);
	if (rc != PAPI_OK)
		return machine_explain(m, given, owner, rc, why);
	rc = e.uncore ? add_packages(&e, split) : add_cpus(m, &e, split);
	if (!rc && !e.nparts)
		rc = add_part(&e, (struct part){ -1, qualifier_number(e.name, "box"), -1, 0 });
	e.given = rc ? NULL : strdup(given);
	if (!e.given)
		return event_no_memory(&e, why);
	*out = e;
	return 0;
}

/* ---- listing ---- */

static void each_umask(int event, int component, void (*try)(void *arg, const char *name),
		       void *arg)
{
	char name[PAPI_MAX_STR_LEN];
	int code = event;

	do
		if (PAPI_event_code_to_name(code, name) == PAPI_OK && strstr(name, ":::"))
			try(arg, strstr(name, ":::") + 3);
	while (PAPI_enum_cmp_event(&code, PAPI_NTV_ENUM_UMASKS, component) == PAPI_OK);
}

void events_each(void (*try)(void *arg, const char *name), void *arg)
{
	static const char *const owners[] = { UNCORE, CORE };

	for (size_t i = 0; i < sizeof(owners) / sizeof(owners[0]); i++) {
		int cid = PAPI_get_component_index(owners[i]), code = PAPI_NATIVE_MASK;

		if (cid < 0 || PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, cid) != PAPI_OK)
			continue;
		do
			each_umask(code, cid, try, arg);
		while (PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, cid) == PAPI_OK);
	}
}
