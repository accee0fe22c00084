/* SPDX-License-Identifier: MIT */
/* Whether the machine was suspended: registers may have lost what they held, and a counter that
 * holds 0 again does not show it. Async-signal-safe. */
#ifndef IPMU_ASLEEP_H
#define IPMU_ASLEEP_H

#include <stdbool.h>
#include <stdint.h>

/* How long the machine has been suspended since it was booted, rounded up by the time between two
 * reads of a clock. */
int64_t ipmu_asleep_ns(void);

/* Has the machine been suspended since ipmu_asleep_ns() returned this value? */
bool ipmu_asleep_since(int64_t asleep_ns);

#endif
