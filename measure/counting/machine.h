/* SPDX-License-Identifier: MIT */
/* PAPI on this machine, and events by name. */
#ifndef IPMU_RUN_MACHINE_H
#define IPMU_RUN_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "../groups/group.h"

#define COUNT_WHY_MAX 1024
#define EVENTS_MAX GROUP_EVENTS_MAX	/* of one command */
#define HOST_BYTES 65
#define EVENT_NAME_MAX 128	/* PAPI's limit */

/* The rule of the machine's clock: an instruction takes one, or it estimates time by a table of
 * instructions. UNKNOWN: of a processor, or of a report without that member. */
enum clock_rule { CLOCK_UNKNOWN, CLOCK_INSTRUCTION, CLOCK_ESTIMATE };
enum clock_rule machine_clock_rule(bool is_virtual);	/* of this machine */

struct machine {
	char model[128];
	char geometry[512];	/* packages, cores, threads and caches on one line */
	char host[HOST_BYTES];
	bool is_virtual;	/* its time is that of its own clock */
	enum clock_rule clock;
	bool has_seed;		/* of its addresses and random numbers */
	uint64_t seed;
	int *cpus;		/* those that the program may use */
	int ncpus;
};

void machine_host(char host[HOST_BYTES]);	/* the name of this node, without blanks */
/* 0, or a negative errno with a sentence. */
int machine_open(struct machine *m, char why[COUNT_WHY_MAX]);
void machine_close(struct machine *m);

/* The part of the machine that a count is of; -1: not narrowed to one. */
struct part {
	int package, box, cpu;
	int node;		/* of a job, from 1; 0: not separated */
};

struct event {
	char *given;			/* as the user or the group's file has it */
	char name[EVENT_NAME_MAX];	/* with its component */
	int component;			/* PAPI's index */
	bool uncore;
	bool some;			/* parts that cannot be counted may be missing */
	struct part *parts;		/* ascending, by part_order() */
	int nparts;			/* at least 1 */
	int nsums;			/* behind them: each the sum of a node's parts */
	int first;			/* index of its first count among those of all events */
};

struct split {
	bool box, cpu;		/* packages are always separate */
};

/* Finds the event and its parts. 0 and an event for event_free(); -ENOENT: there is none here;
 * -ENXIO: its PMU is of this machine, but cannot be used; -EPERM: counting is not permitted;
 * -EACCES: this event is not, as why says; -ENODEV: this machine has nothing of that kind; -EINVAL:
 * it has a wrong qualifier, or is of another component. */
int event_find(const struct machine *m, const char *given, struct split split, struct event *out,
	       char why[COUNT_WHY_MAX]);
void event_free(struct event *e);
/* Offers to `try` the names of all events here, without their component, unit masks included. */
void events_each(void (*try)(void *arg, const char *name), void *arg);
/* The value of a qualifier, up to the end of the name; NULL: it has none. */
const char *event_qualifier(const char *name, const char *key);
/* The name of a part, for PAPI. */
void event_part_name(const struct event *e, const struct part *p, char out[EVENT_NAME_MAX]);

/* ---- parts.c */

#define PART_MEMBERS 4
/* Compares the first members of: node, package, box, CPU; -1 is behind all numbers. */
int part_order(const struct part *a, const struct part *b, int members);
/* The event's parts, sums apart, that are equal to p in these members: from *begin to before
 * *end. */
void parts_range(const struct event *e, const struct part *p, int members, int *begin, int *end);
/* The place of the same part, or the same sum; -1: there is none. */
int part_find(const struct event *e, const struct part *p);

#endif
