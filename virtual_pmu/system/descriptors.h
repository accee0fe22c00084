/* SPDX-License-Identifier: MIT */
/* Which of the program's descriptors are files of the machine. Each is an open file of the
 * machine's folder, which keeps offset, mode, copies and inheritance right. */
#ifndef VPMU_SYSTEM_DESCRIPTORS_H
#define VPMU_SYSTEM_DESCRIPTORS_H

#include "tree.h"

struct vpmu_open_file { enum vpmu_file file; uint32_t cpu; };

struct vpmu_open_file vpmu_descriptor(int fd);
/* Forgets these numbers, before a call that closes or replaces them. */
void vpmu_descriptors_forget(int first, int last);

#endif
