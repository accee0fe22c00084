/* SPDX-License-Identifier: MIT */
/* small_stack EVENT: a thread with the smallest stack is the first that adds an event, and counts
 * what it loads: 16 MiB, a line at a time. */
#include <limits.h>
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES (16u << 20)
/* PAPI itself needs more after 7.0. */
#define STACK (PTHREAD_STACK_MIN * (PAPI_VERSION_MINOR(PAPI_VER_CURRENT) < 1 ? 1 : 4))

static const char *event;
static volatile char *buffer;
static int set = PAPI_NULL, rc;
static long long count;

static void *counts(void *unused)
{
	if (!rc)
		rc = PAPI_create_eventset(&set);
	if (!rc)
		rc = PAPI_add_named_event(set, event);
	if (!rc)
		rc = PAPI_start(set);
	for (size_t i = 0; i < BYTES; i += 64)
		buffer[i]++;
	if (!rc)
		rc = PAPI_read(set, &count);
	if (!rc)
		rc = PAPI_reset(set);
	if (!rc)
		rc = PAPI_stop(set, NULL);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_attr_t attr;
	pthread_t thread;

	event = argc == 2 ? argv[1] : "";
	buffer = malloc(BYTES);
	if (!buffer || PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
	    pthread_attr_init(&attr) || pthread_attr_setstacksize(&attr, STACK) ||
	    pthread_create(&thread, &attr, counts, NULL) || pthread_join(thread, NULL))
		return 2;
	printf("%ld bytes, rc %d, count %lld\n", (long)STACK, rc, count);
	PAPI_shutdown();
	return rc != 0;
}
