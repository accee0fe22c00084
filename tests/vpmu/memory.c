// SPDX-License-Identifier: MIT
/* Reads and writes variables and allocated blocks of known sizes. */
#include <stdlib.h>
#include <string.h>

#define BYTES (8 << 20)
static char table[BYTES] __attribute__((aligned(4096)));
static char small[4096] __attribute__((aligned(64)));
static volatile long sum;

__attribute__((noinline)) static void read_all(const volatile char *p, long bytes)
{
	for (long i = 0; i < bytes; i += 64)
		sum += p[i];
}

__attribute__((noinline)) static void write_all(volatile char *p, long bytes)
{
	for (long i = 0; i < bytes; i += 64)
		p[i] = 1;
}

int main(void)
{
	char *block;
	void *aligned;

	read_all(table, BYTES);
	read_all(small, sizeof(small));
	block = malloc(BYTES);		/* mapped memory, inside of malloc() */
	write_all(block, BYTES);
	free(block);
	for (int i = 0; i < 7; i++)
		if (posix_memalign(&aligned, 64, 64 * 1000))
			return 1;
	write_all(aligned, 64 * 1000);
	block = calloc(50, 20);
	block = realloc(block, 3000);
	free(block);
	return 0;
}
