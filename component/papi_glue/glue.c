/* SPDX-License-Identifier: MIT */
/* What the PAPI components for core and uncore PMUs have in common: all but their names. */
#include "inside.h"

#include "extras.h"
#include "node_sum.h"
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
	struct glue_running running;
	struct glue_options options;
	bool started;		/* since the last look at overflow deadlines */
	bool counts_for_sum;	/* IPMU_NODE_SUM: only what `share` says is reported */
	struct node_sum_share share;
	int nevents, nplaces;
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
	bool news;

	_papi_hwi_lock(g->lock_id);
	news = strcmp(why, g->last_why) != 0;
	if (news)
		snprintf(g->last_why, sizeof(g->last_why), "%s", why);
	_papi_hwi_unlock(g->lock_id);
	if (news)
		PAPIERROR("%s: %s", INFO(g).name, why);
	return glue_papi_code(rc);
}

/* Other threads look at it without a lock: it is set after all that it stands for. */
static void set_disabled(struct glue *g, int code)
{
	__atomic_store_n(&INFO(g).disabled, code, __ATOMIC_RELEASE);
}

static int disable(struct glue *g, int rc, const char *why)
{
	snprintf(INFO(g).disabled_reason, sizeof(INFO(g).disabled_reason), "%s", why);
	set_disabled(g, glue_papi_code(rc));
	return glue_papi_code(rc);
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
	int rc = g->scope == IPMU_SCOPE_PACKAGE ? node_sum_setting(why) : 0;

	if (!rc)
		rc = ipmu_topology_acquire(&g->topology, why);
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
	set_disabled(g, PAPI_OK);
	return PAPI_OK;
}

int glue_initialize(struct glue *g)
{
	int rc = __atomic_load_n(&INFO(g).disabled, __ATOMIC_ACQUIRE);

	if (rc != PAPI_EDELAY_INIT)
		return rc;
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

static void drop_machine(struct glue *g)
{
	int rc = g->machine ? ipmu_system_close(g->machine) : 0;

	if (rc)
		PAPIERROR("%s: registers could not be put back: %s; ipmu-restore tries again",
			  INFO(g).name, strerror(-rc));
	g->machine = NULL;
	event_table_free(&g->events);
	if (g->topology)
		ipmu_topology_release();
	g->topology = NULL;
	g->last_why[0] = '\0';
}

int glue_init_component(struct glue *g, int cidx)
{
	char why[IPMU_WHY_MAX] = "";
	int rc;

	drop_machine(g);	/* the parent's, in a forked child that starts PAPI again */
	glue_running_forget();
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
	if (g->scope == IPMU_SCOPE_PACKAGE)
		node_sum_end();
	drop_machine(g);
	for (int i = 0; i < PAPI_PMU_MAX; i++) {
		free(INFO(g).pmu_names[i]);
		INFO(g).pmu_names[i] = NULL;
	}
	INFO(g).initialized = 0;
	return PAPI_OK;
}

int glue_init_control_state(struct glue *g, hwd_control_state_t *ctl)
{
	struct control_state *state = (struct control_state *)ctl;

	memset(state, 0, sizeof(*state));
	state->glue = g;
	glue_options_default(g, &state->options);
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

static int resolve_all(struct glue *g, const struct glue_options *options, const int *codes,
		       int count, struct ipmu_event *list, char *why)
{
	struct ipmu_frame frame;
	int rc = glue_options_frame(g, options, &frame, why);

	_papi_hwi_lock(g->lock_id);
	for (int n = 0; n < count && !rc; n++)
		rc = event_table_resolve(&g->events, (unsigned)codes[n], &frame, &list[n], why);
	_papi_hwi_unlock(g->lock_id);
	return rc;
}

static int set_events(struct control_state *state, const struct glue_options *options,
		      const int *codes, int count)
{
	struct ipmu_event *list = calloc((size_t)count + 1, sizeof(*list));
	struct glue *g = state->glue;
	char why[IPMU_WHY_MAX] = "out of memory for an event set";
	int rc = list ? resolve_all(g, options, codes, count, list, why) : -ENOMEM;
	bool fresh = count > 0 && !state->session;

	if (!rc && fresh)
		rc = ipmu_session_new(g->machine, &state->session, why);
	if (!rc && state->session)
		rc = ipmu_session_set(state->session, list, count, why);
	if (rc && fresh) {	/* PAPI does not clean up a set that has no event */
		ipmu_session_free(state->session);
		state->session = NULL;
	}
	free(list);
	return rc ? glue_report(g, rc, why) : PAPI_OK;
}

/* A signal handler that reads meanwhile must not find a session that is gone. */
int glue_cleanup_eventset(hwd_control_state_t *ctl)
{
	struct control_state *state = (struct control_state *)ctl;
	struct ipmu_session *session = __atomic_exchange_n(&state->session, NULL, __ATOMIC_ACQ_REL);
	struct glue *g = state->glue;

	glue_running_end(&state->running);
	node_sum_release(&state->share);
	ipmu_session_free(session);
	memset(state, 0, sizeof(*state));
	state->glue = g;
	glue_options_default(g, &state->options);
	return PAPI_OK;
}

/* Without a list the set is about to be freed, perhaps running: so ends a thread that has not
 * stopped it, and nothing else tells us. */
int glue_update_control_state(hwd_control_state_t *ctl, NativeInfo_t *native, int count,
			      hwd_context_t *ctx)
{
	struct control_state *state = (struct control_state *)ctl;
	int codes[GLUE_EVENTS_MAX], rc;

	(void)ctx;
	if (!native)
		return glue_cleanup_eventset(ctl);
	rc = glue_initialize(state->glue);
	if (rc != PAPI_OK)
		return rc;
	if (count > GLUE_EVENTS_MAX)
		return PAPI_ECOUNT;
	for (int n = 0; n < count; n++)
		codes[n] = native[n].ni_event;
	rc = set_events(state, &state->options, codes, count);
	if (rc != PAPI_OK)
		return rc;
	state->nevents = count;
	keep_places(state, native, count);
	for (int n = 0; n < count && rc == PAPI_OK; n++)
		rc = settle(state, native, n);
	return rc;
}

struct glue *glue_of(const hwd_control_state_t *ctl)
{
	return ((const struct control_state *)ctl)->glue;
}

const struct glue_options *glue_options_of(const hwd_control_state_t *ctl)
{
	return &((const struct control_state *)ctl)->options;
}

int glue_options_change(hwd_control_state_t *ctl, const struct glue_options *options)
{
	struct control_state *state = (struct control_state *)ctl;
	int codes[GLUE_EVENTS_MAX] = { 0 }, rc;

	for (int i = 0; i < state->nplaces; i++)
		if (state->places[i].index >= 0)
			codes[state->places[i].index] = state->places[i].code;
	rc = set_events(state, options, codes, state->nevents);
	if (rc == PAPI_OK)
		state->options = *options;
	return rc;
}

/* ---- counting ---- */

/* With IPMU_NODE_SUM a set of which nothing is reported touches no register. */
static bool is_idle(const struct control_state *state)
{
	return state->counts_for_sum && !state->share.reported;
}

static bool is_reported(const struct control_state *state, int place)
{
	return !state->counts_for_sum || state->share.reported >> place & 1;
}

int glue_start(hwd_context_t *ctx, hwd_control_state_t *ctl)
{
	struct control_state *state = (struct control_state *)ctl;
	char why[IPMU_WHY_MAX] = "";
	int rc;

	if (!state->session)
		return PAPI_ENOEVNT;
	state->counts_for_sum = state->glue->scope == IPMU_SCOPE_PACKAGE && node_sum_is_on();
	memset(state->counts, 0, sizeof(state->counts));
	if (state->counts_for_sum)
		node_sum_claim(&state->share, &state->places[0].code, state->nplaces,
			       (int)sizeof(state->places[0]));
	state->started = true;
	if (is_idle(state))
		return PAPI_OK;
	rc = ipmu_session_start(state->session, why);
	if (rc) {
		node_sum_release(&state->share);
		return glue_report(state->glue, rc, why);
	}
	glue_running_begin(ctx, &state->running, state->session);
	return PAPI_OK;
}

/* PAPI reads right before it stops, so the counts of that read stand. */
int glue_stop(hwd_context_t *ctx, hwd_control_state_t *ctl)
{
	struct control_state *state = (struct control_state *)ctl;
	char why[IPMU_WHY_MAX] = "";
	bool idle = is_idle(state);
	int rc;

	(void)ctx;
	node_sum_release(&state->share);
	if (!state->session || idle)
		return PAPI_OK;
	glue_running_end(&state->running);
	rc = ipmu_session_stop(state->session, NULL, why);
	return rc ? glue_report(state->glue, rc, why) : PAPI_OK;
}

int glue_read(hwd_context_t *ctx, hwd_control_state_t *ctl, long long **counts, int flags)
{
	struct control_state *state = (struct control_state *)ctl;
	struct ipmu_session *session = __atomic_load_n(&state->session, __ATOMIC_ACQUIRE);
	uint64_t values[GLUE_EVENTS_MAX] = { 0 };

	(void)ctx;
	(void)flags;
	*counts = state->counts;
	if (!session || is_idle(state))
		return PAPI_OK;
	if (ipmu_session_read(session, values))
		return PAPI_ESYS;
	for (int i = 0; i < state->nplaces; i++)
		if (state->places[i].index >= 0 && is_reported(state, i))
			state->counts[i] = (long long)values[state->places[i].index];
	return PAPI_OK;
}

int glue_reset(hwd_context_t *ctx, hwd_control_state_t *ctl)
{
	struct control_state *state = (struct control_state *)ctl;
	struct ipmu_session *session = __atomic_load_n(&state->session, __ATOMIC_ACQUIRE);

	(void)ctx;
	if (!session || is_idle(state))
		return PAPI_OK;
	return ipmu_session_reset(session) ? PAPI_ESYS : PAPI_OK;
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
