/* SPDX-License-Identifier: MIT */
/* PAPI's calls on event sets, for both components: their events, start, stop, read, reset and
 * overflow. PAPI calls the functions for a set one at a time, except that a signal handler may read
 * or reset. glue_read() and glue_reset() therefore take no lock and allocate nothing. An event
 * keeps its position in the counts, and PAPI's code for it, as long as the set has it. */
#include "inside.h"

#include "base/cancel.h"
#include "extras.h"
#include "node_sum.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Position in the counts array. PAPI finds an event's count by its position and by PAPI's code for
 * it. Both stay with an event as long as the event set has it. */
struct place {
	int code, papi_code;
	int index;		/* in the session; -1: not in the set now */
};

struct control_state {
	struct glue *glue;
	struct ipmu_session *session;
	struct glue_running running;
	struct glue_options options;
	bool by_affinity;	/* an event counts wherever the starting thread may run */
	bool started;		/* since the last check of overflow deadlines */
	int told, since;	/* lost counters already reported; reads since then */
	bool polled;		/* by PAPI's timer, which reports no error */
	bool counts_for_sum;	/* IPMU_NODE_SUM: only events of `share` are reported */
	struct node_sum_share share;
	int nevents, nplaces;
	struct place places[GLUE_EVENTS_MAX];
	long long counts[GLUE_EVENTS_MAX];
};

_Static_assert(sizeof(struct control_state) <= GLUE_CONTROL_STATE_BYTES, "room for the state");

int glue_init_control_state(struct glue *g, hwd_control_state_t *ctl)
{
	struct control_state *state = (struct control_state *)ctl;

	memset(state, 0, sizeof(*state));
	state->glue = g;
	glue_options_default(g, &state->options);
	return glue_initialize(g);
}

/* ---- the events of a set ---- */

static int code_place(struct control_state *state, int code)
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

/* Free all places that the new list does not need before any new event gets one. */
static void keep_places(struct control_state *state, const NativeInfo_t *native, int count)
{
	for (int i = 0; i < state->nplaces; i++)
		state->places[i].index = -1;
	for (int n = 0; n < count; n++) {
		int i = code_place(state, native[n].ni_event);

		if (i >= 0)
			state->places[i].index = n;
	}
	for (int i = 0; i < state->nplaces; i++)
		if (state->places[i].index < 0)
			state->places[i].code = -1;
}

static int assign_place(struct control_state *state, NativeInfo_t *native, int n)
{
	int i = code_place(state, native[n].ni_event);

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
	int rc = glue_options_frame(g, options, &frame, why), cancel = ipmu_cancel_hold();

	_papi_hwi_lock(g->lock_id);
	for (int n = 0; n < count && !rc; n++)
		rc = event_table_resolve(&g->events, (unsigned)codes[n], &frame, &list[n], why);
	_papi_hwi_unlock(g->lock_id);
	ipmu_cancel_release(cancel);
	return rc;
}

static int set_events(struct control_state *state, const struct glue_options *options,
		      const int *codes, int count)
{
	struct ipmu_event *list = calloc((size_t)count + 1, sizeof(*list));
	struct glue *g = state->glue;
	char why[IPMU_WHY_MAX] = "out of memory for an event set";
	int rc = list ? resolve_all(g, options, codes, count, list, why) : -ENOMEM;
	bool by_affinity = false;

	if (!rc && count > 0 && !state->session)
		rc = ipmu_session_new(g->machine, &state->session, why);
	if (!rc && state->session)
		rc = ipmu_session_set(state->session, list, count, why);
	for (int n = 0; n < count && !rc; n++)
		by_affinity |= g->scope == IPMU_SCOPE_CPU && list[n].place == IPMU_ALL;
	free(list);
	if (rc)
		return glue_report(g, rc, why);
	state->by_affinity = by_affinity;
	glue_report_left(g);
	return PAPI_OK;
}

/* A signal handler that reads meanwhile must not find a session that is gone. */
int glue_cleanup_eventset(hwd_control_state_t *ctl)
{
	struct control_state *state = (struct control_state *)ctl;
	struct ipmu_session *session = __atomic_exchange_n(&state->session, NULL, __ATOMIC_ACQ_REL);
	struct glue *g = state->glue;
	int cancel = ipmu_cancel_hold();

	glue_running_end(&state->running);
	node_sum_release(&state->share);
	ipmu_session_free(session);
	glue_report_left(g);
	memset(state, 0, sizeof(*state));
	state->glue = g;
	glue_options_default(g, &state->options);
	ipmu_cancel_release(cancel);
	return PAPI_OK;
}

/* Replace the events of a set. Without a list the set is about to be freed, perhaps running: a
 * thread that ends without stopping its set gives no other sign. */
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
		rc = assign_place(state, native, n);
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

/* Threads that are not bound count each other's work, and their sum is too much. Reported once,
 * because a tool starts sets in each of its threads. */
static void tell_sharing(struct glue *g, int cpu)
{
	char why[IPMU_WHY_MAX];

	if (cpu < 0)
		return;
	snprintf(why, sizeof(why), "event sets of two threads count on CPU %d, where both may run: "
		 "each reports what all threads do there, and their sum is too much: bind the "
		 "threads to CPUs of their own, or name a CPU in the event, as in cpu=%d",
		 cpu, cpu);
	glue_report(g, 0, why);
}

static int control_start(hwd_context_t *ctx, struct control_state *state)
{
	char why[IPMU_WHY_MAX] = "";
	int rc;

	if (!state->session)
		return PAPI_ENOEVNT;
	glue_forget_reason(state->glue);
	state->told = 0;
	state->counts_for_sum = state->glue->scope == IPMU_SCOPE_PACKAGE && node_sum_is_on();
	memset(state->counts, 0, sizeof(state->counts));
	if (state->counts_for_sum &&
	    node_sum_claim(&state->share, &state->places[0].code, state->nplaces,
			   (int)sizeof(state->places[0]), why))
		return glue_report(state->glue, -EACCES, why);
	state->started = true;
	if (is_idle(state))
		return PAPI_OK;
	rc = ipmu_session_start(state->session, why);
	if (rc) {
		node_sum_release(&state->share);
		return glue_report(state->glue, rc, why);
	}
	tell_sharing(state->glue, glue_running_begin(ctx, &state->running, state->session,
						     state->by_affinity));
	return PAPI_OK;
}

int glue_start(hwd_context_t *ctx, hwd_control_state_t *ctl)
{
	int cancel = ipmu_cancel_hold(), rc = control_start(ctx, (struct control_state *)ctl);

	ipmu_cancel_release(cancel);
	return rc;
}

/* Report a loss. PAPI passes no counts on with an error, and it does not stop a set that cannot be
 * read. So each loss is reported once, and the next call gets the other events' counts. May run in
 * a signal handler. */
static int tell_loss(struct control_state *state, struct ipmu_session *session)
{
	char why[IPMU_WHY_MAX] = "";
	int lost;

	if (state->polled)
		return PAPI_OK;
	lost = ipmu_session_lost(session, why);
	if (lost <= state->told) {
		state->since++;
		return PAPI_OK;
	}
	state->told = lost;
	state->since = 0;
	glue_set_reason(state->glue, why);	/* without the lock: a signal handler may be here */
	PAPIERROR("%s: %s", INFO(state->glue).name, why);
	return PAPI_ECLOST;
}

/* Report the loss again at a stop, unless the last read before PAPI_stop's own has reported it:
 * that may have been in this PAPI_stop. */
static int stop_lost(struct control_state *state, const char *why)
{
	if (state->told && state->since <= 1)
		return PAPI_OK;
	state->told = ipmu_session_lost(state->session, NULL);
	glue_report(state->glue, -ESTALE, why);
	return PAPI_ECLOST;
}

/* PAPI reads right before it stops, so the counts of that read stand. */
static int control_stop(struct control_state *state)
{
	char why[IPMU_WHY_MAX] = "";
	bool idle = is_idle(state);
	int rc;

	node_sum_release(&state->share);
	if (!state->session || idle)
		return PAPI_OK;
	glue_running_end(&state->running);
	rc = ipmu_session_stop(state->session, NULL, why);
	if (rc && ipmu_session_lost(state->session, NULL))
		return stop_lost(state, why);
	if (rc)
		glue_report(state->glue, rc, why);
	return rc == -ETIMEDOUT ? PAPI_OK : glue_papi_code(rc);
}

int glue_stop(hwd_context_t *ctx, hwd_control_state_t *ctl)
{
	int cancel = ipmu_cancel_hold(), rc = control_stop((struct control_state *)ctl);

	(void)ctx;
	ipmu_cancel_release(cancel);
	return rc;
}

static void sort_counts(const struct control_state *state, const uint64_t *values,
			long long *counts)
{
	for (int i = 0; i < state->nplaces; i++)
		if (state->places[i].index >= 0 && is_reported(state, i))
			counts[i] = (long long)values[state->places[i].index];
}

int glue_read(hwd_context_t *ctx, hwd_control_state_t *ctl, long long **counts, int flags)
{
	struct control_state *state = (struct control_state *)ctl;
	struct ipmu_session *session = __atomic_load_n(&state->session, __ATOMIC_ACQUIRE);
	uint64_t values[GLUE_EVENTS_MAX] = { 0 };
	int rc = 0;

	(void)ctx;
	(void)flags;
	*counts = state->counts;
	if (session && !is_idle(state)) {
		rc = ipmu_session_read(session, values);
		sort_counts(state, values, state->counts);
	}
	node_sum_read(&state->share, state->counts, false);
	return rc ? tell_loss(state, session) : PAPI_OK;
}

int glue_reset(hwd_context_t *ctx, hwd_control_state_t *ctl)
{
	struct control_state *state = (struct control_state *)ctl;
	struct ipmu_session *session = __atomic_load_n(&state->session, __ATOMIC_ACQUIRE);
	uint64_t values[GLUE_EVENTS_MAX] = { 0 };
	long long counts[GLUE_EVENTS_MAX] = { 0 };
	int rc = 0;

	(void)ctx;
	if (session && !is_idle(state)) {
		rc = ipmu_session_take(session, values);
		sort_counts(state, values, counts);
	}
	node_sum_read(&state->share, counts, true);
	return rc ? tell_loss(state, session) : PAPI_OK;
}

/* ---- overflow ---- */

/* PAPI's software overflow: its timer (SIGPROF) calls this, and PAPI compares the counts with its
 * deadlines. PAPI only ever advances them, but counts start from zero again with each
 * PAPI_start. */
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
	struct control_state *state;
	int cidx = INFO(g).CmpIdx;

	if (!thread || !thread->running_eventset[cidx])
		return;
	state = (struct control_state *)thread->running_eventset[cidx]->ctl_state;
	rearm(thread->running_eventset[cidx]);
	state->polled = true;
	_papi_hwi_dispatch_overflow_signal(&hw_context, address, NULL, 0, 0, &thread, cidx);
	state->polled = false;
}
