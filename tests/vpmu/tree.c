// SPDX-License-Identifier: MIT
/* Calls functions in a tree, recursively, by pointers, and leaves them by jumps and signals. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#ifdef __clang__
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noclone))
#endif
static volatile long sink;
static jmp_buf jump;

KEEP void leaf(long n)
{
	for (long i = 0; i < n; i++)
		sink += i;
}

KEEP void mid(void)
{
	for (int i = 0; i < 100; i++)
		leaf(30);
}

KEEP void tail(void)
{
	sink++;
	mid();
}

KEEP long fib(long n)
{
	if (n < 2)
		return n;
	long a = fib(n - 1), b = fib(n - 2);
	sink++;
	return a + b;
}

KEEP long odd(long n);
KEEP long even(long n)
{
	if (!n)
		return 1;
	long x = odd(n - 1);
	sink += x;
	return x;
}

KEEP long odd(long n)
{
	if (!n)
		return 0;
	leaf(3);
	long x = even(n - 1);
	sink += x;
	return x;
}

KEEP void deep(int n)
{
	if (sink < 0)
		return;
	if (!n)
		longjmp(jump, 1);
	deep(n - 1);
	sink++;
}

KEEP void jumps(void)
{
	for (volatile int i = 0; i < 100; i++)
		if (!setjmp(jump))
			deep(10);
		else
			leaf(5);
}

KEEP void handler(int number)
{
	leaf(number);
}

KEEP void signals(void)
{
	signal(SIGUSR1, handler);
	for (int i = 0; i < 20; i++) {
		raise(SIGUSR1);
		leaf(1);
	}
}

KEEP void by(void (*f)(void))
{
	f();
	sink++;
}

int main(void)
{
	for (int i = 0; i < 5; i++) {
		mid();
		tail();
		by(mid);
	}
	sink += fib(18) + even(50);
	jumps();
	signals();
	return 0;
}
