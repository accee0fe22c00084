/* SPDX-License-Identifier: MIT */
/* vpmu boot: options, and the life of one boot. vpmu_command_boot() is the entry point: it checks
 * the options and makes or joins the segment. talk.c starts the emulator and carries streams
 * until the machine is off. Then vpmu_command_boot() reports and leaves the segment. Wrong options
 * are refused before there is a segment. */
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../wire.h"
#include "host.h"
#include "program_file.h"

enum boot_option { OPT_NO_FEED = VPMU_ASKED_CODES, OPT_STRICT, OPT_USER, OPT_MEMORY, OPT_KERNEL,
		   OPT_MODULES, OPT_QEMU, OPT_APPEND, OPT_CONSOLE, OPT_COUNT_BOOT, OPT_SUSPEND };

static const struct option options[] = {
	VPMU_ASKED_OPTIONS,
	{ "no-feed", no_argument, NULL, OPT_NO_FEED },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "user", no_argument, NULL, OPT_USER },
	{ "memory", required_argument, NULL, OPT_MEMORY },
	{ "kernel", required_argument, NULL, OPT_KERNEL },
	{ "modules", required_argument, NULL, OPT_MODULES },
	{ "qemu", required_argument, NULL, OPT_QEMU },
	{ "append", required_argument, NULL, OPT_APPEND },
	{ "console", no_argument, NULL, OPT_CONSOLE },
	{ "count-boot", no_argument, NULL, OPT_COUNT_BOOT },
	{ "suspend", no_argument, NULL, OPT_SUSPEND },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

#define DEFAULT_MEMORY "2G"

static const char help[] =
"Usage: vpmu boot [OPTIONS] [[--] PROGRAM [ARGUMENTS]]\n"
"\n"
"Boots Linux on a virtual machine whose documented PMU counts what is executed, and\n"
"runs the program there, or a shell. The host's files can be read. Writes go to the\n"
"machine's memory and are gone afterwards, except in the working folder, which is the\n"
"same inside and outside. /dev, /proc, /sys, /run and /tmp are the machine's own. /run\n"
"and /tmp also have what the command and PATH name there.\n"
"\n"
"  -m, --machine NAME    the machine (default " VPMU_DEFAULT_MACHINE "); see 'vpmu machines'\n"
"  -s, --segment PATH    keep the machine's state in this file, after the run too\n"
"      --slices N        number of LLC slices (CBo), 1 to 8; Comet Lake, Alder Lake\n"
"                        10, Raptor Lake, Arrow Lake 12\n"
"      --l1i, --l1d, --l2, --llc SIZE,WAYS,LINE\n"
"                        another cache geometry; SIZE in bytes, or with K or M\n"
"      --set REG=VALUE   value of a register when the machine is switched on\n"
"      --memory SIZE     of the machine, with M or G (default " DEFAULT_MEMORY ")\n"
"      --user            run the program as the calling user; without it as root\n"
"      --no-feed         the registers are there, nothing counts\n"
"      --count-boot      count from the kernel's first instruction; without it from the\n"
"                        program's start to its end\n"
"      --suspend         a machine that can be suspended to RAM; its firmware takes longer\n"
"      --strict          exit with 3 when a register rule was broken\n"
"      --kernel FILE     another kernel (vmlinuz, or vmlinux with PVH), and\n"
"      --modules DIR     its /lib/modules/VERSION\n"
"      --append TEXT     more parameters for the kernel\n"
"      --console         show the kernel's console on stderr\n"
"      --qemu FILE       another emulator; without our hooks nothing is counted\n"
"  -h, --help            this text\n"
"\n"
"Exit status: the program's own (128 + N when signal N ended it); 127 when it was not\n"
"found, 126 when it could not be executed; 125 for wrong usage and when the machine could\n"
"not be run, or ended before the program; 3 with --strict.\n"
"Environment: SHELL, VPMU_SEGMENT, VPMU_LIBDIR, VPMU_TALLY as for 'vpmu run'.\n";

struct boot_request {
	struct vpmu_asked machine;
	struct vpmu_boot boot;
	bool strict;
};

/* 0; VPMU_EXIT_USAGE; -1: help was printed. */
static int parse_options(int argc, char **argv, struct boot_request *r)
{
	int code, rc;

	*r = (struct boot_request){ .boot = { .feed = true, .memory = DEFAULT_MEMORY } };
	while ((code = getopt_long(argc, argv, "+" VPMU_ASKED_LETTERS "h", options, NULL)) != -1) {
		switch (code) {
		case OPT_NO_FEED: r->boot.feed = false; break;
		case OPT_STRICT: r->strict = true; break;
		case OPT_USER: r->boot.caller = true; break;
		case OPT_MEMORY: r->boot.memory = optarg; break;
		case OPT_KERNEL: r->boot.kernel = optarg; break;
		case OPT_MODULES: r->boot.modules = optarg; break;
		case OPT_QEMU: r->boot.qemu = optarg; break;
		case OPT_APPEND: r->boot.append = optarg; break;
		case OPT_CONSOLE: r->boot.console = true; break;
		case OPT_COUNT_BOOT: r->boot.count_boot = true; break;
		case OPT_SUSPEND: r->boot.suspend = true; break;
		case 'h':
			fputs(help, stdout);
			return -1;
		case '?':
			vpmu_complain("try 'vpmu boot --help'");
			return VPMU_EXIT_USAGE;
		default:
			rc = vpmu_asked_option(&r->machine, code, optarg);
			if (rc)
				return rc;
		}
	}
	return 0;
}

static bool is_memory(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10), most = *end == 'G' ? 1024 : 1024 * 1024;

	return *text != '-' && n >= 1 && n <= most && (*end == 'M' || *end == 'G') && !end[1];
}

static int check_options(struct boot_request *r, char **argv)
{
	static char *shell[2];
	char path[PATH_MAX];
	int rc;

	if (!r->boot.kernel != !r->boot.modules) {
		vpmu_complain("--kernel and --modules belong together: a kernel loads no others "
			      "than its own modules");
		return VPMU_EXIT_USAGE;
	}
	if (!is_memory(r->boot.memory)) {
		vpmu_complain("--memory %s: a number with M or G, as in 512M, up to 1024G",
			      r->boot.memory);
		return VPMU_EXIT_USAGE;
	}
	r->boot.argv = argv;
	if (!*argv) {
		shell[0] = getenv("SHELL") ? getenv("SHELL") : "/bin/sh";
		r->boot.argv = shell;
	}
	/* The machine has the host's files, so a misspelt name need not wait for it. */
	rc = program_find(getenv("PATH"), *r->boot.argv, path, sizeof(path));
	return rc ? vpmu_complain_program(*r->boot.argv, rc) : 0;
}

static int check_machine(struct vpmu_machine *m)
{
	/* The board's firmware numbers the threads of a core one after the other. */
	m->smt_adjacent = m->threads > 1;
	if (vpmu_machine_cpus(m) <= 255)
		return 0;
	vpmu_complain("%s: a machine can be booted with at most 255 CPUs", m->name);
	return VPMU_EXIT_USAGE;
}

/* Descriptors 0 to 2 are streams, whatever the caller has closed. */
static void fill_streams(void)
{
	int fd = open("/dev/null", O_RDWR);

	while (fd >= 0 && fd < 3)
		fd = dup(fd);
	close(fd);
}

static int boot_on(struct vpmu_place *place, struct boot_request *r)
{
	struct vpmu_segment *s = place->segment;
	struct vpmu_boot_ends ends = { .violations = s->violation_count };
	int status = 0, rc;

	r->boot.place = place;
	rc = vpmu_boot_talk(&r->boot, &ends, &status);
	if (!rc)
		rc = vpmu_place_check(place);
	if (rc)
		return rc;
	vpmu_report(s);
	return r->strict && s->violation_count > ends.violations ? VPMU_EXIT_VIOLATIONS : status;
}

static int boot(struct boot_request *r, const struct vpmu_machine *machine)
{
	struct vpmu_place *place = calloc(1, sizeof(*place));
	int rc = VPMU_EXIT_FAILURE;

	if (!place)
		vpmu_complain("no memory");
	else
		rc = vpmu_place_enter(place, r->machine.segment, machine,
				      vpmu_asked_open(&r->machine), r->machine.settings,
				      r->machine.setting_count);
	if (!rc)
		rc = boot_on(place, r);
	if (place && place->segment)
		vpmu_place_leave(place);
	free(place);
	return rc;
}

int vpmu_command_boot(int argc, char **argv)
{
	struct vpmu_machine machine;
	struct boot_request r;
	int rc = parse_options(argc, argv, &r);

	fill_streams();
	if (rc)
		return rc < 0 ? 0 : rc;
	rc = check_options(&r, argv + optind);
	if (!rc)
		rc = vpmu_asked_machine(&r.machine, r.boot.feed, &machine);
	if (!rc)
		rc = check_machine(&machine);
	return rc ? rc : boot(&r, &machine);
}
