/* SPDX-License-Identifier: MIT */
/* Groups of system calls. `before` functions answer (true: *answer), or leave the call to the
 * host's kernel; `after` functions get its answer and may change it. */
#ifndef VPMU_SYSTEM_CALLS_H
#define VPMU_SYSTEM_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "tree.h"

/* ---- files.c: by descriptor ---- */
bool vpmu_files_before(int64_t number, int64_t a[6], int64_t *answer);
void vpmu_files_after(int64_t number, const int64_t a[6], int64_t *answer);

/* ---- paths.c: opening, and what is said of a path ---- */
bool vpmu_paths_before(int64_t number, const int64_t a[6], int64_t *answer);
void vpmu_paths_after(int64_t number, const int64_t a[6], int64_t *answer);

/* ---- status.c: what stat says of the machine's files; at: a struct stat or statx ---- */
void vpmu_status_fill(enum vpmu_file file, uint32_t cpu, void *at, bool extended);

/* ---- changes.c: what would change the machine's files ---- */
bool vpmu_changes_before(int64_t number, const int64_t a[6], int64_t *answer);
/* May a file that describes the machine be opened so? 0 or a negative errno; flags become those
 * that the kernel would heed. */
int vpmu_changes_open(const char *path, int *flags);

/* ---- fixed.c: getrandom, and reads of /dev/random and /dev/urandom ---- */
bool vpmu_random_before(const int64_t a[6], int64_t *answer);
bool vpmu_random_is_fixed(void);

/* ---- time.c ---- */
void vpmu_time_begin(bool model);
bool vpmu_time_before(int64_t number, const int64_t a[6], int64_t *answer);
void vpmu_time_after(int64_t number, const int64_t a[6], int64_t *answer);

/* ---- cpus.c ---- */
bool vpmu_cpus_before(int64_t number, const int64_t a[6], int64_t *answer);

#endif
