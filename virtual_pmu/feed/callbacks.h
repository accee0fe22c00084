/* SPDX-License-Identifier: MIT */
/* The callbacks of blocks, memory accesses and fences: they join QEMU to caches and clock. */
#ifndef VPMU_FEED_CALLBACKS_H
#define VPMU_FEED_CALLBACKS_H

#include "core/core_feed.h"
#include "thread/emulated_thread.h"

extern const struct vpmu_core_feed_parts vpmu_callbacks_parts;

/* Opens the machine of this segment. parts: those above, or what stands before them. 0, or a
 * negative errno with a sentence in why[]. */
int vpmu_callbacks_open(const char *path, const struct vpmu_core_feed_parts *parts, char *why,
			size_t why_bytes);
/* Gives notes to all code that is translated from now on: see profile/charge.h. */
void vpmu_callbacks_profile(void);
/* Inside the translation callback. fetched: where the block's code is for the caches. */
void vpmu_callbacks_translate(struct qemu_plugin_tb *tb, uint64_t fetched);
/* An instruction of the block with this code has faulted, and the thread leaves the block. Only the
 * first `executed` of its instructions are counted. code: NULL if it cannot be read. */
void vpmu_callbacks_interrupted(uint64_t address, const uint8_t *code, size_t bytes,
				uint32_t instructions, uint32_t executed);
/* Counts all that the calling thread has done so far, before a register is read. */
void vpmu_callbacks_publish(struct vpmu_emulated *t);
/* The value of the plugin's argument `name=`; NULL: not given. */
const char *vpmu_callbacks_argument(int argc, char **argv, const char *name);

#endif
