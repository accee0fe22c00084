/* SPDX-License-Identifier: MIT */
/* Addresses of the program's code that mean something to a profile of calls: first instructions of
 * functions, stubs of linkage tables, and functions that allocate memory. They come from the files
 * that are executed, when those are mapped. */
#ifndef VPMU_FEED_CODE_PLACES_H
#define VPMU_FEED_CODE_PLACES_H

#include "../../machine/profile_file.h"
#include "symbols.h"

/* Reads the file of a mapping that code is executed from. data: its variables become objects. */
void vpmu_places_read(const struct vpmu_profile_map *map, bool data);
bool vpmu_place_is_function(uint64_t address);
bool vpmu_place_is_stub(uint64_t address);
enum vpmu_allocator vpmu_place_allocator(uint64_t address);

#endif
