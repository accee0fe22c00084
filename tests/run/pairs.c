/* SPDX-License-Identifier: MIT */
/* pairs NAME: one of two programs that differ in one known effect, the fast one or the slow one.
 * Each does little, because a virtual machine executes it. Compiled with PROGRAM, a name, it is
 * that one, whatever its arguments are. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER = 64, PITCH = 512, NODES = 1 << 15, BYTES = 1 << 13, ADDS = 50000 };

/* A column of b is in one set of the L1. */
static double a[ORDER][ORDER], b[ORDER][PITCH], c[ORDER][ORDER];
static uint32_t next[NODES];
static unsigned char bytes[BYTES];
static volatile long counters[64] __attribute__((aligned(64)));
static volatile double sink;
static long stride;

#ifdef HARMLESS
/* Moves what the linker places behind it. */
__attribute__((used)) static int unused_function(int x)
{
	return x * 3 + ORDER;
}
#endif

static uint32_t random_number(void)
{
	static uint32_t x = 1;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

/* Pages that nobody has written are one page of zeros. */
static void fill(void)
{
	for (int i = 0; i < ORDER; i++)
		for (int j = 0; j < ORDER; j++)
			a[i][j] = b[i][j] = i + j;
}

static void rows(void)
{
	fill();
	for (int i = 0; i < ORDER; i++)
		for (int k = 0; k < ORDER; k++)
			for (int j = 0; j < ORDER; j++)
				c[i][j] += a[i][k] * b[k][j];
}

static void columns(void)
{
	fill();
	for (int i = 0; i < ORDER; i++)
		for (int j = 0; j < ORDER; j++)
			for (int k = 0; k < ORDER; k++)
				c[i][j] += a[i][k] * b[k][j];
}

/* The same work to make either list: a permutation that is one cycle. */
static void walk(int shuffled)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < NODES; i++)
		next[i] = i;
	for (uint32_t i = NODES - 1; i > 0; i--) {
		uint32_t any = random_number() % i, j = shuffled ? any : i - 1;
		uint32_t old = next[i];

		next[i] = next[j];
		next[j] = old;
	}
	for (int i = 0; i < 4 * NODES; i++)
		at = next[at];
	sink = at;
}

static void branches(int shuffled)
{
	long sum = 0;

	for (unsigned int i = 0; i < BYTES; i++) {
		uint32_t any = random_number();

		bytes[i] = (unsigned char)(shuffled ? any : i * 256 / BYTES);
	}
	for (int n = 0; n < 30; n++)
		for (int i = 0; i < BYTES; i++)
			if (bytes[i] >= 128) {
				sum += bytes[i];
				__asm__ volatile("");
			}
	sink = (double)sum;
}

static void *count(void *number)
{
	volatile long *mine = &counters[*(long *)number * stride];

	for (int i = 0; i < ADDS; i++)
		++*mine;
	return NULL;
}

static void threads(long distance)
{
	static long numbers[] = { 0, 1 };
	pthread_t other;

	stride = distance;
	pthread_create(&other, NULL, count, &numbers[1]);
	count(&numbers[0]);
	pthread_join(other, NULL);
}

static void adds(int n)
{
	for (int i = 0; i < n; i++)
		sink += i;
}

/* As many additions in one chain as in four. */
static void chains(int one)
{
	long turns = 4L * ADDS;

	if (one)
		__asm__ volatile("1: addsd %%xmm4, %%xmm0; addsd %%xmm4, %%xmm0\n\t"
				 "addsd %%xmm4, %%xmm0; addsd %%xmm4, %%xmm0\n\t"
				 "dec %0; jnz 1b" : "+r"(turns)
				 : : "xmm0", "xmm4", "cc");
	else
		__asm__ volatile("1: addsd %%xmm4, %%xmm0; addsd %%xmm4, %%xmm1\n\t"
				 "addsd %%xmm4, %%xmm2; addsd %%xmm4, %%xmm3\n\t"
				 "dec %0; jnz 1b" : "+r"(turns)
				 : : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "cc");
}

int main(int argc, char **argv)
{
#ifdef PROGRAM
	const char *name = PROGRAM;

	(void)argc, (void)argv;
#else
	const char *name = argc > 1 ? argv[1] : "";
#endif

	if (!strcmp(name, "rows"))
		rows();
	else if (!strcmp(name, "columns"))
		columns();
	else if (!strcmp(name, "array") || !strcmp(name, "list"))
		walk(*name == 'l');
	else if (!strcmp(name, "sorted") || !strcmp(name, "random"))
		branches(*name == 'r');
	else if (!strcmp(name, "padded") || !strcmp(name, "shared"))
		threads(*name == 's' ? 1 : 8);
	else if (!strcmp(name, "few") || !strcmp(name, "many"))
		adds(*name == 'm' ? 12 * ADDS : 10 * ADDS);
	else if (!strcmp(name, "four") || !strcmp(name, "one"))
		chains(*name == 'o');
	else
		return 2;
	return 0;
}
