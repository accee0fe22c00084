/* SPDX-License-Identifier: MIT */
/* Large pages for the program's large blocks of memory. Between two of its accesses the model runs,
 * so that nothing hides what a miss in the host's TLB costs; a machine's Linux would often give
 * large pages as well. Nothing of it is visible to the program, or to the model. */
#ifndef VPMU_FEED_HUGEPAGES_H
#define VPMU_FEED_HUGEPAGES_H

#include <stdint.h>

/* Bytes that this system call will map and that may have large pages, or 0. */
uint64_t vpmu_hugepages_wanted(int64_t number, uint64_t bytes, uint64_t protection, uint64_t flags);
/* It has mapped them at this address of the program. */
void vpmu_hugepages_advise(uint64_t address, uint64_t bytes);

#endif
