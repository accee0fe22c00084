// SPDX-License-Identifier: MIT
/* Two threads write two words of one line, or of two lines with -DPADDED. */
#include <pthread.h>

#ifdef PADDED
static struct { volatile long reads; char pad[56]; volatile long writes; } stats
#else
static struct { volatile long reads, writes; } stats
#endif
	__attribute__((aligned(64)));

static void *reader(void *unused)
{
	for (long i = 0; i < 100000; i++)
		stats.reads++;
	return unused;
}
static void *writer(void *unused)
{
	for (long i = 0; i < 100000; i++)
		stats.writes++;
	return unused;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], 0, reader, 0);
	pthread_create(&t[1], 0, writer, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
