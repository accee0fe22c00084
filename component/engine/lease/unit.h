/* SPDX-License-Identifier: MIT */
/* Units, which processes lease from each other: one per place (a package, or a CPU), with its
 * registers, the boxes in it, and the counter slots of a box. The lock of the system that a unit
 * belongs to guards everything here except the slots' running values. */
#ifndef IPMU_UNIT_H
#define IPMU_UNIT_H

#include "../access/access.h"
#include "../pmu/pmu.h"
#include "journal.h"
#include "lease_state.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>

struct ipmu_unit;

/* This process as it deals with others, in all units of one system. */
struct ipmu_lessee {
	pid_t pid;	/* process that changes registers: a forked child must not restore them */
	struct ipmu_journal_process self;
	char boot_id[40];
	_Atomic int inside;	/* units where a thread may be changing registers */
	sigset_t mask;		/* of that thread, as it was before signals were held off */
	uint64_t deadline_ns;	/* for waiting in this operation; 0: it has not waited yet */
	struct ipmu_journal *journal;	/* where one is read or put together */
	struct ipmu_saved old[IPMU_SAVED_MAX];	/* a unit's, while a journal replaces them */
	char left[IPMU_WHY_MAX];	/* a register that a foreign user has written since */
};

/* The right of this process to change a unit's registers (lease.h). */
struct ipmu_lease {
	enum ipmu_lease_state state;
	enum ipmu_journal_sync sync;
	int fd;			/* -1: no state directory: other processes are not seen */
	uint64_t is;		/* the descriptor's identity (common/descriptor.h) */
	char *path;		/* for messages */
	struct ipmu_journal_header header;	/* as last read or written */
	int process_slot;	/* of a process that takes part: its number in the journal */
	bool others_count;	/* other processes have running sessions, as of entering */
	bool held[IPMU_TYPES_MAX][IPMU_BOXES_MAX];	/* boxes that we program */
	uint32_t uses[IPMU_TYPES_MAX][IPMU_BOXES_MAX];	/* bit i: we hold the lock of counter i */
};

struct ipmu_slot {
	bool programmed;
	int users;			/* running sessions that count with it */
	bool companion;			/* enabled because another counter needs it */
	struct ipmu_choice choice;	/* what it counts */
	char event[IPMU_NAME_MAX];	/* ... by name, for messages */
	_Atomic int lost;		/* why its value is not known any more (errno); 0: it is.
					 * ESTALE: it jumped, so somebody else has written it */
	_Atomic bool watched;		/* counts have begun from its value: a jump is a loss */
	int record;			/* number in the journal, from 1; 0: none */
	_Atomic uint64_t value;		/* 64-bit extension; its low bits are the last raw value */
};

struct ipmu_box {
	struct ipmu_unit *unit;
	const struct ipmu_pmu_type *type;
	int type_index, index;
	uint32_t foreign;		/* counters that other processes use */
	bool elsewhere;			/* another process programs it: to be read only */
	struct ipmu_slot slots[IPMU_COUNTERS_MAX];
};

struct ipmu_unit {
	const struct ipmu_family *family;
	int place;	/* package index or CPU number */
	struct ipmu_lessee *lessee;
	struct ipmu_lease lease;
	bool open;	/* its registers have been opened and its boxes found */
	struct ipmu_regs regs;
	int holders;	/* sessions for which its registers stay as they are programmed */
	int running;	/* sessions that count on it now */
	int saved_before;	/* registers that were saved when the phase began */
	int64_t asleep_ns;	/* of the machine, as of the last suspend after which its registers
				 * were read again (base/asleep.h) */
	struct ipmu_found found;
	struct ipmu_activity activity;
	struct ipmu_box *boxes[IPMU_TYPES_MAX];
};

/* Does this process take part in the unit? */
static inline bool ipmu_lease_joined(const struct ipmu_lease *lease)
{
	return lease->state == IPMU_LEASE_COUNTING || lease->state == IPMU_LEASE_ENTERED;
}

/* Number of counters of the box, the first ones of its type's. */
static inline int ipmu_box_counters(const struct ipmu_box *box)
{
	int found = box->unit->found.counters[box->type_index];

	return found ? found : box->type->counters;
}

/* Does a session use that counter, here or in another process? */
static inline bool ipmu_slot_taken(const struct ipmu_box *box, int ctr)
{
	return box->slots[ctr].users || (box->foreign >> ctr & 1);
}

#endif
