/* SPDX-License-Identifier: MIT */
/* The table of served descriptors: which device each of them is. */
#include <fcntl.h>
#include <sys/stat.h>

#include "inside.h"
#include "shim.h"

/* The inode tells a descriptor that was closed without the shim (close_range, a raw system call)
 * and is something else now. */
struct served { uint64_t inode; uint32_t kind, cpu; int flags; };
static struct served served[SHIM_FDS_MAX];

static uint64_t inode_of(int fd)
{
	struct stat st;	/* the kernel's and libc's are the same */

	return shim_syscall(SYS_fstat, fd, shim_address(&st), 0, 0) ? 0 : (uint64_t)st.st_ino;
}

struct vpmu_open_file shim_fd(int fd)
{
	struct vpmu_open_file path = { .file = VPMU_HOSTS };
	uint32_t kind;

	if (fd < 0 || fd >= SHIM_FDS_MAX)
		return path;
	kind = __atomic_load_n(&served[fd].kind, __ATOMIC_ACQUIRE);
	if (kind == VPMU_HOSTS)
		return path;
	if (served[fd].inode == inode_of(fd)) {
		path.file = (enum vpmu_file)kind;
		path.cpu = served[fd].cpu;
	} else {
		shim_fd_closed(fd);
	}
	return path;
}

static void serve(int fd, struct served what)
{
	served[fd].inode = what.inode;
	served[fd].cpu = what.cpu;
	served[fd].flags = what.flags;
	__atomic_store_n(&served[fd].kind, what.kind, __ATOMIC_RELEASE);
}

void shim_fd_closed(int fd)
{
	if (fd >= 0 && fd < SHIM_FDS_MAX)
		__atomic_store_n(&served[fd].kind, VPMU_HOSTS, __ATOMIC_RELEASE);
}

void shim_fd_copied(int from, int to)
{
	struct vpmu_open_file path = shim_fd(from);

	if (to < 0 || to >= SHIM_FDS_MAX)
		return;
	if (path.file == VPMU_HOSTS)
		shim_fd_closed(to);
	else
		serve(to, served[from]);
}

void shim_fd_serve(int fd, struct vpmu_open_file path, int flags)
{
	serve(fd, (struct served){ inode_of(fd), (uint32_t)path.file, path.cpu, flags });
}

int shim_fd_flags(int fd)
{
	return served[fd].flags & (O_ACCMODE | O_NONBLOCK);
}
