/* SPDX-License-Identifier: MIT */
/* kernels NAME [EVENT-SELECT...]: runs a small kernel. Without event selects once, for callgrind;
 * with them once per two of them, on a Core 2's two general counters, and prints a line
 * "SELECT COUNT" for each, and "instructions COUNT" of the first run's fixed counter 0.
 * Uses the MSR devices and nothing of this project. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N (1u << 18)	/* 8-byte words: 2 MiB, in the L2 and far more than the L1 */

static double *a, *b, *c;
static uint64_t *table;
static volatile uint64_t sink;

void sum_kernel(void);
void triad_kernel(void);
void update_kernel(void);
void branch_kernel(void);
void call_kernel(void);
void indirect_kernel(void);
void crossing_kernel(void);
uint64_t fibonacci(uint64_t n);

__attribute__((noinline)) void sum_kernel(void)
{
	uint64_t sum = 0;

	for (int r = 0; r < 4; r++)
		for (uint32_t i = 0; i < N; i++)
			sum += table[i];
	sink = sum;
}

__attribute__((noinline)) void triad_kernel(void)
{
	for (int r = 0; r < 4; r++)
		for (uint32_t i = 0; i < N; i++)
			a[i] = b[i] + 3.0 * c[i];
}

/* Reads and writes the same word, in an order of no pattern. */
__attribute__((noinline)) void update_kernel(void)
{
	uint64_t x = 88172645463325252u;

	for (uint32_t i = 0; i < N; i++) {
		uint64_t *word;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		word = &table[x % N];
		*word = *word * 3 + x;
	}
}

/* Conditions that nothing can foresee, and loops that are. */
__attribute__((noinline)) void branch_kernel(void)
{
	uint64_t x = 88172645463325252u, n = 0;

	for (uint32_t i = 0; i < N; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		if (x & 1)
			__asm__ volatile("add $3, %0" : "+r"(n));
		if ((x & 6) == 2)
			__asm__ volatile("add $5, %0" : "+r"(n));
		if (i % 8 == 3)
			__asm__ volatile("add $7, %0" : "+r"(n));
	}
	sink = n;
}

__attribute__((noinline)) uint64_t fibonacci(uint64_t n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__attribute__((noinline)) void call_kernel(void)
{
	sink = fibonacci(25);
}

static __attribute__((noinline)) uint64_t plus_one(uint64_t x) { return x + 1; }
static __attribute__((noinline)) uint64_t times_three(uint64_t x) { return x * 3; }
static __attribute__((noinline)) uint64_t rotated(uint64_t x) { return x << 7 | x >> 57; }

__attribute__((noinline)) void indirect_kernel(void)
{
	static uint64_t (*volatile const functions[])(uint64_t) = {
		plus_one, times_three, rotated, plus_one,
	};
	uint64_t x = 1;

	for (uint32_t i = 0; i < N; i++)
		x = functions[i % 4](x);
	sink = x;
}

/* A loop of four instructions, of which the second lies on two pages. */
__attribute__((noinline)) void crossing_kernel(void)
{
	uint64_t n = N, x = 0, y;

	__asm__ volatile("jmp 1f\n\t"
			 ".p2align 12\n\t"
			 ".fill 4096 - 8, 1, 0x90\n"
			 "1:\tadd $1, %1\n\t"
			 "movabs $0x1122334455667788, %2\n\t"
			 "dec %0\n\t"
			 "jnz 1b"
			 : "+r" (n), "+r" (x), "=r" (y) : : "cc");
	sink = x + y;
}

struct kernel { const char *name; void (*run)(void); };

static const struct kernel kernels[] = {
	{ "sum", sum_kernel }, { "triad", triad_kernel }, { "update", update_kernel },
	{ "branch", branch_kernel }, { "call", call_kernel }, { "indirect", indirect_kernel },
	{ "crossing", crossing_kernel },
};

static void prepare(void)
{
	a = aligned_alloc(64, N * sizeof(*a));
	b = aligned_alloc(64, N * sizeof(*b));
	c = aligned_alloc(64, N * sizeof(*c));
	table = aligned_alloc(64, N * sizeof(*table));
	if (!a || !b || !c || !table)
		exit(1);
	for (uint32_t i = 0; i < N; i++) {
		a[i] = b[i] = c[i] = i;
		table[i] = i;
	}
}

/* ---- SDM 18.4: Core 2's counters ---- */

enum { PMC = 0xc1, SELECT = 0x186, FIXED = 0x309, FIXED_CTRL = 0x38d, GLOBAL_CTRL = 0x38f };
#define USER_AND_ENABLE 0x410000u

static int msr;

static void write_msr(uint32_t address, uint64_t value)
{
	if (pwrite(msr, &value, sizeof(value), address) == sizeof(value))
		return;
	fprintf(stderr, "kernels: MSR 0x%x: %s\n", address, strerror(errno));
	exit(1);
}

static uint64_t read_msr(uint32_t address)
{
	uint64_t value;

	if (pread(msr, &value, sizeof(value), address) == sizeof(value))
		return value;
	fprintf(stderr, "kernels: MSR 0x%x: %s\n", address, strerror(errno));
	exit(1);
}

static void open_msr(void)
{
	char path[64];
	cpu_set_t one;
	int cpu = sched_getcpu();

	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	msr = sched_setaffinity(0, sizeof(one), &one) ? -1 : open(path, O_RDWR);
	if (msr >= 0)
		return;
	fprintf(stderr, "kernels: %s: %s\n", path, strerror(errno));
	exit(1);
}

static void measure(const struct kernel *k, char **selects, int count, int first)
{
	write_msr(GLOBAL_CTRL, 0);
	write_msr(FIXED_CTRL, 2);
	write_msr(FIXED, 0);
	for (int i = 0; i < count; i++) {
		uint64_t select = strtoull(selects[i], NULL, 16);

		write_msr(PMC + (uint32_t)i, 0);
		write_msr(SELECT + (uint32_t)i, select | USER_AND_ENABLE);
	}
	write_msr(GLOBAL_CTRL, 1ull << 32 | ((1ull << count) - 1));
	k->run();
	write_msr(GLOBAL_CTRL, 0);
	if (first)
		printf("instructions %llu\n", (unsigned long long)read_msr(FIXED));
	for (int i = 0; i < count; i++) {
		printf("%s %llu\n", selects[i],
		       (unsigned long long)read_msr(PMC + (uint32_t)i));
		write_msr(SELECT + (uint32_t)i, 0);
	}
}

int main(int argc, char **argv)
{
	const struct kernel *k = NULL;

	for (size_t i = 0; argc > 1 && i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if (!strcmp(kernels[i].name, argv[1]))
			k = &kernels[i];
	if (!k) {
		fputs("kernels NAME [EVENT-SELECT...]\n", stderr);
		return 2;
	}
	prepare();
	if (argc == 2) {
		k->run();
		return 0;
	}
	open_msr();
	for (int i = 2; i < argc; i += 2)
		measure(k, argv + i, argc - i > 1 ? 2 : 1, i == 2);
	return 0;
}
