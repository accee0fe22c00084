// SPDX-License-Identifier: MIT
/* Counts between SPFLT instructions on Knights Corner, and compares RDTSC with its register. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { TSC = 0x10, COUNTER = 0x20, SELECT = 0x28, SPFLT = 0x2c, GLOBAL_CTRL = 0x2f };
#define INSTRUCTIONS_EXECUTED 0x16
#define USR (1u << 16)
#define EN (1u << 22)

static int msr;

static void put(off_t address, uint64_t value)
{
	if (pwrite(msr, &value, sizeof(value), address) != sizeof(value))
		exit(9);
}

static uint64_t get(off_t address)
{
	uint64_t value;

	if (pread(msr, &value, sizeof(value), address) != sizeof(value))
		exit(8);
	return value;
}

static uint64_t rdtsc(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* VEX.128.F2.0F AE /6: SPFLT EAX, a thousand rounds of two instructions, SPFLT R9 in the long
 * form. */
static unsigned long long bracket(uint64_t first, uint64_t last)
{
	uint64_t n = 1000, before = get(COUNTER);
	register uint64_t ninth __asm__("r9") = last;

	__asm__ volatile(".byte 0xc5, 0xfb, 0xae, 0xf0\n1: dec %0; jnz 1b\n"
			 ".byte 0xc4, 0xc1, 0xfb, 0xae, 0xf1"
			 : "+r"(n) : "a"(first), "r"(ninth) : "cc");
	return get(COUNTER) - before;
}

int main(int argc, char **argv)
{
	uint64_t before, between, after;

	(void)argv;
	if (argc > 1)
		__asm__ volatile(".byte 0xc5, 0xfb, 0xae, 0xf0" : : "a"(1));
	msr = open("/dev/cpu/0/msr", O_RDWR);
	put(SELECT, EN | USR | INSTRUCTIONS_EXECUTED);
	put(SPFLT, 1);			/* counter 0 obeys, and the preference is off */
	put(GLOBAL_CTRL, 1);
	printf("%llu", bracket(0, 0));
	printf(" %llu", bracket(1, 0));
	printf(" %llu", bracket(0xfffffffe, 0));	/* bit 0 alone matters */
	printf(" %llx", (unsigned long long)get(SPFLT));
	bracket(0, 1);
	printf(" %llx\n", (unsigned long long)get(SPFLT));
	put(TSC, UINT64_C(1) << 50);
	before = rdtsc();
	between = get(TSC);
	after = rdtsc();
	printf("%d %d %d\n", before >= UINT64_C(1) << 50, before < between, between < after);
	before = rdtsc();
	for (volatile int i = 0; i < 1000; i++)
		;
	printf("%llu\n", (unsigned long long)(rdtsc() - before));
	between = get(TSC);
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	before = rdtsc();
	after = get(TSC);
	printf("%d %d\n", before - between >= 50000000, after - before < 1000000);
	return 0;
}
