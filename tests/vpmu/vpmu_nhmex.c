/* SPDX-License-Identifier: MIT */
/* The M-Box model against 323535-001: expected values are worked out by hand in each test. */
#include "vpmu_nhmex.h"

#include "tsv.h"

/* ---- the enable chain ---- */

static void every_link_of_the_chain_is_needed(void **state)
{
	(void)state;
	wr(CTL(0), 0x3641);	/* CYCLES, wrap, en: the worked example */
	wr(GLOBAL_CTL, 1);
	vpmu_clock(t.s, 0, 100);
	assert_int_equal(rd(CNT(0)), 0);	/* no en_all */
	wr(U_CTL, EN_ALL);
	vpmu_clock(t.s, 0, 250);
	assert_int_equal(rd(CNT(0)), 150);
	wr(GLOBAL_CTL, 2);
	vpmu_clock(t.s, 0, 350);
	assert_int_equal(rd(CNT(0)), 150);	/* not this counter */
	wr(GLOBAL_CTL, 1);
	wr(CTL(0), 0x3640);
	vpmu_clock(t.s, 0, 450);
	assert_int_equal(rd(CNT(0)), 150);	/* no en */
	wr(CTL(0), 0x3641);
	vpmu_clock(t.s, 0, 451);
	assert_int_equal(rd(CNT(0)), 151);
	assert_int_equal(t.s->violation_count, 0);
}

static void all_counters_of_both_boxes_count(void **state)
{
	(void)state;
	for (uint32_t box = 0; box < 2; box++) {
		for (uint32_t i = 0; i < 6; i++)
			wr(CTL(i) + BOX_STRIDE * box, ALL_COMMANDS | EN);
		wr(GLOBAL_CTL + BOX_STRIDE * box, 0x3f);
	}
	wr(U_CTL, EN_ALL);
	for (uint32_t i = 0; i < 3; i++)
		vpmu_memory_command(t.s, 0, 1, false, VPMU_PAGE_HIT, 0);
	reads(2);
	vpmu_memory_command(t.s, 0, 2, false, VPMU_PAGE_HIT, 0);	/* no such box */
	for (uint32_t i = 0; i < 6; i++) {
		assert_int_equal(rd(CNT(i)), 2);
		assert_int_equal(rd(CNT(i) + BOX_STRIDE), 3);
	}
}

/* CPUs 0 to 7 are cores of package 0, 8 to 15 of package 1, 32 to 39 second threads of 0. */
static void packages_count_their_own(void **state)
{
	(void)state;
	for (uint32_t cpu = 0; cpu < 16; cpu += 8) {
		wr_on(cpu, CTL(0), ALL_COMMANDS | EN);
		wr_on(cpu, GLOBAL_CTL, 1);
	}
	wr_on(0, U_CTL, EN_ALL);
	wr_on(8, U_CTL, EN_ALL);
	vpmu_memory_command(t.s, 0, 0, false, VPMU_PAGE_HIT, 0);
	vpmu_memory_command(t.s, 1, 0, false, VPMU_PAGE_HIT, 0);
	vpmu_memory_command(t.s, 1, 0, true, VPMU_PAGE_HIT, 0);
	assert_int_equal(rd_on(33, CNT(0)), 1);
	assert_int_equal(rd_on(15, CNT(0)), 2);
	assert_int_equal(rd_on(16, CNT(0)), 0);
}

/* ---- events ---- */

static void fvc_matches_reads_and_writes(void **state)
{
	(void)state;
	wr(FVC, 0x2800);	/* evnt0 = 5, bcmd = 0 */
	assert_int_equal(count_commands(FVC_EV0), 7);
	wr(FVC, 0x2820);	/* bcmd = 1 */
	assert_int_equal(count_commands(FVC_EV0), 5);
	wr(FVC, 0x2840);	/* bcmd = 2, merge: none happen */
	assert_int_equal(count_commands(FVC_EV0), 0);
}

/* evnt k is at bit 11 + 3k: 5 << 11, 5 << 14, 5 << 17, 5 << 20. */
static void each_fvc_event_has_its_field(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 4; k++) {
		wr(FVC, UINT64_C(5) << (11 + 3 * k));
		for (uint32_t other = 0; other < 4; other++)
			assert_int_equal(count_commands(INC(0x0d + other)), other == k ? 7 : 0);
	}
}

static void westmere_has_all_fvc_fields_one_higher(void **state)
{
	(void)state;
	wr(FVC, 0x5000);
	assert_int_equal(count_commands(FVC_EV0), 7);
	wr(FVC, 0x5040);
	assert_int_equal(count_commands(FVC_EV0), 5);
	wr(FVC, 0x2800);	/* the Nehalem-EX value: evnt0 = 2, resp = 4 */
	assert_int_equal(count_commands(FVC_EV0), 0);
	wr(FVC, UINT64_C(5) << 21);
	assert_int_equal(count_commands(INC(0x10)), 7);
	wr(FVC, UINT64_MAX >> 39);	/* 25 bits */
	assert_int_equal(rd(FVC), 0x1ffffff);
	assert_int_equal(t.s->violation_count, 0);
}

static void nehalem_ex_reserves_bit_24_of_fvc(void **state)
{
	(void)state;
	wr(FVC, 0x1000000);
	assert_int_equal(t.s->violation_count, 1);
	assert_int_equal(t.s->violations[0].bad_bits, 0x1000000);
}

static void page_results_are_counted(void **state)
{
	(void)state;
	assert_int_equal(count_commands(INC(0x14)), 6);		/* hits: 4 + 2 */
	assert_int_equal(count_commands(INC(0x15)), 3);		/* empty: 1 + 2 */
	assert_int_equal(count_commands(INC(0x13)), 3);		/* misses: 2 + 1 */
	assert_int_equal(count_commands(ALL_COMMANDS), 12);
	assert_int_equal(count_commands(INC(0x1d)), 12);	/* INFLIGHT_CMDS */
	wr(PGT, 0);
	assert_int_equal(count_commands(INC(0x16)), 3);		/* closed by the misses */
	wr(PGT, 1);
	assert_int_equal(count_commands(INC(0x16)), 6);		/* opened after empty and miss */
}

static void dram_commands_follow_from_page_results(void **state)
{
	(void)state;
	wr(PLD, 0x200);
	assert_int_equal(count_commands(INC(0x0a)), 6);		/* RAS: empty and misses */
	wr(PLD, 0x300);
	assert_int_equal(count_commands(INC(0x0a)), 7);		/* CAS of the reads */
	wr(PLD, 0x400);
	assert_int_equal(count_commands(INC(0x0a)), 5);		/* CAS of the writes */
	wr(PLD, 0x1100);
	assert_int_equal(count_commands(INC(0x0a)), 3);		/* PRE: misses */
	wr(PLD, 0x900);
	assert_int_equal(count_commands(INC(0x0a)), 0);		/* refreshes do not happen */
}

static void dram_commands_obey_the_mode_filter(void **state)
{
	(void)state;
	wr(PLD, 0x301);
	wr(ISS, 0);		/* trade-off mode: always */
	assert_int_equal(count_commands(INC(0x0a)), 7);
	wr(ISS, 1u << 7);	/* read priority: never */
	assert_int_equal(count_commands(INC(0x0a)), 0);
	wr(PLD, 0x300);		/* no filter */
	assert_int_equal(count_commands(INC(0x0a)), 7);
	assert_int_equal(t.s->violation_count, 0);
}

static void dram_commands_stop_under_an_address_filter(void **state)
{
	(void)state;
	wr(PLD, 0x300);
	wr(MM_CFG, UINT64_C(1) << 63);
	assert_int_equal(count_commands(INC(0x0a)), 0);
	assert_int_equal(t.s->undriven_count, 1);
	assert_int_equal(count_commands(ALL_COMMANDS), 12);	/* does not use PLD */
}

/* ---- Table 2-67 field by field ---- */

static void counters_wrap_at_48_bits(void **state)
{
	(void)state;
	start(ALL_COMMANDS | WRAP);
	wr(CNT(0), TOP - 1);
	reads(1);
	assert_int_equal(rd(CNT(0)), 0);
	assert_int_equal(rd(STATUS), 1);
	reads(2);
	assert_int_equal(rd(CNT(0)), 2);
	wr(OVF_CTL, 2);
	assert_int_equal(rd(STATUS), 1);	/* another counter's flag */
	wr(OVF_CTL, 1);
	assert_int_equal(rd(STATUS), 0);
	assert_int_equal(rd(CNT(0)), 2);
}

static void undefined_modes_count_nothing(void **state)
{
	(void)state;
	assert_int_equal(count_commands(ALL_COMMANDS | 0xc), 0);	/* count_mode 3 */
	assert_int_equal(count_commands(ALL_COMMANDS | 0x20), 0);	/* storage_mode 2 */
	assert_int_equal(t.s->undriven_count, 1);	/* told once */
}

static uint64_t clocks_of(uint64_t ctl)
{
	uint64_t before = t.s->uclk[0];

	start(ctl | WRAP);
	vpmu_clock(t.s, 0, before + 30);
	return rd(CNT(0));
}

static void flag_mode_counts_the_clocks_of_a_condition(void **state)
{
	(void)state;
	wr(DSP, 4u << 7);
	assert_int_equal(clocks_of(FLAG_MODE), 30);	/* read queue empty: always */
	wr(DSP, 8u << 7);
	assert_int_equal(clocks_of(FLAG_MODE), 30);
	wr(DSP, 1u << 7);
	assert_int_equal(clocks_of(FLAG_MODE), 0);	/* full: never */
	assert_int_equal(clocks_of(FLAG_MODE | CYCLES), 0);	/* inc_sel is not asked */
	wr(ISS, 0);
	assert_int_equal(clocks_of(FLAG_MODE | SET_FLAG(1)), 30);	/* trade-off */
	wr(ISS, 2u << 4);
	assert_int_equal(clocks_of(FLAG_MODE | SET_FLAG(1)), 0);	/* write priority */
	wr(PGT, 1u << 6);
	assert_int_equal(clocks_of(FLAG_MODE | SET_FLAG(5)), 30);
	wr(PGT, 0);
	assert_int_equal(clocks_of(FLAG_MODE | SET_FLAG(5)), 0);
	assert_int_equal(clocks_of(FLAG_MODE | SET_FLAG(3)), 0);	/* never starved */
}

static void set_flag_sel_needs_flag_mode(void **state)
{
	(void)state;
	wr(DSP, 4u << 7);
	assert_int_equal(clocks_of(SET_FLAG(0)), 0);	/* DSP_FILL: entries into the state */
	assert_int_equal(clocks_of(CYCLES | SET_FLAG(3)), 30);
}

static void storage_mode_1_counts_while_the_flag_is_set(void **state)
{
	(void)state;
	wr(DSP, 4u << 7);
	assert_int_equal(count_commands(ALL_COMMANDS | STORAGE | FLAG_MODE), 12);
	assert_int_equal(clocks_of(CYCLES | STORAGE | FLAG_MODE), 30);
	wr(DSP, 1u << 7);
	assert_int_equal(count_commands(ALL_COMMANDS | STORAGE | FLAG_MODE), 0);
	assert_int_equal(clocks_of(CYCLES | STORAGE | FLAG_MODE), 0);
}

static void storage_mode_1_without_flag_mode_counts_nothing(void **state)
{
	(void)state;
	assert_int_equal(count_commands(ALL_COMMANDS | STORAGE), 0);
	assert_int_equal(t.s->undriven_count, 1);
}

static void reserved_bits_are_violations_ignored_ones_are_not(void **state)
{
	(void)state;
	wr(CTL(0), UINT64_C(0x9ffffffffe000000) | CYCLES);	/* ig 63 and 60:25 */
	assert_int_equal(t.s->violation_count, 0);
	assert_int_equal(rd(CTL(0)), CYCLES);
	wr(CTL(0), UINT64_C(0x6000000001c7c100));	/* rsv 62:61, 24:22, 18:14, 8 */
	assert_int_equal(t.s->violation_count, 1);
	assert_int_equal(t.s->violations[0].bad_bits, UINT64_C(0x6000000001c7c100));
	assert_int_equal(rd(CTL(0)), 0);
	wr(CNT(0), TOP);
	assert_int_equal(t.s->violation_count, 2);
	wr(PLD, 0xffffffff);		/* its fields were not found: anything goes */
	wr(U_OVF_CTL, 0xffffffff);
	assert_int_equal(rd(PLD), 0xffffffff);
	assert_int_equal(t.s->violation_count, 2);
}

static void access_types_are_kept(void **state)
{
	uint64_t value;

	(void)state;
	assert_int_not_equal(vpmu_wrmsr(t.s, 0, STATUS, 1), 0);
	assert_int_not_equal(vpmu_wrmsr(t.s, 0, TIMESTAMP, 0x10000), 0);	/* 16 bits */
	assert_int_not_equal(vpmu_wrmsr(t.s, 0, U_STATUS, 1), 0);
	assert_int_equal(t.s->violation_count, 3);
	wr(OVF_CTL, 0x3f);
	assert_int_equal(rd(OVF_CTL), 0);
	assert_int_equal(t.s->violation_count, 4);	/* read of a write-only register */
	assert_int_not_equal(vpmu_rdmsr(t.s, 0, 0xca3, &value), 0);
}

/* Writes of tools that know these registers from the SDM alone. */
static void the_sdms_registers_take_writes(void **state)
{
	(void)state;
	vpmu_clock(t.s, 0, 500);
	wr(TIMESTAMP, 0);
	wr(TIMESTAMP + BOX_STRIDE, 0);
	assert_int_equal(rd(TIMESTAMP), 500);	/* free-running */
	wr_on(3, PEBS_ENABLE, UINT64_C(0xf0000000f));
	assert_int_equal(rd_on(3, PEBS_ENABLE), UINT64_C(0xf0000000f));
	assert_int_equal(rd_on(2, PEBS_ENABLE), 0);	/* each thread has one */
	assert_int_equal(t.s->violation_count, 0);
	wr_on(3, PEBS_ENABLE, 0x10);
	assert_int_equal(t.s->violation_count, 1);
}

/* ---- freezing ---- */

static void freeze_after_n_reads(uint64_t preset)
{
	wr(CTL(0), FVC_EV0 | WRAP | PMI_EN | EN);
	wr(CTL(1), CYCLES | WRAP | EN);
	wr(CTL(1) + BOX_STRIDE, ALL_COMMANDS | EN);
	wr(FVC, 0x2800);
	wr(CNT(0), preset);
	wr(GLOBAL_CTL, 3);
	wr(GLOBAL_CTL + BOX_STRIDE, 2);
	wr(U_CTL, EN_ALL | FRZ_ALL);
	for (uint64_t clock = 10; clock <= 90; clock += 10) {
		command(false, VPMU_PAGE_HIT, clock);
		command(true, VPMU_PAGE_HIT, clock);
		vpmu_memory_command(t.s, 0, 1, false, VPMU_PAGE_HIT, clock + 1);
	}
	vpmu_clock(t.s, 0, 1000);
}

/* The carry comes with the fifth read, in clock 50: clocks 0 to 50 count, and of the other box
 * the commands of the clocks 11, 21, 31 and 41. */
static void everything_stops_in_the_clock_of_the_overflow(void **state)
{
	(void)state;
	freeze_after_n_reads(TOP - 5);
	assert_int_equal(rd(CNT(0)), 0);
	assert_int_equal(rd(CNT(1)), 51);
	assert_int_equal(rd(CNT(1) + BOX_STRIDE), 4);
	assert_int_equal(rd(U_CTL), FRZ_ALL);
	assert_int_equal(rd(STATUS), 1);
	assert_int_equal(rd(TIMESTAMP), 1000);
}

/* Commands of one clock, reported box by box. */
static void a_freeze_acts_when_the_clock_is_over(void **state)
{
	(void)state;
	for (uint32_t box = 0; box < 2; box++) {
		uint64_t begin = t.s->uclk[0];

		start(ALL_COMMANDS | WRAP | (box ? 0 : PMI_EN));
		wr(CTL(0) + BOX_STRIDE, ALL_COMMANDS | WRAP | EN | (box ? PMI_EN : 0));
		wr(GLOBAL_CTL + BOX_STRIDE, 1);
		wr(CNT(0), box ? 0 : TOP - 2);
		wr(CNT(0) + BOX_STRIDE, box ? TOP - 2 : 0);
		wr(U_CTL, EN_ALL | FRZ_ALL);
		for (uint64_t clock = begin + 10; clock <= begin + 40; clock += 10) {
			command(false, VPMU_PAGE_HIT, clock);
			vpmu_memory_command(t.s, 0, 1, false, VPMU_PAGE_HIT, clock);
		}
		vpmu_clock(t.s, 0, begin + 100);
		assert_int_equal(rd(U_CTL), FRZ_ALL);
		assert_int_equal(rd(CNT(0)), box ? 2 : 0);
		assert_int_equal(rd(CNT(0) + BOX_STRIDE), box ? 0 : 2);
		wr(OVF_CTL, 1);
		wr(OVF_CTL + BOX_STRIDE, 1);
	}
}

static void the_preset_of_the_page_overflows_one_event_later(void **state)
{
	(void)state;
	freeze_after_n_reads(TOP - 1 - 5);
	assert_int_equal(rd(CNT(0)), 0);
	assert_int_equal(rd(CNT(1)), 61);
	assert_int_equal(rd(CNT(1) + BOX_STRIDE), 5);
}

static void counting_resumes_after_a_freeze(void **state)
{
	(void)state;
	freeze_after_n_reads(TOP - 5);
	wr(OVF_CTL, 1);
	wr(CNT(0), TOP - 2);
	wr(U_CTL, EN_ALL | FRZ_ALL);
	command(false, VPMU_PAGE_HIT, 1100);
	assert_int_equal(rd(U_CTL), EN_ALL | FRZ_ALL);
	command(false, VPMU_PAGE_HIT, 1200);
	vpmu_clock(t.s, 0, 1300);
	assert_int_equal(rd(U_CTL), FRZ_ALL);
	assert_int_equal(rd(CNT(1)), 51 + 201);	/* clocks 1000 to 1200 */
}

static void a_clock_counter_freezes_too(void **state)
{
	(void)state;
	start(CYCLES | WRAP | PMI_EN);
	wr(CNT(0), TOP - 100);
	wr(CTL(5), CYCLES | EN);
	wr(GLOBAL_CTL, 0x21);
	wr(U_CTL, EN_ALL | FRZ_ALL);
	vpmu_clock(t.s, 0, 99);
	assert_int_equal(rd(U_CTL), EN_ALL | FRZ_ALL);
	vpmu_clock(t.s, 0, 101);
	assert_int_equal(rd(U_CTL), FRZ_ALL);
	vpmu_clock(t.s, 0, 1000);
	assert_int_equal(rd(CNT(0)), 0);
	assert_int_equal(rd(CNT(5)), 100);
}

static void no_freeze_without_pmi_en_or_frz_all(void **state)
{
	(void)state;
	start(ALL_COMMANDS | WRAP | PMI_EN);
	wr(CNT(0), TOP - 2);
	reads(5);
	assert_int_equal(rd(CNT(0)), 3);
	start(ALL_COMMANDS | WRAP);
	wr(U_CTL, EN_ALL | FRZ_ALL);
	wr(CNT(0), TOP - 2);
	reads(5);
	assert_int_equal(rd(CNT(0)), 3);
	assert_int_equal(rd(U_CTL), EN_ALL | FRZ_ALL);
}

/* ---- reset and timestamp ---- */

static void rst_all_clears_the_counters_alone(void **state)
{
	uint64_t select = ALL_COMMANDS | WRAP | EN;

	(void)state;
	start(ALL_COMMANDS | WRAP);
	wr(FVC, 0x2800);
	wr(CTL(3) + BOX_STRIDE, CYCLES);
	wr(CNT(3) + BOX_STRIDE, 55);
	wr(CNT(0), TOP - 1);
	reads(4);
	wr(U_CTL, RST_ALL);
	assert_int_equal(rd(CNT(0)), 0);
	assert_int_equal(rd(CNT(3) + BOX_STRIDE), 0);
	assert_int_equal(rd(CTL(0)), select);
	assert_int_equal(rd(GLOBAL_CTL), 1);
	assert_int_equal(rd(FVC), 0x2800);
	assert_int_equal(rd(CTL(3) + BOX_STRIDE), CYCLES);
	assert_int_equal(rd(STATUS), 1);	/* cleared in a step of its own */
	wr(CNT(0), 100);	/* the next sample: data registers, then en_all without rst_all */
	wr(U_CTL, EN_ALL);
	reads(6);
	assert_int_equal(rd(CNT(0)), 106);
}

/* Bits 3 and 2 for what comes through S-Box 0 and 1, to which M-Box 0 and 1 belong. */
static void overflows_are_summed_up_in_the_u_box(void **state)
{
	(void)state;
	start(ALL_COMMANDS | WRAP);
	assert_int_equal(rd(U_STATUS), 0);
	wr(CNT(0), TOP - 1);
	wr(CTL(1), ALL_COMMANDS | WRAP | EN);
	wr(CNT(1), TOP - 1);
	wr(GLOBAL_CTL, 3);
	reads(1);
	assert_int_equal(rd(U_STATUS), 8);
	wr(OVF_CTL, 1);			/* counter 1 keeps its bit */
	assert_int_equal(rd(U_STATUS), 8);
	wr(OVF_CTL, 2);			/* and all that sum it up */
	assert_int_equal(rd(U_STATUS), 0);
	wr(CTL(0) + BOX_STRIDE, ALL_COMMANDS | WRAP | EN);
	wr(CNT(0) + BOX_STRIDE, TOP - 1);
	wr(GLOBAL_CTL + BOX_STRIDE, 1);
	vpmu_memory_command(t.s, 0, 1, false, VPMU_PAGE_HIT, 10);
	assert_int_equal(rd(U_STATUS), 4);
	wr(U_OVF_CTL, 8);
	assert_int_equal(rd(U_STATUS), 4);
	wr(U_OVF_CTL, 4);
	assert_int_equal(rd(U_STATUS), 0);
	assert_int_equal(rd(STATUS + BOX_STRIDE), 1);	/* below it nothing changes */
	wr(CNT(0), TOP - 1);
	wr(CNT(0) + BOX_STRIDE, TOP - 1);
	reads(1);
	vpmu_memory_command(t.s, 0, 1, false, VPMU_PAGE_HIT, 20);
	assert_int_equal(rd(U_STATUS), 12);
}

static void the_timestamp_is_16_bits_and_never_stops(void **state)
{
	struct vpmu_register_info info;
	uint64_t value;

	(void)state;
	assert_int_equal(rd(TIMESTAMP), 0);
	vpmu_clock(t.s, 0, 65535);
	assert_int_equal(rd(TIMESTAMP), 65535);
	wr(U_CTL, RST_ALL);
	assert_int_equal(vpmu_model_find(&t.s->machine, "M0_MSR_PMU_TIMESTAMP_UNIT", &info), 0);
	assert_int_equal(vpmu_model_peek(t.s, 0, &info, &value), 0);
	assert_int_equal(value, 65535);
	vpmu_clock(t.s, 0, 70000);
	assert_int_equal(rd(TIMESTAMP), 70000 - 65536);
	assert_int_equal(rd(TIMESTAMP + BOX_STRIDE), 70000 - 65536);
}

/* ---- what is not driven is said ---- */

static void undriven_selects_are_named(void **state)
{
	char text[256];

	(void)state;
	start(INC(0x06));	/* refreshes */
	assert_int_equal(t.s->undriven_count, 1);
	assert_int_equal(t.s->undriven[0].address, CTL(0));
	vpmu_model_undriven_text(&t.s->machine, &t.s->undriven[0], text, sizeof(text));
	assert_string_equal(text, "REFRESH on M0_MSR_PMU_CNT_CTL_0: the model's DRAM needs no "
				  "refresh, it stays 0");
	start(ALL_COMMANDS | STORAGE);
	vpmu_model_undriven_text(&t.s->machine, &t.s->undriven[1], text, sizeof(text));
	assert_non_null(strstr(text, "code 0x1a "));
	assert_non_null(strstr(text, "flag_mode = 1"));
	start(CYCLES);
	start(ALL_COMMANDS);
	assert_int_equal(t.s->undriven_count, 2);
}

static const struct vpmu_event_info *find_event(const char *name, struct vpmu_event_info *out)
{
	for (uint32_t i = 0; vpmu_model_event(&t.s->machine, i, out); i++)
		if (strcmp(out->name, name) == 0)
			return out;
	return NULL;
}

/* Code: inc_sel, or 0x20 + set_flag_sel. umask "0x5/0x1" stands for 0x51. */
static void the_events_are_those_of_the_table(void **state)
{
	struct tsv table;
	uint32_t rows = 0;

	(void)state;
	tsv_open(&table, "nehalem-ex-mbox/events.tsv");
	while (tsv_next(&table)) {
		const char *code = tsv_cell(&table, "code"), *umask = tsv_cell(&table, "umask");
		uint32_t number = (uint32_t)strtoul(strchr(code, '=') + 1, NULL, 16);
		uint32_t low = 0, value = (uint32_t)strtoul(umask, NULL, 16);
		struct vpmu_event_info e;

		if (!find_event(tsv_cell(&table, "event"), &e))
			fail_msg("the model has no %s", tsv_cell(&table, "event"));
		if (sscanf(umask, "0x%*x/0x%x", &low) == 1)
			value = value << 4 | low;
		assert_int_equal(e.code, strncmp(code, "set", 3) ? number : 0x20 + number);
		assert_int_equal(e.umask, value);
		assert_string_equal(e.counters, tsv_cell(&table, "counters"));
		assert_true(e.driven || e.why);
		rows++;
	}
	assert_int_equal(rows, 167);
}

/* The list and what a select really counts say the same. */
static void driven_events_count_and_others_are_noted(void **state)
{
	struct vpmu_event_info e;

	(void)state;
	for (uint32_t i = 0; vpmu_model_event(&t.s->machine, i, &e); i++) {
		uint64_t ctl = e.code < 0x20 ? INC(e.code) : FLAG_MODE | SET_FLAG(e.code - 0x20);
		uint32_t low = e.umask & 15, high = e.umask >> 4;

		if (strcmp(e.unit, "MBOX") != 0)
			continue;
		wr(U_CTL, RST_ALL);
		t.s->undriven_count = 0;
		if (e.code >= 0x0d && e.code <= 0x10)
			wr(FVC, (uint64_t)(high ? high : low) << (11 + 3 * (e.code - 0x0d)) |
			   (high == 5 ? low << 5 : high == 6 ? low << 8 : 0));
		wr(DSP, e.code == 0 || e.code == 0x20 ? e.umask << 7 : 0);
		wr(PLD, e.code == 0x0a ? e.umask << 8 : 0);
		wr(MAP, e.code == 0x26 ? e.umask << 5 : 0);
		wr(PGT, e.code == 0x16 ? e.umask : e.code == 0x25 ? e.umask << 6 : 0);
		wr(ISS, e.code == 0x09 ? e.umask : e.code == 0x21 ? e.umask << 4 : 0);
		start(ctl | WRAP);
		known_commands();
		vpmu_clock(t.s, 0, t.s->uclk[0] + 10);
		if (e.driven != (rd(CNT(0)) > 0) || e.driven != (t.s->undriven_count == 0))
			fail_msg("%s: driven %d, counted %d", e.name, e.driven, (int)rd(CNT(0)));
	}
	assert_int_equal(t.s->violation_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(every_link_of_the_chain_is_needed),
		CASE(all_counters_of_both_boxes_count),
		cmocka_unit_test_setup_teardown(packages_count_their_own, setup_four_packages,
						teardown),
		CASE(fvc_matches_reads_and_writes),
		CASE(each_fvc_event_has_its_field),
		cmocka_unit_test_setup_teardown(westmere_has_all_fvc_fields_one_higher,
						setup_westmere, teardown),
		CASE(nehalem_ex_reserves_bit_24_of_fvc),
		CASE(page_results_are_counted),
		CASE(dram_commands_follow_from_page_results),
		CASE(dram_commands_obey_the_mode_filter),
		CASE(dram_commands_stop_under_an_address_filter),
		CASE(counters_wrap_at_48_bits),
		CASE(undefined_modes_count_nothing),
		CASE(flag_mode_counts_the_clocks_of_a_condition),
		CASE(set_flag_sel_needs_flag_mode),
		CASE(storage_mode_1_counts_while_the_flag_is_set),
		CASE(storage_mode_1_without_flag_mode_counts_nothing),
		CASE(reserved_bits_are_violations_ignored_ones_are_not),
		CASE(access_types_are_kept),
		CASE(the_sdms_registers_take_writes),
		CASE(everything_stops_in_the_clock_of_the_overflow),
		CASE(a_freeze_acts_when_the_clock_is_over),
		CASE(the_preset_of_the_page_overflows_one_event_later),
		CASE(counting_resumes_after_a_freeze),
		CASE(a_clock_counter_freezes_too),
		CASE(no_freeze_without_pmi_en_or_frz_all),
		CASE(rst_all_clears_the_counters_alone),
		CASE(overflows_are_summed_up_in_the_u_box),
		CASE(the_timestamp_is_16_bits_and_never_stops),
		CASE(undriven_selects_are_named),
		CASE(the_events_are_those_of_the_table),
		CASE(driven_events_count_and_others_are_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
