/* SPDX-License-Identifier: MIT */
/* A group: events that are counted together and the metrics that follow from them, as a text file
 * has them. Lines are "key: value"; a line that begins with a blank continues the one before it;
 * '#' begins a comment line.
 *
 *	title: one line
 *	event: ID = NAME		as PAPI lists it, with or without its component
 *	event: ID BETTER = NAME		BETTER: lower (without it), higher or neither
 *	clock: ID = NAME		as event, but counted on a virtual machine alone, where it
 *					counts its nanoseconds
 *	metric: NAME [UNIT] BETTER = FORMULA	of IDs and `time`, seconds; without BETTER: neither
 *	tells: what the numbers say
 *	misleads: when they do not
 */
#ifndef IPMU_RUN_GROUP_H
#define IPMU_RUN_GROUP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define GROUP_WHY_MAX 512
#define GROUP_TIME "time"

/* A file with more is refused: nobody counts so much, and it could take all memory and time.
 * Events and metrics have the same limit. */
#define GROUP_BYTES_MAX 1000000
#define GROUP_EVENTS_MAX 1000
#define GROUP_FORMULA_MAX 4096

/* Which values of two runs are the better ones. */
enum better { BETTER_NEITHER, BETTER_LOWER, BETTER_HIGHER, BETTERS };

struct group_event {
	char *id, *name;
	bool clock;
	enum better better;
	int line;
	int variable;		/* of formulas; -1: the clock, which is none */
};

struct formula;

struct group_metric {
	char *name, *unit, *formula;
	enum better better;
	int line;
	struct formula *parsed;
	bool *uses;		/* which variables the formula has, */
	bool timed;		/* and whether GROUP_TIME is one */
};

struct group {
	char *pmu, *name;	/* folder and file name */
	char *title, *tells, *misleads;
	struct group_event *events;
	int nevents;
	struct group_metric *metrics;
	int nmetrics;
	int time;		/* the variable of GROUP_TIME, behind those of events */
};

/* Reads a group from an open file. `path` is for messages, and its last two parts are the group's
 * pmu and name. 0 and a group that the caller frees with group_free(); -EINVAL, -ENOMEM or -EIO
 * with "PATH:LINE: what is wrong and what is right there" in why. */
int group_read(FILE *f, const char *path, struct group **out, char why[GROUP_WHY_MAX]);
void group_free(struct group *g);
/* Numbers the variables and parses the metrics' formulas, once. 0; -EINVAL or -ENOMEM, with the
 * metric that is wrong and the reason. */
int group_parse(struct group *g, const struct group_metric **wrong, char why[GROUP_WHY_MAX]);
/* The event that is the clock of virtual machines, -1: none. */
static inline bool group_is(const struct group *g, const char *pmu, const char *name)
{
	return !strcmp(g->pmu, pmu) && !strcmp(g->name, name);
}
static inline int group_clock(const struct group *g)
{
	for (int i = 0; i < g->nevents; i++)
		if (g->events[i].clock)
			return i;
	return -1;
}
/* Removes it, if there is one. */
void group_drop_clock(struct group *g);
/* True: the formula names the event. */
static inline bool group_uses(const struct group_metric *m, const struct group_event *e)
{
	return e->variable >= 0 && m->uses[e->variable];
}
/* "lower", as files have it. */
static inline const char *better_word(enum better b)
{
	return b == BETTER_LOWER ? "lower" : b == BETTER_HIGHER ? "higher" : "neither";
}
/* The value of such a word; BETTERS: it is none. */
static inline enum better better_of(const char *word)
{
	enum better b = BETTER_NEITHER;

	while (b < BETTERS && strcmp(word, better_word(b)))
		b++;
	return b;
}
/* The event with that id, -1: none. */
int group_event_find(const struct group *g, const char *id);

#endif
