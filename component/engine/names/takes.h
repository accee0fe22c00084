/* SPDX-License-Identifier: MIT */
#ifndef IPMU_TAKES_H
#define IPMU_TAKES_H

#include "machine.h"

/* Appends ", text", or "text" to an empty list. */
void ipmu_list_add(char *list, size_t bytes, const char *text);

/* "package=0, box=0-3, e, i, c=0-31": the qualifiers of an event of `type`, but its unit masks. The
 * type's own are those of `own`: some events are another type's. */
void ipmu_name_takes(const struct ipmu_machine *m, const struct ipmu_pmu_type *type,
		     const struct ipmu_pmu_type *own, const char *event, char *list, size_t bytes);

#endif
