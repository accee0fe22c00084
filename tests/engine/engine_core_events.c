/* SPDX-License-Identifier: MIT */
/* Event names of the core PMUs of Knights Corner and Core 2, without a machine: every row of the
 * documents' tables, worked examples, and what must be refused. */
#include "fake_system.h"
#include "pmu/core2.h"
#include "pmu/families.h"
#include "tsv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#define EN 0x400000u
#define OS_USR 0x30000u

static uint64_t counters_of(const struct tsv *t)
{
	const char *text = tsv_cell(t, "counters");

	return strcmp(text, "0,1") == 0 ? 3 : strcmp(text, "0") == 0 ? 1 :
	       strcmp(text, "1") == 0 ? 2 : 0;
}

static void check(const struct ipmu_system *sys, const char *name, const char *type,
		  uint64_t select, uint64_t counters)
{
	struct ipmu_event e = fake_event(sys, name), again;

	print_message("%s\n", name);
	assert_string_equal(ipmu_type_name(e.type), type);
	assert_int_equal(e.nchoices, 1);
	assert_int_equal(e.choices[0].select, select);
	assert_int_equal(e.choices[0].counters, counters);
	again = fake_event(sys, e.name);
	assert_string_equal(again.name, e.name);
	assert_int_equal(again.choices[0].select, select);
}

static void every_knc_event(void **state)
{
	const struct ipmu_system *sys = fake_system(&ipmu_knc);
	int documented = 0, others = 0;
	struct tsv t;

	(void)state;
	tsv_open(&t, "knc/events.tsv");
	while (tsv_next(&t)) {
		uint64_t select = tsv_number(&t, "code") | tsv_number(&t, "umask") << 8 | OS_USR;
		const char *event = tsv_cell(&t, "event"), *alias = tsv_cell(&t, "aliases");
		char name[128];

		if (strcmp(tsv_cell(&t, "status"), "S") != 0) {
			others++;	/* names that no document of Intel's explains */
			fake_refuses(sys, event, -ENOENT, "no documented PMU");
			continue;
		}
		/* Thread Count Mode, for events of no thread */
		select |= strcmp(tsv_cell(&t, "modifiers_required"), "t") == 0 ? 1u << 21 : 0;
		check(sys, event, "knc", select, counters_of(&t));
		snprintf(name, sizeof(name), "knc.%s", event);
		check(sys, name, "knc", select, counters_of(&t));
		snprintf(name, sizeof(name), "knc::%s", event);
		check(sys, name, "knc", select, counters_of(&t));
		snprintf(name, sizeof(name), "knc.RAW:event=%s:umask=%s", tsv_cell(&t, "code"),
			 tsv_cell(&t, "umask"));
		check(sys, name, "knc", select, counters_of(&t));
		if (strcmp(alias, "-") != 0)
			check(sys, alias, "knc", select, counters_of(&t));
		documented++;
	}
	assert_int_equal(documented, 59);
	assert_int_equal(others, 4);
}

/* Selects of examples worked out from the document, less the enable bit. */
static void knc_modifiers(void **state)
{
	const struct ipmu_system *sys = fake_system(&ipmu_knc);

	(void)state;
	check(sys, "CPU_CLK_UNHALTED", "knc", 0x0043002A & ~EN, 3);
	check(sys, "INSTRUCTIONS_EXECUTED:u", "knc", 0x00410016 & ~EN, 3);
	check(sys, "VPU_ELEMENTS_ACTIVE:u=1", "knc", 0x00412018 & ~EN, 3);
	check(sys, "L2_DATA_READ_MISS_MEM_FILL:t", "knc", 0x006310F6 & ~EN, 1);
	check(sys, "BANK_CONFLICTS:e", "knc", 0x0047000A & ~EN, 3);
	check(sys, "INSTRUCTIONS_EXECUTED:c=2:u", "knc", 0x02410016 & ~EN, 3);
	check(sys, "INSTRUCTIONS_EXECUTED:k", "knc", 0x00020016, 3);
	check(sys, "INSTRUCTIONS_EXECUTED:i:c=255", "knc", 0xFF830016, 3);
	fake_refuses(sys, "INSTRUCTIONS_EXECUTED:c=256", -EINVAL, "0 to 255");
	fake_refuses(sys, "INSTRUCTIONS_EXECUTED:u=0:k=0", -EINVAL, "no privilege level");
	fake_refuses(sys, "INSTRUCTIONS_EXECUTED:x", -EINVAL, "no such qualifier");
	fake_refuses(sys, "INSTRUCTIONS_EXECUTED:any=1", -EINVAL, "any=1: write t=1;");
	fake_refuses(sys, "INSTRUCTIONS_EXECUTED:cmask=2", -EINVAL, "cmask=2: write c=2;");
	fake_refuses(sys, "INSTRUCTIONS_EXECUTED:KERNEL", -EINVAL, "KERNEL: write k;");
	fake_refuses(sys, "INSTRUCTIONS_EXECUTED:PMC0", -EINVAL, "PMC0: leave it out");
	fake_refuses(sys, "knc.L2_DATA_PFI2", -ENOENT, "L2_DATA_PFI2");
	fake_refuses(sys, "knc.DATA_READ:cpu=7", -EINVAL, "no CPU 7");
}

/* Numbers and modifiers at the bits of 327357-001 Table 1-5 and SDM 18.2.1. */
static void raw_events(void **state)
{
	const struct ipmu_system *knc = fake_system(&ipmu_knc), *core2 = fake_system(&ipmu_core2);

	(void)state;
	check(knc, "knc.RAW:event=0xFF:umask=0xFF", "knc", 0x0003FFFF, 1);
	check(knc, "knc.raw:C=255:E:I:T:U:UMASK=1:EVENT=2", "knc", 0xFFA50102, 3);
	check(knc, "knc.RAW:event=0x16:umask=0:k=1:u=0:e=0:i=0:t=0:c=0", "knc", 0x00020016, 3);
	check(core2, "core.RAW:event=0xC0:umask=7:c=1:e:u", "core", 0x010507C0, 3);
	check(core2, "core.RAW:event=0x12", "core", 0x00030012, 2);
	assert_true(fake_event(knc, "knc.RAW:event=1:ovf=5").choices[0].preset);
	fake_refuses(knc, "knc.RAW", -EINVAL, "RAW:event=0x16:umask=0x00");
	fake_refuses(knc, "knc.RAW:umask=1", -EINVAL, "RAW:event=0x16:umask=0x00");
	fake_refuses(knc, "RAW:event=1", -EINVAL, "as in knc.RAW:event=1");
	fake_refuses(knc, "knc.RAW:event=256", -EINVAL, "event takes a number from 0 to 0xFF");
	fake_refuses(knc, "knc.RAW:event=1:umask=0x100", -EINVAL, "umask takes a number");
	fake_refuses(knc, "knc.RAW:event=1:umask", -EINVAL, "umask takes a number");
	fake_refuses(knc, "knc.RAW:event=-1", -EINVAL, "event takes a number");
	fake_refuses(knc, "knc.RAW:event=1:e=2", -EINVAL, "e takes a number from 0 to 0x1");
	fake_refuses(knc, "knc.RAW:event=1:c=256", -EINVAL, "c takes a number from 0 to 0xFF");
	fake_refuses(knc, "knc.RAW:event=1:int=1", -EINVAL, "event, umask, u, k, e, t, i, c");
	fake_refuses(knc, "knc.RAW:event=1:event=2", -EINVAL, "twice");
	fake_refuses(knc, "knc.RAW:event=1:u=0:k=0", -EINVAL, "no privilege level");
	fake_refuses(knc, "knc.DATA_READ:event=1", -EINVAL, "no such qualifier as event=1");
	/* no AnyThread before PerfMon 3; a mask's sub-fields hold for numbers too */
	fake_refuses(core2, "core.RAW:event=1:t", -EINVAL, "event, umask, u, k, e, i, c");
	fake_refuses(core2, "core.RAW:event=0x3C:e", -EINVAL, "add c=1");
	fake_refuses(core2, "core.RAW:event=0x77:umask=0x0F", -EINVAL, "MESI states");
	fake_refuses(core2, "core.RAW:event=0x7D", -EINVAL, "Table 18-2");
	fake_refuses(core2, "core.RAW:event=0:umask=3", -EINVAL, "fixed counter");
	fake_refuses(core2, "core_fixed.RAW:event=0:umask=3", -ENOENT, "no event RAW");
}

static const char *libpfm4_name(const char *event)
{
	static const char *const architectural[][2] = {
		{ "UnHalted Core Cycles", "UNHALTED_CORE_CYCLES" },
		{ "Instruction Retired", "INSTRUCTION_RETIRED" },
		{ "UnHalted Reference Cycles", "CPU_CLK_UNHALTED:BUS" },
		{ "LLC Reference", "LLC_REFERENCES" },
		{ "LLC Misses", "LLC_MISSES" },
		{ "Branch Instruction Retired", "BRANCH_INSTRUCTIONS_RETIRED" },
		{ "Branch Misses Retired", "BR_INST_RETIRED_MISPRED" },
	};

	for (size_t i = 0; i < sizeof(architectural) / sizeof(architectural[0]); i++)
		if (strcmp(event, architectural[i][0]) == 0)
			return architectural[i][1];
	return NULL;
}

static void check_fixed(const struct ipmu_system *sys, const char *name, int n, uint64_t value)
{
	struct ipmu_event e = fake_event(sys, name);
	char reg[64];

	print_message("%s\n", name);
	assert_string_equal(ipmu_type_name(e.type), "core_fixed");
	assert_int_equal(e.choices[0].counters, 1ull << n);
	assert_int_equal(e.choices[0].nextra, 1);
	ipmu_reg_name(e.choices[0].extra[0].reg, 0, 0, reg);
	assert_string_equal(reg, "MSR_PERF_FIXED_CTR_CTRL");
	assert_int_equal(e.choices[0].extra[0].mask, 0xFull << 4 * n);
	assert_int_equal(e.choices[0].extra[0].value, value << 4 * n);
}

/* An event with qualifiers: its default is "this core, this agent, everything", which is also what
 * the table's example says, and so does the number. */
static void check_qualified(const struct ipmu_system *sys, const struct tsv *t)
{
	uint64_t umask = tsv_number(t, "example_umask");
	uint64_t select = tsv_number(t, "code") | umask << 8 | OS_USR;
	char name[128];

	check(sys, tsv_cell(t, "event"), "core", select, counters_of(t));
	snprintf(name, sizeof(name), "core.%s:0x%x", tsv_cell(t, "event"), (unsigned)umask);
	check(sys, name, "core", select, counters_of(t));
	snprintf(name, sizeof(name), "core.RAW:event=%s:umask=0x%x", tsv_cell(t, "code"),
		 (unsigned)umask);
	check(sys, name, "core", select, counters_of(t));
}

static void every_core2_event(void **state)
{
	const struct ipmu_system *sys = fake_system(&ipmu_core2);
	int fixed = 0, general = 0;
	struct tsv t;

	(void)state;
	tsv_open(&t, "core2-fixed/events.tsv");
	while (tsv_next(&t)) {
		const char *event = tsv_cell(&t, "event"), *counters = tsv_cell(&t, "counters");
		uint64_t umask = tsv_number(&t, "umask");
		char name[128];

		if (strncmp(counters, "FIXED", 5) == 0) {
			check_fixed(sys, event, counters[5] - '0', 3);
			snprintf(name, sizeof(name), "core_fixed.%s", event);
			check_fixed(sys, name, counters[5] - '0', 3);
			fixed++;
			continue;
		}
		general++;
		if (strcmp(tsv_cell(&t, "example_umask"), "-") != 0) {
			check_qualified(sys, &t);
			continue;
		}
		if (libpfm4_name(event))
			snprintf(name, sizeof(name), "core.%s", libpfm4_name(event));
		else
			snprintf(name, sizeof(name), "core.%s:0x%x", event, (unsigned)umask);
		check(sys, name, "core", tsv_number(&t, "code") | umask << 8 | OS_USR,
		      counters_of(&t));
	}
	assert_int_equal(fixed, 3);
	assert_int_equal(general, 57);
}

static void fixed_counter_modifiers(void **state)
{
	const struct ipmu_system *sys = fake_system(&ipmu_core2);

	(void)state;
	check_fixed(sys, "INST_RETIRED.ANY:u", 0, 2);
	check_fixed(sys, "core_fixed::CPU_CLK_UNHALTED:CORE:k", 1, 1);
	check_fixed(sys, "CPU_CLK_UNHALTED.REF:u=1:k=1", 2, 3);
	/* the core PMU's name of an event that only fixed counter 2 counts */
	check_fixed(sys, "core.UNHALTED_REFERENCE_CYCLES:u", 2, 2);
	check_fixed(sys, "UNHALTED_REFERENCE_CYCLES", 2, 3);
	fake_refuses(sys, "core.UNHALTED_REFERENCE_CYCLES:0x0", -EINVAL, "u and k alone");
	assert_string_equal(fake_event(sys, "UNHALTED_REFERENCE_CYCLES").name,
			    "core_fixed.UNHALTED_REFERENCE_CYCLES");
	fake_refuses(sys, "core_fixed.INST_RETIRED.ANY:u=0:k=0", -EINVAL, "no privilege level");
	fake_refuses(sys, "core_fixed.INST_RETIRED:ANY:c=1", -EINVAL, "no such qualifier");
	fake_refuses(sys, "core_fixed.CPU_CLK_UNHALTED", -EINVAL, "CORE, REF");
	/* bare names that both PMUs have */
	check(sys, "INST_RETIRED.LOADS", "core", 0x1C0 | OS_USR, 3);
	check(sys, "CPU_CLK_UNHALTED", "core", 0x3C | OS_USR, 3);
}

static void sub_fields_of_the_unit_mask(void **state)
{
	const struct ipmu_system *sys = fake_system(&ipmu_core2);

	(void)state;
	/* examples worked out from the document */
	check(sys, "L2_RQSTS:SELF:EXCL_PREFETCH:MESI", "core", 0x00434F2E & ~EN, 3);
	check(sys, "L2_LD:BOTH_CORES:PREFETCH:I_STATE", "core", 0x0043D129 & ~EN, 3);
	check(sys, "EXT_SNOOP:ALL_AGENTS:HITM", "core", 0x00432877 & ~EN, 3);
	check(sys, "EXT_SNOOP:THIS_AGENT:CLEAN:HIT:HITM", "core", 0x00430B77 & ~EN, 3);
	check(sys, "CMP_SNOOP:SELF:INVALIDATE", "core", 0x00434278 & ~EN, 3);
	check(sys, "L1D_CACHE_LD:MESI", "core", 0x00430F40 & ~EN, 3);
	check(sys, "BUS_TRANS_MEM:BOTH_CORES:ALL_AGENTS", "core", 0x0043E06F & ~EN, 3);
	/* two kinds in the same bits, by name */
	fake_refuses(sys, "core.EXT_SNOOP:HITM:M_STATE", -EINVAL, "exclude each other");
	fake_refuses(sys, "core.L2_LD:M_STATE:CLEAN", -EINVAL, "snoop response");
	fake_refuses(sys, "core.CMP_SNOOP:SHARE:S_STATE", -EINVAL, "Table 18-7");
	fake_refuses(sys, "core.EXT_SNOOP:INVALIDATE:HIT", -EINVAL, "snoop type");
	fake_refuses(sys, "core.L2_LINES_IN:PREFETCH:ALL_AGENTS", -EINVAL, "the agent");
	fake_refuses(sys, "core.L2_LD:SELF:BOTH_CORES", -EINVAL, "exclude each other");
	/* ... and by number */
	fake_refuses(sys, "core.EXT_SNOOP:0x0F", -EINVAL, "MESI states");
	fake_refuses(sys, "core.EXT_SNOOP:0x43", -EINVAL, "the core (bits 15:14)");
	fake_refuses(sys, "core.CMP_SNOOP:0x48", -EINVAL, "MESI states");
	fake_refuses(sys, "core.L2_ST:0x6F", -EINVAL, "the agent");
	fake_refuses(sys, "core.L1D_CACHE_LD:0x4F", -EINVAL, "the core");
}

static void values_that_a_sub_field_does_not_have(void **state)
{
	const struct ipmu_system *sys = fake_system(&ipmu_core2);

	(void)state;
	fake_refuses(sys, "core.L2_LD:0x3F", -EINVAL, "Table 18-2");	/* core 00 */
	fake_refuses(sys, "core.L2_LD:0xBF", -EINVAL, "Table 18-2");	/* core 10 */
	fake_refuses(sys, "core.L2_LD:0x6F", -EINVAL, "Table 18-4");	/* prefetch 10 */
	fake_refuses(sys, "core.L2_LD:0x70", -EINVAL, "counts nothing");
	fake_refuses(sys, "core.EXT_SNOOP:0x20", -EINVAL, "Table 18-6");
	fake_refuses(sys, "core.CMP_SNOOP:0x40", -EINVAL, "Table 18-7");
	/* the document's sub-field of this event is not libpfm4's */
	check(sys, "BUSQ_EMPTY:THIS_AGENT", "core", 0x407D | OS_USR, 3);
	check(sys, "BUSQ_EMPTY:0xC0", "core", 0xC07D | OS_USR, 3);
	fake_refuses(sys, "core.BUSQ_EMPTY:ALL_AGENTS", -EINVAL, "the agent");
	/* edges of what? */
	fake_refuses(sys, "core.INST_RETIRED:ANY_P:e", -EINVAL, "add c=1");
	fake_refuses(sys, "core.INST_RETIRED:ANY_P:E", -EINVAL, "add c=1");
	fake_refuses(sys, "core.L1D_CACHE_LD:E_STATE:E=1", -EINVAL, "add c=1");
	fake_event(sys, "core.L1D_CACHE_LD:E_STATE:E:C=1");
	check(sys, "INST_RETIRED:ANY_P:e:c=1:u", "core", 0x010500C0, 3);
	fake_refuses(sys, "core.INST_RETIRED:ANY_P:t", -EINVAL, "t: write c=0-255; unit masks: ");
}

static void lists_both_pmus(void **state)
{
	const struct ipmu_system *sys = fake_system(&ipmu_core2);
	struct ipmu_event_info info;
	int fixed = 0, core = 0;

	(void)state;
	for (int e = 0; ipmu_event_list(sys, e, -1, &info) == 0; e++) {
		if (strcmp(ipmu_type_name(info.type), "core_fixed") == 0)
			fixed++;
		else
			core++;
	}
	assert_int_equal(fixed, 3);
	assert_true(core > 100);
}

/* Every event of the core PMU that needs no unit mask can be counted as it stands. */
static void everything_listed_can_be_parsed(void **state)
{
	const struct ipmu_family *const families[] = { &ipmu_knc, &ipmu_core2 };
	struct ipmu_event_info info;
	int parsed = 0;

	(void)state;
	for (int f = 0; f < 2; f++) {
		const struct ipmu_system *sys = fake_system(families[f]);

		for (int e = 0; ipmu_event_list(sys, e, -1, &info) == 0; e++) {
			int umasks = 0;

			for (; ipmu_event_list(sys, e, umasks, &info) == 0; umasks++)
				if (!strstr(info.name, "BUSQ_EMPTY:ALL_AGENTS"))
					fake_event(sys, info.name);
			if (!umasks && ipmu_event_list(sys, e, -1, &info) == 0)
				fake_event(sys, info.name);
			parsed++;
		}
	}
	assert_true(parsed > 61 + 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_knc_event),
		cmocka_unit_test(knc_modifiers),
		cmocka_unit_test(raw_events),
		cmocka_unit_test(every_core2_event),
		cmocka_unit_test(fixed_counter_modifiers),
		cmocka_unit_test(sub_fields_of_the_unit_mask),
		cmocka_unit_test(values_that_a_sub_field_does_not_have),
		cmocka_unit_test(lists_both_pmus),
		cmocka_unit_test(everything_listed_can_be_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
