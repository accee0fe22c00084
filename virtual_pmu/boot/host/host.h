/* SPDX-License-Identifier: MIT */
/* The host's half of `vpmu boot`: starts the system emulator and talks to the first process of the
 * machine, which is guest/. wire.h has their messages. Functions fail as those of tool.h do. */
#ifndef VPMU_BOOT_HOST_H
#define VPMU_BOOT_HOST_H

#include "../../tool/tool.h"

/* ---- boot.c: the subcommand ---- */
int vpmu_command_boot(int argc, char **argv);

struct vpmu_boot_ends;
struct vpmu_boot {
	const struct vpmu_place *place;
	bool feed, count_boot, console, suspend;
	bool caller;				/* the program runs as the caller's user */
	const char *qemu, *kernel, *modules;	/* as given; NULL: those of the installation */
	const char *append, *memory;
	char **argv;
};

/* ---- memory.c: memory of several packages ---- */
/* How much each package has; the last has the rest. 0: it is behind one bus. */
uint64_t vpmu_boot_node_bytes(const struct vpmu_boot *boot);
/* A descriptor of the table for the kernel. -1: failed, with a message. */
int vpmu_boot_affinity(const struct vpmu_boot *boot);

/* ---- clock.c ---- */
/* The frequency of the host's time stamp counter, in kHz. 0: not known. */
uint64_t vpmu_tsc_khz(void);

/* ---- image.c ---- */
/* A descriptor of the first file system: the first process, and the modules that it loads, out of
 * a /lib/modules/VERSION folder. -1: failed and said so. */
int vpmu_boot_image(const char *init, const char *modules);

/* ---- start.c: the emulator ---- */
struct vpmu_boot_ends {
	pid_t emulator;
	int control, streams[3];	/* our ends of the machine's ports */
	int log;			/* what the kernel's console and the emulator say */
	int wake;			/* a byte wakes a machine that is suspended */
	uint64_t violations;		/* that there were when the program started */
};
/* 0 or an exit status. */
int vpmu_boot_start(const struct vpmu_boot *boot, struct vpmu_boot_ends *ends);

/* ---- order.c ---- */
/* Sends what is to be started, in a frame. 0 or -1. */
int vpmu_boot_order(const struct vpmu_boot *boot, int control, const bool *terminal);
/* The working folder; can the machine have it as it is? */
bool vpmu_boot_folder(char *out, size_t bytes);

/* ---- talk.c ---- */
/* Carries streams and signals until the machine is off; *status as a shell has it. */
int vpmu_boot_talk(const struct vpmu_boot *boot, struct vpmu_boot_ends *ends, int *status);

#endif
