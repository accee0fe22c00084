/* SPDX-License-Identifier: MIT */
/* Finds or makes a folder that only this user can write, in a place where everybody can make names,
 * such as /dev/shm. All processes of the user find the same folder, and no other user can put
 * anything into it.
 *
 * Its name is NAME-UID, or NAME-UID.1 and so on if another user has taken that name. The lowest
 * number that belongs to this user counts, so taking a name or giving it up later changes nothing.
 * The folder stays. */
#ifndef IPMU_PRIVATE_FOLDER_H
#define IPMU_PRIVATE_FOLDER_H

#include <stddef.h>
#include <sys/types.h>

/* out: the path. A new folder gets this mode; a folder that permits others more is skipped. Returns
 * 0 or a negative errno. The parent must be sticky if others can write it. */
int private_folder(const char *parent, const char *name, mode_t mode, char *out, size_t bytes);

#endif
