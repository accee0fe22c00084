/* SPDX-License-Identifier: MIT */
/* Which paths are the machine's. */
#include <string.h>

#include "shim.h"

#define CPU_DIRECTORY "/dev/cpu"

static const char *const pci_paths[] = {
	"/sys/bus/pci/devices/0000:00:00.0/config",
	"/sys/devices/pci0000:00/0000:00:00.0/config",
	"/proc/bus/pci/00/00.0",
};

/* Any number that does not fit is more than there are CPUs. */
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

/* Cheap for all other paths, and safe before the machine is known: opening the segment itself
 * comes through here. */
struct shim_path shim_classify(const char *path)
{
	if (!path || (strncmp(path, "/dev/cpu", 8) && strncmp(path, "/dev/mem", 8) &&
		      strncmp(path, "/sys/", 5) && strncmp(path, "/proc/bus/pci/", 14) &&
		      strncmp(path, "/proc/sys/kernel/perf_event", 27)))
		return (struct shim_path){ .kind = SHIM_NONE };
	return classify(path);
}
