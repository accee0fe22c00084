/* SPDX-License-Identifier: MIT */
/* Instructions that cross the end of a page. */
#ifndef VPMU_FEED_CROSSING_H
#define VPMU_FEED_CROSSING_H

#include <stddef.h>

struct qemu_plugin_tb;

/* How many of a block's instructions are really of it; inside the translation callback. QEMU 7.2
 * shows one too many when the last one crosses the end of the page: it gives that one up, to
 * translate it again as the first of a block of its own. */
size_t vpmu_block_instructions(const struct qemu_plugin_tb *tb);

#endif
