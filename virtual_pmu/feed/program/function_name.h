/* SPDX-License-Identifier: MIT */
#ifndef VPMU_FUNCTION_NAME_H
#define VPMU_FUNCTION_NAME_H

#include <stddef.h>

/* Writes the name of the function that contains an address of this process, from the symbols of the
 * file that is mapped there: "main of /tmp/app", or "/tmp/app+0x1139" without a symbol. Empty when
 * no file is mapped there. Reads /proc/self/maps and the file. */
void vpmu_function_name(const void *address, char *out, size_t bytes);

#endif
