// SPDX-License-Identifier: MIT
/* Reads all clocks, and waits 5, 7, 9 and 11 ms by four calls. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define MS 1000000L
static long ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000 * MS + t.tv_nsec;
}

static struct timespec after(clockid_t clock, long wait)
{
	long end = ns(clock) + wait;

	return (struct timespec){ end / (1000 * MS), end % (1000 * MS) };
}

static long tell(const char *what, long begun)
{
	printf("%s %ld\n", what, ns(CLOCK_MONOTONIC) - begun);
	return ns(CLOCK_MONOTONIC);
}

int main(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	long begun = ns(CLOCK_MONOTONIC), ticks = (long)__rdtsc(),
	     cpu = ns(CLOCK_PROCESS_CPUTIME_ID);
	struct timespec t = { 0, 5 * MS };
	struct timeval day;
	struct rusage usage;

	nanosleep(&t, NULL);
	begun = tell("5", begun);
	poll(NULL, 0, 7);
	begun = tell("7", begun);
	t = after(CLOCK_MONOTONIC, 9 * MS);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	begun = tell("9", begun);
	t = after(CLOCK_REALTIME, 11 * MS);
	pthread_mutex_lock(&mutex);
	if (pthread_cond_timedwait(&condition, &mutex, &t) == ETIMEDOUT)
		tell("11", begun);
	gettimeofday(&day, NULL);
	getrusage(RUSAGE_SELF, &usage);
	printf("TSC %ld %ld %ld.%06ld %ld %ld %ld\n", ticks, (long)__rdtsc(), day.tv_sec,
	       day.tv_usec, (long)time(NULL), (long)times(NULL),
	       usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	printf("CPU %ld\n", ns(CLOCK_PROCESS_CPUTIME_ID) - cpu);
	return 0;
}
