/* SPDX-License-Identifier: MIT */
/* What a program is, and the command line that runs it under the emulator. `vpmu run` uses it for
 * the program that it starts, the shim for those that this one executes. Nothing here allocates or
 * prints, because it also runs between fork and exec. */
#ifndef VPMU_PROGRAM_H
#define VPMU_PROGRAM_H

#include <limits.h>

#include "machine.h"

enum vpmu_program_kind {
	VPMU_PROGRAM,			/* can have the shim */
	VPMU_PROGRAM_STATIC,		/* can be emulated, but has no loader that preloads */
	VPMU_PROGRAM_PRIVILEGED,	/* set-user-id and the like: lost under the emulator */
	VPMU_PROGRAM_SANITIZED,		/* has a sanitizer's runtime: see sanitizer.c */
	VPMU_PROGRAM_FOREIGN,		/* not x86-64 */
	VPMU_PROGRAM_OTHERS,		/* runs as a user without access to the machine */
};

struct vpmu_program {
	enum vpmu_program_kind kind;
	char path[PATH_MAX];		/* as given */
	char line[256];			/* the #! line, cut into words */
	char *words[2];			/* interpreter and its one argument */
	int word_count;
	const char *sanitizer;		/* a name of its runtime; or NULL */
};

/* Reads the heads of the file and of its interpreter. 0 or an errno: ENOEXEC when it is neither a
 * program nor a script, EACCES when it (or its interpreter) cannot be executed. */
int vpmu_program_load(const char *path, struct vpmu_program *p);
bool vpmu_program_runnable(const char *path);

/* Environment variables of a program whose children stay on the machine: the path of the emulator,
 * and that of vpmu, which starts the emulator itself. */
#define VPMU_FOLLOW_ENV "VPMU_FOLLOW"
#define VPMU_TOOL_ENV "VPMU_TOOL"
/* In one directory. */
#define VPMU_SHIM_LIBRARY "libvpmu_shim.so"
#define VPMU_FEED_LIBRARY "libvpmu_feed.so"

struct vpmu_emulator {
	char qemu[PATH_MAX], cpu[256], plugin[PATH_MAX * 2 + 64], preload[PATH_MAX * 2 + 64];
};
/* leaves: what the program executes leaves the machine, and has to be told of. */
void vpmu_emulator_fill(struct vpmu_emulator *e, const struct vpmu_machine *m, const char *feed,
			const char *segment, bool leaves);
/* Preloads the shim in front of the other libraries (NULL: none). */
void vpmu_emulator_preload(struct vpmu_emulator *e, const char *shim, const char *others);

/* Words that are put before a program's own, at most; beside two for each of `settings`. */
#define VPMU_EMULATOR_WORDS 14
/* Writes the command line to out[], which ends with NULL. settings: NAME=VALUE for its environment,
 * ends with NULL. argv: of the program. */
void vpmu_emulator_words(const struct vpmu_emulator *e, const struct vpmu_program *p,
			 const char *const *settings, char *const argv[], const char **out);

#endif
