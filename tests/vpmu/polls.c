// SPDX-License-Identifier: MIT
/* Polls in a loop and releases a lock around each call, for which a thread waits: polls CALL. */
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POLLS 3000	/* some 100 turns of the other thread */
#define GOALS 5

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER, taken = PTHREAD_COND_INITIALIZER;
static bool locked, demanded;
static volatile int got, sum;
static int ends[2], epolls;

static void lock_take(bool waiter)
{
	struct timespec until;

	pthread_mutex_lock(&mutex);
	while (locked) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 5000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (pthread_cond_timedwait(&released, &mutex, &until) && locked)
			demanded = waiter;
	}
	locked = true;
	demanded = false;
	pthread_cond_signal(&taken);
	pthread_mutex_unlock(&mutex);
}

static void lock_release(void)
{
	pthread_mutex_lock(&mutex);
	locked = false;
	pthread_cond_signal(&released);
	if (demanded)
		pthread_cond_wait(&taken, &mutex);
	pthread_mutex_unlock(&mutex);
}

static void *wait_for_lock(void *unused)
{
	while (got < GOALS) {
		lock_take(true);
		got++;
		lock_release();
	}
	return unused;
}

static void call(const char *kind)
{
	struct pollfd file = { .fd = ends[0], .events = POLLIN };
	struct epoll_event event;
	struct timeval none = { 0, 0 };
	fd_set set;
	char c;

	if (!strcmp(kind, "poll")) {
		poll(&file, 1, -1);
	} else if (!strcmp(kind, "select")) {
		FD_ZERO(&set);
		FD_SET(ends[0], &set);
		select(ends[0] + 1, &set, NULL, NULL, &none);
	} else if (!strcmp(kind, "epoll")) {
		epoll_wait(epolls, &event, 1, -1);
	} else if (!strcmp(kind, "wait")) {
		waitpid(-1, NULL, WNOHANG);
	} else if (read(ends[0], &c, 1) == 1 && write(ends[1], &c, 1) != 1) {
		got = -GOALS;
	}
}

int main(int argc, char **argv)
{
	struct epoll_event event = { .events = EPOLLIN };
	pthread_t t;
	int polls = 0;

	if (argc < 2 || pipe(ends) || write(ends[1], "x", 1) != 1)
		return 9;
	epolls = epoll_create1(0);
	epoll_ctl(epolls, EPOLL_CTL_ADD, ends[0], &event);
	lock_take(false);
	if (pthread_create(&t, NULL, wait_for_lock, NULL))
		return 9;
	for (; got < GOALS && polls < POLLS; polls++) {
		for (int i = 0; i < 2000; i++)
			sum += i;
		lock_release();
		call(argv[1]);
		lock_take(false);
	}
	printf("%d times in %d polls\n", got, polls);
	return got < GOALS;
}
