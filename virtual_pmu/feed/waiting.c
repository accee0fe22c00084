/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "waiting.h"

/* QEMU sometimes halts all threads between two blocks of guest code (for a fork, an exit). A thread
 * that is halted inside the shim's short critical section keeps the lock, while QEMU waits for this
 * thread to reach the end of its block. So a waiter checks now and then whether the holder is
 * halted, and gives up after some time in any case. */
#define LOOK_NS 2000000
#define GIVE_UP_LOOKS 500

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static bool try_lock(struct vpmu_segment *s, uint32_t from, uint32_t tid)
{
	return __atomic_compare_exchange_n(&s->lock.owner, &from, tid, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static bool is_dead(uint32_t tid)
{
	return syscall(SYS_tkill, (int)(tid & ~VPMU_LOCK_KEPT), 0) && errno == ESRCH;
}

/* A thread of this process that sleeps; a critical section never does. */
static bool is_halted(uint32_t tid)
{
	char path[64], text[128], *end;
	ssize_t got = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%u/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	if (got <= 0)
		return false;
	text[got] = '\0';
	end = strrchr(text, ')');	/* of the name; the state is next */
	return end && end[1] == ' ' && end[2] == 'S';
}

/* True while it is worth waiting. *suspect: the holder that seemed halted at the last look. */
static bool look(uint32_t owner, uint32_t *suspect)
{
	uint32_t last = *suspect;

	*suspect = owner && is_halted(owner & ~VPMU_LOCK_KEPT) ? owner : 0;
	return !*suspect || *suspect != last;
}

static bool wait_for(struct vpmu_segment *s, uint32_t tid)
{
	uint32_t suspect = 0, owner, looks = 0;
	int64_t next = now_ns() + LOOK_NS;

	for (uint32_t tries = 1; looks < GIVE_UP_LOOKS; tries++) {
		owner = __atomic_load_n(&s->lock.owner, __ATOMIC_RELAXED);
		if (!owner && try_lock(s, 0, tid))
			return true;
		__atomic_store_n(&s->lock.contended, 1, __ATOMIC_RELAXED);
		if (tries % 128) {
			__builtin_ia32_pause();
			continue;
		}
		sched_yield();
		if (now_ns() < next)
			continue;
		if (owner && is_dead(owner) && try_lock(s, owner, tid))
			return true;
		if (!look(owner, &suspect))
			return false;
		next = now_ns() + LOOK_NS;
		looks++;
	}
	return false;
}

bool vpmu_feed_lock_wait(struct vpmu_segment *s, uint32_t tid)
{
	int saved = errno;
	bool taken;

	if (__atomic_load_n(&s->lock.owner, __ATOMIC_RELAXED) == tid)
		return false;
	taken = wait_for(s, tid);
	if (taken)
		__atomic_store_n(&s->lock.contended, 0, __ATOMIC_RELAXED);
	errno = saved;
	return taken;
}
