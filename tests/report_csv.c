/* SPDX-License-Identifier: MIT */
/* The report for spreadsheets, line by line: eleven columns each, numbers only where they are
 * known, quotes doubled. */
#include "reporting/csv.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- two nodes of one package each; the second lacks one of two ranks' counts of an event */

static const struct node_head heads[] = {
	{ .host = "a" }, { .host = "b", .why = "rank 3: cannot start \"it\"" },
};

const struct node_head *node_head_of(const struct ipmu_mpi *m, int node)
{
	(void)m;
	return &heads[node];
}

static const struct ipmu_mpi_count counts[2][3] = {	/* of the job and of the nodes */
	{ { 30, 2, 2 }, { 10, 1, 1 }, { 20, 1, 1 } },
	{ { 7, 3, 4 }, { 5, 2, 2 }, { 2, 1, 2 } },
};

int ipmu_mpi_get(const struct ipmu_mpi *m, int event, int node, int package,
		 struct ipmu_mpi_count *out)
{
	(void)m;
	*out = counts[event][node + 1];
	if (event == 1 && package >= 0)
		*out = (struct ipmu_mpi_count){ 0, 0, 0 };
	return 0;
}

int metrics_of(const struct ipmu_mpi *m, int node, struct metric_value out[METRICS_MAX])
{
	static const struct metric metric = { "ratio", "1", "A / B" };

	(void)m;
	out[0] = (struct metric_value){ &metric, 1.0 / 3, node != 1 };
	return 1;
}

double metric_seconds(const struct ipmu_mpi *m, int node)
{
	(void)m;
	assert_int_equal(node, IPMU_MPI_ALL);
	return 0.25;
}

/* ---- */

static const char expected[] =
	"level,node,host,package,name,unit,value,measured,expected,status,remark\n"
	"info,,,,complete,,0,,,,\"a \"\"reason\"\"\"\n"
	"info,,,,ranks,,4,,,,\"\"\n"
	"info,,,,nodes,,2,,,,\"\"\n"
	"info,,,,packages,,2,,,,\"\"\n"
	"info,,,,seconds,s,0.25,,,,\"wall clock\"\n"
	"job,,,,A,B,30,2,2,measured,\n"
	"node,0,a,,A,B,10,1,1,measured,\n"
	"package,0,a,0,A,B,10,1,1,measured,\n"
	"node,1,b,,A,B,20,1,1,measured,\n"
	"package,1,b,0,A,B,20,1,1,measured,\n"
	"job,,,,C,,7,3,4,partial,\n"
	"node,0,a,,C,,5,2,2,measured,\n"
	"node,1,b,,C,,2,1,2,partial,\"rank 3: cannot start \"\"it\"\"\"\n"
	"job,,,,ratio,1,0.333333333,,,derived,\"A / B\"\n"
	"node,0,a,,ratio,1,0.333333333,,,derived,\"A / B\"\n"
	"node,1,b,,ratio,1,,,,not known,\"A / B\"\n";

static void whole_file(void **state)
{
	struct event events[] = { { .name = "A", .unit = "B" }, { .name = "C" }, { .name = "D" } };
	struct ipmu_mpi m = {
		.events = events, .nevents = 3, .nlisted = 2, .nrows = 2, .packages_max = 1,
		.packages_all = 2, .at = { .nranks = 4, .count = 2 }, .incomplete = "a \"reason\"",
	};
	char *text;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	(void)state;
	assert_int_equal(csv_fill(f, &m), 0);
	fclose(f);
	assert_string_equal(text, expected);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(whole_file) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
