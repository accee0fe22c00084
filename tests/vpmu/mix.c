// SPDX-License-Identifier: MIT
/* Uses all kinds of accesses, threads that share a line, faults and, with an argument, a fork. */
#include <emmintrin.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (1 << 18)

static char a[BYTES], b[BYTES];
static struct { volatile long x, y; } both __attribute__((aligned(64)));
static double d[10000];
static float f[10000];
static sigjmp_buf back;
static volatile char *volatile nowhere = (char *)8;

static void *first(void *unused)
{
	for (int i = 0; i < 5000; i++)
		both.x++;
	return unused;
}

static void *second(void *unused)
{
	for (int i = 0; i < 5000; i++)
		both.y++;
	__atomic_fetch_add(&both.x, 1, __ATOMIC_SEQ_CST);
	return unused;
}

static void copy(void *to, const void *from, size_t n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) :: "memory");
}

static void faulted(int number)
{
	siglongjmp(back, number);
}

static void fault(void)
{
	signal(SIGSEGV, faulted);
	for (volatile int i = 0; i < 3; i++)
		if (!sigsetjmp(back, 1))
			a[1] = (char)(a[1] + a[2] + *nowhere);
}

static void work(void)
{
	pthread_t t[2];

	copy(a, b, 5000);
	copy(a + 7, b + 3, 0);
	memset(a, 1, BYTES);
	for (int i = 0; i < BYTES; i += 16)
		_mm_stream_si128((void *)(b + i), _mm_set1_epi8(3));
	_mm_stream_si128((void *)b, _mm_set1_epi8(3));	/* a part of a line */
	_mm_sfence();
	for (int i = 0; i < BYTES; i += 256) {
		_mm_prefetch(a + i, _MM_HINT_T0);
		_mm_prefetch(b + i, _MM_HINT_T2);
	}
	for (int i = 1; i < 10000; i++)
		d[i] = d[i - 1] * 1.5 + a[i * 7 % 4096] / 3.0;
	for (int i = 1; i < 10000; i++)
		f[i] = f[i] * 1.5f + b[i];
	*(long *)(a + 61) += 3;			/* in two lines */
	fault();
	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

int main(int argc, char **argv)
{
	(void)argv;
	work();
	if (argc > 1 && !fork()) {
		work();
		_exit(0);
	}
	wait(NULL);
	return 0;
}
