/* SPDX-License-Identifier: MIT */
/* The headline of a comparison in the words that people use: headline_write() and
 * headline_values(). A subject, such as memory traffic, is the sum of the events whose names fit
 * its first pattern that any event fits. If no subject shows why the comparison failed, the
 * headline names an event that failed as well. */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "headline.h"

#define UNCHANGED 0.05		/* per cent: 0.0 in the tables */

/* Names without component and PMU, as libpfm4 spells them. */
static const struct {
	const char *noun;
	const char *patterns[HEADLINE_PATTERNS];
	bool metric;
} subjects[HEADLINE_SUBJECTS] = {
	{ "instructions", { "INST_RETIRED:ANY", "INST_RETIRED:ANY_P", "INSTRUCTION_RETIRED",
			    "INSTRUCTIONS_EXECUTED",
			    "instr_retired:NBOGUSNTAG:NBOGUSTAG" }, false },
	{ "L1 lines", { "L1D:REPLACEMENT", "L1D_REPL" }, false },
	{ "LLC misses", { "UNC_CBO_CACHE_LOOKUP:ANY_I", "UNC_CBO_CACHE_LOOKUP:READ_I",
			  "LONGEST_LAT_CACHE:MISS", "LLC_MISSES", "LLC_MISSES:ALL",
			  "LAST_LEVEL_CACHE_MISSES" }, false },
	{ "memory traffic", { "DRAM_DATA_*", "UNC_MC?_??CAS_COUNT_FREERUN", "INFLIGHT_CMDS" },
	  false },
	{ "mispredictions", { "BR_MISP_RETIRED:ALL_BRANCHES", "MISPREDICTED_BRANCH_RETIRED",
			      "BRANCHES_MISPREDICTED", "mispred_branch_retired:NBOGUS" }, false },
	{ HEADLINE_ESTIMATE, { HEADLINE_ESTIMATE }, true },
	{ "clocks", { "CPU_CLK_UNHALTED:CORE", "CPU_CLK_UNHALTED", "UNHALTED_CORE_CYCLES",
		      "global_power_events:RUNNING", "UNC_CLOCK:SOCKET" }, false },
};

bool headline_fits(const char *name, bool metric, int subject, int pattern)
{
	const char *dot = metric ? NULL : strchr(name, '.');

	return subjects[subject].patterns[pattern] && metric == subjects[subject].metric &&
	       !fnmatch(subjects[subject].patterns[pattern], dot ? dot + 1 : name, 0);
}

static bool is_of(const struct saved_item *item, int subject, int pattern)
{
	return headline_fits(saved_short_name(item), item->unit != NULL, subject, pattern);
}

/* The pattern that some item fits, -1: none. */
static int pattern_of(const struct comparison *c, int subject)
{
	for (int p = 0; p < HEADLINE_PATTERNS && subjects[subject].patterns[p]; p++)
		for (int i = 0; i < c->n; i++)
			if (is_of(c->items[i].old ? c->items[i].old : c->items[i].new, subject, p))
				return p;
	return -1;
}

const char *headline_noun(int subject)
{
	return subjects[subject].noun;
}

bool headline_values(const struct comparison *c, int subject, double *old, double *new)
{
	int pattern = pattern_of(c, subject);

	*old = *new = 0;
	for (int i = 0; pattern >= 0 && i < c->n; i++) {
		const struct compared *one = &c->items[i];

		if (!is_of(one->old ? one->old : one->new, subject, pattern))
			continue;
		*old += one->old && one->old->v.known ? one->old->v.value : NAN;
		*new += one->new && one->new->v.known ? one->new->v.value : NAN;
	}
	return pattern >= 0;
}

/* False: one of the values is not known. */
static bool change_text(double old, double new, char out[HEADLINE_PART])
{
	double percent = new == old ? 0 : 100 * (new - old) / fabs(old);

	if (isnan(old) || isnan(new))
		return false;
	if (fabs(percent) < UNCHANGED)
		strcpy(out, "unchanged");
	else if (isinf(percent))
		snprintf(out, HEADLINE_PART, "from 0 to %.6g", new);
	else
		snprintf(out, HEADLINE_PART, fabs(percent) < 99.5 ? "%+.2g %%" : "%+.0f %%",
			 percent);
	return true;
}

/* ---- changes that no subject shows ---- */

/* True: a subject that the headline shows as changed has the event. */
static bool is_told(const struct comparison *c, const struct saved_item *item)
{
	for (int s = 0; s < HEADLINE_SUBJECTS; s++) {
		int pattern = pattern_of(c, s);
		char text[HEADLINE_PART];
		double old, new;

		if (pattern < 0 || !is_of(item, s, pattern) || !headline_values(c, s, &old, &new))
			continue;
		return change_text(old, new, text) && strcmp(text, "unchanged");
	}
	return false;
}

static double size_of(const struct compared *one)
{
	if (!one->old || !one->new || !one->old->v.known || !one->new->v.known)
		return HUGE_VAL;
	return one->new->v.value == one->old->v.value ? 0 :
	       fabs((one->new->v.value - one->old->v.value) / one->old->v.value);
}

/* The largest change that the headline does not have yet, of items that failed or of the others. */
static const struct compared *largest(const struct comparison *c, bool failed)
{
	const struct compared *best = NULL;

	for (int i = 0; i < c->n; i++) {
		const struct compared *one = &c->items[i];

		if (one->failed != failed || (!failed && 100 * size_of(one) < UNCHANGED) ||
		    is_told(c, one->old ? one->old : one->new))
			continue;
		if (!best || size_of(one) > size_of(best))
			best = one;
	}
	return best;
}

static void put_one(FILE *f, const struct compared *one, const char *before)
{
	const struct saved_item *item = one->old ? one->old : one->new;
	const char *name = saved_short_name(item), *dot = item->unit ? NULL : strchr(name, '.');
	char text[HEADLINE_PART] = "not known";

	if (one->old && one->new && one->old->v.known && one->new->v.known)
		change_text(one->old->v.value, one->new->v.value, text);
	else if (!one->old || !one->new)
		strcpy(text, one->old ? "missing" : "new");
	fprintf(f, "%s%.200s %s", before, dot ? dot + 1 : name, text);
}

/* True: a subject shows an item that failed or, if none failed, any that changed. */
static bool is_enough(const struct comparison *c)
{
	for (int i = 0; i < c->n; i++)
		if (c->items[i].failed == (c->failed > 0) &&
		    is_told(c, c->items[i].old ? c->items[i].old : c->items[i].new))
			return true;
	return false;
}

void headline_write(FILE *f, const struct comparison *c)
{
	const struct compared *one;
	int n = 0;

	for (int s = 0; s < HEADLINE_SUBJECTS; s++) {
		char text[HEADLINE_PART];
		double old, new;

		if (headline_values(c, s, &old, &new) && change_text(old, new, text))
			fprintf(f, "%s%s %s", n++ ? ", " : "", subjects[s].noun, text);
	}
	one = is_enough(c) ? NULL : largest(c, c->failed > 0);
	if (one)
		put_one(f, one, n ? ", " : "");
	else if (!n)
		fputs("nothing changed", f);
}

void headline_write_counts(FILE *f, const struct comparison *c)
{
	int n = 0;

	for (int s = 0; s < HEADLINE_SUBJECTS; s++) {
		double old, new;

		if (headline_values(c, s, &old, &new) && !isnan(new))
			fprintf(f, "%s%s %.15g", n++ ? ", " : "", subjects[s].noun, new);
	}
	if (!n)
		fputs("counted", f);
}
