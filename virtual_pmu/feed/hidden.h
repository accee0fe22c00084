/* SPDX-License-Identifier: MIT */
/* The device shim's code. It takes the place of a kernel's drivers, whose work a program's counters
 * do not count: its instructions, branches and accesses are not counted and touch no cache.
 *
 * Stated rule: each access to a device's registers counts as one instruction, the system call that
 * the program makes on silicon. */
#ifndef VPMU_FEED_HIDDEN_H
#define VPMU_FEED_HIDDEN_H

#include <stdbool.h>
#include <stdint.h>

/* Takes this file for the shim; or finds the shim in the feed's own directory. */
void vpmu_hidden_open(const char *path);
void vpmu_hidden_find(void);
/* What may be the mapping of the shim's code, between a system call and its return. */
struct vpmu_hidden_map { uint64_t bytes; int fd; };

void vpmu_hidden_call(struct vpmu_hidden_map *map, int64_t number, const uint64_t arguments[5]);
void vpmu_hidden_return(const struct vpmu_hidden_map *map, int64_t answer);
/* Is this an address of the shim's code? */
bool vpmu_hidden(uint64_t address);

#endif
