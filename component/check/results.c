/* SPDX-License-Identifier: MIT */
/* Results: what makes one right, and the table of them. */
#include "check.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX 2048

static struct result results[MAX];
static int nresults;

struct result *result_add(const char *event, const char *test, const char *cpus)
{
	struct result *r = &results[nresults < MAX ? nresults++ : MAX - 1];

	memset(r, 0, sizeof(*r));
	snprintf(r->event, sizeof(r->event), "%s", event);
	r->test = test;
	r->cpus = cpus;
	r->expected = r->perf = -1;
	return r;
}

struct result *result_find(const char *event, const char *test, const char *cpus)
{
	for (int i = 0; i < nresults; i++)
		if (!strcmp(results[i].event, event) && !strcmp(results[i].test, test) &&
		    !strcmp(results[i].cpus, cpus))
			return &results[i];
	return NULL;
}

void result_fail(struct result *r, const char *format, ...)
{
	va_list ap;

	r->verdict = FAIL;
	va_start(ap, format);
	vsnprintf(r->remark, sizeof(r->remark), format, ap);
	va_end(ap);
}

/* Without the list of what else there is. */
void result_skip(struct result *r, const char *reason)
{
	const char *list = strstr(reason, "; supported: ");

	r->verdict = SKIPPED;
	r->count = -1;
	snprintf(r->remark, sizeof(r->remark), "%.*s",
		 list ? (int)(list - reason) : (int)strlen(reason), reason);
}

/* A ratio says what is wrong where only a power of two explains it. */
static void explain(struct result *r)
{
	double ratio = r->expected > 0 ? r->count / r->expected : 0;
	double power = ratio > 0 ? round(log2(ratio)) : 0;

	if (r->expected > 0 && r->count <= 0)
		result_fail(r, "dead: it counts nothing");
	else if (power != 0 && fabs(ratio / exp2(power) - 1) < 0.05)
		result_fail(r, "%g times as much: another unit, or boxes that are missed or "
			    "counted twice", exp2(power));
	else
		result_fail(r, "not what the kernel does");
}

/* The factor's allowance is of the work where nothing is expected. */
void result_judge(struct result *r, double factor, double units, double noise)
{
	double most = r->expected > 0 ? r->expected * factor : units * (factor - 1);
	double least = r->expected > 0 ? r->expected / factor : 0;

	if (r->count >= least && r->count <= most)
		r->verdict = PASS;
	else if (r->count >= least - noise && r->count <= most + noise)
		r->verdict = NOISE;
	else
		explain(r);
	if (r->verdict == NOISE)
		snprintf(r->remark, sizeof(r->remark), "the idle machine counts %.0f meanwhile",
			 noise);
}

int results_of(enum check_verdict v)
{
	int n = 0;

	for (int i = 0; i < nresults; i++)
		n += results[i].verdict == v;
	return n;
}

static void write_number(FILE *f, double number, int width)
{
	if (number < 0)
		fprintf(f, " %*s", width, "-");
	else
		fprintf(f, " %*.0f", width, number);
}

static void write_row(FILE *f, const struct result *r)
{
	static const char *const words[] = { "pass", "FAIL", "noise", "skipped" };

	fprintf(f, "%-44s %-8s %-4s", r->event, r->test, r->cpus);
	write_number(f, r->count, 12);
	write_number(f, r->expected, 12);
	if (r->expected > 0 && r->count >= 0)
		fprintf(f, " %7.4f", r->count / r->expected);
	else
		fprintf(f, " %7s", "-");
	write_number(f, r->perf, 12);
	fprintf(f, "  %s\n", words[r->verdict]);
	if (r->remark[0])
		fprintf(f, "  %s\n", r->remark);
}

/* An event's rows follow each other, whatever order they were counted in. */
static void write_rows_of(FILE *f, int first)
{
	for (int i = 0; i < first; i++)
		if (!strcmp(results[i].event, results[first].event))
			return;
	for (int i = first; i < nresults; i++)
		if (!strcmp(results[i].event, results[first].event))
			write_row(f, &results[i]);
}

void results_write(FILE *f)
{
	fprintf(f, "%-44s %-8s %-4s %12s %12s %7s %12s  %s\n", "event", "test", "CPUs", "count",
		"expected", "ratio", "perf", "verdict");
	for (int i = 0; i < nresults; i++)
		write_rows_of(f, i);
	fprintf(f, "\n%d passed, %d failed, %d noise, %d skipped\n", results_of(PASS),
		results_of(FAIL), results_of(NOISE), results_of(SKIPPED));
}
