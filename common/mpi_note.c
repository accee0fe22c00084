/* SPDX-License-Identifier: MIT */
#include "mpi_note.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi_environment.h"

static bool is_it(int fd, unsigned long long device, unsigned long long inode)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_dev == device && st.st_ino == inode &&
	       st.st_size >= NOTES_BYTES;
}

/* Programs close descriptors that they do not know: then through the process that has it, too. */
static int notes_open(bool *opened)
{
	const char *text = secure_getenv(ENV_NOTE);
	unsigned long long device, inode;
	char path[64];
	int pid, fd;

	*opened = false;
	if (!text || sscanf(text, "%d:%d:%llu:%llu", &pid, &fd, &device, &inode) != 4)
		return -1;
	if (is_it(fd, device, inode))
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -1;
	if (!is_it(fd, device, inode)) {
		close(fd);
		return -1;
	}
	*opened = true;
	return fd;
}

/* A program's limit of file sizes, down to none, forbids to write, but not to write to memory. */
static void put(const char *bytes, size_t n, size_t where)
{
	bool opened;
	int fd = notes_open(&opened);
	char *notes;

	if (fd < 0)
		return;
	notes = mmap(NULL, NOTES_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (notes != MAP_FAILED) {
		memcpy(notes + where, bytes, n);
		munmap(notes, NOTES_BYTES);
	}
	if (opened)
		close(fd);
}

void job_note(enum job_note what)
{
	put(&(const char){ 1 }, 1, what);
}

void job_note_why(const char *why)
{
	put(why, strnlen(why, NOTES_WHY_BYTES), NOTES_WHY);
}

bool job_noted(enum job_note what)
{
	char byte = 0;
	bool opened;
	int fd = notes_open(&opened);

	if (fd < 0)
		return false;
	(void)!pread(fd, &byte, 1, what);
	if (opened)
		close(fd);
	return byte;
}
