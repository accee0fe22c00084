/* SPDX-License-Identifier: MIT */
/* Reading and writing through served descriptors as the real drivers do. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "inside.h"
#include "shim.h"

static int refuse(int error)
{
	errno = error;
	return -1;
}

static bool mode_allows(int fd, int forbidden)
{
	if ((shim_fd_flags(fd) & O_ACCMODE) != forbidden)
		return true;
	errno = EBADF;
	return false;
}

/* One access per eight bytes, all to the same register, as the kernel's driver does; msr-safe's
 * takes exactly eight. */
static ssize_t read_msr(struct shim_path path, uint8_t *buf, size_t bytes, off_t offset)
{
	bool safe = path.kind == SHIM_MSR_SAFE;
	struct vpmu_segment *s = shim_machine();
	struct shim_guard guard;
	size_t done = 0;
	int rc = 0;

	if (bytes % 8 || (safe && bytes != 8))
		return refuse(EINVAL);
	while (done < bytes && !rc) {
		uint64_t value = 0;

		shim_enter(s, &guard);
		rc = (safe ? shim_safe_read : vpmu_rdmsr)(s, path.cpu, (uint32_t)offset, &value);
		shim_leave(s, &guard);
		if (rc)
			break;
		memcpy(buf + done, &value, 8);
		done += 8;
	}
	return done || !rc ? (ssize_t)done : refuse(-rc);
}

static ssize_t write_msr(struct shim_path path, const uint8_t *buf, size_t bytes, off_t offset)
{
	bool safe = path.kind == SHIM_MSR_SAFE;
	struct vpmu_segment *s = shim_machine();
	struct shim_guard guard;
	size_t done = 0;
	int rc = 0;

	if (bytes % 8 || (safe && bytes != 8))
		return refuse(EINVAL);
	while (done < bytes && !rc) {
		uint64_t value;

		memcpy(&value, buf + done, 8);
		shim_enter(s, &guard);
		rc = (safe ? shim_safe_write : vpmu_wrmsr)(s, path.cpu, (uint32_t)offset, value);
		shim_leave(s, &guard);
		if (!rc)
			done += 8;
	}
	return done || !rc ? (ssize_t)done : refuse(-rc);
}

static ssize_t read_pci(void *buf, size_t bytes, off_t offset)
{
	struct vpmu_segment *s = shim_machine();
	off_t end = shim_unprivileged() ? SHIM_PCI_BYTES_FOR_ALL : SHIM_PCI_BYTES;
	struct shim_guard guard;
	int rc;

	if (offset < 0)
		return refuse(EINVAL);
	if (offset >= end)
		return 0;
	if (bytes > (size_t)(end - offset))
		bytes = (size_t)(end - offset);
	shim_enter(s, &guard);
	rc = vpmu_pci_read(s, (uint32_t)offset, buf, (uint32_t)bytes);
	shim_leave(s, &guard);
	return rc ? refuse(-rc) : (ssize_t)bytes;
}

ssize_t shim_read(struct shim_path path, int fd, void *buf, size_t bytes, off_t offset)
{
	if (!mode_allows(fd, O_WRONLY))
		return -1;
	if (path.kind == SHIM_MSR || path.kind == SHIM_MSR_SAFE)
		return read_msr(path, buf, bytes, offset);
	if (path.kind == SHIM_PCI)
		return read_pci(buf, bytes, offset);
	if (path.kind == SHIM_MSR_BATCH)
		return refuse(EINVAL);
	return refuse(EPERM);	/* physical memory: only the window can be mapped */
}

ssize_t shim_write(struct shim_path path, int fd, const void *buf, size_t bytes, off_t offset)
{
	if (!mode_allows(fd, O_RDONLY))
		return -1;
	if (path.kind == SHIM_MSR || path.kind == SHIM_MSR_SAFE)
		return write_msr(path, buf, bytes, offset);
	return refuse(EPERM);
}

static off_t here(int fd)
{
	return shim_syscall(SYS_lseek, fd, 0, SEEK_CUR, 0);
}

/* The PCI file advances its offset and the msr driver does not. */
ssize_t shim_read_here(struct shim_path path, int fd, void *buf, size_t bytes)
{
	ssize_t got = shim_read(path, fd, buf, bytes, here(fd));

	if (got > 0 && path.kind == SHIM_PCI)
		shim_syscall(SYS_lseek, fd, got, SEEK_CUR, 0);
	return got;
}

ssize_t shim_write_here(struct shim_path path, int fd, const void *buf, size_t bytes)
{
	return shim_write(path, fd, buf, bytes, here(fd));
}
