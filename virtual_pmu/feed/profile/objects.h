/* SPDX-License-Identifier: MIT */
/* Objects of the program's data, by address: blocks of the heap, variables, stacks, and mapped
 * memory. All blocks that the same chain of calls has allocated are one object. Where blocks
 * of the heap lie in mapped memory, an address is in the block. The thread that executes calls all
 * of this, so there is no lock. */
#ifndef VPMU_FEED_OBJECTS_H
#define VPMU_FEED_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../machine/profile_file.h"

#define VPMU_CHAIN_MAX 16u	/* calls that distinguish objects */

/* Notes of call instructions, the last call first. */
struct vpmu_call_chain { uint32_t note[VPMU_CHAIN_MAX], count; };

/* Reads which memory the process has. */
void vpmu_objects_begin(void);
/* In the child of a fork: its counts begin at 0. */
void vpmu_objects_forked(void);

void vpmu_objects_allocate(uint64_t start, uint64_t bytes, const struct vpmu_call_chain *by);
void vpmu_objects_free(uint64_t start);
void vpmu_objects_map(uint64_t start, uint64_t bytes, const char *name,
		      const struct vpmu_call_chain *by);
void vpmu_objects_unmap(uint64_t start, uint64_t bytes);
void vpmu_objects_variable(uint64_t start, uint64_t bytes, const char *name);
/* The program's heap, as brk() has it, ends here. */
void vpmu_objects_break(uint64_t end);
/* The memory that this stack pointer of a thread is in is its stack. */
void vpmu_objects_stack(uint64_t sp, uint32_t thread);

/* The object at an address, and how far into the block or variable that is. Object 0 is code and
 * memory that nothing is known of. */
struct vpmu_object_place { uint32_t object; uint64_t offset; };
struct vpmu_object_place vpmu_objects_find(uint64_t address);
/* An access to this address has caused the kind; 0: no access has. */
void vpmu_objects_charge(uint64_t address, uint32_t kind, uint64_t times);

#endif
