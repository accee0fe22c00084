/* SPDX-License-Identifier: MIT */
/* The machine lock: one word with the owner's thread id and how often it has locked. An emulated
 * thread and the host thread that emulates it have the same id, so that their locking nests. The
 * feed holds the lock while its thread executes (feed/thread/machine_lock.h) and releases it soon
 * after a waiter has set `asked`. System calls are made without libc, since libc's functions may be
 * the preloaded library's. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "kernel.h"
#include "segment.h"

#define SPINS_BEFORE_YIELD 64
#define YIELDS_BEFORE_CHECK 64
#define CHECK_NS 50000
#define ONCE (UINT64_C(1) << 32)	/* locked once more */

/* Initial-exec: the variable is found without a call, also in a library that is preloaded. */
static _Thread_local uint32_t cached_tid __attribute__((tls_model("initial-exec")));

static void forget_tid(void)
{
	cached_tid = 0;
}

__attribute__((constructor))
static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, forget_tid);
}

uint32_t vpmu_gettid(void)
{
	if (!cached_tid)
		cached_tid = (uint32_t)vpmu_syscall(SYS_gettid);
	return cached_tid;
}

static uint64_t word_of(const struct vpmu_lock *lock)
{
	return __atomic_load_n(&lock->word, __ATOMIC_RELAXED);
}

static bool lock_exchange(struct vpmu_lock *lock, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(&lock->word, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

static bool lock_spin(struct vpmu_lock *lock, uint32_t me)
{
	for (unsigned int i = 0; i < SPINS_BEFORE_YIELD; i++) {
		if (!word_of(lock) && lock_exchange(lock, 0, ONCE | me))
			return true;
		__builtin_ia32_pause();
	}
	return false;
}

/* Takes the lock from a thread that has ended, or that was stopped at the last check, too. */
static bool lock_take_over(struct vpmu_lock *lock, uint32_t me, uint32_t *stopped)
{
	uint64_t word = word_of(lock);
	uint32_t tid = (uint32_t)word, last = *stopped;
	char doing = tid ? vpmu_thread_doing("/proc", tid) : 0;

	*stopped = doing == 'T' || doing == 't' ? tid : 0;	/* t: by a debugger */
	return tid && (vpmu_thread_ended(tid) || (*stopped && *stopped == last)) &&
	       lock_exchange(lock, word, ONCE | me);
}

static __attribute__((noinline)) void lock_wait(struct vpmu_lock *lock, uint32_t me)
{
	uint32_t stopped = 0;
	int saved = errno;

	for (unsigned int rounds = 1;; rounds++) {
		__atomic_store_n(&lock->asked, 1, __ATOMIC_RELAXED);
		if (lock_spin(lock, me))
			break;
		if (rounds % YIELDS_BEFORE_CHECK) {
			vpmu_syscall(SYS_sched_yield);
			continue;
		}
		if (lock_take_over(lock, me, &stopped))
			break;
		vpmu_syscall(SYS_nanosleep, &(struct timespec){ .tv_nsec = CHECK_NS }, NULL);
	}
	__atomic_store_n(&lock->asked, 0, __ATOMIC_RELAXED);
	errno = saved;
}

void vpmu_lock(struct vpmu_segment *s)
{
	uint32_t me = vpmu_gettid();
	uint64_t word = word_of(&s->lock);

	if ((uint32_t)word == me && lock_exchange(&s->lock, word, word + ONCE))
		return;
	if (!lock_exchange(&s->lock, 0, ONCE | me))
		lock_wait(&s->lock, me);
}

void vpmu_unlock(struct vpmu_segment *s)
{
	uint64_t word = word_of(&s->lock);

	if ((uint32_t)word == vpmu_gettid())
		lock_exchange(&s->lock, word, word < 2 * ONCE ? 0 : word - ONCE);
}

void vpmu_lock_forget(struct vpmu_segment *s)
{
	uint64_t word = word_of(&s->lock);

	if ((uint32_t)word == vpmu_gettid())
		lock_exchange(&s->lock, word, 0);
}

uint32_t vpmu_lock_held(const struct vpmu_segment *s)
{
	uint64_t word = word_of(&s->lock);

	return (uint32_t)word == vpmu_gettid() ? (uint32_t)(word >> 32) : 0;
}
