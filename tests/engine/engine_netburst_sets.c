/* SPDX-License-Identifier: MIT */
/* Which NetBurst events go together: counters, ESCRs and tags are one event's, or agree. */
#include "counting/assign.h"
#include "fake_system.h"
#include "pmu/families.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct ipmu_system *sys;	/* models 3, 4, 6 */

static int open_systems(void **state)
{
	(void)state;
	sys = fake_system(&ipmu_netburst_p);
	return 0;
}

struct set {
	struct ipmu_event events[20];
	struct ipmu_request wants[20];
	int n;
	char why[IPMU_WHY_MAX];
};

/* Names up to NULL. */
static int assign(struct set *s, ...)
{
	const char *name;
	va_list names;

	memset(s, 0, sizeof(*s));
	va_start(names, s);
	while ((name = va_arg(names, const char *)) != NULL) {
		char full[IPMU_NAME_MAX];
		struct ipmu_event *e = &s->events[s->n];

		snprintf(full, sizeof(full), "netburst_p.%s", name);
		*e = fake_event(sys, full);
		s->wants[s->n++] = (struct ipmu_request){ .choices = e->choices,
						       .nchoices = e->nchoices,
						       .event = e->name };
	}
	va_end(names);
	const struct ipmu_pmu_type *type = s->events[0].type;

	return ipmu_assign(NULL, type, type->counters, 0, s->wants, s->n, NULL, s->why);
}

/* Each counter serves one request or is its companion; only a companion may be shared. */
static void check(const struct set *s)
{
	uint32_t taken = 0;

	for (int i = 0; i < s->n; i++) {
		const struct ipmu_request *w = &s->wants[i];

		assert_true(w->choices[w->choice].counters >> w->ctr & 1);
		assert_false(taken >> w->ctr & 1);
		taken |= 1u << w->ctr;
		if (w->companion >= 0 && !w->companion_shared) {
			assert_false(taken >> w->companion & 1);
			taken |= 1u << w->companion;
		}
	}
	for (int i = 0; i < s->n; i++)
		assert_true(!s->wants[i].companion_shared || taken >> s->wants[i].companion & 1);
}

#define FIRST "BPU_fetch_request:TCMISS"
#define SECOND "ITLB_reference:MISS"
#define THIRD "page_walk_type:DTMISS"
#define FOURTH "MOB_load_replay:NO_STA"

static void four_units_share_four_counters(void **state)
{
	struct set s;

	(void)state;
	assert_int_equal(assign(&s, FIRST, SECOND, NULL), 0);
	assert_int_equal(s.wants[0].ctr, 0);
	assert_int_equal(s.wants[1].ctr, 2);	/* not 1 */
	assert_int_equal(assign(&s, FIRST, SECOND, THIRD, FOURTH, NULL), 0);
	check(&s);
	assert_int_equal(s.wants[3].ctr, 1);	/* at last */
	assert_int_equal(assign(&s, FIRST, SECOND, THIRD, FOURTH, "global_power_events", NULL),
			 -ENOSPC);
	print_message("%s\n", s.why);
	assert_non_null(strstr(s.why, "global_power_events collides with"));
	assert_non_null(strstr(s.why, "MOB_load_replay:NO_STA"));
	assert_non_null(strstr(s.why, "4 of which"));
}

static void two_events_of_a_unit_take_its_two_escrs(void **state)
{
	struct set s;

	(void)state;
	assert_int_equal(assign(&s, "branch_retired:MMTM", "branch_retired:MMNM", NULL), 0);
	check(&s);
	assert_string_equal(s.wants[0].choices[s.wants[0].choice].extra[0].reg->name,
			    "MSR_CRU_ESCR2");
	assert_string_equal(s.wants[1].choices[s.wants[1].choice].extra[0].reg->name,
			    "MSR_CRU_ESCR3");
	assert_int_equal(assign(&s, "branch_retired:MMTM", "branch_retired:MMNM",
				"x87_assist:PREA", NULL), -ENOSPC);
	print_message("%s\n", s.why);
	assert_non_null(strstr(s.why, "x87_assist:PREA collides with"));
	assert_non_null(strstr(s.why, "branch_retired:MM"));
	assert_non_null(strstr(s.why, "MSR_CRU_ESCR"));
	/* one ESCR, two counters: the filters of a CCCR are its own */
	assert_int_equal(assign(&s, "branch_retired:MMTM", "branch_retired:MMTM:e",
				"branch_retired:MMTM:thr=1", "branch_retired:MMNM", NULL), 0);
	check(&s);
	/* these have one ESCR only */
	assert_int_equal(assign(&s, "IOQ_active_entries:OWN", "IOQ_active_entries:OTHER", NULL),
			 -ENOSPC);
	assert_non_null(strstr(s.why, "MSR_FSB_ESCR1"));
	assert_non_null(strstr(s.why, "IOQ_active_entries:OWN"));
	assert_int_equal(assign(&s, "IOQ_active_entries:OWN", "IOQ_allocation:OWN", NULL), 0);
}

static void tags_that_agree_and_that_do_not(void **state)
{
	struct set s;
	const struct ipmu_choice *a, *b;

	(void)state;
	/* free tags: each its own, and an ESCR and a counter upstream each */
	assert_int_equal(assign(&s, "execution_event:tag=packed_SP",
				"execution_event:tag=packed_DP", NULL), 0);
	check(&s);
	a = &s.wants[0].choices[s.wants[0].choice];
	b = &s.wants[1].choices[s.wants[1].choice];
	assert_int_equal(fake_value_of(a, "MSR_FIRM_ESCR0") & 0x1F0, 0x030);
	assert_int_equal(fake_value_of(b, "MSR_FIRM_ESCR1") & 0x1F0, 0x050);
	assert_int_equal(assign(&s, "execution_event:NBOGUS0:tag=packed_SP",
				"execution_event:NBOGUS0:tag=packed_DP", NULL), -ENOSPC);
	print_message("%s\n", s.why);
	assert_non_null(strstr(s.why, "tag=packed_SP"));
	assert_non_null(strstr(s.why, "the execution tags"));
	/* two events that count the same tag */
	assert_int_equal(assign(&s, "execution_event:NBOGUS0:tag=packed_SP",
				"execution_event:BOGUS0:tag=packed_SP", NULL), 0);
	check(&s);
	/* the two by hand: the tagging event counts beside, no companion is needed */
	assert_int_equal(assign(&s, "packed_SP_uop:ALL:TAG3", "execution_event:NBOGUS3", NULL), 0);
	assert_int_equal(assign(&s, "packed_SP_uop:ALL:TAG0",
				"execution_event:NBOGUS0:tag=scalar_DP", NULL), -ENOSPC);
	/* the front end has one tag, the replay registers are one set */
	assert_int_equal(assign(&s, "front_end_event:tag=loads",
				"front_end_event:tag=stores", NULL), -ENOSPC);
	assert_non_null(strstr(s.why, "the front-end tag"));
	assert_int_equal(assign(&s, "replay_event:L1_LD_MISS", "replay_event:L2_LD_MISS", NULL),
			 -ENOSPC);
	print_message("%s\n", s.why);
	assert_non_null(strstr(s.why, "L1_LD_MISS"));
	assert_non_null(strstr(s.why, "MSR_PEBS_ENABLE"));
	assert_int_equal(assign(&s, "replay_event:NBOGUS:L1_LD_MISS",
				"replay_event:BOGUS:L1_LD_MISS", NULL), 0);
	/* the mechanisms are independent of each other, the downstream ESCRs are not */
	assert_int_equal(assign(&s, "replay_event:L1_LD_MISS",
				"front_end_event:tag=loads", NULL), 0);
	check(&s);
	assert_int_equal(assign(&s, "replay_event:L1_LD_MISS", "front_end_event:tag=loads",
				"execution_event:tag=x87_FP", NULL), -ENOSPC);
	assert_non_null(strstr(s.why, "MSR_CRU_ESCR"));
}

static bool flame(int ctr)
{
	return ctr >= 8 && ctr <= 11;
}

/* 18.15.5.9: any enabled counter that the tagging ESCR or its pair can be connected to will do, and
 * it may count something else. Tags of packed_SP come from FIRM_ESCR0 or 1: counters 8 to 11. */
static void a_tag_needs_an_enabled_counter_of_its_escrs(void **state)
{
	struct set s;

	(void)state;
	assert_int_equal(assign(&s, "execution_event:tag=packed_SP", NULL), 0);
	check(&s);
	assert_true(flame(s.wants[0].companion) && !s.wants[0].companion_shared);
	/* whichever comes first, and wherever it counts */
	assert_int_equal(assign(&s, "execution_event:tag=packed_SP", "memory_cancel:ST_RB_FULL",
				NULL), 0);
	check(&s);
	assert_true(s.wants[0].companion_shared && s.wants[0].companion == s.wants[1].ctr);
	assert_int_equal(assign(&s, "memory_cancel:ST_RB_FULL", "execution_event:tag=packed_SP",
				NULL), 0);
	check(&s);
	assert_true(s.wants[1].companion_shared && s.wants[1].companion == s.wants[0].ctr);
	/* counters of another group do not help */
	assert_int_equal(assign(&s, "execution_event:tag=packed_SP", FIRST, "TC_misc:FLUSH",
				"uops_retired:NBOGUS", NULL), 0);
	check(&s);
	assert_true(flame(s.wants[0].companion) && !s.wants[0].companion_shared);
	/* all four count something, and one companion is enough for two tags */
	assert_int_equal(assign(&s, "execution_event:tag=packed_SP", "memory_cancel:ST_RB_FULL",
				"memory_complete:LSC", "WC_Buffer:WCB_EVICTS",
				"load_port_replay:SPLIT_LD", NULL), 0);
	check(&s);
	assert_true(flame(s.wants[0].companion) && s.wants[0].companion_shared);
	assert_int_equal(assign(&s, "execution_event:tag=packed_SP",
				"execution_event:tag=packed_DP", NULL), 0);
	check(&s);
	assert_true(s.wants[1].companion_shared && s.wants[1].companion == s.wants[0].companion);
	/* one that is to be started by another is not enabled yet */
	assert_int_equal(assign(&s, "execution_event:tag=packed_SP",
				"memory_complete:LSC:start=memory_cancel.64K_CONF:ovf=5", NULL), 0);
	check(&s);
	assert_true(flame(s.wants[0].companion) && !s.wants[0].companion_shared);
	assert_int_equal(assign(&s, "execution_event:tag=packed_SP",
				"memory_complete:LSC:start=memory_cancel.64K_CONF:ovf=5",
				"WC_Buffer:WCB_EVICTS:start=memory_cancel.64K_CONF:ovf=6", NULL),
			 -ENOSPC);
	print_message("%s\n", s.why);
	assert_non_null(strstr(s.why, "tag=packed_SP"));
}

static void all_eighteen_counters(void **state)
{
	struct set s;

	(void)state;
	assert_int_equal(assign(&s, FIRST, SECOND, THIRD, FOURTH,
				"TC_misc:FLUSH", "tc_ms_xfer:CISC", "retired_branch_type:CALL",
				"TC_deliver_mode:DD",
				"memory_cancel:64K_CONF", "memory_complete:SSC", "packed_SP_uop",
				"x87_FP_uop",
				"instr_retired:NBOGUSNTAG", "uops_retired:NBOGUS",
				"branch_retired:MMTP", "machine_clear:CLEAR:e",
				"resource_stall:SBFULL", "uop_type:TAGLOADS", NULL), 0);
	assert_int_equal(s.n, 18);
	check(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_units_share_four_counters),
		cmocka_unit_test(two_events_of_a_unit_take_its_two_escrs),
		cmocka_unit_test(tags_that_agree_and_that_do_not),
		cmocka_unit_test(a_tag_needs_an_enabled_counter_of_its_escrs),
		cmocka_unit_test(all_eighteen_counters),
	};

	return cmocka_run_group_tests(tests, open_systems, NULL);
}
