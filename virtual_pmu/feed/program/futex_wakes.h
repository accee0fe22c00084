/* SPDX-License-Identifier: MIT */
/* A thread that sleeps in a private futex continues at the clock of the thread that woke it,
 * whenever the host lets it run. So the table has the clock of the last wake at each address. */
#ifndef VPMU_FEED_FUTEX_WAKES_H
#define VPMU_FEED_FUTEX_WAKES_H

#include <stdint.h>

/* This x86-64 Linux system call begins at that clock. */
void vpmu_wakes_note(int64_t number, const uint64_t arguments[5], uint64_t clock);
/* The address at which the call may sleep, to be passed on when it has returned; 0: no private
 * futex. */
uint64_t vpmu_wakes_address(int64_t number, const uint64_t arguments[5]);
/* The clock of the wake that has ended the sleep; 0: not known. answer: the call's. */
uint64_t vpmu_wakes_clock(uint64_t address, int64_t answer);

#endif
