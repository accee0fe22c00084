/* SPDX-License-Identifier: MIT */
/* An event of the kernel's own drivers, by the text PMU/config[/config1[/FLAGS]], numbers in
 * hexadecimal. PMU is a name below /sys/bus/event_source/devices, or a number (0: the kernel's
 * generic events). FLAGS: u or k; a: the CPU's, whatever process runs. */
#ifndef KERNEL_EVENT_H
#define KERNEL_EVENT_H

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int kernel_number(const char *pmu, const char *file)
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

static void kernel_failed(const char *event, const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", event, what, strerror(errno));
	exit(1);
}

/* Disabled: it counts nothing yet. */
static int kernel_open(const char *text)
{
	unsigned long long config = 0, config1 = 0;
	struct perf_event_attr a = {
		.size = sizeof(a), .disabled = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	char pmu[64] = "", flags[8] = "";
	int cpu = -1, fd;

	sscanf(text, "%63[^/]/%llx/%llx/%7s", pmu, &config, &config1, flags);
	a.type = (uint32_t)(*pmu >= '0' && *pmu <= '9' ? atoi(pmu) : kernel_number(pmu, "type"));
	a.config = config;
	a.config1 = config1;
	a.exclude_kernel = strchr(flags, 'u') != NULL;
	a.exclude_user = strchr(flags, 'k') != NULL;
	if (*pmu >= 'a')
		cpu = kernel_number(pmu, "cpumask");
	if (strchr(flags, 'a'))
		cpu = sched_getcpu();
	fd = (int)syscall(SYS_perf_event_open, &a, cpu < 0 ? 0 : -1, cpu, -1, 0);
	if (fd < 0)
		kernel_failed(text, "cannot be opened");
	return fd;
}

/* An event that had to share its counter has been counted for a part of the time, so it is none. */
static uint64_t kernel_read(const char *text, int fd)
{
	struct { uint64_t count, enabled, running; } v;

	if (read(fd, &v, sizeof(v)) != sizeof(v))
		kernel_failed(text, "cannot be read");
	if (v.enabled != v.running) {
		errno = EBUSY;
		kernel_failed(text, "was not counted all the time");
	}
	return v.count;
}

#endif
