/* SPDX-License-Identifier: MIT */
/* end HOW RANK: MPI_Init, and then that rank ends:
 *
 *   abort | kill | segv | well
 *   exit     without MPI_Finalize, while the others wait for it
 *   term     sends itself SIGTERM
 *   handled  the same, but handles it and goes on
 *   shut     PAPI_shutdown before the end
 *   fork     a child that exits */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void PAPI_shutdown(void);
#pragma weak PAPI_shutdown

static void ignore(int number)
{
	(void)number;
}

static void end(const char *how)
{
	if (!strcmp(how, "abort"))
		MPI_Abort(MPI_COMM_WORLD, 3);
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "segv"))
		raise(SIGSEGV);
	if (!strcmp(how, "exit"))
		exit(0);
	if (!strcmp(how, "term") || !strcmp(how, "handled"))
		raise(SIGTERM);
	if (!strcmp(how, "shut"))
		PAPI_shutdown();
	if (!strcmp(how, "fork") && fork() == 0)
		exit(0);
	wait(NULL);
}

int main(int argc, char **argv)
{
	int rank, who = argc > 2 ? atoi(argv[2]) : 0;
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "handled"))
		signal(SIGTERM, ignore);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == who)
		end(how);
	MPI_Finalize();
	return 0;
}
