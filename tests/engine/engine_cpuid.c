/* SPDX-License-Identifier: MIT */
/* CPUID of a given CPU: by the device file, on a hybrid machine where it is there, and by the
 * instruction, where it is not. This program runs itself again under `vpmu run`. */
#include "access/cpuid.h"
#include "pmu/core2.h"

#include <cpuid.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define NO_SUCH_CPU 99999
/* Leaf 1AH, EAX bits 31:24: the kind of core. */
enum { KIND = 0x1a, ATOM = 0x20, CORE = 0x40 };

static const char *self;

static unsigned int kind_of(int os_cpu)
{
	uint32_t r[4];

	assert_true(ipmu_cpuid_leaf(os_cpu, KIND, r));
	return r[IPMU_EAX] >> 24;
}

static void bind(int os_cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)os_cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
}

/* first_little .. cpus - 1 are E cores. */
static void each_cpu_has_its_kind(int first_little, int cpus, int model)
{
	for (int where = 0; where < cpus; where += cpus - 1) {
		bind(where);
		for (int cpu = 0; cpu < cpus; cpu++) {
			struct ipmu_cpuid id;

			assert_int_equal(kind_of(cpu), cpu < first_little ? CORE : ATOM);
			ipmu_cpuid_read(cpu, &id);
			assert_int_equal(id.family, 6);
			assert_int_equal(id.model, model);
		}
		/* The thread's own. */
		assert_int_equal(kind_of(NO_SUCH_CPU), where < first_little ? CORE : ATOM);
	}
}

static void on_alder_lake(void **state)
{
	(void)state;
	each_cpu_has_its_kind(16, 24, 0x97);
}

static void on_meteor_lake(void **state)
{
	(void)state;
	each_cpu_has_its_kind(12, 22, 0xAA);
}

static int run_on(const char *machine)
{
	const char *vpmu = getenv("VPMU");
	int status = -1;
	pid_t child;

	if (!vpmu || getenv("SANITIZER"))
		return 77;
	child = fork();
	if (!child) {
		execl(vpmu, vpmu, "run", "-m", machine, "--", self, machine, (char *)NULL);
		_exit(126);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void hybrid_machines(void **state)
{
	static const char *const machines[] = { "adl-8p8e24t", "mtl-6p8e2lp22t" };

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		int status = run_on(machines[i]);

		if (status == 77) {
			print_message("no vpmu, or a sanitizer, which cannot be emulated\n");
			skip();
		}
		assert_int_equal(status, 0);
	}
}

/* No such device: what the instruction says, leaf for leaf. */
static void without_the_device(void **state)
{
	uint32_t most, r[4], own[4];

	(void)state;
	bind(sched_getcpu());
	__cpuid(0, most, own[1], own[2], own[3]);
	for (uint32_t leaf = 0; leaf <= 1; leaf++) {
		assert_true(ipmu_cpuid_leaf(NO_SUCH_CPU, leaf, r));
		__cpuid_count(leaf, 0, own[0], own[1], own[2], own[3]);
		assert_memory_equal(r, own, sizeof(r));
	}
	assert_false(ipmu_cpuid_leaf(NO_SUCH_CPU, most + 1, r));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_the_device),
		cmocka_unit_test(hybrid_machines),
	};
	const struct CMUnitTest alder_lake[] = { cmocka_unit_test(on_alder_lake) };
	const struct CMUnitTest meteor_lake[] = { cmocka_unit_test(on_meteor_lake) };

	self = argv[0];
	if (argc == 1)
		return cmocka_run_group_tests(tests, NULL, NULL);
	return strncmp(argv[1], "adl", 3) ? cmocka_run_group_tests(meteor_lake, NULL, NULL) :
					    cmocka_run_group_tests(alder_lake, NULL, NULL);
}
