/* SPDX-License-Identifier: MIT */
#ifndef VPMU_SANITIZER_H
#define VPMU_SANITIZER_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#define VPMU_ELF_DYNAMIC_MAX 64

/* The name by which a sanitizer's runtime is recognized; NULL: the program has none, or cannot be
 * read. `segments` are its program headers. Does not allocate. */
const char *vpmu_sanitizer_of(const char *path, const Elf64_Phdr *segments, size_t count);

#endif
