/* SPDX-License-Identifier: MIT */
/* Who counts what on a unit (a package or a CPU), between processes.
 *
 * Each unit has one file in the state directory, which is journal (journal.h) and lock in one.
 * Locks are open-file-description locks on bytes of it, so a process that dies lets go of them:
 *   - the mutex: held while registers are changed, for a short time;
 *   - one byte for each process that takes part, from its first start until it gives the registers
 *     back; the last one puts them back as they were found;
 *   - the programmer of a box: one process with a running session there;
 *   - the users of a counter: all processes with a running session that reads it.
 * A box with another process's programmer is only read; counters that others use are kept. If all
 * processes have died, the next one to enter puts the registers back first.
 *
 * Two systems in one process are as two processes. Nothing here is done for a read. */
#ifndef IPMU_OWNER_H
#define IPMU_OWNER_H

#include "journal.h"

struct ipmu_system;
struct ipmu_unit;
struct ipmu_box;
struct ipmu_plan;

struct ipmu_owner {
	int fd;			/* -1: no state directory: nobody else is thought of */
	char *path;		/* for messages */
	int depth;		/* of enters */
	bool joined;		/* takes part */
	int seat;		/* ... with that number among the processes */
	bool owes;		/* has parted, but could not put all registers back */
	bool changed;		/* the journal, since it was entered */
	bool others_count;	/* other processes have running sessions, as of entering */
	uint64_t seen;		/* generation of the journal that memory agrees with; 0: none */
	struct ipmu_journal_header header;	/* as it lies in the file */
	bool held[IPMU_TYPES_MAX][IPMU_BOXES_MAX];	/* programmer of these boxes */
	uint32_t uses[IPMU_TYPES_MAX][IPMU_BOXES_MAX];	/* counters, by lock */
};

/* All of these: lock of the system held. */

/* Open the unit's file; with IPMU_STATE_DIR=none there is none, which is fine. */
int ipmu_owner_open(struct ipmu_unit *unit, char *why);
void ipmu_owner_close(struct ipmu_unit *unit);

/* Between these two registers may be changed, by this process only; they nest. Entering puts back
 * first what dead processes have left behind, and then knows of the others.
 * -EBUSY: another process stays inside. -EINTR: so it does, and a signal is to end this one.
 * -EBADMSG: the journal is damaged; if this process takes part it has been written anew by now, if
 * that can be done. -ECHILD: this is a forked child, and the registers are its parent's. */
int ipmu_owner_enter(struct ipmu_unit *unit, char *why);
void ipmu_owner_leave(struct ipmu_unit *unit);

/* The same for all units of a plan in which a register may have to be changed. With `damage` a
 * journal that has been damaged and could be written anew from memory is entered all the same, and
 * *damage is -EBADMSG then. */
int ipmu_owner_enter_plan(const struct ipmu_plan *plan, int *damage, char *why);
void ipmu_owner_leave_plan(const struct ipmu_plan *plan);

/* Take the counters that the plan has been given, before anything is written for it. -EBUSY:
 * somebody who keeps no journal of ours counts there. On failure nothing is taken. */
int ipmu_owner_take(const struct ipmu_plan *plan, char *why);
/* After a failure, and once the units have been left: take part no longer where nothing else of
 * this process does. Inside, the journal would be told of an end that is not one. */
void ipmu_owner_part_plan(const struct ipmu_plan *plan);
/* Let go of those that no session of this process uses any more. */
void ipmu_owner_drop(const struct ipmu_plan *plan);

/* A counter's programming, for the others: to be forgotten before it changes, told after it. */
int ipmu_owner_forget(struct ipmu_box *box, int ctr);
int ipmu_owner_tell(struct ipmu_box *box, int ctr);

/* Take part no longer: put the registers back, unless others count on; then the last of them does.
 * Async-signal-safe if no thread is inside. */
int ipmu_owner_part(struct ipmu_unit *unit);

/* Why a counter cannot be had, if that is another process's doing: a sentence and true. */
bool ipmu_owner_explain(const struct ipmu_box *box, const char *event, char *why);

/* Does the plan need registers of that unit that are anybody's? Free-running counters are
 * everybody's. */
bool ipmu_plan_programs(const struct ipmu_plan *plan, const struct ipmu_unit *unit);

/* ---- locks.c: bytes of the file */

/* An operation, over however many units, waits for others 10 s in all: from here on. */
void ipmu_wait_begin(struct ipmu_system *sys);
void ipmu_wait_at_most(struct ipmu_system *sys, int64_t ns);
int ipmu_lock_mutex(struct ipmu_system *sys, int fd);	/* -EBUSY, -EINTR: a fatal signal */
void ipmu_unlock_mutex(int fd);
int ipmu_lock_seat(int fd, int seat);	/* -EAGAIN: somebody sits there */
void ipmu_unlock_seat(int fd, int seat);
bool ipmu_seat_taken(int fd, int seat);	/* by another; IPMU_ALL: any */
int ipmu_lock_box(int fd, int type, int box);	/* -EAGAIN */
void ipmu_unlock_box(int fd, int type, int box);
bool ipmu_box_held(int fd, int type, int box);	/* by another */
int ipmu_lock_counter(int fd, int type, int box, int ctr);
void ipmu_unlock_counter(int fd, int type, int box, int ctr);
/* Counters of the box that others use; type IPMU_ALL: is any counter of any box used? */
uint32_t ipmu_counters_used(int fd, int type, int box);

/* ---- file.c: the journal as it is written and read. -EIO: the file cannot be, for which
 * ipmu_access_explain has the sentence. The mutex is held. */

int ipmu_file_put(struct ipmu_unit *unit, const void *bytes, size_t length, size_t offset);
int ipmu_file_put_header(struct ipmu_unit *unit);
/* From now until leaving, a death means that registers may be as nobody knows. */
int ipmu_file_begin_change(struct ipmu_unit *unit, bool header_differs);
int ipmu_file_record(struct ipmu_regs *p, int i);
void ipmu_file_forget_slots(struct ipmu_unit *unit);
int ipmu_file_load(struct ipmu_unit *unit, char *why);

/* ---- recover.c */

/* Put back what dead processes have left: the journal has been read, nobody takes part. */
int ipmu_owner_recover(struct ipmu_unit *unit, char *why);
/* ipmu_access_restore, with a sentence in sys->left of what belongs to others by now. */
int ipmu_owner_restore(struct ipmu_unit *unit);
/* The same for units that are not open yet, of which the state directory knows. */
void ipmu_owner_recover_others(struct ipmu_system *sys);
/* Does that file of the state directory say that registers are changed? */
bool ipmu_owner_has_saved(int dir, const char *name);
/* This process, as others are to know it. */
struct ipmu_journal_process ipmu_process_self(void);
/* "1234 (name)"; a number of another pid namespace would name somebody else here. */
void ipmu_process_name(const struct ipmu_journal_process *process, char text[64]);

/* ---- signals.c */

/* Fatal signals: put the registers back first, from the first unit joined to the last one
 * parted. */
void ipmu_signals_on(void);
void ipmu_signals_off(void);
/* Hold them off while registers are changed. */
void ipmu_signals_hold(struct ipmu_system *sys);
void ipmu_signals_release(struct ipmu_system *sys);
/* Has one come meanwhile that ends the process, or that the program wants to see? */
bool ipmu_signals_waiting(const struct ipmu_system *sys);
/* A write beyond the limit of file size has failed: that is no reason to end the process. */
void ipmu_signals_swallow_file_size(void);
/* In a forked child: they are not ours. */
void ipmu_signals_forget(void);
/* The process is being ended by a signal: only the thread that ends it may go on. */
bool ipmu_signals_ending(void);

#endif
