/* SPDX-License-Identifier: MIT */
#include "cause.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The beginning of a file, up to a line's end; empty if it cannot be read. */
static const char *first_line(const char *path, char *text, size_t bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, bytes - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return text;
}

bool ipmu_cause_offline(int os_cpu)
{
	char path[64], text[16];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", os_cpu);
	return strcmp(first_line(path, text, sizeof(text)), "0") == 0;
}

/* The mode that is on stands in brackets. */
bool ipmu_cause_lockdown(char mode[32])
{
	char text[128];
	const char *on;

	on = strchr(first_line("/sys/kernel/security/lockdown", text, sizeof(text)), '[');
	snprintf(mode, 32, "%.*s", on ? (int)strcspn(on + 1, "]") : 0, on ? on + 1 : "");
	return *mode && strcmp(mode, "none") != 0;
}

bool ipmu_cause_filter(void)
{
	char text[16];

	return strcmp(first_line("/sys/module/msr/parameters/allow_writes", text, sizeof(text)),
		      "off") == 0;
}

bool ipmu_cause_driver(void)
{
	return access("/sys/module/msr", F_OK) == 0;
}

/* The first one maps all numbers to themselves. */
bool ipmu_cause_namespace(void)
{
	unsigned inside = 0, outside = 0, count = ~0u;
	char text[128];

	if (sscanf(first_line("/proc/self/uid_map", text, sizeof(text)), "%u %u %u", &inside,
		   &outside, &count) != 3)
		return false;
	return inside || outside || count != ~0u;
}

bool ipmu_cause_capable(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	return !syscall(SYS_capget, &header, data) &&
	       data[CAP_TO_INDEX(CAP_SYS_RAWIO)].effective & CAP_TO_MASK(CAP_SYS_RAWIO);
}
