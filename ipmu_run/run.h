/* SPDX-License-Identifier: MIT */
/* The parts of the command. */
#ifndef IPMU_RUN_H
#define IPMU_RUN_H

#include <signal.h>
#include <stdbool.h>

#include "complain.h"
#include "new_file.h"
#include "options.h"
#include "shown.h"
#include "../measure/counting/measure.h"
#include "../measure/groups/find.h"
#include "../measure/report/compare.h"
#include "../measure/report/report.h"

/* Two kinds of errors with one status: the program has others. */
#define EXIT_CANNOT_COUNT STATUS_OURS
#define EXIT_USAGE STATUS_OURS

/* ---- options.c */

#define MACHINE_CACHES 4
extern const char *const machine_caches[MACHINE_CACHES];	/* the options' names: --l1i ... */

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN, FORMAT_BMF, FORMAT_GHA };

struct options {
	char **groups, **events;	/* names, as given */
	int ngroups, nevents;
	const char *on, *seed, *name, *only, *output;
	const char *cache[MACHINE_CACHES];	/* SIZE,WAYS of --on's caches; NULL: its own */
	double roof[2];			/* of --roof: 1e9 operations/s, GB/s; 0: not given */
	int repeat;
	int interval_ms;		/* 0: none */
	double seconds;			/* of --for; 0: not given */
	bool passes, list, quiet, from_mpi_init, profile, only_regions;
	bool data;			/* with profile: by data, too */
	const char *merge;		/* a PREFIX; NULL: nothing is merged */
	const char *show;		/* a report; NULL: none is shown */
	const char *compare, *diff;	/* the old report; the new one of --diff, NULL: a run */
	struct limits limits;
	enum format format;
	const char *to;			/* NULL: the standard output */
	const char *base_to;		/* of --base */
	const char *trial;		/* kinds of occurrences to try (trial.c); NULL: none */
	const char *suite;		/* NULL: one program, or none */
	int seeds;			/* layouts; 0: the one of --seed */
	struct limits own;		/* of a line of a suite, which `limits` has as well */
	bool force;
	int beyond;			/* the status where a limit is passed; 0: not given */
	struct split split;
	char *given;			/* all of them, as the user wrote them */
	struct saved base;		/* --compare's, if it has what to count; else empty */
	char **argv;			/* the program and its arguments */
	int first;			/* index of the program in the command's own arguments */
};

/* 0; -1: help or the version was printed; EXIT_USAGE after a complaint. */
int options_parse(int argc, char **argv, struct options *o);
/* A line of a suite, which has the options of `all` besides. As options_parse(). */
int options_parse_line(int argc, char **argv, const struct options *all, const char *name,
		       struct options *o);
void options_free(struct options *o);

/* ---- complain.c: what to do where counting is not possible, with the sentence that says why.
 * machine: a virtual one that can count it, or NULL: any. */
int complain_machine(int rc, const char *why, const char *machine);
/* For groups_find(). */
void complain_group_file(const char *why);

/* ---- unknown.c: events and groups that cannot be counted here, after event_find. */
int complain_event(const struct machine *m, const char *given, int rc, const char *why);
/* same: the groups of that name, all of other PMUs than those here. */
int complain_group(const struct machine *m, const char *name, const struct group_list *same,
		   int rc, const char *why);

/* ---- choose.c: which events are counted for the options */

struct choice {
	struct group_list groups;	/* those chosen, which `report` refers to */
	struct event *events;
	int nevents, nparts;
	struct report_group *report;	/* groups in order of options, then events by name */
	struct bundle *bundles;		/* one for each of `report` */
	int nreport;
};

/* 0, or an exit status after a complaint. */
int choose(const struct machine *m, const struct options *o, struct choice *out);
void choice_free(struct choice *c);

/* ---- here.c: can all events of the group be counted here? 0 or as event_find. */
int group_here(const struct machine *m, const struct group *g, char why[COUNT_WHY_MAX]);
/* True: group_here's result leaves open whether the group is of this machine; another error came
 * first. */
bool group_unknown(int rc);

/* ---- list.c: --groups. An exit status. */
int list_groups(const struct machine *m);
/* "MEM, LLC": those of this machine; "" if there are none. */
void list_names(const struct machine *m, char *out, size_t bytes);

/* ---- gate.c: compares with an earlier report. All return 0, or an exit status after a
 * complaint. */

struct gate {
	const struct options *o;
	const struct saved *old;
	struct saved base, new;		/* base: old, unless the options have it */
	struct comparison c;
	struct new_file to;
};

/* A report as saved_parse() would read its JSON, called `name` in messages. 0 or a negative
 * errno. */
int saved_of(const char *name, const struct report *r, struct saved *out, char why[SAVED_WHY_MAX]);
/* For --compare and --diff; to be closed in either case. */
int gate_open(struct gate *g, const struct options *o);
/* begun: the program has not run yet, and the report has no counts. */
int gate_compare(struct gate *g, const struct report *r, bool begun);
/* Also the status of the comparison. */
int gate_write(struct gate *g);
void gate_close(struct gate *g);
/* Compares a report as --compare does a run; `new` is empty then. */
int gate_saved(const struct options *o, struct saved *new);
/* --diff, from begin to end. */
int gate_diff(const struct options *o);

/* ---- merge.c: --merge. An exit status. */
int merge(const struct options *o);

/* ---- show.c: --show. An exit status. */
int show(const struct options *o);

/* ---- suite.c: --suite. An exit status. */
int suite(const struct options *o);

/* ---- seeds.c: --seeds. An exit status. */
int seeds(const struct options *o);

/* ---- again.c: counts o's program in another process, which writes a base. seed: NULL: that of o.
 * Its exit status, or one after a complaint. */
int again_run(const struct options *o, const char *base, const char *seed);
/* From the one to the other Ctrl-C ends the other ipmu-run alone, with AGAIN_STOPPED, so that files
 * can be removed. */
#define AGAIN_STOPPED (128 + SIGINT)
void again_begin(void);
void again_end(void);

/* ---- on.c: becomes `vpmu run`, or returns an exit status after a complaint. */
int run_on_machine(const struct options *o, int argc, char **argv);

/* ---- output.c: where the report is written */

#define OUTPUTS 3	/* .csv, .json, .html */

struct output {
	bool to_stdout;			/* JSON, instead of all else */
	bool to_files;
	struct new_file file[OUTPUTS];
	struct new_file base;
	int claim;			/* socket whose name claims the PREFIX; -1: none */
};

/* prefix: of -o, base: of --base, or NULL. 0, or EXIT_USAGE after a complaint: a place that cannot
 * be written shows before the program has run. */
int output_open(struct output *o, const char *prefix, const char *base);
/* 0, or EXIT_USAGE after a complaint: a file of PREFIX.NODE is in the way that is not a report. */
int output_check_node(const char *prefix);
/* Writes the report and publishes the files under their names. 0 or EXIT_CANNOT_COUNT. */
int output_write(struct output *o, const struct report *r);
/* Writes PREFIX.json in silence; all: the other files, too. 0 or EXIT_CANNOT_COUNT. */
int output_leave(const char *prefix, const struct report *r, bool all);
/* The table and the JSON get their names now, and are written again later. Nothing where there are
 * no files. 0 or EXIT_CANNOT_COUNT. */
int output_interim(struct output *o, const struct report *r);
void output_drop(struct output *o);

#endif
