/* SPDX-License-Identifier: MIT */
/* Reports: counts as text for people and as files for programs. */
#ifndef IPMU_RUN_REPORT_H
#define IPMU_RUN_REPORT_H

#include <stdio.h>

#include "../counting/measure.h"
#include "../groups/group.h"
#include "../profile/where.h"

/* A group whose events are these of the measurement; without a group: those that were requested by
 * name. */
struct report_group {
	const struct group *group;
	const int *events;
	int nevents;
};

/* The processes of which the program was one. */
struct report_job {
	int size;		/* so many the launcher has started */
	int ranks, ended;	/* of these we know, and know that they have ended */
	int outside;		/* these may have used CPUs that were not counted */
	int nodes;
	const struct report_node { char host[65]; int ranks; } *node;
	const char *id;		/* the same on all nodes of the job; "": not known */
	bool first;		/* rank 0 is among them */
};

#define REPORT_STREAMS 3

struct report {
	const struct machine *machine;
	const struct measurement *m;
	const struct report_group *groups;
	int ngroups;
	const char *command;		/* the program and its arguments, cut where it is long */
	const struct report_job *job;	/* NULL: no launcher has started it */
	const char *options;		/* those of ipmu-run */
	const char *name;		/* of --name; NULL: none */
	const char *only;		/* the program that is counted; NULL: all that ran */
	char *const *program;		/* all arguments; NULL: none */
	/* Kinds of stdin, stdout and stderr, as program_stream() names them; NULL: not known. */
	const char *streams[REPORT_STREAMS];
	const struct comparison *comparison;	/* shown on the page; NULL: none */
	struct { double gflops, bandwidth; } roof;	/* of --roof, GB/s; 0: not given */
	const struct where *where;	/* causes of the counts; NULL: no profile */
	bool elsewhere;			/* counted on another machine than this one */
	const char *by;			/* what shows it; NULL: ipmu-run */
	/* Computes metrics (formula_value()); NULL: there are no groups. It is a pointer because
	 * libipmu_mpi writes reports, and muparser stays out of users' programs. */
	int (*formula)(struct formula *f, const double *values, double *out);
};

struct value {
	bool known;
	double mean, deviation;	/* deviation of one run from the mean; 0 for a single run */
};

/* ---- values.c */

/* The count of a part, or with -1 of all parts together. */
struct value report_event(const struct report *r, int event, int part);
/* Parts that are shown, those that are sums included. */
static inline int report_nparts(const struct event *e)
{
	return e->nparts + e->nsums;
}
/* A metric of the whole, or of one part (see report_metric_event). */
struct value report_metric(const struct report *r, const struct report_group *g, int metric,
			   const struct part *part);
/* An event of the group whose parts the metric can be computed for one by one; NULL: none. */
const struct event *report_metric_event(const struct report *r, const struct report_group *g,
					int metric);
/* True for a metric per time of a virtual machine: it is marked, and comes behind the others in
 * what people read, because time there is the model's. */
bool report_is_rate(const struct report *r, const struct group_metric *m);
#define REPORT_RATE_MARK ", at the model's clock"
/* The metric behind this one in that order, or the first, of -1; -1: there is no more. */
int report_metric_next(const struct report *r, const struct report_group *g, int metric);
/* Does the group name this event for the first time? Its clock may be one of its events, too. */
bool report_is_first(const struct report_group *g, int i);
/* "stdin" and so on. */
const char *report_stream_name(int stream);
/* Seconds of the program: beside a virtual machine on its clock, on a booted one on that of the
 * first group that has one. */
struct value report_seconds(const struct report *r);
/* The report of one complete run of several, with room for its measurement. */
struct report report_of_run(const struct report *r, int run, struct measurement *m);
/* The report of a region of m->phases, with room for its measurement. */
struct report report_of_phase(const struct report *r, const struct phase *p,
			      struct measurement *m);
/* Calls of the region, of its ranks together, in a run. */
struct value report_phase_calls(const struct report *r, const struct phase *p);
/* The share of the region's time on its node that a rank was inside. */
struct value report_phase_share(const struct report *r, const struct phase *p,
				const struct phase_rank *rank);
/* "4 calls of 2 ranks, 0.001 s"; and what is wrong with it in a sentence each, or "". */
#define REPORT_PHASE_MAX 400
void report_phase_text(const struct report *r, const struct phase *p, char out[REPORT_PHASE_MAX]);
void report_phase_apart(const struct report *r, const struct phase *p, char out[REPORT_PHASE_MAX]);
void report_phase_unfinished(const struct phase *p, char out[REPORT_PHASE_MAX]);
/* Calls of all regions that were ignored, or "". */
void report_phases_ignored(const struct phase_list *l, char out[REPORT_PHASE_MAX]);
bool report_is_complete(const struct report *r);
/* Has a signal ended the only run, so that these are counts of a part of it? */
bool report_is_cut(const struct report *r);
/* Why it is not complete, if a rank or the virtual machine has reported that; "" otherwise. */
const char *report_reason(const struct report *r);
/* "from MPI_Init to MPI_Finalize", or "in its regions alone"; NULL: neither was requested. */
const char *report_window(const struct report *r);
/* The rule of the machine's clock: "instruction" or "estimate" and the same in words; NULL: it has
 * none. */
const char *report_clock(const struct report *r);
const char *report_clock_text(const struct report *r);
/* "exit status 2"; for a shell's status of a program that a signal ended, also the signal's
 * name. */
void report_status_text(int status, char out[128]);
/* "4 ranks on 1 node", and what is wrong with that, or "". */
void report_job_text(const struct report_job *job, char out[160]);

/* Intervals of a run's pass from `begin` to the one before `end`; pass -1: the whole run. */
struct report_span {
	int run, pass;
	size_t begin, end;
};

/* How many a run's pass has; 0 where none were requested. */
size_t report_intervals(const struct report *r, int run, int pass);
/* The pass that has all of a metric's events, -1: none has. */
int report_metric_pass(const struct report *r, const struct report_group *g, int metric);
struct count report_count(const struct report *r, const struct report_span *span, int event,
			  int part);
struct value report_span_metric(const struct report *r, const struct report_group *g,
				const struct report_span *span, int metric,
				const struct part *part);
/* Beside a virtual machine by its clock, on a booted one by the group's clock. */
struct value report_span_seconds(const struct report *r, const struct report_group *g,
				 const struct report_span *span);
/* A count, or a metric's value, as text for people. */
#define REPORT_NUMBER_MAX 40
void report_number(double x, bool is_count, char out[REPORT_NUMBER_MAX]);
/* Now, in UTC: "2026-11-25T23:10:05Z". */
#define REPORT_DATE_MAX 32
void report_date(char out[REPORT_DATE_MAX]);
/* The words on one line; of a longer command the beginning, and how many are not shown. */
#define REPORT_COMMAND_MAX 264
#define REPORT_WHOLE_MACHINE "the whole machine"	/* without words */
void report_command(char *const *argv, char out[REPORT_COMMAND_MAX]);
/* "package 0 box 1", or "all". */
void report_part_name(const struct part *part, char out[64]);

#define REPORT_WHY_MAX 300
#define REPORT_SCHEMA 1		/* of the JSON; raised when a member changes its meaning */

/* ---- what they are written as; 0 or a negative errno */

int report_text(FILE *f, const struct report *r);
int report_csv(FILE *f, const struct report *r);
int report_json(FILE *f, const struct report *r);
/* Reasons why something could not be drawn, "" if all was. The page is as good otherwise. */
struct report_missing {
	char drawing[REPORT_WHY_MAX], plots[REPORT_WHY_MAX];
};

int report_html(FILE *f, const struct report *r, struct report_missing *missing);
/* 0, or why not all of it has been written. */
int report_flush(FILE *f);

#endif
