/* SPDX-License-Identifier: MIT */
/* The machine's turn, which one process has at a time. Its threads take turns among themselves
 * (scheduler.h): the thread that has the process's turn acquires the machine's before it executes
 * code, and releases it when a slice is over and another process is behind, when all threads of the
 * process wait in the host's kernel, and when the process ends. A program that a process executes
 * has the turn from its start on.
 *
 * A process that is killed, stopped, or in a call of the host's kernel that was not expected to
 * wait, loses the turn to the first waiter that checks. A process without a record runs without a
 * turn: there are more than VPMU_PROCESSES_MAX. */
#ifndef VPMU_FEED_PROCESS_TURN_H
#define VPMU_FEED_PROCESS_TURN_H

#include "../../machine/segment.h"

struct vpmu_turn;

/* In a process that begins. left_out: it is none of the machine's. */
void vpmu_process_turn_begin(struct vpmu_segment *s, bool left_out);
/* The calling thread is to execute code at this clock: waits until the process has the machine's
 * turn, and passes it to others first if it is over. */
void vpmu_process_turn_enter(struct vpmu_turn *t, uint64_t clock);
/* Computes vpmu_process_turn_end anew. */
void vpmu_process_turn_look(void);
bool vpmu_process_turn_has(void);
/* Must the process call vpmu_process_turn_enter() before it executes more? */
bool vpmu_process_turn_is_over(uint64_t clock);
/* Has another process become ready, or taken the turn? */
bool vpmu_process_turn_asked(void);
/* Is another process ready? If its clock is ahead of *clock, that becomes it. */
bool vpmu_process_turn_others(uint64_t *clock);
/* All threads of the process wait in the host's kernel, or the process executes a program that is
 * none of the machine's. */
void vpmu_process_turn_give(uint64_t clock);
/* No thread of the process executes code any more. */
void vpmu_process_turn_ends(void);

/* A thread makes a call of the host's kernel without a turn; the call has returned; the thread is
 * ready, as one of its process's. */
void vpmu_process_turn_leaves(struct vpmu_turn *t);
void vpmu_process_turn_returns(struct vpmu_turn *t);
void vpmu_process_turn_is_ready(struct vpmu_turn *t);
/* Waits until each thread and process that is about to become ready is, so that it becomes so at
 * the same clock in each run. */
void vpmu_process_turn_settle(void);
/* Threads outside of the turn may have been woken. */
void vpmu_process_turn_woke(void);
/* A system call of the calling thread, which has the turn, begins or ends. */
void vpmu_process_turn_call(bool begins);

/* The host's monotonic clock, in nanoseconds. */
int64_t vpmu_process_turn_now(void);

/* Before and after a fork, in the parent; child: its id, or not above 0 if there is none. */
void vpmu_process_turn_fork(uint64_t clock);
void vpmu_process_turn_forked(int64_t child);
void vpmu_process_turn_is_child(void);

#endif
