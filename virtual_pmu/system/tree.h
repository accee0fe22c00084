/* SPDX-License-Identifier: MIT */
/* The machine's own files: next to the segment is a folder with what Linux has in /dev/cpu, /proc
 * and /sys for the machine. These functions find the paths that lead there. */
#ifndef VPMU_SYSTEM_TREE_H
#define VPMU_SYSTEM_TREE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vpmu_file {
	VPMU_HOSTS,			/* none of the machine's */
	VPMU_HIDDEN,			/* the host's, which the machine does not have */
	VPMU_DESCRIPTION,		/* a file or folder that needs nothing but the other path */
	VPMU_FILE_MSR,			/* /dev/cpu/N/msr */
	VPMU_FILE_SAFE,			/* /dev/cpu/N/msr_safe */
	VPMU_FILE_CPUID,		/* /dev/cpu/N/cpuid */
	VPMU_FILE_BATCH,		/* /dev/cpu/msr_batch */
	VPMU_FILE_CONFIG,		/* configuration space of 0000:00:00.0 */
	VPMU_FILE_MEM,			/* /dev/mem */
	VPMU_FILE_OUTSIDE,		/* the machine's own device */
	VPMU_NO_CPU,			/* a device of a CPU that the machine does not have */
	VPMU_RANDOM,			/* of a descriptor: the host's random numbers */
};

static inline bool vpmu_file_is_device(enum vpmu_file file)
{
	return file >= VPMU_FILE_MSR && file <= VPMU_FILE_OUTSIDE;
}

struct vpmu_found {
	enum vpmu_file file;
	uint32_t cpu;
	bool moved;			/* dots led out of the machine's folder */
	char path[PATH_MAX];		/* where it is; of the host's: without links and dots */
};

/* Finds a path that is spelled as in the documents, without a system call. False: it is not; use
 * vpmu_tree_look(). */
bool vpmu_tree_plain(const char *path, struct vpmu_found *found);
/* Follows links and dots as the kernel does. follow: a link at the end, too. False: there is no
 * such path (yet). */
bool vpmu_tree_look(int dir, const char *path, bool follow, struct vpmu_found *found);
/* Which file of the machine this path of the kernel's means: it has neither links nor dots. */
void vpmu_tree_of(const char *path, struct vpmu_found *found);
/* Finds the machine's file of a kind; false: its path is too long. */
bool vpmu_tree_device(enum vpmu_file file, uint32_t cpu, struct vpmu_found *found);
/* The path in /proc, /sys or /dev of a file in the machine's folder, in place; false: it is in
 * none. *length: of text, which does not end with a 0. */
bool vpmu_tree_outside(char *text, size_t *length, size_t room);

#endif
