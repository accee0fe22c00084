/* SPDX-License-Identifier: MIT */
/* Runs a program as often as it takes and keeps what was counted. */
#ifndef IPMU_RUN_MEASURE_H
#define IPMU_RUN_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include "passes.h"
#include "phases.h"
#include "sets.h"
#include "watch.h"
#include "window.h"

struct program;

/* Other programs that are counted as well, and how to start them and wait for them. */
struct company {
	void (*begin)(void *arg);		/* the counters run, the program does not yet */
	/* The program has ended, with that status: waits for all that is to be counted with it, and
	 * may correct the time that it took. */
	void (*end)(void *arg, const struct program *p, int status, uint64_t *ns);
	void *arg;
};

#define MEASURE_UNCOUNTED_MAX 160
#define MEASURE_NOT_EXECUTED "the program was not executed on the machine"

struct measurement {
	const struct event *events;
	int nevents, nparts;		/* parts of all events together */
	const struct passes *passes;
	const struct company *company;	/* NULL: none */
	const struct watch *watch;	/* NULL: nothing is read before the end */
	struct window *window;		/* what is counted of the program's time; NULL: all */
	struct phases *counting;	/* counts named regions while it runs; NULL: nothing does */
	const struct phase_list *phases;	/* the regions; NULL: there is no list */
	int runs;			/* requested ones */
	int done;			/* complete ones, or the only one, complete or not */
	struct count *counts;		/* [run][pass][part] */
	uint64_t *run_ns;		/* [run][pass] */
	bool of_machine;		/* these times are of the virtual machine's clock */
	struct timeline *timelines;	/* [run][pass], empty ones where none was requested */
	bool used;			/* a repeated run has not begun on a fresh machine */
	int status;			/* the program's last that is not 0, as a shell has it */
	bool killed;			/* a signal has ended the program, and the runs */
	const char *only;	/* nothing but this program is counted; NULL: all is */
	bool emulated;		/* the program is started on a virtual machine, by `vpmu run` */
	uint64_t begun;		/* programs that the machine has executed meanwhile */
	char uncounted[MEASURE_UNCOUNTED_MAX];	/* which programs were not counted; "": none */
	char lost[COUNT_WHY_MAX];	/* what could not be read, "" if all could */
};

/* 0; a negative errno with why where counting was not possible. Where the program could not be
 * executed -ENOEXEC, and m->status is 127 or 126. A signal that ends the program, or is sent to us,
 * ends the runs. */
int measure(struct measurement *m, char **argv, char why[COUNT_WHY_MAX]);
void measure_free(struct measurement *m);

/* Index of a run and pass in run_ns. */
size_t measure_place(const struct measurement *m, int run, int pass);
const struct count *measure_counts(const struct measurement *m, int run, int pass);
/* The first pass that has the event. */
int measure_pass(const struct measurement *m, int event);

#endif
