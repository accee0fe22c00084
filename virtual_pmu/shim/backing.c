/* SPDX-License-Identifier: MIT */
/* The anonymous files behind served descriptors. Calls that bypass the shim reach these files.
 * Configuration space is in its file, because it never changes. A register's device can neither be
 * read nor written there: such a call fails, instead of giving a value that is none. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inside.h"
#include "shim.h"

/* Names of the files: this and the device's path. */
#define SHIM_BACKING_NAME "VirtualPMU:"

static void fill(struct vpmu_open_file path, long fd)
{
	uint8_t image[VPMU_CONFIG_BYTES];
	struct vpmu_segment *s = shim_machine();
	uint32_t bytes = vpmu_unprivileged() ? VPMU_CONFIG_BYTES_FOR_ALL : VPMU_CONFIG_BYTES;
	struct shim_guard guard;
	int rc;

	if (path.file != VPMU_FILE_CONFIG)
		return;
	shim_enter(s, &guard);
	rc = vpmu_pci_read(s, 0, image, bytes);
	s->accesses.pci_reads--;	/* no program has read it yet */
	shim_leave(s, &guard);
	if (!rc)
		shim_syscall(SYS_pwrite64, fd, shim_address(image), bytes, 0);
}

#define SEALS (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)

/* Opens the file anew, with the caller's access mode where it holds what the caller will read. */
int shim_backing(struct vpmu_open_file path, int flags)
{
	char name[SHIM_TEXT_BYTES + 16], link[48];
	int mode = path.file == VPMU_FILE_CONFIG ? flags & O_ACCMODE : O_WRONLY;
	long made, fd;

	shim_path_text(path, shim_text_add(name, SHIM_BACKING_NAME));
	made = shim_syscall(SYS_memfd_create, shim_address(name), MFD_CLOEXEC | MFD_ALLOW_SEALING,
			    0, 0);
	if (made >= 0) {
		fill(path, made);
		shim_syscall(SYS_fcntl, made, F_ADD_SEALS, SEALS, 0);
		shim_number_text(shim_text_add(link, "/proc/self/fd/"), (unsigned long)made);
		fd = shim_syscall(SYS_open, shim_address(link),
				  mode | (flags & (O_CLOEXEC | O_NONBLOCK)), 0, 0);
		shim_syscall(SYS_close, made, 0, 0, 0);
	} else {
		fd = made;
	}
	if (fd >= 0)
		return (int)fd;
	errno = (int)-fd;
	return -1;
}
