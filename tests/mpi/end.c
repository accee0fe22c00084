/* SPDX-License-Identifier: MIT */
/* end HOW RANK [WHAT]: MPI_Init, and then that rank ends:
 *
 *   abort | kill | segv | well
 *   exit     without MPI_Finalize, while the others wait for it
 *   term     sends itself SIGTERM
 *   handled  the same, but handles it and goes on
 *   hangup   the same with SIGHUP
 *   shut     PAPI_shutdown before the end
 *   fork     a child that exits
 *   quit     by _exit, of which nobody hears
 *   orphan   kills the process that has started it, and sleeps
 *   nap      after 300 ms
 *   threads  like well, but all begin with MPI_Init_thread
 *   remove   a folder, which the command line names then
 *   limited  to files of as many bytes as the command line says then, after a nap
 *
 * Before that each rank runs the command MEANWHILE, if there is one. After MPI_Finalize its signals
 * have to be as they were before MPI_Init, or it ends with 9. */
#include <ftw.h>
#include <locale.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void PAPI_shutdown(void);
#pragma weak PAPI_shutdown

static void ignore(int number)
{
	(void)number;
}

/* Not any child: Open MPI has one of its own where there is no launcher. */
static void child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		exit(0);
	waitpid(pid, NULL, 0);
}

static int rm(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void limit_files(const char *bytes)
{
	struct rlimit limit = { strtoul(bytes, NULL, 10), RLIM_INFINITY };

	setrlimit(RLIMIT_FSIZE, &limit);
}

static void end(const char *how, const char *what)
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
	if (!strcmp(how, "hangup"))
		raise(SIGHUP);
	if (!strcmp(how, "shut") && PAPI_shutdown)
		PAPI_shutdown();
	if (!strcmp(how, "fork"))
		child();
	if (!strcmp(how, "orphan")) {
		kill(getppid(), SIGKILL);
		sleep(60);
	}
	if (!strcmp(how, "quit"))
		_exit(0);
	if (!strcmp(how, "limited"))
		limit_files(what);
	if (!strcmp(how, "nap") || !strcmp(how, "limited"))
		usleep(300000);
	if (!strcmp(how, "remove"))
		nftw(what, rm, 8, FTW_DEPTH | FTW_PHYS);
}

static void handlers(void (*out[2])(int))
{
	struct sigaction term, hangup;

	sigaction(SIGTERM, NULL, &term);
	sigaction(SIGHUP, NULL, &hangup);
	out[0] = term.sa_handler;
	out[1] = hangup.sa_handler;
}

int main(int argc, char **argv)
{
	void (*before[2])(int), (*after[2])(int);
	int level, rank, who = argc > 2 ? atoi(argv[2]) : 0;
	const char *how = argc > 1 ? argv[1] : "", *meanwhile = getenv("MEANWHILE");

	setlocale(LC_ALL, "");
	if (!strcmp(how, "handled"))
		signal(SIGTERM, ignore);
	if (!strcmp(how, "hangup"))
		signal(SIGHUP, ignore);
	handlers(before);
	if (!strcmp(how, "threads"))
		MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	else
		MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (meanwhile && system(meanwhile))
		fprintf(stderr, "failed: %s\n", meanwhile);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == who)
		end(how, argc > 3 ? argv[3] : "");
	MPI_Finalize();
	handlers(after);
	return memcmp(before, after, sizeof(before)) ? 9 : 0;
}
