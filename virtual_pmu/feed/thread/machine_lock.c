/* SPDX-License-Identifier: MIT */
/* Waits for the machine lock in the name of an emulated thread. vpmu_runner_lock_wait() is for a
 * runner: polite if it wants the lock often, so that it lets a thread with a reservation go first.
 * vpmu_feed_lock_wait() is for everything else and asks a thread that keeps the lock to release it.
 * Both return false where waiting is useless: the caller has the lock itself, or its owner is
 * halted. They replace an owner that has ended. errno stays as it was. */
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "machine_lock.h"

/* QEMU sometimes halts all threads between two blocks of guest code (for a fork, an exit). A thread
 * that is halted in the short critical section of a register's access keeps the lock, while QEMU
 * waits for this thread to reach the end of its block. So a waiter checks now and then whether the
 * holder is halted, and gives up after some time in any case. */
#define LOOK_NS 2000000
#define GIVE_UP_NS 1000000000

/* A polite waiter wants the lock often. It polls POLLS_AWAKE times, PAUSES apart, and then sleeps
 * until it is woken. If the thread with the reservation does not run, nobody wakes it, so its sleep
 * has a limit. The limit is per sleeper: one of them polls about every millisecond. */
#define POLLS_AWAKE 4u
#define PAUSES 64u
#define ASLEEP_NS 1000000
#define ASLEEP_MAX_NS (64 * ASLEEP_NS)
/* The sleep's limit while another thread keeps the lock. After it, that thread is asked to release
 * it. Turns are long because the owner's host CPU has the machine's caches in its own. */
#define TURN_NS 3000000
/* An impolite waiter polls this often. After that it sleeps, because the host has preempted the
 * lock's owner, which needs the CPU more than the waiter. */
#define POLLS_YIELDING 1024u
#define PREEMPTED_NS 50000
/* A waiter whose turn has come polls this often for a moment in which the lock is free. */
#define POLLS_OF_TURN 256u

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static int64_t shorter(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* A thread of this process that sleeps; a critical section never does. */
static bool is_halted(uint32_t tid)
{
	return vpmu_thread_doing("/proc/self/task", tid) == 'S';
}

/* Observations of one waiter. */
struct wait {
	struct vpmu_segment *s;
	uint32_t tid, uses, looked_uses, suspect, polls;
	uint32_t turn;			/* polls that are left of this waiter's turn */
	uint32_t stopped;		/* owner that keeps the lock, stopped at the last check */
	int64_t looked;			/* time of the last check, or of the start */
	int64_t unused_ns;		/* time since anybody has used the lock */
};

/* True while it is worth waiting. An owner that seemed halted at two checks in sequence is halted,
 * unless the lock was used in between. */
static bool wait_poll(struct wait *w, uint32_t owner)
{
	uint32_t last = w->suspect, uses = __atomic_load_n(&w->s->lock.uses, __ATOMIC_RELAXED);
	int64_t now = now_ns();

	w->suspect = owner && is_halted(owner & ~VPMU_LOCK_KEPT) ? owner : 0;
	w->unused_ns += shorter(now - w->looked, ASLEEP_MAX_NS);	/* not if it was stopped */
	if (uses != w->looked_uses) {
		w->suspect = 0;
		w->unused_ns = 0;
	}
	w->looked = now;
	w->looked_uses = uses;
	return (!w->suspect || w->suspect != last) && w->unused_ns < GIVE_UP_NS;
}

/* True if the owner keeps the lock and is stopped, at two checks in sequence: it loses the lock,
 * since a stop may last. Its core is inconsistent until it notices, at its next miss or after
 * VPMU_PUBLISH_CLOCKS. */
static bool is_stopped(struct wait *w, uint32_t owner)
{
	uint32_t last = w->stopped;
	char state = 0;

	w->stopped = 0;
	if (owner & VPMU_LOCK_KEPT)
		state = vpmu_thread_doing("/proc", owner & ~VPMU_LOCK_KEPT);
	if (state == 'T' || state == 't')	/* the other one: by a debugger */
		w->stopped = owner;
	return w->stopped && w->stopped == last;
}

/* Does the thread that reserved the lock not want it any more? */
static bool has_finished(struct wait *w)
{
	uint32_t uses = __atomic_load_n(&w->s->lock.uses, __ATOMIC_RELAXED), seen = w->uses;

	w->uses = uses;
	return w->polls && uses == seen;
}

static bool may_take(struct wait *w, uint32_t owner, bool polite)
{
	if (!owner || owner == (w->tid | VPMU_LOCK_RESERVED))
		return true;
	if (!(owner & VPMU_LOCK_RESERVED))
		return false;
	return !polite || w->turn || has_finished(w);
}

/* Asks the thread that keeps the lock to release it. False: no thread keeps it. */
static bool lock_ask(struct vpmu_lock *lock)
{
	if (!(__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) & VPMU_LOCK_KEPT))
		return false;
	if (!__atomic_load_n(&lock->contended, __ATOMIC_RELAXED))
		__atomic_store_n(&lock->contended, 1, __ATOMIC_RELAXED);
	return true;
}

static void sleep_for_turn(struct wait *w)
{
	struct vpmu_lock *lock = &w->s->lock;
	uint32_t turn = __atomic_load_n(&lock->turn, __ATOMIC_SEQ_CST), owner;
	int64_t sleepers = __atomic_add_fetch(&lock->waiting, 1, __ATOMIC_SEQ_CST);
	struct timespec limit = { .tv_nsec = shorter(sleepers * ASLEEP_NS, ASLEEP_MAX_NS) };

	owner = __atomic_load_n(&lock->owner, __ATOMIC_SEQ_CST);
	if (owner & VPMU_LOCK_KEPT)
		limit.tv_nsec = TURN_NS;
	if (owner && (!syscall(SYS_futex, &lock->turn, FUTEX_WAIT, turn, &limit, NULL, 0) ||
		      lock_ask(lock)))
		w->turn = POLLS_OF_TURN;
	else
		w->polls = 0;
	__atomic_fetch_sub(&lock->waiting, 1, __ATOMIC_SEQ_CST);
}

void vpmu_lock_wake(struct vpmu_segment *s)
{
	int saved = errno;

	__atomic_fetch_add(&s->lock.turn, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &s->lock.turn, FUTEX_WAKE, 1, NULL, NULL, 0);
	errno = saved;
}

void vpmu_runner_give_up(struct vpmu_segment *s, const struct vpmu_runner *r)
{
	if (vpmu_lock_take(s, r->tid | VPMU_LOCK_RESERVED, 0) &&
	    __atomic_load_n(&s->lock.waiting, __ATOMIC_RELAXED))
		vpmu_lock_wake(s);
}

/* Waits between polls. Each poll takes the lock's cache line away from the host CPU that uses
 * it. */
static void pass_time(struct wait *w, bool polite)
{
	if (w->turn) {
		if (--w->turn % 64 == 0)
			sched_yield();
		__builtin_ia32_pause();
		return;
	}
	if (w->polls++ >= POLLS_AWAKE && polite) {
		sleep_for_turn(w);
		return;
	}
	for (uint32_t i = 0; i < (polite ? PAUSES : 1u); i++)
		__builtin_ia32_pause();
	if (w->polls % (polite ? 2u : 128u))
		return;
	if (w->polls < POLLS_YIELDING)
		sched_yield();
	else
		nanosleep(&(struct timespec){ .tv_nsec = PREEMPTED_NS }, NULL);
}

/* Waits until it has the lock; *from is the lock's word from before. False: see wait_poll(). */
static bool lock_wait(struct vpmu_segment *s, uint32_t tid, bool polite, uint32_t *from)
{
	struct wait w = { .s = s, .tid = tid, .looked = now_ns() };

	for (;;) {
		*from = __atomic_load_n(&s->lock.owner, __ATOMIC_RELAXED);
		if (may_take(&w, *from, polite) && vpmu_lock_take(s, *from, tid))
			return true;
		if (!polite)
			lock_ask(&s->lock);
		pass_time(&w, polite);
		if (w.polls % (polite ? 2u : 128u) || now_ns() < w.looked + LOOK_NS)
			continue;
		if (*from && !(*from & VPMU_LOCK_RESERVED) &&
		    (vpmu_thread_ended(*from & ~VPMU_LOCK_KEPT) || is_stopped(&w, *from)) &&
		    vpmu_lock_take(s, *from, tid))
			return true;
		if (!wait_poll(&w, *from))
			return false;
	}
}

static bool wait_locked(struct vpmu_segment *s, uint32_t tid, bool polite, uint32_t *from)
{
	int saved = errno;
	bool taken;

	if (__atomic_load_n(&s->lock.owner, __ATOMIC_RELAXED) == tid)
		return false;
	taken = lock_wait(s, tid, polite, from);
	if (taken && vpmu_lock_contended(s))
		__atomic_store_n(&s->lock.contended, 0, __ATOMIC_RELAXED);
	errno = saved;
	return taken;
}

bool vpmu_feed_lock_wait(struct vpmu_segment *s, uint32_t tid)
{
	uint32_t from;

	return wait_locked(s, tid, false, &from);
}

bool vpmu_runner_lock_wait(struct vpmu_segment *s, struct vpmu_runner *r)
{
	uint32_t from;

	if (!wait_locked(s, r->tid, r->often, &from))
		return false;
	/* Return a reservation later. A thread that was killed or stopped while it kept the lock
	 * does not get it back. */
	if (!r->often && (from & VPMU_LOCK_RESERVED) && from != (r->tid | VPMU_LOCK_RESERVED))
		r->reserved_by = from;
	return true;
}

__attribute__((cold)) bool vpmu_access_lost(struct vpmu_segment *s, const struct vpmu_runner *r)
{
	if (__atomic_load_n(&s->lock.owner, __ATOMIC_RELAXED) != r->tid)
		__atomic_fetch_add(&s->lost_count, 1, __ATOMIC_RELAXED);
	return false;
}
