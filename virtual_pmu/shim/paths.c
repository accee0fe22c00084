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
static struct shim_path classify_cpu(const struct vpmu_segment *s, const char *rest)
{
	struct shim_path path = { .kind = SHIM_ABSENT };
	enum shim_kind device = SHIM_NONE;
	const char *end;

	if (!*rest || !strcmp(rest, "/"))
		return (struct shim_path){ .kind = SHIM_DIRECTORY };
	if (!strcmp(rest, "/msr_batch") && s->devices.msr_safe)
		path.kind = SHIM_MSR_BATCH;
	if (rest[1] < '0' || rest[1] > '9')
		return path;
	unsigned long cpu = number(rest + 1, &end);
	if (!strcmp(end, "/msr"))
		device = SHIM_MSR;
	else if (!strcmp(end, "/msr_safe") && s->devices.msr_safe)
		device = SHIM_MSR_SAFE;
	else if (!*end || !strcmp(end, "/"))
		device = SHIM_DIRECTORY;
	else
		return path;
	path.kind = cpu >= vpmu_machine_cpus(&s->machine) ? SHIM_NO_CPU : device;
	path.cpu = (uint32_t)cpu;
	return path;
}

static struct shim_path classify(const char *path)
{
	size_t directory = strlen(CPU_DIRECTORY);
	const struct vpmu_segment *s = shim_machine();

	if (!s)
		return (struct shim_path){ .kind = SHIM_NONE };
	if (!strncmp(path, CPU_DIRECTORY, directory) &&
	    (!path[directory] || path[directory] == '/'))
		return classify_cpu(s, path + directory);
	if (!strcmp(path, "/dev/mem"))
		return (struct shim_path){ .kind = SHIM_MEM };
	if (shim_hidden(path))
		return (struct shim_path){ .kind = SHIM_ABSENT };
	for (size_t i = 0; i < sizeof(pci_paths) / sizeof(pci_paths[0]); i++)
		if (!strcmp(path, pci_paths[i]))
			return (struct shim_path){ .kind = SHIM_PCI };
	return (struct shim_path){ .kind = SHIM_NONE };
}

/* A descriptor by its path: /proc/self/fd/N is what N is. */
static struct shim_path classify_fd(const char *path)
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
	return (struct shim_path){ .kind = SHIM_NONE };
}

/* Quick for all other paths. */
static struct shim_path classify_plain(const char *path)
{
	if (!strncmp(path, "/proc/self/fd/", 14) || !strncmp(path, "/proc/thread", 12) ||
	    !strncmp(path, "/dev/fd/", 8))
		return classify_fd(path);
	if (strncmp(path, "/dev/cpu", 8) && strncmp(path, "/dev/mem", 8) &&
	    strncmp(path, "/sys/", 5) && strncmp(path, "/proc/bus/pci/", 14) &&
	    strncmp(path, "/proc/sys/kernel/perf_event", 27))
		return (struct shim_path){ .kind = SHIM_NONE };
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

static struct shim_path classify_roundabout(int dir, const char *path)
{
	char simple[SHIM_SIMPLE_BYTES];

	return shim_path_simple(dir, path, simple, sizeof(simple)) ? classify_plain(simple) :
	       (struct shim_path){ .kind = SHIM_NONE };
}

struct shim_path shim_classify_at(int dir, const char *path)
{
	if (!path)
		return (struct shim_path){ .kind = SHIM_NONE };
	return is_roundabout(path) ? classify_roundabout(dir, path) : classify_plain(path);
}

struct shim_path shim_classify(const char *path)
{
	return shim_classify_at(AT_FDCWD, path);
}
