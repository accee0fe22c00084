/* SPDX-License-Identifier: MIT */
/* mmap of /dev/mem: the memory controller's window is the segment's MMIO pages, read-only; see
 * window.c for those that the program may write. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim.h"

NEXT_SLOT(mmap)
NEXT_SLOT(mmap64)

static void *refuse(int error)
{
	errno = error;
	return MAP_FAILED;
}

/* 0 or an errno. */
static int may_map(int device, int protection, int flags)
{
	if (protection & ~(PROT_READ | PROT_WRITE))
		return EPERM;
	if (!(protection & PROT_WRITE))
		return 0;
	if (!vpmu_mmio_writable(shim_machine()) || (flags & MAP_PRIVATE))
		return EPERM;
	return (shim_fd_flags(device) & O_ACCMODE) == O_RDWR ? 0 : EACCES;
}

static void *map_window(void *at, size_t bytes, int protection, int flags, int device,
			off_t offset)
{
	struct vpmu_segment *s = shim_machine();
	uint64_t base, window;
	int fd, error = may_map(device, protection, flags);
	void *p;

	if (error)
		return refuse(error);
	vpmu_mmio_window(s, &base, &window);
	if (offset < 0 || (uint64_t)offset < base || bytes > window ||
	    (uint64_t)offset - base > window - bytes)
		return refuse(EPERM);
	fd = shim_segment_open();
	if (fd < 0)
		return refuse(EPERM);
	/* The length is what is asked for; the kernel rounds it up to pages of the same window. */
	p = NEXT(mmap)(at, bytes, protection & ~PROT_WRITE, flags, fd,
		       (off_t)(s->mmio_offset + ((uint64_t)offset - base)));
	close(fd);
	if (p == MAP_FAILED || !(protection & PROT_WRITE) ||
	    shim_window_add(p, bytes, (uint64_t)offset - base))
		return p;
	munmap(p, bytes);
	return refuse(ENOMEM);
}

#define MMAP(name, off_type) \
	SHIM_EXPORT void *name(void *at, size_t bytes, int protection, int flags, int fd, \
			       off_type offset) \
	{ \
		struct vpmu_open_file served = { .file = VPMU_HOSTS }; \
		if (!(flags & MAP_ANONYMOUS)) \
			served = shim_fd(fd); \
		if (!served.file) \
			return NEXT(name)(at, bytes, protection, flags, fd, offset); \
		if (served.file != VPMU_FILE_MEM) \
			return refuse(ENODEV); \
		return map_window(at, bytes, protection, flags, fd, offset); \
	}
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)
