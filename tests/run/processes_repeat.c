// SPDX-License-Identifier: MIT
/* Several processes that meet in one of several ways: processes_repeat WAY. Its output is what they
 * have done. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES 4
#define NUMBERS 3000
#define ROUNDS 100		/* of the ring */

extern char **environ;

static struct shared {
	atomic_ulong words[PROCESSES * 8];
	atomic_int turn;
	sem_t ping, pong;
	uint64_t sums[PROCESSES];
} *shared;

static void start(void (*work)(int me))
{
	for (int me = 0; me < PROCESSES; me++)
		if (!fork()) {
			work(me);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
}

static void increments(int me)
{
	for (int i = 0; i < 20000; i++)
		atomic_fetch_add(&shared->words[0], 1);
	shared->sums[me] = 20000;
}

static void own_memory(int me)
{
	unsigned char *from = calloc(1, 1 << 20);

	for (size_t i = 0; from && i < 1 << 20; i += 64)
		shared->sums[me] += ++from[i];
}

/* Waits in a loop without PAUSE or system calls, as MPI libraries do. */
static void ring(int me)
{
	for (int i = 0; i < ROUNDS; i++) {
		while (atomic_load(&shared->turn) != me)
			;
		shared->sums[me]++;
		atomic_store(&shared->turn, (me + 1) % PROCESSES);
	}
}

static void ping_pong(int me)
{
	for (int i = 0; me < 2 && i < 500; i++) {
		sem_wait(me ? &shared->pong : &shared->ping);
		shared->sums[me] += (uint64_t)i;
		sem_post(me ? &shared->ping : &shared->pong);
	}
}

/* Each process of the chain adds its number to what comes. */
static void pipeline(void)
{
	int from = -1, ends[2];
	uint32_t number;
	uint64_t sum = 0;

	for (uint32_t me = 0; me < PROCESSES; me++) {
		if (pipe(ends))
			exit(1);
		if (!fork()) {
			close(ends[0]);
			for (uint32_t i = 0; i < NUMBERS; i++) {
				if (from < 0)
					number = i;
				else if (read(from, &number, sizeof(number)) != sizeof(number))
					_exit(1);
				number += me;
				if (write(ends[1], &number, sizeof(number)) != sizeof(number))
					_exit(1);
			}
			_exit(0);
		}
		close(ends[1]);
		if (from >= 0)
			close(from);
		from = ends[0];
	}
	while (read(from, &number, sizeof(number)) == sizeof(number))
		sum += number;
	while (wait(NULL) > 0)
		;
	printf("%llu\n", (unsigned long long)sum);
}

static void spawned(char *self)
{
	char *argv[] = { self, "own", NULL };
	pid_t child;

	for (int i = 0; i < PROCESSES; i++)
		if (posix_spawn(&child, self, NULL, NULL, argv, environ))
			exit(1);
	while (wait(NULL) > 0)
		;
}

/* sort -n numbers | uniq -c | sort -n | tail -n 1. A shell would do the same, but writes the digits
 * of process ids, which are the host's. */
static void programs(void)
{
	static char *const words[PROCESSES][4] = {
		{ "sort", "-n", "numbers" }, { "uniq", "-c" }, { "sort", "-n" },
		{ "tail", "-n", "1" },
	};
	int from = -1, ends[2] = { -1, -1 };

	for (int me = 0; me < PROCESSES; me++) {
		posix_spawn_file_actions_t files;
		pid_t child;

		posix_spawn_file_actions_init(&files);
		if (me < PROCESSES - 1 && pipe(ends))
			exit(1);
		if (from >= 0)
			posix_spawn_file_actions_adddup2(&files, from, 0);
		if (me < PROCESSES - 1) {
			posix_spawn_file_actions_adddup2(&files, ends[1], 1);
			posix_spawn_file_actions_addclose(&files, ends[0]);
		}
		if (posix_spawnp(&child, words[me][0], &files, NULL, words[me], environ))
			exit(1);
		posix_spawn_file_actions_destroy(&files);
		close(from);
		close(ends[1]);
		from = ends[0];
	}
	while (wait(NULL) > 0)
		;
}

static atomic_bool over;

static void *beside(void *word)
{
	while (!atomic_load(&over))
		atomic_fetch_add((atomic_ulong *)word, 1);
	return NULL;
}

/* Children of a process whose threads run. */
static void with_threads(void)
{
	static atomic_ulong words[3 * 8];
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, beside, &words[8 * i]);
	for (int i = 0; i < 3; i++) {
		if (!fork()) {
			own_memory(i);
			_exit(0);
		}
		wait(NULL);
	}
	atomic_store(&over, true);
	for (int i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
		printf("%lu ", atomic_load(&words[8 * i]));
	}
}

static volatile sig_atomic_t signals;

static void on_signal(int number)
{
	(void)number;
	signals++;
}

/* Parent and child send each other a signal, and sleep until the answer. */
static void signalling(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t blocked, open;
	pid_t other;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, &open);
	sigaction(SIGUSR1, &action, NULL);
	other = fork();
	for (int i = 0; i < 100; i++) {
		if (other)
			kill(other, SIGUSR1);
		while (signals <= i)
			sigsuspend(&open);
		if (!other)
			kill(getppid(), SIGUSR1);
	}
	if (!other)
		_exit(0);
	wait(NULL);
	printf("%d\n", (int)signals);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED || sem_init(&shared->ping, 1, 1) || sem_init(&shared->pong, 1, 0))
		return 1;
	if (!strcmp(way, "increments"))
		start(increments);
	else if (!strcmp(way, "memory"))
		start(own_memory);
	else if (!strcmp(way, "own"))
		own_memory(0);
	else if (!strcmp(way, "ring"))
		start(ring);
	else if (!strcmp(way, "semaphores"))
		start(ping_pong);
	else if (!strcmp(way, "pipeline"))
		pipeline();
	else if (!strcmp(way, "spawn"))
		spawned(argv[0]);
	else if (!strcmp(way, "programs"))
		programs();
	else if (!strcmp(way, "threads"))
		with_threads();
	else if (!strcmp(way, "signals"))
		signalling();
	else
		return 2;
	for (int i = 0; i < PROCESSES; i++)
		printf("%llu ", (unsigned long long)shared->sums[i]);
	printf("%lu\n", atomic_load(&shared->words[0]));
	return 0;
}
