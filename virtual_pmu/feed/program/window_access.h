/* SPDX-License-Identifier: MIT */
/* Instructions that access the memory controller's window, or write code: QEMU executes each
 * alone. */
#ifndef VPMU_FEED_WINDOW_ACCESS_H
#define VPMU_FEED_WINDOW_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "../core/core_feed.h"

struct vpmu_user_host;

/* access: the callback of an access that is not to the window. */
void vpmu_window_access_begin(const struct vpmu_user_host *host, qemu_plugin_vcpu_mem_cb_t access);
/* An instruction has faulted, and the thread has published what it did before. True: it has been
 * executed, or its next fault follows. */
bool vpmu_window_access_fault(uint64_t address, bool store);
/* An instruction has faulted that needs no window and may now be executed. */
void vpmu_window_access_execute(void);
/* True: the calling thread's last fault was the same instruction's, which is not executed yet. */
bool vpmu_window_access_again(void);
/* Inside the translation callback. True: the block is such an instruction, and has its callback. */
bool vpmu_window_access_translate(struct qemu_plugin_tb *tb);

#endif
