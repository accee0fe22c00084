/* SPDX-License-Identifier: MIT */
/* The program that is counted: a child that waits until the counters run. */
#ifndef IPMU_RUN_PROGRAM_H
#define IPMU_RUN_PROGRAM_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpus.h"

struct program {
	pid_t pid;
	int start_fd;		/* a byte written here starts it */
	int failure_fd;		/* an errno read here: it could not be executed */
	uint64_t began_ns;	/* when it was started, by CLOCK_MONOTONIC */
	bool killed;		/* a signal has ended it; under vpmu, by its status */
};

/* Signals that we are sent reach the program from then on, as those do that the terminal sends to
 * both. */
void program_signals(void);
/* The program gets these CPUs, whichever the launcher uses. They stay the caller's. */
void program_cpus(const struct cpus *cpus);
/* Sleeps in place of a program where there is none (argv[0] is NULL): so long, or with 0 until a
 * signal that would end a program. The status is 0. */
void program_sleep(double seconds);
/* 0, or -errno where there can be no child. */
int program_start(struct program *p, char **argv);
/* MPICH's launcher detects by the end of a connection that a rank has ended before MPI_Finalize.
 * With this the connection stays ours as well, until program_leave_connection(). */
void program_keep_connection(void);
void program_leave_connection(void);
/* Starts it and waits for its end. 0 with the status that a shell would give it: its own, or
 * 128 + n where signal n has ended it; -errno where it could not be executed (program_file.h). */
int program_run(struct program *p, int *status, uint64_t *ns);
/* True for 128 + n, the status for signal n: vpmu's, a shell's, or a program's own. */
static inline bool program_status_is_signal(int status)
{
	return status > 128 && status <= 128 + SIGRTMAX;
}
/* The kind of file that the caller and its program have as this descriptor: "terminal", "pipe",
 * "file", "socket", "device", or "closed". */
const char *program_stream(int fd);
/* Has any been started? */
bool program_has_run(void);
/* Ends it before it has become the program. */
void program_cancel(struct program *p);
/* The signal that has ended the program, or that requests our end. 0: none. */
int program_ending(void);

#endif
