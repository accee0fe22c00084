/* SPDX-License-Identifier: MIT */
/* ipmu-allowlist(1): msr-safe's allowlist for the documented PMUs of this machine, or of one that
 * is named. print_here() and print_named() choose families, print_family() prints a line for each
 * MSR. The lines are those of registers/allow.h. No device is opened, so the command needs no
 * rights. */
#include "complain.h"
#include "file_limit.h"
#include "pmu/families.h"
#include "registers/allow.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static void usage(FILE *f)
{
	fputs("Usage: ipmu-allowlist [OPTION]...\n"
	      "Print the allowlist that msr-safe needs for the documented PMUs of this\n"
	      "machine: each register's address, the bits that may be written, and its name.\n\n"
	      "  -m, --machine NAME  the registers of that machine instead\n"
	      "  -l, --list          list the machines and exit\n"
	      "  -h, --help          show this text and exit\n"
	      "  -V, --version       show the version and exit\n\n"
	      "As root: ipmu-allowlist >/dev/cpu/msr_allowlist\n"
	      "This machine is the one that hwloc sees. Exit status: 0, 1 if this machine has no\n"
	      "supported PMU or the list cannot be written, 2 for wrong usage.\n", f);
}

static void print_machines(void)
{
	for (const struct ipmu_family *const *f = ipmu_families; *f; f++)
		printf("%-16s%s\n", (*f)->machine, (*f)->models_text);
}

static void print_register(const struct ipmu_family *family, uint32_t addr)
{
	char line[IPMU_ALLOW_LINE];

	if (!ipmu_allow_line(family->registers, addr, line))
		puts(line);
}

static void print_family(const struct ipmu_family *family)
{
	printf("# %s\n# %s\n", family->models_text, family->src);
	for (const struct ipmu_reg *const *r = family->registers; *r; r++) {
		if ((*r)->space != IPMU_MSR)
			continue;
		for (int b = 0; b < ((*r)->boxes ? (*r)->boxes : 1); b++)
			for (int c = 0; c < ((*r)->ctrs ? (*r)->ctrs : 1); c++)
				print_register(family, ipmu_reg_addr(*r, b, c));
	}
}

/* A machine has a family of each scope at most, and no register belongs to both. */
static int print_here(void)
{
	static const enum ipmu_scope scopes[] = { IPMU_SCOPE_PACKAGE, IPMU_SCOPE_CPU };
	const struct ipmu_topology *topo;
	char why[IPMU_WHY_MAX] = "";
	int rc, found = 0;

	rc = ipmu_topology_acquire(&topo, why);
	if (rc)
		return complain(1, "%s", why);
	for (int i = 0; i < 2; i++) {
		const struct ipmu_family *family = ipmu_family_find(topo, scopes[i], why);

		if (family)
			print_family(family);
		found += family != NULL;
	}
	if (!found)
		complain(1, "%s %s family %d model 0x%X has no supported PMU: name another "
			 "machine, see ipmu-allowlist --list", topo->cpu_model, topo->vendor,
			 topo->family, (unsigned)topo->model);
	ipmu_topology_release();
	return found ? 0 : 1;
}

static int print_named(const char *name)
{
	for (const struct ipmu_family *const *f = ipmu_families; *f; f++)
		if (strcmp((*f)->machine, name) == 0) {
			print_family(*f);
			return 0;
		}
	return complain(2, "no machine '%s'; see ipmu-allowlist --list", name);
}

/* -1: continue; otherwise the status to leave with. */
static int parse(int argc, char **argv, const char **machine)
{
	static const struct option options[] = {
		{ "machine", required_argument, NULL, 'm' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "m:lhV", options, NULL)) != -1) {
		if (c == 'm') {
			*machine = optarg;
			continue;
		}
		if (c == 'h')
			usage(stdout);
		else if (c == 'V')
			printf("ipmu-allowlist %s\n", IPMU_VERSION);
		else if (c == 'l')
			print_machines();
		else
			return complain(2, "try 'ipmu-allowlist --help'");
		return 0;
	}
	if (optind == argc)
		return -1;
	return complain(2, "takes no argument '%s'; try 'ipmu-allowlist --help'", argv[optind]);
}

int main(int argc, char **argv)
{
	const char *machine = NULL;
	int status;

	file_limit_handle();
	status = parse(argc, argv, &machine);
	if (status < 0)
		status = machine ? print_named(machine) : print_here();
	return complain_unwritten(status, 1);
}
