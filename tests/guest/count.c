/* SPDX-License-Identifier: MIT */
/* count WORK EVENT...: counts events of the kernel's own drivers around a piece of known work, and
 * prints "EVENT count" lines. It needs no library, so it is linked statically.
 *
 * WORK: triad:N (three arrays of N doubles), loop:N (N times two instructions, one of them a
 * branch), turns:N (N times a write to each of 32 pages, in turn with another process that
 * does so). EVENT: see kernel_event.h. What an empty interval before the work counts is taken
 * off. NODE in the environment: memory is that NUMA node's. */
#include "kernel_event.h"

#include <linux/mempolicy.h>
#include <stdbool.h>

#define EVENTS_MAX 32

struct event { const char *name; int fd; uint64_t before; };

static struct event events[EVENTS_MAX];
static int count;
static double *arrays[3];
static long elements;

static void prepare(void)
{
	unsigned long nodes = getenv("NODE") ? 1ul << atoi(getenv("NODE")) : 0;

	if (nodes && syscall(SYS_set_mempolicy, MPOL_BIND, &nodes, 8 * sizeof(nodes))) {
		perror("count: NODE");
		exit(1);
	}
	for (int i = 0; i < 3; i++) {
		arrays[i] = aligned_alloc(4096, (size_t)elements * sizeof(double));
		if (!arrays[i])
			exit(1);
		memset(arrays[i], 1, (size_t)elements * sizeof(double));
	}
}

static void triad(void)
{
	for (long i = 0; i < elements; i++)
		arrays[0][i] = arrays[1][i] + 3.0 * arrays[2][i];
}

static void loop(long n)
{
	__asm__ volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(n));
}

/* ---- turns: the other process waits for a byte, touches its pages, and gives a byte back */
#define PAGES 32
static char pages[PAGES][4096] __attribute__((aligned(4096)));
static int there[2], back[2];

static void touch_pages(void)
{
	for (int i = 0; i < PAGES; i++)
		((volatile char *)pages[i])[0]++;
}

static void other_process(void)
{
	char c;

	if (pipe(there) || pipe(back))
		exit(1);
	touch_pages();
	if (fork())
		return;
	close(there[1]);
	while (read(there[0], &c, 1) == 1) {
		touch_pages();
		if (write(back[1], &c, 1) != 1)
			break;
	}
	exit(0);
}

static void turns(long n)
{
	char c = 0;

	while (n--) {
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			exit(1);
		touch_pages();
	}
}

static void work(const char *what)
{
	if (!strncmp(what, "triad:", 6))
		triad();
	else if (!strncmp(what, "turns:", 6))
		turns(atol(what + 6));
	else
		loop(atol(what + 5));
}

static void all(unsigned long request)
{
	for (int i = 0; i < count; i++)
		ioctl(events[i].fd, request, 0);
}

int main(int argc, char **argv)
{
	bool triads = argc > 2 && !strncmp(argv[1], "triad:", 6);

	if (argc < 3)
		return 2;
	for (int i = 2; i < argc && count < EVENTS_MAX; i++, count++)
		events[count] = (struct event){ .name = argv[i], .fd = kernel_open(argv[i]) };
	elements = triads ? atol(argv[1] + 6) : 0;
	if (triads)
		prepare();
	if (!strncmp(argv[1], "turns:", 6)) {
		other_process();
		turns(3);	/* pages have been copied */
	}
	all(PERF_EVENT_IOC_ENABLE);
	all(PERF_EVENT_IOC_DISABLE);
	for (int i = 0; i < count; i++)
		events[i].before = kernel_read(events[i].name, events[i].fd);
	all(PERF_EVENT_IOC_ENABLE);
	work(argv[1]);
	all(PERF_EVENT_IOC_DISABLE);
	for (int i = 0; i < count; i++)
		printf("%s %llu\n", events[i].name, (unsigned long long)
		       (kernel_read(events[i].name, events[i].fd) - events[i].before));
	return 0;
}
