/* SPDX-License-Identifier: MIT */
/* Which machine this process is on, and one guarded access to it. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "shim.h"

static struct vpmu_segment *machine;
static const char *segment_path;
static bool fed;
static pthread_once_t once = PTHREAD_ONCE_INIT;

NEXT_SLOT(open)

shim_function shim_next(shim_function *slot, const char *name)
{
	shim_function found = __atomic_load_n(slot, __ATOMIC_RELAXED);

	if (!found) {
		void *address = dlsym(RTLD_NEXT, name);

		/* ISO C has no conversion from an object to a function pointer. */
		memcpy(&found, &address, sizeof(found));
		__atomic_store_n(slot, found, __ATOMIC_RELAXED);
	}
	return found;
}

/* Quiet on purpose: `vpmu run` has checked the segment and reported what was wrong with it. */
static void find_machine(void)
{
	char why[256];
	const char *path = getenv("VPMU_SEGMENT"), *feed = getenv(VPMU_FEED_ENV);
	int saved = errno;

	if (path && *path)
		segment_path = strdup(path);	/* programs may change their environment */
	if (segment_path && vpmu_segment_open(segment_path, &machine, why, sizeof(why)))
		machine = NULL;
	fed = feed && strcmp(feed, "1") == 0;
	errno = saved;
}

struct vpmu_segment *shim_machine(void)
{
	pthread_once(&once, find_machine);
	return machine;
}

bool shim_fed(void)
{
	shim_machine();
	return fed;
}

const char *shim_segment_path(void)
{
	return shim_machine() ? segment_path : NULL;
}

int shim_segment_open(void)
{
	return segment_path ? NEXT(open)(segment_path, O_RDONLY | O_CLOEXEC) : -1;
}

void shim_tell_feed(unsigned long what, unsigned long address, unsigned long bytes)
{
	int saved = errno;

	if (fed)
		prctl(VPMU_SYNC_PRCTL, what, address, bytes, 0UL);
	errno = saved;
}

_Static_assert(sizeof(sigset_t) <= sizeof(struct shim_guard), "room for the signal mask");

void shim_enter(struct vpmu_segment *s, struct shim_guard *guard)
{
	sigset_t all, old;

	shim_tell_feed(VPMU_PRCTL_SYNC, 0, 0);
	sigfillset(&all);
	/* A handler that reads a register while this thread holds the lock would wait forever. */
	pthread_sigmask(SIG_BLOCK, &all, &old);
	memcpy(guard->signals, &old, sizeof(old));
	vpmu_lock(s);
}

void shim_leave(struct vpmu_segment *s, const struct shim_guard *guard)
{
	sigset_t old;

	vpmu_unlock(s);
	memcpy(&old, guard->signals, sizeof(old));
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}
