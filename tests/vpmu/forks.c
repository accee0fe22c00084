// SPDX-License-Identifier: MIT
/* Forks a process with threads, whose child makes threads and forks again. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 3

static volatile int stop;

static void *mark(void *done)
{
	*(int *)done = 1;
	return NULL;
}

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void *run(void *unused)
{
	while (!stop)
		free(malloc(100));
	return unused;
}

static void *make_threads(void *unused)
{
	while (!stop) {
		pthread_t t;
		int done;

		if (!pthread_create(&t, NULL, mark, &done))
			pthread_join(t, NULL);
	}
	return unused;
}

static const struct { const char *name; void *(*start)(void *);
} kinds[] = {
	{ "waiting", wait_for_ever },
	{ "running", run },
	{ "making", make_threads },
	{ "joined", NULL },
};

/* Gives 0 if all threads ran, and those of the child's child. */
static int child(int generations)
{
	int done[THREADS] = { 0 }, ran = 0, status = 0;
	pthread_t t[THREADS];
	pid_t pid;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, mark, &done[i]))
			return 1;
	if (generations) {
		pid = fork();
		if (!pid)
			_exit(child(generations - 1));
		waitpid(pid, &status, 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], NULL);
		ran += done[i];
	}
	return status || ran != THREADS;
}

int main(int argc, char **argv)
{
	int kind = 0, bad = 0, status, done;
	pthread_t t[THREADS];

	while (argc > 1 && strcmp(kinds[kind].name, argv[1]))
		kind++;
	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&t[i], NULL, kinds[kind].start ? kinds[kind].start : mark,
				   &done))
			return 2;
		if (!kinds[kind].start)
			pthread_join(t[i], NULL);
	}
	for (int i = 0; i < 10; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(child(1));
		waitpid(pid, &status, 0);
		bad += status != 0;
	}
	stop = 1;
	printf("%d of 10 children failed\n", bad);
	return bad != 0;
}
