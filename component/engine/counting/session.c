/* SPDX-License-Identifier: MIT */
/* Sessions: ipmu_session_new(), ipmu_session_set(), ipmu_session_start(), ipmu_session_stop() and
 * ipmu_session_free(). Each takes the system's lock and holds off cancellation; sample.c has the
 * reads, which take no lock. A start enters the plan's units, assigns and reserves counters,
 * programs them, and switches them on together. The plan changes only in state IPMU_CHANGING, while
 * no reader uses it. A session with a reader that never ends is stopped and freed, but neither
 * started nor set again. */
#include "session.h"

#include "assign.h"
#include "foreign_use.h"
#include "guard.h"
#include "program.h"
#include "readers.h"
#include "reserve.h"
#include "sample.h"

#include "../access/trace.h"
#include "../base/cancel.h"
#include "../base/why.h"
#include "../lease/locks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int ipmu_session_new(struct ipmu_system *sys, struct ipmu_session **out, char *why)
{
	struct ipmu_session *s = calloc(1, sizeof(*s));

	if (!s)
		return ipmu_fail(why, -ENOMEM, "out of memory for a session");
	s->sys = sys;
	pthread_mutex_lock(&sys->lock);
	s->next = sys->sessions;
	sys->sessions = s;
	pthread_mutex_unlock(&sys->lock);
	*out = s;
	return 0;
}

/* ---- units that keep their programming for the session */

static void hold_units(struct ipmu_session *s)
{
	struct ipmu_unit *unit;

	for (int i = 0; !s->holds_units && (unit = ipmu_plan_next_unit(&s->plan, &i)) != NULL;)
		unit->holders++;
	s->holds_units = true;
}

static void release_units(struct ipmu_session *s)
{
	struct ipmu_unit *unit;

	for (int i = 0; s->holds_units && (unit = ipmu_plan_next_unit(&s->plan, &i)) != NULL;)
		if (--unit->holders == 0 && !s->sys->disowned)
			ipmu_unit_release(unit);
	s->holds_units = false;
}

/* ---- events */

static bool same_event(const struct ipmu_event *a, const struct ipmu_event *b)
{
	return a->type == b->type && a->place == b->place && a->box == b->box &&
	       strcmp(a->name, b->name) == 0;
}

static bool same_events(const struct ipmu_session *s, const struct ipmu_event *events, int n)
{
	if (n != s->nevents)
		return false;
	for (int i = 0; i < n; i++)
		if (!same_event(&events[i], &s->events[i]))
			return false;
	return true;
}

/* Replace events and plan. The session is in state IPMU_CHANGING: no reader is inside. */
static void adopt(struct ipmu_session *s, struct ipmu_event *events, int n,
		  const struct ipmu_plan *plan)
{
	release_units(s);
	ipmu_plan_free(&s->plan);
	free(s->events);
	s->events = events;
	atomic_store(&s->nevents, n);
	s->plan = *plan;
}

/* Keep readers out, for a change. A session whose readers do not end stays as it is. */
static int session_change(struct ipmu_session *s, char *why)
{
	if (!ipmu_readers_change(s, IPMU_CHANGING))
		return 0;
	ipmu_readers_change(s, IPMU_STOPPED);
	return ipmu_fail(why, -ETIMEDOUT, "a read of %s has not ended: siglongjmp left it, or its "
			 "thread is suspended: count with a new set of events", s->nevents ?
			 s->events[0].name : "no event");
}

static int set_locked(struct ipmu_session *s, const struct ipmu_event *events, int n, char *why)
{
	struct ipmu_event *copy;
	struct ipmu_cpus trial = { 0 };
	struct ipmu_plan plan = { 0 };
	int rc;

	if (ipmu_session_running(s))
		return ipmu_fail(why, -EBUSY, "the events of a running session cannot change: "
				 "stop it first");
	copy = calloc((size_t)n + 1, sizeof(*copy));
	rc = copy ? 0 : ipmu_fail(why, -ENOMEM, "out of memory for %d events", n);
	if (!rc)
		rc = ipmu_plan_build(s->sys, events, n, &trial, &plan, why);
	if (!rc)
		rc = ipmu_plan_assign(&plan, events, false, why);
	if (!rc)
		rc = session_change(s, why);
	if (rc) {
		ipmu_plan_free(&plan);
		free(copy);
		return rc;
	}
	if (n)
		memcpy(copy, events, (size_t)n * sizeof(*copy));
	adopt(s, copy, n, &plan);
	ipmu_readers_change(s, IPMU_STOPPED);
	return 0;
}

static int lock(struct ipmu_session *s, char *why)
{
	if (!s->sys)
		return ipmu_fail(why, -ENODEV, "the machine of this session has been closed");
	pthread_mutex_lock(&s->sys->lock);
	ipmu_locks_wait_begin(&s->sys->lessee);
	return 0;
}

/* May registers be written for the session in this process? Lock held. */
static int check_owner(const struct ipmu_session *s, char *why)
{
	if (s->sys->disowned)
		return ipmu_fail(why, -ECHILD, "the counters belong to the process that this one "
				 "was forked from: initialize the library again to count here");
	return 0;
}

int ipmu_session_set(struct ipmu_session *s, const struct ipmu_event *events, int n, char *why)
{
	int cancel = ipmu_cancel_hold(), rc = lock(s, why);

	if (!rc) {
		rc = check_owner(s, why);
		if (!rc && !same_events(s, events, n))
			rc = set_locked(s, events, n, why);
		pthread_mutex_unlock(&s->sys->lock);
	}
	ipmu_cancel_release(cancel);
	return rc;
}

static void unlink_session(struct ipmu_session *s)
{
	struct ipmu_session **at = &s->sys->sessions;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
}

void ipmu_session_free(struct ipmu_session *s)
{
	struct ipmu_plan none = { 0 };
	int cancel = ipmu_cancel_hold();

	if (s)
		ipmu_session_stop(s, NULL, NULL);
	if (s && s->sys) {
		pthread_mutex_lock(&s->sys->lock);
		ipmu_readers_change(s, IPMU_CHANGING);
		adopt(s, NULL, 0, &none);
		unlink_session(s);
		pthread_mutex_unlock(&s->sys->lock);
	}
	free(s);
	ipmu_cancel_release(cancel);
}

void ipmu_sessions_orphan(struct ipmu_system *sys)
{
	struct ipmu_plan none = { 0 };

	for (struct ipmu_session *s = sys->sessions, *next; s; s = next) {
		next = s->next;
		ipmu_readers_change(s, IPMU_CHANGING);
		s->holds_units = false;
		adopt(s, NULL, 0, &none);
		s->sys = NULL;
	}
	sys->sessions = NULL;
}

void ipmu_sessions_forked(struct ipmu_system *sys)
{
	for (struct ipmu_session *s = sys->sessions; s; s = s->next) {
		s->live = (struct ipmu_readers){ 0 };
		s->idle = (struct ipmu_readers){ 0 };
	}
}

/* ---- start */

static bool follows_thread(const struct ipmu_session *s)
{
	for (int i = 0; i < atomic_load(&s->nevents); i++)
		if (s->events[i].place == IPMU_ALL)
			return s->sys->family->scope != IPMU_SCOPE_PACKAGE;
	return false;
}

/* A core event without cpu= counts where the thread that starts it may run. */
static int follow_thread(struct ipmu_session *s, char *why)
{
	struct ipmu_cpus mine = { 0 };
	struct ipmu_plan plan;
	int rc;

	if (!follows_thread(s))
		return 0;
	rc = ipmu_cpus_mine(&mine);
	if (rc)
		return ipmu_fail(why, rc, "the thread's CPUs cannot be found: %s", strerror(-rc));
	rc = ipmu_cpus_check(&mine, s->sys->topo, why);
	if (rc) {
		ipmu_cpus_free(&mine);
		return rc;
	}
	rc = ipmu_plan_build(s->sys, s->events, atomic_load(&s->nevents), &mine, &plan, why);
	ipmu_cpus_free(&mine);
	if (rc || ipmu_plan_same(&s->plan, &plan)) {
		ipmu_plan_free(&plan);
		return rc;
	}
	release_units(s);
	ipmu_plan_free(&s->plan);
	s->plan = plan;
	return 0;
}

/* Counters that are found running are stopped first, so that all of a session start together. */
static int run_locked(struct ipmu_session *s, char *why)
{
	int rc = ipmu_program_write(s, why);

	if (rc)
		return rc;
	ipmu_program_use(s, 1);
	rc = ipmu_guard_adjust(s->sys, why);
	if (!rc)
		rc = ipmu_program_switch(s, IPMU_BATCH_FAIL, why);
	if (!rc)
		rc = ipmu_foreign_running(s, why);
	if (rc) {
		ipmu_program_use(s, -1);
		ipmu_program_switch(s, IPMU_BATCH_GO_ON, NULL);
		ipmu_guard_adjust(s->sys, NULL);
	}
	return rc;
}

static int start_entered(struct ipmu_session *s, bool *taken, char *why)
{
	int rc = ipmu_plan_assign(&s->plan, s->events, true, why);

	if (!rc)
		rc = ipmu_reserve_take(&s->plan, why);
	if (rc)
		return rc == -ENOSPC ? -EBUSY : rc;
	*taken = true;
	hold_units(s);
	rc = run_locked(s, why);
	if (rc)
		ipmu_reserve_drop(&s->plan);
	return rc;
}

static int start_locked(struct ipmu_session *s, char *why)
{
	bool taken = false;
	int rc = follow_thread(s, why);

	if (!rc)
		rc = ipmu_reserve_enter(&s->plan, NULL, why);
	if (rc)
		return rc;
	rc = start_entered(s, &taken, why);
	ipmu_reserve_leave(&s->plan);
	if (rc && taken)
		release_units(s);
	else if (rc)
		ipmu_reserve_part(&s->plan);
	return rc;
}

static int session_start(struct ipmu_session *s, char *why)
{
	struct ipmu_guard *ended;
	int rc = lock(s, why);

	if (rc)
		return rc;
	rc = check_owner(s, why);
	if (!rc && ipmu_session_running(s))
		rc = ipmu_fail(why, -EBUSY, "the session is running already");
	if (!rc)
		rc = session_change(s, why);
	if (!rc) {
		atomic_store(&s->lost, 0);
		ipmu_sample_notice_sleep(s->sys);
		rc = start_locked(s, why);
		ipmu_readers_change(s, rc ? IPMU_STOPPED : IPMU_RUNNING);
	}
	ended = ipmu_guard_ended(s->sys);
	pthread_mutex_unlock(&s->sys->lock);
	ipmu_guard_join(ended);
	return rc;
}

int ipmu_session_start(struct ipmu_session *s, char *why)
{
	int cancel = ipmu_cancel_hold(), rc;
	const char *was = ipmu_trace_for("start");

	rc = session_start(s, why);
	ipmu_trace_for(was);
	ipmu_cancel_release(cancel);
	return rc;
}

/* ---- stop */

/* Results of the steps of a stop; 0: no error. */
struct stopped {
	int counters, clear, last, readers;
};

/* The counters have stopped. Readers that have begun are waited for. With `last`, the counters are
 * read once more. */
static void session_end_reads(struct ipmu_session *s, bool last, struct stopped *rc)
{
	if (last)
		rc->last = ipmu_sample_read(s);
	else if (!s->sys->disowned)
		ipmu_sample_losses(s);
	rc->readers = ipmu_readers_change(s, IPMU_STOPPED);
}

/* Read the counters a last time before they are released: another process may take them next. */
static void stop_counters(struct ipmu_session *s, bool last, struct stopped *rc, char *why)
{
	int damage = 0;

	ipmu_program_use(s, -1);
	rc->counters = ipmu_reserve_enter(&s->plan, &damage, why);
	if (!rc->counters) {
		ipmu_foreign_lose(s);
		rc->counters = ipmu_program_end(s, &rc->clear, why);
		session_end_reads(s, last, rc);
		ipmu_reserve_drop(&s->plan);
		ipmu_reserve_leave(&s->plan);
		ipmu_foreign_release(s);
	} else {
		session_end_reads(s, last, rc);
	}
	rc->counters = rc->counters ? rc->counters : damage;
	ipmu_guard_adjust(s->sys, NULL);
}

static int stop_locked(struct ipmu_session *s, bool last, char *why)
{
	struct stopped rc = { 0 };
	int lost;

	if (s->sys->disowned)
		session_end_reads(s, last, &rc);
	else
		stop_counters(s, last, &rc, why);
	lost = ipmu_sample_lost(s, why);
	if (lost || rc.counters)
		return lost ? lost : rc.counters;
	if (rc.clear)
		return ipmu_fail(why, rc.clear, "the registers that the events needed cannot be "
						"restored: %s",
				 strerror(-rc.clear));
	if (rc.last)
		return ipmu_fail(why, rc.last, "the final counts cannot be read: %s",
				 strerror(-rc.last));
	if (rc.readers == -ETIMEDOUT)
		return ipmu_fail(why, rc.readers, "a read of %s has not ended: siglongjmp left it, "
				 "or its thread is suspended; counting has stopped, and the counts "
				 "do not include that read", s->events[0].name);
	return 0;
}

static int session_stop(struct ipmu_session *s, uint64_t *values, char *why)
{
	struct ipmu_guard *ended;
	int rc = 0;

	pthread_mutex_lock(&s->sys->lock);
	ipmu_locks_wait_begin(&s->sys->lessee);
	if (ipmu_session_running(s))
		rc = stop_locked(s, values != NULL, why);
	ended = ipmu_guard_ended(s->sys);
	pthread_mutex_unlock(&s->sys->lock);
	ipmu_guard_join(ended);
	if (values)
		ipmu_session_read(s, values);
	return rc;
}

int ipmu_session_stop(struct ipmu_session *s, uint64_t *values, char *why)
{
	int cancel = ipmu_cancel_hold(), rc;
	const char *was = ipmu_trace_for("stop");

	rc = s->sys ? session_stop(s, values, why) : 0;
	ipmu_trace_for(was);
	ipmu_cancel_release(cancel);
	return rc;
}
