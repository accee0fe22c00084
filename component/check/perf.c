/* SPDX-License-Identifier: MIT */
/* Another opinion: the drivers that the kernel has for some uncore PMUs, by perf_event_open(2). A
 * driver has a folder for each box. It is counted through the CPU that the folder's cpumask names,
 * and alone, because driver and library would program the same registers. */
#include "check.h"

#include <ctype.h>
#include <dirent.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEVICES "/sys/bus/event_source/devices/"
#define EVENT_AND_UMASK 0xffffull

static bool read_line(const char *device, const char *name, char *text, int bytes)
{
	char path[512];
	FILE *f;
	bool got;

	snprintf(path, sizeof(path), DEVICES "%s/%s", device, name);
	f = fopen(path, "re");
	if (!f)
		return false;
	got = fgets(text, bytes, f) != NULL;
	fclose(f);
	return got;
}

/* "event=0x22,umask=0x1", of which the driver's format puts the mask above the event. */
static bool named_config(const char *device, const char *event, uint64_t *config)
{
	char name[128], text[256] = "", *at;

	snprintf(name, sizeof(name), "events/%s", event);
	if (!read_line(device, name, text, sizeof(text)) || strncmp(text, "event=", 6))
		return false;
	*config = strtoull(text + 6, NULL, 0);
	at = strstr(text, "umask=");
	if (at)
		*config |= strtoull(at + 6, NULL, 0) << 8;
	return true;
}

static int open_box(const char *device, const char *event, uint64_t config)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	char text[64] = "";

	if (event && !named_config(device, event, &config))
		return -1;
	if (!read_line(device, "type", text, sizeof(text)))
		return -1;
	attr.type = (uint32_t)strtoul(text, NULL, 10);
	attr.config = config;
	if (!read_line(device, "cpumask", text, sizeof(text)))
		snprintf(text, sizeof(text), "0");
	return (int)syscall(SYS_perf_event_open, &attr, -1, atoi(text), -1, PERF_FLAG_FD_CLOEXEC);
}

/* "uncore_cbox", or with the number of a box behind it. */
static bool is_box(const char *device, const char *pmu, size_t length)
{
	const char *rest = device + length;

	if (strncmp(device, pmu, length))
		return false;
	if (*rest == '_')
		while (isdigit((unsigned char)*++rest))
			;
	return !*rest;
}

int perf_open(const char *name, uint64_t select, int *fds, int max)
{
	const char *slash = strchr(name, '/');
	size_t length = slash ? (size_t)(slash - name) : strlen(name);
	DIR *dir = opendir(DEVICES);
	struct dirent *entry;
	int n = 0;

	while (dir && n < max && (entry = readdir(dir)) != NULL) {
		if (!is_box(entry->d_name, name, length))
			continue;
		fds[n] = open_box(entry->d_name, slash ? slash + 1 : NULL,
				  select & EVENT_AND_UMASK);
		n += fds[n] >= 0;
	}
	if (dir)
		closedir(dir);
	return n;
}

double perf_close(int *fds, int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++) {
		uint64_t count;

		if (read(fds[i], &count, sizeof(count)) != sizeof(count))
			sum = -1;
		else if (sum >= 0)
			sum += (double)count;
		close(fds[i]);
	}
	return n ? sum : -1;
}
