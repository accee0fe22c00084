/* SPDX-License-Identifier: MIT */
/* Executable memory of the program: which file an instruction is of. */
#ifndef VPMU_FEED_MAPPINGS_H
#define VPMU_FEED_MAPPINGS_H

#include <stdint.h>

#include "../../machine/profile_file.h"

/* The number of the mapping that the address is in; 0: unknown. */
uint32_t vpmu_mapping_of(uint64_t address);
/* A system call of the program has succeeded: it may have unmapped or replaced memory. */
void vpmu_mappings_call(int64_t number, const int64_t arguments[6], int64_t answer);
/* Called for each new mapping; path "": of no file. NULL: there is no such function. */
extern void (*vpmu_mapping_found)(const struct vpmu_profile_map *map);

#endif
