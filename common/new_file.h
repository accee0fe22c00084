/* SPDX-License-Identifier: MIT */
/* A file that appears whole or not at all, in place of whatever has its name: this is neither
 * followed nor opened, as another user may have laid it there. Until then it has no name, where the
 * file system can do that, so that nothing is left of a process that is killed.
 *
 * It is called PATH.PID.ipmu-tmp where it needs a name earlier, and for the moment in which it
 * replaces another: no call of Linux does that in one step. The next process that opens PATH
 * removes what a killed one of the same user left under such a name. */
#ifndef IPMU_NEW_FILE_H
#define IPMU_NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct new_file {
	char *path, *temporary;
	FILE *f;	/* to write and to read; NULL: none is open */
	bool placed;
};

/* mode: as for open(). 0, or a negative errno, also if what has the name cannot be replaced;
 * path is set unless memory is short. */
int new_file_open(struct new_file *n, const char *path, mode_t mode);
/* Links the file under its name, and closes it. 0, or a negative errno: what has the name stays as
 * it was. */
int new_file_publish(struct new_file *n);
/* Ends it in every case; one that was not published is gone. */
void new_file_drop(struct new_file *n);

#endif
