/* SPDX-License-Identifier: MIT */
/* Sessions on the registers of two virtual Pentium 4 whose events this test raises itself. CPUs 0
 * and 2 are the threads of the first, CPUs 1 and 3 those of the other. */
#include "engine_fixture.h"

#include "model/core_events.h"
#include "on_machine.h"
#include "pmu/netburst.h"
#include "access/access.h"
#include "pmu/families.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#define EVENTS_MAX 18

static int open_fixture(void **state)
{
	static const struct engine_found found[] = {
		{ "MSR_CRU_ESCR2", 0x0C00140C }, { "MSR_FIRM_ESCR0", 0x19000020 },
		{ "MSR_IQ_COUNTER0", 0x123456789A }, { "MSR_IQ_CCCR0", 0x0003A000 },
		{ "MSR_PEBS_MATRIX_VERT", 0x3 }, { "MSR_BPU_CCCR2", 0x00037000 },
		{ "MSR_BPU_COUNTER2", 0xFFFFFFFFFF }, { NULL, 0 },
	};

	return engine_fixture_open_on(state, IPMU_SCOPE_CPU, found);
}

/* A thread does n of one thing, in n clocks. */
static void does(const struct engine_fixture *f, uint32_t cpu, enum vpmu_core_event what,
		 uint32_t n)
{
	uint32_t counts[VPMU_CORE_EVENTS] = { 0 };

	counts[what] = n;
	vpmu_lock(f->segment);
	vpmu_core_events(f->segment, cpu, counts, n);
	vpmu_unlock(f->segment);
}

struct run {
	struct ipmu_session *s;
	int n;
	uint64_t v[EVENTS_MAX];
};

/* Names up to NULL; running. */
static struct run start(const struct engine_fixture *f, ...)
{
	struct ipmu_event events[EVENTS_MAX];
	char why[IPMU_WHY_MAX] = "";
	struct run r = { .n = 0 };
	const char *name;
	va_list names;

	va_start(names, f);
	while ((name = va_arg(names, const char *)) != NULL)
		events[r.n++] = engine_fixture_event(f, name);
	va_end(names);
	assert_int_equal(ipmu_session_new(f->sys, &r.s, why), 0);
	if (ipmu_session_set(r.s, events, r.n, why) || ipmu_session_start(r.s, why))
		fail_msg("%s", why);
	return r;
}

static void stop_run(struct run *r)
{
	char why[IPMU_WHY_MAX] = "";

	if (ipmu_session_stop(r->s, r->v, why))
		fail_msg("%s", why);
}

static void end(struct run *r)
{
	stop_run(r);
	ipmu_session_free(r->s);
}

static void counts_by_thread_and_by_core(void **state)
{
	const struct engine_fixture *f = *state;
	struct run r = start(f, "instr_retired:NBOGUSNTAG:cpu=0", "instr_retired:NBOGUSNTAG:cpu=2",
			     "instr_retired:NBOGUSNTAG:cpu=1", "retired_branch_type:CALL:cpu=0",
			     "BSQ_cache_reference:RD_2ndL_MISS:cpu=3",
			     "instr_retired:NBOGUSNTAG:k:cpu=3", NULL);

	does(f, 0, VPMU_INSTRUCTIONS, 1000);
	does(f, 2, VPMU_INSTRUCTIONS, 300);
	does(f, 1, VPMU_INSTRUCTIONS, 20);
	does(f, 3, VPMU_INSTRUCTIONS, 7);	/* at user level */
	does(f, 0, VPMU_BRANCHES_CALL, 5);
	does(f, 2, VPMU_BRANCHES_CALL, 50);
	does(f, 3, VPMU_L2_READ_MISS, 9);
	does(f, 1, VPMU_L2_READ_MISS, 90);
	end(&r);
	assert_int_equal(r.v[0], 1000);
	assert_int_equal(r.v[1], 300);
	assert_int_equal(r.v[2], 20);
	assert_int_equal(r.v[3], 5);
	assert_int_equal(r.v[4], 9);
	assert_int_equal(r.v[5], 0);
}

/* Active Thread of the CCCR: while the other thread of the core rests, and while it does not. A
 * thread that counts is active itself. */
static void counts_by_active_threads(void **state)
{
	static const char *const states[] = { "none", "single", "both", "any" };
	static const uint64_t expected[] = { 0, 100, 30, 100 + 30 };
	const struct engine_fixture *f = *state;

	for (int i = 0; i < 4; i++) {
		char name[64];
		struct run r;

		snprintf(name, sizeof(name), "instr_retired:NBOGUSNTAG:threads=%s:cpu=0",
			 states[i]);
		r = start(f, name, NULL);
		does(f, 0, VPMU_INSTRUCTIONS, 100);
		f->segment->threads[0].tid = 1000;	/* a thread on CPU 2, of the same core */
		f->segment->threads[0].cpu = 2;
		f->segment->threads[0].executes = 1;
		does(f, 0, VPMU_INSTRUCTIONS, 30);
		f->segment->threads[0].tid = 0;
		end(&r);
		assert_int_equal(r.v[0], expected[i]);
	}
}

/* Without cpu= wherever the thread may run; an event of the core is not counted once a thread. */
static void counts_where_the_thread_may_run(void **state)
{
	const struct engine_fixture *f = *state;
	struct run r = start(f, "instr_retired:NBOGUSNTAG", "page_walk_type:DTMISS",
			     "page_walk_type:DTMISS:cpu=0", NULL);

	for (uint32_t cpu = 0; cpu < 4; cpu++) {
		does(f, cpu, VPMU_INSTRUCTIONS, 1u << cpu);
		does(f, cpu, VPMU_DTLB_READ_MISSES, 1u << cpu);
	}
	end(&r);
	assert_int_equal(r.v[0], 1 + 2 + 4 + 8);
	assert_int_equal(r.v[1], 1 + 2 + 4 + 8);
	assert_int_equal(r.v[2], 1 + 4);	/* TI: not attributed to a thread */
}

static void stopped_counters_rest(void **state)
{
	const struct engine_fixture *f = *state;
	struct run r = start(f, "uops_retired:NBOGUS:cpu=0", NULL), other;
	uint64_t v;

	does(f, 0, VPMU_UOPS, 11);
	other = start(f, "uops_retired:NBOGUS:cpu=2", NULL);
	does(f, 2, VPMU_UOPS, 4);
	does(f, 0, VPMU_UOPS, 1);
	stop_run(&r);
	does(f, 0, VPMU_UOPS, 500);
	does(f, 2, VPMU_UOPS, 3);
	assert_int_equal(r.v[0], 12);
	assert_int_equal(ipmu_session_read(other.s, &v), 0);
	assert_int_equal(v, 7);
	assert_int_equal(ipmu_session_start(r.s, NULL), 0);
	does(f, 0, VPMU_UOPS, 2);
	end(&r);
	assert_int_equal(r.v[0], 2);
	end(&other);
	assert_int_equal(other.v[0], 7);
}

static void counters_wrap_without_a_loss(void **state)
{
	const struct engine_fixture *f = *state;
	struct run r;

	/* counter 2 was found at 2^40 - 1 */
	r = start(f, "page_walk_type:DTMISS:cpu=0", "page_walk_type:ITMISS:cpu=0", NULL);
	does(f, 0, VPMU_DTLB_READ_MISSES, 6);
	does(f, 0, VPMU_ITLB_MISSES, 25);
	end(&r);
	assert_int_equal(r.v[0], 6);
	assert_int_equal(r.v[1], 25);
}

static void tags_of_all_three_kinds(void **state)
{
	const struct engine_fixture *f = *state;
	struct run r = start(f, "execution_event:tag=packed_DP:cpu=0",
			     "execution_event:tag=scalar_SP:cpu=0", NULL);

	does(f, 0, VPMU_SSE_PACKED_DOUBLE, 40);
	does(f, 0, VPMU_SSE_SCALAR_SINGLE, 3);
	does(f, 0, VPMU_SSE_PACKED_SINGLE, 1000);
	end(&r);
	assert_int_equal(r.v[0], 40);
	assert_int_equal(r.v[1], 3);
	r = start(f, "front_end_event:NBOGUS:tag=stores:cpu=1", "replay_event:L2_LD_MISS:cpu=1",
		  NULL);
	does(f, 1, VPMU_STORES, 17);
	does(f, 1, VPMU_LOADS, 1000);
	does(f, 1, VPMU_LOADS_L2_MISSED, 6);
	does(f, 1, VPMU_LOADS_L1_MISSED, 60);
	end(&r);
	assert_int_equal(r.v[0], 17);
	assert_int_equal(r.v[1], 6);
	r = start(f, "replay_event:DTLB_ALL_MISS:cpu=2", NULL);
	does(f, 2, VPMU_LOADS_DTLB_MISSED, 2);
	does(f, 2, VPMU_STORES_DTLB_MISSED, 3);
	end(&r);
	assert_int_equal(r.v[0], 5);
}

/* Tags of a session do not leak into the next one while other sessions keep the core. */
static void tags_end_with_their_event(void **state)
{
	const struct engine_fixture *f = *state;
	struct run keeper = start(f, "instr_retired:NBOGUSNTAG:cpu=0", NULL), r;

	r = start(f, "execution_event:NBOGUS0:tag=packed_DP:cpu=0",
		  "replay_event:L1_LD_MISS:cpu=0", NULL);
	assert_int_equal(engine_fixture_peek(f, "MSR_PEBS_ENABLE"), 0x01000001);
	assert_int_equal(engine_fixture_peek(f, "MSR_PEBS_MATRIX_VERT"), 0x1);
	assert_int_equal(engine_fixture_peek(f, "MSR_FIRM_ESCR0"), 0x1900003C);
	stop_run(&r);
	assert_int_equal(engine_fixture_peek(f, "MSR_PEBS_ENABLE"), 0);
	assert_int_equal(engine_fixture_peek(f, "MSR_FIRM_ESCR0"), 0);
	assert_int_equal(ipmu_session_start(r.s, NULL), 0);
	does(f, 0, VPMU_SSE_PACKED_DOUBLE, 8);
	does(f, 0, VPMU_LOADS_L1_MISSED, 9);
	stop_run(&r);
	assert_int_equal(r.v[0], 8);
	assert_int_equal(r.v[1], 9);
	ipmu_session_free(r.s);
	r = start(f, "packed_DP_uop:cpu=0", "execution_event:NBOGUS0:tag=x87_FP:cpu=0", NULL);
	does(f, 0, VPMU_SSE_PACKED_DOUBLE, 70);
	does(f, 0, VPMU_X87, 4);
	end(&r);
	assert_int_equal(r.v[0], 70);
	assert_int_equal(r.v[1], 4);
	end(&keeper);
}

/* Counters 8 to 11, to which FIRM's ESCRs can be connected. */
static int enabled_beside_firm(const struct engine_fixture *f)
{
	int n = 0;

	for (int i = 0; i < 4; i++) {
		char name[] = "MSR_FLAME_CCCR0";

		name[sizeof(name) - 2] += (char)i;
		n += (engine_fixture_peek(f, name) & 0x1000) != 0;
	}
	return n;
}

/* 18.15.5.9: a tag counts 0 unless a counter of its ESCR or of its pair's is enabled, which may be
 * another event's; then that one stays enabled for as long as the tag is counted. */
static void a_tag_rides_on_a_counter_that_runs(void **state)
{
	const struct engine_fixture *f = *state;
	struct run other = start(f, "memory_complete:SSC:cpu=0", NULL), r, same, four;

	r = start(f, "execution_event:tag=packed_DP:cpu=0", NULL);
	assert_int_equal(enabled_beside_firm(f), 1);
	does(f, 0, VPMU_SSE_PACKED_DOUBLE, 5);
	end(&other);
	does(f, 0, VPMU_SSE_PACKED_DOUBLE, 6);
	same = start(f, "execution_event:tag=packed_DP:cpu=0", NULL);
	does(f, 0, VPMU_SSE_PACKED_DOUBLE, 7);
	end(&r);
	assert_int_equal(r.v[0], 18);
	does(f, 0, VPMU_SSE_PACKED_DOUBLE, 8);
	assert_int_equal(enabled_beside_firm(f), 1);
	end(&same);
	assert_int_equal(same.v[0], 15);
	assert_int_equal(enabled_beside_firm(f), 0);
	four = start(f, "memory_cancel:ST_RB_FULL:cpu=0", "memory_complete:LSC:cpu=0",
		     "WC_Buffer:WCB_EVICTS:cpu=0", "load_port_replay:SPLIT_LD:cpu=0", NULL);
	r = start(f, "execution_event:tag=packed_DP:cpu=0", NULL);
	does(f, 0, VPMU_SSE_PACKED_DOUBLE, 9);
	end(&four);
	assert_int_equal(enabled_beside_firm(f), 1);
	does(f, 0, VPMU_SSE_PACKED_DOUBLE, 1);
	end(&r);
	assert_int_equal(r.v[0], 10);
	/* in one set, before it and after it */
	r = start(f, "execution_event:tag=packed_DP:cpu=0", "memory_complete:LSC:cpu=0", NULL);
	assert_int_equal(enabled_beside_firm(f), 1);
	does(f, 0, VPMU_SSE_PACKED_DOUBLE, 3);
	end(&r);
	assert_int_equal(r.v[0], 3);
	assert_int_equal(enabled_beside_firm(f), 0);
}

static void registers_are_those_of_the_examples(void **state)
{
	const struct engine_fixture *f = *state;
	struct run r = start(f, "global_power_events:RUNNING:cpu=0", "machine_clear:CLEAR:e:cpu=0",
			     "instr_retired:NBOGUSNTAG:u:cpu=0", NULL);

	assert_int_equal(engine_fixture_peek(f, "MSR_FSB_ESCR0"), 0x2600020C);
	assert_int_equal(engine_fixture_peek(f, "MSR_BPU_CCCR0"), 0x0003D000);
	assert_int_equal(engine_fixture_peek(f, "MSR_CRU_ESCR2"), 0x0400020C);
	assert_int_equal(engine_fixture_peek(f, "MSR_IQ_CCCR0"), 0x0107B000);
	assert_int_equal(engine_fixture_peek(f, "MSR_CRU_ESCR0"), 0x04000204);
	assert_int_equal(engine_fixture_peek(f, "MSR_IQ_CCCR1"), 0x00039000);
	stop_run(&r);
	assert_int_equal(engine_fixture_peek(f, "MSR_BPU_CCCR0"), 0x0003C000);
	ipmu_session_free(r.s);
}

static void a_read_costs_one_access_a_counter(void **state)
{
	const struct engine_fixture *f = *state;
	struct run r = start(f, "instr_retired:NBOGUSNTAG:cpu=0", "instr_retired:NBOGUSNTAG:cpu=0",
			     "uops_retired:NBOGUS:cpu=0", NULL);
	struct vpmu_access_counts was = f->segment->accesses;

	for (int i = 0; i < 10; i++)
		assert_int_equal(ipmu_session_read(r.s, r.v), 0);
	assert_int_equal(f->segment->accesses.rdmsr - was.rdmsr, 10 * 2);
	assert_int_equal(f->segment->accesses.wrmsr, was.wrmsr);
	/* there is no global enable */
	assert_int_equal(ipmu_session_stop(r.s, NULL, NULL), 0);
	assert_int_equal(f->segment->accesses.wrmsr - was.wrmsr, 2);
	was = f->segment->accesses;
	assert_int_equal(ipmu_session_start(r.s, NULL), 0);
	assert_int_equal(f->segment->accesses.wrmsr - was.wrmsr, 2);
	end(&r);
}

/* The document's example: 100 events, overflow after 99, the interrupt with the 100th. */
static void overflow_and_interrupt(void **state)
{
	const struct engine_fixture *f = *state;
	struct run r = start(f, "instr_retired:NBOGUSNTAG:u:ovf=100:cpu=0", NULL);
	struct vpmu_access_counts was;

	assert_true(engine_fixture_peek(f, "MSR_IQ_COUNTER0") == 0xFFFFFFFF9D);
	assert_int_equal(engine_fixture_peek(f, "MSR_IQ_CCCR0"), 0x04039000);
	does(f, 0, VPMU_INSTRUCTIONS, 98);
	assert_int_equal(engine_fixture_peek(f, "MSR_IQ_CCCR0"), 0x04039000);
	does(f, 0, VPMU_INSTRUCTIONS, 1);
	assert_int_equal(engine_fixture_peek(f, "MSR_IQ_CCCR0"), 0x84039000);
	does(f, 0, VPMU_INSTRUCTIONS, 51);
	stop_run(&r);
	assert_int_equal(r.v[0], 150);
	assert_int_equal(engine_fixture_peek(f, "MSR_IQ_CCCR0"), 0x04038000);
	/* a second start begins anew: CCCR 0, the counter twice, CCCR, and its enable */
	was = f->segment->accesses;
	assert_int_equal(ipmu_session_start(r.s, NULL), 0);
	assert_int_equal(f->segment->accesses.wrmsr - was.wrmsr, 5);
	assert_true(engine_fixture_peek(f, "MSR_IQ_COUNTER0") == 0xFFFFFFFF9D);
	does(f, 0, VPMU_INSTRUCTIONS, 3);
	end(&r);
	assert_int_equal(r.v[0], 3);
}

/* How often the core's interrupt line to a logical processor has been raised. */
static uint64_t interrupts(const struct engine_fixture *f, uint32_t cpu)
{
	uint64_t n;

	vpmu_lock(f->segment);
	n = vpmu_model_interrupts(f->segment, cpu);
	vpmu_unlock(f->segment);
	return n;
}

/* 18.15.5.8: FORCE_OVF triggers an interrupt after every increment; ovf=N one, with the Nth. */
static void interrupts_come_when_the_document_says(void **state)
{
	const struct engine_fixture *f = *state;
	uint64_t was = interrupts(f, 0), other = interrupts(f, 1);
	struct run r = start(f, "instr_retired:NBOGUSNTAG:force_ovf:cpu=0", NULL);

	does(f, 0, VPMU_INSTRUCTIONS, 1);
	assert_int_equal(interrupts(f, 0) - was, 1);
	does(f, 0, VPMU_INSTRUCTIONS, 6);
	assert_int_equal(interrupts(f, 0) - was, 7);
	end(&r);
	assert_int_equal(r.v[0], 7);
	r = start(f, "instr_retired:NBOGUSNTAG:ovf=2:cpu=0", NULL);
	was = interrupts(f, 0);
	does(f, 0, VPMU_INSTRUCTIONS, 1);
	assert_int_equal(interrupts(f, 0) - was, 0);
	does(f, 0, VPMU_INSTRUCTIONS, 1);
	assert_int_equal(interrupts(f, 0) - was, 1);
	does(f, 0, VPMU_INSTRUCTIONS, 100);
	assert_int_equal(interrupts(f, 0) - was, 1);
	end(&r);
	/* a cascade: what is started interrupts, what starts it does not */
	r = start(f, "branch_retired:MMTP:force_ovf:start=instr_retired.NBOGUSNTAG:ovf=10:cpu=0",
		  NULL);
	was = interrupts(f, 0);
	does(f, 0, VPMU_BRANCHES_TAKEN, 5);
	does(f, 0, VPMU_INSTRUCTIONS, 10);
	assert_int_equal(interrupts(f, 0) - was, 0);
	does(f, 0, VPMU_BRANCHES_TAKEN, 3);
	assert_int_equal(interrupts(f, 0) - was, 3);
	end(&r);
	assert_int_equal(r.v[0], 3);
	assert_int_equal(interrupts(f, 1), other);
}

static void overflows_set_the_flags_of_their_counters(void **state)
{
	const struct engine_fixture *f = *state;
	struct run r;

	r = start(f, "instr_retired:NBOGUSNTAG:u:ovf=2:cpu=0", "uops_retired:NBOGUS:ovf=5:cpu=0",
		  NULL);
	does(f, 0, VPMU_INSTRUCTIONS, 1);
	does(f, 0, VPMU_UOPS, 1);
	assert_int_equal(engine_fixture_peek(f, "MSR_IQ_CCCR0"), 0x84039000);
	assert_false(engine_fixture_peek(f, "MSR_IQ_CCCR2") >> 31);
	does(f, 0, VPMU_UOPS, 3);
	assert_true(engine_fixture_peek(f, "MSR_IQ_CCCR2") >> 31);	/* the other ESCR */
	end(&r);
}

static void a_cascade_starts_after_the_nth_event(void **state)
{
	const struct engine_fixture *f = *state;
	struct run r = start(f, "branch_retired:MMTP:start=instr_retired.NBOGUSNTAG:ovf=10:cpu=0",
			     NULL);

	for (int round = 0; round < 2; round++) {
		does(f, 0, VPMU_INSTRUCTIONS, 9);
		does(f, 0, VPMU_BRANCHES_TAKEN, 1000);
		assert_int_equal(ipmu_session_read(r.s, r.v), 0);
		assert_int_equal(r.v[0], 0);
		does(f, 0, VPMU_INSTRUCTIONS, 1);
		does(f, 0, VPMU_BRANCHES_TAKEN, 44);
		stop_run(&r);
		assert_int_equal(r.v[0], 44);
		does(f, 0, VPMU_BRANCHES_TAKEN, 5);
		assert_int_equal(ipmu_session_start(r.s, NULL), 0);
	}
	end(&r);
}

/* Erratum N15: the first of two writes of a counter may have no effect. This count needs its
 * counter's start value, and IQ_COUNTER0 gets back what was found in it. */
static void a_lost_write_costs_no_count(void **state)
{
	const struct engine_fixture *f = *state;
	uint64_t found = engine_fixture_peek(f, "MSR_IQ_COUNTER0");
	struct run r;

	vpmu_netburst_lose_writes(f->segment, true);
	r = start(f, "branch_retired:MMTP:start=instr_retired.NBOGUSNTAG:ovf=10:cpu=0", NULL);
	does(f, 0, VPMU_INSTRUCTIONS, 10);
	does(f, 0, VPMU_BRANCHES_TAKEN, 44);
	end(&r);
	assert_int_equal(r.v[0], 44);
	assert_int_equal(engine_fixture_peek(f, "MSR_IQ_COUNTER0"), found);
	vpmu_netburst_lose_writes(f->segment, false);
}

static void collisions_with_what_runs(void **state)
{
	const struct engine_fixture *f = *state;
	struct run r = start(f, "branch_retired:MMTP:cpu=0", "branch_retired:MMNP:cpu=0", NULL);
	struct ipmu_event third = engine_fixture_event(f, "machine_clear:CLEAR:cpu=2");
	struct ipmu_event far = engine_fixture_event(f, "machine_clear:CLEAR:cpu=3");
	struct ipmu_session *s;
	char why[IPMU_WHY_MAX] = "";

	assert_int_equal(ipmu_session_new(f->sys, &s, why), 0);
	assert_int_equal(ipmu_session_set(s, &third, 1, why), 0);
	assert_int_equal(ipmu_session_start(s, why), -EBUSY);
	print_message("%s\n", why);
	assert_non_null(strstr(why, "machine_clear:CLEAR"));
	assert_non_null(strstr(why, "branch_retired:MM"));
	assert_non_null(strstr(why, "MSR_CRU_ESCR"));
	/* the other core has registers of its own */
	assert_int_equal(ipmu_session_set(s, &far, 1, why), 0);
	assert_int_equal(ipmu_session_start(s, why), 0);
	ipmu_session_free(s);
	end(&r);
}

/* A counter is checked before it is taken, but not what else its ESCR serves. The counters of
 * the foreign user are enabled for any thread, with CRU_ESCR0. */
static void a_foreign_counter_is_noticed_and_its_escr_is_not(void **state)
{
	const struct engine_fixture *f = *state;
	char why[IPMU_WHY_MAX] = "";
	struct ipmu_event event;
	struct ipmu_system *sys;
	struct ipmu_session *s;
	uint64_t count;

	unsetenv("IPMU_TAKE_BUSY");
	assert_int_equal(ipmu_system_open(f->topo, IPMU_SCOPE_CPU, &sys, why), 0);
	setenv("IPMU_TAKE_BUSY", "1", 1);
	assert_int_equal(ipmu_event_parse(sys, "instr_retired:NBOGUSNTAG:cpu=0", &event, why), 0);
	assert_int_equal(ipmu_session_new(sys, &s, why), 0);
	assert_int_equal(ipmu_session_set(s, &event, 1, why), 0);

	uint64_t cccr0 = engine_fixture_peek(f, "MSR_IQ_CCCR0");
	uint64_t cccr4 = engine_fixture_peek(f, "MSR_IQ_CCCR4");
	uint64_t counter4 = engine_fixture_peek(f, "MSR_IQ_COUNTER4");

	engine_fixture_poke(f, "MSR_IQ_CCCR0", 0x39000);
	assert_int_equal(ipmu_session_start(s, why), -EBUSY);
	assert_non_null(strstr(why, "MSR_IQ_CCCR0"));
	assert_int_equal(engine_fixture_peek(f, "MSR_IQ_CCCR0"), 0x39000);
	engine_fixture_poke(f, "MSR_IQ_CCCR0", cccr0);

	engine_fixture_poke(f, "MSR_IQ_CCCR4", 0x39000);
	assert_int_equal(ipmu_session_start(s, why), 0);
	does(f, 0, VPMU_INSTRUCTIONS, 10);
	assert_int_equal(ipmu_session_stop(s, &count, why), 0);
	assert_int_equal(count, 10);
	assert_int_equal(engine_fixture_peek(f, "MSR_IQ_CCCR4"), 0x39000);
	engine_fixture_poke(f, "MSR_IQ_CCCR4", cccr4);
	engine_fixture_poke(f, "MSR_IQ_COUNTER4", counter4);
	ipmu_session_free(s);
	assert_int_equal(ipmu_system_close(sys), 0);
}

static void a_cpu_without_the_pmu_is_refused(void **state)
{
	const struct engine_fixture *f = *state;
	uint64_t found = engine_fixture_peek(f, "IA32_MISC_ENABLE");
	struct ipmu_system *sys = NULL;
	char why[IPMU_WHY_MAX] = "";

	assert_true(found & 0x80);
	engine_fixture_poke(f, "IA32_MISC_ENABLE", found & ~0x80ull);
	assert_int_equal(ipmu_system_open(f->topo, IPMU_SCOPE_CPU, &sys, why), -ENXIO);
	assert_non_null(strstr(why, "IA32_MISC_ENABLE bit 7"));
	engine_fixture_poke(f, "IA32_MISC_ENABLE", found);
}

/* Each alone, all it needs set up; the tear-down checks every register and reserved bit. */
static void every_listed_event_starts_and_stops(void **state)
{
	const struct engine_fixture *f = *state;
	struct ipmu_event_info info;
	int n = 0;

	for (int i = 0; ipmu_event_list(f->sys, i, -1, &info) == 0; i++)
		for (int m = 0; ipmu_event_list(f->sys, i, m, &info) == 0; m++, n++) {
			struct run r = start(f, info.name, NULL);

			assert_true(engine_fixture_peek(f, "MSR_BPU_CCCR1") == 0);
			end(&r);
			if (f->segment->violation_count)
				fail_msg("%s touches what is reserved", info.name);
		}
	assert_int_equal(n, 228);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_by_thread_and_by_core),
		cmocka_unit_test(counts_by_active_threads),
		cmocka_unit_test(counts_where_the_thread_may_run),
		cmocka_unit_test(stopped_counters_rest),
		cmocka_unit_test(counters_wrap_without_a_loss),
		cmocka_unit_test(tags_of_all_three_kinds),
		cmocka_unit_test(tags_end_with_their_event),
		cmocka_unit_test(a_tag_rides_on_a_counter_that_runs),
		cmocka_unit_test(registers_are_those_of_the_examples),
		cmocka_unit_test(a_read_costs_one_access_a_counter),
		cmocka_unit_test(overflow_and_interrupt),
		cmocka_unit_test(interrupts_come_when_the_document_says),
		cmocka_unit_test(overflows_set_the_flags_of_their_counters),
		cmocka_unit_test(a_cascade_starts_after_the_nth_event),
		cmocka_unit_test(a_lost_write_costs_no_count),
		cmocka_unit_test(collisions_with_what_runs),
		cmocka_unit_test(a_foreign_counter_is_noticed_and_its_escr_is_not),
		cmocka_unit_test(a_cpu_without_the_pmu_is_refused),
		cmocka_unit_test(every_listed_event_starts_and_stops),
	};

	(void)argc;
	setenv("IPMU_TAKE_BUSY", "1", 1);	/* MSR_BPU_CCCR2 is found counting */
	setenv("IPMU_ALLOW_PMI", "1", 1);
	on_machine(argv, "p4-2p4t");
	return cmocka_run_group_tests(tests, open_fixture, engine_fixture_close);
}
