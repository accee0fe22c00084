/* SPDX-License-Identifier: MIT */
/* The documented events of a type: libpfm4's, and those that its table lacks. */
#ifndef IPMU_LIST_H
#define IPMU_LIST_H

#include "machine.h"

bool ipmu_type_has_event(const struct ipmu_pmu_type *type, const char *event);
/* ipmu_event_list, of this machine. */
int ipmu_name_list(const struct ipmu_machine *m, int event, int umask,
		   struct ipmu_event_info *out);

#endif
