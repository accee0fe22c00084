/* SPDX-License-Identifier: MIT */
/* Reading and writing with vectors: as drivers without vectors of their own do it, one after the
 * other until one is short. */
#include <errno.h>
#include <sys/uio.h>

#include "shim.h"

#define HERE ((off_t)-1)	/* at the descriptor's offset */

static ssize_t one(struct vpmu_open_file path, int fd, const struct iovec *v, bool writes,
		   off_t offset)
{
	if (offset == HERE)
		return writes ? shim_write_here(path, fd, v->iov_base, v->iov_len) :
				shim_read_here(path, fd, v->iov_base, v->iov_len);
	return writes ? shim_write(path, fd, v->iov_base, v->iov_len, offset) :
			shim_read(path, fd, v->iov_base, v->iov_len, offset);
}

static ssize_t transfer(struct vpmu_open_file path, int fd, const struct iovec *v, int count,
			off_t offset, bool writes)
{
	ssize_t all = 0;

	if (count < 0 || count > IOV_MAX) {
		errno = EINVAL;
		return -1;
	}
	for (int i = 0; i < count; i++) {
		ssize_t n = one(path, fd, &v[i], writes, offset);

		if (n < 0)
			return all ? all : n;
		all += n;
		if (offset != HERE && path.file == VPMU_FILE_CONFIG)
			offset += n;
		if ((size_t)n < v[i].iov_len)
			break;
	}
	return all;
}

static ssize_t at(struct vpmu_open_file path, int fd, const struct iovec *v, int count,
		  off_t offset, bool writes)
{
	if (offset >= 0)
		return transfer(path, fd, v, count, offset, writes);
	errno = EINVAL;
	return -1;
}

#define VECTOR(name, writes) \
	NEXT_SLOT(name) \
	SHIM_EXPORT ssize_t name(int fd, const struct iovec *v, int count) \
	{ \
		struct vpmu_open_file served = shim_fd(fd); \
		return served.file ? transfer(served, fd, v, count, HERE, writes) : \
				     NEXT(name)(fd, v, count); \
	}
VECTOR(readv, false)
VECTOR(writev, true)

#define VECTOR_AT(name, off_type, writes) \
	NEXT_SLOT(name) \
	SHIM_EXPORT ssize_t name(int fd, const struct iovec *v, int count, off_type offset) \
	{ \
		struct vpmu_open_file served = shim_fd(fd); \
		return served.file ? at(served, fd, v, count, offset, writes) : \
				     NEXT(name)(fd, v, count, offset); \
	}
VECTOR_AT(preadv, off_t, false)
VECTOR_AT(preadv64, off64_t, false)
VECTOR_AT(pwritev, off_t, true)
VECTOR_AT(pwritev64, off64_t, true)

/* The flags are hints, but for appending, which no device does. */
#define VECTOR_FLAGS(name, off_type, writes) \
	NEXT_SLOT(name) \
	SHIM_EXPORT ssize_t name(int fd, const struct iovec *v, int count, off_type offset, \
				 int flags) \
	{ \
		struct vpmu_open_file served = shim_fd(fd); \
		if (!served.file) \
			return NEXT(name)(fd, v, count, offset, flags); \
		return offset == HERE ? transfer(served, fd, v, count, HERE, writes) : \
					at(served, fd, v, count, offset, writes); \
	}
VECTOR_FLAGS(preadv2, off_t, false)
VECTOR_FLAGS(preadv64v2, off64_t, false)
VECTOR_FLAGS(pwritev2, off_t, true)
VECTOR_FLAGS(pwritev64v2, off64_t, true)
