/* SPDX-License-Identifier: MIT */
/* Extended attributes. The machine's files have none and take none, as Linux has it in /proc and
 * /sys; those of other files are the host's. */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "calls.h"
#include "descriptors.h"
#include "system.h"

/* VPMU_HOSTS: none of the machine's files. */
static enum vpmu_file file_of(int64_t number, const int64_t a[6])
{
	bool follow = true;
	struct vpmu_found f;
	const char *path;

	switch (number) {
	case SYS_fgetxattr: case SYS_flistxattr: case SYS_fsetxattr: case SYS_fremovexattr:
		return vpmu_descriptor((int)a[0]).file;
	case SYS_lgetxattr: case SYS_llistxattr: case SYS_lsetxattr: case SYS_lremovexattr:
		follow = false;
		break;
	default:
		break;
	}
	path = vpmu_system.memory->text((uint64_t)a[0]);
	return path && vpmu_tree_look(AT_FDCWD, path, follow, &f) ? f.file : VPMU_HOSTS;
}

bool vpmu_attributes_before(int64_t number, const int64_t a[6], int64_t *answer)
{
	enum vpmu_file file = file_of(number, a);

	switch (number) {
	case SYS_getxattr: case SYS_lgetxattr: case SYS_fgetxattr:
		*answer = -ENODATA;
		break;
	case SYS_listxattr: case SYS_llistxattr: case SYS_flistxattr:
		*answer = 0;
		break;
	default:
		*answer = -EOPNOTSUPP;
	}
	if (file == VPMU_HIDDEN || file == VPMU_NO_CPU)
		*answer = -ENOENT;
	return file != VPMU_HOSTS && file != VPMU_RANDOM;
}
