/* SPDX-License-Identifier: MIT */
#include "hidden.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "../machine/program.h"

static struct stat shim;	/* st_ino 0: there is none */
static uint64_t start, bytes_hidden;

void vpmu_hidden_open(const char *path)
{
	if (stat(path, &shim))
		shim.st_ino = 0;
}

void vpmu_hidden_find(void)
{
	static const char here;
	char path[PATH_MAX];
	const char *slash;
	Dl_info info;

	if (!dladdr(&here, &info) || !(slash = strrchr(info.dli_fname, '/')))
		return;
	if (snprintf(path, sizeof(path), "%.*s/" VPMU_SHIM_LIBRARY, (int)(slash - info.dli_fname),
		     info.dli_fname) < (int)sizeof(path))
		vpmu_hidden_open(path);
}

void vpmu_hidden_call(struct vpmu_hidden_map *map, int64_t number, const uint64_t arguments[5])
{
	bool code = number == SYS_mmap && (arguments[2] & PROT_EXEC) &&
		    !(arguments[3] & MAP_ANONYMOUS) && shim.st_ino;

	map->bytes = code ? arguments[1] : 0;
	map->fd = (int)arguments[4];
}

void vpmu_hidden_return(const struct vpmu_hidden_map *map, int64_t answer)
{
	int saved = errno;
	struct stat st;

	if (!map->bytes || answer <= 0)
		return;
	/* The emulated program's descriptors are this process's. */
	if (!fstat(map->fd, &st) && st.st_ino == shim.st_ino && st.st_dev == shim.st_dev) {
		__atomic_store_n(&start, (uint64_t)answer, __ATOMIC_RELAXED);
		__atomic_store_n(&bytes_hidden, map->bytes, __ATOMIC_RELEASE);
	}
	errno = saved;
}

bool vpmu_hidden(uint64_t address)
{
	uint64_t bytes = __atomic_load_n(&bytes_hidden, __ATOMIC_ACQUIRE);

	return address - __atomic_load_n(&start, __ATOMIC_RELAXED) < bytes;
}
