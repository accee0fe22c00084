/* SPDX-License-Identifier: MIT */
/* Kinds of programs, and the command line that runs it under the emulator: for the program that
 * `vpmu run` starts, and for those that are executed on the machine. Nothing here allocates or
 * prints. */
#ifndef VPMU_PROGRAM_H
#define VPMU_PROGRAM_H

#include <limits.h>

#include "machine.h"

enum vpmu_program_kind {
	VPMU_PROGRAM,			/* can be emulated */
	VPMU_PROGRAM_PRIVILEGED,	/* set-user-id and the like: lost under the emulator */
	VPMU_PROGRAM_SANITIZED,		/* has a sanitizer's runtime: see sanitizer.c */
	VPMU_PROGRAM_FOREIGN,		/* not x86-64 */
	VPMU_PROGRAM_OTHERS,		/* runs as a user without access to the machine */
};

/* Scripts that interpret each other, at most, as in Linux. */
#define VPMU_SCRIPTS_MAX 5

struct vpmu_program {
	enum vpmu_program_kind kind;
	char path[PATH_MAX];		/* as given */
	/* The #! lines, cut into words: interpreter and its one argument of the last script, then
	 * of the one that this interprets, and so on. */
	char lines[VPMU_SCRIPTS_MAX + 1][256];
	const char *words[2 * VPMU_SCRIPTS_MAX];
	int word_count;
	const char *sanitizer;		/* a name of its runtime; or NULL */
};

/* Reads the heads of the file and of its interpreters. 0 or an errno: ENOEXEC when it is neither a
 * program nor a script, ELOOP after too many scripts, EACCES when it (or an interpreter) cannot be
 * executed, ENOENT when it (or its loader) is not there. */
int vpmu_program_load(const char *path, struct vpmu_program *p);
/* The file of the program that the kernel would start. */
const char *vpmu_program_file(const struct vpmu_program *p);

/* Is it the program of this name, or with a slash in it of this path? The script and the executable
 * have names; if that is a link, so has the file behind it. An empty name is all programs'. */
bool vpmu_program_is(const struct vpmu_program *p, const char *name);

/* In one directory. */
#define VPMU_NATIVE_LIBRARY "libvpmu_native.so"
#define VPMU_FEED_LIBRARY "libvpmu_feed.so"

/* The variable that preloads the library in front of the other libraries (NULL: none), for a native
 * program. */
#define VPMU_PRELOAD_BYTES (PATH_MAX * 2 + 64)
void vpmu_preload(char out[VPMU_PRELOAD_BYTES], const char *library, const char *others);

/* Values that are the same in each run of a program, and not the host's. */
struct vpmu_fixed {
	uint64_t seed;		/* moves addresses and random numbers; 0: addresses stay */
	uint64_t stream;	/* seed of the random numbers of one process */
	bool host_random;	/* random numbers are the host's */
	bool model_time;	/* time is the machine's */
};
/* The stream of the index-th process that one of this stream starts; index: from 1. */
uint64_t vpmu_fixed_stream(uint64_t stream, uint64_t index);

struct vpmu_emulator {
	char qemu[PATH_MAX], cpu[256], plugin[PATH_MAX * 7 + 400], stream[24];
};
/* tool: vpmu itself, which runs natively; NULL: so does all that the program executes. */
void vpmu_emulator_fill(struct vpmu_emulator *e, const struct vpmu_machine *m, const char *feed,
			const char *segment, const char *tool, const struct vpmu_fixed *fixed);

/* Options that programs on the machine pass on to those that they execute. tool: vpmu itself;
 * NULL: they leave the machine. only: the program that is counted; "": all. profile, data: see
 * below. */
struct vpmu_passed_on { const char *tool, *only, *profile; bool data; };

/* --only: sets the program that the plugin counts, and whether this is it. */
void vpmu_emulator_choose(struct vpmu_emulator *e, const struct vpmu_program *p, const char *only);

/* --profile: sets the folder in which the plugin makes a profile; "": none. data: the profile is by
 * calls and data as well. */
void vpmu_emulator_profile(struct vpmu_emulator *e, const char *folder, bool data);

/* Sets where the plugin sends the messages of named regions (common/mpi_region.h); NULL:
 * nowhere. */
void vpmu_emulator_regions(struct vpmu_emulator *e, const char *where);

/* Would the emulator, or libraries in its process, heed this NAME=VALUE that is the program's? It
 * gets VPMU_USER_VARIABLE in front then. */
bool vpmu_emulator_heeds(const char *variable);

/* Words that are put before a program's own, at most. */
#define VPMU_EMULATOR_WORDS (12 + 2 * VPMU_SCRIPTS_MAX)
/* Writes the command line to out[], which ends with NULL. argv: of the program. */
void vpmu_emulator_words(const struct vpmu_emulator *e, const struct vpmu_program *p,
			 char *const argv[], const char **out);

#endif
