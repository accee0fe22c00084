/* SPDX-License-Identifier: MIT */
/* ipmu-mpi-run: runs a program in an environment that makes it count. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_limit.h"
#include "mpi_environment.h"
#include "options.h"
#include "run.h"

#define PRELOAD "libipmu_mpi_preload.so"

static const struct option options[] = {
	{ "events", required_argument, NULL, 'e' },
	{ "output", required_argument, NULL, 'o' },
	{ "interval", required_argument, NULL, 'i' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
"Usage: mpirun -n RANKS ipmu-mpi-run -e EVENT[,EVENT]... [OPTIONS] [--] PROGRAM [ARGUMENTS]\n"
"\n"
"Counts PAPI events from MPI_Init to MPI_Finalize of an unmodified MPI program, and any\n"
"other program from its start to its end, as ipmu-run does. One rank of each node counts\n"
"what all of its ranks share, so that sums are right. The report goes to stderr.\n"
"\n"
"  -e, --events LIST      PAPI's names of events; may be repeated\n"
"  -o, --output PREFIX    also write PREFIX.csv and PREFIX.json\n"
"      --interval MS      and PREFIX.nodeN.timeline.csv, a line each MS milliseconds\n"
"  -h, --help             this text\n"
"  -V, --version          the version\n"
"\n"
"On the virtual machine: mpirun -n 4 ipmu-mpi-run -e LIST vpmu run -m skl-4c8t PROGRAM\n"
"\n"
"Exit status: the program's own; 127 when it was not found, 126 when it could not be\n"
"executed; 125 for wrong usage, when an event cannot be counted or PREFIX not be written,\n"
"and when a program that ended with 0 has no report.\n";

/* Options of ipmu-run, perf and LIKWID. */
#define IPMU_RUN "ipmu-run has it, for programs with MPI too: mpirun -n RANKS ipmu-run ... PROGRAM"
#define FILES "-o PREFIX writes PREFIX.csv and PREFIX.json"
#define MACHINE "the virtual machine stands before the program: vpmu run -m MACHINE PROGRAM"
#define TIMELINE "--interval MS with -o PREFIX writes a line each MS milliseconds"
static const struct option_hint hints[] = {
	{ "-g", IPMU_RUN }, { "--group", IPMU_RUN }, { "--groups", IPMU_RUN }, { "-r", IPMU_RUN },
	{ "--repeat", IPMU_RUN }, { "--passes", IPMU_RUN }, { "--per-cpu", IPMU_RUN },
	{ "--per-box", IPMU_RUN }, { "-q", IPMU_RUN }, { "--quiet", IPMU_RUN },
	{ "--on", MACHINE }, { "-m", MACHINE }, { "--machine", MACHINE },
	{ "--json", FILES }, { "-j", FILES }, { "-x", FILES }, { "--csv", FILES },
	{ "-I", TIMELINE }, { "-t", TIMELINE },
	{ "-n", "the launcher starts ranks: mpirun -n RANKS ipmu-mpi-run ... PROGRAM" },
	{ NULL, NULL },
};

static int append(char **list, const char *word, const char *between)
{
	char *longer;

	if (asprintf(&longer, "%s%s%s", *list ? *list : "", *list && **list ? between : "",
		     word) < 0)
		return complain(EXIT_USAGE, "no memory");
	free(*list);
	*list = longer;
	return 0;
}

/* In the private folder of the libraries, which is found from ours. */
static int preload_find(char *out, size_t bytes)
{
	char self[PATH_MAX], joined[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	if (strrchr(self, '/'))
		*strrchr(self, '/') = '\0';
	snprintf(joined, sizeof(joined), "%s/" IPMU_BIN_TO_LIB "/ipmu/" PRELOAD, self);
	char *real = realpath(joined, NULL);
	bool fits = real && snprintf(out, bytes, "%s", real) < (int)bytes;
	free(real);
	if (!fits)
		return complain(EXIT_USAGE, "cannot find %s", joined);
	/* The dynamic linker knows no quoting. */
	if (strpbrk(out, " :,"))
		return complain(EXIT_USAGE, "%s: install it where the path has no blank, colon or "
				"comma", out);
	return 0;
}

static int set_preload(void)
{
	char path[PATH_MAX];
	const char *others = getenv("LD_PRELOAD");
	char *list = others && *others ? strdup(others) : NULL;
	int rc = preload_find(path, sizeof(path));

	if (!rc)
		rc = append(&list, path, ":");
	if (!rc)
		setenv("LD_PRELOAD", list, 1);
	free(list);
	return rc;
}

/* Absolute: the program may change its directory. */
static int set_output(const char *prefix)
{
	char here[PATH_MAX], path[PATH_MAX * 2];

	if (option_word("-o", prefix) || option_prefix(prefix))
		return EXIT_USAGE;
	if (!strcmp(prefix, "-"))
		return complain(EXIT_USAGE, "-o -: a PREFIX of files is needed; ipmu-run -o - "
				"writes JSON to stdout");
	if (*prefix == '/')
		return setenv(ENV_OUTPUT, prefix, 1);
	if (!getcwd(here, sizeof(here)))
		return complain(EXIT_USAGE, "no working directory: %s", strerror(errno));
	snprintf(path, sizeof(path), "%s/%s", here, prefix);
	return setenv(ENV_OUTPUT, path, 1);
}

static int set_interval(const char *text)
{
	int ms;

	return option_interval(text, &ms) ? EXIT_USAGE : setenv(ENV_INTERVAL, text, 1);
}

static int check(const char *events, char **program)
{
	if (!events || !*events)
		return complain(EXIT_USAGE, "no events: give -e EVENT[,EVENT]...; "
				"papi_native_avail lists them");
	if (!program[0])
		return complain(EXIT_USAGE, "no program given; try 'ipmu-mpi-run --help'");
	if (getenv(ENV_INTERVAL) && !getenv(ENV_OUTPUT))
		return complain(EXIT_USAGE, "--interval needs -o PREFIX: the timeline is a file");
	/* What an emulated program starts is not emulated. */
	if (getenv("VPMU_FEED"))
		return complain(EXIT_USAGE, "this is the virtual machine already, and the program "
				"would run outside it: say ipmu-mpi-run ... vpmu run ... PROGRAM");
	return 0;
}

/* The list without the empty names that ours may have. */
static char *without_empty(const char *events)
{
	char *out = strdup(events), *to = out;

	for (const char *from = events; out && *from; from++)
		if (*from != ',' || (to > out && to[-1] != ','))
			*to++ = *from;
	if (to && to > out && to[-1] == ',')
		to--;
	if (to)
		*to = '\0';
	return out;
}

/* A program that does not call MPI_Init is counted by ipmu-run, which is beside us if it has been
 * built. Empty: it has not. */
static char **compose(const char *events, int argc, char **program)
{
	static char until[] = "--until-mpi-init", e[] = "-e", o[] = "-o", end[] = "--";
	char *const head[] = { until, e, without_empty(events), getenv(ENV_OUTPUT) ? o : end,
			       getenv(ENV_OUTPUT), end };
	char **words = calloc((size_t)argc + 8, sizeof(*words)), *self, *slash;
	size_t n = getenv(ENV_OUTPUT) ? 6 : 4;

	self = words ? realpath("/proc/self/exe", NULL) : NULL;
	slash = self ? strrchr(self, '/') : NULL;
	if (slash)
		*slash = '\0';
	if (slash && (asprintf(&words[0], "%s/ipmu-run", self) < 0 || access(words[0], X_OK)))
		words[0] = NULL;
	free(self);
	if (!words || !words[0] || !head[2] || !head[2][0]) {
		if (words)
			words[0] = NULL;
		return words;
	}
	memcpy(words + 1, head, n * sizeof(*head));
	for (int i = 0; program[i]; i++)
		words[1 + n + (size_t)i] = program[i];
	return words;
}

int main(int argc, char **argv)
{
	char *events = NULL, **words;
	int code, rc = 0;

	file_limit_handle();
	unsetenv(ENV_OUTPUT);
	unsetenv(ENV_INTERVAL);
	while (!rc && (code = getopt_long(argc, argv, "+e:o:hV", options, NULL)) != -1) {
		if (code == 'h')
			return complain_unwritten(fputs(help, stdout) < 0, STATUS_OURS);
		if (code == 'V')
			return complain_unwritten(puts("ipmu-mpi-run " IPMU_VERSION) < 0,
						  STATUS_OURS);
		if (code == 'e')
			rc = option_word("-e", optarg) || append(&events, optarg, ",");
		else if (code == 'o')
			rc = set_output(optarg);
		else if (code == 'i')
			rc = set_interval(optarg);
		else
			rc = option_unknown(argv, hints);
	}
	if (!rc)
		rc = check(events, argv + optind);
	if (!rc)
		rc = set_preload();
	if (!rc && getenv(ENV_OUTPUT) && is_first_rank())
		rc = files_prepare(getenv(ENV_OUTPUT));
	if (rc)
		return EXIT_USAGE;
	setenv(ENV_EVENTS, events, 1);
	words = compose(events, argc, argv + optind);
	return words ? program_run(words, argv + optind) : complain(EXIT_USAGE, "no memory");
}
