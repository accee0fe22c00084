/* SPDX-License-Identifier: MIT */
/* vpmu run: options, geometry, and the life of one run. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../machine/geometry.h"
#include "tool.h"

enum option_code { OPT_SLICES = 256, OPT_L1I, OPT_L1D, OPT_L2, OPT_LLC, OPT_SET, OPT_NO_FEED,
		   OPT_NO_FOLLOW, OPT_STRICT, OPT_MSR_SAFE, OPT_DEVICES, OPT_CPUS };

static const struct option options[] = {
	{ "machine", required_argument, NULL, 'm' },
	{ "segment", required_argument, NULL, 's' },
	{ "slices", required_argument, NULL, OPT_SLICES },
	{ "l1i", required_argument, NULL, OPT_L1I },
	{ "l1d", required_argument, NULL, OPT_L1D },
	{ "l2", required_argument, NULL, OPT_L2 },
	{ "llc", required_argument, NULL, OPT_LLC },
	{ "set", required_argument, NULL, OPT_SET },
	{ "no-feed", no_argument, NULL, OPT_NO_FEED },
	{ "no-follow", no_argument, NULL, OPT_NO_FOLLOW },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "msr-safe", optional_argument, NULL, OPT_MSR_SAFE },
	{ "devices", required_argument, NULL, OPT_DEVICES },
	{ "cpus", required_argument, NULL, OPT_CPUS },
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
"      --slices N        number of LLC slices (CBo), 1 to 8\n"
"      --l1i, --l1d, --l2, --llc SIZE,WAYS,LINE\n"
"                        another cache geometry; SIZE in bytes, or with K or M\n"
"      --set REG=VALUE   value of a register when the machine is switched on\n"
"      --no-feed         run natively: the registers are there, nothing counts\n"
"      --no-follow       what the program executes leaves the machine: it runs natively\n"
"                        and does not count; without it all that is executed counts\n"
"      --strict          exit with 3 when the program broke a register rule\n"
"      --msr-safe[=FILE] the msr-safe module is loaded, with the allowlist in FILE\n"
"                        (none: an empty one); plain msr devices cannot be opened\n"
"      --devices MODE[:UID[:GID]]\n"
"                        the msr devices have this octal mode and owner, and users are\n"
"                        told apart; other users may write the machine's files, and\n"
"                        so bring down what runs on it. Without it everybody on the\n"
"                        machine may open everything\n"
"  -h, --help            this text\n"
"\n"
"All ranks that one mpirun starts on a node share one machine; so do all runs with\n"
"the same -s PATH (or VPMU_SEGMENT in the environment).\n"
"\n"
"Exit status: the program's own (128 + N when signal N ended it), 2 for wrong usage,\n"
"1 when it could not be run, 3 with --strict.\n"
"Environment: VPMU_SEGMENT, VPMU_LIBDIR (where the libraries are), VPMU_QEMU,\n"
"VPMU_TALLY (a file that gets a line about what was left of the machine).\n";

struct request {
	const char *name, *segment, *slices, *cpus, *cache[4];	/* as given; NULL: not */
	const char *settings[VPMU_SETTINGS_MAX];
	int setting_count;
	struct vpmu_device_options devices;
	bool feed, follow, strict;
};

static const char *const cache_names[4] = { "--l1i", "--l1d", "--l2", "--llc" };

static bool parse_number(const char *text, char **end, uint32_t *out)
{
	unsigned long long n;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	n = strtoull(text, end, 0);
	if (**end == 'K' || **end == 'k')
		n <<= 10;
	else if (**end == 'M')
		n <<= 20;
	*end += **end == 'K' || **end == 'k' || **end == 'M';
	*out = (uint32_t)n;
	return !errno && n > 0 && n <= UINT32_C(1) << 30;
}

/* "32K,8,64"; whole sets, and 64-byte lines as all machines of today have. */
static bool parse_cache(const char *text, struct vpmu_cache *cache)
{
	struct vpmu_cache c;
	char *end;

	if (!parse_number(text, &end, &c.bytes) || *end != ',' ||
	    !parse_number(end + 1, &end, &c.ways) || *end != ',' ||
	    !parse_number(end + 1, &end, &c.line) || *end)
		return false;
	if (c.line != 64 || c.ways > 64 || c.bytes % (c.ways * c.line))
		return false;
	*cache = c;
	return true;
}

static int apply_geometry(const struct request *r, struct vpmu_machine *m)
{
	struct vpmu_cache *const caches[4] = { &m->l1i, &m->l1d, &m->l2, &m->llc };
	uint32_t slices;
	char *end;

	if (r->slices && (!parse_number(r->slices, &end, &slices) || *end ||
			  vpmu_machine_slices(m, slices))) {
		vpmu_complain("--slices %s: a number from 1 to %d", r->slices, VPMU_SLICES_MAX);
		return VPMU_EXIT_USAGE;
	}
	for (size_t i = 0; i < 4; i++)
		if (r->cache[i] && !parse_cache(r->cache[i], caches[i])) {
			vpmu_complain("%s %s: SIZE,WAYS,LINE as in 32K,8,64: the line is 64, at "
				      "most 64 ways, and the size whole sets of them",
				      cache_names[i], r->cache[i]);
			return VPMU_EXIT_USAGE;
		}
	if (m->llc.bytes % (m->slices * m->llc.ways * m->llc.line)) {
		vpmu_complain("an LLC of %u bytes does not divide into %u slices of %u ways",
			      m->llc.bytes, m->slices, m->llc.ways);
		return VPMU_EXIT_USAGE;
	}
	return 0;
}

/* 0; VPMU_EXIT_USAGE; -1: help was asked for and given. */
static int parse_options(int argc, char **argv, struct request *r)
{
	int code;

	*r = (struct request){ .feed = true, .follow = true };
	while ((code = getopt_long(argc, argv, "+m:s:h", options, NULL)) != -1) {
		switch (code) {
		case 'm': r->name = optarg; break;
		case 's': r->segment = optarg; break;
		case OPT_SLICES: r->slices = optarg; break;
		case OPT_L1I: case OPT_L1D: case OPT_L2: case OPT_LLC:
			r->cache[code - OPT_L1I] = optarg;
			break;
		case OPT_SET:
			if (r->setting_count == VPMU_SETTINGS_MAX) {
				vpmu_complain("at most %d --set", VPMU_SETTINGS_MAX);
				return VPMU_EXIT_USAGE;
			}
			r->settings[r->setting_count++] = optarg;
			break;
		case OPT_NO_FEED: r->feed = false; break;
		case OPT_NO_FOLLOW: r->follow = false; break;
		case OPT_STRICT: r->strict = true; break;
		case OPT_MSR_SAFE:
			r->devices.msr_safe = true;
			r->devices.allowlist = optarg;
			break;
		case OPT_CPUS: r->cpus = optarg; break;
		case OPT_DEVICES: r->devices.owner = optarg; break;
		case 'h':
			fputs(help, stdout);
			return -1;
		default:
			fputs("Try 'vpmu run --help'.\n", stderr);
			return VPMU_EXIT_USAGE;
		}
	}
	if (optind == argc) {
		vpmu_complain("run: no program given; try 'vpmu run --help'");
		return VPMU_EXIT_USAGE;
	}
	return 0;
}

static int describe_machine(const struct request *r, struct vpmu_machine *m)
{
	char why[512];
	int rc = 0;

	if (vpmu_machine_parse(r->name ? r->name : VPMU_DEFAULT_MACHINE, m, why, sizeof(why))) {
		vpmu_complain("%s", why);
		return VPMU_EXIT_USAGE;
	}
	rc = apply_geometry(r, m);
	if (!rc && r->feed && !vpmu_caches_bytes(m)) {
		vpmu_complain("%s: the execution feed cannot model such caches, or more than 64 "
			      "cores in a package: choose others, or --no-feed", m->name);
		return VPMU_EXIT_USAGE;
	}
	for (int i = 0; i < r->setting_count && !rc; i++)
		rc = vpmu_setting(m, NULL, r->settings[i]);
	return rc;
}

static bool asks_for_nothing(const struct request *r)
{
	return !r->name && !r->slices && !r->cache[0] && !r->cache[1] && !r->cache[2] &&
	       !r->cache[3];
}

static int run_on(struct vpmu_place *place, const struct request *r,
		  const struct vpmu_devices *devices, char **argv)
{
	struct vpmu_cpus cpus;
	struct vpmu_launch launch = { .place = place, .feed = r->feed, .follow = r->follow,
				      .cpus = &cpus, .argv = argv };
	struct vpmu_segment *s = place->segment;
	uint64_t before = s->violation_count;
	int status = 0, rc = vpmu_devices_set(place, devices);

	if (!rc)
		rc = vpmu_affinity(s, r->cpus, &cpus);
	if (!rc)
		rc = vpmu_launch(&launch, &status);
	if (!rc)
		rc = vpmu_place_check(place);
	if (rc)
		return rc;
	vpmu_report(s);
	return r->strict && s->violation_count > before ? VPMU_EXIT_VIOLATIONS : status;
}

int vpmu_command_run(int argc, char **argv)
{
	struct vpmu_machine machine;
	struct vpmu_devices devices;
	struct vpmu_place *place;
	struct request r;
	int rc = parse_options(argc, argv, &r);

	if (rc)
		return rc < 0 ? 0 : rc;
	rc = describe_machine(&r, &machine);
	if (!rc)
		rc = vpmu_devices_parse(&r.devices, &devices);
	if (rc)
		return rc;
	place = calloc(1, sizeof(*place));
	if (!place) {
		vpmu_complain("no memory");
		return VPMU_EXIT_FAILURE;
	}
	place->for_others = devices.owned;
	rc = vpmu_place_enter(place, r.segment, &machine, asks_for_nothing(&r), r.settings,
			      r.setting_count);
	if (!rc) {
		rc = run_on(place, &r, &devices, argv + optind);
		vpmu_place_leave(place);
	}
	free(place);
	return rc;
}
