/* SPDX-License-Identifier: MIT */
/* Lesson 2 of docs/caches.md: two threads, each with a counter of its own.
 *
 *   cc -O2 -pthread sharing.c -o sharing
 *   ./sharing near      both counters are in one line of 64 bytes
 *   ./sharing apart     each is in a line of its own
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 100000

static struct {
	_Alignas(64) volatile long counter[2];
} near;
static struct {
	_Alignas(64) volatile long counter;
} apart[2];

static void *count(void *counter)
{
	for (int i = 0; i < ROUNDS; i++)
		++*(volatile long *)counter;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[2];
	volatile long *counter[2];

	if (argc != 2 || (strcmp(argv[1], "near") && strcmp(argv[1], "apart"))) {
		fprintf(stderr, "usage: sharing near|apart\n");
		return 1;
	}
	for (int i = 0; i < 2; i++) {
		counter[i] = argv[1][0] == 'n' ? &near.counter[i] : &apart[i].counter;
		if (pthread_create(&thread[i], NULL, count, (void *)counter[i])) {
			fprintf(stderr, "cannot create a thread\n");
			return 1;
		}
	}
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	printf("%ld and %ld\n", *counter[0], *counter[1]);
	return 0;
}
