/* SPDX-License-Identifier: MIT */
/* The right to program the registers of this node, which one process has at a time, and what they
 * held before. */
#ifndef UNCORE_LEASE_H
#define UNCORE_LEASE_H

#include <stdint.h>

/* Takes the right: PAPI_OK, PAPI_ECNFLCT if another process has it, or PAPI_EPERM. If the process
 * that had it last was killed, what it saved is restored first. `known` returns the bits of a
 * register that may be restored; 0: the component does not write it. The reason is a sentence. */
int uncore_lease_take(uint64_t (*known)(uint32_t msr), char *reason);

/* Saves a register before it is written for the first time, in memory and in the journal. */
int uncore_lease_save(uint32_t msr);

/* Restores all saved registers, the last saved first, and gives the right up. PAPI_ESYS: not all
 * could be written; the journal keeps them for the next process. */
int uncore_lease_give_up(void);

/* Bytes of a reason, with its end. */
#define UNCORE_REASON_MAX 256

#endif
