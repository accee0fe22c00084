/* SPDX-License-Identifier: MIT */
/* libipmu_mpi_region.so: reports to the node's ipmu-run when MPI begins and ends, in a program
 * without code for that (mpi_region.h). Counting, reports and endings are handled by ipmu-run.
 *
 * It is preloaded into programs of any MPI implementation, and into launchers, shells and vpmu. So
 * there is no mpi.h in it, and no library but C's: it hands on pointers and ints alone, an MPI_Comm
 * included, which x86-64 passes alike as either. MPI_Init and PMPI_Init are both here, as a tool
 * before us, or Fortran's MPI_Init, may call the latter. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "region_socket.h"

#define EXPORT __attribute__((visibility("default")))
#define SUCCESS 0		/* MPI_SUCCESS, by the standard */
#define OURS 125		/* the exit status of errors that are not the program's */

union symbol {
	void *object;
	int (*init)(int *, char ***);
	int (*init_thread)(int *, char ***, int, int *);
	int (*finalize)(void);
	int (*abort)(void *, int);
};

static int depth;		/* of MPI_Init in MPI_Init */
static void *caller;

/* MPI's library may be loaded for a plugin of the program alone, as Python's modules have it. */
static void *next(const char *name)
{
	void *symbol = dlsym(RTLD_NEXT, name), *plugin = NULL;
	Dl_info from;

	if (!symbol && dladdr(caller, &from) && from.dli_fname)
		plugin = dlopen(from.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (plugin)
		symbol = dlsym(plugin, name);
	if (symbol)
		return symbol;
	fprintf(stderr, "ipmu-run: no library of the program has %s: is this an MPI program?\n",
		name);
	exit(OURS);
}

/* Returns when the answer is there, or there is nobody to give one. Any answer lets the program
 * continue. */
static void tell(enum region_what what)
{
	struct region_message message = { .head = REGION_HEAD, .what = (int)what };
	struct sockaddr_un to;
	int fd, saved = errno;
	uint64_t is;

	if (!region_address(secure_getenv(REGION_ENV), &to, &message.rank))
		return;
	fd = region_connect(&to, &is);
	if (fd >= 0) {
		region_ask(fd, is, &message);
		descriptor_close(fd, is);
	}
	errno = saved;
}

static int begun(int rc)
{
	if (--depth == 0 && rc == SUCCESS)
		tell(REGION_BEGUN);
	return rc;
}

static int init_by(const char *name, int *argc, char ***argv)
{
	const union symbol real = { next(name) };

	depth++;
	return begun(real.init(argc, argv));
}

static int init_thread_by(const char *name, int *argc, char ***argv, int required, int *provided)
{
	const union symbol real = { next(name) };

	depth++;
	return begun(real.init_thread(argc, argv, required, provided));
}

static int finalize_by(const char *name)
{
	const union symbol real = { next(name) };
	static int told;

	if (!told++)
		tell(REGION_ENDED);
	return real.finalize();
}

static int abort_by(const char *name, void *comm, int code)
{
	const union symbol real = { next(name) };

	tell(REGION_ABORTS);
	return real.abort(comm, code);
}

#define EXPORTED(name, parameters, result) \
	EXPORT int name parameters; \
	EXPORT int name parameters { caller = __builtin_return_address(0); return result; }
#define THREADS (int *argc, char ***argv, int required, int *provided)

EXPORTED(MPI_Init, (int *argc, char ***argv), init_by("MPI_Init", argc, argv))
EXPORTED(PMPI_Init, (int *argc, char ***argv), init_by("PMPI_Init", argc, argv))
EXPORTED(MPI_Init_thread, THREADS,
	 init_thread_by("MPI_Init_thread", argc, argv, required, provided))
EXPORTED(PMPI_Init_thread, THREADS,
	 init_thread_by("PMPI_Init_thread", argc, argv, required, provided))
EXPORTED(MPI_Finalize, (void), finalize_by("MPI_Finalize"))
EXPORTED(PMPI_Finalize, (void), finalize_by("PMPI_Finalize"))
EXPORTED(MPI_Abort, (void *comm, int code), abort_by("MPI_Abort", comm, code))
EXPORTED(PMPI_Abort, (void *comm, int code), abort_by("PMPI_Abort", comm, code))
