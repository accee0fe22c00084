/* SPDX-License-Identifier: MIT */
/* memory read|write HOME-CPU WORK-CPU OTHER-CPU: one thread fills 64 MiB on HOME-CPU, then the
 * array is read, or read and written, on WORK-CPU. Prints what the M-Boxes of the packages of
 * HOME-CPU and OTHER-CPU counted meanwhile, both boxes together, "home|other EVENT COUNT".
 * Registers: Xeon 7500 uncore guide 323535 through the MSR device; nothing of this project. */
#include "itself.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS (8u << 20)

enum { U_CTL = 0xc00, M_CTL = 0xca0, M_FVC = 0xcab, M_CNT_CTL = 0xcb0, M_CNT = 0xcb1,
       BOX_STRIDE = 0x40 };

static const struct { const char *name; uint64_t inc_sel; } events[] = {
	{ "reads", 0x0d }, { "commands", 0x1a }, { "hits", 0x14 }, { "misses", 0x13 },
	{ "empty", 0x15 },
};
#define EVENTS (sizeof(events) / sizeof(events[0]))

static volatile uint64_t sink;

static int open_msr(int cpu)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	fd = open(path, O_RDWR);
	if (fd < 0)
		fail(path);
	return fd;
}

static void write_msr(int fd, uint32_t address, uint64_t value)
{
	if (pwrite(fd, &value, sizeof(value), address) != sizeof(value))
		fail("write of an MSR");
}

static uint64_t read_msr(int fd, uint32_t address)
{
	uint64_t value;

	if (pread(fd, &value, sizeof(value), address) != sizeof(value))
		fail("read of an MSR");
	return value;
}

static void set_up(int fd)
{
	write_msr(fd, U_CTL, 1u << 29);
	for (uint32_t box = 0; box < 2 * BOX_STRIDE; box += BOX_STRIDE) {
		write_msr(fd, M_FVC + box, 5u << 11);	/* evnt0: B-Box command 0, reads */
		for (uint32_t i = 0; i < EVENTS; i++) {
			write_msr(fd, M_CNT_CTL + box + 2 * i, events[i].inc_sel << 9 | 1);
			write_msr(fd, M_CNT + box + 2 * i, 0);
		}
		write_msr(fd, M_CTL + box, (1u << EVENTS) - 1);
	}
}

static void report(int fd, const char *whose)
{
	for (uint32_t i = 0; i < EVENTS; i++)
		printf("%s %s %llu\n", whose, events[i].name, (unsigned long long)
		       (read_msr(fd, M_CNT + 2 * i) + read_msr(fd, M_CNT + BOX_STRIDE + 2 * i)));
}

static void work(uint64_t *words, int write)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < WORDS; i++) {
		sum += words[i];
		if (write)
			words[i] = sum;
	}
	sink = sum;
}

int main(int argc, char **argv)
{
	uint64_t *words = aligned_alloc(1u << 21, WORDS * sizeof(*words));
	int home, other;

	if (argc != 5 || !words)
		return 2;
	home = open_msr(atoi(argv[2]));
	other = open_msr(atoi(argv[4]));
	move_to(atoi(argv[2]));
	for (uint32_t i = 0; i < WORDS; i++)
		words[i] = i;
	move_to(atoi(argv[3]));
	set_up(home);
	set_up(other);
	write_msr(home, U_CTL, 1u << 28);
	write_msr(other, U_CTL, 1u << 28);
	work(words, !strcmp(argv[1], "write"));
	write_msr(home, U_CTL, 0);
	write_msr(other, U_CTL, 0);
	report(home, "home");
	report(other, "other");
	return 0;
}
