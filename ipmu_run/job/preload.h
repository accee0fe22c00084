/* SPDX-License-Identifier: MIT */
#ifndef IPMU_RUN_PRELOAD_H
#define IPMU_RUN_PRELOAD_H

#include "../../measure/counting/machine.h"

/* Programs that are started from now on get the library that reports MPI_Init and MPI_Finalize. 0,
 * or a negative errno with why. */
int preload_set(char why[COUNT_WHY_MAX]);

#endif
