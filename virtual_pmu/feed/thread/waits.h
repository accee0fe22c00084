/* SPDX-License-Identifier: MIT */
/* System calls by which the threads of a process wait for each other or let time pass, answered in
 * the machine's time instead of the host's: futexes, sleeps, yields. */
#ifndef VPMU_FEED_WAITS_H
#define VPMU_FEED_WAITS_H

#include <stdbool.h>
#include <stdint.h>

/* True: *answer is the kernel's. False: another part of the system answers. */
bool vpmu_waits_call(int64_t number, const int64_t a[6], int64_t *answer);

#endif
