/* SPDX-License-Identifier: MIT */
/* Callbacks of a followed thread's calls: at calls, returns, jumps to functions, changes of the
 * stack, and first instructions of functions. */
#ifndef VPMU_FEED_CALL_CALLBACKS_H
#define VPMU_FEED_CALL_CALLBACKS_H

#include "follower.h"

/* Inside the translation callback: registers callbacks that come before, and behind, those of the
 * block's instructions. */
void vpmu_calls_translate(struct qemu_plugin_tb *tb);
void vpmu_calls_translated(struct qemu_plugin_tb *tb, struct vpmu_noted_block *block);

#endif
