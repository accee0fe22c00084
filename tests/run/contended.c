/* SPDX-License-Identifier: MIT */
/* contended THREADS INCREMENTS LINES: each thread makes as many increments of a word of its own.
 * LINES: 0, all words are in one line; 1, each has a line of its own. */
#include <pthread.h>
#include <stdlib.h>

static volatile long words[8][8] __attribute__((aligned(64)));
static long increments;

static void *increment(void *word)
{
	for (long i = 0; i < increments; i++)
		++*(volatile long *)word;
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc == 4 ? atoi(argv[1]) : 0, lines = threads ? atoi(argv[3]) : 0;
	pthread_t thread[8];

	if (threads < 1 || threads > 8)
		return 2;
	increments = atol(argv[2]);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, increment,
				   (void *)(lines ? &words[i][0] : &words[0][i])))
			return 1;
	for (int i = 0; i < threads; i++)
		if (pthread_join(thread[i], NULL))
			return 1;
	return 0;
}
