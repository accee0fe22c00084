/* SPDX-License-Identifier: MIT */
/* A report that report_json() has written, read again. */
#ifndef IPMU_RUN_SAVED_H
#define IPMU_RUN_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../groups/group.h"

struct json_object;

#define SAVED_WHY_MAX 512

/* An item's value: of several runs the median, and how far they are apart. */
struct saved_value {
	bool known;		/* counted, and defined in every run */
	double value;
	double spread;		/* largest - smallest run, in per cent of the median */
};

struct saved_item {
	char *group;		/* "skl_unc/MEM"; "" for events by name */
	const char *name;	/* with the component of an event */
	const char *unit;	/* of a metric, NULL: an event */
	const char *formula;	/* of a metric */
	enum better better;	/* BETTERS: a metric of a report without that member */
	struct json_object *ids;	/* of a metric's group: the events its formula names */
	struct saved_value v;
};

struct saved {
	char *path;			/* as given, for messages */
	struct json_object *root;	/* owns the strings of the items */
	struct saved_item *items;
	int n;
	int runs;
	bool complete;
};

/* 0, or a negative errno and a sentence that names the file and the object in it. A byte 0 follows
 * the text. */
int saved_read(const char *path, struct saved *out, char why[SAVED_WHY_MAX]);
/* The same for a file whose name was found in a folder: -EPERM if it is no regular file of the
 * caller. It does not wait for another process. */
int saved_read_own(const char *path, struct saved *out, char why[SAVED_WHY_MAX]);
int saved_parse(const char *path, const char *text, size_t bytes, struct saved *out,
		char why[SAVED_WHY_MAX]);
void saved_free(struct saved *s);
/* Writes what a comparison reads of the report, for a file in git: without date, host, parts and
 * texts. Two of the same counts are equal, and a count is a line. 0 or a negative errno. */
int saved_write_base(FILE *f, struct saved *s);

/* Without the component of an event. */
const char *saved_short_name(const struct saved_item *item);
/* Two items of the same group, name and kind. */
bool saved_same_item(const struct saved_item *a, const struct saved_item *b);
/* True for spellings of one event: letter case, a dot before a unit mask, the order of qualifiers,
 * with component and PMU or without. */
bool saved_same_event(const char *a, const char *b);
/* The event for which the first `bytes` of text stand in a metric's formula, NULL: none. */
const char *saved_event_of(const struct saved_item *metric, const char *text, size_t bytes);

/* A member of the report itself, as text for people: "" where it is absent or null. */
const char *saved_member(const struct saved *s, const char *key);
/* The kind of "stdin" and so on; "" where it is not known. */
const char *saved_stream(const struct saved *s, const char *name);
bool saved_has(const struct saved *s, const char *key);
/* The name of --name, or the last part of the program's path; "" if the report has neither. */
const char *saved_program_name(const struct saved *s);
/* The same name, and the same arguments. */
bool saved_same_program(const struct saved *a, const struct saved *b);
/* Has the member the same value in both? */
bool saved_equal(const struct saved *a, const struct saved *b, const char *key);

#endif
