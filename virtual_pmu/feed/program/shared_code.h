/* SPDX-License-Identifier: MIT */
/* Code that a program writes through one mapping of a file and executes through another one. */
#ifndef VPMU_FEED_SHARED_CODE_H
#define VPMU_FEED_SHARED_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct vpmu_user_host;

/* The plugin has its functions of QEMU. */
void vpmu_shared_code_begin(const struct vpmu_user_host *host);
/* Behind a system call that QEMU has made. */
void vpmu_shared_code_call(int64_t number, const int64_t a[6], int64_t answer);
/* Inside the translation callback: code from `first` to `last` is translated. */
void vpmu_shared_code_translate(uint64_t first, uint64_t last);
/* A store has faulted. True: its page may be written now. */
bool vpmu_shared_code_fault(uint64_t address);

#endif
