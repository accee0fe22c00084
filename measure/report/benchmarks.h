/* SPDX-License-Identifier: MIT */
/* Several comparisons in one table, and as histories of benchmarks read them. */
#ifndef IPMU_RUN_BENCHMARKS_H
#define IPMU_RUN_BENCHMARKS_H

#include "compare.h"

struct benchmark {
	const char *name;
	const struct comparison *c;	/* NULL: there is a problem */
	const char *problem;		/* why it was not counted or compared; NULL: it was */
	bool is_new;			/* there is no base: c compares the report with itself */
};

/* Those of which something failed, and those with a problem. */
int benchmarks_failed(const struct benchmark *b, int n);
int benchmarks_problems(const struct benchmark *b, int n);

/* what: the name of the suite. All return 0 or a negative errno. */
int benchmarks_text(FILE *f, const char *what, const struct benchmark *b, int n);
int benchmarks_markdown(FILE *f, const char *what, const struct benchmark *b, int n);
int benchmarks_json(FILE *f, const char *what, const struct benchmark *b, int n);
/* The new counts, for Bencher ("Bencher Metric Format") and for github-action-benchmark
 * ("customSmallerIsBetter"): the subjects of headlines, or the events where there is none. */
int benchmarks_bmf(FILE *f, const struct benchmark *b, int n);
int benchmarks_gha(FILE *f, const struct benchmark *b, int n);

#endif
