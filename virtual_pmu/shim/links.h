/* SPDX-License-Identifier: MIT */
/* Files behind links. */
#ifndef VPMU_SHIM_LINKS_H
#define VPMU_SHIM_LINKS_H

#include <limits.h>
#include <stdbool.h>

/* When the process starts: of a program that was started by a relative name the emulator knows no
 * more once it has changed its folder. */
void shim_links_begin(void);
bool shim_same_file(const char *one, const char *other);

struct shim_beyond {
	int lent;		/* one more than a descriptor that is inherited meanwhile, or 0 */
	char room[PATH_MAX];
};

/* The path by which the emulator finds what is executed here by this one, perhaps in `room`. */
const char *shim_beyond_links(const char *path, struct shim_beyond *b);
void shim_beyond_end(const struct shim_beyond *b);

#endif
