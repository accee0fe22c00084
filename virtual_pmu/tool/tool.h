/* SPDX-License-Identifier: MIT */
/* tool/: vpmu(1), which makes a machine, runs programs on it and reports what they did to it.
 * Functions that fail have printed a sentence on stderr; they return the command's exit status, or
 * -1 where a value is expected. */
#ifndef VPMU_TOOL_H
#define VPMU_TOOL_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../common/own_name.h"
#include "../machine/program.h"
#include "../model/model.h"

/* Errors of its own have one status, as those of env(1), which programs rarely use. */
enum { VPMU_EXIT_VIOLATIONS = 3, VPMU_EXIT_FAILURE = 125, VPMU_EXIT_USAGE = VPMU_EXIT_FAILURE,
       VPMU_EXIT_NOT_EXECUTABLE = 126, VPMU_EXIT_NOT_FOUND = 127 };

#define VPMU_DEFAULT_MACHINE "skl-4c8t"
#define VPMU_SETTINGS_MAX 32

/* ---- complain.c ---- */
/* Prints a line on stderr, with the command's name in front. */
__attribute__((format(printf, 1, 2))) void vpmu_complain(const char *format, ...);
/* The status to leave with; a complaint where the standard output could not be written. */
int vpmu_complain_unwritten(int status);

/* ---- now.c ---- */
/* Milliseconds since some moment, by a clock that is never set. */
int64_t vpmu_now_ms(void);

/* ---- place.c: which segment a run uses, and which runs share it ---- */
struct vpmu_place {
	char path[PATH_MAX - 16];
	char topology[PATH_MAX];	/* hwloc XML file next to it */
	char state[PATH_MAX];		/* directory next to it: what programs keep until a boot */
	char system[PATH_MAX];		/* and what Linux reports of the machine, in files */
	bool keep;			/* named by the user: stays */
	bool created;			/* by this process */
	bool for_others;		/* others may write the segment, says the user */
	int fd;				/* holds the shared flock that says "in use" */
	struct vpmu_segment *segment;
};

#define VPMU_UNPUBLISHED ".vpmu-new-"	/* in the names of what is in the making */

/* All but for_others is set here. path: from -s, or NULL. machine: the requested one; any: none is
 * requested, join the existing one. On creation the machine is switched on with the settings (texts
 * REG=VALUE). */
int vpmu_place_enter(struct vpmu_place *place, const char *path, const struct vpmu_machine *machine,
		     bool any, const char *const *settings, int setting_count);
/* Releases it. The last run on a segment removes it, unless the user has named it. */
void vpmu_place_leave(struct vpmu_place *place);
/* Is the segment still all there? */
int vpmu_place_check(const struct vpmu_place *place);

/* ---- setting.c ---- */
/* Checks REG=VALUE against the machine; applies it when s is not NULL. */
int vpmu_setting(const struct vpmu_machine *m, struct vpmu_segment *s, const char *text);

/* ---- beside.c: what is beside a segment ---- */
int vpmu_state_make(const struct vpmu_place *place);
/* NULL, or what is wrong with a file or directory that is beside the segment already. */
const char *vpmu_beside_unusable(const struct vpmu_place *place, const char *path,
				 enum own_name kind);
/* True after a complaint: a name that a new segment needs is in use for something else. */
bool vpmu_beside_refused(const struct vpmu_place *place);
/* Makes a marked directory under a temporary name. Returns its descriptor, or a negative errno. */
int vpmu_beside_begin(char temporary[PATH_MAX], const char *path, enum own_name kind);
/* Renames it to `path`, or removes it. Returns 0 or an errno. 0 also if another directory has the
 * name: vpmu_beside_unusable() has to check whose that is. */
int vpmu_beside_publish(const char *temporary, const char *path);

/* ---- remains.c: removing ---- */
/* Removes what runs have made beside the segment of this path. */
void vpmu_beside_remove(const char *path);
/* A directory of this user with all that is in it. */
void vpmu_folder_remove(const char *path);
/* Removes the segment as well. */
void vpmu_remains_remove(const char *path);
/* Removes what killed runs have left in the folder of that segment. named: by the user, so only
 * what runs were about to make for this segment; otherwise every segment that no run uses. */
void vpmu_remains_sweep(const char *path, bool named);

/* ---- devices.c ---- */
struct vpmu_device_options {
	bool msr_safe;
	const char *allowlist, *owner;	/* as given; NULL: not */
};
int vpmu_devices_parse(const struct vpmu_device_options *o, struct vpmu_devices *d);
int vpmu_devices_set(const struct vpmu_place *place, const struct vpmu_devices *d);

/* ---- tally.c ---- */
/* Appends the state of the machine to the file $VPMU_TALLY; no other run may use the machine. */
void vpmu_tally(const struct vpmu_place *place);

/* ---- topology.c ---- */
/* Replaces the file beside the segment, if a run has made it. */
int vpmu_topology_write(const struct vpmu_place *place);

/* ---- system.c ---- */
/* Makes the directory, unless it is there. */
int vpmu_system_write(const struct vpmu_place *place);
/* Adds the device files of msr-safe. */
int vpmu_system_add_safe(const struct vpmu_place *place);

/* ---- affinity.c ---- */
struct vpmu_cpus {
	bool bound;			/* to those of the mask; else all of the machine */
	uint64_t mask[VPMU_CPUS_MAX / 64];
};
/* cpus: from --cpus, or NULL. */
int vpmu_affinity(struct vpmu_segment *s, const char *cpus, struct vpmu_cpus *out);
/* The number in the first of these variables that holds one; -1: in none. */
long vpmu_first_number(const char *const *names, size_t n);

/* ---- fixed.c: what is the same in each run ---- */
struct vpmu_fixed_options { const char *seed, *random, *time; };	/* as given; NULL: not */
/* Values of the options, or of the environment. The program finds the latter only if it runs
 * natively, for machines that it starts. */
int vpmu_fixed_parse(const struct vpmu_fixed_options *o, bool feed, struct vpmu_fixed *out);

/* ---- only.c: the program that is counted ---- */
/* "" without the option and its variable. With --no-feed the variable is for machines that the
 * program starts. */
int vpmu_only_parse(const char *option, bool feed, char out[PATH_MAX]);
/* Complains if none was executed since the count was `before`. The setter of the variable checks
 * for itself. */
int vpmu_only_check(const struct vpmu_segment *s, const char *option, uint64_t before);

/* ---- profiles.c: the folder of --profile, or of its variable ---- */
/* "" without them. With --no-feed the variables are for machines that the program starts. *data:
 * whether --data was given; becomes true with its variable, too. */
int vpmu_profiles_parse(const char *option, bool feed, char out[PATH_MAX], bool *data);

/* ---- asked.c: options about the machine itself ---- */
struct vpmu_asked {
	const char *name, *segment, *slices, *cache[4];		/* as given; NULL: not */
	const char *settings[VPMU_SETTINGS_MAX];
	int setting_count;
};
enum { VPMU_OPT_SLICES = 256, VPMU_OPT_L1I, VPMU_OPT_L1D, VPMU_OPT_L2, VPMU_OPT_LLC, VPMU_OPT_SET,
       VPMU_ASKED_CODES };
#define VPMU_ASKED_LETTERS "m:s:"
#define VPMU_ASKED_OPTIONS \
	{ "machine", required_argument, NULL, 'm' }, \
	{ "segment", required_argument, NULL, 's' }, \
	{ "slices", required_argument, NULL, VPMU_OPT_SLICES }, \
	{ "l1i", required_argument, NULL, VPMU_OPT_L1I }, \
	{ "l1d", required_argument, NULL, VPMU_OPT_L1D }, \
	{ "l2", required_argument, NULL, VPMU_OPT_L2 }, \
	{ "llc", required_argument, NULL, VPMU_OPT_LLC }, \
	{ "set", required_argument, NULL, VPMU_OPT_SET }
int vpmu_asked_option(struct vpmu_asked *r, int code, const char *value);
int vpmu_asked_machine(const struct vpmu_asked *r, bool feed, struct vpmu_machine *m);
/* Any machine will do. */
bool vpmu_asked_open(const struct vpmu_asked *r);

/* ---- parts.c: where files are ---- */
/* Prints why program_find() has none; the status to leave with. */
int vpmu_complain_program(const char *name, int rc);
/* A file of the installation; VPMU_LIBDIR; else where vpmu is installed; else beside it, as in the
 * build directory. */
int vpmu_find_part(const char *name, char *out, size_t bytes);
/* The same, without a message. */
int vpmu_look_for_part(const char *name, char *out, size_t bytes);

/* ---- launch.c ---- */
struct vpmu_launch {
	const struct vpmu_place *place;
	bool feed;
	bool follow;			/* what the program executes is emulated, too */
	const struct vpmu_fixed *fixed;
	const char *only;		/* the program that is counted; "": all */
	const char *profile;		/* the folder of profiles; "": none is made */
	bool data;			/* they are by calls and data, too */
	const struct vpmu_cpus *cpus;	/* on which it starts */
	char **argv;			/* the program and its arguments */
};
/* Runs it to its end; *status as a shell would report it. */
int vpmu_launch(const struct vpmu_launch *launch, int *status);

/* ---- report.c ---- */
/* Prints what has not been reported yet; with the machine's name where it matters. */
void vpmu_report(struct vpmu_segment *s);

/* ---- list.c, run.c: the subcommands ---- */
int vpmu_command_machines(int argc, char **argv);
int vpmu_command_events(int argc, char **argv);
int vpmu_command_regs(int argc, char **argv);
int vpmu_command_run(int argc, char **argv);
int vpmu_command_profile(int argc, char **argv);	/* profile.c */

#endif
