/* SPDX-License-Identifier: MIT */
/* Reads and writes of the machine's device files, as the drivers do them: MSRs, CPUID, PCI
 * configuration space, /dev/mem and the machine's own device. vpmu_device_read() and _write() are
 * the entry points, and find the device by its kind. Each register access takes the machine lock
 * unless the thread holds it. Answers are the kernel's: a count of bytes or a negative errno. */
#include "devices.h"

#include <errno.h>
#include <string.h>

#include "system.h"

/* Accesses the same register once per eight bytes, as the kernel's driver does; msr-safe's takes
 * exactly eight. */
static int64_t access_msr(struct vpmu_open_file f, uint8_t *buffer, size_t bytes, off_t offset,
			  bool writes)
{
	struct vpmu_segment *s = vpmu_system.segment;
	bool safe = f.file == VPMU_FILE_SAFE;
	uint32_t msr = (uint32_t)offset;
	size_t done = 0;
	uint64_t value;
	int rc = 0;

	if (bytes % 8 || (safe && bytes != 8))
		return -EINVAL;
	while (done < bytes && !rc) {
		memcpy(&value, buffer + done, 8);
		vpmu_lock(s);
		if (writes)
			rc = safe ? vpmu_safe_write(f.cpu, msr, value) :
				    vpmu_wrmsr(s, f.cpu, msr, value);
		else
			rc = safe ? vpmu_safe_read(f.cpu, msr, &value) :
				    vpmu_rdmsr(s, f.cpu, msr, &value);
		vpmu_unlock(s);
		if (!rc && !writes)
			memcpy(buffer + done, &value, 8);
		done += rc ? 0 : 8;
	}
	return done || !rc ? (int64_t)done : rc;
}

/* The leaf is in the lower half of the offset, its subleaf in the upper one; the next 16 bytes are
 * of the next leaf. */
static int64_t read_cpuid(struct vpmu_open_file f, uint8_t *to, size_t bytes, off_t offset)
{
	uint32_t registers[4];

	if (bytes % sizeof(registers))
		return -EINVAL;
	for (size_t done = 0; done < bytes; done += sizeof(registers), offset++) {
		vpmu_system_cpuid_of(f.cpu, (uint32_t)offset, (uint32_t)((uint64_t)offset >> 32),
				     registers);
		memcpy(to + done, registers, sizeof(registers));
	}
	return (int64_t)bytes;
}

static int64_t read_config(void *to, size_t bytes, off_t offset)
{
	off_t end = vpmu_unprivileged() ? VPMU_CONFIG_BYTES_FOR_ALL : VPMU_CONFIG_BYTES;
	struct vpmu_segment *s = vpmu_system.segment;
	int rc;

	if (offset < 0)
		return -EINVAL;
	if (offset >= end)
		return 0;
	if (bytes > (size_t)(end - offset))
		bytes = (size_t)(end - offset);
	vpmu_lock(s);
	rc = vpmu_pci_read(s, (uint32_t)offset, to, (uint32_t)bytes);
	vpmu_unlock(s);
	return rc ? rc : (int64_t)bytes;
}

int64_t vpmu_device_read(struct vpmu_open_file f, void *to, size_t bytes, off_t offset)
{
	switch (f.file) {
	case VPMU_FILE_MSR: case VPMU_FILE_SAFE:
		return access_msr(f, to, bytes, offset, false);
	case VPMU_FILE_CPUID:
		return read_cpuid(f, to, bytes, offset);
	case VPMU_FILE_CONFIG:
		return read_config(to, bytes, offset);
	case VPMU_FILE_MEM:
		return -EPERM;		/* physical memory: only the window can be mapped */
	case VPMU_FILE_OUTSIDE:
		return vpmu_outside_read(to, bytes);
	case VPMU_RANDOM:
		return vpmu_random_read(to, bytes);
	default:
		return -EINVAL;
	}
}

int64_t vpmu_device_write(struct vpmu_open_file f, const void *from, size_t bytes, off_t offset)
{
	switch (f.file) {
	case VPMU_FILE_MSR: case VPMU_FILE_SAFE:
		return access_msr(f, (uint8_t *)(uintptr_t)from, bytes, offset, true);
	case VPMU_FILE_CONFIG: case VPMU_FILE_MEM:
		return -EPERM;
	case VPMU_FILE_OUTSIDE:
		return vpmu_outside_write(from, bytes);
	default:
		return -EINVAL;
	}
}

bool vpmu_device_moves(enum vpmu_file file)
{
	return file == VPMU_FILE_CONFIG || file == VPMU_FILE_CPUID;
}
