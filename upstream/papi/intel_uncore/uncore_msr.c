/* SPDX-License-Identifier: MIT */
/* Uncore registers are the same on all CPUs of a client processor, which is one package. So the
 * device of the first CPU that can be opened serves for all. That of msr-safe is preferred: where
 * it is loaded, the administrator wants its allowlist to be used. The file of a CPU that goes
 * offline fails, and the count with it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "uncore_msr.h"

static int msr_fd = -1;

static int try_device(int cpu, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/cpu/%d/%s", cpu, name);
	msr_fd = open(path, O_RDWR | O_CLOEXEC);
	return msr_fd >= 0 ? 0 : errno;
}

int uncore_msr_open(char *reason)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int error = ENOENT;

	for (int cpu = 0; msr_fd < 0 && cpu < cpus; cpu++) {
		int rc;

		if (try_device(cpu, "msr_safe") == 0)
			break;
		rc = try_device(cpu, "msr");
		if (rc != ENXIO && rc != ENOENT)
			error = rc;
	}
	if (msr_fd >= 0)
		return PAPI_OK;
	snprintf(reason, PAPI_HUGE_STR_LEN, "/dev/cpu/*/msr: %s: %s", strerror(error),
		  error == ENOENT ? "load the driver with 'modprobe msr'" :
				    "it needs root (CAP_SYS_RAWIO), or msr-safe with an allowlist");
	return PAPI_ENOSUPP;
}

void uncore_msr_close(void)
{
	if (msr_fd >= 0)
		close(msr_fd);
	msr_fd = -1;
}

int uncore_msr_read(uint32_t msr, uint64_t *value)
{
	return pread(msr_fd, value, sizeof(*value), msr) == sizeof(*value) ? PAPI_OK : PAPI_ESYS;
}

int uncore_msr_write(uint32_t msr, uint64_t mask, uint64_t value)
{
	uint64_t old;
	int rc = uncore_msr_read(msr, &old);

	if (rc != PAPI_OK)
		return rc;
	value = (old & ~mask) | (value & mask);
	return pwrite(msr_fd, &value, sizeof(value), msr) == sizeof(value) ? PAPI_OK : PAPI_ESYS;
}
