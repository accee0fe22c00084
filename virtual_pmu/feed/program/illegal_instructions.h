/* SPDX-License-Identifier: MIT */
#ifndef VPMU_FEED_ILLEGAL_INSTRUCTIONS_H
#define VPMU_FEED_ILLEGAL_INSTRUCTIONS_H

#include "../qemu_plugin_api.h"

/* Watches a block's last instruction if the machine's processor does not have it. The emulator ends
 * blocks at instructions that it cannot execute. If the instruction ends the program, stderr gets a
 * sentence that names it, its function, the machine and what fits, once per process. */
void vpmu_illegal_translate(struct qemu_plugin_tb *tb);
/* A system call of the program: it may handle SIGILL, continue after it, or end. */
void vpmu_illegal_call(int64_t number, uint64_t arg1, uint64_t arg2);
/* This signal is about to end the program, in the calling thread. */
void vpmu_illegal_killed(int number);

#endif
