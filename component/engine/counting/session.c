/* SPDX-License-Identifier: MIT */
#include "assign.h"

#include "../why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One counter that a session wants: where, and what. Events that need the same share it. */
struct tap {
	struct ipmu_box *box;
	uint64_t select, counters;
	int ctr;
	uint64_t baseline;
	int nlinks;
	int *links;	/* indices of the events that this counter adds to */
};

struct ipmu_session {
	struct ipmu_system *sys;
	bool running, claimed;
	int nevents, ntaps;
	struct ipmu_event *events;
	struct tap *taps;		/* those of one box stand together */
	_Atomic uint64_t *last;		/* counts of the last read, for when it is stopped */
};

/* What ipmu_session_set builds before it replaces anything. */
struct plan {
	struct ipmu_event *events;
	struct tap *taps;
	_Atomic uint64_t *last;
	int ntaps, room;
};

static void plan_free(struct plan *p)
{
	for (int i = 0; i < p->ntaps; i++)
		free(p->taps[i].links);
	free(p->taps);
	free(p->events);
	free(p->last);
}

int ipmu_session_new(struct ipmu_system *sys, struct ipmu_session **out, char *why)
{
	struct ipmu_session *s = calloc(1, sizeof(*s));

	if (!s)
		return ipmu_fail(why, -ENOMEM, "out of memory for a session");
	s->sys = sys;
	*out = s;
	return 0;
}

static struct tap *find_tap(struct plan *p, struct ipmu_box *box, const struct ipmu_event *e)
{
	for (int i = 0; i < p->ntaps; i++)
		if (p->taps[i].box == box && p->taps[i].select == e->select &&
		    p->taps[i].counters == e->counters)
			return &p->taps[i];
	return NULL;
}

static int add_tap(struct plan *p, struct ipmu_box *box, const struct ipmu_event *e,
		   struct tap **out)
{
	if (p->ntaps == p->room) {
		int room = p->room ? 2 * p->room : 16;
		struct tap *grown = realloc(p->taps, (size_t)room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		p->taps = grown;
		p->room = room;
	}
	*out = &p->taps[p->ntaps++];
	**out = (struct tap){ .box = box, .select = e->select, .counters = e->counters };
	return 0;
}

static int link_event(struct plan *p, struct ipmu_box *box, int event)
{
	struct tap *tap = find_tap(p, box, &p->events[event]);
	int *links;
	int rc;

	if (!tap) {
		rc = add_tap(p, box, &p->events[event], &tap);
		if (rc)
			return rc;
	}
	links = realloc(tap->links, (size_t)(tap->nlinks + 1) * sizeof(*links));
	if (!links)
		return -ENOMEM;
	tap->links = links;
	tap->links[tap->nlinks++] = event;
	return 0;
}

static bool event_wants(const struct ipmu_event *e, const struct ipmu_box *box, int package)
{
	return e->type == box->type && (e->package == IPMU_ALL || e->package == package) &&
	       (e->box == IPMU_ALL || e->box == box->index);
}

/* Box by box, so that the taps of a box end up side by side. */
static int plan_box(struct plan *p, int n, struct ipmu_box *box, int package)
{
	for (int e = 0; e < n; e++)
		if (event_wants(&p->events[e], box, package)) {
			int rc = link_event(p, box, e);

			if (rc)
				return rc;
		}
	return 0;
}

static int plan_taps(struct ipmu_system *sys, struct plan *p, int n)
{
	int rc = 0;

	for (int u = 0; u < sys->npackages; u++)
		for (int t = 0; sys->family->types[t]; t++)
			for (int b = 0; b < sys->units[u].nboxes[t] && !rc; b++)
				rc = plan_box(p, n, &sys->units[u].boxes[t][b], u);
	return rc;
}

/* Give the taps of one box their counters; returns how many taps that box has. */
static int assign_box(struct tap *taps, int ntaps, const struct ipmu_event *events, bool others,
		      int *count, char *why)
{
	struct ipmu_box *box = taps[0].box;
	struct ipmu_want wants[2 * IPMU_COUNTERS_MAX];
	int n = 0, rc;

	while (n < ntaps && taps[n].box == box && n < 2 * IPMU_COUNTERS_MAX) {
		wants[n] = (struct ipmu_want){ .select = taps[n].select,
					       .counters = taps[n].counters,
					       .event = events[taps[n].links[0]].name };
		n++;
	}
	rc = ipmu_assign(others ? box : NULL, box->type, box->index, wants, n, why);
	for (int i = 0; i < n && !rc; i++)
		taps[i].ctr = wants[i].ctr;
	*count = n;
	return rc;
}

static int assign_all(struct tap *taps, int ntaps, const struct ipmu_event *events, bool others,
		      char *why)
{
	int done = 0, n, rc;

	while (done < ntaps) {
		rc = assign_box(taps + done, ntaps - done, events, others, &n, why);
		if (rc)
			return rc;
		done += n;
	}
	return 0;
}

static bool same_events(const struct ipmu_session *s, const struct ipmu_event *events, int n)
{
	if (n != s->nevents)
		return false;
	for (int i = 0; i < n; i++) {
		const struct ipmu_event *a = &events[i], *b = &s->events[i];

		if (a->type != b->type || a->select != b->select || a->counters != b->counters ||
		    a->package != b->package || a->box != b->box)
			return false;
	}
	return true;
}

static bool unit_used(const struct ipmu_session *s, const struct ipmu_unit *unit)
{
	for (int i = 0; i < s->ntaps; i++)
		if (s->taps[i].box->unit == unit)
			return true;
	return false;
}

static void claim(struct ipmu_session *s)
{
	for (int u = 0; u < s->sys->npackages && !s->claimed; u++)
		s->sys->units[u].claims += unit_used(s, &s->sys->units[u]);
	s->claimed = true;
}

static void give_back(struct ipmu_session *s)
{
	for (int u = 0; u < s->sys->npackages && s->claimed; u++) {
		struct ipmu_unit *unit = &s->sys->units[u];

		if (unit_used(s, unit) && --unit->claims == 0)
			ipmu_unit_release(unit);
	}
	s->claimed = false;
}

static void adopt(struct ipmu_session *s, struct plan *p, int n)
{
	struct plan old = { .events = s->events, .taps = s->taps, .last = s->last,
			    .ntaps = s->ntaps };

	pthread_mutex_lock(&s->sys->lock);
	give_back(s);
	pthread_mutex_unlock(&s->sys->lock);
	s->events = p->events;
	s->taps = p->taps;
	s->last = p->last;
	s->ntaps = p->ntaps;
	s->nevents = n;
	plan_free(&old);
}

int ipmu_session_set(struct ipmu_session *s, const struct ipmu_event *events, int n, char *why)
{
	struct plan p = { 0 };
	int rc;

	if (same_events(s, events, n))
		return 0;
	if (s->running)
		return ipmu_fail(why, -EBUSY, "the events of a running session cannot change: "
				 "stop it first");
	p.events = calloc((size_t)n + 1, sizeof(*p.events));
	p.last = calloc((size_t)n + 1, sizeof(*p.last));
	if (p.events && n)
		memcpy(p.events, events, (size_t)n * sizeof(*events));
	rc = p.events && p.last ? plan_taps(s->sys, &p, n) : -ENOMEM;
	if (rc)
		ipmu_fail(why, rc, "out of memory for %d events", n);
	else
		rc = assign_all(p.taps, p.ntaps, p.events, false, why);
	if (rc)
		plan_free(&p);
	else
		adopt(s, &p, n);
	return rc;
}

void ipmu_session_free(struct ipmu_session *s)
{
	struct plan p;

	if (!s)
		return;
	if (s->running)
		ipmu_session_stop(s, NULL, NULL);
	p = (struct plan){ 0 };
	adopt(s, &p, 0);
	free(s);
}

static int program_tap(struct tap *tap, const char *event)
{
	struct ipmu_box *box = tap->box;
	struct ipmu_slot *slot = &box->slots[tap->ctr];
	int rc = 0;

	if (!slot->programmed || slot->select != tap->select || slot->counters != tap->counters) {
		slot->programmed = false;
		rc = box->type->ops->program(&box->unit->regs, box->type, box->index, tap->ctr,
					     tap->select);
		if (rc)
			return rc;
		slot->select = tap->select;
		slot->counters = tap->counters;
		strcpy(slot->event, event);
		slot->programmed = true;
	}
	return ipmu_slot_read(box, tap->ctr, &tap->baseline);
}

static int program_all(struct ipmu_session *s, char *why)
{
	for (int i = 0; i < s->ntaps; i++) {
		const char *event = s->events[s->taps[i].links[0]].name;
		int rc = program_tap(&s->taps[i], event);

		if (rc)
			return ipmu_fail(why, rc, "%s cannot be programmed through %s: %s", event,
					 s->taps[i].box->unit->regs.msr_path, strerror(-rc));
	}
	return 0;
}

/* Also the way back from a start that failed half-way. */
static int units_stop(struct ipmu_session *s, int upto)
{
	int first = 0;

	for (int u = 0; u < upto; u++) {
		struct ipmu_unit *unit = &s->sys->units[u];

		if (unit_used(s, unit) && --unit->running == 0) {
			int rc = s->sys->family->disable(&unit->regs);

			first = first ? first : rc;
		}
	}
	return first;
}

static int units_start(struct ipmu_session *s, char *why)
{
	for (int u = 0; u < s->sys->npackages; u++) {
		struct ipmu_unit *unit = &s->sys->units[u];
		int rc = 0;

		if (unit_used(s, unit) && unit->running++ == 0)
			rc = s->sys->family->enable(&unit->regs);
		if (rc) {
			units_stop(s, u + 1);
			return ipmu_fail(why, rc, "package %d cannot be enabled through %s: %s", u,
					 unit->regs.msr_path, strerror(-rc));
		}
	}
	return 0;
}

/* The first session on a package stops what it finds running there, so that its own counters
 * start together. */
static int quiet_units(struct ipmu_session *s)
{
	int rc = 0;

	for (int u = 0; u < s->sys->npackages && !rc; u++)
		if (unit_used(s, &s->sys->units[u]) && !s->sys->units[u].running)
			rc = s->sys->family->disable(&s->sys->units[u].regs);
	return rc;
}

static void use_slots(struct ipmu_session *s, int by)
{
	for (int i = 0; i < s->ntaps; i++)
		s->taps[i].box->slots[s->taps[i].ctr].users += by;
}

static int start_locked(struct ipmu_session *s, char *why)
{
	int rc = assign_all(s->taps, s->ntaps, s->events, true, why);

	if (rc)
		return rc == -ENOSPC ? -EBUSY : rc;
	claim(s);
	rc = quiet_units(s);
	if (rc)
		ipmu_fail(why, rc, "the counters cannot be stopped: %s", strerror(-rc));
	if (!rc)
		rc = program_all(s, why);
	if (!rc)
		rc = units_start(s, why);
	if (rc) {
		give_back(s);
		return rc;
	}
	use_slots(s, 1);
	for (int e = 0; e < s->nevents; e++)
		atomic_store_explicit(&s->last[e], 0, memory_order_relaxed);
	s->running = true;
	return 0;
}

int ipmu_session_start(struct ipmu_session *s, char *why)
{
	int rc;

	if (s->running)
		return ipmu_fail(why, -EBUSY, "the session is running already");
	pthread_mutex_lock(&s->sys->lock);
	rc = start_locked(s, why);
	pthread_mutex_unlock(&s->sys->lock);
	return rc;
}

int ipmu_session_stop(struct ipmu_session *s, uint64_t *values, char *why)
{
	int rc, rc_read = 0;

	if (!s->running)
		return 0;
	pthread_mutex_lock(&s->sys->lock);
	rc = units_stop(s, s->sys->npackages);
	if (values)
		rc_read = ipmu_session_read(s, values);
	use_slots(s, -1);
	s->running = false;
	pthread_mutex_unlock(&s->sys->lock);
	if (rc)
		return ipmu_fail(why, rc, "the counters cannot be stopped: %s", strerror(-rc));
	if (rc_read)
		return ipmu_fail(why, rc_read, "the final counts cannot be read: %s",
				 strerror(-rc_read));
	return 0;
}

static void read_last(struct ipmu_session *s, uint64_t *values)
{
	for (int e = 0; e < s->nevents; e++)
		values[e] = atomic_load_explicit(&s->last[e], memory_order_relaxed);
}

int ipmu_session_read(struct ipmu_session *s, uint64_t *values)
{
	if (!s->running) {
		read_last(s, values);
		return 0;
	}
	for (int e = 0; e < s->nevents; e++)
		values[e] = 0;
	for (int i = 0; i < s->ntaps; i++) {
		const struct tap *tap = &s->taps[i];
		uint64_t now;
		int rc = ipmu_slot_read(tap->box, tap->ctr, &now);

		if (rc)
			return rc;
		for (int l = 0; l < tap->nlinks; l++)
			values[tap->links[l]] += now - tap->baseline;
	}
	for (int e = 0; e < s->nevents; e++)
		atomic_store_explicit(&s->last[e], values[e], memory_order_relaxed);
	return 0;
}

int ipmu_session_reset(struct ipmu_session *s)
{
	for (int i = 0; i < s->ntaps && s->running; i++) {
		int rc = ipmu_slot_read(s->taps[i].box, s->taps[i].ctr, &s->taps[i].baseline);

		if (rc)
			return rc;
	}
	for (int e = 0; e < s->nevents; e++)
		atomic_store_explicit(&s->last[e], 0, memory_order_relaxed);
	return 0;
}
