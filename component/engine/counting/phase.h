/* SPDX-License-Identifier: MIT */
/* What a session does with all its counters at once: remember what it will change, read them, and
 * say what has become of those that could not be read. */
#ifndef IPMU_PHASE_H
#define IPMU_PHASE_H

#include "plan.h"

struct ipmu_session;

/* Save the registers of the plan's counters ahead, where a batch device makes that cheaper. */
void ipmu_phase_save(const struct ipmu_system *sys, const struct ipmu_plan *plan);

/* Read n <= IPMU_BATCH_READS counters; now[i] is the 64-bit value of taps[i]. Async-signal-safe.
 * lose: a counter that cannot be read, or has been lost, stays at its last value from now on, and
 * that is no error. */
int ipmu_phase_read(const struct ipmu_tap *taps, int n, bool lose, uint64_t *now);

/* Let the counts of all taps begin, once their counters are programmed. */
int ipmu_phase_baselines(const struct ipmu_system *sys, struct ipmu_plan *plan);

/* 0, or what the first counter of the session's that was lost met, with a sentence. */
int ipmu_phase_lost(const struct ipmu_session *s, char *why);

#endif
