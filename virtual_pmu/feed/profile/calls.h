/* SPDX-License-Identifier: MIT */
/* A thread's shadow stack: which function has called which, how often, and what happened in the
 * called one until it returned. An arc is a call instruction and the first instruction of a
 * function that it has called.
 *
 * CALL stores the return address and RET loads it, so the stack pointer is known at both without
 * reading a register. A frame ends at the RET that loads its return address, or where the stack
 * pointer is above that: after longjmp(), an exception, or a change of the stack. Stated rules:
 * - a jump to another function's first instruction, with the stack pointer as it was at this
 *   function's, is a tail call: a frame that ends with this one.
 * - a call of a stub in a procedure linkage table is a call of the function that the stub jumps to.
 *   The first one goes on to further stubs and to a function of the loader, which has an arc, too.
 * - a handler of a signal is called by nothing: its arc has no call instruction, as that of a
 *   thread's first function.
 * - the counts of a function that has called itself are added once: a frame adds its counts to its
 *   arc only if no frame below it is of the same function. So the counts of the arcs to a function,
 *   added up, are what happened while it was executed. Calls are counted in any case.
 * An instruction of a call belongs to the caller, that of a return to the function. */
#ifndef VPMU_FEED_CALLS_H
#define VPMU_FEED_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "charge.h"

/* call: the reference to the call instruction's note, 0 for none. function: of the target, by its
 * number. */
struct vpmu_arc {
	struct vpmu_profile_arc *record;
	uint64_t target;
	uint32_t call, function;
};

/* The arcs of a process. */
struct vpmu_arcs {
	struct vpmu_arc **hash;
	uint32_t size, used;
	struct vpmu_call_target *targets;
	uint32_t targets_size, functions;
	/* Makes a record; NULL: there is no room for one. */
	struct vpmu_profile_arc *(*make)(uint32_t call, uint64_t target);
	/* Counts an event of an arc. */
	void (*add)(struct vpmu_profile_arc *arc, uint32_t kind, uint64_t n);
	/* Is there a stub of a linkage table? */
	bool (*is_stub)(uint64_t address);
	const uint32_t *paused;		/* not 0: nothing counts now */
	void (*lost)(void);		/* a call is not counted */
};

/* A call instruction and its last arc. stub: the last one by which it has called. */
struct vpmu_call_site { struct vpmu_arc *arc; uint64_t stub; uint32_t call; };

/* before: when it was called, or settled last. resolves: the call for which it looks up a function
 * that it jumps to; NULL: it is no such function. */
struct vpmu_frame {
	struct vpmu_arc *arc;
	uint64_t sp;
	struct vpmu_thread_totals before;
	struct vpmu_call_site *resolves;
	uint32_t row;
	bool outermost;
};

struct vpmu_calls {
	struct vpmu_arcs *arcs;
	struct vpmu_frame *frame;
	uint32_t depth, room;
	/* A call that has been executed: the next block is what it calls. */
	bool entered;
	struct vpmu_call_site *site;
	uint32_t stubs;			/* that it has come through so far */
	struct vpmu_thread_totals total;
	uint64_t settled;		/* instructions, when frames were settled last */
	struct vpmu_call_site *jump;	/* the last jump that may be a tail call */
	uint32_t *active, functions;	/* frames of each function; entries of that */
	struct vpmu_call_row *rows;	/* counts of open frames; number 0 is none */
	uint32_t rows_used, rows_room, rows_unused;
	struct vpmu_call_site root;
};

/* Is it a function that has been called, or that a call instruction names? */
bool vpmu_arcs_has(const struct vpmu_arcs *arcs, uint64_t address);
void vpmu_arcs_expect(struct vpmu_arcs *arcs, uint64_t address);

/* The thread begins: its next block is its first function. */
void vpmu_calls_begin(struct vpmu_calls *c, struct vpmu_arcs *arcs);
/* All frames end. */
void vpmu_calls_end(struct vpmu_calls *c);
/* Adds what open frames have so far to their arcs. */
void vpmu_calls_settle(struct vpmu_calls *c);

/* A call, whose block is executed. sp: where the return address is. */
void vpmu_calls_call(struct vpmu_calls *c, struct vpmu_call_site *site, uint64_t sp);
void vpmu_calls_return(struct vpmu_calls *c, uint64_t sp);
/* The block that a call has come to, if `entered`. */
void vpmu_calls_enter(struct vpmu_calls *c, uint64_t address);
/* A jump that may be a tail call comes next. */
static inline void vpmu_calls_jump(struct vpmu_calls *c, struct vpmu_call_site *site)
{
	c->jump = site;
}
/* A function's first instruction comes next, by no call. */
void vpmu_calls_function(struct vpmu_calls *c, uint64_t address, uint64_t sp);
/* The stack pointer has been set to this. */
void vpmu_calls_unwind(struct vpmu_calls *c, uint64_t sp);
/* An event in the function that is executed now. */
void vpmu_calls_event(struct vpmu_calls *c, uint32_t kind, uint64_t n);
/* Call instructions of the open frames, the last call first; returns how many. */
uint32_t vpmu_calls_chain(const struct vpmu_calls *c, uint32_t notes[], uint32_t max);
/* In the child of a fork, where the arcs' counts are 0. */
void vpmu_calls_forked(struct vpmu_calls *c);

#endif
