/* SPDX-License-Identifier: MIT */
/* overflow COUNTER GLOBAL OVF_EN TAKERS: lets a counter of Skylake's uncore (cbo, arb or fixed)
 * overflow while memory is read, and prints
 *
 *   COUNTER GLOBAL OVF_EN TAKERS early E... taken T... status S global G counter C beside B
 *
 * GLOBAL is what goes into MSR_UNC_PERF_GLOBAL_CTRL, hexadecimal. TAKERS are CPUs, a bit each,
 * hexadecimal, that are let take the uncore's interrupt (IA32_DEBUGCTL). T: the NMIs that each CPU
 * has had, by /proc/interrupts; E: the same before a register was read. The counter starts AHEAD
 * before it wraps; B is what its neighbour, which starts at 0, has counted of the same event.
 *
 * The kernel has no driver that would take the interrupt on this machine, and masks the local
 * APIC's entry, which is unmasked through /dev/mem here: as an NMI, as a driver has it. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define AHEAD 1000u
#define LINES 147456u	/* 9 MiB, which no cache here has room for */
#define CPUS_MAX 64

#define APIC 0xfee00000u
#define APIC_PERFORMANCE 0x340u
#define MASKED 0x10000u
#define NMI 0x400u

#define GLOBAL_CTRL 0xe01u
#define GLOBAL_STATUS 0xe02u
#define DEBUGCTL 0x1d9u
#define ENABLE_UNCORE_PMI 0x2000u
#define EN 0x400000u
#define OVF_EN 0x100000u

/* 334060-001 tables 2-4 to 2-12: of two counters alike the first one overflows. */
static const struct counter {
	const char *name;
	uint32_t select, value, beside_select, beside, event, width;
} counters[] = {
	{ "cbo", 0x700, 0x706, 0x701, 0x707, 0x8f34, 44 },	/* CACHE_LOOKUP.ANY_MESI */
	{ "arb", 0x3b2, 0x3b0, 0x3b3, 0x3b1, 0x0181, 44 },	/* TRK_REQUESTS.ALL */
	{ "fixed", 0x394, 0x395, 0, 0, 0, 48 },
};

static int ncpus;

static void fail(const char *what)
{
	fprintf(stderr, "overflow: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int msr_open(int cpu)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	fd = open(path, O_RDWR);
	if (fd < 0)
		fail(path);
	return fd;
}

static uint64_t rd(int fd, uint32_t address)
{
	uint64_t value;

	if (pread(fd, &value, sizeof(value), address) != sizeof(value))
		fail("a read of a register");
	return value;
}

static void wr(int fd, uint32_t address, uint64_t value)
{
	if (address && pwrite(fd, &value, sizeof(value), address) != sizeof(value))
		fail("a write of a register");
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("a CPU");
}

/* Each CPU sees its own APIC there. */
static void set_entries(uint32_t value)
{
	int memory = open("/dev/mem", O_RDWR | O_SYNC);
	volatile uint32_t *apic = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory,
				       APIC);

	if (memory < 0 || apic == MAP_FAILED)
		fail("/dev/mem");
	for (int cpu = 0; cpu < ncpus; cpu++) {
		run_on(cpu);
		apic[APIC_PERFORMANCE / sizeof(*apic)] = value;
	}
	run_on(0);
	munmap((void *)apic, 4096);
	close(memory);
}

static void set_takers(uint64_t takers)
{
	for (int cpu = 0; cpu < ncpus; cpu++) {
		int fd = msr_open(cpu);

		wr(fd, DEBUGCTL, takers >> cpu & 1 ? ENABLE_UNCORE_PMI : 0);
		close(fd);
	}
}

static void count_nmis(long n[CPUS_MAX])
{
	char line[4096];
	FILE *f = fopen("/proc/interrupts", "r");

	if (!f)
		fail("/proc/interrupts");
	while (fgets(line, sizeof(line), f)) {
		char *at = strstr(line, "NMI:");

		if (!at)
			continue;
		at += 4;
		for (int cpu = 0; cpu < ncpus; cpu++)
			n[cpu] = strtol(at, &at, 10);
	}
	fclose(f);
}

static void print_nmis(const char *name, const long before[CPUS_MAX])
{
	long now[CPUS_MAX] = { 0 };

	count_nmis(now);
	printf(" %s", name);
	for (int cpu = 0; cpu < ncpus; cpu++)
		printf(" %ld", now[cpu] - before[cpu]);
}

static void read_memory(void)
{
	volatile uint64_t *lines = mmap(NULL, LINES * 64, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (lines == MAP_FAILED)
		fail("memory");
	for (uint32_t i = 0; i < LINES; i++)
		(void)lines[8 * i];
	munmap((void *)lines, LINES * 64);
}

static void start(int fd, const struct counter *c, uint64_t global, bool forwards)
{
	wr(fd, GLOBAL_CTRL, 0);
	wr(fd, GLOBAL_STATUS, 0xb);
	wr(fd, c->value, (UINT64_C(1) << c->width) - AHEAD);
	wr(fd, c->beside, 0);
	wr(fd, c->select, c->event | EN | (forwards ? OVF_EN : 0));
	wr(fd, c->beside_select, c->event | EN);
	wr(fd, GLOBAL_CTRL, global);
}

/* Prints, and leaves everything off. */
static void stop(int fd, const struct counter *c)
{
	printf(" status %llx global %llx", (unsigned long long)rd(fd, GLOBAL_STATUS),
	       (unsigned long long)rd(fd, GLOBAL_CTRL));
	wr(fd, GLOBAL_CTRL, 0);
	printf(" counter %llu beside %llu\n", (unsigned long long)rd(fd, c->value),
	       c->beside ? (unsigned long long)rd(fd, c->beside) : 0);
	wr(fd, c->select, 0);
	wr(fd, c->beside_select, 0);
	wr(fd, c->value, 0);
	wr(fd, c->beside, 0);
	wr(fd, GLOBAL_STATUS, 0xb);
}

int main(int argc, char **argv)
{
	const struct counter *c = counters;
	long before[CPUS_MAX] = { 0 };
	int fd;

	ncpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	if (argc != 5 || ncpus > CPUS_MAX)
		return 2;
	while (c < counters + 2 && strcmp(c->name, argv[1]))
		c++;
	run_on(0);
	fd = msr_open(0);
	set_takers(strtoull(argv[4], NULL, 16));
	set_entries(NMI);
	count_nmis(before);
	start(fd, c, strtoull(argv[2], NULL, 16), atoi(argv[3]));
	read_memory();
	printf("%s %s %s %s", argv[1], argv[2], argv[3], argv[4]);
	print_nmis("early", before);
	rd(fd, GLOBAL_STATUS);
	print_nmis("taken", before);
	stop(fd, c);
	set_entries(NMI | MASKED);
	set_takers(0);
	return 0;
}
