/* SPDX-License-Identifier: MIT */
/* Puts the emulator's command line in the place of a program that is about to be executed, so that
 * the program stays on the machine. */
#ifndef VPMU_SHIM_FOLLOW_H
#define VPMU_SHIM_FOLLOW_H

#include "shim.h"

struct shim_follow {
	void *room;
	size_t bytes;
	const char *path;
	char **argv, **envp;		/* pointers to the caller's strings and into the room */
};

/* Does what this process executes stay on its machine? */
bool shim_following(void);
/* false: execute it as it is. Tells on stderr why, when it then leaves the machine. */
bool shim_follow(const char *path, char *const argv[], char *const envp[], struct shim_follow *out);
void shim_follow_end(struct shim_follow *f);	/* errno stays */

#endif
