/* SPDX-License-Identifier: MIT */
/* --profile and --data: where the counts of a program come from. */
#ifndef IPMU_RUN_PROFILE_H
#define IPMU_RUN_PROFILE_H

#include "../measure/profile/weights.h"
#include "run.h"

struct profiling;

/* 0, or EXIT_USAGE after a complaint: an event counts something that no instruction causes. */
int profile_check(const struct choice *c);
/* Makes a place for profiles, and has programs that this process starts write them there. with:
 * other programs that are waited for, or NULL. 0 or an exit status after a complaint. */
int profile_begin(const struct options *o, const struct choice *c, const struct company *with,
		  struct profiling **out);
/* For the measurement. */
const struct company *profile_company(const struct profiling *p);
/* After the measurement: reads the profiles, and writes PREFIX.callgrind.PID. prefix: NULL: none.
 * *where stays until profile_end(). 0 or an exit status after a complaint. */
int profile_collect(struct profiling *p, const struct measurement *m, const char *prefix,
		    const struct where **where);
/* Removes the place. NULL is no profile. */
void profile_end(struct profiling *p);

/* ---- trial.c: how often each event counts when a kind of occurrence occurs */

/* Tries on another machine of that name. Adds a row for each kind that `w` lacks. events: full
 * names, w->nevents of them. 0 or an exit status after a complaint. */
int trial_weights(const char *machine, const char *const *events, const struct profile *p,
		  struct weights *w);
/* The process of the trial, for `ipmu-run --trial KIND,KIND... -e EVENT,EVENT...`: it writes the
 * weights to stdout. An exit status. */
int trial(const struct options *o);

#endif
