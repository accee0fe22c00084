/* SPDX-License-Identifier: MIT */
/* Files of programs: where they are, and why one cannot be executed. */
#ifndef IPMU_PROGRAM_FILE_H
#define IPMU_PROGRAM_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Is it a file that this user may execute? */
bool program_runnable(const char *path);
/* Finds the file as execvp() does; folders: the value of PATH, or NULL. 0 and its path; -ENOENT;
 * -EACCES: what has that name cannot be executed; -ENAMETOOLONG. */
int program_find(const char *folders, const char *name, char *out, size_t bytes);

#define PROGRAM_WHY_MAX 640
/* The sentence for -errno where the program could not be executed; and the status that a shell
 * has. */
void program_why(const char *name, int rc, char out[PROGRAM_WHY_MAX]);
int program_refused(int rc);

#endif
