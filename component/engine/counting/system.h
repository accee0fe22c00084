/* SPDX-License-Identifier: MIT */
/* Layer counting: which counters take which events, how they are programmed, read and kept from
 * wrapping unseen. This header: the machine as the engine holds it. */
#ifndef IPMU_SYSTEM_H
#define IPMU_SYSTEM_H

#include "../access/batch.h"
#include "../lease/unit.h"

struct ipmu_guard;
struct ipmu_session;

struct ipmu_system {
	const struct ipmu_topology *topo;
	const struct ipmu_family *family;
	pthread_mutex_t lock;
	struct ipmu_lessee lessee;
	bool disowned;	/* a forked child, or the process is ending: nothing is written any more */
	struct ipmu_session *sessions;
	struct ipmu_guard *guard, *guard_ended;
	bool take_busy;
	bool allow_pmi;	/* counters may send interrupts, although nothing here handles them */
	int nunits;
	struct ipmu_unit *units;
	struct ipmu_batch *batch;	/* NULL: registers are accessed one by one */
	char note[IPMU_WHY_MAX];
	struct ipmu_system *next;	/* list of the open ones, for fork and exit */
};

/* The unit of a place, NULL if there is none. With a family whose registers belong to a core, all
 * its CPUs are one place: that of its first hardware thread. */
struct ipmu_unit *ipmu_unit_find(const struct ipmu_system *sys, int place);

/* Open a unit's registers unless they are open. Lock held. */
int ipmu_unit_open(struct ipmu_system *sys, struct ipmu_unit *unit, char *why);

/* The first unit that is open: what holds for it holds for all of a kind. */
const struct ipmu_unit *ipmu_unit_model(const struct ipmu_system *sys);

/* Close the unit's registers and files, without restoring any register. */
void ipmu_unit_close(struct ipmu_unit *unit);

/* Restore the unit's registers, or leave that to another process that still counts there. Lock
 * held, unit->holders is 0. */
int ipmu_unit_release(struct ipmu_unit *unit);

#endif
