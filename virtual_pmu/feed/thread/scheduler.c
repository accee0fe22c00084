/* SPDX-License-Identifier: MIT */
/* Hands the turn from thread to thread: see scheduler.h. vpmu_scheduler_wait() is the one place in
 * which a thread waits for its turn, turn_pass() the one that passes it to the next. The mutex of
 * vpmu_turns protects all records; it is held for moments, and never while a thread waits.
 *
 * Each waiter polls now and then. So none depends on a wake that a signal has overtaken, and a
 * thread that sleeps in the host's kernel with its turn loses it within three seconds: a call was
 * taken for one that does not wait. A thread outside the turn touches nothing of the machine. When
 * its call is over it waits for its turn again. A signal that a thread of the process sends makes
 * its receiver ready at the sender's clock. One from elsewhere is noted by the receiver, and takes
 * effect when the owner's turn ends, which is at its next block. */
#include "scheduler.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../emulator/user_calls.h"
#include "../../system/calls.h"
#include "../../system/system.h"
#include "clock.h"
#include "machine_lock.h"
#include "process_turn.h"

#define SECOND INT64_C(1000000000)
/* Between checks of a waiter that a signal or its timeout may wake, and between those of the
 * owner. */
#define LOOK_NS 50000000
#define WATCH_NS 1500000000

__thread struct vpmu_turn *vpmu_turn_self;
__thread const uint64_t *vpmu_scheduler_expires;
const struct vpmu_user_host *vpmu_turn_host;
static bool of_model;

void vpmu_scheduler_begin(const struct vpmu_user_host *host, bool model_time)
{
	vpmu_turn_host = host;
	of_model = model_time;
	vpmu_process_turn_begin(vpmu_feed.segment, vpmu_feed.left_out);
	vpmu_turns.waited = &vpmu_feed.segment->waited;
}

bool vpmu_scheduler_shares(void)
{
	return vpmu_turn_self && vpmu_turns.count > 1;
}

bool vpmu_scheduler_model_time(void)
{
	return of_model;
}

uint64_t vpmu_turn_clock(void)
{
	return vpmu_self ? vpmu_runner_now(&vpmu_self->runner) : vpmu_turn_self->clock;
}

static long host_futex(uint32_t *word, int operation, uint32_t value, const struct timespec *limit)
{
	return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, limit, NULL, 0);
}

/* ---- choosing: the mutex is held ---- */

/* Threads for which a file is ready or a signal has come become ready. */
static void look_at_waiters(uint64_t clock)
{
	for (struct vpmu_turn *t = vpmu_turns.first; t; t = t->next) {
		if (t->signalled && vpmu_turn_is_interruptible(t))
			vpmu_turn_make_ready(t, clock, VPMU_TURN_RESTART);
		else if (t->state == VPMU_TURN_FILES_WAIT &&
			 poll(t->files, t->file_count, 0) > 0)
			vpmu_turn_make_ready(t, clock, 0);
	}
}

static void time_out(struct vpmu_turn *t, uint64_t clock)
{
	t->timed_out = true;
	vpmu_turn_make_ready(t, clock, t->state == VPMU_TURN_FUTEX ? -ETIMEDOUT : 0);
}

static void send_outside(struct vpmu_turn *t, enum vpmu_turn_go go)
{
	__atomic_store_n(&t->go, go, __ATOMIC_RELEASE);
	host_futex(&t->go, FUTEX_WAKE, 1, NULL);
}

/* Nobody can run. The host's kernel decides which file is ready first. */
static bool send_file_waiters(void)
{
	bool any = false;

	for (struct vpmu_turn *t = vpmu_turns.first; t; t = t->next)
		if (t->state == VPMU_TURN_FILES_WAIT) {
			vpmu_turn_set_state(t, VPMU_TURN_OUTSIDE);
			vpmu_turns.outside++;
			vpmu_process_turn_leaves(t);
			send_outside(t, VPMU_GO_OUTSIDE);
			any = true;
		}
	return any;
}

/* Nobody can run before some time has passed: the machine's time moves on to the first timer or
 * timeout. NULL: the program waits for something else. */
static struct vpmu_turn *let_time_pass(void)
{
	struct vpmu_turn *sleeper = vpmu_turn_sleeper();
	uint64_t newest = vpmu_newest_clock(vpmu_feed.segment), wakes;
	int64_t timer = of_model ? vpmu_timers_next() : 0;

	if (timer && (!sleeper || timer <= sleeper->until)) {
		vpmu_time_reach(timer);
		vpmu_scheduler_expires = &newest;
		vpmu_system_timers();
		vpmu_scheduler_expires = NULL;
	} else if (sleeper) {
		wakes = vpmu_turn_wakes_at(sleeper);
		time_out(sleeper, wakes < newest ? wakes : newest);
	}
	return vpmu_turn_least(NULL);
}

static struct vpmu_turn *choose(uint64_t clock)
{
	struct vpmu_turn *least, *sleeper;

	look_at_waiters(clock);
	least = vpmu_turn_least(NULL);
	sleeper = vpmu_turn_sleeper();
	if (least && sleeper && vpmu_turn_wakes_at(sleeper) <= least->clock) {
		time_out(sleeper, vpmu_turn_wakes_at(sleeper));
		least = vpmu_turn_least(NULL);
	}
	if (least || send_file_waiters() || vpmu_turns.outside)
		return least;
	return let_time_pass();
}

/* ---- the turn ---- */

/* The clock of a CPU in a PAUSE loop that is to continue because all others have halted. It may
 * wait for a device, so no time has passed for it. */
static uint64_t clock_of_spinner(const struct vpmu_turn *t)
{
	uint64_t newest = vpmu_newest_clock(vpmu_feed.segment);

	if (newest > t->clock)
		return t->clock;
	return newest > t->spun ? newest : t->spun;
}

/* Releases the mutex. The caller has given its turn up, or nobody has it. */
static void turn_pass(uint64_t clock)
{
	struct vpmu_turn *next = choose(clock);
	uint32_t *go = NULL;

	vpmu_turns_set_owner(next);
	if (next) {
		vpmu_turn_set_state(next, VPMU_TURN_RUNS);
		if (next->spins && vpmu_feed.cpu_of)
			next->clock = clock_of_spinner(next);
		next->began = next->clock;
		vpmu_turn_stop_spinning(next);
		vpmu_turn_set_end();
		go = &next->go;
		__atomic_store_n(go, VPMU_GO_ON, __ATOMIC_RELEASE);
	}
	if (!next)
		vpmu_process_turn_give(clock);
	vpmu_turns_unlock();
	if (next && next != vpmu_turn_self)
		host_futex(go, FUTEX_WAKE, 1, NULL);
}

/* The thread is none of the machine's while it waits. Its logical processor is halted, unless it
 * waits for the turn alone (ready). */
static void feed_stops(bool ready)
{
	if (!vpmu_self)
		return;
	vpmu_runner_release(vpmu_feed.segment, &vpmu_self->runner);
	if (!vpmu_self->sleeps)
		vpmu_emulated_sleep(vpmu_self);
	vpmu_emulated_execute(vpmu_self, ready);
}

static void feed_continues(uint64_t clock)
{
	struct vpmu_runner *r = &vpmu_self->runner;

	vpmu_emulated_wake(vpmu_self);
	r->inside = NULL;	/* others may have used the L1I and the block's record */
	r->settled = NULL;
	vpmu_runner_check_next(r);
	if (clock <= r->clock)
		return;
	vpmu_runner_continue(r, clock);
	__atomic_store_n(r->clock_slot, r->clock, __ATOMIC_RELAXED);
}

/* A waiter's view of the owner: the thread that slept in a call, the call, and the next check. */
struct watch { uint32_t tid, call; int64_t next; };

/* Takes the turn from an owner that sleeps in the same call of the host's kernel as it did at the
 * last check. */
static void turn_owner_check(struct watch *w)
{
	struct vpmu_turn *owner = vpmu_turns.owner;
	struct watch last = *w;
	int64_t now = vpmu_process_turn_now();

	if (now < last.next)
		return;
	*w = (struct watch){ 0, 0, now + WATCH_NS };
	if (!owner || !owner->calls || !owner->tid ||
	    vpmu_thread_doing("/proc/self/task", owner->tid) != 'S')
		return;
	w->tid = owner->tid;
	w->call = owner->call;
	if (last.tid != owner->tid || last.call != owner->call)
		return;
	vpmu_turn_set_state(owner, VPMU_TURN_OUTSIDE);
	vpmu_turns.outside++;
	vpmu_process_turn_leaves(owner);
	vpmu_turns_set_owner(NULL);
}

/* A waiter checks whether it has been forgotten, or a signal or its timeout has come. */
static void look_around(struct vpmu_turn *me, struct watch *watch)
{
	bool waits;

	vpmu_turns_lock();
	turn_owner_check(watch);
	waits = vpmu_turn_is_interruptible(me);
	if (waits && vpmu_turn_host->signalled()) {
		me->signalled = true;
		if (vpmu_turns.owner)
			__atomic_store_n(&vpmu_turn_end, 0, __ATOMIC_RELAXED);
	} else if (waits && me->until_host && vpmu_process_turn_now() >= me->until_host &&
		   (!of_model || !vpmu_turns.owner)) {
		time_out(me, me->clock);
		vpmu_turn_set_end();
	}
	if (vpmu_turns.owner)
		vpmu_turns_unlock();
	else
		turn_pass(me->clock);
}

/* How long a waiter may sleep before it polls. Its timeout counts on the host's clock only if the
 * program has the host's time, or no thread executes. */
static int64_t sleep_limit(const struct vpmu_turn *me)
{
	int64_t left;

	if (__atomic_load_n(&me->state, __ATOMIC_RELAXED) == VPMU_TURN_READY)
		return WATCH_NS;
	if (!me->until_host || (of_model && __atomic_load_n(&vpmu_turns.owner, __ATOMIC_RELAXED)))
		return LOOK_NS;
	left = me->until_host - vpmu_process_turn_now();
	return left < 1000 ? 1000 : left < LOOK_NS ? left : LOOK_NS;
}

static enum vpmu_turn_go wait_for_turn(struct vpmu_turn *me)
{
	struct watch watch = { 0, 0, 0 };
	int saved = errno;

	while (!__atomic_load_n(&me->go, __ATOMIC_RELAXED)) {
		int64_t ns = sleep_limit(me);
		struct timespec limit = { ns / SECOND, ns % SECOND };

		if (host_futex(&me->go, FUTEX_WAIT, 0, &limit) && errno != EAGAIN)
			look_around(me, &watch);
	}
	errno = saved;
	return (enum vpmu_turn_go)__atomic_exchange_n(&me->go, VPMU_GO_WAIT, __ATOMIC_ACQUIRE);
}

/* Computes the end of the turn anew: other processes may have become ready. */
static void look_at_processes(void)
{
	vpmu_process_turn_look();
	vpmu_turns_lock();
	vpmu_turn_set_end();
	vpmu_turns_unlock();
}

/* The calling thread has its process's turn, and is to execute code. */
static void acquire_machine(struct vpmu_turn *me, uint64_t clock)
{
	vpmu_process_turn_enter(me, clock);
	vpmu_turns_lock();
	vpmu_turn_set_end();
	vpmu_turns_unlock();
}

void vpmu_scheduler_woke(void)
{
	vpmu_process_turn_woke();
	vpmu_process_turn_settle();
	look_at_processes();
}

/* A CPU that spins has been kicked: it continues for the interrupt, if there is one. */
static void spinner_look(struct vpmu_turn *me)
{
	vpmu_turns_lock();
	vpmu_turn_interrupt(me, vpmu_newest_clock(vpmu_feed.segment));
	vpmu_turns_unlock();
}

/* Applies the rule again, now that the process has the machine's turn and has settled. Of threads
 * that return from outside at the same clock, the first one by the host's time had been chosen.
 * False: another thread has the turn. */
static bool keep_turn(struct vpmu_turn *me)
{
	bool first;

	vpmu_turns_lock();
	vpmu_turn_set_state(me, VPMU_TURN_READY);
	first = vpmu_turn_least(NULL) == me;
	if (first) {
		vpmu_turn_set_state(me, VPMU_TURN_RUNS);
		vpmu_turns_unlock();
	} else {
		turn_pass(me->clock);
	}
	return first;
}

/* Waits for the turn, and executes code then. */
static enum vpmu_turn_go wait_and_continue(struct vpmu_turn *me)
{
	enum vpmu_turn_go go;

	do {
		go = wait_for_turn(me);
		me->waits = go == VPMU_GO_LOOK;
		if (me->waits)
			spinner_look(me);
		if (go != VPMU_GO_ON)
			return go;
		acquire_machine(me, me->clock);
	} while (!vpmu_feed.cpu_of && !keep_turn(me));	/* CPUs return in QEMU's order */
	if (vpmu_self)
		feed_continues(me->clock);
	return go;
}

/* The mutex is held, and released. */
static enum vpmu_turn_go wait_in(enum vpmu_turn_state state, uint64_t clock)
{
	struct vpmu_turn *me = vpmu_turn_self;

	if (vpmu_self && !me->spins)
		vpmu_turns_look(vpmu_self->runner.own, vpmu_turn_clock());
	me->clock = clock;
	vpmu_turn_set_state(me, state);
	turn_pass(vpmu_turn_clock());
	return wait_and_continue(me);
}

enum vpmu_turn_go vpmu_scheduler_wait(enum vpmu_turn_state state, uint64_t clock)
{
	feed_stops(state == VPMU_TURN_READY);
	vpmu_turns_lock();
	vpmu_turn_stop_spinning(vpmu_turn_self);
	return wait_in(state, clock);
}

void vpmu_scheduler_leave(void)
{
	if (!vpmu_turn_self || vpmu_turn_self->leaving ||
	    (vpmu_self && vpmu_runner_is_in_section(vpmu_feed.segment, &vpmu_self->runner)))
		return;
	vpmu_turn_self->leaving = true;
	vpmu_turn_host->leave();
}

static void turn_first(unsigned int vcpu)
{
	bool first = !vpmu_turns.first;
	struct vpmu_turn *me;

	vpmu_turns_lock();
	if (first && vpmu_turn_add(vcpu, 0, VPMU_TURN_RUNS))
		vpmu_turns_set_owner(vpmu_turns.first);
	vpmu_turn_self = me = vpmu_turn_find(vcpu);
	if (me)
		me->tid = (uint32_t)syscall(SYS_gettid);
	vpmu_turns_unlock();
	if (!me)
		return;
	if (first)
		me->clock = vpmu_newest_clock(vpmu_feed.segment);
	else
		wait_for_turn(me);
	acquire_machine(me, me->clock);
}

/* No other thread of the process is to run, but another process. */
static void let_processes(struct vpmu_turn *me, uint64_t clock)
{
	feed_stops(true);
	acquire_machine(me, clock);
	if (vpmu_self)
		feed_continues(clock);
}

void vpmu_scheduler_turn(unsigned int vcpu)
{
	struct vpmu_turn *me = vpmu_turn_self;
	uint64_t clock;
	bool gives;

	if (!me) {
		if (!vpmu_feed.left_out)
			turn_first(vcpu);
		return;
	}
	if (!me->leaving)
		return;
	gives = me->gives;
	me->leaving = me->gives = false;
	vpmu_process_turn_settle();
	vpmu_process_turn_look();
	clock = vpmu_turn_clock();
	vpmu_turns_lock();
	look_at_waiters(clock);
	vpmu_turn_set_end();
	if (!me->spins && !gives && !vpmu_turn_is_over(clock)) {
		vpmu_turns_unlock();
		return;
	}
	if (!me->spins && !vpmu_turn_least(me) && !vpmu_turn_sleeper()) {
		me->began = clock;	/* another slice */
		vpmu_turn_set_end();
		vpmu_turns_unlock();
		if (gives || vpmu_process_turn_is_over(clock))
			let_processes(me, clock);
		return;
	}
	vpmu_turns_unlock();
	feed_stops(true);
	vpmu_turns_lock();
	wait_in(VPMU_TURN_READY, me->spins ? me->clock : clock);
}

void vpmu_scheduler_end_slice(uint64_t clock)
{
	struct vpmu_turn *me = vpmu_turn_self;
	const struct vpmu_turn *other;
	uint64_t process = clock;
	bool behind;

	if (!me || me->leaving)
		return;
	vpmu_turns_lock();
	other = vpmu_turn_least(me);
	behind = other ? other->clock <= clock :
		 vpmu_process_turn_others(&process) && process == clock;
	vpmu_turns_unlock();
	if (behind)
		vpmu_scheduler_leave();
	me->gives = me->yields = me->leaving;
}

void vpmu_scheduler_spin(const struct vpmu_core *core, uint64_t clock)
{
	struct vpmu_turn *me = vpmu_turn_self;
	uint64_t behind = clock;
	bool others;

	if (!me || me->leaving)
		return;
	vpmu_turns_lock();
	others = vpmu_turn_least(me) || vpmu_turn_sleeper();
	if (others) {
		vpmu_turn_spin(me, core, clock);
		me->clock = clock + VPMU_SPIN_SLICES * VPMU_SLICE_CLOCKS;
	} else if (vpmu_process_turn_others(&behind)) {
		behind += vpmu_turn_step(me, clock);
		vpmu_turn_spin(me, core, clock);
		me->clock = behind;
		others = me->yields = true;
	}
	vpmu_turns_unlock();
	if (others)
		vpmu_scheduler_leave();
}

/* ---- calls of the host's kernel ---- */

/* The one thread of a process leaves the machine's turn alone, and is halted already. */
static void one_leaves(void)
{
	if (!vpmu_turn_self)
		return;
	vpmu_process_turn_leaves(vpmu_turn_self);
	vpmu_process_turn_give(vpmu_turn_clock());
}

/* Another process may have taken the turn in the meantime, because the call waits. */
static void one_returns(struct vpmu_turn *me)
{
	uint64_t clock = vpmu_turn_clock();

	vpmu_process_turn_returns(me);
	if (me->outside && vpmu_self)
		clock = __atomic_load_n(vpmu_self->runner.newest, __ATOMIC_RELAXED);
	acquire_machine(me, clock);
	if (!vpmu_self || !vpmu_self->sleeps)
		return;
	vpmu_emulated_wake(vpmu_self);
	vpmu_runner_continue(&vpmu_self->runner, clock);
}

bool vpmu_scheduler_outside(void)
{
	if (!vpmu_scheduler_shares()) {
		one_leaves();
		return false;
	}
	feed_stops(false);
	vpmu_turns_lock();
	vpmu_turn_stop_spinning(vpmu_turn_self);
	if (vpmu_self)
		vpmu_turns_look(vpmu_self->runner.own, vpmu_turn_clock());
	vpmu_turn_self->clock = vpmu_turn_clock();
	vpmu_turn_set_state(vpmu_turn_self, VPMU_TURN_OUTSIDE);
	vpmu_turns.outside++;
	vpmu_process_turn_leaves(vpmu_turn_self);
	turn_pass(vpmu_turn_self->clock);
	return true;
}

/* The mutex is held, and released. The thread's clock then is the machine's newest, as what it
 * waited for has happened by now. */
static void return_from_outside(struct vpmu_turn *me)
{
	vpmu_process_turn_returns(me);
	vpmu_turns.outside--;
	vpmu_turn_make_ready(me, vpmu_newest_clock(vpmu_feed.segment), 0);
	vpmu_process_turn_is_ready(me);
	if (vpmu_turns.owner) {
		vpmu_turn_set_end();
		vpmu_turns_unlock();
	} else {
		turn_pass(me->clock);
	}
}

void vpmu_scheduler_back(void)
{
	struct vpmu_turn *me = vpmu_turn_self;

	if (!me)
		return;
	vpmu_turns_lock();
	if (me->state != VPMU_TURN_OUTSIDE) {
		vpmu_turns_unlock();
		if (me->outside || !vpmu_process_turn_has())
			one_returns(me);
		return;
	}
	return_from_outside(me);
	wait_and_continue(me);
}

/* Calls take no clocks. A lock that a thread releases around its calls alone (Python's) would be
 * free at none of its turns' ends, which come at the same place of a loop each time. */
void vpmu_scheduler_before_call(void)
{
	const struct vpmu_turn *other;
	uint64_t clock = vpmu_turn_clock();
	bool behind;

	vpmu_turns_lock();
	other = vpmu_turn_least(vpmu_turn_self);
	behind = other && other->clock + VPMU_CALL_CLOCKS < clock;
	vpmu_turns_unlock();
	if (behind)
		vpmu_scheduler_wait(VPMU_TURN_READY, clock);
}

void vpmu_scheduler_call_begins(void)
{
	if (!vpmu_turn_self)
		return;
	vpmu_turns_lock();
	vpmu_turn_self->calls = true;
	vpmu_turn_self->call++;
	vpmu_process_turn_call(true);
	vpmu_turns_unlock();
}

void vpmu_scheduler_call_ends(void)
{
	if (!vpmu_turn_self)
		return;
	vpmu_turns_lock();
	vpmu_turn_self->calls = false;
	if (vpmu_turn_self->state == VPMU_TURN_RUNS)
		vpmu_process_turn_call(false);
	vpmu_turns_unlock();
	vpmu_scheduler_back();
}

/* ---- the CPUs of a booted machine ---- */

/* QEMU's CPUs are there before they execute code that is counted. */
static struct vpmu_turn *cpu_join(unsigned int vcpu)
{
	struct vpmu_turn *me;

	vpmu_turns_lock();
	me = vpmu_turn_find(vcpu);
	if (!me && vpmu_turn_add(vcpu, 0, VPMU_TURN_OUTSIDE)) {
		me = vpmu_turn_find(vcpu);
		vpmu_turns.outside++;
	}
	if (me) {
		me->tid = (uint32_t)syscall(SYS_gettid);
		me->calls = true;
		me->go = VPMU_GO_LOOK;	/* kicks were not noted before */
	}
	vpmu_turns_unlock();
	return vpmu_turn_self = me;
}

static enum vpmu_turn_state state_of(const struct vpmu_turn *t)
{
	return __atomic_load_n(&t->state, __ATOMIC_RELAXED);
}

bool vpmu_scheduler_has_turn(void)
{
	const struct vpmu_turn *me = vpmu_turn_self;

	return me && !me->waits && state_of(me) == VPMU_TURN_RUNS;
}

bool vpmu_scheduler_cpu_turn(unsigned int vcpu)
{
	struct vpmu_turn *me = vpmu_turn_self ? vpmu_turn_self : cpu_join(vcpu);

	if (!me)
		return true;
	me->call++;
	if (state_of(me) == VPMU_TURN_OUTSIDE) {
		vpmu_turns_lock();
		me->leaving = false;
		return_from_outside(me);
	} else if (!me->waits) {
		vpmu_scheduler_turn(vcpu);
		return !me->waits;
	}
	return wait_and_continue(me) == VPMU_GO_ON;
}

void vpmu_scheduler_cpu_halts(void)
{
	struct vpmu_turn *me = vpmu_turn_self;
	bool had;

	if (!me || state_of(me) == VPMU_TURN_OUTSIDE)
		return;
	had = vpmu_scheduler_has_turn();
	if (had)
		feed_stops(false);
	vpmu_turns_lock();
	vpmu_turn_stop_spinning(me);
	if (had && vpmu_self) {
		me->clock = vpmu_turn_clock();
		vpmu_turns_look(vpmu_self->runner.own, me->clock);
	}
	me->waits = me->leaving = false;
	vpmu_turns.outside += me->state != VPMU_TURN_OUTSIDE;
	vpmu_turn_set_state(me, VPMU_TURN_OUTSIDE);
	__atomic_store_n(&me->go, VPMU_GO_WAIT, __ATOMIC_RELAXED);
	if (vpmu_turns.owner == me) {
		turn_pass(me->clock);
	} else {
		vpmu_turn_set_end();
		vpmu_turns_unlock();
	}
}

void vpmu_scheduler_cpu_kicked(unsigned int vcpu)
{
	uint32_t waits = VPMU_GO_WAIT;
	struct vpmu_turn *t;

	/* QEMU 11 kicks the CPU that leaves. The CPU does its work before it waits. */
	if (vpmu_turn_self && vpmu_turn_self->vcpu == vcpu)
		return;
	vpmu_turns_lock();
	t = vpmu_turn_find(vcpu);
	if (t && __atomic_compare_exchange_n(&t->go, &waits, VPMU_GO_LOOK, false,
					     __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		host_futex(&t->go, FUTEX_WAKE, 1, NULL);
	vpmu_turns_unlock();
}

/* ---- threads ---- */

static struct vpmu_turn *newest(void)
{
	struct vpmu_turn *t = vpmu_turns.first;

	while (t->next)
		t = t->next;
	return t;
}

void vpmu_scheduler_created(unsigned int vcpu)
{
	if (!vpmu_turn_self)
		return;
	vpmu_turns_lock();
	vpmu_turn_self->began = vpmu_turn_clock();
	if (vpmu_turn_add(vcpu, vpmu_turn_clock(), VPMU_TURN_READY))
		newest()->ends_at = vpmu_turn_self->child_ends_at;
	vpmu_turn_set_end();
	vpmu_turns_unlock();
}

void vpmu_scheduler_made(int64_t tid)
{
	if (!vpmu_turn_self)
		return;
	vpmu_turns_lock();
	if (tid > 0)
		newest()->tid = (uint32_t)tid;
	else if (!newest()->tid && newest()->state == VPMU_TURN_READY)
		vpmu_turn_remove(newest());
	vpmu_turn_set_end();
	vpmu_turns_unlock();
}

void vpmu_scheduler_ends(void)
{
	if (vpmu_turn_self)
		vpmu_turn_self->clock = vpmu_turn_clock();
}

void vpmu_scheduler_ended(uint64_t address)
{
	struct vpmu_turn *me = vpmu_turn_self;
	uint64_t clock;

	if (!me)
		return;
	vpmu_turns_lock();
	clock = me->clock;
	if (address)
		vpmu_turn_wake(address, UINT32_MAX, UINT32_MAX, clock);
	vpmu_turn_self = NULL;
	if (me == vpmu_turns.owner) {
		vpmu_turn_remove(me);
		turn_pass(clock);
	} else {
		vpmu_turns.outside--;
		vpmu_turn_remove(me);
		vpmu_turns_unlock();
	}
}

void vpmu_scheduler_fork(void)
{
	vpmu_turns_lock();
}

void vpmu_scheduler_fork_parent(void)
{
	vpmu_turns_unlock();
}

void vpmu_scheduler_fork_child(void)
{
	pthread_mutex_init(&vpmu_turns.mutex, NULL);
	if (!vpmu_turn_self)
		return;
	vpmu_turns_keep(vpmu_turn_self);
	vpmu_turn_self->outside = NULL;
	vpmu_process_turn_is_child();
	vpmu_turn_self->tid = (uint32_t)syscall(SYS_gettid);
}
