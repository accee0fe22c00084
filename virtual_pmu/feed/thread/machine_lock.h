/* SPDX-License-Identifier: MIT */
/* The machine lock, for a host thread that emulates one. system/ takes the same lock, in the
 * name of the same thread. */
#ifndef VPMU_FEED_MACHINE_LOCK_H
#define VPMU_FEED_MACHINE_LOCK_H

#include "../cache/caches.h"

bool vpmu_feed_lock_wait(struct vpmu_segment *s, uint32_t tid);
bool vpmu_runner_lock_wait(struct vpmu_segment *s, struct vpmu_runner *r);
/* Wakes one of those that sleep until a runner does not want the lock any more. */
void vpmu_lock_wake(struct vpmu_segment *s);
void vpmu_runner_give_up(struct vpmu_segment *s, const struct vpmu_runner *r);
/* Called with the lock held: keep it, and the core's lock, until vpmu_runner_end_keeping(). That
 * stores `owner` into the lock's word. */
void vpmu_runner_keep(struct vpmu_segment *s, struct vpmu_runner *r);
void vpmu_runner_end_keeping(struct vpmu_segment *s, struct vpmu_runner *r, uint32_t owner);
/* A thread that begins has no lock. Another one may have had its id, and a lock when it ended. */
void vpmu_locks_forget(const struct vpmu_caches *c, uint32_t tid);

static inline bool vpmu_lock_take(struct vpmu_segment *s, uint32_t from, uint32_t tid)
{
	return __atomic_compare_exchange_n(&s->lock.owner, &from, tid, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* False: the lock is not taken, and the access is not modelled. Either the guest code of this
 * thread holds the lock, or its owner cannot continue before this thread does. */
static inline bool vpmu_feed_lock(struct vpmu_segment *s, uint32_t tid)
{
	return vpmu_lock_take(s, 0, tid) || vpmu_feed_lock_wait(s, tid);
}

static inline void vpmu_feed_unlock(struct vpmu_segment *s)
{
	__atomic_store_n(&s->lock.owner, 0, __ATOMIC_RELEASE);
}

/* The same for a runner. It keeps the lock while it is the machine's only one, or for a turn while
 * it is its process's only one: see segment.h. QEMU halts threads for others of the same process,
 * so two that kept locks would wait for each other. For this long after a system call it does not
 * keep the lock, so that others can take it. */
#define VPMU_KEEP_AFTER_CLOCKS 20000u
/* A runner among several reserves the lock if it was without it for less than this. Otherwise the
 * registers and caches that the lock guards would move between host CPUs with each access. */
#define VPMU_OFTEN_CLOCKS 256u
/* After this many uses it wakes a sleeper, and continues until that thread takes the lock. */
#define VPMU_TURN_USES 4096u
/* With several processes, a thread keeps the lock after this many uses in quick succession. */
#define VPMU_DENSE_USES 64u

static inline bool vpmu_runner_lock(struct vpmu_segment *s, struct vpmu_runner *r)
{
	if (r->keeps)
		return true;
	r->often = r->may_keep && r->clock - r->unlocked < VPMU_OFTEN_CLOCKS;
	return vpmu_lock_take(s, r->often ? r->tid | VPMU_LOCK_RESERVED : 0, r->tid) ||
	       vpmu_runner_lock_wait(s, r);
}

/* The same for an access, which is not modelled where this is false: it is counted then, unless the
 * thread itself has the lock. */
bool vpmu_access_lost(struct vpmu_segment *s, const struct vpmu_runner *r);

static inline bool vpmu_access_lock(struct vpmu_segment *s, struct vpmu_runner *r)
{
	return vpmu_runner_lock(s, r) || vpmu_access_lost(s, r);
}

static inline void vpmu_runner_let_go(struct vpmu_segment *s, struct vpmu_runner *r)
{
	if (r->keeps)
		vpmu_runner_end_keeping(s, r, 0);
	else if (__builtin_expect(r->often, 0))
		vpmu_runner_give_up(s, r);
}

static inline bool vpmu_lock_contended(const struct vpmu_segment *s)
{
	return __atomic_load_n(&s->lock.contended, __ATOMIC_RELAXED);
}

static inline bool vpmu_alone(const struct vpmu_segment *s)
{
	return __atomic_load_n(&s->runners, __ATOMIC_RELAXED) == 1;
}

/* True if the runner misses often and its process has no other running thread. */
static inline bool vpmu_keeps_turn(const struct vpmu_runner *r)
{
	return r->dense >= VPMU_DENSE_USES && r->beside &&
	       __atomic_load_n(r->beside, __ATOMIC_RELAXED) == 1;
}

/* True if another thread wants the lock that the runner keeps, or took it while this process was
 * stopped. */
static inline bool vpmu_keeping_ends(const struct vpmu_segment *s, const struct vpmu_runner *r)
{
	return vpmu_lock_contended(s) || __atomic_load_n(&s->lock.owner, __ATOMIC_RELAXED) !=
						 (r->tid | VPMU_LOCK_KEPT);
}

/* Stops keeping the lock, so that others need not wait for a turn before they get it. */
static inline void vpmu_runner_share(struct vpmu_segment *s, struct vpmu_runner *r)
{
	if (r->often)
		r->unlocked = r->clock;
	vpmu_runner_end_keeping(s, r, r->often ? r->tid | VPMU_LOCK_RESERVED : 0);
}

/* Lock held, by a runner that wants it again soon. True: its turn ends. */
static inline bool vpmu_lock_use(struct vpmu_segment *s)
{
	uint32_t uses = s->lock.uses + 1;

	__atomic_store_n(&s->lock.uses, uses, __ATOMIC_RELAXED);
	return uses % VPMU_TURN_USES == 0;
}

/* A request for the lock expires after this many uses, in case its thread was killed. The limit is
 * longer than a time slice of the host, so requests of preempted waiters stay. */
#define VPMU_ASKED_USES (64 * VPMU_TURN_USES)

static inline void vpmu_lock_pass(struct vpmu_segment *s, bool turn_over)
{
	uint32_t uses = __atomic_load_n(&s->lock.uses, __ATOMIC_RELAXED);

	if (__atomic_load_n(&s->lock.waiting, __ATOMIC_RELAXED))
		vpmu_lock_wake(s);
	else if (turn_over && uses % VPMU_ASKED_USES == 0 && vpmu_lock_contended(s))
		__atomic_store_n(&s->lock.contended, 0, __ATOMIC_RELAXED);
}

static inline void vpmu_runner_unlock(struct vpmu_segment *s, struct vpmu_runner *r)
{
	uint32_t owner = r->reserved_by;
	bool turn_over = false;

	if (r->keeps) {
		if (vpmu_keeping_ends(s, r))
			vpmu_runner_share(s, r);
		return;
	}
	if (r->often) {
		owner = r->tid | VPMU_LOCK_RESERVED;
		turn_over = vpmu_lock_use(s);
		r->dense++;
	} else {
		r->dense = 0;
	}
	r->reserved_by = 0;
	if (r->may_keep && r->clock >= r->keep_from && !vpmu_lock_contended(s) &&
	    (vpmu_alone(s) || vpmu_keeps_turn(r))) {
		vpmu_runner_keep(s, r);
		return;
	}
	r->unlocked = r->clock;
	__atomic_store_n(&s->lock.owner, owner, __ATOMIC_RELEASE);
	if (__builtin_expect(turn_over || !owner, 0))
		vpmu_lock_pass(s, turn_over);
}

#endif
