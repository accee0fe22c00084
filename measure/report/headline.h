/* SPDX-License-Identifier: MIT */
/* Headline of a comparison, and the sums that histories of benchmarks plot. */
#ifndef IPMU_RUN_HEADLINE_H
#define IPMU_RUN_HEADLINE_H

#include "compare.h"

#define HEADLINE_SUBJECTS 7
#define HEADLINE_PART 64
#define HEADLINE_ESTIMATE "estimated clocks"	/* a metric of group CI */

/* "instructions +73 %, memory traffic unchanged, clocks +72 %", without an end of line. Names of
 * events in it are anybody's. */
void headline_write(FILE *f, const struct comparison *c);
/* "instructions 117844, clocks 128851": the new sums. */
void headline_write_counts(FILE *f, const struct comparison *c);
/* "memory traffic" */
const char *headline_noun(int subject);
/* Does the name of an event (without component) or metric fit a pattern of the subject? The first
 * pattern that any name fits decides. */
#define HEADLINE_PATTERNS 6
bool headline_fits(const char *name, bool metric, int subject, int pattern);
/* Both sums of a subject; NAN: not known. False: no report has its events. */
bool headline_values(const struct comparison *c, int subject, double *old, double *new);

#endif
