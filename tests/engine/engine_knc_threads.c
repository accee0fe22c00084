/* SPDX-License-Identifier: MIT */
/* All events of Knights Corner, counted by default and thread by thread, on a machine of 4 cores
 * with 4 threads each. Every thread does as much of everything as its number and one, times 1000:
 * an event that sums up m kinds of happenings has to come out as m times a sum that is arithmetic.
 */
#include "model/core_events.h"
#include "engine_fixture.h"
#include "on_machine.h"
#include "tsv.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#define CPUS 16
#define THREADS 4
#define UNIT 1000u
#define ALL (136u * UNIT)	/* 1 + 2 + ... + 16 */
#define ENABLE 0x00400000u

/* CRI events that no thread causes: victims of the L2 and snoops. */
static bool without_thread(unsigned code)
{
	switch (code) {
	case 0x10D7:
	case 0x10E3:
	case 0x10E6:
	case 0x10E7:
		return true;
	}
	return false;
}

static void everybody_does_everything(const struct engine_fixture *f)
{
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		uint32_t counts[VPMU_CORE_EVENTS];

		for (int i = 0; i < VPMU_CORE_EVENTS; i++)
			counts[i] = (cpu + 1) * UNIT;
		vpmu_lock(f->segment);
		vpmu_core_events(f->segment, cpu, counts, 4 * (cpu + 1) * UNIT);
		vpmu_unlock(f->segment);
	}
}

static uint64_t of_cpu(int cpu)
{
	return (uint64_t)(cpu + 1) * UNIT;
}

static uint64_t of_core(int cpu)
{
	uint64_t sum = 0;

	for (int i = 0; i < THREADS; i++)
		sum += of_cpu(cpu / THREADS * THREADS + i);
	return sum;
}

/* Hardware threads with a counter enabled on that event. */
static int counting(const struct engine_fixture *f, unsigned code)
{
	int n = 0;

	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		uint64_t on = engine_fixture_peek_on(f, cpu, "IA32_PERF_GLOBAL_CTRL");
		uint64_t s0 = engine_fixture_peek_on(f, cpu, "IA32_PerfEvtSel0");
		uint64_t s1 = engine_fixture_peek_on(f, cpu, "IA32_PerfEvtSel1");

		n += (on & 1 && s0 & ENABLE && (s0 & 0xFFFF) == code) ||
		     (on & 2 && s1 & ENABLE && (s1 & 0xFFFF) == code);
	}
	return n;
}

struct counts {
	uint64_t all, cpu[CPUS];
};

static void count(const struct engine_fixture *f, const char *event, unsigned code,
		  struct counts *c)
{
	const char *names[CPUS];
	struct ipmu_session *all, *each;
	char name[CPUS][IPMU_NAME_MAX];

	for (int cpu = 0; cpu < CPUS; cpu++) {
		snprintf(name[cpu], sizeof(name[cpu]), "knc.%.60s:cpu=%d", event, cpu);
		names[cpu] = name[cpu];
	}
	all = engine_fixture_started(f, &event, 1);
	assert_int_equal(counting(f, code), without_thread(code) ? CPUS / THREADS : CPUS);
	each = engine_fixture_started(f, names, CPUS);
	everybody_does_everything(f);
	engine_fixture_end(each, c->cpu);
	engine_fixture_end(all, &c->all);
}

/* m: of how many kinds of happenings the event is the sum; 0: the machine does not drive it. */
static uint64_t compare(const struct counts *c, unsigned code)
{
	uint64_t m = c->all / ALL;

	assert_int_equal(c->all, m * ALL);
	for (int cpu = 0; cpu < CPUS; cpu++)
		assert_int_equal(c->cpu[cpu],
				 m * (without_thread(code) ? of_core(cpu) : of_cpu(cpu)));
	return m;
}

/* Documented events that the machine says it drives. */
static int said_to_be_driven(const struct engine_fixture *f)
{
	struct vpmu_event_info e;
	int n = 0;

	for (uint32_t i = 0; vpmu_model_event(&f->segment->machine, i, &e); i++)
		n += e.driven;
	return n;
}

static void the_default_counts_each_event_once(void **state)
{
	const struct engine_fixture *f = *state;
	int documented = 0, driven = 0, victims = 0;
	struct tsv t;

	tsv_open(&t, "knc/events.tsv");
	while (tsv_next(&t)) {
		unsigned code = (unsigned)(tsv_number(&t, "umask") << 8 | tsv_number(&t, "code"));
		const char *event = tsv_cell(&t, "event");
		struct counts c;
		uint64_t m;

		if (strcmp(tsv_cell(&t, "status"), "S") != 0)
			continue;	/* of names that are not in the document libpfm4 has none */
		print_message("%s\n", event);
		count(f, event, code, &c);
		m = compare(&c, code);
		if (m && without_thread(code))
			assert_int_equal(m, 1);
		documented++;
		driven += m > 0;
		victims += m && without_thread(code);
	}
	assert_int_equal(documented, 59);
	assert_int_equal(driven, said_to_be_driven(f));
	assert_int_equal(victims, 3);	/* nothing waits in the bus unit of the machine */
}

/* Two threads of a core and one of another: two cores. */
static void some_threads_of_a_core_count_it_once(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const name = "L2_VICTIM_REQ_WITH_DATA";
	cpu_set_t before, some;
	struct ipmu_session *s;
	uint64_t v;

	CPU_ZERO(&some);
	CPU_SET(5, &some);
	CPU_SET(6, &some);
	CPU_SET(12, &some);
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(some), &some), 0);
	s = engine_fixture_started(f, &name, 1);
	everybody_does_everything(f);
	engine_fixture_end(s, &v);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(v, of_core(5) + of_core(12));
}

/* If a CPU's registers cannot be opened, nothing is counted on the others either. */
static void a_start_needs_all_cpus_of_its_thread(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const name = "INSTRUCTIONS_EXECUTED";
	struct ipmu_session *s = engine_fixture_session(f, &name, 1);
	struct rlimit before, none;
	char why[IPMU_WHY_MAX] = "";
	uint64_t v;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){ .rlim_cur = 0, .rlim_max = before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(ipmu_session_start(s, why), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_non_null(strstr(why, "/dev/cpu/"));
	engine_fixture_start(s);
	everybody_does_everything(f);
	engine_fixture_end(s, &v);
	assert_int_equal(v, ALL);
}

static int open_knc(void **state)
{
	static const struct engine_found found[] = { { NULL, 0 } };

	return engine_fixture_open_on(state, IPMU_SCOPE_CPU, found);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		/* the first one, while only one CPU's registers are open */
		cmocka_unit_test(a_start_needs_all_cpus_of_its_thread),
		cmocka_unit_test(the_default_counts_each_event_once),
		cmocka_unit_test(some_threads_of_a_core_count_it_once),
	};

	(void)argc;
	on_machine(argv, "knc-4c16t");
	return cmocka_run_group_tests(tests, open_knc, engine_fixture_close);
}
