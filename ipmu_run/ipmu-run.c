/* SPDX-License-Identifier: MIT */
/* ipmu-run counts what the machine does while a program runs. main() reads the options and starts
 * one task: suite(), seeds(), gate_diff(), merge(), show(), run_on_machine() or work(). work()
 * counts for itself, or as one process of a job (job/job.h). Wrong events, unwritable files and
 * reports that cannot be compared are refused before the program starts. Functions return an exit
 * status: the program's own, or one after a complaint. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beside.h"
#include "../measure/counting/program.h"
#include "../measure/counting/virtual.h"
#include "file_limit.h"
#include "../measure/groups/formula.h"
#include "guardian.h"
#include "job/job.h"
#include "lines.h"
#include "profile.h"
#include "run.h"
#include "status.h"

struct work {
	const struct options *o;
	const struct machine *machine;
	struct job *job;	/* NULL: none */
	struct gate *gate;	/* NULL: nothing is compared */
	const struct where *where;	/* of --profile, after the run; NULL: none */
};

/* The words with which run_on_machine has the program emulated are none of the user's. */
static char **own_words(char **argv)
{
	const char *slash = argv[0] ? strrchr(argv[0], '/') : NULL;

	if (!argv[0] || strcmp(slash ? slash + 1 : argv[0], "vpmu") || !argv[1] ||
	    strcmp(argv[1], "run") || !argv[2] || strcmp(argv[2], "--") || !argv[3])
		return argv;
	return argv + 3;
}

/* A clock of several groups is in the pass of each. */
static bool is_first(const struct passes *p, int pass, int event)
{
	for (int earlier = 0; earlier < pass; earlier++)
		if (passes_has(p, earlier, event))
			return false;
	return passes_has(p, pass, event);
}

static int refuse_passes(const struct work *w, const struct choice *c, const struct passes *p)
{
	complain(0, "these events do not fit into the counters at once: %s", p->why);
	for (int pass = 0; pass < p->n; pass++) {
		fprintf(stderr, "  %s:", pass ? "not with these" : "fit together");
		for (int i = 0; i < c->nevents; i++)
			if (is_first(p, pass, i))
				fprintf(stderr, " %s", c->events[i].given);
		fputc('\n', stderr);
	}
	if (w->job && !w->job->alone)
		fprintf(stderr, "  ask for less: they take %d jobs\n", p->n);
	else
		fprintf(stderr, "  ask for less, or let --passes run the program %d times\n", p->n);
	return EXIT_USAGE;
}

static struct report work_describe(const struct work *w, const struct choice *c,
			      const struct measurement *m, char command[REPORT_COMMAND_MAX])
{
	report_command(own_words(w->o->argv), command);
	return (struct report){
		.machine = w->machine, .m = m, .groups = c->report, .ngroups = c->nreport,
		.command = command, .job = w->job ? job_shape(w->job) : NULL,
		.roof = { w->o->roof[0], w->o->roof[1] },
		.options = w->o->given, .name = w->o->name, .only = w->o->only,
		.program = own_words(w->o->argv), .formula = formula_value, .where = w->where,
		.streams = { program_stream(STDIN_FILENO), program_stream(STDOUT_FILENO),
			     program_stream(STDERR_FILENO) },
	};
}

static int write_report(const struct work *w, const struct choice *c,
			const struct measurement *m, struct output *files)
{
	char command[REPORT_COMMAND_MAX];
	struct report r = work_describe(w, c, m, command);
	int compared = w->gate ? gate_compare(w->gate, &r, false) : 0, rc;

	if (w->gate && !compared)
		r.comparison = &w->gate->c;
	rc = output_write(files, &r);
	if (!rc && m->lost[0])
		rc = complain(EXIT_CANNOT_COUNT, "%s", m->lost);
	if (r.comparison)
		compared = gate_write(w->gate);
	return rc ? rc : compared;
}

/* A report without counts is enough to check whether a comparison would be refused. */
static int check_gate(const struct work *w, const struct choice *c, const struct passes *p)
{
	const struct measurement none = { .events = c->events, .nevents = c->nevents,
					  .nparts = c->nparts, .passes = p, .runs = w->o->repeat };
	char command[REPORT_COMMAND_MAX];
	struct report r = work_describe(w, c, &none, command);

	r.job = NULL;
	return w->gate ? gate_compare(w->gate, &r, true) : 0;
}

/* A node that is not the first leaves its report to that one. With intervals it keeps a page and
 * tables of its own: nodes have no common clock, so the joined report has no intervals. */
static int leave_report(const struct work *w, const struct report *r)
{
	return output_leave(job_node_prefix(w->job), r, w->o->interval_ms > 0);
}

/* Keeps the nodes' reports where something is in them that the joined one lacks. */
static int end_joining(const struct work *w, const struct report *own)
{
	const struct report_job *all = job_shape(w->job);
	bool missing = all->ranks < all->size;

	if (!w->o->output || !strcmp(w->o->output, "-") || (!missing && !w->o->interval_ms)) {
		job_remove_reports(w->job);
		return 0;
	}
	if (missing)
		complain(0, "%d of %d ranks are not in the report: copy %s.NODE.json of their "
			 "nodes to this folder, and 'ipmu-run --merge %s' adds them",
			 all->size - all->ranks, all->size, w->o->output, w->o->output);
	return leave_report(w, own);
}

static int join_nodes(const struct work *w, const struct choice *c,
		      const struct measurement *mine, struct output *files)
{
	char command[REPORT_COMMAND_MAX], why[SAVED_WHY_MAX];
	const struct report_job here = *job_shape(w->job);
	struct report own = work_describe(w, c, mine, command);
	struct work joined = *w;
	const struct measurement *all = mine;
	struct saved saved;
	int rc, kept;

	if (saved_of("this node", &own, &saved, why))
		return complain(EXIT_CANNOT_COUNT, "cannot join the nodes' reports: %s", why);
	rc = job_collect(w->job, &saved, mine, &all);
	saved_free(&saved);
	if (rc)
		return complain(EXIT_CANNOT_COUNT, "cannot join the nodes' reports: %s",
				strerror(-rc));
	own.job = &here;
	if (all != mine)
		joined.where = job_profile(w->job);
	rc = write_report(&joined, c, all, files);
	kept = end_joining(w, &own);
	return rc ? rc : kept;
}

static int tell_job(const struct work *w, const struct choice *c, const struct measurement *mine,
		    struct output *files)
{
	char command[REPORT_COMMAND_MAX];
	struct measurement here;
	struct report r;
	int rc;

	job_describe_node(w->job, mine, &here);
	if (job_has_others(w->job) && w->job->has_first)
		return join_nodes(w, c, &here, files);
	r = work_describe(w, c, &here, command);
	if (job_is_met(w->job) && !leave_report(w, &r))
		return 0;
	rc = write_report(w, c, &here, files);
	if (!rc && w->o->compare && !w->gate)
		rc = complain(EXIT_CANNOT_COUNT, "%s: cannot compare this node's counts with it: "
			      "they have not reached the first node of the job, which compares",
			      w->o->compare);
	return rc;
}

/* A rank that has ended between MPI_Init and MPI_Finalize has not ended well. */
static bool is_early(const struct work *w)
{
	return w->job && w->job->early;
}

static int work_report(const struct work *w, const struct choice *c,
		       const struct measurement *measured, struct output *files)
{
	int rc = w->job ? tell_job(w, c, measured, files) : write_report(w, c, measured, files);

	if (measured->status)
		return measured->status;
	return rc || !is_early(w) ? rc : EXIT_CANNOT_COUNT;
}

/* ---- from MPI_Init to MPI_Finalize ---- */

/* The report that stays if this process is killed, as launchers kill those of a job that fails. */
struct interim {
	const struct work *w;
	const struct choice *c;
	const struct measurement *m;	/* under way */
	struct output *files;
};

/* counts: NULL: nothing is known yet. */
static int write_interim(const struct interim *in, const char *reason, struct count *counts,
			  uint64_t ns)
{
	struct timeline none = { .n = 0 };
	struct window window = { .begun = counts != NULL };
	struct measurement m = *in->m;
	char command[REPORT_COMMAND_MAX];
	struct report_node node;
	struct report_job job;
	struct report r;

	snprintf(window.reason, sizeof(window.reason), "%s", reason);
	m.window = &window;
	m.counts = counts;
	m.run_ns = &ns;
	m.timelines = &none;
	m.watch = NULL;
	m.done = counts != NULL;
	r = work_describe(in->w, in->c, &m, command);
	if (r.job) {
		job = job_shape_here(in->w->job, &node);
		r.job = &job;
	}
	if (r.job && job_has_others(in->w->job) && !in->w->job->has_first)
		return output_leave(job_node_prefix(in->w->job), &r, false);
	return output_interim(in->files, &r);
}

/* A rank has ended before its time. */
static void rescue(void *arg)
{
	const struct interim *in = arg;
	const struct measurement *m = in->m;
	struct count *counts;
	uint64_t ns = 0;

	if (m->runs * m->passes->n > 1)
		return;
	if (m->counting)
		phases_settle(m->counting);
	counts = calloc((size_t)m->nparts + 1, sizeof(*counts));
	if (counts)
		write_interim(in, m->window->reason, window_look(m->window, counts, &ns) ? counts :
			      NULL, ns);
	free(counts);
}

/* The one that was installed with this command; "": none. */
static void find_restore(char path[PATH_MAX])
{
	if (!beside_program("ipmu-restore", path) || access(path, X_OK))
		path[0] = '\0';
}

/* As measure(), or an exit status after a complaint. */
static int measure_region(const struct work *w, struct interim *in, struct measurement *m,
			  struct window *window, char *why)
{
	char restore[PATH_MAX];
	bool guarded;
	int rc = 0;

	m->window = window;
	region_set(w->job->region, window, (struct region_alarm){ rescue, in });
	if (w->job->has_first)
		rc = write_interim(in, "the job has not ended", NULL, 0);
	if (rc)		/* the program would run for nothing */
		return rc;
	find_restore(restore);
	guarded = guardian_join(restore);
	rc = measure(m, w->o->argv, why);
	if (guarded)
		guardian_leave();
	return rc;
}

/* ---- counting ---- */

/* Regions are counted if the program can send messages. */
static int phases_prepare(const struct work *w, struct measurement *m)
{
	if (!w->job)
		return 0;
	m->counting = phases_new(m->nparts, m->runs * m->passes->n, w->o->only_regions);
	if (!m->counting)
		return complain(EXIT_CANNOT_COUNT, "no memory");
	m->phases = phases_list(m->counting);
	w->job->phases = m->counting;
	return 0;
}

/* A report of zeros would hide a program that has no regions. */
static void check_regions(const struct work *w, struct measurement *m)
{
	if (w->o->only_regions && !m->phases->n && !m->lost[0])
		snprintf(m->lost, sizeof(m->lost), "--only-regions: the program entered no region: "
			 "nothing was counted");
}

static int work_count(struct work *w, const struct choice *c, const struct passes *p,
		      struct profiling *profiling, struct output *files)
{
	const unsigned int interval = (unsigned int)w->o->interval_ms;
	struct watch watch = { .interval_ms = w->o->output ? interval : 0 };
	struct status status;
	struct lines lines;
	struct measurement measured = { .events = c->events, .nevents = c->nevents,
					.nparts = c->nparts, .passes = p, .runs = w->o->repeat,
					.only = w->o->only,
					.emulated = own_words(w->o->argv) != w->o->argv,
					.company = profiling ? profile_company(profiling) :
						   w->job ? &w->job->company : NULL,
					.watch = &watch };
	const struct report events = { .machine = w->machine, .m = &measured,
				       .groups = c->report, .ngroups = c->nreport,
				       .formula = formula_value };
	struct interim interim = { w, c, &measured, files };
	struct window window = { .begun = false };
	char why[COUNT_WHY_MAX] = "";
	int rc = phases_prepare(w, &measured);

	if (rc)
		return rc;
	if (interval && !w->o->output &&
	    lines_open(&lines, &events, w->job && job_has_others(w->job) ?
		       w->machine->host : NULL)) {
		watch.tick_ms = interval;
		watch.tick = lines_show;
		watch.tick_arg = &lines;
	}
	if (status_open(&status, &events, !w->o->quiet && !watch.tick)) {
		watch.show = status_show;
		watch.arg = &status;
	}
	if (!w->o->argv[0] && w->o->seconds == 0 && !w->o->quiet)
		fputs("ipmu-run: no program given: counting " REPORT_WHOLE_MACHINE
		      " until Ctrl-C\n", stderr);
	rc = w->job && w->job->region ? measure_region(w, &interim, &measured, &window, why) :
	     measure(&measured, w->o->argv, why);
	status_close(&status);
	if (watch.tick)
		lines_close(&lines);
	if (measured.used)
		complain(0, "the runs share one virtual machine: each begins with what the one "
			 "before left in its caches; 'ipmu-run --on MACHINE' empties them, unless "
			 "programs of that one still run");
	if (rc == -ENOEXEC)
		rc = complain(measured.status, "%s", why);
	else if (rc < 0)
		rc = complain_machine(rc, why, NULL);
	if (!rc && profiling)
		rc = profile_collect(profiling, &measured, files->to_files ? w->o->output : NULL,
				     &w->where);
	if (!rc) {
		check_regions(w, &measured);
		rc = work_report(w, c, &measured, files);
	}
	measure_free(&measured);
	phases_free(measured.counting);
	return rc;
}

/* 0 and NULL without --profile. */
static int work_profile(const struct work *w, const struct choice *c, struct profiling **out)
{
	int rc = w->o->profile ? profile_check(c) : 0;

	*out = NULL;
	if (rc || !w->o->profile)
		return rc;
	return profile_begin(w->o, c, w->job ? &w->job->company : NULL, out);
}

static int plan_and_count(struct work *w, const struct choice *c)
{
	struct profiling *profiling = NULL;
	struct output files;
	struct passes p;
	char why[COUNT_WHY_MAX], *prefix = NULL;
	int rc = passes_plan(c->events, c->nevents, c->bundles, c->nreport, &p, why);

	if (rc)
		return complain_machine(rc, why, NULL);
	if (p.n > 1 && !w->o->passes)
		rc = refuse_passes(w, c, &p);
	if (!rc)
		rc = check_gate(w, c, &p);
	if (!rc && w->job && job_prefix(w->job, w->o->output, &prefix))
		rc = complain(EXIT_CANNOT_COUNT, "no memory");
	if (!rc && prefix && job_has_others(w->job))
		rc = output_check_node(job_node_prefix(w->job));
	else if (!rc && prefix && strcmp(prefix, w->o->output))
		rc = output_check_node(prefix);
	if (!rc)
		rc = output_open(&files, w->job ? prefix : w->o->output,
				 !w->job || w->job->has_first ? w->o->base_to : NULL);
	if (!rc) {
		rc = work_profile(w, c, &profiling);
		if (!rc)
			rc = work_count(w, c, &p, profiling, &files);
		output_drop(&files);
	}
	profile_end(profiling);
	free(prefix);
	passes_free(&p);
	return rc;
}

static int open_and_count(const struct options *o, struct job *job)
{
	struct machine m;
	struct choice c;
	char why[COUNT_WHY_MAX];
	int rc = machine_open(&m, why);

	if (rc) {
		rc = complain(EXIT_CANNOT_COUNT, "%s", why);
	} else if (o->list) {
		rc = list_groups(&m);
	} else {
		rc = choose(&m, o, &c);
		if (rc && o->base.path && strcmp(saved_member(&o->base, "machine"), m.model))
			complain(0, "%s: cannot compare this run with it: it was made on %s; make "
				 "it again with -o PREFIX", o->compare,
				 saved_member(&o->base, "machine"));
		if (!rc) {
			struct gate gate = { .o = o };
			const bool compares = o->compare && (!job || job->has_first);
			struct work w = { o, &m, job, compares ? &gate : NULL, NULL };

			rc = compares ? gate_open(&gate, o) : 0;
			if (!rc)
				rc = plan_and_count(&w, &c);
			gate_close(&gate);
			choice_free(&c);
		}
	}
	machine_close(&m);
	return rc;
}

/* A process of a job cannot be started again: the others would not be there. */
static int refuse_repeating(const struct job *job)
{
	return !job->has_first ? EXIT_USAGE :
	       complain(EXIT_USAGE, "-r and --passes run the program more than once, which one of "
			"%d ranks cannot be: start the job again for each run", job->as.size);
}

/* The profile of a rank that another process of this node starts would be missing. */
static int refuse_profile(const struct job *job)
{
	return !job->has_first ? EXIT_USAGE :
	       complain(EXIT_USAGE, "--profile is of one program on a node: to profile more, start "
			"the launcher by ipmu-run, as in 'ipmu-run --on MACHINE --profile "
			"-g GROUP mpirun -n %d PROGRAM'", job->as.size);
}

/* as: NULL: no launcher has started us. Without a socket such a program is counted as well, but for
 * its regions. */
static int work_in_job(const struct options *o, const struct launched *as)
{
	struct job job;
	char why[COUNT_WHY_MAX];
	int rc;

	rc = job_begin(&job, as, o->given, o->output && strcmp(o->output, "-") ? o->output : NULL,
		       why);
	if (rc && !as && !o->from_mpi_init && !o->only_regions && !program_ending()) {
		complain(0, "regions of the program are not counted: %s", why);
		return open_and_count(o, NULL);
	}
	if (rc)
		return complain(EXIT_CANNOT_COUNT, "%s", why);
	if (job_name_regions(&job, o->only_regions))
		rc = complain(EXIT_CANNOT_COUNT, "no memory");
	else if (o->from_mpi_init && job_from_mpi_init(&job, why))
		rc = complain(EXIT_CANNOT_COUNT, "%s", why);
	else if (!job_counts(&job))
		rc = job_follow(&job, o->argv);
	else if (as && o->profile && as->local_size != 1)
		rc = refuse_profile(&job);
	else if (as && (o->repeat > 1 || o->passes))
		rc = refuse_repeating(&job);
	else
		rc = open_and_count(o, &job);
	job_end(&job, rc);
	return rc;
}

static int work(const struct options *o)
{
	struct launched as;

	program_sleep(o->seconds);
	if (!o->list && launched_as(&as) && as.size > 1)
		return work_in_job(o, &as);
	return o->argv[0] && !o->list ? work_in_job(o, NULL) : open_and_count(o, NULL);
}

int main(int argc, char **argv)
{
	struct options o;
	int rc;

	file_limit_handle();
	rc = options_parse(argc, argv, &o);

	if (rc)
		return complain_unwritten(rc < 0 ? 0 : rc, STATUS_OURS);
	if (o.only && !o.on)
		virtual_only(o.only);
	rc = o.trial ? trial(&o) : o.suite ? suite(&o) :
	     o.seeds ? seeds(&o) : o.diff ? gate_diff(&o) :
	     o.merge ? merge(&o) : o.show ? show(&o) :
	     o.on ? run_on_machine(&o, argc, argv) : work(&o);
	options_free(&o);
	return complain_unwritten(rc, STATUS_OURS);
}
