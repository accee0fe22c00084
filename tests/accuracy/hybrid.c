/* SPDX-License-Identifier: MIT */
/* hybrid adl|mtl|lnl|none read|write|random LINES CPU...: goes over an array of so many lines,
 * twice, on one CPU after the other, or 500,000 times somewhere in it. Prints what a hybrid
 * processor's uncore counted meanwhile, "NAME COUNT", of all boxes of a kind together. Registers:
 * Linux uncore_snb.c through the MSR device and /dev/mem; nothing of this project. */
#include "itself.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BAR UINT64_C(0xfed10000)
#define MC1 0x10000
#define BEFORE 32768	/* lines: what the start has modified leaves the caches for them */

struct unit {
	const char *name;
	uint32_t select, counter, stride;	/* of the first box; 0: to the next */
	uint32_t boxes;				/* 0: as MSR 0x396 says */
	uint64_t value;
};

static const struct unit adl[] = {
	{ "lookups", 0x2000, 0x2002, 8, 0, 0x408f34 },
	{ "misses", 0x2001, 0x2003, 8, 0, 0x408834 },
	{ "occupancy", 0x2fd0, 0x2fd2, 8, 2, 0x400280 },
	{ "requests", 0x2fd1, 0x2fd3, 8, 2, 0x400281 },
	{ "clocks", 0x2fde, 0x2fdf, 0, 1, 0x400000 },
	{ NULL, 0x2ff0, 0, 0, 1, 0x20000000 }, { NULL, 0, 0, 0, 0, 0 },
};
static const struct unit mtl[] = {
	{ "lookups", 0x2442, 0x2448, 0x10, 0, 0x408f34 },
	{ "misses", 0x2443, 0x2449, 0x10, 0, 0x408834 },
	{ "occupancy", 0x2412, 0x2418, 0x10, 2, 0x400285 },
	{ "transactions", 0x2012, 0x2018, 0x10, 2, 0x40028a },
	{ "allocations", 0x2042, 0x2048, 0x10, 2, 0x400135 },
	{ "clocks", 0x2402, 0x2408, 0, 1, 0x400000 },
	{ "clocks-soc", 0x2002, 0x2008, 0, 1, 0x400000 },
	{ NULL, 0x240e, 0, 0, 1, 0x20000000 }, { NULL, 0x200e, 0, 0, 1, 0x20000000 },
	{ NULL, 0, 0, 0, 0, 0 },
};
static const struct unit lnl[] = { { NULL, 0, 0, 0, 0, 0 } };

static const struct { const char *name; const struct unit *units; } kinds[] = {
	{ "adl", adl }, { "mtl", mtl }, { "lnl", lnl },
};

static volatile uint64_t sink;
static const struct unit *units;
static volatile uint8_t *window;
static int msr = -1;

static uint64_t read_msr(uint32_t address)
{
	uint64_t value;

	if (pread(msr, &value, sizeof(value), address) != sizeof(value))
		fail("read of an MSR");
	return value;
}

static void write_msr(uint32_t address, uint64_t value)
{
	if (pwrite(msr, &value, sizeof(value), address) != sizeof(value))
		fail("write of an MSR");
}

static uint32_t boxes_of(const struct unit *u)
{
	return u->boxes ? u->boxes : (uint32_t)read_msr(0x396) & 0xf;
}

static volatile uint32_t *word(uint32_t offset) { return (volatile void *)(window + offset); }
static volatile uint64_t *quad(uint32_t offset) { return (volatile void *)(window + offset); }

/* Counters of memory: read and write commands, and the free-running one of reads. */
static void set_memory(uint32_t frozen, uint32_t reads, uint32_t writes)
{
	for (uint32_t mc = 0; mc <= MC1; mc += MC1) {
		*word(mc + 0xd9c4) = 1;
		*word(mc + 0xd9d0) = reads;
		*word(mc + 0xd9d4) = writes;
		*word(mc + 0xd9c4) = frozen;
	}
}

static void set_units(bool on)
{
	for (const struct unit *u = units; u->select; u++)
		for (uint32_t i = 0, n = boxes_of(u); i < n; i++)
			write_msr(u->select + i * u->stride, on ? u->value : 0);
}

static uint64_t free_running(void)
{
	return *quad(0xd858) + *quad(MC1 + 0xd858);
}

static void open_devices(void)
{
	int memory = open("/dev/mem", O_RDWR);
	void *p;

	msr = open("/dev/cpu/0/msr", O_RDWR);
	if (msr < 0 || memory < 0)
		fail("the devices");
	p = mmap(NULL, 0x20000, PROT_READ | PROT_WRITE, MAP_SHARED, memory, (off_t)BAR);
	if (p == MAP_FAILED)
		fail("the memory controller's window");
	window = p;
}

static void print(uint64_t reads)
{
	for (const struct unit *u = units; u->select; u++) {
		uint64_t sum = 0;

		for (uint32_t i = 0, n = boxes_of(u); u->name && i < n; i++)
			sum += read_msr(u->counter + i * u->stride);
		if (u->name)
			printf("%s %llu\n", u->name, (unsigned long long)sum);
	}
	printf("reads %llu\nwrites %llu\nfree %llu\n",
	       (unsigned long long)(*quad(0xd9e8) + *quad(MC1 + 0xd9e8)),
	       (unsigned long long)(*quad(0xd9f0) + *quad(MC1 + 0xd9f0)),
	       (unsigned long long)reads);
}

/* ---- work ---- */

__attribute__((noinline)) static void sweep(volatile uint64_t *array, size_t lines, bool write)
{
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < lines; i++)
			if (write)
				array[i * 8] = i;
			else
				sink += array[i * 8];
}

__attribute__((noinline)) static void wander(volatile uint64_t *array, size_t lines)
{
	uint64_t x = 88172645463325252u;

	for (int i = 0; i < 500000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		sink += array[x % lines * 8];
	}
}

static volatile uint64_t *array_of(size_t lines)
{
	void *p = mmap(NULL, lines * 64, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	if (p == MAP_FAILED)
		fail("mmap");
	return p;
}

static void work(const char *what, volatile uint64_t *array, size_t lines, char **cpus)
{
	for (; *cpus; cpus++) {
		if (units)
			move_to(atoi(*cpus));
		if (strcmp(what, "random") == 0)
			wander(array, lines);
		else
			sweep(array, lines, strcmp(what, "write") == 0);
	}
}

int main(int argc, char **argv)
{
	size_t lines = argc > 4 ? strtoul(argv[3], NULL, 10) : 0;
	volatile uint64_t *array;
	uint64_t reads;

	if (!lines)
		return 2;
	array = array_of(lines);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, argv[1]) == 0)
			units = kinds[i].units;
	if (!units) {
		work(argv[2], array, lines, argv + 4);
		return 0;
	}
	open_devices();
	sweep(array_of(BEFORE), BEFORE, false);
	set_memory(0, 0x22, 0x23);
	reads = free_running();
	set_units(true);
	work(argv[2], array, lines, argv + 4);
	reads = free_running() - reads;
	set_memory(1, 0x22, 0x23);
	set_units(false);	/* printing has misses of its own */
	print(reads);
	set_memory(0, 0, 0);
	return 0;
}
