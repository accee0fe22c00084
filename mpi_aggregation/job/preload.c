/* SPDX-License-Identifier: MIT */
/* libipmu_mpi_preload.so: starts the counting of a program that knows nothing of it.
 *
 * One for all MPI implementations, so there is no mpi.h in it: what it hands on are pointers and
 * ints, an MPI_Comm included, which x86-64 passes alike as either. The implementation says its name
 * when it is initialized, and libipmu_mpi_NAME.so is loaded then.
 *
 * It stands before MPI_Init and before PMPI_Init: a tool that stands before us calls the latter, as
 * Open MPI's Fortran does. What ends the counting hangs on MPI_COMM_SELF; MPI_Finalize is here in
 * case that could not be done. It needs nothing but the C library, because launchers, shells and
 * vpmu have it loaded too. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi_environment.h"
#include "hooks.h"
#include "mpi_note.h"
#include "statuses.h"

#define EXPORT __attribute__((visibility("default")))
#define RELEASE_MS 10000
#define SUCCESS 0		/* MPI_SUCCESS, by the standard */
#define VERSION_BYTES 8192	/* MPI_MAX_LIBRARY_VERSION_STRING of those below, and more */

/* What an implementation's name for itself begins with, and ours for it. */
static const struct { const char *says, *name; } implementations[] = {
	{ "Open MPI", "openmpi" },
	{ "MPICH", "mpich" },
};

union symbol {
	void *object;
	int (*init)(int *, char ***);
	int (*init_thread)(int *, char ***, int, int *);
	int (*finalize)(void);
	int (*abort)(void *, int);
	int (*library_version)(char *, int *);
};

static const struct ipmu_mpi_job_hooks *hooks;
static int depth;		/* of MPI_Init in MPI_Init */

EXPORT int MPI_Init(int *argc, char ***argv);
EXPORT int PMPI_Init(int *argc, char ***argv);
EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
EXPORT int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided);
EXPORT int MPI_Finalize(void);
EXPORT int PMPI_Finalize(void);
EXPORT int MPI_Abort(void *comm, int code);
EXPORT int PMPI_Abort(void *comm, int code);
EXPORT void PAPI_shutdown(void);

static void *next(const char *name)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	if (symbol)
		return symbol;
	fprintf(stderr, "ipmu-mpi-run: no library of the program has %s: is this an MPI "
			"program?\n", name);
	exit(STATUS_OURS);
}

static const char *implementation(void)
{
	static char version[VERSION_BYTES];
	union symbol ask = { next("MPI_Get_library_version") };
	int bytes = 0;

	ask.library_version(version, &bytes);
	for (size_t i = 0; i < sizeof(implementations) / sizeof(*implementations); i++)
		if (!strncmp(version, implementations[i].says, strlen(implementations[i].says)))
			return implementations[i].name;
	fprintf(stderr, "ipmu-mpi-run: the program's MPI is '%.60s'; only programs of Open MPI and "
		"MPICH can be counted\n", version);
	exit(STATUS_OURS);
}

/* lib/ipmu/libipmu_mpi_preload.so knows where lib/libipmu_mpi_NAME.so.ABI is. */
static void load(void)
{
	const char *name = implementation();
	char path[PATH_MAX] = "";
	Dl_info self;
	void *library = NULL;

	if (dladdr(&hooks, &self) && self.dli_fname && strrchr(self.dli_fname, '/') &&
	    snprintf(path, sizeof(path), "%.*s/../libipmu_mpi_%s.so." IPMU_ABI,
		     (int)(strrchr(self.dli_fname, '/') - self.dli_fname), self.dli_fname, name) <
	    (int)sizeof(path))
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library)
		hooks = dlsym(library, "ipmu_mpi_job_hooks");
	if (hooks)
		return;
	fprintf(stderr, "ipmu-mpi-run: the program uses %s, for which no libipmu_mpi can be "
		"loaded: %s; configure ipmu --with-mpi=%s\n", name, dlerror(), name);
	exit(STATUS_OURS);
}

static int begun(int rc)
{
	depth--;
	if (rc == SUCCESS && depth == 0 && secure_getenv(ENV_EVENTS)) {
		if (!hooks)
			load();
		hooks->begin();
	}
	return rc;
}

/* MPI's own library counts from here on, so a launcher that has begun at the program's start has to
 * let go of the counters. */
static void await_release(void)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	job_note(NOTE_INIT);
	if (!secure_getenv(ENV_EVENTS) || !job_noted(NOTE_COUNTED))
		return;
	for (int i = 0; i < RELEASE_MS && !job_noted(NOTE_RELEASED); i++)
		nanosleep(&ms, NULL);
}

static int init_by(const char *name, int *argc, char ***argv)
{
	union symbol real;

	await_release();
	real.object = next(name);
	depth++;
	return begun(real.init(argc, argv));
}

static int init_thread_by(const char *name, int *argc, char ***argv, int required, int *provided)
{
	union symbol real;

	await_release();
	real.object = next(name);
	depth++;
	return begun(real.init_thread(argc, argv, required, provided));
}

static int finalize_by(const char *name)
{
	union symbol real = { next(name) };

	if (hooks)
		hooks->finalize();
	return real.finalize();
}

static int abort_by(const char *name, void *comm, int code)
{
	union symbol real = { next(name) };

	if (hooks)
		hooks->abort();
	return real.abort(comm, code);
}

EXPORT int MPI_Init(int *argc, char ***argv)
{
	return init_by("MPI_Init", argc, argv);
}

EXPORT int PMPI_Init(int *argc, char ***argv)
{
	return init_by("PMPI_Init", argc, argv);
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	return init_thread_by("MPI_Init_thread", argc, argv, required, provided);
}

EXPORT int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	return init_thread_by("PMPI_Init_thread", argc, argv, required, provided);
}

EXPORT int MPI_Finalize(void)
{
	return finalize_by("MPI_Finalize");
}

EXPORT int PMPI_Finalize(void)
{
	return finalize_by("PMPI_Finalize");
}

EXPORT int MPI_Abort(void *comm, int code)
{
	return abort_by("MPI_Abort", comm, code);
}

EXPORT int PMPI_Abort(void *comm, int code)
{
	return abort_by("PMPI_Abort", comm, code);
}

/* Tools end PAPI before MPI ends; our counts would be lost. */
EXPORT void PAPI_shutdown(void)
{
	union { void *object; void (*function)(void); } real;

	if (hooks) {
		hooks->papi_shutdown();
		return;
	}
	real.object = dlsym(RTLD_NEXT, "PAPI_shutdown");
	if (real.function)
		real.function();
}
