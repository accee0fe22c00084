/* SPDX-License-Identifier: MIT */
/* Joins QEMU's user mode to system/: the program's requests to Linux and to its CPU. */
#ifndef VPMU_FEED_USER_MODE_H
#define VPMU_FEED_USER_MODE_H

#include <stdbool.h>
#include <stdint.h>

#include "../../machine/program.h"

/* path: of the segment, which is open. False: this QEMU lacks our patches, or has others. */
bool vpmu_user_mode_begin(const char *path, const struct vpmu_passed_on *with,
			  const struct vpmu_fixed *fixed);
/* Drops all translations; each block is translated anew before it is executed. Unlike
 * qemu_plugin_reset() it frees no callback that a thread may be about to call. */
void vpmu_user_mode_forget(void);
/* Follows the program's threads: see profile/follower.h. */
void vpmu_user_mode_follow(void);
/* A CPU begins: it has registers, which a thread that is followed needs. */
void vpmu_user_mode_registers(void);
/* Counts this process as one that an error of the emulator ends. Safe in a signal handler. */
void vpmu_user_mode_aborted(void);

#endif
