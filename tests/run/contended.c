/* SPDX-License-Identifier: MIT */
/* contended THREADS INCREMENTS LINES: each thread makes as many increments of a word of its own.
 * LINES: 0, all words are in one line; 1, each has a line of its own; 2 and 3, after each 1,000
 * increments the threads wait for each other, and continue with the next one's line: in the kernel,
 * or in a loop of PAUSE instructions; 4, as 0 by locked instructions. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define TURN 1000

static volatile long words[8][8] __attribute__((aligned(64)));
static long increments;
static int threads, lines;
static pthread_barrier_t barrier;
static atomic_int arrived, turns;

static void *increment(void *word)
{
	for (long i = 0; i < increments; i++)
		++*(volatile long *)word;
	return NULL;
}

static void *increment_locked(void *word)
{
	for (long i = 0; i < increments; i++)
		__atomic_fetch_add((long *)word, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void wait_for_all(int turn)
{
	if (lines == 2) {
		pthread_barrier_wait(&barrier);
	} else if (atomic_fetch_add(&arrived, 1) == threads - 1) {
		atomic_store(&arrived, 0);
		atomic_store(&turns, turn + 1);
	} else {
		while (atomic_load(&turns) == turn)
			__builtin_ia32_pause();
	}
}

static void *take_turns(void *word)
{
	long me = ((volatile long (*)[8])word - words);

	for (int turn = 0; turn < increments / TURN; turn++) {
		for (int i = 0; i < TURN; i++)
			++words[(me + turn) % threads][0];
		wait_for_all(turn);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[8];
	void *(*work)(void *);

	threads = argc == 4 ? atoi(argv[1]) : 0;
	if (threads < 1 || threads > 8)
		return 2;
	increments = atol(argv[2]);
	lines = atoi(argv[3]);
	pthread_barrier_init(&barrier, NULL, (unsigned)threads);
	work = lines == 4 ? increment_locked : lines < 2 ? increment : take_turns;
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, work,
				   (void *)(lines % 4 ? &words[i][0] : &words[0][i])))
			return 1;
	for (int i = 0; i < threads; i++)
		if (pthread_join(thread[i], NULL))
			return 1;
	return 0;
}
