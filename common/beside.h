/* SPDX-License-Identifier: MIT */
/* Files of the same installation, which are found from the folder of this program. */
#ifndef IPMU_BESIDE_H
#define IPMU_BESIDE_H

#include <limits.h>
#include <stdbool.h>

/* Composes the path of `name`, which may begin with "../". False: this program's own path is not
 * known, or the result is too long; out is "" then. The file need not be there. */
bool beside_program(const char *name, char out[PATH_MAX]);

#endif
