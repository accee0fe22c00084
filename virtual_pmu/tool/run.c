/* SPDX-License-Identifier: MIT */
/* vpmu run: options, geometry, and the life of one run. vpmu_command_run() is the entry point: it
 * checks the options, enters a segment (place.c) and launches the program (launch.c). In the end it
 * reports and leaves the segment. Wrong options are refused before there is a segment. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool.h"

enum run_option { OPT_NO_FEED = VPMU_ASKED_CODES, OPT_NO_FOLLOW, OPT_STRICT, OPT_MSR_SAFE,
		  OPT_DEVICES, OPT_CPUS, OPT_SEED, OPT_RANDOM, OPT_TIME, OPT_ONLY, OPT_PROFILE,
		  OPT_DATA };

static const struct option options[] = {
	VPMU_ASKED_OPTIONS,
	{ "no-feed", no_argument, NULL, OPT_NO_FEED },
	{ "no-follow", no_argument, NULL, OPT_NO_FOLLOW },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "msr-safe", optional_argument, NULL, OPT_MSR_SAFE },
	{ "devices", required_argument, NULL, OPT_DEVICES },
	{ "cpus", required_argument, NULL, OPT_CPUS },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "random", required_argument, NULL, OPT_RANDOM },
	{ "time", required_argument, NULL, OPT_TIME },
	{ "only", required_argument, NULL, OPT_ONLY },
	{ "profile", required_argument, NULL, OPT_PROFILE },
	{ "data", no_argument, NULL, OPT_DATA },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
"Usage: vpmu run [OPTIONS] [--] PROGRAM [ARGUMENTS]\n"
"\n"
"Runs an x86-64 program, or a script by its interpreter, on a virtual machine\n"
"whose documented PMU counts what the program executes.\n"
"\n"
"  -m, --machine NAME    the machine (default " VPMU_DEFAULT_MACHINE "); see 'vpmu machines'\n"
"  -s, --segment PATH    keep the machine's state in this file, after the run too\n"
"      --cpus LIST       start on these CPUs of the machine, as in 0-1,3; 'rank': each rank\n"
"                        of a node on a core of its own; without it where taskset or\n"
"                        mpirun have bound vpmu: the host's CPUs of the same numbers,\n"
"                        or in order when the machine does not have those\n"
"      --slices N        number of LLC slices (CBo), 1 to 8; Comet Lake, Alder Lake\n"
"                        10, Raptor Lake, Arrow Lake 12\n"
"      --l1i, --l1d, --l2, --llc SIZE,WAYS[,LINE]\n"
"                        another cache geometry; SIZE in bytes, or with K or M\n"
"      --set REG=VALUE   value of a register when the machine is switched on\n"
"      --no-feed         run natively: the registers are there, nothing counts\n"
"      --no-follow       programs that the program executes run natively and do not\n"
"                        count; without this option they are on the machine, too\n"
"      --only NAME       count processes of that program alone, not the shell around it:\n"
"                        by the name of its file, or by the path if NAME has a slash\n"
"      --profile FOLDER  make a file of each process there that says which instruction\n"
"                        has caused what; 'vpmu profile FILE' prints it\n"
"      --data            with --profile: by calls, allocations and variables as well\n"
"      --strict          exit with 3 when the program broke a register rule\n"
"      --msr-safe[=FILE] the msr-safe module is loaded, with the allowlist in FILE\n"
"                        (none: an empty one); plain msr devices cannot be opened\n"
"      --devices MODE[:UID[:GID]]\n"
"                        the msr devices have this octal mode and owner, and users are\n"
"                        told apart; other users may write the machine's files, and\n"
"                        so bring down what runs on it. Without it everybody on the\n"
"                        machine may open everything\n"
"      --seed N          other random numbers, and other addresses of stack, program,\n"
"                        heap and mappings, for each N; 0 without it\n"
"      --random host     random numbers of the host; 'fixed', without it: the same in each\n"
"                        run, so nothing that has to stay secret may be made of them\n"
"      --time host       time is the host's; 'model', without it: the machine's, which\n"
"                        advances by what the program executes and waits. In a job of\n"
"                        a launcher, as mpirun, it is the host's without 'model'\n"
"  -h, --help            this text\n"
"\n"
"All ranks that one mpirun starts on a node share one machine; so do all runs with\n"
"the same -s PATH (or VPMU_SEGMENT in the environment).\n"
"\n"
"Exit status: the program's own (128 + N when signal N ended it); 127 when it was not\n"
"found, 126 when it could not be executed; 125 for wrong usage and when there is no\n"
"machine to run it on; 3 with --strict.\n"
"Environment: VPMU_SEGMENT, VPMU_LIBDIR (where the libraries are), VPMU_QEMU,\n"
"VPMU_SEED, VPMU_RANDOM, VPMU_TIME, VPMU_ONLY, VPMU_PROFILE (as the options, where they\n"
"are not given), VPMU_TALLY (a file that gets a line about what was left of the\n"
"machine).\n";

struct run_request {
	struct vpmu_asked machine;
	const char *cpus, *only, *profile;	/* as given; NULL: not */
	char counted[PATH_MAX];		/* the program of --only */
	char profiles[PATH_MAX];	/* the folder of --profile */
	struct vpmu_device_options devices;
	struct vpmu_fixed_options fixed;
	bool feed, follow, strict, data;
};

/* 0; VPMU_EXIT_USAGE; -1: help was printed. */
static int parse_options(int argc, char **argv, struct run_request *r)
{
	int code, rc = 0;

	*r = (struct run_request){ .feed = true, .follow = true };
	while ((code = getopt_long(argc, argv, "+" VPMU_ASKED_LETTERS "h", options, NULL)) != -1) {
		switch (code) {
		case OPT_NO_FEED: r->feed = false; break;
		case OPT_NO_FOLLOW: r->follow = false; break;
		case OPT_STRICT: r->strict = true; break;
		case OPT_MSR_SAFE:
			r->devices.msr_safe = true;
			r->devices.allowlist = optarg;
			break;
		case OPT_CPUS: r->cpus = optarg; break;
		case OPT_SEED: r->fixed.seed = optarg; break;
		case OPT_RANDOM: r->fixed.random = optarg; break;
		case OPT_TIME: r->fixed.time = optarg; break;
		case OPT_ONLY: r->only = optarg; break;
		case OPT_PROFILE: r->profile = optarg; break;
		case OPT_DATA: r->data = true; break;
		case OPT_DEVICES: r->devices.owner = optarg; break;
		case 'h':
			fputs(help, stdout);
			return -1;
		case '?':
			vpmu_complain("try 'vpmu run --help'");
			return VPMU_EXIT_USAGE;
		default:
			rc = vpmu_asked_option(&r->machine, code, optarg);
			if (rc)
				return rc;
		}
	}
	if (optind == argc) {
		vpmu_complain("run: no program given; try 'vpmu run --help'");
		return VPMU_EXIT_USAGE;
	}
	return 0;
}

static int run_on(struct vpmu_place *place, const struct run_request *r,
		  const struct vpmu_devices *devices, const struct vpmu_fixed *fixed, char **argv)
{
	struct vpmu_cpus cpus;
	struct vpmu_launch launch = { .place = place, .feed = r->feed, .follow = r->follow,
				      .cpus = &cpus, .fixed = fixed, .only = r->counted,
				      .profile = r->profiles, .data = r->data,
				      .argv = argv };
	struct vpmu_segment *s = place->segment;
	uint64_t before = s->violation_count, chosen = s->chosen_count;
	int status = 0, rc = vpmu_devices_set(place, devices);

	if (!rc && devices->msr_safe)
		rc = vpmu_system_add_safe(place);
	if (!rc)
		rc = vpmu_affinity(s, r->cpus, &cpus);
	if (!rc)
		rc = vpmu_launch(&launch, &status);
	if (!rc)
		rc = vpmu_place_check(place);
	if (rc)
		return rc;
	vpmu_report(s);
	if (!status && r->feed)
		status = vpmu_only_check(s, r->only, chosen);
	return r->strict && s->violation_count > before ? VPMU_EXIT_VIOLATIONS : status;
}

int vpmu_command_run(int argc, char **argv)
{
	struct vpmu_machine machine;
	struct vpmu_devices devices;
	struct vpmu_fixed fixed;
	struct vpmu_place *place;
	struct run_request r;
	int rc = parse_options(argc, argv, &r);

	if (rc)
		return rc < 0 ? 0 : rc;
	rc = vpmu_asked_machine(&r.machine, r.feed, &machine);
	if (!rc)
		rc = vpmu_devices_parse(&r.devices, &devices);
	if (!rc)
		rc = vpmu_fixed_parse(&r.fixed, r.feed, &fixed);
	if (!rc)
		rc = vpmu_only_parse(r.only, r.feed, r.counted);
	if (!rc)
		rc = vpmu_profiles_parse(r.profile, r.feed, r.profiles, &r.data);
	if (rc)
		return rc;
	place = calloc(1, sizeof(*place));
	if (!place) {
		vpmu_complain("no memory");
		return VPMU_EXIT_FAILURE;
	}
	place->for_others = devices.owned;
	rc = vpmu_place_enter(place, r.machine.segment, &machine,
			      vpmu_asked_open(&r.machine), r.machine.settings,
			      r.machine.setting_count);
	if (!rc) {
		rc = run_on(place, &r, &devices, &fixed, argv + optind);
		vpmu_place_leave(place);
	}
	free(place);
	return rc;
}
