/* SPDX-License-Identifier: MIT */
/* The machine as the engine holds it: a unit per place (a package, or a CPU), boxes in it, counter
 * slots in a box. ipmu_system.lock guards everything here except the slots' running values. */
#ifndef IPMU_SYSTEM_H
#define IPMU_SYSTEM_H

#include "../access/batch.h"
#include "../pmu/pmu.h"
#include "kin.h"
#include "../lease/owner.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>

struct ipmu_slot {
	bool programmed;
	int users;			/* running sessions that count with it */
	bool companion;			/* enabled for another counter's sake */
	struct ipmu_choice choice;	/* what it counts */
	char event[IPMU_NAME_MAX];	/* ... by name, for messages */
	_Atomic int lost;		/* errno since which its value says nothing; 0: it counts.
					 * ESTALE: it jumped, so somebody else has written it */
	_Atomic bool watched;		/* counts have begun from its value: a jump is a loss */
	int record;			/* number in the journal, from 1; 0: none */
	_Atomic uint64_t value;		/* 64-bit extension; its low bits are the last raw value */
};

struct ipmu_unit;

struct ipmu_box {
	struct ipmu_unit *unit;
	const struct ipmu_pmu_type *type;
	int type_index, index;
	uint32_t foreign;		/* counters that other processes use */
	bool elsewhere;			/* another process programs it: to be read only */
	struct ipmu_slot slots[IPMU_COUNTERS_MAX];
};

struct ipmu_unit {
	struct ipmu_system *sys;
	int place;	/* package index or CPU number */
	struct ipmu_owner owner;
	bool open;	/* its registers have been opened and its boxes found */
	struct ipmu_regs regs;
	int claims;	/* sessions that need its registers kept as they are */
	int running;	/* sessions that count on it now */
	int saved_before;	/* registers that were saved when the phase began */
	struct ipmu_found found;
	struct ipmu_activity activity;
	struct ipmu_box *boxes[IPMU_TYPES_MAX];
};

struct ipmu_guard;
struct ipmu_session;

struct ipmu_system {
	const struct ipmu_topology *topo;
	const struct ipmu_family *family;
	pthread_mutex_t lock;
	struct ipmu_journal_process self;
	pid_t pid;	/* whose registers these are: a forked child must not put them back */
	bool disowned;	/* such a child, or the process is ending: write nothing any more */
	struct ipmu_session *sessions;
	struct ipmu_kin kin;
	struct ipmu_guard *guard, *guard_ended;
	bool take_busy;
	bool allow_pmi;	/* counters may send interrupts, although nothing here handles them */
	_Atomic int inside;	/* units where a thread may be changing registers */
	sigset_t mask;		/* of that thread, without the signals held off */
	int64_t deadline_ns;	/* for waiting in this operation; 0: nobody has been in the way */
	struct ipmu_journal *journal;	/* scratch */
	char boot_id[40];
	int nunits;
	struct ipmu_unit *units;
	struct ipmu_batch *batch;	/* NULL: registers are accessed one by one */
	char note[IPMU_WHY_MAX];
	char left[IPMU_WHY_MAX];	/* a register that was left to who has it now */
	struct ipmu_system *next;	/* open ones, for the way out of the process */
};

int ipmu_type_index(const struct ipmu_system *sys, const struct ipmu_pmu_type *type);

/* The unit of a place, NULL if there is none. With a family whose registers belong to a core, all
 * its CPUs are one place: that of its first hardware thread. */
struct ipmu_unit *ipmu_unit_find(const struct ipmu_system *sys, int place);

/* Does a session use that counter, here or in another process? */
static inline bool ipmu_slot_taken(const struct ipmu_box *box, int ctr)
{
	return box->slots[ctr].users || (box->foreign >> ctr & 1);
}

/* For signal handlers and the way out. */
void ipmu_systems_each(void (*act)(struct ipmu_system *sys));

/* Open a unit's registers unless they are open. Lock held. */
int ipmu_unit_open(struct ipmu_system *sys, struct ipmu_unit *unit, char *why);

/* The first unit that is open: what holds for it holds for all of a kind. */
const struct ipmu_unit *ipmu_unit_model(const struct ipmu_system *sys);

/* The bits of a counter of that box. */
uint64_t ipmu_slot_mask(const struct ipmu_box *box);

/* The counter's 64-bit value; one register read, more only if another reader was in between.
 * -ESTALE: it is lost, see ipmu_slot_take. */
int ipmu_slot_read(struct ipmu_box *box, int ctr, uint64_t *value);

/* The same when a session begins: without a read if the counter's register has been saved in this
 * phase and the unit stands still. Lock held. */
int ipmu_slot_begin(struct ipmu_box *box, int ctr, uint64_t *value);

/* Take a raw value that was read after `old` was loaded from the slot. -EAGAIN: the slot has moved
 * on meanwhile, read again. -ESTALE: a watched counter was set back behind its reader, so that what
 * it had counted is not known: it is lost, and its value stays. */
int ipmu_slot_take(struct ipmu_box *box, int ctr, uint64_t old, uint64_t raw, uint64_t *value);

/* The system goes: what is left of its sessions counts no more, and is freed by who has it. */
void ipmu_sessions_orphan(struct ipmu_system *sys);
/* In a forked child: the readers were other threads, which are not here. */
void ipmu_sessions_forked(struct ipmu_system *sys);

/* Give the unit's registers back as they were found, or leave that to another process that still
 * counts there. Lock held, unit->claims is 0. */
int ipmu_unit_release(struct ipmu_unit *unit);

#endif
