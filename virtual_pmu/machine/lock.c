/* SPDX-License-Identifier: MIT */
/* The machine lock: one word that holds the owner's thread id. An emulated thread and the host
 * thread that emulates it have the same id. vpmu_lock() and vpmu_unlock() are for tools, system/
 * and native programs; feed/thread/machine_lock.h has the same for emulated threads. The lock is
 * not recursive. System calls are made without libc, since libc's functions may be the preloaded
 * library's. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "kernel.h"
#include "segment.h"

#define SPINS_BEFORE_YIELD 64
#define YIELDS_BEFORE_CHECK 64

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

static bool take(struct vpmu_lock *lock, uint32_t from, uint32_t me)
{
	return __atomic_compare_exchange_n(&lock->owner, &from, me, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static bool take_free(struct vpmu_lock *lock, uint32_t me)
{
	uint32_t owner = __atomic_load_n(&lock->owner, __ATOMIC_RELAXED);

	return (!owner || (owner & VPMU_LOCK_RESERVED)) && take(lock, owner, me);
}

static bool take_over(struct vpmu_lock *lock, uint32_t me)
{
	uint32_t owner = __atomic_load_n(&lock->owner, __ATOMIC_RELAXED);
	uint32_t tid = owner & ~VPMU_LOCK_KEPT;

	return tid && tid != me && vpmu_thread_ended(tid) && take(lock, owner, me);
}

/* The feed releases a lock that it keeps when it sees `contended`. */
static void ask_feed(struct vpmu_lock *lock)
{
	__atomic_store_n(&lock->contended, 1, __ATOMIC_RELAXED);
}

static bool spin(struct vpmu_lock *lock, uint32_t me)
{
	for (unsigned int i = 0; i < SPINS_BEFORE_YIELD; i++)
		if (take_free(lock, me))
			return true;
	return false;
}

static __attribute__((noinline)) void wait_for_lock(struct vpmu_segment *s, uint32_t me)
{
	int saved = errno;
	unsigned int rounds = 0;

	while (ask_feed(&s->lock), !spin(&s->lock, me)) {
		if (++rounds % YIELDS_BEFORE_CHECK) {
			vpmu_syscall(SYS_sched_yield);
			continue;
		}
		if (take_over(&s->lock, me))
			break;
		vpmu_syscall(SYS_nanosleep, &(struct timespec){ .tv_nsec = 50000 }, NULL);
	}
	__atomic_store_n(&s->lock.contended, 0, __ATOMIC_RELAXED);
	errno = saved;
}

void vpmu_lock(struct vpmu_segment *s)
{
	uint32_t me = vpmu_gettid();

	if (!take_free(&s->lock, me))
		wait_for_lock(s, me);
}

void vpmu_lock_forget(struct vpmu_segment *s)
{
	uint32_t me = vpmu_gettid();

	take(&s->lock, me | VPMU_LOCK_KEPT, 0);
	take(&s->lock, me, 0);
}

void vpmu_unlock(struct vpmu_segment *s)
{
	__atomic_store_n(&s->lock.owner, 0, __ATOMIC_RELEASE);
}

bool vpmu_lock_held(const struct vpmu_segment *s)
{
	return __atomic_load_n(&s->lock.owner, __ATOMIC_RELAXED) == vpmu_gettid();
}

bool vpmu_lock_unless_held(struct vpmu_segment *s)
{
	if (vpmu_lock_held(s))
		return false;
	vpmu_lock(s);
	return true;
}
