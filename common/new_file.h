/* SPDX-License-Identifier: MIT */
/* A file that appears whole or not at all, in place of whatever has its name. Until then it has no
 * name, where the file system can do that, so that nothing is left of a process that is killed. */
#ifndef IPMU_NEW_FILE_H
#define IPMU_NEW_FILE_H

#include <stdio.h>

struct new_file {
	char *path, *temporary;
	FILE *f;	/* to write; NULL: none is open */
};

/* 0, or a negative errno; path is set unless memory is short. */
int new_file_open(struct new_file *n, const char *path);
/* Gives it its name and closes it. 0, or a negative errno: what has the name stays as it was. */
int new_file_publish(struct new_file *n);
/* Ends it in every case; one that was not published is gone. */
void new_file_drop(struct new_file *n);

#endif
