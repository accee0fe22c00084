/* SPDX-License-Identifier: MIT */
/* Layer pmu: the documented PMUs, a file per family, and the list of them (families.h).
 *
 * Type, ops, box: how one documented PMU is described. A type is constant data transcribed from one
 * document; its ops program and read that kind of counter. */
#ifndef IPMU_PMU_H
#define IPMU_PMU_H

#include "../ipmu.h"
#include "../access/access.h"
#include "../registers/reg.h"

#define IPMU_COUNTERS_MAX 18	/* of a box; NetBurst has the most */
#define IPMU_BOXES_MAX 16	/* of a type in a package */
#define IPMU_TYPES_MAX 9	/* of a family */

/* A counter that is its own event. */
struct ipmu_fixed_event {
	const char *event;
	const struct ipmu_reg *ctr;
};

/* An event code that only some counters take. */
struct ipmu_constraint {
	uint8_t code;
	uint32_t counters;
	const char *src;
};

/* Unit of some events of a type, where it is not the type's own: words of the list at
 * ipmu_event_info. */
struct ipmu_measure {
	const char *units;
	const char *events;	/* "EVENT" or "EVENT:UMASK", shell patterns between blanks */
};

/* A qualifier of a type's own: a number from `least` to `most`; with most = 0, what `form` says. */
struct ipmu_own_qualifier {
	const char *name, *form;
	uint64_t least, most;
};

/* Counters by type and box, a bit each. */
struct ipmu_activity {
	uint32_t active[IPMU_TYPES_MAX][IPMU_BOXES_MAX];	/* those that sessions use */
	uint32_t running[IPMU_TYPES_MAX][IPMU_BOXES_MAX];	/* those of the last switch */
};

/* Boxes and counters of a unit that discovery has found, by types of its family. */
struct ipmu_found {
	int nboxes[IPMU_TYPES_MAX];
	uint8_t widths[IPMU_TYPES_MAX];	/* of counters; 0: what the type says */
	uint8_t counters[IPMU_TYPES_MAX];	/* of a box, from 0 on; 0: what the type says */
	char reasons[IPMU_TYPES_MAX][IPMU_WHY_MAX];	/* why it has no box */
};

struct ipmu_qualifiers;

struct ipmu_ops {
	/* Refuse qualifiers with a better reason than libpfm4 gives; NULL: nothing to add. */
	int (*check)(const struct ipmu_pmu_type *type, const char *event,
		     const struct ipmu_qualifiers *q, char *why);
	/* Make counter `ctr` of box `box` count `select` once the unit is enabled. The shared
	 * registers that it needs have been written. */
	int (*program)(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		       uint64_t select);
	int (*read)(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		    uint64_t *raw);
	/* Let the counter, which does not run, start from that value, which its width can hold, and
	 * forget its older overflows. For choices with `preset`, at each start after `program`;
	 * NULL: `program` does it. */
	int (*preset)(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		      uint64_t value);
	/* Turn libpfm4's code and the type's own qualifiers into e->choices; NULL: one choice, by
	 * the fields of select, fixed and constraints. -ENOKEY: `why` is a qualifier that the event
	 * does not take, and becomes a sentence (names/unknown.c). */
	int (*encode)(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
		      const uint64_t *codes, int ncodes, char *why);
	/* Refuse an event that is encoded and that this machine's hardware threads do not allow;
	 * NULL: all are allowed. */
	int (*check_threads)(const struct ipmu_event *e, const struct ipmu_topology *topo,
			     char *why);
	/* Without `encode`: put the type's own qualifiers on the plain choice; NULL: none. */
	int (*extend)(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
		      char *why);
	/* With type->own_names: is there such an event? And the nth unit mask of an event, or with
	 * event NULL the nth event, that libpfm4's table lacks: -ENOENT past the end. */
	bool (*knows)(const char *event);
	int (*more)(const char *event, int n, const char **name, const char **desc);
	/* Unit of the event with its qualifiers, from its unit without them; NULL: the same. */
	const char *(*units)(const struct ipmu_event *e, const char *event, const char *plain);
	/* Narrow a choice to hardware threads of its core (bit i: SMT thread i), for PMUs that a
	 * core's threads share; NULL: nothing to do. */
	void (*for_threads)(struct ipmu_choice *choice, unsigned threads);
};

struct ipmu_pmu_type {
	const char *name, *src, *units;
	const char *pfm;	/* libpfm4's PMU; NULL: it has none, see own_names */
	bool pfm_numbered;	/* ... which has one per box, with its number appended */
	uint8_t pfm_plain;	/* ... of which this one has the events that all boxes have */
	bool own_names;		/* ops->encode understands names by itself; libpfm4 lists them */
	bool keeps_name;	/* events keep its name where ops->encode gives another type */
	const char *raw;	/* an example of what RAW takes, see raw_event.h; NULL: no RAW */
	int counters;
	/* No counter of it adds more than this per clock, and no part has a faster clock; 0: it is
	 * modulo 2^width by nature, and not to be extended. See counting/guard.c. */
	uint16_t per_clock, clock_mhz;
	const struct ipmu_reg *select, *ctr;	/* select NULL: free-running */
	/* ... or arrays, with a register for each counter, where no stride fits */
	const struct ipmu_reg *selects, *ctrs;
	const struct ipmu_fixed_event *fixed;	/* NULL: counters are programmable */
	uint64_t enable;	/* bits of select that switch the counter on */
	uint64_t switched;	/* ... those that `control` sets and clears */
	uint64_t cascade;	/* bit of select that leaves this to another counter */
	uint64_t any_thread;	/* bit of select that lets one thread count for its whole core */
	const struct ipmu_constraint *constraints;	/* up to code 0 */
	const struct ipmu_measure *measures;	/* up to NULL units; NULL: all are in `units` */
	const struct ipmu_own_qualifier *qualifiers;	/* up to a NULL name */
	const struct ipmu_reg *freeze;	/* has bits that a qualifier sets; NULL: none */
	const struct ipmu_ops *ops;
};

struct ipmu_family {
	const char *name, *src;
	const char *machine;	/* as ipmu-allowlist names it */
	enum ipmu_scope scope;
	bool per_core;		/* scope CPU: the threads of a core share the registers */
	const char *vendor;
	int family;		/* 0: any */
	const int *models;	/* up to -1; NULL: those that `matches` takes */
	bool (*matches)(const struct ipmu_topology *topo);
	/* Why it does not match a CPU of this vendor and family; NULL: models_text says it. */
	void (*mismatch)(const struct ipmu_topology *topo, char *text, size_t bytes);
	const char *models_text;
	const struct ipmu_pmu_type *const *types;	/* up to NULL */
	const struct ipmu_reg *const *registers;	/* all of them, up to NULL */
	/* Those that `control` reads and saves, up to NULL: read ahead where that is cheaper. NULL:
	 * none */
	const struct ipmu_reg *const *switches;
	const void *layout;	/* what its functions find in ipmu_regs.layout; NULL: nothing */
	const struct ipmu_reg *const *shared_resources;	/* of space SHARED_RESOURCE, up to NULL */
	/* Fill *found, which is zero, for this package; a type that cannot be used gets no box and
	 * a reason. Fails only if nothing can be used. */
	int (*discover)(struct ipmu_regs *p, int ncores, struct ipmu_found *found, char *note,
			char *why);
	/* Let exactly the counters of a->active run, those of all sessions; none: stop all.
	 * -EBUSY: a session has frozen the counters of others, so none may be added. */
	int (*control)(struct ipmu_regs *p, const struct ipmu_activity *a);
	/* Before the registers are restored: stop, and undo what a write of old values does not
	 * (flags that only the hardware sets); NULL: nothing to do. */
	int (*quiesce)(struct ipmu_regs *p);
	/* Before anything is written for that counter: does somebody outside count with it, or with
	 * what `control` would take from them? Saves what it reads. -EBUSY and a sentence. NULL:
	 * cannot be found out. */
	int (*busy)(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		    char *why);
};

/* Register of counter `ctr`, or an array of registers with the counter at *index (as ctr). */
const struct ipmu_reg *ipmu_type_counter(const struct ipmu_pmu_type *type, int ctr, int *index);
/* Bits of a counter, as its document says. */
int ipmu_type_width(const struct ipmu_pmu_type *type);
/* Unit of an event with the unit masks among its qualifiers (NULL: none). */
const char *ipmu_type_units(const struct ipmu_pmu_type *type, const char *event,
			    const struct ipmu_qualifiers *q);
/* Counters that run by themselves and are only read. */
bool ipmu_type_runs_free(const struct ipmu_pmu_type *type);

#endif
