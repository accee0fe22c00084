/* SPDX-License-Identifier: MIT */
/* Tells which paths are those of the machine's devices. */
#include <fcntl.h>
#include <string.h>

#include "shim.h"

#define CPU_DIRECTORY "/dev/cpu"

static const char *const pci_paths[] = {
	"/sys/bus/pci/devices/0000:00:00.0/config",
	"/sys/devices/pci0000:00/0000:00:00.0/config",
	"/proc/bus/pci/00/00.0",
};

/* A number that does not fit becomes one that is higher than any CPU's. */
static unsigned long number(const char *text, const char **end)
{
	unsigned long n = 0;

	for (; *text >= '0' && *text <= '9'; text++)
		n = n < VPMU_CPUS_MAX ? n * 10 + (unsigned long)(*text - '0') : VPMU_CPUS_MAX;
	*end = text;
	return n;
}

/* What follows "/dev/cpu": "", "/N", "/N/msr", "/N/msr_safe", "/msr_batch". */
static struct vpmu_open_file classify_cpu(const struct vpmu_segment *s, const char *rest)
{
	struct vpmu_open_file path = { .file = VPMU_HIDDEN };
	enum vpmu_file device = VPMU_HOSTS;
	const char *end;

	if (!*rest || !strcmp(rest, "/"))
		return (struct vpmu_open_file){ .file = VPMU_DESCRIPTION };
	if (!strcmp(rest, "/msr_batch") && s->devices.msr_safe)
		path.file = VPMU_FILE_BATCH;
	if (rest[1] < '0' || rest[1] > '9')
		return path;
	unsigned long cpu = number(rest + 1, &end);
	if (!strcmp(end, "/msr"))
		device = VPMU_FILE_MSR;
	else if (!strcmp(end, "/msr_safe") && s->devices.msr_safe)
		device = VPMU_FILE_SAFE;
	else if (!*end || !strcmp(end, "/"))
		device = VPMU_DESCRIPTION;
	else
		return path;
	path.file = cpu >= vpmu_machine_cpus(&s->machine) ? VPMU_NO_CPU : device;
	path.cpu = (uint32_t)cpu;
	return path;
}

static struct vpmu_open_file classify(const char *path)
{
	size_t directory = strlen(CPU_DIRECTORY);
	const struct vpmu_segment *s = shim_machine();

	if (!s)
		return (struct vpmu_open_file){ .file = VPMU_HOSTS };
	if (!strncmp(path, CPU_DIRECTORY, directory) &&
	    (!path[directory] || path[directory] == '/'))
		return classify_cpu(s, path + directory);
	if (!strcmp(path, "/dev/mem"))
		return (struct vpmu_open_file){ .file = VPMU_FILE_MEM };
	if (shim_hidden(path))
		return (struct vpmu_open_file){ .file = VPMU_HIDDEN };
	for (size_t i = 0; i < sizeof(pci_paths) / sizeof(pci_paths[0]); i++)
		if (!strcmp(path, pci_paths[i]))
			return (struct vpmu_open_file){ .file = VPMU_FILE_CONFIG };
	return (struct vpmu_open_file){ .file = VPMU_HOSTS };
}

/* A descriptor by its path: /proc/self/fd/N is what N is. */
static struct vpmu_open_file classify_fd(const char *path)
{
	static const char *const folders[] = { "/proc/self/fd/", "/proc/thread-self/fd/",
					       "/dev/fd/" };
	const char *end;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		size_t length = strlen(folders[i]);

		if (strncmp(path, folders[i], length) || !path[length])
			continue;
		unsigned long fd = number(path + length, &end);
		if (!*end)
			return shim_fd((int)fd);
	}
	return (struct vpmu_open_file){ .file = VPMU_HOSTS };
}

/* Quick for all other paths. */
static struct vpmu_open_file classify_plain(const char *path)
{
	if (!strncmp(path, "/proc/self/fd/", 14) || !strncmp(path, "/proc/thread", 12) ||
	    !strncmp(path, "/dev/fd/", 8))
		return classify_fd(path);
	if (strncmp(path, "/dev/cpu", 8) && strncmp(path, "/dev/mem", 8) &&
	    strncmp(path, "/sys/", 5) && strncmp(path, "/proc/bus/pci/", 14) &&
	    strncmp(path, "/proc/sys/kernel/perf_event", 27))
		return (struct vpmu_open_file){ .file = VPMU_HOSTS };
	return classify(path);
}

/* Does a path that is relative, or has "." or repeated slashes, end with a device's name? */
static bool is_roundabout(const char *path)
{
	static const char *const names[] = { "msr", "msr_safe", "msr_batch", "mem", "config",
					     "00.0" };
	const char *last = path;
	bool odd = *path != '/';

	for (const char *c = path; *c; c++) {
		if (*c != '/')
			continue;
		odd = odd || c[1] == '/' || c[1] == '.';
		last = c + 1;
	}
	for (size_t i = 0; odd && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(last, names[i]))
			return true;
	return false;
}

static struct vpmu_open_file classify_roundabout(int dir, const char *path)
{
	char simple[SHIM_SIMPLE_BYTES];

	return shim_path_simple(dir, path, simple, sizeof(simple)) ? classify_plain(simple) :
	       (struct vpmu_open_file){ .file = VPMU_HOSTS };
}

struct vpmu_open_file shim_classify_at(int dir, const char *path)
{
	if (!path)
		return (struct vpmu_open_file){ .file = VPMU_HOSTS };
	return is_roundabout(path) ? classify_roundabout(dir, path) : classify_plain(path);
}

struct vpmu_open_file shim_classify(const char *path)
{
	return shim_classify_at(AT_FDCWD, path);
}
