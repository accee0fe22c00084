/* SPDX-License-Identifier: MIT */
#include "system.h"

int vpmu_system_exec(int dirfd, int flags, const char **path, char ***argv, char ***envp)
{
	(void)dirfd, (void)flags, (void)path, (void)argv, (void)envp;
	return 0;
}

void vpmu_system_exec_failed(void)
{
}
