/* SPDX-License-Identifier: MIT */
/* The machine as the engine holds it: a unit per package, boxes in it, counter slots in a box.
 * ipmu_system.lock guards everything here except the slots' running values. */
#ifndef IPMU_SYSTEM_H
#define IPMU_SYSTEM_H

#include "../access/access.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

struct ipmu_slot {
	bool programmed;
	int users;			/* running sessions that count with it */
	uint64_t select, counters;	/* what it counts */
	char event[IPMU_NAME_MAX];	/* ... by name, for messages */
	_Atomic uint64_t value;		/* 64-bit extension; its low bits are the last raw value */
};

struct ipmu_unit;

struct ipmu_box {
	struct ipmu_unit *unit;
	const struct ipmu_pmu_type *type;
	int index;
	struct ipmu_slot slots[IPMU_COUNTERS_MAX];
};

struct ipmu_unit {
	struct ipmu_package_regs regs;
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
	int npackages;
	struct ipmu_unit *units;
	char note[IPMU_WHY_MAX];
	struct ipmu_system *next;	/* open ones, for the way out of the process */
};

int ipmu_type_index(const struct ipmu_system *sys, const struct ipmu_pmu_type *type);

/* The counter's 64-bit value; one register read, more only if another reader was in between. */
int ipmu_slot_read(struct ipmu_box *box, int ctr, uint64_t *value);

/* Give the package's registers back as they were found. Lock held, unit->claims is 0. */
int ipmu_unit_release(struct ipmu_unit *unit);

#endif
