/* SPDX-License-Identifier: MIT */
/* Files that take the place of whatever has their name. One that is published appears whole, or not
 * at all; one that replaces is empty at first, and for the caller to write and to close. */
#ifndef IPMU_MPI_FILES_H
#define IPMU_MPI_FILES_H

#include <stdio.h>

int file_publish(const char *path, int (*fill)(FILE *f, const void *arg), const void *arg);
int file_replace(const char *path, FILE **out);
int file_close(FILE *f);	/* a negative errno: not all of it could be written */

#endif
