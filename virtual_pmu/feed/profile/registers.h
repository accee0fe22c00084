/* SPDX-License-Identifier: MIT */
/* Registers of the calling thread's CPU, in callbacks that may read them. */
#ifndef VPMU_FEED_REGISTERS_H
#define VPMU_FEED_REGISTERS_H

#include <stdint.h>

/* When a CPU starts. */
void vpmu_registers_find(void);
/* The 1st, 2nd or 3rd argument, from number 0, of a function at its first instruction; its result
 * at its return. 0: not known. */
uint64_t vpmu_register_argument(uint32_t number);
uint64_t vpmu_register_result(void);

#endif
