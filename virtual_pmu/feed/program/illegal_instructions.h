/* SPDX-License-Identifier: MIT */
#ifndef VPMU_FEED_ILLEGAL_INSTRUCTIONS_H
#define VPMU_FEED_ILLEGAL_INSTRUCTIONS_H

#include "../qemu_plugin_api.h"

/* Watches a block's last instruction if the machine's processor does not have it. The emulator ends
 * blocks at instructions that it cannot execute. When it is executed, stderr gets a sentence that
 * names it, its function, the machine and what fits, once per process. */
void vpmu_illegal_translate(struct qemu_plugin_tb *tb);
/* A system call of the program: nothing is said to one that handles SIGILL itself. */
void vpmu_illegal_call(int64_t number, uint64_t arg1, uint64_t arg2);

#endif
