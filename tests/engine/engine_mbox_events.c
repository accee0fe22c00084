/* SPDX-License-Identifier: MIT */
/* Events of the Xeon 7500 and E7 M-Boxes, without a machine: every row of the table, the worked
 * examples, which events go together, and what must be refused. */
#include "counting/assign.h"
#include "fake_system.h"
#include "pmu/families.h"
#include "tsv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <perfmon/pfmlib.h>

#define RAW "nhmex_unc_mbox.RAW"
#define UNCONFIRMED "LIBPFM_NHMEX_UNCONFIRMED"

/* Table 2-67: a counter that wraps, without its enable bit, which is the engine's. */
static uint64_t select_of(const struct tsv *t)
{
	const char *code = tsv_cell(t, "code");
	uint64_t value = strtoull(strchr(code, '=') + 1, NULL, 0);

	return 0x40 | (strncmp(code, "inc_sel", 7) == 0 ? value << 9 : value << 19 | 0x80);
}

/* The row's value of the sub-control register `reg`: "REG[hi:lo]=v", or the FVC fields by name.
 * shift: by how many bits the fields of ZDP_CTL_FVC are higher in a Westmere-EX. */
static uint64_t sub_of(const struct tsv *t, char reg[16], unsigned shift)
{
	static const struct { const char *name; unsigned lo; } fvc[] = {
		{ "bcmd", 5 }, { "resp", 8 }, { "evnt0", 11 }, { "evnt1", 14 }, { "evnt2", 17 },
		{ "evnt3", 20 },
	};
	char text[256], *save = NULL;
	uint64_t sub = 0;

	reg[0] = '\0';
	snprintf(text, sizeof(text), "%s", tsv_cell(t, "modifiers_required"));
	for (char *m = strtok_r(text, ";", &save); m; m = strtok_r(NULL, ";", &save)) {
		char *lo, *value;

		m[strcspn(m, " ")] = '\0';	/* a remark, or the other of two ways */
		lo = strpbrk(m, ":[");
		value = strchr(m, '=');
		if (strncmp(m, "ZDP_CTL_FVC.", 12) == 0) {
			strcpy(reg, "ZDP_CTL_FVC");
			for (size_t i = 0; i < sizeof(fvc) / sizeof(fvc[0]); i++)
				if (strncmp(m + 12, fvc[i].name, strlen(fvc[i].name)) == 0)
					sub |= strtoull(value + 1, NULL, 0) << (fvc[i].lo + shift);
		} else if (lo && value) {
			snprintf(reg, 16, "%.*s", (int)strcspn(m, "["), m);
			lo = strchr(m, ':') ? strchr(m, ':') + 1 : strchr(m, '[') + 1;
			sub |= strtoull(value + 1, NULL, 0) << strtoul(lo, NULL, 10);
		}
	}
	return sub;
}

static void check_choice(const struct ipmu_choice *c, const struct tsv *t, unsigned shift)
{
	uint64_t sub;
	char reg[16], name[64];

	sub = sub_of(t, reg, shift);
	assert_int_equal(c->select, select_of(t));
	assert_int_equal(c->counters, 0x3F);
	assert_false(c->preset);
	assert_int_equal(c->direction, IPMU_UP);
	assert_int_equal(c->nextra, reg[0] ? 1 : 0);
	if (!reg[0])
		return;
	ipmu_reg_name(c->extra[0].reg, 0, 0, name);
	assert_string_equal(strstr(name, "PMU_") + 4, reg);
	assert_int_equal(c->extra[0].value, sub);
	assert_int_equal(c->extra[0].value & ~c->extra[0].mask, 0);
}

/* The spellings of an event: the manual's, with libpfm4's unit mask, and with the PMU. */
static void check_row(const struct ipmu_system *sys, const struct tsv *t, unsigned shift)
{
	const char *manual = tsv_cell(t, "event");
	char event[64], name[IPMU_NAME_MAX];
	struct ipmu_event e;

	snprintf(event, sizeof(event), "%s", manual);
	if (strchr(event, '.')) {
		*strchr(event, '.') = ':';
		if (strchr(event, '.'))
			*strchr(event, '.') = '_';
	}
	print_message("%s\n", manual);
	for (int i = 0; i < 4; i++) {
		static const char *const pmus[] = { "", "", "nhmex_unc_mbox.",
						    "nhmex_unc_mbox0::" };

		snprintf(name, sizeof(name), "%s%s", pmus[i], i ? event : manual);
		e = fake_event(sys, name);
		check_choice(&e.choices[0], t, shift);
		assert_string_equal(ipmu_type_name(e.type), "nhmex_unc_mbox");
		assert_int_equal(e.nchoices, strncmp(manual, "FVC_EV", 6) == 0 ? 4 : 1);
		assert_int_equal(e.box, i == 3 ? 0 : IPMU_ALL);
	}
	snprintf(name, sizeof(name), "nhmex_unc_mbox.%s:box=0", event);
	assert_string_equal(e.name, name);
}

/* Compares libpfm4's code of the event without its unit mask: the selects of CNT_CTL. */
static void check_code(const struct tsv *t)
{
	pfm_event_info_t info = { .size = sizeof(info) };
	const char *manual = tsv_cell(t, "event");
	char name[80];

	snprintf(name, sizeof(name), "nhmex_unc_mbox0::%.*s", (int)strcspn(manual, "."), manual);
	assert_int_equal(pfm_get_event_info(pfm_find_event(name), PFM_OS_NONE, &info), PFM_SUCCESS);
	assert_int_equal(info.code | 0x40, select_of(t));
}

static void check_table(const struct ipmu_system *sys, unsigned shift)
{
	int confirmed = 0, unconfirmed = 0;
	struct tsv t;

	tsv_open(&t, "nehalem-ex-mbox/events.tsv");
	while (tsv_next(&t)) {
		if (*tsv_cell(&t, "status") == 'U') {
			unconfirmed++;
			fake_refuses(sys, tsv_cell(&t, "event"),
				     strncmp(tsv_cell(&t, "event"), "BCMD", 4) ? -ENOENT : -EINVAL,
				     strncmp(tsv_cell(&t, "event"), "BCMD", 4) ?
				     "no documented PMU" : "no such qualifier");
		} else {
			confirmed++;
			check_row(sys, &t, shift);
			check_code(&t);
		}
	}
	assert_int_equal(confirmed, 89 + 24 + 4);
	assert_int_equal(unconfirmed, 50);
}

static void every_row_on_nehalem_ex(void **state)
{
	(void)state;
	check_table(fake_system(&ipmu_nehalem_ex), 0);
}

static void every_row_on_westmere_ex(void **state)
{
	(void)state;
	check_table(fake_system(&ipmu_westmere_ex), 1);
}

/* On request: all rows, each with its sub-control value. */
static void unconfirmed_rows_on_request(void **state)
{
	const struct ipmu_system *sys = fake_system(&ipmu_nehalem_ex);
	int rows = 0;
	struct tsv t;

	(void)state;
	tsv_open(&t, "nehalem-ex-mbox/events.tsv");
	while (tsv_next(&t)) {
		struct ipmu_event e = fake_event(sys, tsv_cell(&t, "event"));
		const struct ipmu_extra_reg *need;
		uint64_t sub;
		char reg[16], name[64];

		assert_int_equal(e.choices[0].select, select_of(&t));
		sub = sub_of(&t, reg, 0);
		rows++;
		if (!reg[0])
			continue;
		/* DRAM_CMD has its mode filter in ISS as well, before PLD */
		need = &e.choices[0].extra[e.choices[0].nextra - 1];
		ipmu_reg_name(need->reg, 0, 0, name);
		assert_string_equal(strstr(name, "PMU_") + 4, reg);
		assert_int_equal(need->value, sub);
		assert_int_equal(sub & ~need->mask, 0);
	}
	assert_int_equal(rows, 167);
}

static const struct ipmu_extra_reg *need_of(const struct ipmu_event *e, int choice, int i)
{
	assert_true(choice < e->nchoices && i < e->choices[choice].nextra);
	return &e->choices[choice].extra[i];
}

/* Worked out by hand from the document; en is added when it is programmed. */
static void worked_examples(void **state)
{
	const struct ipmu_system *nhm = fake_system(&ipmu_nehalem_ex);
	const struct ipmu_system *wsm = fake_system(&ipmu_westmere_ex);
	struct ipmu_event e;

	(void)state;
	assert_int_equal(fake_event(nhm, "CYCLES").choices[0].select | 1, 0x3641);
	assert_int_equal(fake_event(nhm, "PAGE_HIT").choices[0].select | 1, 0x2841);
	e = fake_event(nhm, "FVC_EV0.BBOX_CMDS.READS:wrap_mode=0");
	assert_int_equal(e.choices[0].select | 1, 0x1A01);
	assert_true(e.choices[0].preset);	/* it would stop wherever an old value wraps */
	assert_int_equal(e.choices[0].preset_value, 0);
	e = fake_event(nhm, "FVC_EV0.BBOX_CMDS.READS:pmi_en");
	assert_int_equal(e.choices[0].select | 1, 0x1A43);
	assert_int_equal(need_of(&e, 0, 0)->reg->addr, 0xC00);
	assert_int_equal(need_of(&e, 0, 0)->value, 0);	/* pmi_core_sel: no core is interrupted */
	assert_int_equal(need_of(&e, 0, 1)->value, 0x2800);
	assert_int_equal(need_of(&e, 0, 1)->mask, 0x38FF);	/* evnt0, bcmd, fvid */
	e = fake_event(nhm, "FVC_EV0.BBOX_CMDS.WRITES");
	assert_int_equal(need_of(&e, 0, 0)->value, 0x2820);
	e = fake_event(wsm, "FVC_EV0.BBOX_CMDS.READS");
	assert_int_equal(need_of(&e, 0, 0)->value, 0x5000);
	assert_int_equal(need_of(&e, 0, 0)->mask, 0x71FF);
	e = fake_event(wsm, "FVC_EV0.BBOX_CMDS.WRITES");
	assert_int_equal(need_of(&e, 0, 0)->value, 0x5040);
	e = fake_event(nhm, "FVC_EV1.BBOX_RSP.ACK");
	assert_int_equal(e.choices[0].select | 1, 0x1C41);
	assert_int_equal(need_of(&e, 0, 0)->value, 0x18000);
	assert_int_equal(need_of(&e, 0, 0)->mask, 0x1C71F);	/* evnt1, resp, fvid */
	assert_int_equal(e.choices[3].select | 1, 0x1A41);	/* on EV0 it is its last choice */
	assert_int_equal(need_of(&e, 3, 0)->value, 0x3000);
	e = fake_event(nhm, "CYCLES_DSP_FILL.WRQ_EMPTY");
	assert_int_equal(e.choices[0].select | 1, 0xC1);
	assert_int_equal(need_of(&e, 0, 0)->value, 0x400);
	e = fake_event(nhm, "BCMD_SCHEDQ_OCCUPANCY.WRITES:fvid=3");
	assert_int_equal(e.choices[0].select | 1, 0x3000C1);
	assert_int_equal(need_of(&e, 0, 0)->value, 0x23);
	e = fake_event(nhm, "FRM_TYPE.1CMD");
	assert_int_equal(e.choices[0].select | 1, 0x1241);
	assert_int_equal(need_of(&e, 0, 0)->value, 0xC);
}

/* Defaults of modifiers in libpfm4: only wrap_mode's is not 0. */
static void defaults_of_the_modifiers(void **state)
{
	pfm_event_attr_info_t attr = { .size = sizeof(attr) };
	pfm_event_info_t info = { .size = sizeof(info) };
	int event, modifiers = 0, wraps = 0;

	(void)state;
	fake_system(&ipmu_nehalem_ex);
	event = pfm_find_event("nhmex_unc_mbox0::FVC_EV0");
	assert_int_equal(pfm_get_event_info(event, PFM_OS_NONE, &info), PFM_SUCCESS);
	for (int i = 0; i < info.nattrs; i++) {
		bool wrap;

		assert_int_equal(pfm_get_event_attr_info(event, i, PFM_OS_NONE, &attr),
				 PFM_SUCCESS);
		if (attr.type == PFM_ATTR_UMASK)
			continue;
		wrap = strcmp(attr.name, "wrap_mode") == 0;
		assert_int_equal(attr.dfl_val64, wrap);
		modifiers++;
		wraps += wrap;
	}
	assert_true(modifiers > 1);
	assert_int_equal(wraps, 1);
}

static void raw_codes(void **state)
{
	const struct ipmu_system *sys = fake_system(&ipmu_nehalem_ex);
	struct ipmu_event e;

	(void)state;
	assert_int_equal(fake_event(sys, "RAW:inc_sel=0x13").choices[0].select, 0x2640);
	e = fake_event(sys, "RAW:inc_sel=0xe:fvc=0x1A800");
	assert_int_equal(e.nchoices, 1);
	assert_int_equal(need_of(&e, 0, 0)->value, 0x18000);	/* evnt1 alone is its own */
	e = fake_event(fake_system(&ipmu_westmere_ex), "RAW:inc_sel=0xe:fvc=0x1A800");
	assert_int_equal(need_of(&e, 0, 0)->value, 0x30000);
	e = fake_event(sys, "RAW:inc_sel=0xa:pld=0x301:iss=0x80");
	assert_int_equal(e.choices[0].nextra, 2);
	assert_int_equal(need_of(&e, 0, 0)->value, 0x80);
	assert_int_equal(need_of(&e, 0, 1)->value, 0x301);
	e = fake_event(sys, "RAW:inc_sel=0x14:set_flag_sel=4:storage_mode=1:count_mode=2");
	assert_int_equal(e.choices[0].select, 0x2028D8);
	assert_int_equal(e.choices[0].direction, IPMU_UP_DOWN);
	assert_int_equal(e.choices[0].nextra, 0);
	assert_int_equal(fake_event(sys, "CYCLES:count_mode=1").choices[0].direction, IPMU_DOWN);
	fake_refuses(sys, RAW ":inc_sel=0x16:pgt=0x2", -EINVAL, "PGT has no known field");
	fake_refuses(sys, RAW ":inc_sel=0xd:set_flag_sel=6:map=1", -EINVAL, "sub-control register");
	fake_refuses(sys, RAW ":inc_sel=0xd:set_flag_sel=6:fvc=1", -EINVAL, "exclude each other");
	/* a setting of another select, or of none */
	fake_refuses(sys, RAW ":inc_sel=0xd:dsp=0x80", -EINVAL, "inc_sel=0x00 and set_flag_sel=0");
	fake_refuses(sys, RAW ":map=1", -EINVAL, "map= is the setting of set_flag_sel=6");
	fake_refuses(sys, RAW ":inc_sel=0x13:pld=1", -EINVAL, "inc_sel=0x0a and 0x0b");
	fake_refuses(sys, RAW ":set_flag_sel=1:fvc=1", -EINVAL, "inc_sel=0x0d to 0x10");
	fake_refuses(sys, RAW ":iss=1", -EINVAL, "inc_sel=0x09, 0x0a and set_flag_sel=1");
	fake_refuses(sys, RAW ":inc_sel=0x16:thr=1", -EINVAL, "inc_sel=0x04 and 0x05");
	fake_refuses(sys, RAW ":set_flag_sel=6:pgt=1", -EINVAL, "inc_sel=0x16 and set_flag_sel=5");
	fake_event(sys, "RAW:flag_mode=y:dsp=0x80");
	/* Table 2-67: bit 7 enables set_flag_sel, and without it no flag is set for storage_mode */
	fake_refuses(sys, RAW ":set_flag_sel=3:flag_mode=0", -EINVAL, "Table 2-67");
	fake_refuses(sys, RAW ":inc_sel=3:set_flag_sel=0:flag_mode=n", -EINVAL, "Table 2-67");
	fake_refuses(sys, RAW ":storage_mode=1", -EINVAL, "add set_flag_sel=N");
	fake_refuses(sys, RAW ":inc_sel=3:storage_mode=3:flag_mode=0", -EINVAL, "set_flag_sel=N");
	fake_event(sys, "RAW:storage_mode=0:flag_mode=0");
	fake_event(sys, "RAW:set_flag_sel=3:storage_mode=1");
	fake_event(sys, "RAW:flag_mode:storage_mode=1");
	fake_refuses(sys, "CYCLES:count_mode=3", -EINVAL, "count_mode: 0 up, 1 down");
	fake_refuses(sys, "CYCLES:inc_sel=3", -EINVAL, "no such qualifier");
	fake_refuses(sys, "FRM_TYPE", -EINVAL, "needs a unit mask: 3CMD, WDAT");
	fake_refuses(sys, "nhmex_unc_mbox_ts.TIMESTAMP:wrap_mode=1", -EINVAL, "no such qualifier");
	fake_refuses(sys, "nhmex_unc_mbox_ts.CYCLES", -ENOENT, "only TIMESTAMP");
}

/* 2^48 - 1000, on every choice of an FVC event. */
static void freeze_presets_the_counter(void **state)
{
	const struct ipmu_system *sys = fake_system(&ipmu_nehalem_ex);
	struct ipmu_event e = fake_event(sys, "FVC_EV0.BBOX_CMDS.READS:freeze=1000");

	(void)state;
	assert_string_equal(e.name, "nhmex_unc_mbox.FVC_EV0:BBOX_CMDS_READS:freeze=1000");
	assert_int_equal(e.nchoices, 4);
	for (int i = 0; i < 4; i++) {
		assert_true(e.choices[i].preset);
		assert_true(e.choices[i].preset_value == 0xFFFFFFFFFC18);
		assert_int_equal(e.choices[i].select | 1, 0x1A43 + 0x200 * (uint64_t)i);
		assert_int_equal(e.choices[i].nextra, 2);
		assert_int_equal(e.choices[i].extra[0].reg->addr, 0xC00);
		assert_true(e.choices[i].extra[0].value == 1ull << 31);
	}
	fake_refuses(sys, "CYCLES:freeze=0", -EINVAL, "freeze takes a number");
	fake_refuses(sys, "CYCLES:freeze", -EINVAL, "freeze takes a number");
	fake_refuses(sys, "CYCLES:freeze=281474976710656", -EINVAL, "281474976710655");
	fake_refuses(sys, "CYCLES:freeze=7:wrap_mode=0", -EINVAL, "remove count_mode");
	fake_refuses(sys, "CYCLES:freeze=7:count_mode=1", -EINVAL, "remove count_mode");
	fake_refuses(sys, "nhmex_unc_mbox_ts.TIMESTAMP:freeze=9", -EINVAL, "no such qualifier");
}

/* ---- which events go together */

#define SET_MAX 8

struct set {
	struct ipmu_event events[SET_MAX];
	struct ipmu_request wants[SET_MAX];
	int n;
	char why[IPMU_WHY_MAX];
};

static int assign(const struct ipmu_system *sys, const char *const *names, struct set *s)
{
	memset(s, 0, sizeof(*s));
	for (; names[s->n]; s->n++) {
		struct ipmu_event *e = &s->events[s->n];

		*e = fake_event(sys, names[s->n]);
		s->wants[s->n] = (struct ipmu_request){ .choices = e->choices, .event = e->name,
						     .nchoices = e->nchoices };
	}
	return ipmu_assign(NULL, s->events[0].type, s->events[0].type->counters, 1, s->wants, s->n,
			   NULL, s->why);
}

/* The value that the needs of all chosen ways give a register together; none may disagree. */
static uint64_t merged(const struct set *s, uint32_t addr)
{
	uint64_t mask = 0, value = 0;

	for (int w = 0; w < s->n; w++) {
		const struct ipmu_choice *c = &s->wants[w].choices[s->wants[w].choice];

		for (int i = 0; i < c->nextra; i++) {
			if (c->extra[i].reg->addr != addr)
				continue;
			assert_int_equal((value ^ c->extra[i].value) & mask & c->extra[i].mask, 0);
			value |= c->extra[i].value;
			mask |= c->extra[i].mask;
		}
	}
	return value;
}

#define SET(...) (const char *const[]){ __VA_ARGS__, NULL }

static void fits(const struct ipmu_system *sys, const char *const *names, struct set *s)
{
	if (assign(sys, names, s))
		fail_msg("%s", s->why);
}

/* The reason names both events and the register of box 1. */
static void collides(const struct ipmu_system *sys, const char *const *names, const char *loser,
		     const char *other, const char *reg)
{
	struct set s;

	assert_int_equal(assign(sys, names, &s), -ENOSPC);
	print_message("%s\n", s.why);
	assert_non_null(strstr(s.why, loser));
	assert_non_null(strstr(s.why, other));
	assert_non_null(strstr(s.why, reg));
}

static void sets_that_fit_and_sets_that_do_not(void **state)
{
	const struct ipmu_system *sys = fake_system(&ipmu_nehalem_ex);
	struct set s;

	(void)state;
	fits(sys, SET("FVC_EV0.BBOX_CMDS.READS", "FVC_EV0.BBOX_RSP.ACK"), &s);
	assert_int_equal(merged(&s, 0xCAB), 0x1A800);
	/* four different ones, though all are requested on EV0, and no fifth */
	fits(sys, SET("FVC_EV0.SMI_CRC_ERR", "FVC_EV0.MEM_ECC_ERR", "FVC_EV0.BBOX_CMDS.READS",
		      "FVC_EV0.BBOX_RSP.COR", "CYCLES", "PAGE_HIT"), &s);
	/* evnt0 to evnt3 are 0, 1, 5, 6 and resp is 2 */
	assert_int_equal(merged(&s, 0xCAB), 1 << 14 | 5 << 17 | 6 << 20 | 2 << 8);
	collides(sys, SET("FVC_EV0.SMI_CRC_ERR", "FVC_EV1.MEM_ECC_ERR", "FVC_EV2.POISON_TXN",
			  "FVC_EV3.ALERT_FRAMES", "FVC_EV0.FAST_RESET"), "FAST_RESET", "FVC_EV",
		 "M1_MSR_PMU_ZDP_CTL_FVC");
	collides(sys, SET("FVC_EV0.BBOX_CMDS.READS", "FVC_EV1.BBOX_CMDS.WRITES"),
		 "BBOX_CMDS_WRITES", "BBOX_CMDS_READS", "M1_MSR_PMU_ZDP_CTL_FVC");
	collides(sys, SET("FVC_EV0.BBOX_CMDS.READS:fvid=1", "FVC_EV1.BBOX_RSP.ACK:fvid=2"),
		 "BBOX_RSP_ACK:fvid=2", "BBOX_CMDS_READS:fvid=1", "M1_MSR_PMU_ZDP_CTL_FVC");
	fits(sys, SET("CYCLES_DSP_FILL.RDQ_FULL", "DSP_FILL.RDQ_FULL"), &s);
	collides(sys, SET("CYCLES_DSP_FILL.RDQ_FULL", "DSP_FILL.WRQ_FULL"), "WRQ_FULL", "RDQ_FULL",
		 "M1_MSR_PMU_DSP");
	collides(sys, SET("FRM_TYPE.3CMD", "FRM_TYPE.1CMD"), "1CMD", "3CMD", "M1_MSR_PMU_ISS");
	collides(sys, SET("BCMD_SCHEDQ_OCCUPANCY.READS:fvid=3",
			  "BCMD_SCHEDQ_OCCUPANCY.READS:fvid=4"), "fvid=4", "fvid=3",
		 "M1_MSR_PMU_MAP");
	/* other fields of one register, and one register each */
	fits(sys, SET("FRM_TYPE.1CMD", "RAW:set_flag_sel=1:iss=0x20", "BCMD_SCHEDQ_OCCUPANCY.V2F",
		      "CYCLES_DSP_FILL.RDQ_EMPTY", "FVC_EV3.BBOX_CMDS.F2V", "BBOX_CMDS_ALL"), &s);
	assert_int_equal(merged(&s, 0xCA6), 0x2C);
}

static void six_counters_and_no_seventh(void **state)
{
	const struct ipmu_system *sys = fake_system(&ipmu_westmere_ex);
	struct set s;

	(void)state;
	fits(sys, SET("CYCLES", "PAGE_HIT", "PAGE_EMPTY", "MULTICAS", "FVID_RACE",
		      "INFLIGHT_CMDS"), &s);
	collides(sys, SET("CYCLES", "PAGE_HIT", "PAGE_EMPTY", "MULTICAS", "FVID_RACE",
			  "INFLIGHT_CMDS", "BBOX_CMDS_ALL"), "BBOX_CMDS_ALL", "MULTICAS",
		 "has 6 counters");
}

static void the_list_has_the_documented_events_and_the_timestamp(void **state)
{
	const struct ipmu_system *sys = fake_system(&ipmu_nehalem_ex);
	struct ipmu_event_info info;
	int events = 0, names = 0, timestamps = 0;

	(void)state;
	while (ipmu_event_list(sys, events, -1, &info) == 0) {
		int umasks = 0;

		if (strncmp(info.name, "nhmex_unc_cbox", 14) == 0) {
			events++;
			continue;
		}
		timestamps += strcmp(info.name, "nhmex_unc_mbox_ts.TIMESTAMP") == 0;
		assert_null(strstr(info.desc, "unconfirmed"));
		while (ipmu_event_list(sys, events, umasks, &info) == 0) {
			fake_event(sys, info.name);
			umasks++;
		}
		names += umasks ? umasks : 1;
		events++;
	}
	/* 117 rows; RAW and the timestamp besides. C-Boxes have a test of their own. */
	assert_int_equal(names, 117 + 2);
	assert_int_equal(timestamps, 1);
}

static int unconfirmed_group(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unconfirmed_rows_on_request),
	};

	setenv(UNCONFIRMED, "1", 1);
	return cmocka_run_group_tests_name("unconfirmed", tests, NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_on_nehalem_ex),
		cmocka_unit_test(every_row_on_westmere_ex),
		cmocka_unit_test(worked_examples),
		cmocka_unit_test(defaults_of_the_modifiers),
		cmocka_unit_test(raw_codes),
		cmocka_unit_test(freeze_presets_the_counter),
		cmocka_unit_test(sets_that_fit_and_sets_that_do_not),
		cmocka_unit_test(six_counters_and_no_seventh),
		cmocka_unit_test(the_list_has_the_documented_events_and_the_timestamp),
	};
	int status;
	pid_t child;

	/* libpfm4 reads the variable once per process. */
	fflush(NULL);
	child = fork();
	if (child == 0) {
		status = unconfirmed_group();
		fflush(NULL);
		_exit(status);
	}
	unsetenv(UNCONFIRMED);
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL) + (status != 0);
}
