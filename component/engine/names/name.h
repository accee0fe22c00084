/* SPDX-License-Identifier: MIT */
#ifndef IPMU_NAME_H
#define IPMU_NAME_H

#include "../pmu/pmu.h"

/* An event without any qualifier, as ipmu_event_parse makes it of "type.EVENT". */
int ipmu_event_alone(const struct ipmu_system *sys, const struct ipmu_pmu_type *type,
		     const char *event, struct ipmu_event *out);

#endif
