/* SPDX-License-Identifier: MIT */
/* Reads the command line: options_parse() and options_free(). Options end at the program's name.
 * Combinations that make no sense are refused with a sentence here, in options_check(), so that the
 * other files may rely on them. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../measure/counting/virtual.h"
#include "json_reader.h"
#include "run.h"

#define REPEAT_MAX 1000
#define SEEDS_MAX 1000
#define INTERVAL_MAX (24 * 3600 * 1000)		/* a day */
#define FOR_MPI "ipmu-mpi-run"

enum { OPT_ON = 256, OPT_GROUPS, OPT_PASSES, OPT_PER_CPU, OPT_PER_BOX, OPT_FROM,
       OPT_INTERVAL, OPT_COMPARE, OPT_DIFF, OPT_LIMIT, OPT_STATUS, OPT_FORMAT, OPT_TO, OPT_FORCE,
       OPT_SEED, OPT_MERGE, OPT_SHOW, OPT_FOR, OPT_ONLY, OPT_ABS, OPT_NAME, OPT_BASE, OPT_SUITE,
       OPT_SEEDS, OPT_PROFILE, OPT_DATA, OPT_ONLY_REGIONS, OPT_TRIAL, OPT_ROOF,
       OPT_L1I, OPT_L1D, OPT_L2, OPT_LLC };

const char *const machine_caches[MACHINE_CACHES] = { "--l1i", "--l1d", "--l2", "--llc" };

static const struct option options[] = {
	{ "group", required_argument, NULL, 'g' },
	{ "events", required_argument, NULL, 'e' },
	{ "on", required_argument, NULL, OPT_ON },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "seeds", required_argument, NULL, OPT_SEEDS },
	{ "l1i", required_argument, NULL, OPT_L1I },
	{ "l1d", required_argument, NULL, OPT_L1D },
	{ "l2", required_argument, NULL, OPT_L2 },
	{ "llc", required_argument, NULL, OPT_LLC },
	{ "roof", required_argument, NULL, OPT_ROOF },
	{ "only", required_argument, NULL, OPT_ONLY },
	{ "only-regions", no_argument, NULL, OPT_ONLY_REGIONS },
	{ "name", required_argument, NULL, OPT_NAME },
	{ "output", required_argument, NULL, 'o' },
	{ "base", required_argument, NULL, OPT_BASE },
	{ "suite", required_argument, NULL, OPT_SUITE },
	{ "repeat", required_argument, NULL, 'r' },
	{ "passes", no_argument, NULL, OPT_PASSES },
	{ "profile", no_argument, NULL, OPT_PROFILE },
	{ "data", no_argument, NULL, OPT_DATA },
	{ "trial", required_argument, NULL, OPT_TRIAL },	/* our own */
	{ "per-cpu", no_argument, NULL, OPT_PER_CPU },
	{ "per-box", no_argument, NULL, OPT_PER_BOX },
	{ "quiet", no_argument, NULL, 'q' },
	{ "interval", required_argument, NULL, OPT_INTERVAL },
	{ "compare", required_argument, NULL, OPT_COMPARE },
	{ "diff", required_argument, NULL, OPT_DIFF },
	{ "merge", required_argument, NULL, OPT_MERGE },
	{ "show", required_argument, NULL, OPT_SHOW },
	{ "limit", required_argument, NULL, OPT_LIMIT },
	{ "abs", required_argument, NULL, OPT_ABS },
	{ "status", required_argument, NULL, OPT_STATUS },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "to", required_argument, NULL, OPT_TO },
	{ "force", no_argument, NULL, OPT_FORCE },
	{ "for", required_argument, NULL, OPT_FOR },
	{ "groups", no_argument, NULL, OPT_GROUPS },
	{ "from-mpi-init", no_argument, NULL, OPT_FROM },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static const char usage[] =
"Usage: ipmu-run [-g GROUP[,GROUP]...] [-e EVENT[,EVENT]...] [OPTIONS] [--] PROGRAM [ARGUMENTS]\n"
"       ipmu-run -g GROUP... [--for SECONDS] [OPTIONS]\n"
"       ipmu-run [--on MACHINE] --groups\n"
"       ipmu-run --diff OLD.json NEW.json [--limit LIMIT]... [OPTIONS]\n"
"       ipmu-run [--on MACHINE] --suite FILE [-o FOLDER] [--compare FOLDER] [OPTIONS]\n"
"       ipmu-run --merge PREFIX [-o PREFIX]\n"
"       ipmu-run --show FILE.json [-o PREFIX]\n"
"\n";

static const char help[] =
"Counts events from the start of a program to its end: uncore events of every package,\n"
"core events of the CPUs that the program may use. The report goes to stderr. Without a\n"
"program, counts the machine until Ctrl-C or for --for SECONDS.\n"
"\n"
"  -g, --group LIST      count groups of events, with their metrics\n"
"  -e, --events LIST     count events: PAPI's names, with their component or without\n"
"      --groups          list the groups of this machine, and what they mean\n"
"      --on MACHINE      run on a virtual machine; 'vpmu machines' lists them\n"
"      --seed N          on that machine: other addresses and random numbers for each N\n"
"      --seeds N         count N of these, and compare the medians\n"
"      --l1i, --l1d, --l2, --llc SIZE,WAYS\n"
"                        of that machine's caches, as in 1M,16\n"
"      --only NAME       on that machine: count processes of this program alone, not the\n"
"                        shell around it; by the name of its file, or by its path\n"
"  -r, --repeat N        run the program N times: mean and deviation\n"
"      --passes          spread events that do not fit into the counters at once over\n"
"                        several runs of the program\n"
"      --profile         on that machine: which functions and source lines cause the counts;\n"
"                        with -o also PREFIX.callgrind.PID for callgrind_annotate\n"
"      --data            the same, and which variables and allocations they are of; lines\n"
"                        that threads contend for\n"
"      --per-cpu         show core events of each CPU\n"
"      --per-box         show uncore events of each box, such as an LLC slice\n"
"      --only-regions    count nothing but the regions that the program has named\n"
"                        (ipmu_region.h)\n"
"      --from-mpi-init   count a program with MPI from MPI_Init to MPI_Finalize;\n"
"                        ipmu-mpi-run is short for ipmu-run with this\n"
"  -o, --output PREFIX   also write PREFIX.csv, PREFIX.json and PREFIX.html, a page with\n"
"                        the machine; with - JSON to stdout, and no text\n"
"      --roof OPS,BYTES  on that page: peaks for the roofline of group ROOFLINE, in GFLOP/s\n"
"                        and GB/s, as measured\n"
"      --for SECONDS     without a program: count the machine for SECONDS, not until Ctrl-C\n"
"      --interval MS     also show the counts of each MS milliseconds: a line each on\n"
"                        stderr, or with -o in the files\n";

static const char more_help[] =
"      --base FILE       also write to FILE what --compare needs, and no more: for git\n"
"      --compare FILE    compare with FILE, of an earlier --base, or the JSON of -o, on\n"
"                        stdout; without -g and -e count what FILE has\n"
"      --diff OLD NEW    compare two such files, and run nothing\n"
"      --suite FILE      count each program of FILE, lines 'NAME: OPTIONS -- PROGRAM'; one\n"
"                        table; bases to and from FOLDER/NAME.json\n"
"      --merge PREFIX    join the PREFIX.NODE.json of a job's nodes, and run nothing\n"
"      --show FILE       show such a file, or that of ipmu_mpi_write(), with the metrics\n"
"                        of all groups whose events it has, and run nothing\n"
"      --limit LIMIT     fail where a count, or a metric that has a better direction, changes\n"
"                        by more: +0.5% (gets worse), -0.5% (gets better), 0.5% (either);\n"
"                        NAME=LIMIT is of one event or metric; may be repeated\n"
"      --abs N           no count fails for a change of N or less; NAME=N of one\n"
"      --status N        the exit status then; 122 without this\n"
"      --format FORMAT   format of the comparison: text, json or markdown; the new counts as\n"
"                        Bencher (bmf) and github-action-benchmark (gha) read them\n"
"      --to FILE         write the comparison to FILE\n"
"      --name NAME       the program's name in comparisons, in place of the last part of its\n"
"                        path, as for one whose file has a hash in its name\n"
"      --force           compare what would be refused, too\n"
"  -q, --quiet           no status line on the terminal while the program runs\n"
"  -h, --help            this text\n"
"  -V, --version         the version\n"
"\n"
"Exit status: the program's own, or 128 + N when signal N ended it; 127 when it was not\n"
"found, 126 when it could not be executed; 125 for wrong usage, when something could not\n"
"be counted, and when a program that ended with 0 has no report; 122 when a program that\n"
"ended with 0 is beyond a limit.\n";

/* Options of perf, LIKWID and launchers, and of our other commands. */
#define TIMELINE "--interval MS counts each MS milliseconds"
#define JSON "-o PREFIX writes PREFIX.json, PREFIX.csv and a page; -o - writes JSON to stdout"
#define CPUS "'taskset -c LIST ipmu-run ...' chooses CPUs; uncore events count whole packages"
#define ATTACH "only what it starts is counted; '-g GROUP --for 10' counts the machine for 10 s"
#define LISTS "--groups lists groups, papi_native_avail events"
#define MACHINE "--on MACHINE counts on a virtual machine, as in --on skl-4c8t"
#define LIMIT "--compare FILE --limit +0.5% compares with FILE, which an earlier --base FILE wrote"
#define RANKS "the launcher starts ranks: mpirun -n RANKS ipmu-run ... PROGRAM"
static const struct option_hint hints[] = {
	{ "-I", TIMELINE }, { "-t", TIMELINE }, { "--interval-print", TIMELINE },
	{ "--json", JSON }, { "-j", JSON }, { "-x", JSON }, { "--csv", JSON },
	{ "--field-separator", JSON }, { "--html", JSON },
	{ "--baseline", LIMIT }, { "--threshold", LIMIT },
	{ "-m", MACHINE }, { "--machine", MACHINE },
	{ "-a", CPUS }, { "--all-cpus", CPUS }, { "-C", CPUS }, { "-c", CPUS }, { "--cpu", CPUS },
	{ "--cpus", CPUS }, { "-p", ATTACH }, { "--pid", ATTACH },
	{ "-l", LISTS }, { "--list", LISTS }, { "-n", RANKS }, { "--np", RANKS },
	{ "-A", "--per-cpu shows each CPU" }, { "--per-core", "--per-cpu shows each CPU" },
	{ "--per-socket", "each package is in PREFIX.csv and PREFIX.json of -o PREFIX" },
	{ NULL, NULL },
};

/* By its other name the command has --from-mpi-init. */
static bool is_for_mpi(void)
{
	return !strcmp(program_invocation_short_name, FOR_MPI);
}

static int add_word(char ***list, int *n, const char *word, const char *what)
{
	char **more = realloc(*list, (size_t)(*n + 1) * sizeof(*more));

	if (more)
		*list = more;
	if (!more || !(more[*n] = strdup(word)))
		return complain(EXIT_USAGE, "%s: no memory", what);
	++*n;
	return 0;
}

static int add_words(char ***list, int *n, const char *text, const char *what)
{
	char *copy = strdup(text), *rest = copy, *word;
	int rc = copy ? 0 : complain(EXIT_USAGE, "%s: no memory", what);

	if (option_word(what, text)) {
		free(copy);
		return EXIT_USAGE;
	}
	while (!rc && (word = strsep(&rest, ",")) != NULL)
		rc = *word ? add_word(list, n, word, what) :
			     complain(EXIT_USAGE, "'%s': an empty name between commas", what);
	free(copy);
	return rc;
}

static int add_limit(struct options *o, const char *text)
{
	int rc = limits_add(&o->limits, text);

	if (rc == -ENOMEM)
		return complain(EXIT_CANNOT_COUNT, "no memory");
	return !rc ? 0 : complain(EXIT_USAGE, "--limit %s: give per cent, as in 0.5%%, +0.5%% or "
				  "-0.5%%, or NAME=0.5%% for one event or metric", text);
}

static int add_small(struct options *o, const char *text)
{
	int rc = limits_add_small(&o->limits, text);

	if (rc == -ENOMEM)
		return complain(EXIT_CANNOT_COUNT, "no memory");
	return !rc ? 0 : complain(EXIT_USAGE, "--abs %s: give a number, as in 64, or NAME=64 for "
				  "one event or metric", text);
}

static int take_format(const char *text, enum format *out)
{
	static const char *const names[] = {
		[FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", [FORMAT_MARKDOWN] = "markdown",
		[FORMAT_BMF] = "bmf", [FORMAT_GHA] = "gha",
	};

	for (int i = 0; i < (int)(sizeof(names) / sizeof(names[0])); i++)
		if (!strcmp(text, names[i])) {
			*out = (enum format)i;
			return 0;
		}
	return complain(EXIT_USAGE, "--format %s: give text, json, markdown, bmf or gha", text);
}

/* timeout(1) and our own errors have theirs. */
static int take_status(const char *text, int *out)
{
	int rc = option_number("--status", text, "the exit status", 255, out);

	if (rc || *out < STATUS_TIMEOUT || *out > STATUS_NOT_FOUND)
		return rc;
	return complain(EXIT_USAGE, "--status %d: %d to %d mean something else already; give "
			"another one", *out, STATUS_TIMEOUT, STATUS_NOT_FOUND);
}

static int take_seconds(const char *text, double *out)
{
	char *end;
	double s = strtod(text, &end);

	if (end == text || *end || !(s >= 0.001 && s <= 1e7))
		return complain(EXIT_USAGE, "--for %s: give a number of seconds from 0.001 to "
				"10000000", text);
	*out = s;
	return 0;
}

static int take_diff(struct options *o, char **argv)
{
	if (option_word("--diff", optarg))
		return EXIT_USAGE;
	if (!argv[optind] || (argv[optind][0] == '-' && argv[optind][1]))
		return complain(EXIT_USAGE, "--diff %s: give two files, the old one and the new "
				"one", optarg);
	o->compare = optarg;
	o->diff = argv[optind++];
	return 0;
}

static int take_roof(const char *text, double out[2])
{
	char *end;

	out[0] = strtod(text, &end);
	out[1] = *end == ',' ? strtod(end + 1, &end) : 0;
	return !*end && out[0] > 0 && out[0] <= 1e9 && out[1] > 0 && out[1] <= 1e9 ? 0 :
	       complain(EXIT_USAGE, "--roof %s: give the peaks of operations and of memory traffic "
			"in GFLOP/s and GB/s, as in 64,14.2", text);
}

static int option_take(struct options *o, int code, char **argv)
{
	switch (code) {
	case OPT_COMPARE: o->compare = optarg; return option_word("--compare", optarg);
	case OPT_DIFF: return take_diff(o, argv);
	case OPT_MERGE: o->merge = optarg;
			return option_word("--merge", optarg) || option_prefix(optarg) ?
			       EXIT_USAGE : 0;
	case OPT_SHOW: o->show = optarg; return option_word("--show", optarg);
	case OPT_LIMIT: return add_limit(o, optarg);
	case OPT_ABS: return add_small(o, optarg);
	case OPT_STATUS: return take_status(optarg, &o->beyond);
	case OPT_FORMAT: return take_format(optarg, &o->format);
	case OPT_TO: o->to = optarg; return option_word("--to", optarg);
	case OPT_FORCE: o->force = true; return 0;
	case 'g': return add_words(&o->groups, &o->ngroups, optarg, "-g");
	case 'e': return add_words(&o->events, &o->nevents, optarg, "-e");
	case 'r': return option_number("-r", optarg, "runs", REPEAT_MAX, &o->repeat);
	case 'o': o->output = optarg; return option_word("-o", optarg) || option_prefix(optarg) ?
					     EXIT_USAGE : 0;
	case 'q': o->quiet = true; return 0;
	case OPT_ON: o->on = optarg; return option_word("--on", optarg);
	case OPT_SEED: o->seed = optarg; return option_word("--seed", optarg);
	case OPT_L1I: case OPT_L1D: case OPT_L2: case OPT_LLC:
		o->cache[code - OPT_L1I] = optarg;
		return option_word(machine_caches[code - OPT_L1I], optarg);
	case OPT_ROOF: return take_roof(optarg, o->roof);
	case OPT_BASE: o->base_to = optarg; return option_word("--base", optarg);
	case OPT_SEEDS: return option_number("--seeds", optarg, "layouts", SEEDS_MAX, &o->seeds);
	case OPT_SUITE: o->suite = optarg; return option_word("--suite", optarg);
	case OPT_NAME: o->name = optarg; return option_word("--name", optarg);
	case OPT_ONLY: o->only = optarg; return option_word("--only", optarg);
	case OPT_FROM: o->from_mpi_init = true; return 0;
	case OPT_ONLY_REGIONS: o->only_regions = true; return 0;
	case OPT_FOR: return take_seconds(optarg, &o->seconds);
	case OPT_INTERVAL: return option_number("--interval", optarg, "milliseconds", INTERVAL_MAX,
						&o->interval_ms);
	case OPT_GROUPS: o->list = true; return 0;
	case OPT_PROFILE: o->profile = true; return 0;
	case OPT_DATA: o->profile = o->data = true; return 0;
	case OPT_TRIAL: o->trial = optarg; return option_word("--trial", optarg);
	case OPT_PASSES: o->passes = true; return 0;
	case OPT_PER_CPU: o->split.cpu = true; return 0;
	case OPT_PER_BOX: o->split.box = true; return 0;
	case 'h': return fputs(usage, stdout) < 0 || fputs(help, stdout) < 0 ||
			 fputs(more_help, stdout) < 0 ? EXIT_USAGE : -1;
	case 'V': return printf("%s " IPMU_VERSION "\n", is_for_mpi() ? FOR_MPI : "ipmu-run") < 0 ?
			 EXIT_USAGE : -1;
	default: return option_unknown(argv, hints);
	}
}

/* Finds an option for what to count that stands after the name of the program. NULL: there is
 * none. */
static const char *misplaced(char **argv)
{
	static const char *const ours[] = { "-g", "--group", "-e", "--events", "--on", "--only",
					      "--groups" };

	for (; *argv; argv++)
		for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
			if (!strcmp(*argv, ours[i]))
				return *argv;
	return NULL;
}

static int nothing_to_count(const struct options *o)
{
	const char *late = o->argv[0] ? misplaced(o->argv + 1) : NULL;

	if (late)
		return complain(EXIT_USAGE, "nothing to count: %s comes after %s, so it is an "
				"option of that program: write ipmu-run's options before the "
				"program", late, o->argv[0]);
	return complain(EXIT_USAGE, "nothing to count: give -g GROUP or -e EVENT; "
			"'ipmu-run --groups' lists groups, papi_native_avail events");
}

static bool counts_nothing(const struct options *o)
{
	return !o->ngroups && !o->nevents && !o->on && !o->seed && !o->name && !o->only &&
	       !o->list && !o->base_to && !o->profile;
}

/* Without -g and -e a comparison counts what its base has. */
static bool counts_as_base(const struct options *o)
{
	return o->compare && !o->suite && !o->diff && !o->merge && !o->show && !o->list &&
	       !o->ngroups && !o->nevents;
}

static int choose_as_base(struct options *o)
{
	char why[SAVED_WHY_MAX];
	int rc = 0;

	if (saved_read(o->compare, &o->base, why))
		return complain(EXIT_USAGE, "%s", why);
	for (int i = 0; i < o->base.n && !rc; i++) {
		const struct saved_item *item = &o->base.items[i];

		if (!item->group[0] && !item->unit)
			rc = add_word(&o->events, &o->nevents, item->name, "--compare");
		else if (item->group[0] && (!i || strcmp(item[-1].group, item->group)))
			rc = add_word(&o->groups, &o->ngroups, item->group, "--compare");
	}
	o->passes = o->passes || json_member_int(o->base.root, "passes", 1) > 1;
	return rc;
}

static int check_diff(const struct options *o)
{
	if (o->argv[0])
		return complain(EXIT_USAGE, "--diff compares two files: unexpected argument '%s'",
				o->argv[0]);
	return counts_nothing(o) && !o->output ? 0 :
	       complain(EXIT_USAGE, "--diff compares two files and counts nothing: omit -g, "
			"-e, --on, --seed, --only, --name, -o, --base, --profile and --groups");
}

/* --merge and --show. */
static int check_reading(const struct options *o)
{
	const char *option = o->merge ? "--merge" : "--show",
		   *does = o->merge ? "joins files" : "shows a file";

	if (o->argv[0])
		return complain(EXIT_USAGE, "%s %s: unexpected argument '%s'", option, does,
				o->argv[0]);
	return counts_nothing(o) && !o->compare && !(o->merge && o->show) ? 0 :
	       complain(EXIT_USAGE, "%s %s and counts nothing: leave out -g, -e, --on, --seed, "
			"--only, --name, --base, --profile, --groups, --compare, --diff%s", option,
			does, o->merge && o->show ? " and --show" : "");
}

static int check_compare(const struct options *o)
{
	if (!o->compare && !o->suite &&
	    (o->limits.n || o->beyond || o->format || o->to || o->force))
		return complain(EXIT_USAGE, "--limit, --abs, --status, --format, --to and --force "
				"are for a comparison: give --compare FILE or --diff OLD NEW as "
				"well");
	if (o->compare && o->output && !strcmp(o->output, "-") && !o->to)
		return complain(EXIT_USAGE, "-o - and --compare both write to the standard "
				"output: give --to FILE as well");
	return 0;
}

static int check_program(const struct options *o)
{
	return o->seconds == 0 ? 0 :
	       complain(EXIT_USAGE, "--for counts the machine, without a program: 'timeout %g %s' "
			"ends a program after that time", o->seconds, o->argv[0]);
}

/* Without a program the machine is watched. */
static int check_machine(const struct options *o)
{
	if (o->only_regions)
		return complain(EXIT_USAGE, "--only-regions: no program given");
	if (o->on)
		return complain(EXIT_USAGE, "no program given: nothing else executes on %s",
				o->on);
	if (o->from_mpi_init)
		return complain(EXIT_USAGE, "--from-mpi-init: no program given");
	if (o->seconds == 0 && (o->repeat > 1 || o->passes))
		return complain(EXIT_USAGE, "no program given: -r and --passes need to know how "
				"long a run is; give --for SECONDS as well");
	return 0;
}

/* With --on, the ipmu-run beside the machine checks --only and passes it on (virtual_only()). */
static int check_only(const struct options *o)
{
	if (!o->only || o->on)
		return 0;
	if (!virtual_is_beside())
		return complain(EXIT_USAGE, "--only %s: a processor's counters do not know whose "
				"work they count; a virtual machine does: give --on MACHINE as "
				"well", o->only);
	return virtual_is_native() ? 0 :
	       complain(EXIT_USAGE, "--only %s: ipmu-run runs on the virtual machine itself: give "
			"the option to 'vpmu run'", o->only);
}

/* As check_only(). */
static int check_profile(const struct options *o)
{
	if (!o->profile)
		return 0;
	if (o->list || !o->argv[0] || o->repeat > 1)
		return complain(EXIT_USAGE, "--profile is of one run of a program: %s",
				o->repeat > 1 ? "leave out -r" : "give the program");
	if (o->on)
		return 0;
	if (!virtual_is_beside())
		return complain(EXIT_USAGE, "--profile: no uncore counter of a processor records "
				"the instruction that it counts; a virtual machine does: give --on "
				"MACHINE as well. On this processor 'perf record' samples events "
				"of its cores, and 'perf c2c' contended lines");
	return virtual_is_native() ? 0 :
	       complain(EXIT_USAGE, "--profile: ipmu-run runs on the virtual machine itself: give "
			"--on MACHINE to ipmu-run instead");
}

static int check_suite(const struct options *o)
{
	if (o->argv[0])
		return complain(EXIT_USAGE, "--suite %s has the programs: unexpected argument "
				"'%s'", o->suite, o->argv[0]);
	if (o->diff || o->merge || o->show || o->list || o->base_to || o->name || o->interval_ms ||
	    o->seconds != 0 || o->from_mpi_init || o->profile ||
	    (o->output && !strcmp(o->output, "-")))
		return complain(EXIT_USAGE, "--suite %s counts several programs: leave out "
				"--diff, --merge, --show, --groups, --base, --name, --interval, "
				"--for, --from-mpi-init, --profile and -o -", o->suite);
	return !o->force || o->compare ? 0 :
	       complain(EXIT_USAGE, "--force is for a comparison: give --compare FOLDER as well");
}

static int check_only_regions(const struct options *o)
{
	if (!o->only_regions || (!o->from_mpi_init && !o->interval_ms))
		return 0;
	return complain(EXIT_USAGE, "--only-regions counts other parts of the program than "
			"--from-mpi-init (ipmu-mpi-run) and --interval: leave these out");
}

static int options_check(const struct options *o)
{
	const bool reads = o->merge || o->show;
	int rc = o->suite ? check_suite(o) : reads ? check_reading(o) :
		 o->diff ? check_diff(o) : check_compare(o);

	if (rc || o->suite || o->diff || reads)
		return rc;
	if (o->seeds && (!o->on || o->seed || o->output || o->repeat > 1 || o->interval_ms ||
			 o->list || !o->argv[0] || o->from_mpi_init || o->profile))
		return complain(EXIT_USAGE, "--seeds counts a program in several layouts of a "
				"virtual machine: give --on MACHINE and a program; leave out "
				"--seed, -r, -o, --interval, --profile and --from-mpi-init; "
				"--base FILE "
				"writes the medians");
	if (o->seed && !o->on)
		return complain(EXIT_USAGE, "--seed %s: only a virtual machine has one: give "
				"--on MACHINE as well", o->seed);
	for (int i = 0; i < MACHINE_CACHES; i++)
		if (o->cache[i] && !o->on)
			return complain(EXIT_USAGE, "%s %s: only a virtual machine has other "
					"caches: give --on MACHINE as well", machine_caches[i],
					o->cache[i]);
	if (o->roof[0] > 0 && !o->output)
		return complain(EXIT_USAGE, "--roof: only the page of -o PREFIX has a roofline: "
				"give -o PREFIX as well");
	rc = check_only(o);
	if (!rc)
		rc = check_profile(o);
	if (!rc)
		rc = check_only_regions(o);
	if (rc)
		return rc;
	if (o->list)
		return o->argv[0] || o->ngroups || o->nevents ?
		       complain(EXIT_USAGE, "--groups lists all groups, and runs no program") : 0;
	if (!o->ngroups && !o->nevents && !(o->on && counts_as_base(o)))
		return nothing_to_count(o);
	return o->argv[0] ? check_program(o) : check_machine(o);
}

/* NULL: no memory. */
static char *join_options(char **argv, int end)
{
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	if (f && is_for_mpi())
		fputs("--from-mpi-init ", f);
	for (int i = 1; f && i < end; i++)
		if (i + 1 < end || strcmp(argv[i], "--"))
			fprintf(f, "%s%s", i > 1 ? " " : "", argv[i]);
	if (f && !fclose(f))
		return text;
	free(text);
	return NULL;
}

static int options_read(int argc, char **argv, struct options *o)
{
	int code, rc = 0;

	*o = (struct options){ .repeat = 1, .from_mpi_init = is_for_mpi() };
	optind = 0;	/* a suite has several lines */
	while (!rc && (code = getopt_long(argc, argv, "+g:e:r:o:qhV", options, NULL)) != -1)
		rc = option_take(o, code, argv);
	o->first = optind;
	o->argv = argv + optind;
	return rc;
}

static int take_lists(const struct options *all, struct options *o)
{
	int rc = 0;

	if (o->ngroups || o->nevents)
		return 0;
	for (int i = 0; i < all->ngroups && !rc; i++)
		rc = add_word(&o->groups, &o->ngroups, all->groups[i], "-g");
	for (int i = 0; i < all->nevents && !rc; i++)
		rc = add_word(&o->events, &o->nevents, all->events[i], "-e");
	return rc;
}

/* Limits of the line replace those for all of the same name. */
static int take_limits(const struct options *all, struct options *o)
{
	struct limits own = o->limits;
	int rc;

	o->limits = (struct limits){ NULL, 0 };
	o->own = own;
	rc = limits_join(&o->limits, &all->limits);
	if (!rc)
		rc = limits_join(&o->limits, &own);
	return rc ? complain(EXIT_CANNOT_COUNT, "no memory") : 0;
}

static int check_line(const struct options *o)
{
	if (o->compare || o->diff || o->merge || o->show || o->list || o->output || o->to ||
	    o->format || o->force || o->beyond || o->suite || o->base_to || o->on ||
	    o->interval_ms || o->seconds != 0 || o->from_mpi_init || o->profile)
		return complain(EXIT_USAGE, "options of a benchmark are -g, -e, -r, --passes, "
				"--only, --name, --seed, --seeds, --limit and --abs");
	if (!o->argv[0])
		return complain(EXIT_USAGE, "no program given");
	return o->ngroups || o->nevents ? 0 : nothing_to_count(o);
}

int options_parse_line(int argc, char **argv, const struct options *all, const char *name,
		       struct options *o)
{
	int rc = options_read(argc, argv, o);

	if (!rc)
		rc = take_lists(all, o);
	if (!rc)
		rc = take_limits(all, o);
	if (!rc)
		rc = check_line(o);
	o->on = all->on;
	o->seed = o->seed ? o->seed : all->seed;
	o->seeds = o->seeds ? o->seeds : all->seeds;
	for (int i = 0; i < MACHINE_CACHES; i++)
		o->cache[i] = o->cache[i] ? o->cache[i] : all->cache[i];
	o->only = o->only ? o->only : all->only;
	o->name = o->name ? o->name : name;
	o->passes = o->passes || all->passes;
	o->repeat = o->repeat > 1 ? o->repeat : all->repeat;
	return rc;
}

int options_parse(int argc, char **argv, struct options *o)
{
	int rc = options_read(argc, argv, o);

	/* The ipmu-run beside the machine chooses for itself. */
	if (!rc && counts_as_base(o) && (!o->on || o->seeds))
		rc = choose_as_base(o);
	if (!rc)
		rc = options_check(o);
	if (!o->beyond)
		o->beyond = STATUS_BEYOND;
	if (!rc && !(o->given = join_options(argv, optind)))
		rc = complain(EXIT_USAGE, "no memory");
	if (rc)
		options_free(o);
	return rc;
}

void options_free(struct options *o)
{
	for (int i = 0; i < o->ngroups; i++)
		free(o->groups[i]);
	for (int i = 0; i < o->nevents; i++)
		free(o->events[i]);
	free(o->groups);
	free(o->events);
	free(o->given);
	saved_free(&o->base);
	limits_free(&o->limits);
	limits_free(&o->own);
}
