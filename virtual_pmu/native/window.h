/* SPDX-License-Identifier: MIT */
/* The memory controller's window of a native program: the segment's pages, read-only whatever the
 * program requested. A store faults, and becomes a write of a register. The caller is in
 * native_enter(). */
#ifndef VPMU_NATIVE_WINDOW_H
#define VPMU_NATIVE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/* Makes the mapping for mmap's arguments. Returns its address, or a negative errno. */
int64_t native_window_map(const int64_t arguments[6]);
/* Before these addresses are unmapped. */
void native_window_unmap(uint64_t at, uint64_t bytes);
/* A fault by the instruction at *rip. True: it was a store to a window, which is done; *rip is
 * behind it. general: in the order of the instruction formats (RAX, RCX, RDX, RBX, RSP ...). */
bool native_window_store(uint64_t address, const uint64_t general[16], uint64_t *rip,
			 uint64_t *flags);

#endif
