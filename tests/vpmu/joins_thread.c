// SPDX-License-Identifier: MIT
/* A library that makes a thread and waits for it when it is unloaded. */
#include <pthread.h>

static void *nothing(void *p) { return p; }
__attribute__((destructor)) static void leave(void)
{
	pthread_t t;
	if (!pthread_create(&t, 0, nothing, 0))
		pthread_join(t, 0);
}
