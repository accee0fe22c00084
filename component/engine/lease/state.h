/* SPDX-License-Identifier: MIT */
/* The state directory: one file for each package or CPU, in which processes agree on which of them
 * counts what. /run/ipmu, or IPMU_STATE_DIR; "none" there means to do without. A directory or file
 * is refused if a user who may not write the registers can have written it. */
#ifndef IPMU_STATE_H
#define IPMU_STATE_H

#include "../pmu/pmu.h"

#include <limits.h>

#define IPMU_STATE_DIR "/run/ipmu"
#define IPMU_STATE_BOOT "/proc/sys/kernel/random/boot_id"

/* "package-0.skl_unc", "cpu-3.knc". */
void ipmu_state_name(const struct ipmu_family *family, int place, char name[64]);

/* The place in a file's name; -EINVAL: the name is not one of that family. */
int ipmu_state_place(const struct ipmu_family *family, const char *name);

/* Is IPMU_STATE_DIR "none"? */
bool ipmu_state_none(void);

/* Open the directory, with `make` make it if need be: of mode 0755 for root alone, or 2770 with the
 * group that may write the devices of the registers; one that the user names 0700. A descriptor
 * that the caller closes, or a negative errno and a sentence. *path is the environment's. */
int ipmu_state_open(bool make, const char **path, char *why);

/* Open the file for reading and writing, with `make` make it if need be. A file that cannot be one
 * of ours (a link, not a regular file, ...) is refused. */
int ipmu_state_file(int dir, const char *dir_path, const char *name, bool make, char *why);

/* The kernel's name of this boot; "" if it gives none. */
void ipmu_state_boot(char boot_id[40]);

#endif
