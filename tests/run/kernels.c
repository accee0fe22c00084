/* SPDX-License-Identifier: MIT */
/* Programs of which arithmetic says what they execute: without a C library, so that nothing runs
 * but this. kernels WHAT: one letter, as below; then the status is 0. */
#define LINES 32768			/* 2 MiB: more than the caches of its machine */
#define DOUBLES (LINES * 8)
#define SWEEPS 2
#define ORDER 64			/* of the matrices: 96 KiB, all of which fit */
#define ROUNDS 100000
#define APART 300			/* rounds of two instructions: longer than memory takes */
#define NEAR 6				/* fewer than a line takes when they come in a row */

static double from[DOUBLES] __attribute__((aligned(4096)));
static double to[DOUBLES] __attribute__((aligned(4096)));
static double a[ORDER][ORDER], b[ORDER][ORDER], c[ORDER][ORDER];

/* Each sweep reads both arrays, as a store fetches its line first, and writes one. */
static void copy(void)
{
	for (int sweep = 0; sweep < SWEEPS; sweep++)
		for (int i = 0; i < DOUBLES; i++)
			*(volatile double *)&to[i] = *(volatile const double *)&from[i];
}

/* Each sweep accesses each line once. The next address depends on the last value, which is 0. The
 * multiplier makes the chain visit all lines before it repeats one. */
static unsigned chase(void)
{
	const unsigned long *lines = (const unsigned long *)(const void *)from;
	unsigned long at = 0;

	for (int i = 0; i < SWEEPS * LINES; i++)
		at = (at * 1664525 + 1013904223 + *(volatile const unsigned long *)&lines[at * 8]) %
		     LINES;
	return at > LINES;
}

/* The same in order of the addresses. */
static void sweep(void)
{
	for (int n = 0; n < SWEEPS; n++)
		for (int i = 0; i < DOUBLES; i += 8)
			(void)*(volatile const double *)&from[i];
}

/* Misses with so many rounds of two instructions behind each. */
static void isolated(int lines, long rounds)
{
	for (int i = 0; i < lines; i++) {
		long n = rounds;

		(void)*(volatile const double *)&from[i * 8];
		__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
	}
}

/* Each element of the three matrices is brought once. */
static void multiply(void)
{
	__asm__ volatile("" : : "r"(a), "r"(b), "r"(c) : "memory");	/* they may be anything */
	for (int i = 0; i < ORDER; i++)
		for (int k = 0; k < ORDER; k++)
			for (int j = 0; j < ORDER; j++)
				c[i][j] += a[i][k] * b[k][j];
}

/* Two instructions on two doubles, one on one, one loop branch a round. */
static void vectors(void)
{
	long n = ROUNDS;

	__asm__ volatile("1: addpd %%xmm1, %%xmm0\n\tmulpd %%xmm1, %%xmm2\n\t"
			 "addsd %%xmm1, %%xmm3\n\tdec %0\n\t"
			 "jnz 1b" : "+r"(n) : : "xmm0", "xmm1", "xmm2", "xmm3", "cc");
}

/* Three branches a round: one always taken but at the end, one never, and one that a generator of
 * bits takes in half of the cases, which nothing can foresee. */
static void branches(void)
{
	unsigned bits = 1;

	for (int i = 0; i < ROUNDS; i++) {
		bits ^= bits << 13;
		bits ^= bits >> 17;
		bits ^= bits << 5;
		__asm__ volatile("test %0, %0\n\tjz 1f\n\ttest $16, %0\n\tjz 1f\n\tnop\n1:"
				 : : "r"(bits) : "cc");
	}
}

__attribute__((used)) static int start(const long *stack)
{
	const char *const *argv = (const char *const *)(stack + 1);

	switch (argv[1] ? argv[1][0] : 0) {
	case 'c': copy(); return 0;
	case 'p': return (int)chase();
	case 's': sweep(); return 0;
	case 'm': multiply(); return 0;
	case 'v': vectors(); return 0;
	case 'b': branches(); return 0;
	case 'i': isolated(LINES / 8, APART); return 0;	/* one is over long before the next */
	case 'n': isolated(LINES, NEAR); return 0;
	case 'e': return 0;		/* empty */
	default: return 1;
	}
}

__asm__(".globl _start\n_start: mov %rsp, %rdi\n\tand $-16, %rsp\n\tcall start\n\t"
	"mov %eax, %edi\n\tmov $60, %eax\n\tsyscall\n");
