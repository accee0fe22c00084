/* SPDX-License-Identifier: MIT */
/* Signals that a process with several threads sends to itself, by a call or a timer. The machine
 * chooses the thread and notes the signal for it at once, so that it comes at the same clock in
 * each run. A signal to the process is delivered to the oldest thread that does not block it. The
 * host's kernel gets signals that no handler takes or all threads block, those of the calling
 * thread to itself, and real-time signals that queue. */
#ifndef VPMU_FEED_SIGNALS_H
#define VPMU_FEED_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

/* True: the call is answered. */
bool vpmu_signals_call(int64_t number, const int64_t a[6], int64_t *answer);
/* A timer has expired: true, its signal (siginfo_t) is sent. tid 0: to the process. */
bool vpmu_signals_timer(uint32_t tid, const void *info);

#endif
