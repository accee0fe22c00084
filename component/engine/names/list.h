/* SPDX-License-Identifier: MIT */
/* The documented events of a type: libpfm4's, and those that its table lacks. */
#ifndef IPMU_LIST_H
#define IPMU_LIST_H

#include "../pmu/pmu.h"

bool ipmu_type_has_event(const struct ipmu_pmu_type *type, const char *event);

#endif
