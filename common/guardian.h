/* SPDX-License-Identifier: MIT */
/* A process that restores registers when this one is killed, from the first set that joins to the
 * last that leaves. */
#ifndef IPMU_MPI_GUARDIAN_H
#define IPMU_MPI_GUARDIAN_H

#include <stdbool.h>

bool guardian_join(void);	/* false: there is none */
void guardian_leave(void);

#endif
