/* SPDX-License-Identifier: MIT */
/* Locks on bytes of a unit's file: its mutex (ipmu_locks_take_mutex), and bytes for processes,
 * boxes and counters. They are open-file-description locks, which belong to the open file and not
 * to the process. So two systems in one process exclude each other, and the kernel releases the
 * locks when the last descriptor is closed. Bytes far behind the journal's end can be locked, too.
 * The caller holds the system's lock. Waiting for mutexes ends after 10 s in all, or with a fatal
 * signal. */
#include "locks.h"

#include "signals.h"

#include "../base/now.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>

enum { MUTEX_BYTE = 0, PROCESSES = 0x1000, BOXES = 0x10000, COUNTERS = 0x20000 };
#define COUNTER_BYTES 32	/* for a box */
#define WAIT_NS 10000000000LL	/* for the mutexes of all units of an operation */
#define PAUSE_NS 20000L
#define PAUSE_MAX_NS 2000000L

static off_t box_byte(int type, int box)
{
	return BOXES + type * IPMU_BOXES_MAX + box;
}

static off_t counter_byte(int type, int box, int ctr)
{
	return COUNTERS + (off_t)(type * IPMU_BOXES_MAX + box) * COUNTER_BYTES + ctr;
}

static int set(int fd, short kind, off_t start, off_t length)
{
	struct flock lock = { .l_type = kind, .l_whence = SEEK_SET, .l_start = start,
			      .l_len = length };
	int rc;

	do
		rc = fcntl(fd, F_OFD_SETLK, &lock);
	while (rc && errno == EINTR);
	if (!rc)
		return 0;
	return errno == EACCES ? -EAGAIN : -errno;
}

/* Does another open file hold any of these bytes? If the query fails, assume so. */
static bool locked(int fd, off_t start, off_t length)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start,
			      .l_len = length };

	return fcntl(fd, F_OFD_GETLK, &lock) || lock.l_type != F_UNLCK;
}

void ipmu_locks_wait_begin(struct ipmu_lessee *lessee)
{
	lessee->deadline_ns = 0;
}

void ipmu_locks_wait_at_most(struct ipmu_lessee *lessee, uint64_t ns)
{
	lessee->deadline_ns = ipmu_now_ns() + ns;
}

/* If no other process holds the lock, the clock is not read. */
static bool waited_enough(struct ipmu_lessee *lessee)
{
	if (!lessee->deadline_ns)
		ipmu_locks_wait_at_most(lessee, WAIT_NS);
	return ipmu_now_ns() >= lessee->deadline_ns;
}

/* The process that holds the mutex releases it soon, unless it has been stopped (SIGSTOP). */
int ipmu_locks_take_mutex(struct ipmu_lessee *lessee, int fd)
{
	long pause = PAUSE_NS;
	int rc;

	while ((rc = set(fd, F_WRLCK, MUTEX_BYTE, 1)) == -EAGAIN) {
		if (ipmu_signals_waiting(lessee))
			return -EINTR;
		if (waited_enough(lessee))
			return -EBUSY;
		nanosleep(&(struct timespec){ .tv_nsec = pause }, NULL);
		pause = pause < PAUSE_MAX_NS / 2 ? 2 * pause : PAUSE_MAX_NS;
	}
	return rc;
}

void ipmu_locks_release_mutex(int fd)
{
	set(fd, F_UNLCK, MUTEX_BYTE, 1);
}

int ipmu_locks_take_process(int fd, int slot)
{
	return set(fd, F_WRLCK, PROCESSES + slot, 1);
}

/* All but the mutex. */
void ipmu_locks_release_all(int fd)
{
	set(fd, F_UNLCK, PROCESSES, 0);
}

bool ipmu_locks_process_taken(int fd, int slot)
{
	if (slot == IPMU_ALL)
		return locked(fd, PROCESSES, IPMU_JOURNAL_PIDS);
	return locked(fd, PROCESSES + slot, 1);
}

int ipmu_locks_take_box(int fd, int type, int box)
{
	return set(fd, F_WRLCK, box_byte(type, box), 1);
}

void ipmu_locks_release_box(int fd, int type, int box)
{
	set(fd, F_UNLCK, box_byte(type, box), 1);
}

bool ipmu_locks_box_taken(int fd, int type, int box)
{
	return locked(fd, box_byte(type, box), 1);
}

int ipmu_locks_take_counter(int fd, int type, int box, int ctr)
{
	return set(fd, F_RDLCK, counter_byte(type, box, ctr), 1);
}

void ipmu_locks_release_counter(int fd, int type, int box, int ctr)
{
	set(fd, F_UNLCK, counter_byte(type, box, ctr), 1);
}

uint32_t ipmu_locks_counters_taken(int fd, int type, int box)
{
	uint32_t used = 0;

	if (type == IPMU_ALL)
		return locked(fd, COUNTERS, IPMU_TYPES_MAX * IPMU_BOXES_MAX * COUNTER_BYTES);
	if (!locked(fd, counter_byte(type, box, 0), COUNTER_BYTES))
		return 0;
	for (int c = 0; c < IPMU_COUNTERS_MAX; c++)
		if (locked(fd, counter_byte(type, box, c), 1))
			used |= 1u << c;
	return used;
}
