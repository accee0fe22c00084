/* SPDX-License-Identifier: MIT */
#include "descriptors.h"

#include <stdio.h>
#include <string.h>

#include "../machine/kernel.h"
#include "devices.h"

#define REMEMBERED 4096		/* higher ones are looked up each time */
#define KNOWN 1u
#define FILE_SHIFT 1
#define CPU_SHIFT 5

/* 0: not looked up yet. */
static uint16_t known[REMEMBERED];

/* A device of the host that the program got from elsewhere: it was open before, or another process
 * has sent it. */
static void look_up_number(int fd, struct vpmu_open_file *f)
{
	struct stat st;

	if (!vpmu_syscall(SYS_fstat, fd, &st) && S_ISCHR(st.st_mode))
		f->file = vpmu_device_numbered(st.st_rdev, &f->cpu);
	if (f->file == VPMU_HIDDEN)
		f->file = VPMU_NO_CPU;
}

/* False: there is no such descriptor now. */
static bool look_up(int fd, struct vpmu_open_file *f)
{
	struct vpmu_found found;
	char link[32], path[PATH_MAX];
	long n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = vpmu_syscall(SYS_readlink, link, path, sizeof(path) - 1);
	if (n <= 0)
		return false;
	path[n] = '\0';
	if (!strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random")) {
		f->file = VPMU_RANDOM;
	} else if (*path == '/') {		/* else a socket, say */
		vpmu_tree_of(path, &found);
		*f = (struct vpmu_open_file){ found.file, found.cpu };
		if (f->file == VPMU_HOSTS)
			look_up_number(fd, f);
	}
	return true;
}

struct vpmu_open_file vpmu_descriptor(int fd)
{
	struct vpmu_open_file f = { VPMU_HOSTS, 0 };
	uint16_t word;

	if (fd < 0)
		return f;
	word = fd < REMEMBERED ? __atomic_load_n(&known[fd], __ATOMIC_RELAXED) : 0;
	if (word)
		return (struct vpmu_open_file){ (enum vpmu_file)(word >> FILE_SHIFT & 15),
						word >> CPU_SHIFT };
	if (look_up(fd, &f) && fd < REMEMBERED)
		__atomic_store_n(&known[fd], (uint16_t)(KNOWN | (uint32_t)f.file << FILE_SHIFT |
							f.cpu << CPU_SHIFT), __ATOMIC_RELAXED);
	return f;
}

void vpmu_descriptors_forget(int first, int last)
{
	for (int fd = first < 0 ? 0 : first; fd <= last && fd < REMEMBERED; fd++)
		__atomic_store_n(&known[fd], 0, __ATOMIC_RELAXED);
}
