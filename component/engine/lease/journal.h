/* SPDX-License-Identifier: MIT */
/* The journal of a unit's registers, as it lies in a file of the state directory. It records what
 * the registers held before the first change, and what is programmed, so that any process can
 * restore them. Nothing in it is trusted: the result of ipmu_journal_check names only registers of
 * the family's tables, and counters and boxes that it can have. */
#ifndef IPMU_JOURNAL_H
#define IPMU_JOURNAL_H

#include "../pmu/pmu.h"

#define IPMU_JOURNAL_SLOTS 80	/* all counters of a Xeon E7's C-Boxes and M-Boxes */
#define IPMU_JOURNAL_PIDS 1024	/* processes that can take part in one unit */

enum ipmu_journal_state {
	IPMU_JOURNAL_VALID,
	IPMU_JOURNAL_FRESH,	/* just made, and empty */
	IPMU_JOURNAL_OLD,	/* of an earlier boot, which has reset the registers since */
};

struct ipmu_journal_header {
	uint64_t magic;
	uint32_t version, bytes;	/* of the whole journal */
	char boot_id[40], family[32];
	int32_t place;
	uint32_t changing;	/* pid of a process that is changing registers; 0: none */
	uint64_t generation;	/* grows with every change; never 0 */
	uint32_t nsaved, nslots;
};

struct ipmu_journal_entry {
	uint32_t addr, pad;
	uint64_t found, now, writable;
};

struct ipmu_journal_extra_reg {
	uint16_t reg, index;	/* reg: number in the family's table, shared resources after it */
	uint32_t pad;
	uint64_t mask, value;
};

struct ipmu_journal_process {
	uint64_t pid_namespace;	/* its inode; 0: not known */
	uint32_t pid, pad;
};

/* Description of what a counter is programmed for. */
struct ipmu_journal_slot {
	uint8_t used, type, box, ctr;
	uint8_t companion, preset, direction, clear;
	uint32_t nextra, pad;
	uint64_t counters, select, companions, companion_select, preset_value;
	struct ipmu_journal_extra_reg extra[IPMU_EXTRA_MAX];
	char event[112];
};

struct ipmu_journal {
	struct ipmu_journal_header header;
	struct ipmu_journal_entry saved[IPMU_SAVED_MAX];
	/* The processes that program a box, and all that take part: by the locks they hold. */
	struct ipmu_journal_process programmers[IPMU_TYPES_MAX][IPMU_BOXES_MAX];
	struct ipmu_journal_process processes[IPMU_JOURNAL_PIDS];
	struct ipmu_journal_slot slots[IPMU_JOURNAL_SLOTS];
};

void ipmu_journal_init(struct ipmu_journal_header *h, const struct ipmu_family *family, int place,
		       const char *boot_id);

/* Check the bytes of a journal. An enum ipmu_journal_state; *out is set if that is VALID. -EBADMSG:
 * not a journal of this unit, and `why` says what is wrong with it ("its ..."). */
int ipmu_journal_check(const void *bytes, size_t length, const struct ipmu_family *family,
		       int place, const char *boot_id, struct ipmu_journal *out, char *why);

/* The register of that family at this address, with the box and counter it belongs to (which may
 * be NULL); NULL: there is none that can be saved, or it is never to be written. */
const struct ipmu_reg *ipmu_journal_register(const struct ipmu_family *family, uint32_t addr,
					     int *box, int *ctr);

/* -ENOENT: the choice needs a register that the family does not list. */
int ipmu_journal_put_choice(const struct ipmu_family *family, const struct ipmu_choice *choice,
			    struct ipmu_journal_slot *slot);
/* Convert a slot back to a choice; ipmu_journal_check() has passed it. */
void ipmu_journal_get_choice(const struct ipmu_family *family,
			     const struct ipmu_journal_slot *slot, struct ipmu_choice *choice);

#endif
