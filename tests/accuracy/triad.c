// SPDX-License-Identifier: MIT
/* A loop of instructions, and a triad of arrays. */
enum { N = 1000000, TIMES = 2 };
static double a[N], b[N], c[N];

int main(void)
{
	long turns = 10000000;

	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(turns));
	for (long i = 0; i < N; i++) {
		a[i] = 1;
		b[i] = 2;
		c[i] = 3;
	}
	for (int t = 0; t < TIMES; t++)
		for (long i = 0; i < N; i++) {
			a[i] = b[i] + 1.5 * c[i];
			__asm__ volatile("" ::: "memory");
		}
	return a[N - 1] != 6.5;
}
