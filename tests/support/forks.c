/* SPDX-License-Identifier: MIT */
#include "forks.h"

#include "machine/segment.h"

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#define UNDER_ASAN true
#else
#define UNDER_ASAN false
#endif

#define LOOK_US 100
#define LOOKS_MAX 100000	/* ten seconds: a thread that never sleeps is not waited for */

static bool others_sleep(DIR *threads)
{
	uint32_t self = vpmu_gettid();
	const struct dirent *entry;

	rewinddir(threads);
	while ((entry = readdir(threads))) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		char doing = tid && tid != self ? vpmu_thread_doing("/proc/self/task", tid) : 0;

		if (doing && doing != 'S')
			return false;
	}
	return true;
}

static void wait_for_threads(void)
{
	DIR *threads = opendir("/proc/self/task");

	for (int i = 0; threads && i < LOOKS_MAX && !others_sleep(threads); i++)
		usleep(LOOK_US);
	if (threads)
		closedir(threads);
}

void forks_wait_for_threads(void)
{
	static bool registered;

	if (UNDER_ASAN && !registered)
		registered = pthread_atfork(wait_for_threads, NULL, NULL) == 0;
}
