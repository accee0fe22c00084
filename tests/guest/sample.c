/* SPDX-License-Identifier: MIT */
/* sample EVENT PERIOD LOOPS [unmask]: samples one of the kernel's generic hardware events (its
 * number) at user level on this CPU, while three functions loop with shares of 50, 30 and 20 %, and
 * prints
 *
 *   count C samples N first A second B third C other D
 *
 * unmask: after each sample the local APIC's performance entry is unmasked through /dev/mem. Linux'
 * driver for Knights Corner leaves that out, although the processor masks it at each interrupt. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096u
#define PAGES 256u
#define APIC 0xfee00000u
#define APIC_PERFORMANCE 0x340u
#define NMI 0x400u

#define FUNCTION(name) \
	__attribute__((noinline, aligned(4096))) static void name(long n) \
	{ \
		__asm__ volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(n)); \
	}
FUNCTION(first)
FUNCTION(second)
FUNCTION(third)

static volatile uint32_t *apic;

static void unmask(int signal_number)
{
	(void)signal_number;
	if (apic)
		apic[APIC_PERFORMANCE / sizeof(*apic)] = NMI;
}

static void fail(const char *what)
{
	fprintf(stderr, "sample: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void unmask_always(int fd)
{
	int memory = open("/dev/mem", O_RDWR | O_SYNC);
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, memory, APIC);

	if (memory < 0 || page == MAP_FAILED)
		fail("/dev/mem");
	apic = page;
	signal(SIGIO, unmask);
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETFL, O_ASYNC);
	unmask(0);
}

static int open_event(uint64_t event, uint64_t period)
{
	struct perf_event_attr a = {
		.size = sizeof(a), .type = PERF_TYPE_HARDWARE, .config = event, .disabled = 1,
		.sample_period = period, .sample_type = PERF_SAMPLE_IP, .exclude_kernel = 1,
		.wakeup_events = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &a, -1, sched_getcpu(), -1, 0);

	if (fd < 0)
		fail("perf_event_open");
	return fd;
}

static bool is_in(uint64_t address, void (*function)(long))
{
	return address - (uint64_t)(uintptr_t)function < PAGE;
}

static void tell(const struct perf_event_mmap_page *head, uint64_t count)
{
	const char *data = (const char *)head + PAGE;
	unsigned long found[4] = { 0 }, samples = 0;

	for (uint64_t at = 0; at < head->data_head;) {
		struct perf_event_header h;
		uint64_t address;

		memcpy(&h, data + at % (PAGES * PAGE), sizeof(h));
		memcpy(&address, data + (at + sizeof(h)) % (PAGES * PAGE), sizeof(address));
		at += h.size;
		if (h.type != PERF_RECORD_SAMPLE)
			continue;
		samples++;
		found[is_in(address, first) ? 0 : is_in(address, second) ? 1 :
		      is_in(address, third) ? 2 : 3]++;
	}
	printf("count %llu samples %lu first %lu second %lu third %lu other %lu\n",
	       (unsigned long long)count, samples, found[0], found[1], found[2], found[3]);
}

static void work(long loops)
{
	for (int i = 0; i < 10; i++) {
		first(loops * 5 / 100);
		second(loops * 3 / 100);
		third(loops * 2 / 100);
	}
}

int main(int argc, char **argv)
{
	uint64_t before, count;
	void *head;
	int fd;

	if (argc < 4)
		return 2;
	fd = open_event(strtoull(argv[1], NULL, 0), strtoull(argv[2], NULL, 0));
	head = mmap(NULL, (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (head == MAP_FAILED)
		fail("mmap");
	if (argc > 4)
		unmask_always(fd);
	/* An empty interval is counted before the work: see the test. */
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &before, sizeof(before)) != sizeof(before))
		fail("read");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	work(atol(argv[3]));
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		fail("read");
	tell(head, count - before);
	return 0;
}
