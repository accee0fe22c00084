/* SPDX-License-Identifier: MIT */
/* The threads of one process in their order: who runs next. Each thread has a record with its state
 * and its clock. One of them, the owner, has the turn: it alone executes the program's code and
 * changes the machine. The next one is the ready thread with the smallest clock, the older one of
 * two. A turn ends when the owner's clock is a slice past the next one's, or when a sleeper's time
 * has come.
 *
 * Records are data: nothing in here waits or calls the rest of the feed. The functions need the
 * mutex of the scheduler (scheduler.h), but for vpmu_turns_snooped(), which takes it. */
#ifndef VPMU_FEED_TURNS_H
#define VPMU_FEED_TURNS_H

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "../cache/caches.h"

/* Longer ones make contended lines move less often than on a machine whose cores run at once, and
 * a woken thread late. Shorter ones cost hand-overs of 3 to 6 microseconds each. */
#define VPMU_SLICE_CLOCKS 20000u
/* At a system call, a ready thread that is so far behind goes first: a hand-over costs as much time
 * of the host as the call, and threads that have just been woken are about so far behind. */
#define VPMU_CALL_CLOCKS 200u
/* A thread in a loop of PAUSEs tries again after so long, if no snoop has come to its core. */
#define VPMU_SPIN_SLICES 8u
#define VPMU_TURN_FILES 64u
#define VPMU_TURN_RESTART (-512)	/* QEMU's own: the call is made again after the signal */

enum vpmu_turn_state {
	VPMU_TURN_READY,
	VPMU_TURN_RUNS,
	VPMU_TURN_FUTEX,
	VPMU_TURN_SLEEPS,
	VPMU_TURN_FILES_WAIT,	/* for one of its files; they are checked when turns end */
	VPMU_TURN_OUTSIDE,	/* in a call of the host's kernel */
};

/* Messages to a thread that waits on `go`. LOOK: QEMU has work for this CPU of a booted machine. */
enum vpmu_turn_go { VPMU_GO_WAIT, VPMU_GO_ON, VPMU_GO_OUTSIDE, VPMU_GO_LOOK };

struct vpmu_turn {
	struct vpmu_turn *next;		/* in the order of creation */
	enum vpmu_turn_state state;
	unsigned int vcpu;
	uint32_t tid;			/* 0: its host thread has not begun */
	uint32_t go;			/* enum vpmu_turn_go, the host's futex */
	uint64_t clock, began;		/* its order; its clock when its turn began */
	uint64_t address, queued;	/* futex, and its place among the waiters */
	uint32_t bitset;
	int64_t until;			/* the machine's time; 0: no limit */
	int64_t until_host;		/* the same on the host's monotonic clock */
	int64_t answer;
	bool timed_out;
	bool yields;			/* other processes that are behind go first */
	bool gives;			/* its slice ends early: others that are behind go first */
	bool leaving;			/* its turn ends before its next block */
	bool waits;			/* a CPU that does QEMU's work; its wait is not over */
	bool signalled;			/* a signal from elsewhere waits for it */
	bool calls;			/* it is in a system call, of this number */
	uint32_t call;
	/* The word that the kernel clears when the thread ends, or 0; the same of the thread that
	 * it makes. */
	uint64_t ends_at, child_ends_at;
	uint32_t *outside;		/* its entry in the machine's list; NULL: none */
	const struct vpmu_core *spins;	/* it is in a PAUSE loop until this core is snooped */
	uint64_t spun, step;		/* clock of its last PAUSE loop or yield; the next wait */
	uint32_t file_count;
	struct pollfd files[VPMU_TURN_FILES];
};

/* The owner's turn ends at this clock. */
extern uint64_t vpmu_turn_end;
/* The clock at which another process is to run; UINT64_MAX: no other one is ready. */
extern uint64_t vpmu_process_turn_end;
/* The limit of work of the calling thread's runner, which depends on that; or NULL. */
extern __thread uint64_t *vpmu_turn_limit;
/* Threads in a PAUSE loop. */
extern uint32_t vpmu_turns_spinning;

/* The turns of this process: its threads, the one that has the turn, and how many there are. */
struct vpmu_turns {
	pthread_mutex_t mutex;
	struct vpmu_turn *first, *owner;
	uint32_t count, outside;
	uint64_t queued;		/* futex waits so far */
	const uint64_t *waited;		/* the machine's time that has passed in waits */
};
extern struct vpmu_turns vpmu_turns;

static inline void vpmu_turns_lock(void)
{
	pthread_mutex_lock(&vpmu_turns.mutex);
}

static inline void vpmu_turns_unlock(void)
{
	pthread_mutex_unlock(&vpmu_turns.mutex);
}

/* A thread that waits reads these two without the mutex. */
static inline void vpmu_turn_set_state(struct vpmu_turn *t, enum vpmu_turn_state state)
{
	__atomic_store_n(&t->state, state, __ATOMIC_RELAXED);
}

static inline void vpmu_turns_set_owner(struct vpmu_turn *t)
{
	__atomic_store_n(&vpmu_turns.owner, t, __ATOMIC_RELAXED);
}

static inline bool vpmu_turn_is_over(uint64_t clock)
{
	return __builtin_expect(clock >= __atomic_load_n(&vpmu_turn_end, __ATOMIC_RELAXED), 0);
}

/* False: there is no memory for another one. */
bool vpmu_turn_add(unsigned int vcpu, uint64_t clock, enum vpmu_turn_state state);
void vpmu_turn_remove(struct vpmu_turn *t);
struct vpmu_turn *vpmu_turn_find(unsigned int vcpu);	/* or NULL */
/* After a fork: this thread alone is left, and has the turn. */
void vpmu_turns_keep(struct vpmu_turn *t);

/* The ready thread with the smallest clock, but for this one; NULL: none. */
struct vpmu_turn *vpmu_turn_least(const struct vpmu_turn *but);
/* The thread that wakes first by its timeout, and the clock at which it does; NULL: none. */
struct vpmu_turn *vpmu_turn_sleeper(void);
uint64_t vpmu_turn_wakes_at(const struct vpmu_turn *t);
/* The thread waits in a way that a signal ends. */
bool vpmu_turn_is_interruptible(const struct vpmu_turn *t);
/* Makes a thread ready at this clock, or at its own if that is later. */
void vpmu_turn_make_ready(struct vpmu_turn *t, uint64_t clock, int64_t answer);
/* A signal for the thread has come at this clock: ends its wait, or its loop of PAUSEs. */
void vpmu_turn_interrupt(struct vpmu_turn *t, uint64_t clock);
/* Computes when the owner's turn ends. */
void vpmu_turn_set_end(void);
/* Wakes up to `count` threads that wait for this futex, the first one first. Returns how many. */
uint32_t vpmu_turn_wake(uint64_t address, uint32_t count, uint32_t bitset, uint64_t clock);

/* By how many clocks a thread that yields at this clock falls back: by more each time. */
uint64_t vpmu_turn_step(struct vpmu_turn *t, uint64_t clock);
/* The thread spins on this core from this clock on, and waits until a snoop; or does so no more. */
void vpmu_turn_spin(struct vpmu_turn *t, const struct vpmu_core *core, uint64_t clock);
void vpmu_turn_stop_spinning(struct vpmu_turn *t);
/* Threads that spin on this core are ready at this clock: a line of the core has changed. */
void vpmu_turns_look(const struct vpmu_core *core, uint64_t clock);
/* The same without the mutex. The owner, at this clock, has taken a line from this core, or would
 * have if the line were not contended. */
void vpmu_turns_snooped(const struct vpmu_core *core, uint64_t clock);

#endif
