/* SPDX-License-Identifier: MIT */
#include "calls.h"

#include <sys/syscall.h>

#include "system.h"

enum call_group { OTHER, FILES, PATHS, ATTRIBUTES, CHANGES, CPUS, POLICIES, RANDOM,
		  MEMORY, TIME };

#define GROUPS 512
static const uint8_t groups[GROUPS] = {
	[SYS_read] = FILES, [SYS_write] = FILES, [SYS_pread64] = FILES, [SYS_pwrite64] = FILES,
	[SYS_readv] = FILES, [SYS_writev] = FILES, [SYS_preadv] = FILES, [SYS_pwritev] = FILES,
	[SYS_preadv2] = FILES, [SYS_pwritev2] = FILES, [SYS_ioctl] = FILES, [SYS_mmap] = FILES,
	[SYS_munmap] = FILES, [SYS_mprotect] = FILES, [SYS_pkey_mprotect] = FILES,
	[SYS_mremap] = FILES,
	[SYS_close] = FILES, [SYS_close_range] = FILES, [SYS_dup2] = FILES, [SYS_dup3] = FILES,
	[SYS_fstat] = FILES, [SYS_getdents64] = FILES, [SYS_getcwd] = FILES,

	[SYS_open] = PATHS, [SYS_openat] = PATHS, [SYS_openat2] = PATHS, [SYS_creat] = PATHS,
	[SYS_stat] = PATHS, [SYS_lstat] = PATHS, [SYS_newfstatat] = PATHS, [SYS_statx] = PATHS,
	[SYS_access] = PATHS, [SYS_faccessat] = PATHS, [SYS_faccessat2] = PATHS,
	[SYS_readlink] = PATHS, [SYS_readlinkat] = PATHS, [SYS_chdir] = PATHS,
	[SYS_statfs] = PATHS, [SYS_utime] = PATHS, [SYS_utimes] = PATHS, [SYS_futimesat] = PATHS,
	[SYS_utimensat] = PATHS,

	[SYS_getxattr] = ATTRIBUTES, [SYS_lgetxattr] = ATTRIBUTES, [SYS_fgetxattr] = ATTRIBUTES,
	[SYS_listxattr] = ATTRIBUTES, [SYS_llistxattr] = ATTRIBUTES,
	[SYS_flistxattr] = ATTRIBUTES, [SYS_setxattr] = ATTRIBUTES, [SYS_lsetxattr] = ATTRIBUTES,
	[SYS_fsetxattr] = ATTRIBUTES, [SYS_removexattr] = ATTRIBUTES,
	[SYS_lremovexattr] = ATTRIBUTES, [SYS_fremovexattr] = ATTRIBUTES,

	[SYS_truncate] = CHANGES, [SYS_ftruncate] = CHANGES, [SYS_unlink] = CHANGES,
	[SYS_unlinkat] = CHANGES, [SYS_rmdir] = CHANGES, [SYS_mkdir] = CHANGES,
	[SYS_mkdirat] = CHANGES, [SYS_mknod] = CHANGES, [SYS_mknodat] = CHANGES,
	[SYS_symlink] = CHANGES, [SYS_symlinkat] = CHANGES, [SYS_link] = CHANGES,
	[SYS_linkat] = CHANGES, [SYS_rename] = CHANGES, [SYS_renameat] = CHANGES,
	[SYS_renameat2] = CHANGES, [SYS_chmod] = CHANGES, [SYS_fchmod] = CHANGES,
	[SYS_fchmodat] = CHANGES, [SYS_chown] = CHANGES, [SYS_lchown] = CHANGES,
	[SYS_fchown] = CHANGES, [SYS_fchownat] = CHANGES,

	[SYS_getcpu] = CPUS, [SYS_sched_getaffinity] = CPUS, [SYS_sched_setaffinity] = CPUS,
	[SYS_perf_event_open] = CPUS,

	[SYS_set_mempolicy] = POLICIES, [SYS_get_mempolicy] = POLICIES, [SYS_mbind] = POLICIES,
	[SYS_move_pages] = POLICIES,

	[SYS_getrandom] = RANDOM, [SYS_sysinfo] = MEMORY,

	[SYS_clock_gettime] = TIME, [SYS_gettimeofday] = TIME, [SYS_time] = TIME,
	[SYS_times] = TIME, [SYS_alarm] = TIME, [SYS_setitimer] = TIME, [SYS_getitimer] = TIME,
	[SYS_timer_create] = TIME, [SYS_timer_settime] = TIME, [SYS_timer_gettime] = TIME,
	[SYS_timer_getoverrun] = TIME, [SYS_timer_delete] = TIME,
	[SYS_nanosleep] = TIME, [SYS_clock_nanosleep] = TIME, [SYS_pause] = TIME,
};

static enum call_group group_of(int64_t number)
{
	return number >= 0 && number < GROUPS ? (enum call_group)groups[number] : OTHER;
}

static bool answers(int64_t number, int64_t a[6], int64_t *answer)
{
	switch (group_of(number)) {
	case FILES:
		return vpmu_files_before(number, a, answer);
	case PATHS:
		return vpmu_paths_before(number, a, answer);
	case ATTRIBUTES:
		return vpmu_attributes_before(number, a, answer);
	case CHANGES:
		return vpmu_changes_before(number, a, answer);
	case CPUS:
		return vpmu_cpus_before(number, a, answer);
	case POLICIES:
		return vpmu_policies_before(number, a, answer);
	case RANDOM:
		return vpmu_random_before(a, answer);
	case MEMORY:
		return vpmu_memory_before(a, answer);
	case TIME:
		return vpmu_time_before(number, a, answer);
	case OTHER:
		break;
	}
	return false;
}

bool vpmu_system_call(int64_t number, int64_t a[6], int64_t *answer)
{
	if (answers(number, a, answer))
		return true;
	vpmu_time_leaves(number, a);
	return false;
}

void vpmu_system_return(int64_t number, const int64_t a[6], int64_t *answer)
{
	enum call_group group = group_of(number);

	vpmu_time_after(number, a, *answer);
	if (number == SYS_munmap && !*answer)
		vpmu_policies_unmap((uint64_t)a[0], (uint64_t)a[1]);
	if (group == FILES)
		vpmu_files_after(number, a, answer);
	else if (group == PATHS)
		vpmu_paths_after(number, a, answer);
}
