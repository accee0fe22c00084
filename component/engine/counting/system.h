/* SPDX-License-Identifier: MIT */
/* The machine as the engine holds it: a unit per place (a package, or a CPU), boxes in it, counter
 * slots in a box. ipmu_system.lock guards everything here except the slots' running values. */
#ifndef IPMU_SYSTEM_H
#define IPMU_SYSTEM_H

#include "../access/access.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

struct ipmu_slot {
	bool programmed;
	int users;			/* running sessions that count with it */
	bool companion;			/* enabled for another counter's sake */
	struct ipmu_choice choice;	/* what it counts */
	char event[IPMU_NAME_MAX];	/* ... by name, for messages */
	_Atomic uint64_t value;		/* 64-bit extension; its low bits are the last raw value */
};

struct ipmu_unit;

struct ipmu_box {
	struct ipmu_unit *unit;
	const struct ipmu_pmu_type *type;
	int type_index, index;
	struct ipmu_slot slots[IPMU_COUNTERS_MAX];
};

struct ipmu_unit {
	int place;	/* package index or CPU number */
	bool open;	/* its registers have been opened and its boxes found */
	struct ipmu_regs regs;
	int claims;	/* sessions that need its registers kept as they are */
	int running;	/* sessions that count on it now */
	int nboxes[IPMU_TYPES_MAX];
	char reasons[IPMU_TYPES_MAX][IPMU_WHY_MAX];
	struct ipmu_box *boxes[IPMU_TYPES_MAX];
};

struct ipmu_system {
	const struct ipmu_topology *topo;
	const struct ipmu_family *family;
	pthread_mutex_t lock;
	pid_t pid;	/* whose registers these are: a forked child must not put them back */
	int nunits;
	struct ipmu_unit *units;
	char note[IPMU_WHY_MAX];
	struct ipmu_system *next;	/* open ones, for the way out of the process */
};

int ipmu_type_index(const struct ipmu_system *sys, const struct ipmu_pmu_type *type);

/* The unit of a place, NULL if there is none. With a family whose registers belong to a core, all
 * its CPUs are one place: that of its first hardware thread. */
struct ipmu_unit *ipmu_unit_find(const struct ipmu_system *sys, int place);

/* Open a unit's registers unless they are open. Lock held. */
int ipmu_unit_open(struct ipmu_system *sys, struct ipmu_unit *unit, char *why);

/* The first unit that is open: what holds for it holds for all of a kind. */
const struct ipmu_unit *ipmu_unit_model(const struct ipmu_system *sys);

/* The counter's 64-bit value; one register read, more only if another reader was in between. */
int ipmu_slot_read(struct ipmu_box *box, int ctr, uint64_t *value);

/* Give the unit's registers back as they were found. Lock held, unit->claims is 0. */
int ipmu_unit_release(struct ipmu_unit *unit);

#endif
