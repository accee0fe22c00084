/* SPDX-License-Identifier: MIT */
/* Futexes, sleeps and yields of a process that has several threads: see waits.h. Waiters of a futex
 * are woken in the order in which they came. A wait that ends by its timeout ends at that time of
 * the machine; if the program has the host's time, at the host's.
 *
 * Futexes that processes share, and those that inherit priority, are left to the host's kernel, and
 * so are all of a process with one thread. The word that the kernel clears when a thread ends is
 * not private either, but the scheduler itself wakes those that wait for it. */
#include "waits.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>

#include "../../emulator/user_calls.h"
#include "../../system/calls.h"
#include "process_turn.h"
#include "scheduler.h"

/* ---- waiting ---- */

/* until: when it ends by itself, in the program's time; 0: it does not. Returns how it ended. A
 * signal that the thread does not take lets it wait on. */
static int64_t wait_in(enum vpmu_turn_state state, int64_t until)
{
	struct vpmu_turn *me = vpmu_turn_self;

	me->until = vpmu_scheduler_model_time() ? until : 0;
	me->until_host = until ? vpmu_time_host(until) : 0;
	me->timed_out = false;
	do
		vpmu_scheduler_wait(state, vpmu_turn_clock());
	while (me->answer == VPMU_TURN_RESTART && !vpmu_turn_host->signalled());
	if (me->timed_out && me->until)
		vpmu_time_reach(me->until);
	me->until = me->until_host = 0;
	return me->answer;
}

/* ---- futexes ---- */

static const uint32_t *word_at(int64_t address)
{
	return address % 4 ? NULL : vpmu_turn_host->memory((uint64_t)address, 4, false);
}

static int64_t futex_wait(const int64_t a[6], uint32_t bitset)
{
	const uint32_t *word = word_at(a[0]);
	int64_t until = vpmu_time_until(SYS_futex, a), answer;
	struct vpmu_turn *me = vpmu_turn_self;

	if (!bitset)
		return -EINVAL;
	if (!word)
		return -EFAULT;
	if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != (uint32_t)a[2])
		return -EAGAIN;
	if (vpmu_turn_host->signalled())
		return VPMU_TURN_RESTART;
	if (until && until <= vpmu_time_here())
		return -ETIMEDOUT;
	vpmu_turns_lock();
	me->address = (uint64_t)a[0];
	me->queued = ++vpmu_turns.queued;
	me->bitset = bitset;
	vpmu_turns_unlock();
	answer = wait_in(VPMU_TURN_FUTEX, until);
	me->address = 0;
	return answer;
}

static int64_t futex_wake(int64_t address, int64_t count, uint32_t bitset)
{
	int64_t woken;

	vpmu_turns_lock();
	woken = vpmu_turn_wake((uint64_t)address, (uint32_t)count, bitset, vpmu_turn_clock());
	vpmu_turns_unlock();
	return woken;
}

static int64_t futex_requeue(const int64_t a[6], bool compares)
{
	const uint32_t *word = word_at(a[0]);
	uint32_t left = (uint32_t)a[3];
	int64_t n;

	if (!word)
		return -EFAULT;
	if (compares && __atomic_load_n(word, __ATOMIC_SEQ_CST) != (uint32_t)a[5])
		return -EAGAIN;
	n = futex_wake(a[0], a[2], UINT32_MAX);
	vpmu_turns_lock();
	for (struct vpmu_turn *t = vpmu_turns.first; t && left; t = t->next)
		if (t->state == VPMU_TURN_FUTEX && t->address == (uint64_t)a[0]) {
			t->address = (uint64_t)a[4];
			left--;
			n += compares;
		}
	vpmu_turns_unlock();
	return n;
}

static int32_t operate(uint32_t how, int32_t old, int32_t with)
{
	if (how >> 31)		/* FUTEX_OP_ARG_SHIFT */
		with = (int32_t)(1u << (with & 31));
	switch (how >> 28 & 7) {
	case FUTEX_OP_ADD: return (int32_t)((uint32_t)old + (uint32_t)with);
	case FUTEX_OP_OR: return old | with;
	case FUTEX_OP_ANDN: return old & ~with;
	case FUTEX_OP_XOR: return old ^ with;
	default: return with;
	}
}

static bool compare(uint32_t how, int32_t old, int32_t with)
{
	switch (how >> 24 & 15) {
	case FUTEX_OP_CMP_EQ: return old == with;
	case FUTEX_OP_CMP_NE: return old != with;
	case FUTEX_OP_CMP_LT: return old < with;
	case FUTEX_OP_CMP_LE: return old <= with;
	case FUTEX_OP_CMP_GT: return old > with;
	default: return old >= with;
	}
}

/* 12 bits with a sign. */
static int32_t operand(uint32_t bits)
{
	return (int32_t)(bits << 20) >> 20;
}

/* Nobody else executes, so the operation is atomic. */
static int64_t futex_wake_op(const int64_t a[6])
{
	uint32_t how = (uint32_t)a[5];
	int32_t *word = vpmu_turn_host->memory((uint64_t)a[4], 4, true), old;
	int64_t n;

	if (!word || a[4] % 4)
		return -EFAULT;
	old = *word;
	*word = operate(how, old, operand(how >> 12 & 0xfff));
	n = futex_wake(a[0], a[2], UINT32_MAX);
	if (compare(how, old, operand(how & 0xfff)))
		n += futex_wake(a[4], a[3], UINT32_MAX);
	return n;
}

/* Does the kernel clear this word when a thread of this process ends? */
static bool ends_here(uint64_t address)
{
	const struct vpmu_turn *t = vpmu_turns.first;

	while (t && t->ends_at != address)
		t = t->next;
	return t;
}

/* A wait for a word that has changed is none. */
static bool has_changed(const int64_t a[6], int64_t operation)
{
	const uint32_t *word = operation == FUTEX_WAIT || (operation == FUTEX_WAIT_BITSET && a[5]) ?
			       word_at(a[0]) : NULL;

	return word && __atomic_load_n(word, __ATOMIC_SEQ_CST) != (uint32_t)a[2];
}

static bool futex_call(const int64_t a[6], int64_t *answer)
{
	if (!(a[1] & FUTEX_PRIVATE_FLAG) && !ends_here((uint64_t)a[0])) {
		*answer = -EAGAIN;
		return has_changed(a, a[1] & FUTEX_CMD_MASK);
	}
	switch (a[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
		*answer = futex_wait(a, UINT32_MAX);
		return true;
	case FUTEX_WAIT_BITSET:
		*answer = futex_wait(a, (uint32_t)a[5]);
		return true;
	case FUTEX_WAKE:
		*answer = futex_wake(a[0], a[2], UINT32_MAX);
		return true;
	case FUTEX_WAKE_BITSET:
		*answer = futex_wake(a[0], a[2], (uint32_t)a[5]);
		return true;
	case FUTEX_REQUEUE: case FUTEX_CMP_REQUEUE:
		*answer = futex_requeue(a, (a[1] & FUTEX_CMD_MASK) == FUTEX_CMP_REQUEUE);
		return true;
	case FUTEX_WAKE_OP:
		*answer = futex_wake_op(a);
		return true;
	default:
		return false;
	}
}

/* ---- sleeps and yields ---- */

static bool sleep_call(int64_t number, const int64_t a[6], int64_t *answer)
{
	int64_t until = vpmu_time_until(number, a);

	if (!until || !vpmu_scheduler_model_time())
		return false;
	if (vpmu_turn_host->signalled()) {
		*answer = VPMU_TURN_RESTART;
		return true;
	}
	*answer = 0;
	if (until > vpmu_time_here())
		*answer = wait_in(VPMU_TURN_SLEEPS, until);
	if (*answer == VPMU_TURN_RESTART) {
		*answer = -EINTR;
		vpmu_time_slept(number, a, until);
	}
	return true;
}

/* Threads that yield again and again wait for something: each time for longer. */
static void yield(void)
{
	struct vpmu_turn *me = vpmu_turn_self, *other;
	uint64_t clock = vpmu_turn_clock();
	bool others;

	vpmu_turns_lock();
	other = vpmu_turn_least(me);
	others = other || vpmu_turn_sleeper();
	if (other && other->clock > clock)
		clock = other->clock;
	vpmu_turns_unlock();
	me->yields = vpmu_process_turn_others(&clock);
	if (!others && !me->yields)
		return;
	me->spun = clock + vpmu_turn_step(me, vpmu_turn_clock());
	vpmu_scheduler_wait(VPMU_TURN_READY, me->spun);
}

bool vpmu_waits_call(int64_t number, const int64_t a[6], int64_t *answer)
{
	if (number == SYS_sched_yield && vpmu_turn_self) {
		yield();
		*answer = 0;
		return true;
	}
	if (!vpmu_scheduler_shares())
		return false;
	switch (number) {
	case SYS_futex:
		return futex_call(a, answer);
	case SYS_nanosleep: case SYS_clock_nanosleep:
		return sleep_call(number, a, answer);
	default:
		return false;
	}
}
