/* SPDX-License-Identifier: MIT */
/* interrupts CPU N EVENT: on a booted machine, how many interrupts this CPU takes while it reads
 * /proc/interrupts until they are N there: "counted COUNT least LEAST most MOST" by PAPI's event,
 * and by that file, read on both sides of the start and of the stop. */
#include <papi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines of the table that are no interrupts of a vector of their own: NMIs, and parts of others. */
static int is_other(const char *line)
{
	static const char *const names[] = { "NMI:", "PMI:", "TLB:", "MCP:", "ERR:", "MIS:" };

	line += strspn(line, " ");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(line, names[i], 4) == 0)
			return 1;
	return 0;
}

static long long taken(int cpu)
{
	FILE *f = fopen("/proc/interrupts", "r");
	long long sum = 0;
	char line[4096];

	if (!f)
		exit(1);
	for (int number = 0; fgets(line, sizeof(line), f); number++) {
		char *at = strchr(line, ':');

		if (number == 0 || !at || is_other(line))
			continue;
		at++;
		for (int i = 0; i < cpu; i++)
			strtoll(at, &at, 10);
		sum += strtoll(at, NULL, 10);
	}
	fclose(f);
	return sum;
}

static void must(int rc, const char *what)
{
	if (rc == PAPI_OK)
		return;
	fprintf(stderr, "interrupts: %s: %s\n", what, PAPI_strerror(rc));
	exit(1);
}

int main(int argc, char **argv)
{
	int cpu = argc > 3 ? atoi(argv[1]) : 0, set = PAPI_NULL;
	long long before, first, last, after, value;
	cpu_set_t bound;

	if (argc < 4 || PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 2;
	CPU_ZERO(&bound);
	CPU_SET((size_t)cpu, &bound);
	if (sched_setaffinity(0, sizeof(bound), &bound))
		return 1;
	must(PAPI_create_eventset(&set), "an event set");
	must(PAPI_add_named_event(set, argv[3]), argv[3]);
	before = taken(cpu);
	must(PAPI_start(set), argv[3]);
	first = taken(cpu);
	do
		last = taken(cpu);
	while (last - first < atoll(argv[2]));
	must(PAPI_stop(set, &value), "PAPI_stop");
	after = taken(cpu);
	printf("counted %lld least %lld most %lld\n", value, last - first, after - before);
	return 0;
}
