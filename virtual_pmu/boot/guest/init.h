/* SPDX-License-Identifier: MIT */
/* The first process of a booted machine, linked statically and alone in its first file system. */
#ifndef VPMU_INIT_H
#define VPMU_INIT_H

#include <sys/types.h>

#include "../wire.h"

/* The host's order to start a program: a VPMU_START frame, cut into pieces. */
struct init_order {
	const struct vpmu_start *start;
	gid_t *groups;
	const char *host, *folder;
	char **words, **settings;	/* end with NULL */
};

/* ---- order.c ---- */
/* Cuts a VPMU_START frame, which stays the order's. False: it is incomplete, or no memory. */
bool init_order_cut(void *payload, size_t bytes, struct init_order *order);
/* Reports that a program can be started, and receives the order. */
void init_receive(int control, struct init_order *order);

/* ---- setup.c: from an empty machine to the host's file system ---- */
/* Functions that fail do not return: init_fail() ends the machine. */
void init_modules(void);
void init_first_folders(void);
/* Afterwards / is the host's. */
void init_file_system(const struct init_order *order);
void init_names(const struct init_order *order);
/* Whatever was written into the shared working folder is on the host. */
void init_file_system_end(const struct init_order *order);

/* ---- life.c ---- */
/* Starts it, and returns its status when it has ended. ports: of the control and of the streams. */
int init_life_run(const struct init_order *order, const int *ports);
/* Passes on the output that the program has left, and counts all of it. */
void init_life_drain(struct vpmu_ended *ended);

/* ---- child.c: the program ---- */
struct init_child {
	pid_t pid;
	int near[VPMU_STREAMS];		/* init's ends of stdin, stdout, stderr; -1: none */
	int terminal;			/* the pty's master, -1: none */
};
void init_child_start(const struct init_order *order, struct init_child *child);
void init_child_window(const struct init_child *child, const struct vpmu_window *w);

/* ---- end.c ---- */
__attribute__((noreturn)) void init_switch_off(void);
/* Sends the sentence to the host, by this port once it is known, and switches the machine off. */
__attribute__((format(printf, 1, 2), noreturn)) void init_fail(const char *format, ...);
void init_fail_to(int port);
/* Signals this to the machine's counters. True: they have answered. */
enum init_bell { INIT_BELL_START = 1, INIT_BELL_END = 2 };
bool init_ring(enum init_bell which);

#endif
