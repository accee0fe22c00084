/* SPDX-License-Identifier: MIT */
#include "cpuid.h"

#include <cpuid.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define LEAF_BYTES (4 * sizeof(uint32_t))

/* The kernel's driver takes the leaf as the offset; subleaf 0. */
static bool read_device(int fd, uint32_t leaf, uint32_t registers[4])
{
	return pread(fd, registers, LEAF_BYTES, (off_t)leaf) == (ssize_t)LEAF_BYTES;
}

bool ipmu_cpuid_leaf(int os_cpu, uint32_t leaf, uint32_t registers[4])
{
	uint32_t most[4];
	char path[32];
	bool there;
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%d/cpuid", os_cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	there = fd >= 0 && read_device(fd, leaf & 0x80000000, most) &&
		read_device(fd, leaf, registers);
	if (fd >= 0)
		close(fd);
	if (there)
		return leaf <= most[IPMU_EAX];
	return __get_cpuid_count(leaf, 0, &registers[IPMU_EAX], &registers[IPMU_EBX],
				 &registers[IPMU_ECX], &registers[IPMU_EDX]);
}
