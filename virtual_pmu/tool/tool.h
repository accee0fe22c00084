/* SPDX-License-Identifier: MIT */
/* tool/: vpmu(1), which makes a machine, runs programs on it and reports what they did to it.
 * Functions that fail have printed a sentence on stderr; they return the command's exit status, or
 * -1 where a value is expected. */
#ifndef VPMU_TOOL_H
#define VPMU_TOOL_H

#include <limits.h>
#include <stdint.h>

#include "../model/model.h"

enum { VPMU_EXIT_FAILURE = 1, VPMU_EXIT_USAGE = 2, VPMU_EXIT_VIOLATIONS = 3 };

#define VPMU_DEFAULT_MACHINE "skl-4c8t"
#define VPMU_SETTINGS_MAX 32

/* ---- complain.c ---- */
/* Prints a line on stderr, with the command's name in front. */
__attribute__((format(printf, 1, 2))) void vpmu_complain(const char *format, ...);

/* ---- place.c: which segment a run uses, and which runs share it ---- */
struct vpmu_place {
	char path[PATH_MAX - 16];
	char topology[PATH_MAX];	/* hwloc XML file next to it */
	char state[PATH_MAX];		/* directory next to it: what programs keep until a boot */
	char system[PATH_MAX];		/* and what Linux says about the machine, in files */
	bool keep;			/* named by the user: stays */
	bool created;			/* by this process */
	bool for_others;		/* others may write the segment, says the user */
	int fd;				/* holds the shared flock that says "in use" */
	struct vpmu_segment *segment;
};

#define VPMU_SEGMENT_PREFIX "vpmu-%u-"	/* the effective user's id; host and job follow */
#define VPMU_UNPUBLISHED ".new-"	/* in the name of a segment that is being made */

/* All but for_others is set here. path: from -s, or NULL. machine: what is asked for; any: nothing
 * is asked for, join what there is. On creation the machine is switched on with the settings
 * (texts REG=VALUE). */
int vpmu_place_enter(struct vpmu_place *place, const char *path, const struct vpmu_machine *machine,
		     bool any, const char *const *settings, int setting_count);
/* Gives it up. The last run on a segment removes it, unless the user has named it. */
void vpmu_place_leave(struct vpmu_place *place);
/* Is the segment still all there? */
int vpmu_place_check(const struct vpmu_place *place);
/* Checks REG=VALUE against the machine; applies it when s is not NULL. */
int vpmu_setting(const struct vpmu_machine *m, struct vpmu_segment *s, const char *text);

/* ---- beside.c: the directories beside a segment ---- */
int vpmu_state_make(const struct vpmu_place *place);
/* NULL, or what is wrong with a directory that is beside the segment already. */
const char *vpmu_beside_unusable(const struct vpmu_place *place, const char *path);

/* ---- remains.c: removing ---- */
/* Removes what is beside the segment of this path. */
void vpmu_beside_remove(const char *path);
/* Removes the segment as well. */
void vpmu_remains_remove(const char *path);
/* Removes the segments that this user's runs made and that no run uses any more. */
void vpmu_remains_sweep(void);

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
int vpmu_topology_write(const char *path, const struct vpmu_machine *m);

/* ---- system.c ---- */
/* Makes the directory, unless it is there. */
int vpmu_system_write(const struct vpmu_place *place);
void vpmu_system_remove(const char *path);

/* ---- affinity.c ---- */
struct vpmu_cpus {
	bool bound;			/* to those of the mask; else all of the machine */
	uint64_t mask[VPMU_CPUS_MAX / 64];
};
/* cpus: from --cpus, or NULL. */
int vpmu_affinity(struct vpmu_segment *s, const char *cpus, struct vpmu_cpus *out);

/* ---- launch.c ---- */
struct vpmu_launch {
	const struct vpmu_place *place;
	bool feed;
	bool follow;			/* what the program executes is emulated, too */
	const struct vpmu_cpus *cpus;	/* on which it starts */
	char **argv;			/* the program and its arguments */
};
/* Runs it to its end; *status as a shell would report it. */
int vpmu_launch(const struct vpmu_launch *launch, int *status);

/* ---- report.c ---- */
/* Prints what has not been told yet; with the machine's name where it matters. */
void vpmu_report(struct vpmu_segment *s);

/* ---- list.c, run.c: the subcommands ---- */
int vpmu_command_machines(int argc, char **argv);
int vpmu_command_events(int argc, char **argv);
int vpmu_command_regs(int argc, char **argv);
int vpmu_command_run(int argc, char **argv);

#endif
