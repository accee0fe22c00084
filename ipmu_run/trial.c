/* SPDX-License-Identifier: MIT */
/* Finds which occurrences an event counts, and how often: trial_weights() starts a second machine
 * of the same name with an ipmu-run beside it, trial(), which lets each kind occur there and reads
 * the counters. So no table of events is repeated here, and the registers decide. A kind's weight
 * is what the event gains by WEIGHTS_SCALE occurrences without what it gains by none. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../measure/counting/sets.h"
#include "../measure/counting/virtual.h"
#include "../measure/profile/weights.h"
#include "beside.h"
#include "helper.h"
#include "profile.h"

#define MANY 16		/* times WEIGHTS_SCALE occurrences, which count in proportion */

/* ---- the process beside the other machine ---- */

struct gain {
	struct sets *sets;
	struct count *counts;
	int nparts;
};

static int64_t total(struct gain *g)
{
	int64_t sum = 0;

	sets_read(g->sets, g->counts);
	for (int i = 0; i < g->nparts; i++)
		sum += g->counts[i].value;
	return sum;
}

/* False: there is no such kind. */
static bool gain_of(struct gain *g, const char *kind, int times, int64_t *out)
{
	const int64_t before = total(g);

	if (!virtual_raise(kind, times))
		return false;
	*out = total(g) - before;
	return true;
}

/* Findings of the trial besides weights. */
struct remarks {
	int64_t *time, *uneven;		/* [event]: WEIGHTS_TIME, WEIGHTS_UNEVEN */
};

static void weigh(struct gain *g, const char *kind, int64_t *weight, int number,
		  const struct remarks *r)
{
	int64_t none, few, many;

	*weight = 0;
	if (!gain_of(g, kind, 0, &none) || !gain_of(g, kind, WEIGHTS_SCALE, &few) ||
	    !gain_of(g, kind, MANY * WEIGHTS_SCALE, &many))
		return;
	*weight = few - none;
	r->time[number] |= none > 0;
	r->uneven[number] |= many - none != MANY * *weight;
}

/* Puts the event's weights into rows of `w`. */
static int weigh_event(const struct machine *m, const char *name, int number, struct weights *w,
		       const struct remarks *r)
{
	const bool chosen = true;
	struct gain g = { .sets = NULL };
	char why[COUNT_WHY_MAX];
	struct event e;
	int rc = event_find(m, name, (struct split){ false, false }, &e, why);

	if (rc)
		return complain(EXIT_CANNOT_COUNT, "%s: %s", name, why);
	g.nparts = e.nparts;
	g.counts = calloc((size_t)e.nparts + 1, sizeof(*g.counts));
	rc = g.counts ? sets_open(&e, 1, &chosen, &g.sets, why) : -ENOMEM;
	if (!rc) {
		rc = sets_start(g.sets, why);
		for (size_t k = 0; k < w->nkinds && !rc; k++)
			weigh(&g, w->kinds[k].name, &w->kinds[k].of[number], number, r);
		sets_stop(g.sets, g.counts, why);
		sets_close(g.sets);
	}
	if (rc < 0)
		rc = complain(EXIT_CANNOT_COUNT, "%s: cannot count it: %s", name,
			      rc == -ENOMEM ? "no memory" : why);
	free(g.counts);
	event_free(&e);
	return rc;
}

static int add_kinds(struct weights *w, const char *names)
{
	char *copy = strdup(names), *rest = copy, *name;
	int rc = copy ? 0 : -ENOMEM;

	while (!rc && (name = strsep(&rest, ",")) != NULL)
		rc = weights_add(w, name) ? 0 : -ENOMEM;
	free(copy);
	return rc;
}

/* Events of cores count the CPUs of their process, and kinds occur on the first one. */
static void use_all_cpus(void)
{
	cpu_set_t all;

	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
}

int trial(const struct options *o)
{
	struct weights w = { .nevents = o->nevents }, more = w;
	struct remarks remarks;
	struct machine m = { .ncpus = 0 };
	char why[COUNT_WHY_MAX];
	int rc;

	use_all_cpus();
	rc = machine_open(&m, why) ? complain(EXIT_CANNOT_COUNT, "%s", why) : 0;
	remarks.time = weights_add(&more, WEIGHTS_TIME);
	remarks.uneven = weights_add(&more, WEIGHTS_UNEVEN);
	if (!rc && (add_kinds(&w, o->trial) || !remarks.time || !remarks.uneven))
		rc = complain(EXIT_CANNOT_COUNT, "no memory");
	for (int i = 0; i < o->nevents && !rc; i++)
		rc = weigh_event(&m, o->events[i], i, &w, &remarks);
	if (!rc) {
		weights_write(stdout, &w);
		weights_write(stdout, &more);
	}
	weights_free(&w);
	weights_free(&more);
	machine_close(&m);
	return rc;
}

/* ---- the process that runs the trial ---- */

static char *join(const char *const *names, size_t n)
{
	char *text = NULL;
	size_t bytes, written = 0;
	FILE *f = open_memstream(&text, &bytes);

	for (size_t i = 0; f && i < n; i++)
		if (names[i])
			fprintf(f, "%s%s", written++ ? "," : "", names[i]);
	if (f && !fclose(f))
		return text;
	free(text);
	return NULL;
}

/* Adds the rows that the process writes: of new kinds, and remarks. 0 or a negative errno. */
static int take_rows(int fd, struct weights *w)
{
	struct weights more = { .nkinds = 0 };
	FILE *f = fdopen(fd, "r");
	int rc = f ? weights_read(f, w->nevents, &more) : -errno;

	for (size_t k = 0; k < more.nkinds && !rc; k++) {
		const char *name = more.kinds[k].name;
		int64_t *row = (int64_t *)(uintptr_t)weights_row(w, name);

		row = row ? row : weights_add(w, name);
		rc = row ? 0 : -ENOMEM;
		for (int e = 0; row && e < w->nevents; e++)
			row[e] |= more.kinds[k].of[e];
	}
	weights_free(&more);
	if (f)
		fclose(f);
	else
		close(fd);
	return rc;
}

static int run_trial(const char *machine, const char *kinds, const char *events,
		     struct weights *w)
{
	/* The other machine is another one. */
	static const char *const hidden[] = { "VPMU_", "HWLOC_", "OMPI_", "PMI", NULL };
	char self[PATH_MAX], why[COUNT_WHY_MAX];
	const char *const argv[] = { "vpmu", "run", "--no-feed", "-m", machine, "--", self,
				     "--trial", kinds, "-e", events, NULL };
	struct helper h = { .in = -1, .hidden = hidden };
	int pipe_fd[2], rc, rows;

	if (!beside_program("ipmu-run", self))
		strcpy(self, "ipmu-run");
	if (pipe2(pipe_fd, O_CLOEXEC))
		return complain(EXIT_CANNOT_COUNT, "cannot make a pipe: %s", strerror(errno));
	h.out = pipe_fd[1];
	helper_start(&h, argv);
	close(pipe_fd[1]);
	rows = take_rows(pipe_fd[0], w);
	rc = helper_wait(&h, why, sizeof(why));
	if (rc || rows)
		return complain(EXIT_CANNOT_COUNT, "--profile: cannot find out what the events "
				"count: %s", rc ? why : strerror(-rows));
	return 0;
}

int trial_weights(const char *machine, const char *const *events, const struct profile *p,
		  struct weights *w)
{
	const char **missing = calloc(p->nkinds + 1, sizeof(*missing));
	char *kinds = NULL, *names = join(events, (size_t)w->nevents);
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; missing && i < p->nkinds; i++)
		if (p->kinds[i] && !weights_row(w, p->kinds[i]))
			missing[n++] = p->kinds[i];
	if (missing && n)
		kinds = join(missing, n);
	if (!missing || !names || (n && !kinds))
		rc = complain(EXIT_CANNOT_COUNT, "no memory");
	else if (n)
		rc = run_trial(machine, kinds, names, w);
	free(missing);
	free(kinds);
	free(names);
	return rc;
}
