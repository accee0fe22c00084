/* SPDX-License-Identifier: MIT */
/* What a rank counts is executed by the command WORK if there is one: with the arguments CPU WHAT
 * NUMBER it has mpi/work.c emulated on the machine where the rank runs natively, which takes a
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
