/* SPDX-License-Identifier: MIT */
/* Named regions of an emulated program (common/mpi_region.h): the program calls the machine's own
 * device, and the messages are sent from here, outside of what is counted. */
#ifndef VPMU_SYSTEM_REGIONS_H
#define VPMU_SYSTEM_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

/* where: the value of REGION_NAMED_ENV; NULL: no ipmu-run counts the program. edge: called when the
 * process enters its first region, and when it has left the last one; NULL: is not called. */
void vpmu_regions_begin(const char *where, void (*edge)(bool inside));
/* The value for programs that this process executes; NULL: none. */
const char *vpmu_regions_where(void);
/* Is nothing outside of regions to be counted? */
bool vpmu_regions_only(const char *where);
/* Is the code at this address of the kind that is not counted? Takes no lock. */
bool vpmu_regions_quiet(uint64_t address);
/* In a new process: it is in no region, and the connection is its parent's. */
void vpmu_regions_forked(void);

/* The calls of the device; answers are the kernel's. */
int64_t vpmu_regions_code(uint64_t argument);
int64_t vpmu_regions_call(bool begins, uint64_t name);

#endif
