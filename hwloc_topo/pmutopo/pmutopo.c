/* SPDX-License-Identifier: MIT */
/* pmutopo(1): shows which CPU, core, package and box of counters belong together, and which CPUs
 * reach a box. main() parses the options, loads the topology and its boxes, and leaves the output
 * to table.c, json.c or svg.c. */
#include "pmutopo.h"

#include "complain.h"
#include "file_limit.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct choices {
	bool done, json, narrow;
	const char *svg, *counts, *labels;
};

static void usage(FILE *f)
{
	fputs("Usage: pmutopo [OPTION]...\n"
	      "Show how this machine's CPUs, cores, packages, NUMA nodes, cache slices and memory\n"
	      "controllers belong together, and through which CPUs their counters are reached.\n\n"
	      "  -j, --json         the same as one JSON object\n"
	      "  -s, --svg FILE     draw the machine with its boxes into FILE, - for the\n"
	      "                     standard output (needs lstopo)\n"
	      "  -c, --counts FILE  with --svg: write beside each box its count in FILE, in\n"
	      "                     lines of PMU, box, package, count: 'skl_unc_cbo 2 0 417'\n"
	      "  -l, --labels FILE  with --svg: draw the lines of text in FILE instead of boxes:\n"
	      "                     'package=0 pmu=skl_unc_imc: READS 417'\n"
	      "  -n, --narrow       with --svg: everything below one another\n"
	      "  -h, --help         show this text and exit\n"
	      "  -V, --version      show the version and exit\n\n"
	      "The machine is the one that hwloc sees: HWLOC_XMLFILE, HWLOC_SYNTHETIC and\n"
	      "the like apply. Exit status: 0, 1 if there is no topology to show or it cannot\n"
	      "be written, 2 for a wrong option.\n", f);
}

static int wrong_use(const char *what, const char *value)
{
	return complain(2, "%s%s%s%s; try 'pmutopo --help'", what, value ? " '" : "",
			value ? value : "", value ? "'" : "");
}

static int choices_check(const struct choices *c, int argc, char **argv)
{
	if (optind < argc)
		return wrong_use("takes no argument, but got", argv[optind]);
	if (c->svg && !*c->svg)
		return wrong_use("--svg needs the name of a file, or -", NULL);
	if (c->json && c->svg)
		return wrong_use("give either --json or --svg, not both", NULL);
	if (c->counts && !c->svg)
		return wrong_use("--counts goes with --svg only, but the counts are in", c->counts);
	if ((c->labels || c->narrow) && !c->svg)
		return wrong_use("--labels and --narrow go with --svg only", NULL);
	if (c->counts && c->labels)
		return wrong_use("give either --counts or --labels, not both", NULL);
	return 0;
}

static int choices_parse(int argc, char **argv, struct choices *out)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "svg", required_argument, NULL, 's' },
		{ "counts", required_argument, NULL, 'c' },
		{ "labels", required_argument, NULL, 'l' },
		{ "narrow", no_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "js:c:l:nhV", options, NULL)) != -1) {
		if (c == 'j') {
			out->json = true;
		} else if (c == 's') {
			out->svg = optarg;
		} else if (c == 'c') {
			out->counts = optarg;
		} else if (c == 'l') {
			out->labels = optarg;
		} else if (c == 'n') {
			out->narrow = true;
		} else if (c == 'h' || c == 'V') {
			out->done = true;
			if (c == 'h')
				usage(stdout);
			else
				printf("pmutopo %s\n", IPMU_VERSION);
			return 0;
		} else {
			return complain(2, "try 'pmutopo --help'");
		}
	}
	return choices_check(out, argc, argv);
}

static int drawing(const struct choices *choices, const struct ipmu_topology *t,
		   const struct boxes *b, char *why)
{
	struct counts counts = { NULL, NULL };
	const struct drawing what = { choices->svg, choices->counts ? &counts : NULL,
				      choices->labels, choices->narrow };
	int rc = 0;

	if (choices->counts)
		rc = counts_read(choices->counts, b, &counts, why);
	if (!rc)
		rc = svg_write(t, b, &what, why);
	counts_free(&counts);
	return rc;
}

static int show(const struct choices *choices, const struct ipmu_topology *t, char *why)
{
	struct boxes b = { .n = 0 };
	int rc = 0;

	b.n = ipmu_topology_boxes(t, &b.box);
	if (b.n < 0) {
		snprintf(why, IPMU_WHY_MAX, "the table of boxes: %s", strerror(-b.n));
		return b.n;
	}
	if (choices->svg)
		rc = drawing(choices, t, &b, why);
	else if (choices->json)
		rc = topology_print_json(t, &b, why);
	else
		table_print(t, &b);
	free(b.box);
	return rc;
}

int main(int argc, char **argv)
{
	struct choices choices = { .done = false };
	const struct ipmu_topology *t;
	char why[IPMU_WHY_MAX] = "";
	int rc;

	file_limit_handle();
	rc = choices_parse(argc, argv, &choices);
	if (rc || choices.done)
		return complain_unwritten(rc, 1);
	rc = ipmu_topology_acquire(&t, why);
	if (!rc) {
		rc = show(&choices, t, why);
		ipmu_topology_release();
	}
	return complain_unwritten(rc ? complain(1, "%s", why) : 0, 1);
}
