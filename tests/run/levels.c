/* SPDX-License-Identifier: MIT */
/* Sweeps over lines, without a C library, so that hardly anything else takes clocks: a load of each
 * line, by addresses that are known ("independent"), or each by what the one before has loaded
 * ("chase"). levels independent|chase LINES SWEEPS; LINES is a power of two, at least 8. */
#define MOST (1 << 17)
#define STRIDE 77	/* between the lines of a chase: odd, so that it comes to all of them */

static struct line { struct line *next; char rest[56]; } lines[MOST] __attribute__((aligned(4096)));

static long number(const char *text)
{
	long n = 0;

	while (*text)
		n = n * 10 + *text++ - '0';
	return n;
}

/* 11 instructions for 8 lines. */
static void independent(long count, long sweeps)
{
	while (sweeps--) {
		const struct line *at = lines;
		long n = count / 8;

		__asm__ volatile("1: .set offset, 0\n\t"
				 ".rept 8\n\tmov offset(%0), %%rax\n\t"
				 ".set offset, offset + 64\n\t.endr\n\t"
				 "add $512, %0\n\tdec %1\n\tjnz 1b"
				 : "+r"(at), "+r"(n) : : "rax", "cc", "memory");
	}
}

/* 10 instructions for 8 lines. */
static void chase(long count, long sweeps)
{
	const struct line *at = lines;
	long n = count / 8 * sweeps;

	for (long i = 0; i < count; i++)
		lines[i].next = &lines[(i + STRIDE) % count];
	__asm__ volatile("1: .rept 8\n\tmov (%0), %0\n\t.endr\n\tdec %1\n\tjnz 1b"
			 : "+r"(at), "+r"(n) : : "cc", "memory");
}

__attribute__((used)) static int start(const long *stack)
{
	const char *const *argv = (const char *const *)(stack + 1);
	long count, sweeps;

	if (stack[0] != 4)
		return 2;
	count = number(argv[2]), sweeps = number(argv[3]);
	if (count < 8 || count > MOST || (count & (count - 1)))
		return 2;
	(argv[1][0] == 'c' ? chase : independent)(count, sweeps);
	return 0;
}

__asm__(".globl _start\n_start: mov %rsp, %rdi\n\tand $-16, %rsp\n\tcall start\n\t"
	"mov %eax, %edi\n\tmov $60, %eax\n\tsyscall\n");

