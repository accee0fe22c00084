/* SPDX-License-Identifier: MIT */
/* For LD_PRELOAD: ranks that wait sleep. They spin otherwise, or yield to others that spin, and
 * with many ranks on few cores that takes most of the time. Open MPI yields if it is set to;
 * Debian's MPICH never does, but polls UCX again and again. */
#include <dlfcn.h>
#include <time.h>

int sched_yield(void);
unsigned int ucp_worker_progress(void *worker);

static void pause_shortly(void)
{
	const struct timespec pause = { .tv_nsec = 200000 };

	nanosleep(&pause, 0);
}

int sched_yield(void)
{
	pause_shortly();
	return 0;
}

unsigned int ucp_worker_progress(void *worker)
{
	static unsigned int (*real)(void *);
	static int vain;
	unsigned int events;

	if (!real)
		real = (unsigned int (*)(void *))dlsym(dlopen("libucp.so.0", RTLD_LAZY),
						       "ucp_worker_progress");
	events = real(worker);
	vain = events ? 0 : vain + 1;
	if (vain > 100)
		pause_shortly();
	return events;
}
