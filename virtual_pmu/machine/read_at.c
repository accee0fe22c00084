/* SPDX-License-Identifier: MIT */
#include "read_at.h"

#include <fcntl.h>
#include <unistd.h>

ssize_t vpmu_read_at(const char *path, void *buf, size_t bytes, uint64_t offset)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : pread(fd, buf, bytes, (off_t)offset);

	if (fd >= 0)
		close(fd);
	return n;
}
