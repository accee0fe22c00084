/* SPDX-License-Identifier: MIT */
/* PAPI component for the documented uncore PMUs: a thin layer over libintelpmu.
 *
 * Delayed initialization: registers are first touched when a client lists or adds an event. */
#include "event_table.h"

#include "papi.h"
#include "papi_internal.h"
#include "papi_memory.h"
#include "papi_vector.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MAX 64	/* in one event set; PAPI's overflow knows no more */

papi_vector_t _intel_uncore_vector;
#define INFO (_intel_uncore_vector.cmp_info)

static struct ipmu_topology *topology;
static struct ipmu_system *machine;
static struct event_table events;
static int lock_id;
static char last_why[IPMU_WHY_MAX];

/* One position of the counts array. PAPI finds an event's count by its position and by PAPI's code
 * for it, so both stay with an event for as long as the event set has it. */
struct place {
	int code, papi_code;
	int index;		/* in the session; -1: not in the set now */
};

struct control_state {
	struct ipmu_session *session;
	int nplaces;
	struct place places[EVENTS_MAX];
	long long counts[EVENTS_MAX];
};

struct context {
	int unused;
};

static int papi_code_of(int rc)
{
	switch (rc) {
	case 0:
		return PAPI_OK;
	case -ENOENT:
		return PAPI_ENOEVNT;
	case -EINVAL:
		return PAPI_EINVAL;
	case -ENOSPC:
	case -EBUSY:
		return PAPI_ECNFLCT;
	case -EACCES:
	case -EPERM:
		return PAPI_EPERM;
	case -ENOMEM:
		return PAPI_ENOMEM;
	case -ENODEV:
	case -ENXIO:
		return PAPI_ECMP;
	default:
		return PAPI_ESYS;
	}
}

/* PAPI asks about the same name several times: say it once. Shown where the user wants PAPI's
 * messages (PAPI_VERBOSE, PAPI_set_debug). */
static int report(int rc, const char *why)
{
	if (strcmp(why, last_why) != 0) {
		snprintf(last_why, sizeof(last_why), "%s", why);
		PAPIERROR("intel_uncore: %s", why);
	}
	return papi_code_of(rc);
}

static int disable(int rc, const char *why)
{
	snprintf(INFO.disabled_reason, sizeof(INFO.disabled_reason), "%s", why);
	INFO.disabled = papi_code_of(rc);
	return INFO.disabled;
}

static void note_partial(void)
{
	char why[IPMU_WHY_MAX];
	const struct ipmu_pmu_type *type;
	size_t n = strlen(INFO.description);

	if (ipmu_system_note(machine)[0])
		n += (size_t)snprintf(INFO.description + n, sizeof(INFO.description) - n, "; %s",
				      ipmu_system_note(machine));
	for (int i = 0; (type = ipmu_system_type(machine, i)) != NULL; i++)
		if (!ipmu_system_boxes(machine, type, 0, why) && n < sizeof(INFO.description))
			n += (size_t)snprintf(INFO.description + n, sizeof(INFO.description) - n,
					      "; no %s: %.200s", ipmu_type_name(type), why);
}

static int open_machine(char *why)
{
	int rc = ipmu_topology_load(&topology, why);

	if (rc)
		return rc;
	rc = ipmu_system_open(topology, IPMU_SCOPE_PACKAGE, &machine, why);
	if (rc)
		goto free_topology;
	rc = event_table_fill(&events, machine);
	if (rc) {
		snprintf(why, IPMU_WHY_MAX, "out of memory for the list of events");
		goto close_machine;
	}
	return 0;
close_machine:
	ipmu_system_close(machine);
	machine = NULL;
free_topology:
	ipmu_topology_free(topology);
	topology = NULL;
	return rc;
}

static int initialize_locked(void)
{
	char why[IPMU_WHY_MAX] = "";
	int rc;

	if (INFO.disabled != PAPI_EDELAY_INIT)
		return INFO.disabled;
	rc = open_machine(why);
	INFO.initialized = 1;
	if (rc)
		return disable(rc, why);
	INFO.num_native_events = events.events;
	INFO.disabled_reason[0] = '\0';
	note_partial();
	INFO.disabled = PAPI_OK;
	return PAPI_OK;
}

static int initialize(void)
{
	int rc;

	if (INFO.disabled != PAPI_EDELAY_INIT)
		return INFO.disabled;
	_papi_hwi_lock(lock_id);
	rc = initialize_locked();
	_papi_hwi_unlock(lock_id);
	return rc;
}

static void publish_pmu_names(void)
{
	char name[32];

	for (int i = 0; i < PAPI_PMU_MAX - 1 && ipmu_names_pmu(IPMU_SCOPE_PACKAGE, i, name); i++)
		if (!INFO.pmu_names[i])
			INFO.pmu_names[i] = strdup(name);
}

static int init_component(int cidx)
{
	char why[IPMU_WHY_MAX] = "";
	int rc;

	INFO.CmpIdx = cidx;
	lock_id = PAPI_NUM_LOCK + NUM_INNER_LOCK + cidx;
	rc = ipmu_names_open(why);
	if (rc)
		return disable(rc, why);
	publish_pmu_names();
	INFO.num_cntrs = INFO.num_mpx_cntrs = EVENTS_MAX;
	INFO.num_native_events = -1;
	snprintf(INFO.disabled_reason, sizeof(INFO.disabled_reason),
		 "not initialized yet: list or add an event of it");
	INFO.disabled = PAPI_EDELAY_INIT;
	return PAPI_EDELAY_INIT;
}

static int shutdown_component(void)
{
	if (machine)
		ipmu_system_close(machine);
	machine = NULL;
	event_table_free(&events);
	ipmu_topology_free(topology);
	topology = NULL;
	last_why[0] = '\0';
	for (int i = 0; i < PAPI_PMU_MAX; i++) {
		free(INFO.pmu_names[i]);
		INFO.pmu_names[i] = NULL;
	}
	INFO.initialized = 0;
	return PAPI_OK;
}

static int init_thread(hwd_context_t *ctx)
{
	(void)ctx;
	return PAPI_OK;
}

static int shutdown_thread(hwd_context_t *ctx)
{
	(void)ctx;
	return PAPI_OK;
}

static int init_control_state(hwd_control_state_t *ctl)
{
	struct control_state *state = (struct control_state *)ctl;

	memset(state, 0, sizeof(*state));
	return initialize();
}

/* ---- the events of a set ---- */

static int place_of(struct control_state *state, int code)
{
	for (int i = 0; i < state->nplaces; i++)
		if (state->places[i].code == code)
			return i;
	return -1;
}

static int free_place(struct control_state *state)
{
	for (int i = 0; i < state->nplaces; i++)
		if (state->places[i].index < 0)
			return i;
	return state->nplaces < EVENTS_MAX ? state->nplaces++ : -1;
}

/* Places that the new list does not need are free before any new event looks for one. */
static void keep_places(struct control_state *state, const NativeInfo_t *native, int count)
{
	for (int i = 0; i < state->nplaces; i++)
		state->places[i].index = -1;
	for (int n = 0; n < count; n++) {
		int i = place_of(state, native[n].ni_event);

		if (i >= 0)
			state->places[i].index = n;
	}
	for (int i = 0; i < state->nplaces; i++)
		if (state->places[i].index < 0)
			state->places[i].code = -1;
}

static int settle(struct control_state *state, NativeInfo_t *native, int n)
{
	int i = place_of(state, native[n].ni_event);

	if (i < 0) {
		i = free_place(state);
		if (i < 0)
			return PAPI_ECOUNT;
		state->places[i] = (struct place){ .code = native[n].ni_event,
						   .papi_code = native[n].ni_papi_code };
	}
	state->places[i].index = n;
	/* PAPI_remove_event moves list entries without their PAPI code. */
	native[n].ni_papi_code = state->places[i].papi_code;
	native[n].ni_position = i;
	return PAPI_OK;
}

static int resolve_all(const NativeInfo_t *native, int count, struct ipmu_event *list, char *why)
{
	int rc = 0;

	_papi_hwi_lock(lock_id);
	for (int n = 0; n < count && !rc; n++)
		rc = event_table_resolve(&events, (unsigned)native[n].ni_event, &list[n], why);
	_papi_hwi_unlock(lock_id);
	return rc;
}

static int set_events(struct control_state *state, const NativeInfo_t *native, int count)
{
	struct ipmu_event *list = calloc((size_t)count + 1, sizeof(*list));
	char why[IPMU_WHY_MAX] = "out of memory for an event set";
	int rc = list ? resolve_all(native, count, list, why) : -ENOMEM;

	if (!rc && !state->session)
		rc = ipmu_session_new(machine, &state->session, why);
	if (!rc)
		rc = ipmu_session_set(state->session, list, count, why);
	free(list);
	return rc ? report(rc, why) : PAPI_OK;
}

static int update_control_state(hwd_control_state_t *ctl, NativeInfo_t *native, int count,
				hwd_context_t *ctx)
{
	struct control_state *state = (struct control_state *)ctl;
	int rc = initialize();

	(void)ctx;
	if (rc != PAPI_OK)
		return rc;
	if (count > EVENTS_MAX)
		return PAPI_ECOUNT;
	if (native)
		rc = set_events(state, native, count);
	if (rc != PAPI_OK || !native)
		return rc;
	keep_places(state, native, count);
	for (int n = 0; n < count && rc == PAPI_OK; n++)
		rc = settle(state, native, n);
	return rc;
}

static int cleanup_eventset(hwd_control_state_t *ctl)
{
	struct control_state *state = (struct control_state *)ctl;

	ipmu_session_free(state->session);
	memset(state, 0, sizeof(*state));
	return PAPI_OK;
}

/* ---- counting ---- */

static int start(hwd_context_t *ctx, hwd_control_state_t *ctl)
{
	struct control_state *state = (struct control_state *)ctl;
	char why[IPMU_WHY_MAX] = "";
	int rc;

	(void)ctx;
	if (!state->session)
		return PAPI_ENOEVNT;
	rc = ipmu_session_start(state->session, why);
	return rc ? report(rc, why) : PAPI_OK;
}

/* PAPI reads right before it stops, so the counts of that read stand. */
static int stop(hwd_context_t *ctx, hwd_control_state_t *ctl)
{
	struct control_state *state = (struct control_state *)ctl;
	char why[IPMU_WHY_MAX] = "";
	int rc;

	(void)ctx;
	if (!state->session)
		return PAPI_OK;
	rc = ipmu_session_stop(state->session, NULL, why);
	return rc ? report(rc, why) : PAPI_OK;
}

static int read_counts(hwd_context_t *ctx, hwd_control_state_t *ctl, long long **counts, int flags)
{
	struct control_state *state = (struct control_state *)ctl;
	uint64_t values[EVENTS_MAX];

	(void)ctx;
	(void)flags;
	*counts = state->counts;
	if (!state->session)
		return PAPI_OK;
	if (ipmu_session_read(state->session, values))
		return PAPI_ESYS;
	for (int i = 0; i < state->nplaces; i++)
		if (state->places[i].index >= 0)
			state->counts[i] = (long long)values[state->places[i].index];
	return PAPI_OK;
}

static int reset(hwd_context_t *ctx, hwd_control_state_t *ctl)
{
	struct control_state *state = (struct control_state *)ctl;

	(void)ctx;
	if (!state->session)
		return PAPI_OK;
	return ipmu_session_reset(state->session) ? PAPI_ESYS : PAPI_OK;
}

/* ---- options ---- */

/* The uncore knows no privilege levels: it counts all of them, so a wider or equal domain is all
 * that can be asked for. */
static int set_domain(hwd_control_state_t *ctl, int domain)
{
	(void)ctl;
	return (domain & PAPI_DOM_ALL) ? PAPI_OK : PAPI_EINVAL;
}

static int ctl_option(hwd_context_t *ctx, int code, _papi_int_option_t *option)
{
	(void)ctx;
	switch (code) {
	case PAPI_DOMAIN:
	case PAPI_DEFDOM:
		return set_domain(NULL, option->domain.domain);
	case PAPI_GRANUL:
	case PAPI_DEFGRN:
		return option->granularity.granularity == PAPI_GRN_SYS ? PAPI_OK : PAPI_ECMP;
	default:
		return PAPI_ENOSUPP;
	}
}

/* ---- names ---- */

static const char *bare(const char *name)
{
	size_t n = strlen(INFO.name);

	return strncmp(name, INFO.name, n) == 0 && strncmp(name + n, ":::", 3) == 0 ?
	       name + n + 3 : name;
}

/* A name without a PMU of ours may belong to another component: no word about it then. */
static bool is_ours(const char *name)
{
	char pmu[32];

	if (bare(name) != name)
		return true;
	for (int i = 0; ipmu_names_pmu(IPMU_SCOPE_PACKAGE, i, pmu); i++)
		if (strncasecmp(name, pmu, strlen(pmu)) == 0)
			return true;
	return false;
}

static int name_to_code(const char *name, unsigned int *code)
{
	char why[IPMU_WHY_MAX] = "";
	int rc = initialize();

	if (rc != PAPI_OK)
		return rc;
	_papi_hwi_lock(lock_id);
	rc = event_table_code(&events, bare(name), why);
	_papi_hwi_unlock(lock_id);
	if (rc < 0)
		return is_ours(name) || rc != -ENOENT ? report(rc, why) : papi_code_of(rc);
	*code = (unsigned)rc;
	return PAPI_OK;
}

static int enumerate_locked(unsigned int *code, int modifier)
{
	int rc;

	switch (modifier) {
	case PAPI_ENUM_FIRST:
		rc = event_table_first(&events);
		break;
	case PAPI_ENUM_EVENTS:
		rc = event_table_next(&events, *code);
		break;
	case PAPI_NTV_ENUM_UMASKS:
		rc = event_table_umask(&events, *code);
		break;
	default:
		return PAPI_EINVAL;
	}
	if (rc < 0)
		return PAPI_ENOEVNT;
	*code = (unsigned)rc;
	_papi_hwi_set_papi_event_string(event_table_get(&events, *code)->name);
	return PAPI_OK;
}

static int enumerate(unsigned int *code, int modifier)
{
	int rc = initialize();

	if (rc != PAPI_OK)
		return rc;
	_papi_hwi_lock(lock_id);
	rc = enumerate_locked(code, modifier);
	_papi_hwi_unlock(lock_id);
	return rc;
}

/* Entries never move or change once they have a code. */
static const struct event_entry *entry_of(unsigned int code)
{
	const struct event_entry *e;

	if (initialize() != PAPI_OK)
		return NULL;
	_papi_hwi_lock(lock_id);
	e = event_table_get(&events, code);
	_papi_hwi_unlock(lock_id);
	return e;
}

static int code_to_name(unsigned int code, char *name, int len)
{
	const struct event_entry *e = entry_of(code);

	if (!e)
		return PAPI_ENOEVNT;
	return snprintf(name, (size_t)len, "%s", e->name) < len ? PAPI_OK : PAPI_EBUF;
}

static int code_to_descr(unsigned int code, char *descr, int len)
{
	const struct event_entry *e = entry_of(code);

	if (!e)
		return PAPI_ENOEVNT;
	snprintf(descr, (size_t)len, "%s%s%s", e->desc, e->umask_desc[0] ? ", masks:" : "",
		 e->umask_desc);
	return PAPI_OK;
}

static int code_to_info(unsigned int code, PAPI_event_info_t *info)
{
	const struct event_entry *e = entry_of(code);

	if (!e)
		return PAPI_ENOEVNT;
	snprintf(info->symbol, sizeof(info->symbol), "%s", e->name);
	code_to_descr(code, info->long_descr, (int)sizeof(info->long_descr));
	snprintf(info->units, sizeof(info->units), "%s", e->units);
	info->location = PAPI_LOCATION_UNCORE;
	info->data_type = PAPI_DATATYPE_UINT64;
	info->value_type = PAPI_VALUETYPE_RUNNING_SUM;
	info->timescope = PAPI_TIMESCOPE_SINCE_START;
	return PAPI_OK;
}

papi_vector_t _intel_uncore_vector = {
	.cmp_info = {
		.name = "intel_uncore",
		.short_name = "intel_uncore",
		.version = "1.0",
		.description = "Documented Intel uncore PMUs; sums over this node, package=N and "
			       "box=N narrow it",
		.default_domain = PAPI_DOM_ALL,
		.available_domains = PAPI_DOM_ALL,
		.default_granularity = PAPI_GRN_SYS,
		.available_granularities = PAPI_GRN_SYS,
		.kernel_multiplex = 1,	/* so that a request for it comes here and is refused */
		.cntr_umasks = 1,
	},
	.size = {
		.context = sizeof(struct context),
		.control_state = sizeof(struct control_state),
		.reg_value = sizeof(int),
		.reg_alloc = sizeof(int),
	},
	.init_component = init_component,
	.init_thread = init_thread,
	.init_control_state = init_control_state,
	.update_control_state = update_control_state,
	.cleanup_eventset = cleanup_eventset,
	.start = start,
	.stop = stop,
	.read = read_counts,
	.reset = reset,
	.set_domain = set_domain,
	.ctl = ctl_option,
	.shutdown_thread = shutdown_thread,
	.shutdown_component = shutdown_component,
	.ntv_enum_events = enumerate,
	.ntv_name_to_code = name_to_code,
	.ntv_code_to_name = code_to_name,
	.ntv_code_to_descr = code_to_descr,
	.ntv_code_to_info = code_to_info,
};
