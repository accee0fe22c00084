/* SPDX-License-Identifier: MIT */
/* --on MACHINE, by run_on_machine(): the process becomes `vpmu run`. On the virtual machine
 * ipmu-run itself runs natively, beside the machine's registers, and only the program is emulated.
 * So nothing of ipmu-run is counted or slows the program down. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beside.h"
#include "program_file.h"
#include "run.h"

/* Count the words at argv that are an option of the outer `vpmu run`. */
static int words_of_machine(char **argv)
{
	static const char *const names[] = { "--on", "--seed" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) + MACHINE_CACHES; i++) {
		const char *name = i < MACHINE_CACHES ? machine_caches[i] :
				   names[i - MACHINE_CACHES];
		size_t n = strlen(name);

		if (!strncmp(*argv, name, n) && (!(*argv)[n] || (*argv)[n] == '='))
			return (*argv)[n] ? 1 : 2;
	}
	return 0;
}

/* ipmu-run OPTIONS PROGRAM becomes
 * vpmu run --no-feed -m MACHINE -- ipmu-run OPTIONS -- vpmu run -- PROGRAM, where the inner one
 * joins the machine of the outer. */
static void compose(const struct options *o, int argc, char **argv, char *self, char *vpmu,
		    char **out)
{
	static char run[] = "run", no_feed[] = "--no-feed", m[] = "-m", end[] = "--",
		    seed[] = "--seed", from_mpi_init[] = "--from-mpi-init";
	char *const head[] = { vpmu, run, no_feed, m, (char *)(uintptr_t)o->on };
	char *const middle[] = { end, vpmu, run, end };
	int n = 0;

	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		out[n++] = head[i];
	if (o->seed) {
		out[n++] = seed;
		out[n++] = (char *)(uintptr_t)o->seed;
	}
	for (int i = 0; i < MACHINE_CACHES; i++)
		if (o->cache[i]) {
			out[n++] = (char *)(uintptr_t)machine_caches[i];
			out[n++] = (char *)(uintptr_t)o->cache[i];
		}
	out[n++] = end;
	out[n++] = self;
	if (o->from_mpi_init)	/* that may have been set by the command's name */
		out[n++] = from_mpi_init;
	for (int i = 1, skipped; i < o->first; i += skipped ? skipped : 1) {
		skipped = words_of_machine(argv + i);
		if (!skipped && (i + 1 < o->first || strcmp(argv[i], "--")))
			out[n++] = argv[i];
	}
	for (size_t i = 0; o->argv[0] && i < sizeof(middle) / sizeof(middle[0]); i++)
		out[n++] = middle[i];
	for (int i = o->first; i < argc; i++)
		out[n++] = argv[i];
	out[n] = NULL;
}

static int cannot_execute(const char *name, int rc)
{
	char why[PROGRAM_WHY_MAX];

	program_why(name, rc, why);
	return complain(program_refused(rc), "%s", why);
}

int run_on_machine(const struct options *o, int argc, char **argv)
{
	char self[PATH_MAX], vpmu[PATH_MAX], path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char **words;
	int rc;

	if (n < 0)
		return complain(EXIT_CANNOT_COUNT, "cannot read /proc/self/exe: %s; mount /proc, "
				"which the machine needs", strerror(errno));
	self[n] = '\0';
	words = calloc((size_t)argc + 18 + 2 * MACHINE_CACHES, sizeof(*words));
	rc = o->list ? 0 : program_find(getenv("PATH"), o->argv[0], path, sizeof(path));
	if (getenv("VPMU_SEGMENT") && getenv("HWLOC_XMLFILE"))
		rc = complain(EXIT_USAGE, "--on %s: this is a virtual machine already", o->on);
	else if (rc)
		rc = cannot_execute(o->argv[0], rc);
	if (rc || !words) {
		free(words);
		return words ? rc : complain(EXIT_CANNOT_COUNT, "no memory");
	}
	if (!beside_program("vpmu", vpmu) || access(vpmu, X_OK))	/* then it is in PATH */
		strcpy(vpmu, "vpmu");
	compose(o, argc, argv, self, vpmu, words);
	execvp(vpmu, words);
	free(words);
	return complain(EXIT_CANNOT_COUNT, "cannot run vpmu, the virtual machine: %s",
			strerror(errno));
}
