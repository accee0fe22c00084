/* SPDX-License-Identifier: MIT */
/* Event sets of intel_core that are attached to a CPU, and their domains, on a virtual Core 2 whose
 * events this test raises itself. CPU 3 of it is outside this process's cpuset. */
#include "papi_machine.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define C "intel_core:::"
#define INST C "core.INSTRUCTION_RETIRED"
#define FIXED C "core_fixed.INST_RETIRED:ANY"

static void instructions_on_each_cpu(void)
{
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		engine_fixture_raise(&machine, cpu, VPMU_INSTRUCTIONS, 1u << 4 * cpu,
				     1u << 4 * cpu);
}

static void refused(int n)
{
	for (int i = 0; i < n; i++) {
		int set = papi_sets_of(NULL, 0);

		assert_papi(PAPI_add_named_event(set, INST ":cpu=1"), PAPI_ESYS);
		assert_papi(PAPI_destroy_eventset(&set), PAPI_OK);
	}
}

/* First: no CPU is open yet, and none can be without a place for the state. A set that has got no
 * event is destroyed without PAPI_cleanup_eventset, and nothing of ours may be left for it. */
static void sets_without_an_event_leave_nothing(void **state)
{
	char *path = strdup(getenv("IPMU_STATE_DIR"));
	int code = papi_sets_code(INST ":cpu=1"), set;
	size_t before;

	(void)state;
	setenv("IPMU_STATE_DIR", "/dev/null/none", 1);
	refused(20);
	before = mallinfo2().uordblks;
	refused(100);
	assert_int_equal(mallinfo2().uordblks, before);
	setenv("IPMU_STATE_DIR", path, 1);
	free(path);
	set = papi_sets_of(NULL, 0);
	assert_papi(PAPI_add_event(set, code), PAPI_OK);
	papi_sets_end(set);
}

static void counts_what_the_cpu_does(void **state)
{
	static const char *const names[] = { INST, FIXED, FIXED ":cpu=2" };
	long long v[3];

	(void)state;
	for (int first = 0; first < 2; first++) {
		/* attached with its events, or before it has any */
		int set = papi_sets_of(names, first ? 3 : 0);

		if (!first)
			assert_papi(PAPI_assign_eventset_component(set,
				PAPI_get_component_index("intel_core")), PAPI_OK);
		assert_papi(papi_sets_attach(set, 2), PAPI_OK);
		for (int i = 0; i < 3 && !first; i++)
			assert_papi(PAPI_add_named_event(set, names[i]), PAPI_OK);
		for (int round = 0; round < 2; round++) {
			assert_papi(PAPI_start(set), PAPI_OK);
			instructions_on_each_cpu();
			assert_papi(PAPI_stop(set, v), PAPI_OK);
			for (int i = 0; i < 3; i++)
				assert_int_equal(v[i], 0x100);
		}
		papi_sets_end(set);
	}
}

static void other_sets_are_not_attached(void **state)
{
	int attached = papi_sets_one(INST), other = papi_sets_one(INST ":cpu=1");
	long long v;

	(void)state;
	assert_papi(papi_sets_attach(attached, 2), PAPI_OK);
	assert_papi(PAPI_start(attached), PAPI_OK);
	assert_papi(PAPI_start(other), PAPI_OK);	/* PAPI: one set a thread, one a CPU */
	instructions_on_each_cpu();
	assert_papi(PAPI_stop(other, &v), PAPI_OK);
	assert_int_equal(v, 0x10);
	assert_papi(PAPI_stop(attached, &v), PAPI_OK);
	assert_int_equal(v, 0x100);
	papi_sets_end(attached);
	papi_sets_end(other);
}

/* PAPI calls the component for an emptied set as for one that ends. */
static void an_emptied_set_takes_events_again(void **state)
{
	int set = papi_sets_one(INST ":cpu=1");
	long long v;

	(void)state;
	assert_papi(PAPI_remove_named_event(set, INST ":cpu=1"), PAPI_OK);
	assert_papi(PAPI_add_named_event(set, FIXED ":cpu=1"), PAPI_OK);
	assert_papi(PAPI_start(set), PAPI_OK);
	instructions_on_each_cpu();
	assert_papi(PAPI_stop(set, &v), PAPI_OK);
	assert_int_equal(v, 0x10);
	papi_sets_end(set);
}

static void cpus_that_cannot_be_had(void **state)
{
	static const struct {
		unsigned cpu;
		const char *reason;
	} bad[] = {
		{ 4, "CPU 4: this machine has none of that number" },
		{ 5000, "CPU 5000: this machine" },
		{ UINT32_MAX, "this machine has none" },
		{ 3, "CPU 3: this process may not use it" },
		{ 2, "remove cpu= from the name" },	/* the event says another CPU */
	};
	int set = papi_sets_one(INST ":cpu=1");
	long long v;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		papi_sets_attach_refused(set, bad[i].cpu, bad[i].reason);
	}
	/* and is as it was */
	assert_papi(PAPI_start(set), PAPI_OK);
	instructions_on_each_cpu();
	assert_papi(PAPI_stop(set, &v), PAPI_OK);
	assert_int_equal(v, 0x10);
	papi_sets_end(set);
}

static void an_event_elsewhere_does_not_join(void **state)
{
	int set = papi_sets_one(INST);

	(void)state;
	assert_papi(papi_sets_attach(set, 1), PAPI_OK);
	assert_papi(PAPI_add_named_event(set, FIXED ":cpu=0"), PAPI_EINVAL);
	assert_papi(PAPI_add_named_event(set, FIXED ":cpu=1"), PAPI_OK);
	assert_int_equal(PAPI_num_events(set), 2);
	papi_sets_end(set);
}

static void on_overflow(int set, void *address, long long vector, void *context)
{
	(void)set, (void)address, (void)vector, (void)context;
}

static void overflow_and_attaching_exclude_each_other(void **state)
{
	int set = papi_sets_one(INST), code = papi_sets_code(INST);

	(void)state;
	assert_papi(PAPI_overflow(set, code, 1000, 0, on_overflow), PAPI_OK);
	assert_papi(papi_sets_attach(set, 1), PAPI_EINVAL);
	assert_papi(PAPI_overflow(set, code, 0, 0, on_overflow), PAPI_OK);
	assert_papi(papi_sets_attach(set, 1), PAPI_OK);
	assert_papi(PAPI_overflow(set, code, 1000, 0, on_overflow), PAPI_EINVAL);
	papi_sets_end(set);
}

static void processes_and_inheritance_are_refused(void **state)
{
	int set = papi_sets_one(INST);
	PAPI_option_t inherit = { .inherit = { .eventset = set, .inherit = 1 } };

	(void)state;
	assert_papi(PAPI_attach(set, (unsigned long)getpid()), PAPI_ECMP);
	assert_papi(PAPI_set_opt(PAPI_INHERIT, &inherit), PAPI_ECMP);
	papi_sets_end(set);
}

/* The select register's USR is bit 16, OS bit 17; in the fixed counters' field they are bits 1
 * and 0. All the model's instructions are user level. */
static void domains(void **state)
{
	static const struct {
		const char *suffix;
		int domain;
		uint64_t levels;	/* USR 1, OS 2 */
	} cases[] = {
		{ "", PAPI_DOM_ALL, 3 },
		{ "", PAPI_DOM_USER, 1 },
		{ "", PAPI_DOM_KERNEL, 2 },
		{ "", PAPI_DOM_USER | PAPI_DOM_KERNEL, 3 },
		{ ":u", PAPI_DOM_KERNEL, 1 },	/* names win */
		{ ":k", PAPI_DOM_USER, 2 },
		{ ":k=1:u=1", PAPI_DOM_USER, 3 },
		{ ":u", PAPI_DOM_ALL, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char inst[64], fixed[64];
		uint64_t levels = cases[i].levels;
		long long v[2];
		int set;

		snprintf(inst, sizeof(inst), INST "%s:cpu=1", cases[i].suffix);
		snprintf(fixed, sizeof(fixed), FIXED "%s:cpu=1", cases[i].suffix);
		set = papi_sets_one(inst);
		assert_papi(papi_sets_domain(set, cases[i].domain), PAPI_OK);
		assert_papi(PAPI_add_named_event(set, fixed), PAPI_OK);
		assert_papi(PAPI_start(set), PAPI_OK);
		assert_int_equal(engine_fixture_peek_on(&machine, 1, "IA32_PERFEVTSEL0") >> 16 & 3,
				 levels);
		assert_int_equal(engine_fixture_peek_on(&machine, 1, "MSR_PERF_FIXED_CTR_CTRL") & 3,
				 (levels & 1) << 1 | levels >> 1);
		instructions_on_each_cpu();
		assert_papi(PAPI_stop(set, v), PAPI_OK);
		assert_int_equal(v[0], levels & 1 ? 0x10 : 0);
		assert_int_equal(v[1], levels & 1 ? 0x10 : 0);
		papi_sets_end(set);
	}
}

static void a_domain_can_change_and_be_the_default(void **state)
{
	int core = PAPI_get_component_index("intel_core"), set = papi_sets_one(INST ":cpu=0");
	long long v;

	(void)state;
	for (int round = 0; round < 4; round++) {
		assert_papi(papi_sets_domain(set, round % 2 ? PAPI_DOM_USER : PAPI_DOM_KERNEL),
			    PAPI_OK);
		assert_papi(PAPI_start(set), PAPI_OK);
		assert_papi(papi_sets_domain(set, PAPI_DOM_ALL), PAPI_EISRUN);
		instructions_on_each_cpu();
		assert_papi(PAPI_stop(set, &v), PAPI_OK);
		assert_int_equal(v, round % 2);
	}
	papi_sets_end(set);
	assert_papi(PAPI_set_cmp_domain(PAPI_DOM_KERNEL, core), PAPI_OK);
	set = papi_sets_one(INST ":cpu=0");
	assert_papi(PAPI_start(set), PAPI_OK);
	instructions_on_each_cpu();
	assert_papi(PAPI_stop(set, &v), PAPI_OK);
	assert_int_equal(v, 0);
	papi_sets_end(set);
	assert_papi(PAPI_set_cmp_domain(PAPI_DOM_ALL, core), PAPI_OK);
}

static void granularity_and_what_does_not_exist(void **state)
{
	int set = papi_sets_one(INST);

	(void)state;
	assert_papi(papi_sets_granularity(set, PAPI_GRN_THR), PAPI_OK);
	assert_papi(papi_sets_granularity(set, PAPI_GRN_SYS), PAPI_EINVAL);
	assert_papi(papi_sets_domain(set, PAPI_DOM_SUPERVISOR), PAPI_EINVAL_DOM);
	assert_papi(PAPI_set_multiplex(set), PAPI_ENOSUPP);
	papi_sets_end(set);
}

/* The machine's description with CPU 3 outside the cpuset. */
static void narrow_the_cpuset(const char *path)
{
	static const char all[] = "allowed_cpuset=\"0x0000000f\"";
	static char text[1 << 18];
	FILE *in = fopen(getenv("HWLOC_XMLFILE"), "r"), *out = fopen(path, "w");
	size_t n = in ? fread(text, 1, sizeof(text) - 1, in) : 0;
	char *at = strstr(text, all);

	if (!at || !out || n == sizeof(text) - 1)
		exit(1);
	memcpy(at, "allowed_cpuset=\"0x00000007\"", strlen(all));
	fputs(text, out);
	fclose(in);
	fclose(out);
	setenv("HWLOC_XMLFILE", path, 1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_without_an_event_leave_nothing),
		cmocka_unit_test(counts_what_the_cpu_does),
		cmocka_unit_test(other_sets_are_not_attached),
		cmocka_unit_test(an_emptied_set_takes_events_again),
		cmocka_unit_test(cpus_that_cannot_be_had),
		cmocka_unit_test(an_event_elsewhere_does_not_join),
		cmocka_unit_test(overflow_and_attaching_exclude_each_other),
		cmocka_unit_test(processes_and_inheritance_are_refused),
		cmocka_unit_test(domains),
		cmocka_unit_test(a_domain_can_change_and_be_the_default),
		cmocka_unit_test(granularity_and_what_does_not_exist),
	};
	char path[] = "/tmp/papi_options_XXXXXX";
	int rc, fd;

	(void)argc;
	on_machine(argv, "core2-4c");
	fd = mkstemp(path);
	if (fd < 0)
		return 1;
	close(fd);
	narrow_the_cpuset(path);
	rc = cmocka_run_group_tests(tests, papi_machine_open, papi_machine_close);
	unlink(path);
	return rc;
}
