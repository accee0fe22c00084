/* SPDX-License-Identifier: MIT */
#ifndef VPMU_READ_AT_H
#define VPMU_READ_AT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* pread() of a file that is open no longer than that. */
ssize_t vpmu_read_at(const char *path, void *buf, size_t bytes, uint64_t offset);

#endif
