/* SPDX-License-Identifier: MIT */
/* Runs the program once for each run and pass, and keeps the counts: measure(). Counters start
 * before the program does and stop after it has ended, so the whole of it is counted. A signal to
 * us or to the program ends the runs. A cut run is kept only if it is the only one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/machine_device.h"
#include "measure.h"
#include "now.h"
#include "program.h"
#include "program_file.h"
#include "virtual.h"

static int cannot_execute(struct measurement *m, int rc, const char *program, char *why)
{
	m->status = program_refused(rc);
	program_why(program, rc, why);
	return -ENOEXEC;
}

/* A report of zeros would hide a misspelt name. */
static void check_chosen(struct measurement *m, uint64_t before)
{
	if (m->only && !m->lost[0] && virtual_chosen() == before)
		snprintf(m->lost, sizeof(m->lost), "--only %.200s: no program of that name was "
			 "executed: nothing was counted", m->only);
}

static void note_uncounted(struct measurement *m, uint64_t n, const char *what)
{
	if (n && !m->uncounted[0])
		snprintf(m->uncounted, sizeof(m->uncounted), "%llu program%s %s",
			 (unsigned long long)n, n == 1 ? "" : "s", what);
}

/* A count of 0 would hide a program that never ran. */
static void check_programs(struct measurement *m, const struct machine_programs *before)
{
	struct machine_programs now;
	uint64_t begun;

	if (!virtual_programs(&now))
		return;
	begun = now.begun - before->begun;
	m->begun += begun;
	if (m->emulated && !begun)
		snprintf(m->uncounted, sizeof(m->uncounted), MEASURE_NOT_EXECUTED);
	note_uncounted(m, now.outside - before->outside, "ran outside the machine");
	note_uncounted(m, now.aborted - before->aborted, "died of an error of the emulator");
	if (now.executed - before->executed > begun)
		note_uncounted(m, now.executed - before->executed - begun, "could not be started");
}

static void conclude(const struct measurement *m, uint64_t began, uint64_t *ns,
		     struct count *counts, struct timeline *t)
{
	if (!m->watch || !m->watch->interval_ms)
		t = NULL;
	if (m->counting)
		phases_apply(m->counting, counts, ns);
	if (m->window) {
		window_apply(m->window, &began, ns, counts, t);
		window_close(m->window);
	} else if (t) {
		timeline_end(t, began, *ns, m->nparts, counts);
	}
}

static int run_counted(struct measurement *m, struct sets *s, int run, int pass, char **argv,
		       char *why)
{
	struct count *counts = m->counts + measure_place(m, run, pass) * (size_t)m->nparts;
	uint64_t *ns = &m->run_ns[measure_place(m, run, pass)], began, began_wall, chosen;
	const struct company *with = m->company;
	struct timeline *t = &m->timelines[measure_place(m, run, pass)];
	struct machine_programs programs = { .begun = 0 };
	struct watcher *w;
	struct program p;
	int rc = program_start(&p, argv), status = 0, stopped;
	char lost[COUNT_WHY_MAX];

	if (rc) {
		snprintf(why, COUNT_WHY_MAX, "cannot start a process: %s", strerror(-rc));
		return rc;
	}
	rc = sets_start(s, why);
	if (rc) {
		program_cancel(&p);
		return rc;
	}
	began = virtual_clock_ns();
	chosen = virtual_chosen();
	virtual_programs(&programs);
	began_wall = now_ns();
	w = watcher_start(m->watch, s, m->nparts, t);
	if (m->window && window_open(m->window, s, w, m->nparts)) {
		watcher_stop(w);
		window_close(m->window);
		program_cancel(&p);
		snprintf(why, COUNT_WHY_MAX, "no memory");
		return -ENOMEM;
	}
	if (m->counting)
		phases_begin(m->counting, s, (int)measure_place(m, run, pass));
	if (with)
		with->begin(with->arg);
	rc = program_run(&p, &status, ns);
	if (with)
		with->end(with->arg, &p, status, ns);
	if (m->counting)
		phases_end(m->counting);
	if (m->of_machine)
		*ns = virtual_clock_ns() - began;
	else
		began = p.began_ns;
	watcher_stop(w);
	stopped = sets_stop(s, counts, lost);
	if (m->watch && m->watch->tick && !rc)
		m->watch->tick(m->watch->tick_arg, now_ns() - began_wall, *ns, counts);
	conclude(m, began, ns, counts, t);
	if (status)
		m->status = status;
	m->killed = p.killed;
	if (rc)
		return cannot_execute(m, rc, argv[0], why);
	if (stopped && !m->lost[0])
		snprintf(m->lost, sizeof(m->lost), "%s", lost);
	check_chosen(m, chosen);
	check_programs(m, &programs);
	return 0;
}

static int run_pass(struct measurement *m, int run, int pass, char **argv, char *why)
{
	bool chosen[EVENTS_MAX];
	struct sets *s;
	int rc;

	for (int i = 0; i < m->nevents; i++)
		chosen[i] = passes_has(m->passes, pass, i);
	rc = sets_open(m->events, m->nevents, chosen, &s, why);
	if (rc)
		return rc;
	rc = run_counted(m, s, run, pass, argv, why);
	sets_close(s);
	return rc;
}

static int run_passes(struct measurement *m, int run, char **argv, bool *ended, char *why)
{
	int rc = 0;

	for (int pass = 0; pass < m->passes->n && !rc && !*ended; pass++) {
		if (program_ending()) {	/* also before the first has begun */
			m->status = m->status ? m->status : 128 + program_ending();
			*ended = true;
			return 0;
		}
		if (m->runs * m->passes->n > 1 && m->of_machine && !virtual_refresh())
			m->used = true;
		rc = run_pass(m, run, pass, argv, why);
		*ended = m->killed;
	}
	return rc;
}

int measure(struct measurement *m, char **argv, char why[COUNT_WHY_MAX])
{
	size_t all = (size_t)m->runs * (size_t)m->passes->n;
	bool ended = false;
	int rc = 0;

	m->counts = calloc(all * (size_t)m->nparts + 1, sizeof(*m->counts));
	m->run_ns = calloc(all + 1, sizeof(*m->run_ns));
	m->timelines = calloc(all + 1, sizeof(*m->timelines));
	if (!m->counts || !m->run_ns || !m->timelines) {
		snprintf(why, COUNT_WHY_MAX, "no memory");
		return -ENOMEM;
	}
	m->of_machine = virtual_is_beside();
	for (int i = 0; i < m->nevents; i++)
		virtual_count(m->events[i].name);
	program_signals();
	for (int run = 0; run < m->runs && !rc && !ended; run++) {
		rc = run_passes(m, run, argv, &ended, why);
		/* The only run is reported, marked, if a signal has cut it. */
		if (!rc && (!ended || (all == 1 && program_has_run())))
			m->done = run + 1;
	}
	return rc;
}
