/* SPDX-License-Identifier: MIT */
/* Callgrind's format, which callgrind_annotate and KCachegrind read. */
#ifndef IPMU_PROFILE_CALLGRIND_H
#define IPMU_PROFILE_CALLGRIND_H

#include "symbols.h"
#include "weights.h"

/* Writes one process image. places and costs: as symbols_find() and weights_costs() make them.
 * events: a name for each of the weights' events, of letters, digits and _; NULL: it is not
 * written. 0 or a negative errno. */
int callgrind_write(FILE *f, const struct profile *p, const struct place *places,
		    const int64_t *costs, const struct weights *w, const char *const *events);

#endif
