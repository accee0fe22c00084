/* SPDX-License-Identifier: MIT */
/* count WORK EVENT...: counts events of the kernel's own drivers around a piece of known work, and
 * prints "EVENT count" lines. It needs no library, so it is linked statically.
 *
 * WORK: triad:N (three arrays of N doubles), loop:N (N times two instructions, one of them a
 * branch). EVENT: PMU/config[/config1[/FLAGS]], numbers in hexadecimal; PMU is a name below
 * /sys/bus/event_source/devices, or a number (0: the kernel's generic events). FLAGS: u or k; a:
 * the CPU's, whoever runs. What an empty interval before the work counts is taken off. NODE in the
 * environment: memory is that NUMA node's. */
#include <errno.h>
#include <linux/mempolicy.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EVENTS_MAX 32

struct event { const char *name; int fd; uint64_t before; };

static struct event events[EVENTS_MAX];
static int count;
static double *arrays[3];
static long elements;

static int number_in(const char *pmu, const char *file)
{
	char path[256];
	int value = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", pmu, file);
	f = fopen(path, "r");
	if (f && fscanf(f, "%d", &value) != 1)
		value = -1;
	if (f)
		fclose(f);
	return value;
}

static void add(const char *text)
{
	unsigned long long config = 0, config1 = 0;
	struct perf_event_attr a = { .size = sizeof(a), .disabled = 1 };
	char pmu[64] = "", flags[8] = "";
	int cpu = -1;

	sscanf(text, "%63[^/]/%llx/%llx/%7s", pmu, &config, &config1, flags);
	a.type = (uint32_t)(*pmu >= '0' && *pmu <= '9' ? atoi(pmu) : number_in(pmu, "type"));
	a.config = config;
	a.config1 = config1;
	a.exclude_kernel = strchr(flags, 'u') != NULL;
	a.exclude_user = strchr(flags, 'k') != NULL;
	if (*pmu >= 'a')
		cpu = number_in(pmu, "cpumask");
	if (strchr(flags, 'a'))
		cpu = sched_getcpu();
	events[count].name = text;
	events[count].fd = (int)syscall(SYS_perf_event_open, &a, cpu < 0 ? 0 : -1, cpu, -1, 0);
	if (events[count].fd < 0) {
		fprintf(stderr, "count: %s: %s\n", text, strerror(errno));
		exit(1);
	}
	count++;
}

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

static void all(unsigned long request)
{
	for (int i = 0; i < count; i++)
		ioctl(events[i].fd, request, 0);
}

static uint64_t value_of(const struct event *e)
{
	uint64_t value;

	if (read(e->fd, &value, sizeof(value)) != sizeof(value)) {
		fprintf(stderr, "count: %s: cannot be read: %s\n", e->name, strerror(errno));
		exit(1);
	}
	return value;
}

int main(int argc, char **argv)
{
	bool triads = argc > 2 && !strncmp(argv[1], "triad:", 6);

	if (argc < 3)
		return 2;
	for (int i = 2; i < argc && count < EVENTS_MAX; i++)
		add(argv[i]);
	elements = triads ? atol(argv[1] + 6) : 0;
	if (triads)
		prepare();
	all(PERF_EVENT_IOC_ENABLE);
	all(PERF_EVENT_IOC_DISABLE);
	for (int i = 0; i < count; i++)
		events[i].before = value_of(&events[i]);
	all(PERF_EVENT_IOC_ENABLE);
	if (triads)
		triad();
	else
		loop(atol(argv[1] + 5));
	all(PERF_EVENT_IOC_DISABLE);
	for (int i = 0; i < count; i++)
		printf("%s %llu\n", events[i].name,
		       (unsigned long long)(value_of(&events[i]) - events[i].before));
	return 0;
}
