/* SPDX-License-Identifier: MIT */
/* Executes one thread of a process at a time. A thread that begins waits for its turn, and has it
 * until it reaches the end of a slice, waits for another thread, or makes a call of the host's
 * kernel that may wait. The order (turns.h) follows from the threads' clocks and calls alone, so
 * all counts repeat. While a process has one thread all this does nothing.
 *
 * A thread hands its turn over in QEMU's cpu_loop() or in a system call, never inside of a block:
 * for a fork, an exit or a flush QEMU waits for threads that execute code, but not for others. */
#ifndef VPMU_FEED_SCHEDULER_H
#define VPMU_FEED_SCHEDULER_H

#include "emulated_thread.h"
#include "turns.h"

struct vpmu_user_host;

/* The calling thread's record; NULL: it has none yet, or its process is not counted. */
extern __thread struct vpmu_turn *vpmu_turn_self;
extern const struct vpmu_user_host *vpmu_turn_host;

/* Not NULL: the calling thread holds the mutex of the turns, and timers expire at this clock. */
extern __thread const uint64_t *vpmu_scheduler_expires;

/* model_time: the program's time is the machine's, and so are its timeouts. */
void vpmu_scheduler_begin(const struct vpmu_user_host *host, bool model_time);
/* True: the process has several threads. */
bool vpmu_scheduler_shares(void);
bool vpmu_scheduler_model_time(void);

/* The calling thread, which has the turn, makes one that will be this vcpu; has made it, with this
 * id, or could not (below 0). */
void vpmu_scheduler_created(unsigned int vcpu);
void vpmu_scheduler_made(int64_t tid);
/* The calling thread executes nothing any more; has ended, and the kernel has cleared the word at
 * this address (0: none). */
void vpmu_scheduler_ends(void);
void vpmu_scheduler_ended(uint64_t address);
/* Around a fork, in the thread that makes it: before, and after it in the parent and the child. */
void vpmu_scheduler_fork(void);
void vpmu_scheduler_fork_parent(void);
void vpmu_scheduler_fork_child(void);

/* The calling thread is about to execute code: waits for its turn, or ends it if that is due. */
void vpmu_scheduler_turn(unsigned int vcpu);
/* At a block: the thread's turn is over, and it calls vpmu_scheduler_turn() before the next. */
void vpmu_scheduler_leave(void);
/* At a block of a loop that waits for another thread or process: the slice is over, if one that is
 * ready is not ahead of this clock. */
void vpmu_scheduler_end_slice(uint64_t clock);
/* At a PAUSE of a loop: the thread continues when a line of its core has changed, and at once if no
 * other one is ready. */
void vpmu_scheduler_spin(const struct vpmu_core *core, uint64_t clock);

/* Hands the turn over in this state and waits for it; VPMU_GO_OUTSIDE: the calling thread is to
 * make a call of the host's kernel without it. clock: the thread's order from now on. */
enum vpmu_turn_go vpmu_scheduler_wait(enum vpmu_turn_state state, uint64_t clock);
/* A call of the host's kernel that may wait begins: true, it is outside of the turn. It is over. */
bool vpmu_scheduler_outside(void);
void vpmu_scheduler_back(void);
/* The calling thread has made a call that may have woken threads outside of the turn. */
void vpmu_scheduler_woke(void);
/* The calling thread is about to make a system call: a ready thread that is behind goes first. */
void vpmu_scheduler_before_call(void);
/* A system call of the calling thread begins; is over. One that takes too long is outside. */
void vpmu_scheduler_call_begins(void);
void vpmu_scheduler_call_ends(void);

/* The calling thread's clock. */
uint64_t vpmu_turn_clock(void);

/* ---- the CPUs of a booted machine, which wait outside of QEMU's lock ---- */

/* The calling CPU is about to execute code: waits for its turn, or ends it if that is due. False:
 * it has been kicked meanwhile. It checks for work, and calls this before it executes code. */
bool vpmu_scheduler_cpu_turn(unsigned int vcpu);
/* The calling CPU executes no code that is counted until its next call of the former: it releases
 * its turn. The next one continues at the machine's newest clock. */
void vpmu_scheduler_cpu_halts(void);
/* QEMU has an interrupt or something else to do for this CPU. Any thread may call this. */
void vpmu_scheduler_cpu_kicked(unsigned int vcpu);
/* False: the calling CPU has lost its turn, or waits for it. */
bool vpmu_scheduler_has_turn(void);

#endif
