/* SPDX-License-Identifier: MIT */
/* The command WORK, if there is one, executes the work that a rank counts. Called with CPU WHAT
 * NUMBER, it emulates mpi/work.c on the machine where the rank itself runs natively. That takes a
 * thirtieth of an emulated rank's time. */
#include <stdio.h>
#include <stdlib.h>

static inline int work_elsewhere(int cpu, const char *what, long number)
{
	char command[400];
	const char *program = getenv("WORK");

	if (!program || !*program)
		return 0;
	snprintf(command, sizeof(command), "'%s' %d %s %ld", program, cpu, what, number);
	if (system(command))
		fprintf(stderr, "failed: %s\n", command);
	return 1;
}
