/* SPDX-License-Identifier: MIT */
/* count WORK EVENT...: counts events of the kernel's own drivers around a piece of known work, and
 * prints "EVENT count" lines. It needs no library, so it is linked statically.
 *
 * WORK: see work.h; or turns:N (N times a write to each of 32 pages, in turn with another process
 * that does so). EVENT: see kernel_event.h. What an empty interval before the work counts is taken
 * off. NODE in the environment: memory is that NUMA node's. */
#include "kernel_event.h"
#include "work.h"

#include <linux/mempolicy.h>

#define EVENTS_MAX 32

struct event { const char *name; int fd; uint64_t before; };

static struct event events[EVENTS_MAX];
static int count;

static void choose_node(void)
{
	unsigned long nodes = getenv("NODE") ? 1ul << atoi(getenv("NODE")) : 0;

	if (nodes && syscall(SYS_set_mempolicy, MPOL_BIND, &nodes, 8 * sizeof(nodes))) {
		perror("count: NODE");
		exit(1);
	}
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

static void all(unsigned long request)
{
	for (int i = 0; i < count; i++)
		ioctl(events[i].fd, request, 0);
}

int main(int argc, char **argv)
{
	struct work work = { .triads = 0 };
	long n = 0;

	if (argc < 3)
		return 2;
	for (int i = 2; i < argc && count < EVENTS_MAX; i++, count++)
		events[count] = (struct event){ .name = argv[i], .fd = kernel_open(argv[i]) };
	choose_node();
	if (strncmp(argv[1], "turns:", 6)) {
		work = work_of(argv[1]);
	} else {
		n = atol(argv[1] + 6);
		other_process();
		turns(3);	/* pages have been copied */
	}
	all(PERF_EVENT_IOC_ENABLE);
	all(PERF_EVENT_IOC_DISABLE);
	for (int i = 0; i < count; i++)
		events[i].before = kernel_read(events[i].name, events[i].fd);
	all(PERF_EVENT_IOC_ENABLE);
	turns(n);
	work_do(&work);
	all(PERF_EVENT_IOC_DISABLE);
	for (int i = 0; i < count; i++)
		printf("%s %llu\n", events[i].name, (unsigned long long)
		       (kernel_read(events[i].name, events[i].fd) - events[i].before));
	return 0;
}
