/* SPDX-License-Identifier: MIT */
/* Events of the M-Boxes: what they need beside the control register, and the freeze.
 * ipmu_nhmex_check() refuses bad qualifiers, ipmu_nhmex_encode_nhm() and ipmu_nhmex_encode_wsm()
 * turn libpfm4's codes into choices. Nothing here touches a register. Source: Intel 323535-001
 * (March 2010), "guide", where nothing else is said. */
#include "nhmex_registers.h"
#include "counter_ops.h"

#include "../base/why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define UNSAID UINT64_MAX
#define INC_CYCLES 0x1B
#define INC_FVC 0x0D	/* inc_sel of FVC_EV0; the other three follow */

struct sub {
	const struct ipmu_reg *reg;
	uint64_t mask;
};

/* By inc_sel, without the FVC events. Guide Table 2-84; Linux for those that it leaves out. */
static const struct sub inc_subs[32] = {
	[0x00] = { &ipmu_nhmex_dsp, DSP_QUEUE },
	[0x04] = { &ipmu_nhmex_msc_thr, THR_UP | THR_DIMM | THR_ALL_DIMMS },
	[0x05] = { &ipmu_nhmex_msc_thr, THR_DOWN | THR_DIMM | THR_ALL_DIMMS },
	[0x09] = { &ipmu_nhmex_iss, ISS_FRAME }, [0x0A] = { &ipmu_nhmex_iss, ISS_COMMAND_MODE },
	[0x16] = { &ipmu_nhmex_pgt, PGT_TRANSITION },
};

/* By set_flag_sel. */
static const struct sub flag_subs[8] = {
	[0] = { &ipmu_nhmex_dsp, DSP_QUEUE }, [1] = { &ipmu_nhmex_iss, ISS_MODE },
	[5] = { &ipmu_nhmex_pgt, PGT_STATE }, [6] = { &ipmu_nhmex_map, MAP_CMD | MAP_FVID },
};

/* PLD, the upper half of libpfm4's second code, beside or instead of the others. */
static const struct sub pld_sub = { &ipmu_nhmex_pld, PLD_CMD | PLD_BY_MODE };

/* An event as libpfm4 encodes it. */
struct code {
	const char *event;
	uint64_t ctl, sub;
	unsigned inc_sel, set_flag_sel;
	bool flag, raw;
	uint64_t freeze;	/* 0: no freeze */
};

static int add_extra(struct ipmu_choice *choice, const struct sub *sub, uint64_t value, char *why)
{
	const char *name = sub->reg->name + strlen("M%b_MSR_");

	if (value & ~sub->mask)
		return ipmu_fail(why, -EINVAL, "%s has no known field for this event in the bits "
				 "0x%llx: its fields are 0x%llx", name,
				 (unsigned long long)(value & ~sub->mask),
				 (unsigned long long)sub->mask);
	choice->extra[choice->nextra++] = (struct ipmu_extra_reg){ .reg = sub->reg,
								   .mask = sub->mask,
								   .value = value };
	return 0;
}

static bool uses_pld(unsigned inc_sel)
{
	return inc_sel == 0x0A || inc_sel == 0x0B;
}

static bool is_fvc(unsigned inc_sel)
{
	return inc_sel >= INC_FVC && inc_sel < INC_FVC + 4;
}

static int add_inc_extra(struct ipmu_choice *choice, const struct code *c, char *why)
{
	const struct sub *sub = &inc_subs[c->inc_sel];
	int rc = 0;

	if (sub->reg)
		rc = add_extra(choice, sub, c->sub & 0xFFFFFFFF, why);
	if (!rc && uses_pld(c->inc_sel))
		rc = add_extra(choice, &pld_sub, c->sub >> 32, why);
	return rc;
}

/* Values of ZDP_CTL_FVC come in the layout of Nehalem-EX; Westmere-EX has one bit more of fvid. */
static uint64_t fvc_layout(const struct ipmu_reg *fvc, uint64_t nhm)
{
	return fvc == &ipmu_nhmex_fvc_nhm ? nhm : (nhm & FVC_FVID) | (nhm & ~FVC_FVID) << 1;
}

/* evnt selects what is counted: 5 commands that match bcmd, 6 responses that match resp. These and
 * fvid are one for all four events of a box, so they must agree where they matter; the other bits
 * stay as they are. */
static void fvc_choice(struct ipmu_choice *choice, const struct code *c,
		       const struct ipmu_reg *fvc, unsigned k)
{
	uint64_t evnt = ipmu_bits_get(FVC_EVNT(c->inc_sel - INC_FVC), c->sub);
	uint64_t mask = FVC_EVNT(k), value = ipmu_bits_put(FVC_EVNT(k), evnt);

	if (evnt == 5 || evnt == 6) {
		uint64_t shared = FVC_FVID | (evnt == 5 ? FVC_BCMD : FVC_RESP);

		mask |= shared;
		value |= c->sub & shared;
	}
	if (c->raw && c->sub & FVC_PBOX_INIT_ERR) {
		mask |= FVC_PBOX_INIT_ERR;
		value |= FVC_PBOX_INIT_ERR;
	}
	choice->select = (c->ctl & ~CTL_INC_SEL) | ipmu_bits_put(CTL_INC_SEL, INC_FVC + k);
	value = fvc_layout(fvc, value);
	mask = fvc_layout(fvc, mask);
	if (fvc == &ipmu_nhmex_fvc_wsm && mask & FVC_WSM_FVID)
		mask |= FVC_WSM_FVID;	/* libpfm4 gives no sixth bit of fvid: it is 0 */
	choice->extra[choice->nextra++] = (struct ipmu_extra_reg){
		.reg = fvc, .mask = mask, .value = value,
	};
}

/* The four FVC events count the same, so each can stand for another; first comes the one named. Raw
 * fields are taken as they are written. */
static void fvc_choices(struct ipmu_event *e, const struct code *c, const struct ipmu_reg *fvc)
{
	const struct ipmu_choice base = e->choices[0];

	e->nchoices = c->raw ? 1 : 4;
	for (int i = 0; i < e->nchoices; i++) {
		e->choices[i] = base;
		fvc_choice(&e->choices[i], c, fvc, (c->inc_sel - INC_FVC + (unsigned)i) % 4);
	}
}

static int add_extra_regs(struct ipmu_event *e, const struct code *c, const struct ipmu_reg *fvc,
		     char *why)
{
	const struct sub *second = c->flag ? &flag_subs[c->set_flag_sel] : NULL;
	bool first = !c->flag || c->inc_sel;
	bool first_has = first && (inc_subs[c->inc_sel].reg || uses_pld(c->inc_sel) ||
				   is_fvc(c->inc_sel));
	int rc = 0;

	if (second && second->reg && first_has)
		return ipmu_fail(why, -EINVAL, "%s: inc_sel=%u and set_flag_sel=%u both need a "
				 "sub-control register, and a name can give one", c->event,
				 c->inc_sel, c->set_flag_sel);
	if (second && second->reg)
		return add_extra(&e->choices[0], second, c->sub & 0xFFFFFFFF, why);
	if (first_has && is_fvc(c->inc_sel))
		fvc_choices(e, c, fvc);
	else if (first_has)
		rc = add_inc_extra(&e->choices[0], c, why);
	return rc;
}

/* Freeze all counters of the package, also those of other boxes, after N events. The guide's page
 * 2-101 says to load (2^48 - 1) - N, its section 2.1.2 says 2^48 - N. The overflow is a carry out
 * of bit 47. It comes with the Nth event after 2^48 - N, and one event later after the other value.
 * No silicon was there to try it. 2^48 - N is loaded, because the name promises N events. */
static int add_freeze(struct ipmu_choice *choice, const struct code *c, char *why)
{
	if (choice->direction != IPMU_UP || !(c->ctl & CTL_WRAP))
		return ipmu_fail(why, -EINVAL, "%s: freeze= needs a counter that counts up and "
				 "wraps: remove count_mode and wrap_mode", c->event);
	choice->select |= CTL_PMI_EN;
	choice->preset_value = CNT_EVENT_COUNT + 1 - c->freeze;
	return 0;
}

/* A PMI is sent to the U-Box, which needs no core to freeze; nobody handles it on a core. */
void ipmu_nhmex_keep_from_cores(struct ipmu_choice *choice, bool freeze)
{
	choice->extra[choice->nextra++] = (struct ipmu_extra_reg){
		.reg = &ipmu_nhmex_u_ctl,
		.mask = U_PMI_CORE_SEL | U_RST_ALL | (freeze ? U_FRZ_ALL : 0),
		.value = freeze ? U_FRZ_ALL : 0,
	};
}

/* A counter that must not wrap, or whose overflow does something, starts from a known value and
 * with its flag cleared. */
static int add_preset(struct ipmu_choice *choice, const struct code *c, char *why)
{
	choice->preset = c->freeze || c->ctl & CTL_PMI_EN || !(c->ctl & CTL_WRAP);
	choice->preset_value = choice->direction == IPMU_DOWN ? CNT_EVENT_COUNT : 0;
	if (c->freeze || c->ctl & CTL_PMI_EN)
		ipmu_nhmex_keep_from_cores(choice, c->freeze);
	return c->freeze ? add_freeze(choice, c, why) : 0;
}

static int nhmex_encode(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
			const uint64_t *codes, int ncodes, const struct ipmu_reg *fvc, char *why)
{
	struct code c = {
		.event = event, .ctl = codes[0], .sub = ncodes > 1 ? codes[1] : 0,
		.inc_sel = (unsigned)ipmu_bits_get(CTL_INC_SEL, codes[0]),
		.set_flag_sel = (unsigned)ipmu_bits_get(CTL_SET_FLAG_SEL, codes[0]),
		.flag = codes[0] & CTL_FLAG, .raw = strcasecmp(event, "RAW") == 0,
	};
	struct ipmu_choice *choice = &e->choices[0];
	int rc = ipmu_period(e->type, event, q, "freeze", &c.freeze, why);

	if (rc)
		return rc;
	e->nchoices = 1;
	choice->counters = (1 << IPMU_NHMEX_COUNTERS) - 1;
	/* Table 2-67 numbers the modes as enum ipmu_direction does. */
	choice->direction = (uint8_t)ipmu_bits_get(CTL_COUNT_MODE, c.ctl);
	c.ctl &= ipmu_reg_event_bits(e->type->select);
	choice->select = c.ctl;
	rc = add_preset(choice, &c, why);
	if (c.freeze)
		c.ctl |= CTL_PMI_EN;
	return rc ? rc : add_extra_regs(e, &c, fvc, why);
}

int ipmu_nhmex_encode_nhm(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
			  const uint64_t *codes, int ncodes, char *why)
{
	return nhmex_encode(e, event, q, codes, ncodes, &ipmu_nhmex_fvc_nhm, why);
}

int ipmu_nhmex_encode_wsm(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
			  const uint64_t *codes, int ncodes, char *why)
{
	return nhmex_encode(e, event, q, codes, ncodes, &ipmu_nhmex_fvc_wsm, why);
}

/* ---- raw fields that have no effect with the others */

/* Sub-control registers by libpfm4's names, and the selects that use them. */
static const struct raw_sub {
	const char *key;
	const struct ipmu_reg *reg;	/* NULL: one of the layouts of ZDP_CTL_FVC */
	const char *users;
} raw_subs[] = {
	{ "dsp", &ipmu_nhmex_dsp, "inc_sel=0x00 and set_flag_sel=0" },
	{ "thr", &ipmu_nhmex_msc_thr, "inc_sel=0x04 and 0x05" },
	{ "fvc", NULL, "inc_sel=0x0d to 0x10" },
	{ "pgt", &ipmu_nhmex_pgt, "inc_sel=0x16 and set_flag_sel=5" },
	{ "map", &ipmu_nhmex_map, "set_flag_sel=6" },
	{ "iss", &ipmu_nhmex_iss, "inc_sel=0x09, 0x0a and set_flag_sel=1" },
	{ "pld", &ipmu_nhmex_pld, "inc_sel=0x0a and 0x0b" },
};

/* The number of a field, or `otherwise` if the name does not say it. As for libpfm4, a key alone
 * and "y" say 1. */
static uint64_t said(const struct ipmu_qualifiers *q, const char *key, uint64_t otherwise)
{
	for (int i = 0; i < q->n; i++) {
		const char *value = q->list[i].value;

		if (ipmu_qualifier_is(&q->list[i], key))
			return !value || strspn(value, "yYtT") ? 1 : strtoull(value, NULL, 0);
	}
	return otherwise;
}

static bool uses(const struct raw_sub *sub, uint64_t inc_sel, uint64_t set_flag_sel)
{
	if (set_flag_sel < 8 && sub->reg && flag_subs[set_flag_sel].reg == sub->reg)
		return true;
	if (inc_sel >= 32)
		return false;
	return sub->reg == &ipmu_nhmex_pld ? uses_pld((unsigned)inc_sel) :
	       sub->reg ? inc_subs[inc_sel].reg == sub->reg : is_fvc((unsigned)inc_sel);
}

int ipmu_nhmex_check(const struct ipmu_pmu_type *type, const char *event,
		     const struct ipmu_qualifiers *q, char *why)
{
	uint64_t inc_sel = said(q, "inc_sel", UNSAID);
	uint64_t set_flag_sel = said(q, "set_flag_sel", UNSAID);
	bool flag = said(q, "flag_mode", set_flag_sel != UNSAID);

	if (strcasecmp(event, "RAW") != 0)
		return 0;
	if (!flag && set_flag_sel != UNSAID)
		return ipmu_fail(why, -EINVAL, "%s.RAW: set_flag_sel selects nothing with "
				 "flag_mode=0 (guide Table 2-67): remove one of them", type->name);
	if (!flag && said(q, "storage_mode", 0))
		return ipmu_fail(why, -EINVAL, "%s.RAW: storage_mode counts while a flag is set, "
				 "and without flag_mode nothing sets one (guide Table 2-67): add "
				 "set_flag_sel=N", type->name);
	if (flag && set_flag_sel == UNSAID)
		set_flag_sel = 0;
	for (size_t i = 0; i < sizeof(raw_subs) / sizeof(raw_subs[0]); i++)
		if (said(q, raw_subs[i].key, UNSAID) != UNSAID &&
		    !uses(&raw_subs[i], inc_sel, set_flag_sel))
			return ipmu_fail(why, -EINVAL, "%s.RAW: %s= is the setting of %s: this "
					 "name selects none of them", type->name, raw_subs[i].key,
					 raw_subs[i].users);
	return 0;
}

/* Unit of a raw event: clocks of a condition, all clocks, or the type's own unit where no document
 * names the count. */
const char *ipmu_nhmex_units(const struct ipmu_event *e, const char *event, const char *plain)
{
	uint64_t ctl = e->choices[0].select;
	bool storage = ctl & CTL_STORAGE;

	if (strcasecmp(event, "RAW") != 0)
		return plain;
	return (ctl & CTL_FLAG && !storage) || ipmu_bits_get(CTL_INC_SEL, ctl) == INC_CYCLES ?
	       "clocks" : e->type->units;
}
