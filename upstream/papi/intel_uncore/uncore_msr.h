/* SPDX-License-Identifier: MIT */
/* Model-specific registers of the processor, by the device of one of its CPUs. */
#ifndef UNCORE_MSR_H
#define UNCORE_MSR_H

#include <stdint.h>
#include "papi.h"

/* Opens the device: PAPI_OK, or PAPI_ENOSUPP and a sentence in reason[PAPI_HUGE_STR_LEN]. */
int uncore_msr_open(char *reason);
void uncore_msr_close(void);

/* PAPI_OK or PAPI_ESYS. A write changes the bits of the mask alone. */
int uncore_msr_read(uint32_t msr, uint64_t *value);
int uncore_msr_write(uint32_t msr, uint64_t mask, uint64_t value);

#endif
