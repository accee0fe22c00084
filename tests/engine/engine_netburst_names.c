/* SPDX-License-Identifier: MIT */
/* NetBurst names: how they may be spelt, what is refused, and the listing against the transcription
 * under facts and libpfm4's codes. */
#include "names/parse.h"
#include "names/pfm.h"
#include "fake_system.h"
#include "pmu/families.h"
#include "pmu/netburst.h"
#include "tsv.h"

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

static void what_cannot_be_is_refused(void **state)
{
	const struct ipmu_system *old = fake_system(&ipmu_netburst);

	(void)state;
	fake_refuses(sys, "netburst_p.instr_retired", -EINVAL, "needs a unit mask: NBOGUSNTAG, ");
	fake_refuses(sys, "netburst_p.instr_retired:NOPE", -EINVAL, "NOPE; unit masks: NBOGUSNTAG");
	fake_refuses(sys, "netburst_p.TC_misc:FLUSH:cmask=3", -EINVAL, "write thr=3;");
	fake_refuses(sys, "netburst_p.TC_misc:FLUSH:inv", -EINVAL, "write cmpl;");
	fake_refuses(sys, "netburst_p.no_such_event", -ENOENT, "no_such_event");
	fake_refuses(sys, "netburst_p.TC_misc:FLUSH:thr=16", -EINVAL, "0 to 15");
	fake_refuses(sys, "netburst_p.TC_misc:FLUSH:e=2", -EINVAL, "0 or 1");
	fake_refuses(sys, "netburst_p.TC_misc:FLUSH:u=0", -EINVAL, "counts nothing");
	fake_refuses(sys, "netburst_p.TC_misc:FLUSH:ovf=0", -EINVAL, "1 to 4294967295");
	fake_refuses(sys, "netburst_p.TC_misc:FLUSH:tag=loads", -EINVAL, "no such tag");
	fake_refuses(sys, "netburst_p.execution_event:NBOGUS0:tag=loads", -EINVAL, "no such tag");
	fake_refuses(sys, "netburst_p.replay_event:L1_LD_MISS:L2_LD_MISS", -EINVAL,
		     "one tag at a time");
	fake_refuses(sys, "netburst_p.machine_clear:CLEAR:SMCLEAR", -EINVAL, "only one");
	fake_refuses(sys, "netburst_p.FSB_data_activity:DRDY_OWN:DRDY_OTHER", -EINVAL, "only one");
	fake_refuses(sys, "netburst_p.bnr:BIT0:select=8", -EINVAL, "0 to 7");
	fake_refuses(old, "netburst.instr_completed:NBOGUS", -ENOENT, "models 3, 4 and 6");
	/* 18.15.5.7 */
	fake_refuses(old, "netburst.uops_retired:NBOGUS:force_ovf:start=instr_retired.NBOGUSNTAG:"
		     "ovf=9", -EINVAL, "sends no interrupt");
	fake_event(old, "netburst.uops_retired:NBOGUS:start=instr_retired.NBOGUSNTAG:ovf=9");
	fake_event(old, "netburst.instr_retired:NBOGUSNTAG");
}

static void spellings(void **state)
{
	(void)state;
	fake_event(sys, "instr_retired.NBOGUSNTAG");
	fake_event(sys, "netburst_p::uops_type:TAGLOADS");
	fake_event(sys, "netburst_p.uop_type:TAGLOADS");
	fake_event(sys, "mispred_branch_retired");
	fake_event(sys, "mispred_branch_retired:NBOGUS");
	fake_event(sys, "mispred_branch_retired:BOGUS");
	fake_event(sys, "IOQ_allocation:ReqA0:TYPE_BIT1:OWN");
	fake_event(sys, "BSQ_ACTIVE_ENTRIES:REQ_TYPE0");
	fake_event(sys, "replay_event:tag=1stL_cache_load_miss_retired");
	fake_event(sys, "x87_SIMD_moves_uop:ALLP0:ALLP2");
}

/* Names that libpfm4 encodes wrongly, so that there is nothing to compare with. */
static bool wrong_there(const char *name)
{
	return strstr(name, "b2b_cycles:BIT5") || strstr(name, "b2b_cycles:BIT6") ||
	       strstr(name, "replay_event:") || strstr(name, ":TAG") || strstr(name, "tag=");
}

static void names_of_the_listing_count_and_agree_with_libpfm4(void **state)
{
	struct ipmu_event_info info;
	int names = 0, same = 0;

	(void)state;
	for (int i = 0; ipmu_event_list(sys, i, -1, &info) == 0; i++)
		for (int m = 0; ipmu_event_list(sys, i, m, &info) == 0; m++, names++) {
			uint64_t codes[IPMU_CODES_MAX];
			char name[IPMU_NAME_MAX + 8];
			struct ipmu_parsed_name parsed;
			struct ipmu_event e;

			snprintf(name, sizeof(name), "%s:e=0", info.name);
			e = fake_event(sys, name);
			assert_true(info.desc[0] && info.umask_desc[0]);
			assert_int_equal(ipmu_name_parse(name, &parsed, NULL), 0);
			if (wrong_there(info.name) ||
			    ipmu_pfm_encode(e.type, parsed.event, &parsed.q, codes, NULL) < 2)
				continue;
			print_message("%s\n", info.name);
			assert_int_equal(e.choices[0].extra[0].value, codes[0]);
			assert_int_equal(e.choices[0].select, codes[1]);
			same++;
		}
	print_message("%d names, %d as libpfm4 has them\n", names, same);
	/* 181 bits of the table, 9 replay tags, 7 events with 4 tags by hand, 10 of ours */
	assert_int_equal(names, 181 + 9 + 28 + 10);
	assert_true(same > 150);
}

static void every_row_is_listed(void **state)
{
	struct ipmu_event_info info;
	struct tsv t;

	(void)state;
	tsv_open(&t, "netburst/events.tsv");
	while (tsv_next(&t)) {
		uint32_t mask = 1u << tsv_number(&t, "mask_bit");
		bool found = false;

		for (int i = 0; ipmu_event_list(sys, i, -1, &info) == 0 && !found; i++) {
			const char *event = strchr(info.name, '.') + 1;
			const struct netburst_event *row = ipmu_netburst_event(event);

			if (strcasecmp(row->name, tsv_cell(&t, "event")) != 0)
				continue;
			for (int m = 0; ipmu_event_list(sys, i, m, &info) == 0; m++) {
				const char *umask = strchr(info.name, ':') + 1;
				const struct netburst_mask *bit = ipmu_netburst_mask(row, umask);

				found |= bit && 1u << bit->bit == mask;
			}
		}
		if (!found)
			fail_msg("%s:%s is not listed", tsv_cell(&t, "event"),
				 tsv_cell(&t, "mask_bit_name"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(spellings),
		cmocka_unit_test(names_of_the_listing_count_and_agree_with_libpfm4),
		cmocka_unit_test(every_row_is_listed),
	};

	return cmocka_run_group_tests(tests, open_systems, NULL);
}
