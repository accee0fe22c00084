/* SPDX-License-Identifier: MIT */
/* vfork() and posix_spawn(). QEMU makes them a fork: the caller would not wait for the child, nor
 * see what the child writes to their common memory, such as posix_spawn()'s error. Here the caller
 * waits until the child has executed a program or ended. Then the caller's stack has what the child
 * has written to it, in 4 KiB from the stack pointer on. */
#ifndef VPMU_FEED_VFORK_H
#define VPMU_FEED_VFORK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct vpmu_user_host;

void vpmu_vforks_begin(const struct vpmu_user_host *host);
/* Before any system call. */
void vpmu_vforks_call(int64_t number, uint64_t first_argument);
/* After it, in the caller and in a child. True: the caller has to wait for the child. */
bool vpmu_vforks_return(int64_t answer);
void vpmu_vforks_wait(pid_t child);

#endif
