/* SPDX-License-Identifier: MIT */
/* Twice as many turns of a loop are twice as many instructions, and each turn is one at least. */
#define _GNU_SOURCE
#include "../../papi_glue/component_test.h"

#include <sched.h>

#define TURNS 1000000
#define TRIES 5

static const char *const names[] = {
	"intel_core:::knc.INSTRUCTIONS_EXECUTED:u",
	"intel_core:::core.INSTRUCTION_RETIRED:u",
	"intel_core:::netburst_p.instr_retired:NBOGUSNTAG:u",
	"intel_core:::netburst.instr_retired:NBOGUSNTAG:u",
};

static const char *instructions_here(void)
{
	int code;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (PAPI_event_name_to_code(names[i], &code) == PAPI_OK)
			return names[i];
	test_skip(__FILE__, __LINE__, "no event for instructions", 0);
}

/* Bind the thread to one CPU. All CPUs that it may use are counted, with the work of other
 * programs. */
static void use_one_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		test_fail(__FILE__, __LINE__, "sched_setaffinity", PAPI_ESYS);
}

static long long count_of(const char *name, long turns)
{
	long long count = 0;
	volatile long done = 0;
	int rc, set = PAPI_NULL;

	rc = component_test_start(&name, 1, &set);
	if (rc != PAPI_OK)
		test_fail(__FILE__, __LINE__, "start", rc);
	while (done < turns)
		done++;
	rc = component_test_stop(&set, &count);
	if (rc != PAPI_OK)
		test_fail(__FILE__, __LINE__, "stop", rc);
	return count;
}

/* Other programs on this CPU only add to it. */
static long long smallest_of(const char *name, long turns)
{
	long long least = count_of(name, turns);

	for (int i = 1; i < TRIES; i++) {
		long long count = count_of(name, turns);

		if (count < least)
			least = count;
	}
	return least;
}

int main(int argc, char **argv)
{
	long long once, twice;
	const char *name;

	component_test_begin(argc, argv, "intel_core");
	name = instructions_here();
	use_one_cpu();
	count_of(name, 1);
	once = smallest_of(name, TURNS);
	twice = smallest_of(name, 2 * TURNS);
	if (!TESTS_QUIET)
		printf("%s: %lld in %d turns, %lld in %d\n", name, once, TURNS, twice, 2 * TURNS);
	/* 2 percent is for PAPI_start and PAPI_stop, and for a program that ran in each try. */
	if (once < TURNS || twice < once * 2 - once / 50 || twice > once * 2 + once / 50)
		test_fail(__FILE__, __LINE__, "not in proportion to the work", 0);
	test_pass(__FILE__);
}
