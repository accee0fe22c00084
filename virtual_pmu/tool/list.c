/* SPDX-License-Identifier: MIT */
/* vpmu machines, events, regs: lists for users and scripts. Each vpmu_command_*() is the entry
 * point of one subcommand. They print the model's data and decide nothing themselves. Only `regs`
 * with a segment takes the machine lock, for a state that is of one moment. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"

static const struct option options[] = {
	{ "machine", required_argument, NULL, 'm' },
	{ "segment", required_argument, NULL, 's' },
	{ "tsv", no_argument, NULL, 't' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

struct list_request { const char *machine, *segment; bool tsv; };

static const char *name_of(int code)
{
	const struct option *o = options;

	while (o->val != code)
		o++;
	return o->name;
}

/* Only the options in `accepted` are. 0; VPMU_EXIT_USAGE; -1: help was given. */
static int request_parse(int argc, char **argv, const char *accepted, const char *help,
			 struct list_request *r)
{
	int code;

	*r = (struct list_request){ .machine = NULL };
	while ((code = getopt_long(argc, argv, "m:s:h", options, NULL)) != -1) {
		if (code == 'h') {
			fputs(help, stdout);
			return -1;
		}
		if (code == '?' || !strchr(accepted, code)) {
			if (code != '?')
				vpmu_complain("'%s' has no --%s", argv[0], name_of(code));
			vpmu_complain("try '%s --help'", argv[0]);
			return VPMU_EXIT_USAGE;
		}
		if (code == 'm')
			r->machine = optarg;
		else if (code == 's')
			r->segment = optarg;
		else
			r->tsv = true;
	}
	if (optind == argc)
		return 0;
	vpmu_complain("'%s' takes no argument '%s'", argv[0], argv[optind]);
	return VPMU_EXIT_USAGE;
}

static int machine_named(const char *name, struct vpmu_machine *m)
{
	char why[640];

	if (!vpmu_machine_parse(name ? name : VPMU_DEFAULT_MACHINE, m, why, sizeof(why)))
		return 0;
	vpmu_complain("%s", why);
	return VPMU_EXIT_USAGE;
}

/* ---- machines ---- */

static void print_cache(const char *name, const struct vpmu_cache *c)
{
	if (c->bytes)
		printf("    %-4s %u KiB, %u ways, %u-byte lines\n", name, c->bytes >> 10,
		       c->ways, c->line);
}

static const char *plural_ending(uint32_t n)
{
	return n == 1 ? "" : "s";
}

static void print_slices(const struct vpmu_machine *m)
{
	if (m->llc_level == 3)
		printf(", %u LLC slice%s", m->slices, plural_ending(m->slices));
	putchar('\n');
}

/* Prints cores of the only kind, or the P cores of a hybrid machine. */
static void print_cores(const struct vpmu_machine *m)
{
	uint32_t cores = vpmu_first_little(m);

	printf("    %u package%s of %u %score%s, %u thread%s each", m->packages,
	       plural_ending(m->packages), cores, m->little.cores ? "P " : "", plural_ending(cores),
	       m->threads, plural_ending(m->threads));
	print_slices(m);
	print_cache("L1I", &m->l1i);
	print_cache("L1D", &m->l1d);
	print_cache("L2", &m->l2);
}

static void print_little(const struct vpmu_machine *m)
{
	const struct vpmu_little *e = &m->little;

	if (!e->cores)
		return;
	printf("    %u E cores, %u share an L2", e->cores, e->cluster);
	if (e->away)
		printf(", %u not behind the LLC", e->away);
	if (vpmu_first_little(m))
		putchar('\n');
	else
		print_slices(m);
	print_cache("L1I", &e->l1i);
	print_cache("L1D", &e->l1d);
	print_cache("L2", &e->l2);
}

static void print_machine(uint32_t family, const char *examples)
{
	/* If the last cache is each core's own L2, directories know which cores have a line. */
	static const char *const last[] = { "tag directory for", "", "L2", "LLC" };
	static const char *const hit[] = { "another core's L2", "", "L2", "LLC" };
	struct vpmu_machine m;
	char first[VPMU_NAME_MAX], why[512];
	const char *meaning, *pattern = vpmu_machine_shapes(family, &meaning);

	printf("%s   %s: %s, ...\n", pattern, meaning, examples);
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(examples, ","), examples);
	if (vpmu_machine_parse(first, &m, why, sizeof(why)))
		return;
	printf("  %s: \"%s\", CPUID family %u model %u\n", m.name, m.brand, m.cpuid_family,
	       m.cpuid_model);
	if (vpmu_first_little(&m))
		print_cores(&m);
	print_little(&m);
	print_cache(last[m.llc_level], &m.llc);
	printf("    %s hit %u, memory %u, write %u uncore clocks; %u fill buffers per core\n",
	       hit[m.llc_level], m.llc_clocks, m.memory_clocks, m.write_clocks, m.fill_buffers);
	puts(vpmu_clock_estimates(&m) ?
	     "    clocks estimate time by a table of instructions; booted, instructions" :
	     "    an instruction takes one clock");
}

int vpmu_command_machines(int argc, char **argv)
{
	const char *examples;
	struct list_request r;
	int rc = request_parse(argc, argv, "",
			       "Usage: vpmu machines\n\nLists the virtual machines.\n", &r);

	if (rc)
		return rc < 0 ? 0 : rc;
	for (uint32_t i = 0; vpmu_machine_family(i, &examples); i++)
		print_machine(i, examples);
	return 0;
}

/* ---- events ---- */

static const char events_help[] =
"Usage: vpmu events [-m MACHINE]\n\n"
"Lists the documented events of the machine's PMU and whether its execution drives\n"
"them. An event that is not driven stays 0, for the reason given. A name with .* is\n"
"all unit masks of its code that have no row of their own. The last line counts rows.\n";

/* Rows of a unit that execution drives, for the last line. */
#define UNITS_MAX 64
static struct share { const char *unit; int driven, rows; } shares[UNITS_MAX];

static void share_count(const struct vpmu_event_info *e)
{
	struct share *s = shares;

	while (s < shares + UNITS_MAX - 1 && s->unit && strcmp(s->unit, e->unit))
		s++;
	s->unit = e->unit;
	s->rows++;
	s->driven += e->driven;
}

static void print_event(const struct vpmu_event_info *e)
{
	char umask[8] = "any";		/* of a group: all that have no row of their own */

	if (!strstr(e->name, ".*"))
		snprintf(umask, sizeof(umask), "0x%.2X", e->umask);
	printf("%-6s%-47s0x%-6.2X%-7s%-19s%-8s%s\n", e->unit, e->name, e->code, umask, e->counters,
	       e->driven ? "yes" : "no", e->why ? e->why : "");
	share_count(e);
}

int vpmu_command_events(int argc, char **argv)
{
	struct vpmu_event_info e;
	struct vpmu_machine m;
	struct list_request r;
	int rc = request_parse(argc, argv, "m", events_help, &r);

	if (!rc)
		rc = machine_named(r.machine, &m);
	if (rc)
		return rc < 0 ? 0 : rc;
	printf("%-6s%-47s%-8s%-7s%-19s%-8s%s\n", "unit", "event", "code", "umask", "counters",
	       "driven", "remark");
	for (uint32_t i = 0; vpmu_model_event(&m, i, &e); i++)
		print_event(&e);
	printf("rows that are driven:");
	for (const struct share *s = shares; s < shares + UNITS_MAX && s->unit; s++)
		printf("%s %s %d of %d", s == shares ? "" : ",", s->unit, s->driven, s->rows);
	puts("");
	return 0;
}

/* ---- registers ---- */

static const char regs_help[] =
"Usage: vpmu regs [-m MACHINE | -s SEGMENT] [--tsv]\n\n"
"Lists the registers of a machine: address, width in bits, access, writable bits.\n"
"With -s also the values in that segment (those of a thread's register for CPU 0),\n"
"how often programs used the device files, and what rules they broke.\n"
"  --tsv   tab-separated, with the document that each register is from\n";

static const char *access_name(enum vpmu_access access)
{
	static const char *const names[] = {
		[VPMU_RO] = "RO", [VPMU_RW] = "RW", [VPMU_RW1C] = "RW1C", [VPMU_WO] = "WO",
	};

	return names[access];
}

static void address_text(const struct vpmu_register_info *i, char *text, size_t bytes)
{
	uint32_t behind;
	const char *base = vpmu_mmio_base(i->address, &behind);

	switch (i->space) {
	case VPMU_MSR: snprintf(text, bytes, "0x%X", i->address); break;
	case VPMU_PCI: snprintf(text, bytes, "pci:00:00.0+0x%X", i->address); break;
	case VPMU_MMIO: snprintf(text, bytes, "%s+0x%X", base, behind); break;
	}
}

static void mask_text(const struct vpmu_register_info *i, char *text, size_t bytes)
{
	if (!i->mask && i->unsourced)
		snprintf(text, bytes, "unknown");
	else
		snprintf(text, bytes, "0x%llX", (unsigned long long)i->mask);
}

static void print_register(struct vpmu_segment *s, const struct vpmu_register_info *i, bool tsv)
{
	char address[32], mask[24], value[24] = "";
	uint64_t v;

	address_text(i, address, sizeof(address));
	mask_text(i, mask, sizeof(mask));
	if (s && !vpmu_model_peek(s, 0, i, &v))
		snprintf(value, sizeof(value), "0x%llX", (unsigned long long)v);
	if (tsv)
		printf("%s\t%s\t%u\t%s\t%s\t%s\t%s%s%s\n", i->name, address, i->width,
		       access_name(i->access), mask, i->scope, i->cite, s ? "\t" : "", value);
	else
		printf("%-27s %-19s%5u  %-5s%-20s%-14s%s\n", i->name, address, i->width,
		       access_name(i->access), mask, i->scope, value);
}

static void print_registers(const struct vpmu_machine *m, struct vpmu_segment *s, bool tsv)
{
	struct vpmu_register_info info;

	if (tsv)
		printf("register\taddress\twidth\taccess\twritemask\tscope\tsource%s\n",
		       s ? "\tvalue" : "");
	else
		printf("%-28s%-19s%5s  %-5s%-20s%-14s%s\n", "register", "address", "width",
		       "access", " mask", "scope", s ? "value" : "");
	for (uint32_t i = 0; vpmu_model_register(m, i, &info); i++)
		print_register(s, &info, tsv);
}

static void print_state(const struct vpmu_segment *s)
{
	printf("machine %s, uncore clock %llu; accesses: %llu rdmsr, %llu wrmsr, %llu PCI, "
	       "%llu batches", s->machine.name,
	       (unsigned long long)s->uclk[0], (unsigned long long)s->accesses.rdmsr,
	       (unsigned long long)s->accesses.wrmsr, (unsigned long long)s->accesses.pci_reads,
	       (unsigned long long)s->accesses.batches);
	if (s->accesses.window)
		printf(", %llu window", (unsigned long long)s->accesses.window);
	printf("; %llu violations, %llu undriven selects\n",
	       (unsigned long long)s->violation_count, (unsigned long long)s->undriven_count);
}

static int regs_of_segment(const char *path, bool tsv)
{
	struct vpmu_segment *s;
	char why[PATH_MAX + 256];

	if (vpmu_segment_open(path, &s, why, sizeof(why))) {
		vpmu_complain("%s", why);
		return VPMU_EXIT_FAILURE;
	}
	if (!tsv)
		print_state(s);
	vpmu_lock(s);
	print_registers(&s->machine, s, tsv);
	vpmu_unlock(s);
	vpmu_segment_close(s);
	return 0;
}

int vpmu_command_regs(int argc, char **argv)
{
	struct vpmu_machine m;
	struct list_request r;
	int rc = request_parse(argc, argv, "mst", regs_help, &r);

	if (rc)
		return rc < 0 ? 0 : rc;
	if (r.machine && r.segment) {
		vpmu_complain("regs: -m and -s cannot be combined: the segment file names "
			      "the machine");
		return VPMU_EXIT_USAGE;
	}
	if (r.segment)
		return regs_of_segment(r.segment, r.tsv);
	rc = machine_named(r.machine, &m);
	if (!rc)
		print_registers(&m, NULL, r.tsv);
	return rc;
}
