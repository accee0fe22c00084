/* SPDX-License-Identifier: MIT */
/* Gives the program's large blocks of memory large pages of the host. The model runs between two
 * accesses of the program, so that misses in the host's TLB cost their full time. Neither the
 * program nor the model sees the pages. */
#ifndef VPMU_FEED_HUGE_PAGES_H
#define VPMU_FEED_HUGE_PAGES_H

#include <stdint.h>

/* Bytes that this system call will map and that may have large pages, or 0. */
uint64_t vpmu_hugepages_bytes(int64_t number, uint64_t bytes, uint64_t protection, uint64_t flags);
/* Advises the kernel, when the call has mapped them here, in this process. */
void vpmu_hugepages_advise(void *memory, uint64_t bytes);

#endif
