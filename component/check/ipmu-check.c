/* SPDX-License-Identifier: MIT */
/* ipmu-check(1): does this machine count right? Kernels with known traffic, one after the other,
 * with the events of every documented PMU that is there. */
#include "check.h"
#include "complain.h"
#include "file_limit.h"
#include "new_file.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_UNCHECKED = 3 };

#define CACHES 2	/* the buffer is so many times as large as the last-level caches */
#define LEAST_BYTES ((size_t)4 << 20)	/* of a CPU: its own accesses beside are 1 in 60 */

static const char help[] =
"Usage: ipmu-check [-o FILE] [-p PMUS]\n"
"\n"
"Counts kernels with known traffic by the events of every documented PMU of this\n"
"machine and compares with arithmetic and, where the kernel has a driver, with perf.\n"
"Also tries wraps, freezes, and whether registers are restored. Leave the machine\n"
"idle meanwhile: what it counts by itself is measured first.\n"
"\n"
"  -o, --output FILE  write the machine's description and the table to FILE, too\n"
"  -p, --pmu PMUS     check these PMUs alone: a shell pattern such as 'skl_unc_*'\n"
"  -h, --help         show this text and exit\n"
"  -V, --version      show the version and exit\n"
"\n"
"Exit status: 0 when nothing failed, 1 when something did, 2 for wrong usage, 3 when\n"
"there was nothing to check: no documented PMU, or no permission.\n";

/* ---- the machine */

/* Its size in bytes; 0: not known. */
static size_t largest_cache(int cpu)
{
	size_t largest = 0;

	for (int i = 0; i < 8; i++) {
		char path[96];
		size_t kib = 0;
		FILE *f;

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cache/index%d/size",
			 cpu, i);
		f = fopen(path, "re");
		if (!f)
			break;
		if (fscanf(f, "%zuK", &kib) == 1 && kib << 10 > largest)
			largest = kib << 10;
		fclose(f);
	}
	return largest;
}

static int find_cpus(struct check *c)
{
	c->cpus = calloc((size_t)c->topo->ncpus, sizeof(*c->cpus));
	for (int i = 0; c->cpus && i < c->topo->ncpus; i++)
		if (c->topo->cpus[i].allowed)
			c->cpus[c->ncpus++] = c->topo->cpus[i].os_cpu;
	return c->cpus && c->ncpus ? 0 : -ENOMEM;
}

static int open_work(struct check *c)
{
	size_t cache = largest_cache(c->cpus[0]) * (size_t)c->topo->npackages;
	size_t least = LEAST_BYTES * (size_t)c->ncpus;
	int rc;

	c->bytes = CACHES * cache > least ? CACHES * cache : least;
	rc = work_open(&c->work[0], c->cpus, 1, c->bytes, CACHES * cache);
	return rc ? rc : work_open(&c->work[1], c->cpus, c->ncpus, c->bytes, CACHES * cache);
}

static void check_describe(const struct check *c, FILE *f)
{
	const struct ipmu_topology *t = c->topo;
	struct utsname u;

	fprintf(f, "ipmu-check %s\n", IPMU_VERSION);
	fprintf(f, "processor: %s, %s family %d model 0x%X stepping %d\n", t->cpu_model, t->vendor,
		t->family, (unsigned)t->model, t->stepping);
	if (!uname(&u))
		fprintf(f, "kernel: %s %s\n", u.sysname, u.release);
	fprintf(f, "geometry: %d packages, %d cores, %d CPUs (%d allowed, %d offline), buffer of "
		"%zu KiB\n", t->npackages, t->ncores, t->ncpus, c->ncpus, t->noffline,
		c->bytes >> 10);
}

/* ---- PMUs */

/* List the PMUs that are there, and why others are not. */
static void describe_types(const struct check *c, const struct ipmu_system *sys, int place)
{
	const struct ipmu_pmu_type *type;
	char why[IPMU_WHY_MAX];

	for (int t = 0; (type = ipmu_system_type(sys, t)) != NULL; t++) {
		why[0] = '\0';
		if (!check_wants(c, type) || ipmu_system_boxes(sys, type, place, why) > 0 ||
		    !why[0])
			continue;
		result_skip(result_add(ipmu_type_name(type), "open", "-"), why);
	}
}

static void open_systems(struct check *c)
{
	static const char *const names[] = { "uncore PMUs", "core PMUs" };

	for (int i = 0; i < 2; i++) {
		char why[IPMU_WHY_MAX] = "";
		int rc = ipmu_system_open(c->topo, (enum ipmu_scope)i, &c->systems[i],
					  why);

		if (rc) {
			c->systems[i] = NULL;
			result_skip(result_add(names[i], "open", "-"), why);
			continue;
		}
		if (*ipmu_system_note(c->systems[i]))
			printf("note: %s\n", ipmu_system_note(c->systems[i]));
		describe_types(c, c->systems[i], i == IPMU_SCOPE_PACKAGE ? 0 : c->cpus[0]);
	}
}

static void close_systems(struct check *c)
{
	for (int i = 0; i < 2; i++)
		if (c->systems[i] && ipmu_system_close(c->systems[i]))
			result_fail(result_add(i ? "core PMUs" : "uncore PMUs", "restore", "-"),
				    "some registers could not be restored: run ipmu-restore");
}

static int check_all(struct check *c)
{
	char why[IPMU_WHY_MAX] = "";
	struct register_copy *before;
	int rc;

	open_systems(c);
	before = registers_copy(c);
	rc = counting_open(c, why);
	if (!rc)
		rc = counting_run(c, why);
	if (!rc)
		limits_check(c);
	if (!rc && c->pmus && !c->ncounted)
		result_skip(result_add(c->pmus, "open", "-"), "no PMU of this machine that can be "
			    "counted has such a name");
	if (rc)
		result_fail(result_add("counting", "run", "-"), "%s", why);
	counting_close(c);
	close_systems(c);
	if (before)
		registers_compare(before);
	if (!rc)
		counting_perf(c);
	return results_of(FAIL) ? EXIT_WRONG : c->ncounted ? 0 : EXIT_UNCHECKED;
}

/* ---- the command line */

static int write_file(const struct check *c, const char *path)
{
	struct new_file n;
	int rc = new_file_open(&n, path, 0666);

	if (!rc) {
		check_describe(c, n.f);
		results_write(n.f);
		rc = new_file_publish(&n);
	}
	new_file_drop(&n);
	return rc ? complain(EXIT_WRONG, "%s cannot be written: %s", path, strerror(-rc)) : 0;
}

static int options_parse(int argc, char **argv, const char **output, const char **pmus)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' }, { "help", no_argument, NULL, 'h' },
		{ "pmu", required_argument, NULL, 'p' }, { "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int o;

	while ((o = getopt_long(argc, argv, "o:p:hV", options, NULL)) != -1) {
		if (o == 'h' || o == 'V') {
			fputs(o == 'h' ? help : "ipmu-check " IPMU_VERSION "\n", stdout);
			return 1;
		}
		if (o != 'o' && o != 'p')
			return complain(1 + EXIT_USAGE, "try 'ipmu-check --help'");
		*(o == 'o' ? output : pmus) = optarg;
	}
	if (optind < argc)
		return complain(1 + EXIT_USAGE, "takes no argument '%s'; try 'ipmu-check --help'",
				argv[optind]);
	return 0;
}

int main(int argc, char **argv)
{
	struct check c = { .ncpus = 0 };
	struct ipmu_topology *topo = NULL;
	const char *output = NULL;
	char why[IPMU_WHY_MAX] = "";
	int rc = options_parse(argc, argv, &output, &c.pmus), status;

	file_limit_handle();
	setvbuf(stdout, NULL, _IOLBF, 0);	/* a file has each line as soon as it is known */
	signal(SIGPIPE, SIG_IGN);		/* registers are restored first */
	if (rc)
		return complain_unwritten(rc - 1, EXIT_WRONG);
	if (ipmu_topology_load(&topo, why))
		return complain(EXIT_UNCHECKED, "%s", why);
	c.topo = topo;
	rc = find_cpus(&c);
	if (!rc)
		rc = open_work(&c);
	if (rc)
		return complain(EXIT_UNCHECKED, "no memory for the kernels: %s", strerror(-rc));
	check_describe(&c, stdout);
	status = check_all(&c);
	results_write(stdout);
	if (output && write_file(&c, output))
		status = EXIT_WRONG;
	work_close(c.work[0]);
	work_close(c.work[1]);
	free(c.cpus);
	free(c.counted);
	ipmu_topology_free(topo);
	return complain_unwritten(status, EXIT_WRONG);
}
