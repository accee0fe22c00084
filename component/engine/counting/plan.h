/* SPDX-License-Identifier: MIT */
/* The counters that a list of events uses, on which boxes. */
#ifndef IPMU_PLAN_H
#define IPMU_PLAN_H

#include "system.h"

#include <sched.h>

/* A counter use: one counter of a box that a session uses, and for what. Events that can be counted
 * together share it. */
struct ipmu_use {
	struct ipmu_box *box;
	int nchoices;
	struct ipmu_choice choices[IPMU_CHOICES_MAX];
	int ctr, choice, companion;	/* as assigned; companion -1: none */
	bool companion_shared;		/* the companion is another event's counter */
	_Atomic uint64_t baseline;	/* the counter's value where the count begins */
	_Atomic uint64_t seen;		/* ... and the newest that a reader saw; see sample.c */
	_Atomic int lost;		/* why the count is lost (errno); 0: it is not */
	int nlinks;
	int *links;	/* indices of the events that this counter adds to */
};

/* Count from this 64-bit value of the counter on. No reader is in the session. */
void ipmu_use_begin(struct ipmu_use *use, uint64_t value);

struct ipmu_plan {
	int nuses, room;
	struct ipmu_use *uses;	/* those of one box, and of one unit, are adjacent */
};

/* CPUs on which a core event without cpu= counts. */
struct ipmu_cpus {
	size_t bytes;
	cpu_set_t *set;		/* NULL: the first CPU that is open, as a trial */
};

/* The CPUs that the calling thread may run on. -ENOMEM. */
int ipmu_cpus_mine(struct ipmu_cpus *cpus);
void ipmu_cpus_free(struct ipmu_cpus *cpus);
/* -ENXIO: one of them was offline when the topology was made, and cannot be counted on. */
int ipmu_cpus_check(const struct ipmu_cpus *cpus, const struct ipmu_topology *topo, char *why);

/* Plan for the events; opens units as needed. Lock held. Free the plan with ipmu_plan_free, also
 * after a failure. */
int ipmu_plan_build(struct ipmu_system *sys, const struct ipmu_event *events, int n,
		    const struct ipmu_cpus *cpus, struct ipmu_plan *plan, char *why);
void ipmu_plan_free(struct ipmu_plan *plan);
/* The same events on the same boxes, to be counted in the same ways. */
bool ipmu_plan_same(const struct ipmu_plan *a, const struct ipmu_plan *b);

/* Assign a counter to each counter use. others: alongside the sessions that run; otherwise as if
 * none did. */
int ipmu_plan_assign(struct ipmu_plan *plan, const struct ipmu_event *events, bool others,
		     char *why);

/* Does the plan write registers of that unit? Free-running counters are only read. */
bool ipmu_plan_programs(const struct ipmu_plan *plan, const struct ipmu_unit *unit);

/* The units that a plan touches, one after the other; NULL past the end. *use: 0 at first. */
struct ipmu_unit *ipmu_plan_next_unit(const struct ipmu_plan *plan, int *use);

#endif
