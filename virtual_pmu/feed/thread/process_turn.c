/* SPDX-License-Identifier: MIT */
/* Hands the machine's turn from process to process: see process_turn.h, and machine/processes.h for
 * the order. vpmu_process_turn_enter() is the one place in which a process waits for it.
 *
 * Processes repeat because each of them becomes ready at the same clock in each run. One that the
 * owner's call has woken, forked or ended becomes so while the owner waits in
 * vpmu_process_turn_settle(). Only what comes from outside of the machine, as input of a terminal,
 * comes at the host's time. */
#include "process_turn.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../machine/processes.h"
#include "turns.h"

#define SECOND INT64_C(1000000000)
/* Between a waiter's checks of the owner; and how long the owner has to be in the same call. */
#define CHECK_NS 50000000
#define WATCH_NS 1500000000
/* Between checks of what is about to become ready. */
#define SETTLE_NS 50000
/* A process that is in a long call of the host's kernel without being asleep. */
#define SETTLE_MAX_NS (10 * SECOND)
/* In an entry of the list of threads outside: it is back. */
#define BACK 0x80000000u

static struct vpmu_processes *all;	/* NULL: the process is none of the machine's */
static struct vpmu_process *self;	/* NULL: it has no record */
static struct vpmu_process *child;	/* of the fork that the calling thread makes */

static long host_futex(uint32_t *word, int operation, uint32_t value, const struct timespec *limit)
{
	return syscall(SYS_futex, word, operation, value, limit, NULL, 0);
}

int64_t vpmu_process_turn_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * SECOND + now.tv_nsec;
}

static bool is_owner(void)
{
	return vpmu_process_owner(all) == self;
}

/* The mutex is held. */
static void set_end(void)
{
	const struct vpmu_process *other = vpmu_process_least(all, self);
	uint64_t end = UINT64_MAX;

	if (other)
		end = (other->clock < self->began ? self->began : other->clock) +
		      VPMU_SLICE_CLOCKS;
	__atomic_store_n(&all->asked, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&vpmu_process_turn_end, end, __ATOMIC_RELAXED);
}

/* Releases the mutex. */
static void turn_pass_on(void)
{
	struct vpmu_process *next = vpmu_process_pass(all);

	vpmu_processes_unlock(all);
	if (next && next != self)
		host_futex(&next->go, FUTEX_WAKE, 1, NULL);
}

/* ---- a waiter checks the owner ---- */

/* The owner at the last check: its thread, its calls, and what it did. */
struct owner_watch { uint32_t thread, calls; char doing; int64_t since; };

/* A thread that has ended may have handed the process's turn to another one just now: so two checks
 * have to agree. */
static enum vpmu_process_state state_of_owner(const struct vpmu_process *owner,
					      struct owner_watch *w)
{
	const struct owner_watch last = *w;
	char doing = vpmu_thread_doing("/proc", owner->thread);
	bool same = last.thread == owner->thread && last.calls == owner->calls &&
		    last.doing == doing;

	*w = (struct owner_watch){ owner->thread, owner->calls, doing,
				   same ? last.since : vpmu_process_turn_now() };
	if (!same)
		return VPMU_PROCESS_RUNS;
	switch (doing) {
	case '\0': case 'Z': case 'X':
		return VPMU_PROCESS_NONE;
	case 'T': case 't':		/* stopped, or by a debugger */
		return VPMU_PROCESS_OUTSIDE;
	case 'S':
		return owner->calls % 2 && vpmu_process_turn_now() - last.since >= WATCH_NS ?
		       VPMU_PROCESS_OUTSIDE : VPMU_PROCESS_RUNS;
	default:
		return VPMU_PROCESS_RUNS;
	}
}

static void owner_check(struct owner_watch *w)
{
	struct vpmu_process *owner;
	enum vpmu_process_state state;

	vpmu_processes_lock(all);
	owner = vpmu_process_owner(all);
	state = !owner || owner == self ? VPMU_PROCESS_RUNS : state_of_owner(owner, w);
	if (owner == self || (owner && state == VPMU_PROCESS_RUNS)) {
		vpmu_processes_unlock(all);
		return;
	}
	if (owner)
		owner->state = state;
	turn_pass_on();
}

static void wait_for_turn(void)
{
	static const struct timespec limit = { .tv_nsec = CHECK_NS };
	struct owner_watch watch = { 0, 0, 0, 0 };

	while (!__atomic_load_n(&self->go, __ATOMIC_ACQUIRE))
		if (host_futex(&self->go, FUTEX_WAIT, 0, &limit) && errno == ETIMEDOUT)
			owner_check(&watch);
	__atomic_store_n(&self->go, 0, __ATOMIC_RELAXED);
}

/* ---- what is about to become ready ---- */

static bool process_moves(struct vpmu_process *p)
{
	if (p->state != VPMU_PROCESS_STARTS && p->state != VPMU_PROCESS_ENDS)
		return false;
	/* Its end may have woken the parent just now: another check follows. */
	if (p->pid && vpmu_process_ended(p->pid))
		p->state = VPMU_PROCESS_NONE;
	return true;
}

static bool processes_move(void)
{
	bool any = false;

	vpmu_processes_lock(all);
	for (uint32_t i = 0; i < all->used && !any; i++)
		any = process_moves(&all->of[i]);
	vpmu_processes_unlock(all);
	return any;
}

static bool thread_moves(uint32_t *entry)
{
	uint32_t tid = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
	char doing;

	if (!tid || (tid & BACK && !vpmu_thread_ended(tid & ~BACK)))
		return tid;
	doing = vpmu_thread_doing("/proc", tid & ~BACK);
	if (!doing || doing == 'Z' || doing == 'X')
		__atomic_compare_exchange_n(entry, &tid, 0, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	return doing == 'R' || doing == 'D';
}

static bool threads_move(void)
{
	bool any = false;

	for (uint32_t i = 0; i < VPMU_PROCESSES_OUTSIDE && !any; i++)
		any = thread_moves(&all->outside[i]);
	return any;
}

void vpmu_process_turn_settle(void)
{
	int64_t limit;
	int saved = errno;

	if (!all || !__atomic_exchange_n(&all->unsettled, 0, __ATOMIC_RELAXED))
		return;
	for (limit = vpmu_process_turn_now() + SETTLE_MAX_NS;
	     (processes_move() || threads_move()) && vpmu_process_turn_now() < limit;)
		nanosleep(&(struct timespec){ .tv_nsec = SETTLE_NS }, NULL);
	errno = saved;
}

void vpmu_process_turn_woke(void)
{
	if (all)
		__atomic_store_n(&all->unsettled, 1, __ATOMIC_RELAXED);
}

void vpmu_process_turn_leaves(struct vpmu_turn *t)
{
	if (!all)
		return;
	vpmu_processes_lock(all);
	t->outside = vpmu_process_leaves(all, t->tid);
	vpmu_processes_unlock(all);
	vpmu_process_turn_woke();
}

void vpmu_process_turn_returns(struct vpmu_turn *t)
{
	if (t->outside)
		__atomic_fetch_or(t->outside, BACK, __ATOMIC_RELEASE);
}

void vpmu_process_turn_is_ready(struct vpmu_turn *t)
{
	if (t->outside)
		__atomic_store_n(t->outside, 0, __ATOMIC_RELEASE);
	t->outside = NULL;
}

void vpmu_process_turn_call(bool begins)
{
	if (self)
		__atomic_store_n(&self->calls, begins ? (self->calls | 1) + 2 :
						 (self->calls + 1) & ~1u, __ATOMIC_RELAXED);
}

/* ---- the turn ---- */

/* The mutex is held, and released: the process is ready, and waits. */
static void wait_as_ready(struct vpmu_turn *t, uint64_t clock)
{
	bool free = is_owner() || !vpmu_process_owner(all);

	self->clock = clock;
	self->state = VPMU_PROCESS_READY;
	self->thread = t->tid;
	vpmu_process_turn_is_ready(t);
	if (free) {
		turn_pass_on();
	} else {
		__atomic_store_n(&all->asked, 1, __ATOMIC_RELAXED);
		vpmu_processes_unlock(all);
	}
	wait_for_turn();
}

/* The mutex is held. */
static bool goes_first(const struct vpmu_turn *t, uint64_t clock)
{
	const struct vpmu_process *other = vpmu_process_least(all, self);

	if (!is_owner() || !other)
		return is_owner();
	if (t->yields)
		return clock < other->clock;
	return clock < (other->clock < self->began ? self->began : other->clock) +
		       VPMU_SLICE_CLOCKS;
}

/* The mutex is held. A process that became ready while this one settled may be in front of it. */
static bool process_is_first(void)
{
	const struct vpmu_process *other = vpmu_process_least(all, self);

	return is_owner() && (!other || other->clock > self->clock ||
			      (other->clock == self->clock && other->number > self->number));
}

void vpmu_process_turn_enter(struct vpmu_turn *t, uint64_t clock)
{
	int saved = errno;

	if (!self) {
		vpmu_process_turn_is_ready(t);
		return;
	}
	vpmu_processes_lock(all);
	if (goes_first(t, clock)) {
		vpmu_process_turn_is_ready(t);
		vpmu_processes_unlock(all);
		vpmu_process_turn_settle();
		vpmu_processes_lock(all);
	} else {
		do {
			wait_as_ready(t, clock);
			vpmu_process_turn_settle();
			vpmu_processes_lock(all);
		} while (!process_is_first());
	}
	self->thread = t->tid;
	self->calls = (self->calls + 1) & ~1u;
	t->yields = false;
	set_end();
	vpmu_processes_unlock(all);
	errno = saved;
}

void vpmu_process_turn_look(void)
{
	if (!self)
		return;
	vpmu_processes_lock(all);
	if (is_owner())
		set_end();
	vpmu_processes_unlock(all);
}

bool vpmu_process_turn_is_over(uint64_t clock)
{
	return self && (clock >= vpmu_process_turn_end || !is_owner());
}

bool vpmu_process_turn_has(void)
{
	return !self || is_owner();
}

bool vpmu_process_turn_asked(void)
{
	return self && (__atomic_load_n(&all->asked, __ATOMIC_RELAXED) || !is_owner());
}

bool vpmu_process_turn_others(uint64_t *clock)
{
	const struct vpmu_process *other;

	if (!self)
		return false;
	vpmu_processes_lock(all);
	other = vpmu_process_least(all, self);
	if (other && other->clock > *clock)
		*clock = other->clock;
	vpmu_processes_unlock(all);
	return other;
}

static void turn_give(enum vpmu_process_state state, uint64_t clock)
{
	bool owner;

	if (!self)
		return;
	vpmu_processes_lock(all);
	owner = is_owner();
	self->clock = clock;
	self->state = state;
	if (owner)
		turn_pass_on();
	else
		vpmu_processes_unlock(all);
}

void vpmu_process_turn_give(uint64_t clock)
{
	turn_give(VPMU_PROCESS_OUTSIDE, clock);
}

void vpmu_process_turn_ends(void)
{
	vpmu_process_turn_woke();
	turn_give(VPMU_PROCESS_ENDS, 0);
	self = NULL;
}

/* ---- processes ---- */

static void process_leave(uint32_t pid)
{
	bool owner;

	vpmu_processes_lock(all);
	self = vpmu_process_find(all, pid);
	owner = self && is_owner();
	if (self)
		self->state = VPMU_PROCESS_NONE;
	self = NULL;
	if (owner)
		turn_pass_on();
	else
		vpmu_processes_unlock(all);
}

void vpmu_process_turn_begin(struct vpmu_segment *s, bool left_out)
{
	all = &s->processes;
	if (left_out) {
		process_leave((uint32_t)getpid());
		all = NULL;
		return;
	}
	vpmu_processes_lock(all);
	self = vpmu_process_find(all, (uint32_t)getpid());
	if (self)	/* from the program that the process executed before */
		self->calls = 0;
	else
		self = vpmu_process_add(all, (uint32_t)getpid(), VPMU_PROCESS_STARTS,
					vpmu_newest_clock(s));
	if (self)
		self->thread = self->pid;
	vpmu_processes_unlock(all);
	vpmu_process_turn_woke();
}

void vpmu_process_turn_fork(uint64_t clock)
{
	if (!self)
		return;
	vpmu_processes_lock(all);
	child = vpmu_process_add(all, 0, VPMU_PROCESS_STARTS, clock);
	vpmu_processes_unlock(all);
}

void vpmu_process_turn_is_child(void)
{
	struct vpmu_process *stale;

	self = child;
	child = NULL;
	if (!self)
		return;
	vpmu_processes_lock(all);
	stale = vpmu_process_find(all, (uint32_t)getpid());
	if (stale && stale != self)
		stale->state = VPMU_PROCESS_NONE;
	self->pid = self->thread = (uint32_t)getpid();
	vpmu_processes_unlock(all);
}

void vpmu_process_turn_forked(int64_t id)
{
	struct vpmu_process *made = child;

	child = NULL;
	if (!made)
		return;
	vpmu_processes_lock(all);
	if (id <= 0)
		made->state = VPMU_PROCESS_NONE;
	else
		made->pid = (uint32_t)id;
	vpmu_processes_unlock(all);
	vpmu_process_turn_woke();
}
