/* SPDX-License-Identifier: MIT */
/* A system of a family without a machine: enough to turn names into events. */
#ifndef FAKE_SYSTEM_H
#define FAKE_SYSTEM_H

#include "counting/system.h"

/* A unit with a box of each type. Lives as long as the process. */
const struct ipmu_system *fake_system(const struct ipmu_family *family);

/* Parse, or end the test with the reason. */
struct ipmu_event fake_event(const struct ipmu_system *sys, const char *name);
/* Parse must fail with rc and with a reason that contains `says`. */
void fake_refuses(const struct ipmu_system *sys, const char *name, int rc, const char *says);

/* Get the value that a choice sets up in the register of that name, or end the test. */
uint64_t fake_value_of(const struct ipmu_choice *c, const char *reg);

#endif
