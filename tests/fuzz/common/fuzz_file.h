/* SPDX-License-Identifier: MIT */
/* A file for parsers that take a path: in memory, the same one for all inputs. */
#ifndef FUZZ_FILE_H
#define FUZZ_FILE_H

#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

struct fuzz_file {
	int fd;
	char path[32];		/* empty until the first input */
};

static inline void fuzz_file_write(struct fuzz_file *f, const void *data, size_t size)
{
	if (!f->path[0]) {
		f->fd = memfd_create("fuzz", MFD_CLOEXEC);
		REQUIRE(f->fd >= 0);
		snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
	}
	REQUIRE(pwrite(f->fd, data, size, 0) == (ssize_t)size);
	REQUIRE(ftruncate(f->fd, (off_t)size) == 0);	/* last: the file keeps its memory */
}

#endif
