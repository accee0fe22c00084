/* SPDX-License-Identifier: MIT */
/* Links of /proc lead elsewhere in the emulator that is executed in a program's place: they are
 * followed before, by whatever name they are reached. */
#include "links.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inside.h"
#include "shim.h"

#define LINKS_MOST 40		/* as the kernel has it */

static char program[PATH_MAX];

bool shim_same_file(const char *one, const char *other)
{
	struct stat a, b;	/* the kernel's and libc's are the same */

	return one && other && !shim_syscall(SYS_stat, shim_address(one), shim_address(&a), 0, 0) &&
	       !shim_syscall(SYS_stat, shim_address(other), shim_address(&b), 0, 0) &&
	       a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

static bool read_link(const char *path, char text[PATH_MAX])
{
	long n = vpmu_syscall(SYS_readlink, path, text, PATH_MAX - 1);

	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

void shim_links_begin(void)
{
	read_link("/proc/self/exe", program);
}

static void name_descriptor(long fd, char text[64])
{
	shim_number_text(shim_text_add(text, "/proc/self/fd/"), (unsigned long)fd);
}

/* The link's own name, without links on the way to it. */
static bool name_of_link(const char *path, char name[PATH_MAX])
{
	long fd = vpmu_syscall(SYS_openat, AT_FDCWD, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char link[64];
	bool read;

	if (fd < 0)
		return false;
	name_descriptor(fd, link);
	read = read_link(link, name);
	vpmu_syscall(SYS_close, fd);
	return read;
}

static bool in_proc(const char *name)
{
	return !strncmp(name, "/proc/", 6);
}

/* What the name of a link in /proc says behind this process's number, or NULL. */
static const char *behind_process(const char *name)
{
	char own[64];
	size_t length;

	shim_number_text(shim_text_add(own, "/proc/"), (unsigned long)getpid());
	length = strlen(own);
	if (strncmp(name, own, length) || name[length] != '/')
		return NULL;
	name += length + 1;
	if (strncmp(name, "task/", 5))
		return name;
	name += 5 + strcspn(name + 5, "/");
	return *name ? name + 1 : NULL;
}

/* A file without a name: the emulator has to inherit the descriptor. */
static bool lend_descriptor(const char *number, struct shim_beyond *b)
{
	int fd = (int)strtol(number, NULL, 10);
	long flags = vpmu_syscall(SYS_fcntl, fd, F_GETFD);

	if (flags < 0)
		return false;
	name_descriptor(fd, b->room);
	if (flags & FD_CLOEXEC) {
		vpmu_syscall(SYS_fcntl, fd, F_SETFD, 0);
		b->lent = fd + 1;
	}
	return true;
}

void shim_beyond_end(const struct shim_beyond *b)
{
	if (b->lent)
		vpmu_syscall(SYS_fcntl, b->lent - 1, F_SETFD, FD_CLOEXEC);
}

enum step { NOWHERE, THERE, FARTHER };

static bool is_own_program(const char *path)
{
	const char *what = behind_process(path);

	return !strcmp(path, "/proc/self/exe") || (what && !strcmp(what, "exe"));
}

static enum step own_program(char room[PATH_MAX])
{
	if (!shim_same_file(program, program))	/* it is gone */
		return NOWHERE;
	shim_text_add(room, program);
	return THERE;
}

/* A link that is the kernel's, and no text. */
static enum step beyond_kernels(const char *path, const char *name, struct shim_beyond *b)
{
	char *room = b->room;
	const char *what = behind_process(name);

	if (is_own_program(name))
		return own_program(room);
	if (read_link(path, room) && *room == '/' && shim_same_file(path, room))
		return THERE;
	if (what && !strncmp(what, "fd/", 3) && lend_descriptor(what + 3, b))
		return THERE;
	return NOWHERE;
}

/* One that is a text, which may begin where the link is. */
static enum step beyond_text(const char *path, char name[PATH_MAX], char room[PATH_MAX])
{
	char text[PATH_MAX], *at = name;

	if (!read_link(path, text))
		return NOWHERE;
	for (char *c = name; *text != '/' && *c; c++)
		at = *c == '/' ? c + 1 : at;
	if ((size_t)(at - name) + strlen(text) >= PATH_MAX)
		return NOWHERE;
	shim_text_add(at, text);
	shim_text_add(room, name);
	return FARTHER;
}

static enum step beyond(const char *path, struct shim_beyond *b)
{
	char name[PATH_MAX];

	if (is_own_program(path))
		return own_program(b->room);
	if (!read_link(path, name) || !name_of_link(path, name))
		return NOWHERE;
	return in_proc(name) ? beyond_kernels(path, name, b) : beyond_text(path, name, b->room);
}

const char *shim_beyond_links(const char *path, struct shim_beyond *b)
{
	enum step step;

	b->lent = 0;
	step = beyond(path, b);
	for (int i = 1; step == FARTHER && i < LINKS_MOST; i++)
		step = beyond(b->room, b);
	return step == THERE ? b->room : path;
}
