/* SPDX-License-Identifier: MIT */
#ifndef IPMU_UNKNOWN_H
#define IPMU_UNKNOWN_H

#include "machine.h"

/* After an encoder's -ENOKEY, which left the qualifier alone in `why`: completes the sentence.
 * Returns -EINVAL. */
int ipmu_name_unknown(const struct ipmu_machine *m, const struct ipmu_pmu_type *type,
		      const char *event, char *why);

#endif
