/* SPDX-License-Identifier: MIT */
/* What the PAPI components for core and uncore PMUs have in common: all but their names. */
#include "inside.h"

#include "papi_memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One position of the counts array. PAPI finds an event's count by its position and by PAPI's code
 * for it, so both stay with an event for as long as the event set has it. */
struct place {
	int code, papi_code;
	int index;		/* in the session; -1: not in the set now */
};

struct control_state {
	struct glue *glue;
	struct ipmu_session *session;
	bool started;		/* since the last look at overflow deadlines */
	int nplaces;
	struct place places[GLUE_EVENTS_MAX];
	long long counts[GLUE_EVENTS_MAX];
};

_Static_assert(sizeof(struct control_state) <= GLUE_CONTROL_STATE_BYTES, "room for the state");

int glue_papi_code(int rc)
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
int glue_report(struct glue *g, int rc, const char *why)
{
	if (strcmp(why, g->last_why) != 0) {
		snprintf(g->last_why, sizeof(g->last_why), "%s", why);
		PAPIERROR("%s: %s", INFO(g).name, why);
	}
	return glue_papi_code(rc);
}

static int disable(struct glue *g, int rc, const char *why)
{
	snprintf(INFO(g).disabled_reason, sizeof(INFO(g).disabled_reason), "%s", why);
	INFO(g).disabled = glue_papi_code(rc);
	return INFO(g).disabled;
}

static void append_note(struct glue *g, const char *format, const char *what, const char *why)
{
	char *text = INFO(g).description;
	size_t n = strlen(text);

	snprintf(text + n, sizeof(INFO(g).description) - n, format, what, why);
}

static void note_partial(struct glue *g)
{
	int place = g->scope == IPMU_SCOPE_PACKAGE ? 0 : g->topology->cpus[0].os_cpu;
	const struct ipmu_pmu_type *type;
	char why[IPMU_WHY_MAX];

	if (ipmu_system_note(g->machine)[0])
		append_note(g, "; %s%s", ipmu_system_note(g->machine), "");
	for (int i = 0; (type = ipmu_system_type(g->machine, i)) != NULL; i++)
		if (!ipmu_system_boxes(g->machine, type, place, why))
			append_note(g, "; no %s: %.200s", ipmu_type_name(type), why);
}

static int open_machine(struct glue *g, char *why)
{
	int rc = ipmu_topology_acquire(&g->topology, why);

	if (rc)
		return rc;
	rc = ipmu_system_open(g->topology, g->scope, &g->machine, why);
	if (rc)
		goto free_topology;
	rc = event_table_fill(&g->events, g->machine);
	if (rc) {
		snprintf(why, IPMU_WHY_MAX, "out of memory for the list of events");
		goto close_machine;
	}
	return 0;
close_machine:
	ipmu_system_close(g->machine);
	g->machine = NULL;
free_topology:
	ipmu_topology_release();
	g->topology = NULL;
	return rc;
}

static int initialize_locked(struct glue *g)
{
	char why[IPMU_WHY_MAX] = "";
	int rc;

	if (INFO(g).disabled != PAPI_EDELAY_INIT)
		return INFO(g).disabled;
	rc = open_machine(g, why);
	INFO(g).initialized = 1;
	if (rc)
		return disable(g, rc, why);
	INFO(g).num_native_events = g->events.events;
	INFO(g).disabled_reason[0] = '\0';
	note_partial(g);
	INFO(g).disabled = PAPI_OK;
	return PAPI_OK;
}

int glue_initialize(struct glue *g)
{
	int rc;

	if (INFO(g).disabled != PAPI_EDELAY_INIT)
		return INFO(g).disabled;
	_papi_hwi_lock(g->lock_id);
	rc = initialize_locked(g);
	_papi_hwi_unlock(g->lock_id);
	return rc;
}

static void publish_pmu_names(struct glue *g)
{
	char name[32];

	for (int i = 0; i < PAPI_PMU_MAX - 1 && ipmu_names_pmu(g->scope, i, name); i++)
		if (!INFO(g).pmu_names[i])
			INFO(g).pmu_names[i] = strdup(name);
}

int glue_init_component(struct glue *g, int cidx)
{
	char why[IPMU_WHY_MAX] = "";
	int rc;

	INFO(g).CmpIdx = cidx;
	snprintf(INFO(g).description, sizeof(INFO(g).description), "%s", g->description);
	g->lock_id = PAPI_NUM_LOCK + NUM_INNER_LOCK + cidx;
	rc = ipmu_names_open(why);
	if (rc)
		return disable(g, rc, why);
	publish_pmu_names(g);
	INFO(g).num_cntrs = INFO(g).num_mpx_cntrs = GLUE_EVENTS_MAX;
	INFO(g).num_native_events = -1;
	snprintf(INFO(g).disabled_reason, sizeof(INFO(g).disabled_reason),
		 "not initialized yet: list or add an event of it");
	INFO(g).disabled = PAPI_EDELAY_INIT;
	return PAPI_EDELAY_INIT;
}

int glue_shutdown_component(struct glue *g)
{
	if (g->machine)
		ipmu_system_close(g->machine);
	g->machine = NULL;
	event_table_free(&g->events);
	if (g->topology)
		ipmu_topology_release();
	g->topology = NULL;
	g->last_why[0] = '\0';
	for (int i = 0; i < PAPI_PMU_MAX; i++) {
		free(INFO(g).pmu_names[i]);
		INFO(g).pmu_names[i] = NULL;
	}
	INFO(g).initialized = 0;
	return PAPI_OK;
}

int glue_init_thread(hwd_context_t *ctx)
{
	(void)ctx;
	return PAPI_OK;
}

int glue_shutdown_thread(hwd_context_t *ctx)
{
	(void)ctx;
	return PAPI_OK;
}

int glue_init_control_state(struct glue *g, hwd_control_state_t *ctl)
{
	struct control_state *state = (struct control_state *)ctl;

	memset(state, 0, sizeof(*state));
	state->glue = g;
	return glue_initialize(g);
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
	return state->nplaces < GLUE_EVENTS_MAX ? state->nplaces++ : -1;
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

static int resolve_all(struct glue *g, const NativeInfo_t *native, int count,
		       struct ipmu_event *list, char *why)
{
	int rc = 0;

	_papi_hwi_lock(g->lock_id);
	for (int n = 0; n < count && !rc; n++)
		rc = event_table_resolve(&g->events, (unsigned)native[n].ni_event, &list[n], why);
	_papi_hwi_unlock(g->lock_id);
	return rc;
}

static int set_events(struct control_state *state, const NativeInfo_t *native, int count)
{
	struct ipmu_event *list = calloc((size_t)count + 1, sizeof(*list));
	struct glue *g = state->glue;
	char why[IPMU_WHY_MAX] = "out of memory for an event set";
	int rc = list ? resolve_all(g, native, count, list, why) : -ENOMEM;

	if (!rc && !state->session)
		rc = ipmu_session_new(g->machine, &state->session, why);
	if (!rc)
		rc = ipmu_session_set(state->session, list, count, why);
	free(list);
	return rc ? glue_report(g, rc, why) : PAPI_OK;
}

int glue_update_control_state(hwd_control_state_t *ctl, NativeInfo_t *native, int count,
			      hwd_context_t *ctx)
{
	struct control_state *state = (struct control_state *)ctl;
	int rc = glue_initialize(state->glue);

	(void)ctx;
	if (rc != PAPI_OK)
		return rc;
	if (count > GLUE_EVENTS_MAX)
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

int glue_cleanup_eventset(hwd_control_state_t *ctl)
{
	struct control_state *state = (struct control_state *)ctl;

	struct glue *g = state->glue;

	ipmu_session_free(state->session);
	memset(state, 0, sizeof(*state));
	state->glue = g;
	return PAPI_OK;
}

/* ---- counting ---- */

int glue_start(hwd_context_t *ctx, hwd_control_state_t *ctl)
{
	struct control_state *state = (struct control_state *)ctl;
	char why[IPMU_WHY_MAX] = "";
	int rc;

	(void)ctx;
	if (!state->session)
		return PAPI_ENOEVNT;
	rc = ipmu_session_start(state->session, why);
	state->started = true;
	return rc ? glue_report(state->glue, rc, why) : PAPI_OK;
}

/* PAPI reads right before it stops, so the counts of that read stand. */
int glue_stop(hwd_context_t *ctx, hwd_control_state_t *ctl)
{
	struct control_state *state = (struct control_state *)ctl;
	char why[IPMU_WHY_MAX] = "";
	int rc;

	(void)ctx;
	if (!state->session)
		return PAPI_OK;
	rc = ipmu_session_stop(state->session, NULL, why);
	return rc ? glue_report(state->glue, rc, why) : PAPI_OK;
}

int glue_read(hwd_context_t *ctx, hwd_control_state_t *ctl, long long **counts, int flags)
{
	struct control_state *state = (struct control_state *)ctl;
	uint64_t values[GLUE_EVENTS_MAX];

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

int glue_reset(hwd_context_t *ctx, hwd_control_state_t *ctl)
{
	struct control_state *state = (struct control_state *)ctl;

	(void)ctx;
	if (!state->session)
		return PAPI_OK;
	return ipmu_session_reset(state->session) ? PAPI_ESYS : PAPI_OK;
}

/* ---- overflow ---- */

/* PAPI's software overflow: its timer (SIGPROF) comes here, and PAPI compares the counts with its
 * deadlines. Those it moves on only; counts start from zero again with each PAPI_start. */
static void rearm(EventSetInfo_t *set)
{
	struct control_state *state = (struct control_state *)set->ctl_state;

	for (int i = 0; i < set->overflow.event_counter && state->started; i++)
		set->overflow.deadline[i] = set->overflow.threshold[i];
	state->started = false;
}

void glue_dispatch_timer(struct glue *g, hwd_siginfo_t *info, void *context)
{
	_papi_hwi_context_t hw_context = { .si = info, .ucontext = context };
	vptr_t address = GET_OVERFLOW_ADDRESS(hw_context);
	ThreadInfo_t *thread = _papi_hwi_lookup_thread(0);
	int cidx = INFO(g).CmpIdx;

	if (!thread || !thread->running_eventset[cidx])
		return;
	rearm(thread->running_eventset[cidx]);
	_papi_hwi_dispatch_overflow_signal(&hw_context, address, NULL, 0, 0, &thread, cidx);
}

/* ---- options ---- */

/* The uncore knows no privilege levels: it counts all of them, so a wider or equal domain is all
 * that can be asked for. */
int glue_set_domain(hwd_control_state_t *ctl, int domain)
{
	(void)ctl;
	return (domain & PAPI_DOM_ALL) ? PAPI_OK : PAPI_EINVAL;
}

int glue_ctl(struct glue *g, hwd_context_t *ctx, int code, _papi_int_option_t *option)
{
	(void)ctx;
	switch (code) {
	case PAPI_DOMAIN:
	case PAPI_DEFDOM:
		return glue_set_domain(NULL, option->domain.domain);
	case PAPI_GRANUL:
	case PAPI_DEFGRN:
		return option->granularity.granularity == INFO(g).default_granularity ?
		       PAPI_OK : PAPI_ECMP;
	default:
		return PAPI_ENOSUPP;
	}
}
