/* SPDX-License-Identifier: MIT */
/* Invariants of every event name that the engine takes, and of every one that it refuses. */
#ifndef EVENT_CHECK_H
#define EVENT_CHECK_H

struct ipmu_system;

#define FAMILIES_MAX 64

/* How many families the engine has. */
unsigned event_check_families(void);

/* A system of the nth family (modulo how many there are), made once. */
const struct ipmu_system *event_check_system(unsigned n);
/* Parse; abort if a property is broken. Returns what the parser returned. */
int event_check_parse(const struct ipmu_system *sys, const char *name);

#endif
