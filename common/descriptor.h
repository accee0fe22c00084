/* SPDX-License-Identifier: MIT */
/* Descriptors inside a process that is not ours. The program around a library may close every
 * descriptor (closefrom, close_range) or take a number for a file of its own (dup2). So a library
 * records what it opened, and uses a number only while fstat() still shows that. If a program opens
 * the very same device or file at that number, the check does not detect it.
 *
 * Async-signal-safe, and errno is kept. */
#ifndef IPMU_DESCRIPTOR_H
#define IPMU_DESCRIPTOR_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#define DESCRIPTOR_FROM 100	/* programs and shells give lower numbers a meaning of their own */

/* Move a fresh descriptor above the low numbers, if RLIMIT_NOFILE permits, and close it on exec.
 * Returns its number; negative: fd itself, which open() or socket() has returned, with errno. */
static inline int descriptor_move_up(int fd)
{
	int saved = errno, moved;

	if (fd < 0)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, DESCRIPTOR_FROM);
	if (moved >= 0)
		close(fd);
	errno = saved;
	return moved >= 0 ? moved : fd;
}

/* Device, inode, device number and type of the file in one word, which threads can share. */
static inline uint64_t descriptor_identity(int fd)
{
	int saved = errno;
	uint64_t all = 0;
	struct stat st;

	if (!fstat(fd, &st)) {
		const uint64_t parts[] = { (uint64_t)st.st_dev, (uint64_t)st.st_ino,
					   (uint64_t)st.st_rdev, st.st_mode & S_IFMT };

		for (int i = 0; i < 4; i++) {
			all = (all ^ parts[i]) * 0x9E3779B97F4A7C15ull;
			all ^= all >> 32;
		}
	}
	errno = saved;
	return all;
}

static inline bool descriptor_is(int fd, uint64_t identity)
{
	return fd >= 0 && descriptor_identity(fd) == identity;
}

/* Close the descriptor unless the program has closed it or replaced it. */
static inline void descriptor_close(int fd, uint64_t identity)
{
	if (descriptor_is(fd, identity))
		close(fd);
}

#endif
