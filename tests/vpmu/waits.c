// SPDX-License-Identifier: MIT
/* Waits by absolute times, timer descriptors and limits of sockets. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000L
static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 * MS + t.tv_nsec;
}

static void *wait_for_end(void *until)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t condition;
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&condition, &monotonic);
	pthread_mutex_lock(&mutex);
	return pthread_cond_timedwait(&condition, &mutex, until) == ETIMEDOUT ? until : NULL;
}

/* Two threads wait for one time, which nobody may write to. */
static void one_end(void)
{
	long begun = now(), until = begun + 20 * MS;
	struct timespec *end;
	pthread_t other;
	void *late;

	end = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*end = (struct timespec){ until / (1000 * MS), until % (1000 * MS) };
	mprotect(end, 4096, PROT_READ);
	pthread_create(&other, NULL, wait_for_end, end);
	printf("%s", wait_for_end(end) && now() >= until ? "late" : "early");
	pthread_join(other, &late);
	printf(" %s\n", late && now() >= until ? "late" : "early");
}

static void descriptor(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	long begun = now(), until = begun + 20 * MS;
	struct itimerspec at = { .it_value = { until / (1000 * MS), until % (1000 * MS) } };
	uint64_t times = 0;

	timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL);
	if (read(fd, &times, sizeof(times)) < 0)
		times = 0;
	printf("%d %s\n", (int)times, now() >= until ? "late" : "early");
}

static void receive(void)
{
	const struct timeval limit = { 0, 5000 };
	long until = now() + 50 * MS;
	int ends[2], n = 0;
	char byte;

	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	while (recv(ends[0], &byte, 1, 0) < 0 && ++n < 1000 && now() < until)
		;
	if (n > 0 && n < 1000)
		puts("ends");
	else
		printf("%d times, %ld ns left\n", n, until - now());
}

static void look(void)
{
	long until = now() + 10 * MS, n = 0;

	while (now() < until && n < 1000000)
		n++;
	printf("%s\n", n < 1000000 ? "ends" : "lasts");
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "look")) {
		look();
		return 0;
	}
	one_end();
	descriptor();
	receive();
	return 0;
}
