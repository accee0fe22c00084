/* SPDX-License-Identifier: MIT */
/*
 * pfmlib_intel_nhmex_mbox.c : Intel Xeon 7500 (Nehalem-EX) and E7 (Westmere-EX)
 *                             memory controller uncore PMUs
 *
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 *
 * Registers and events: Intel 323535-001 (March 2010), Tables 2-67 and 2-84.
 *
 * The control register has nothing of the layout that the shared x86 encoder
 * works on, hence an encoder of its own. Many events need a value in another
 * register, the sub-control register, which goes into the second code.
 */
#include <sys/types.h>
#include <stdlib.h>

/* private headers */
#include "pfmlib_priv.h"
#include "pfmlib_intel_x86_priv.h"

#ifdef __linux__
#include "pfmlib_perf_event_priv.h"
#endif

/* positions 0 and 1 are taken by the privilege levels of other Intel PMUs */
enum {
	NHMEX_MBOX_ATTR_INC_SEL = 2,
	NHMEX_MBOX_ATTR_SET_FLAG_SEL,
	NHMEX_MBOX_ATTR_FLAG_MODE,
	NHMEX_MBOX_ATTR_COUNT_MODE,
	NHMEX_MBOX_ATTR_STORAGE_MODE,
	NHMEX_MBOX_ATTR_WRAP_MODE,
	NHMEX_MBOX_ATTR_PMI_EN,
	NHMEX_MBOX_ATTR_FVID,
	NHMEX_MBOX_ATTR_DSP,
	NHMEX_MBOX_ATTR_THR,
	NHMEX_MBOX_ATTR_FVC,
	NHMEX_MBOX_ATTR_PGT,
	NHMEX_MBOX_ATTR_MAP,
	NHMEX_MBOX_ATTR_ISS,
	NHMEX_MBOX_ATTR_PLD,
	NHMEX_MBOX_ATTR_MAX
};

#define NHMEX_MBOX_BIT(a)	(1U << NHMEX_MBOX_ATTR_##a)
#define NHMEX_MBOX_ATTRS \
	(NHMEX_MBOX_BIT(COUNT_MODE) | NHMEX_MBOX_BIT(STORAGE_MODE) | \
	 NHMEX_MBOX_BIT(WRAP_MODE) | NHMEX_MBOX_BIT(PMI_EN))
#define NHMEX_MBOX_FVID_ATTRS	(NHMEX_MBOX_ATTRS | NHMEX_MBOX_BIT(FVID))
#define NHMEX_MBOX_SUB_ATTRS \
	(NHMEX_MBOX_BIT(DSP) | NHMEX_MBOX_BIT(THR) | NHMEX_MBOX_BIT(FVC) | \
	 NHMEX_MBOX_BIT(PGT) | NHMEX_MBOX_BIT(MAP) | NHMEX_MBOX_BIT(ISS) | NHMEX_MBOX_BIT(PLD))
#define NHMEX_MBOX_RAW_ATTRS \
	(NHMEX_MBOX_ATTRS | NHMEX_MBOX_SUB_ATTRS | NHMEX_MBOX_BIT(INC_SEL) | \
	 NHMEX_MBOX_BIT(SET_FLAG_SEL) | NHMEX_MBOX_BIT(FLAG_MODE))

#define NHMEX_MBOX_UNCONFIRMED	0x1 /* one source, and not Intel */
#define NHMEX_MBOX_RAW		0x2 /* all fields come from modifiers */

typedef struct {
	const char	*uname;
	const char	*udesc;
	uint64_t	sub;	/* sub-control value, with PLD in the upper half */
	unsigned int	evnt;	/* FVC only: its event field */
	unsigned int	flags;
} nhmex_mbox_umask_t;

typedef struct {
	const char			*name;
	const char			*desc;
	unsigned int			inc_sel;
	unsigned int			flag;	/* it is set_flag_sel that selects */
	unsigned int			set_flag_sel;
	unsigned int			modmsk;
	unsigned int			flags;
	unsigned int			numasks;
	const nhmex_mbox_umask_t	*umasks;
} nhmex_mbox_entry_t;

#include "events/intel_nhmex_mbox_events.h"

#define NHMEX_MBOX_NUM_EVENTS	((int)LIBPFM_ARRAY_SIZE(intel_nhmex_mbox_pe))

#define NHMEX_MBOX_FVC_FIRST	0x0d /* inc_sel of FVC_EV0 */
#define NHMEX_MBOX_FVC_LAST	0x10
#define NHMEX_MBOX_CYCLES	0x1b

static const pfmlib_attr_desc_t nhmex_mbox_mods[]={
	PFM_ATTR_SKIP,
	PFM_ATTR_SKIP,
	[NHMEX_MBOX_ATTR_INC_SEL] = PFM_ATTR_I("inc_sel", "primary event select [0-31]"),
	[NHMEX_MBOX_ATTR_SET_FLAG_SEL] = PFM_ATTR_I("set_flag_sel", "secondary event select, sets the count enable flag [0-7]"),
	[NHMEX_MBOX_ATTR_FLAG_MODE] = PFM_ATTR_B("flag_mode", "conditional counting with set_flag_sel"),
	[NHMEX_MBOX_ATTR_COUNT_MODE] = PFM_ATTR_I("count_mode", "0 up, 1 down, 2 up and down [0-2]"),
	[NHMEX_MBOX_ATTR_STORAGE_MODE] = PFM_ATTR_I("storage_mode", "1: count only while the count enable flag is set [0-1]"),
	[NHMEX_MBOX_ATTR_WRAP_MODE] = PFM_ATTR_B("wrap_mode", "go on after an overflow, as by default"),
	[NHMEX_MBOX_ATTR_PMI_EN] = PFM_ATTR_B("pmi_en", "tell the U-Box of an overflow"),
	[NHMEX_MBOX_ATTR_FVID] = PFM_ATTR_I("fvid", "fill-victim index [0-31]"),
	[NHMEX_MBOX_ATTR_DSP] = PFM_ATTR_I("dsp", "value of the sub-control register DSP"),
	[NHMEX_MBOX_ATTR_THR] = PFM_ATTR_I("thr", "value of the sub-control register MSC_THR"),
	[NHMEX_MBOX_ATTR_FVC] = PFM_ATTR_I("fvc", "value of the sub-control register ZDP_CTL_FVC, layout of the Xeon 7500"),
	[NHMEX_MBOX_ATTR_PGT] = PFM_ATTR_I("pgt", "value of the sub-control register PGT"),
	[NHMEX_MBOX_ATTR_MAP] = PFM_ATTR_I("map", "value of the sub-control register MAP"),
	[NHMEX_MBOX_ATTR_ISS] = PFM_ATTR_I("iss", "value of the sub-control register ISS"),
	[NHMEX_MBOX_ATTR_PLD] = PFM_ATTR_I("pld", "value of the sub-control register PLD"),
	PFM_ATTR_NULL
};

/* largest value; Table 2-67 leaves count_mode 3 and storage_mode 2 and 3 undefined */
static const uint64_t nhmex_mbox_max[NHMEX_MBOX_ATTR_MAX]={
	[NHMEX_MBOX_ATTR_INC_SEL]	= 31,
	[NHMEX_MBOX_ATTR_SET_FLAG_SEL]	= 7,
	[NHMEX_MBOX_ATTR_FLAG_MODE]	= 1,
	[NHMEX_MBOX_ATTR_COUNT_MODE]	= 2,
	[NHMEX_MBOX_ATTR_STORAGE_MODE]	= 1,
	[NHMEX_MBOX_ATTR_WRAP_MODE]	= 1,
	[NHMEX_MBOX_ATTR_PMI_EN]	= 1,
	[NHMEX_MBOX_ATTR_FVID]		= 31,
	[NHMEX_MBOX_ATTR_DSP]		= 0xffffffff,
	[NHMEX_MBOX_ATTR_THR]		= 0xffffffff,
	[NHMEX_MBOX_ATTR_FVC]		= 0xffffff,
	[NHMEX_MBOX_ATTR_PGT]		= 0xffffffff,
	[NHMEX_MBOX_ATTR_MAP]		= 0xffffffff,
	[NHMEX_MBOX_ATTR_ISS]		= 0xffffffff,
	[NHMEX_MBOX_ATTR_PLD]		= 0xffffffff,
};

/* sub-control registers by inc_sel and by set_flag_sel, as sets of modifiers */
static const unsigned int nhmex_mbox_inc_subs[32]={
	[0x00] = NHMEX_MBOX_BIT(DSP),
	[0x04] = NHMEX_MBOX_BIT(THR),
	[0x05] = NHMEX_MBOX_BIT(THR),
	[0x09] = NHMEX_MBOX_BIT(ISS),
	[0x0a] = NHMEX_MBOX_BIT(ISS) | NHMEX_MBOX_BIT(PLD),
	[0x0b] = NHMEX_MBOX_BIT(PLD),
	[0x0d] = NHMEX_MBOX_BIT(FVC),
	[0x0e] = NHMEX_MBOX_BIT(FVC),
	[0x0f] = NHMEX_MBOX_BIT(FVC),
	[0x10] = NHMEX_MBOX_BIT(FVC),
	[0x16] = NHMEX_MBOX_BIT(PGT),
};

static const unsigned int nhmex_mbox_flag_subs[8]={
	[0] = NHMEX_MBOX_BIT(DSP),
	[1] = NHMEX_MBOX_BIT(ISS),
	[5] = NHMEX_MBOX_BIT(PGT),
	[6] = NHMEX_MBOX_BIT(MAP),
};

static const int nhmex_mbox_models[] = {
	0x2e, /* Xeon 7500, 6500 */
	0x2f, /* Xeon E7 */
	0
};

static int
nhmex_mbox_want_unconfirmed(void)
{
	static int want = -1;

	if (want == -1)
		want = getenv("LIBPFM_NHMEX_UNCONFIRMED") != NULL;
	return want;
}

static int
nhmex_mbox_shown(unsigned int flags)
{
	return !(flags & NHMEX_MBOX_UNCONFIRMED) || nhmex_mbox_want_unconfirmed();
}

static int
nhmex_mbox_get_event_next(void *this, int idx)
{
	while (++idx < NHMEX_MBOX_NUM_EVENTS)
		if (nhmex_mbox_shown(intel_nhmex_mbox_pe[idx].flags))
			return idx;
	return -1;
}

static int
nhmex_mbox_get_event_first(void *this)
{
	return nhmex_mbox_get_event_next(this, -1);
}

static int
nhmex_mbox_event_is_valid(void *this, int idx)
{
	return idx >= 0 && idx < NHMEX_MBOX_NUM_EVENTS
	       && nhmex_mbox_shown(intel_nhmex_mbox_pe[idx].flags);
}

static int
nhmex_mbox_get_num_events(void *this)
{
	int i, n = 0;

	for (i = 0; i < NHMEX_MBOX_NUM_EVENTS; i++)
		n += nhmex_mbox_event_is_valid(this, i);
	return n;
}

/* the umask that is shown as number n, -1 after the last; *count: how many there are */
static int
nhmex_mbox_nth_umask(const nhmex_mbox_entry_t *ent, int n, int *count)
{
	unsigned int i;
	int found = -1;

	*count = 0;
	for (i = 0; i < ent->numasks; i++) {
		if (!nhmex_mbox_shown(ent->umasks[i].flags))
			continue;
		if ((*count)++ == n)
			found = i;
	}
	return found;
}

static unsigned int
nhmex_mbox_get_event_nattrs(void *this, int pidx)
{
	const nhmex_mbox_entry_t *ent = &intel_nhmex_mbox_pe[pidx];
	int count;

	nhmex_mbox_nth_umask(ent, 0, &count);
	return count + pfmlib_popcnt(ent->modmsk);
}

static int
nhmex_mbox_get_event_info(void *this, int pidx, pfm_event_info_t *info)
{
	const nhmex_mbox_entry_t *ent = &intel_nhmex_mbox_pe[pidx];
	pfmlib_pmu_t *pmu = this;

	info->name   = ent->name;
	info->desc   = ent->desc;
	info->code   = ent->flag << 7 | ent->inc_sel << 9 | ent->set_flag_sel << 19;
	info->equiv  = NULL;
	info->idx    = pidx;
	info->pmu    = pmu->pmu;
	info->is_precise = 0;
	info->support_hw_smpl = 0;
	info->nattrs = nhmex_mbox_get_event_nattrs(this, pidx);

	return PFM_SUCCESS;
}

static void
nhmex_mbox_umask_info(const nhmex_mbox_umask_t *um, int idx, pfmlib_event_attr_info_t *info)
{
	info->name = um->uname;
	info->desc = um->udesc;
	info->code = um->sub;
	info->type = PFM_ATTR_UMASK;
	info->idx  = idx;
}

static int
nhmex_mbox_mod_info(const nhmex_mbox_entry_t *ent, int n, pfmlib_event_attr_info_t *info)
{
	size_t i;

	pfmlib_for_each_bit(i, ent->modmsk) {
		if (n-- > 0)
			continue;
		info->name = nhmex_mbox_mods[i].name;
		info->desc = nhmex_mbox_mods[i].desc;
		info->code = i;
		info->type = nhmex_mbox_mods[i].type;
		info->idx  = i;
		info->dfl_val64 = i == NHMEX_MBOX_ATTR_WRAP_MODE;
		return PFM_SUCCESS;
	}
	return PFM_ERR_INVAL;
}

static int
nhmex_mbox_get_event_attr_info(void *this, int pidx, int attr_idx, pfmlib_event_attr_info_t *info)
{
	const nhmex_mbox_entry_t *ent = &intel_nhmex_mbox_pe[pidx];
	int count, um;

	um = nhmex_mbox_nth_umask(ent, attr_idx, &count);

	info->ctrl = PFM_ATTR_CTRL_PMU;
	info->equiv = NULL;
	info->is_dfl = 0;
	info->is_precise = 0;
	info->is_speculative = PFM_EVENT_INFO_SPEC_NA;
	info->support_hw_smpl = 0;
	info->dfl_val64 = 0;

	if (um < 0)
		return nhmex_mbox_mod_info(ent, attr_idx - count, info);
	nhmex_mbox_umask_info(&ent->umasks[um], um, info);
	return PFM_SUCCESS;
}

/* what was asked for: the unit mask, and the values of the modifiers */
typedef struct {
	const nhmex_mbox_umask_t *um;
	unsigned int set;	/* modifiers that were given */
	uint64_t val[NHMEX_MBOX_ATTR_MAX];
} nhmex_mbox_request_t;

static int
nhmex_mbox_parse(pfmlib_event_desc_t *e, const nhmex_mbox_entry_t *ent, nhmex_mbox_request_t *r)
{
	const pfmlib_event_attr_info_t *a;
	int k;

	memset(r, 0, sizeof(*r));
	r->val[NHMEX_MBOX_ATTR_WRAP_MODE] = 1;

	for (k = 0; k < e->nattrs; k++) {
		a = attr(e, k);
		if (a->ctrl != PFM_ATTR_CTRL_PMU)
			continue;
		if (a->type == PFM_ATTR_UMASK) {
			if (r->um)
				return PFM_ERR_FEATCOMB;
			r->um = &ent->umasks[a->idx];
			continue;
		}
		if (e->attrs[k].ival > nhmex_mbox_max[a->idx])
			return PFM_ERR_ATTR_VAL;
		r->val[a->idx] = e->attrs[k].ival;
		r->set |= 1U << a->idx;
	}
	return ent->numasks && !r->um ? PFM_ERR_UMASK : PFM_SUCCESS;
}

/* set_flag_sel goes with flag_mode; without any select the clocks are counted */
static void
nhmex_mbox_raw_defaults(nhmex_mbox_request_t *r)
{
	if ((r->set & NHMEX_MBOX_BIT(SET_FLAG_SEL)) && !(r->set & NHMEX_MBOX_BIT(FLAG_MODE)))
		r->val[NHMEX_MBOX_ATTR_FLAG_MODE] = 1;
	if (!(r->set & NHMEX_MBOX_BIT(INC_SEL)) && !r->val[NHMEX_MBOX_ATTR_FLAG_MODE])
		r->val[NHMEX_MBOX_ATTR_INC_SEL] = NHMEX_MBOX_CYCLES;
}

/* the sub-control registers of the event: the secondary's, or else the primary's */
static unsigned int
nhmex_mbox_subs(const nhmex_mbox_request_t *r)
{
	unsigned int subs = 0;

	if (r->val[NHMEX_MBOX_ATTR_FLAG_MODE]) {
		subs = nhmex_mbox_flag_subs[r->val[NHMEX_MBOX_ATTR_SET_FLAG_SEL]];
		/* inc_sel 0 beside a secondary event means that there is no primary one */
		if (!r->val[NHMEX_MBOX_ATTR_INC_SEL])
			return subs;
	}
	return subs ? subs : nhmex_mbox_inc_subs[r->val[NHMEX_MBOX_ATTR_INC_SEL]];
}

static int
nhmex_mbox_sub_value(const nhmex_mbox_entry_t *ent, const nhmex_mbox_request_t *r,
		     unsigned int subs, uint64_t *value)
{
	size_t i;

	*value = r->val[NHMEX_MBOX_ATTR_FVID];
	if (r->um) {
		*value |= r->um->sub;
		if (subs & NHMEX_MBOX_BIT(FVC))
			*value |= (uint64_t)r->um->evnt
				  << (11 + 3 * (ent->inc_sel - NHMEX_MBOX_FVC_FIRST));
	}
	if (r->set & NHMEX_MBOX_SUB_ATTRS & ~subs)
		return PFM_ERR_FEATCOMB;

	pfmlib_for_each_bit(i, subs)
		*value |= i == NHMEX_MBOX_ATTR_PLD ? r->val[i] << 32 : r->val[i];
	return PFM_SUCCESS;
}

static uint64_t
nhmex_mbox_cnt_ctl(const nhmex_mbox_request_t *r)
{
	return 1 /* en */
	       | r->val[NHMEX_MBOX_ATTR_PMI_EN] << 1
	       | r->val[NHMEX_MBOX_ATTR_COUNT_MODE] << 2
	       | r->val[NHMEX_MBOX_ATTR_STORAGE_MODE] << 4
	       | r->val[NHMEX_MBOX_ATTR_WRAP_MODE] << 6
	       | r->val[NHMEX_MBOX_ATTR_FLAG_MODE] << 7
	       | r->val[NHMEX_MBOX_ATTR_INC_SEL] << 9
	       | r->val[NHMEX_MBOX_ATTR_SET_FLAG_SEL] << 19;
}

static void
nhmex_mbox_print(pfmlib_event_desc_t *e, const nhmex_mbox_entry_t *ent,
		 const nhmex_mbox_request_t *r, unsigned int subs)
{
	size_t i;

	evt_strcat(e->fstr, "%s", ent->name);
	if (r->um)
		evt_strcat(e->fstr, ":%s", r->um->uname);
	pfmlib_for_each_bit(i, ent->modmsk) {
		if ((NHMEX_MBOX_SUB_ATTRS & 1U << i) && !(subs & 1U << i))
			continue;
		evt_strcat(e->fstr, i < NHMEX_MBOX_ATTR_DSP ? ":%s=%"PRIu64 : ":%s=0x%"PRIx64,
			   nhmex_mbox_mods[i].name, r->val[i]);
	}
}

static int
nhmex_mbox_get_encoding(void *this, pfmlib_event_desc_t *e)
{
	const nhmex_mbox_entry_t *ent = &intel_nhmex_mbox_pe[e->event];
	nhmex_mbox_request_t r;
	unsigned int subs;
	uint64_t sub;
	int ret;

	e->fstr[0] = '\0';
	ret = nhmex_mbox_parse(e, ent, &r);
	if (ret != PFM_SUCCESS)
		return ret;

	if (ent->flags & NHMEX_MBOX_RAW) {
		nhmex_mbox_raw_defaults(&r);
	} else {
		r.val[NHMEX_MBOX_ATTR_INC_SEL] = ent->inc_sel;
		r.val[NHMEX_MBOX_ATTR_FLAG_MODE] = ent->flag;
		r.val[NHMEX_MBOX_ATTR_SET_FLAG_SEL] = ent->set_flag_sel;
	}
	subs = nhmex_mbox_subs(&r);
	ret = nhmex_mbox_sub_value(ent, &r, subs, &sub);
	if (ret != PFM_SUCCESS)
		return ret;

	e->codes[0] = nhmex_mbox_cnt_ctl(&r);
	e->codes[1] = sub;
	e->count = subs ? 2 : 1;
	nhmex_mbox_print(e, ent, &r, subs);

	__pfm_vbprintf("[CNT_CTL=0x%"PRIx64" sub-control=0x%"PRIx64"] %s\n",
		       e->codes[0], subs ? sub : 0, e->fstr);

	return PFM_SUCCESS;
}

static int
nhmex_mbox_validate_umasks(const nhmex_mbox_entry_t *ent, FILE *fp)
{
	unsigned int i, j;
	int error = 0;

	for (i = 0; i < ent->numasks; i++) {
		const nhmex_mbox_umask_t *um = &ent->umasks[i];

		if (!um->uname || !um->udesc || !*um->udesc) {
			fprintf(fp, "event %s umask%u :: no name or description\n", ent->name, i);
			error++;
			continue;
		}
		for (j = 0; j < i; j++) {
			if (strcasecmp(um->uname, ent->umasks[j].uname))
				continue;
			fprintf(fp, "event %s umask %s :: stands there twice\n", ent->name, um->uname);
			error++;
		}
	}
	return error;
}

static int
nhmex_mbox_validate_table(void *this, FILE *fp)
{
	const nhmex_mbox_entry_t *pe = intel_nhmex_mbox_pe;
	int i, j, error = 0;

	for (i = 0; i < NHMEX_MBOX_NUM_EVENTS; i++) {
		if (!pe[i].name || !pe[i].desc || !*pe[i].desc) {
			fprintf(fp, "event%d :: no name or description\n", i);
			error++;
			continue;
		}
		if (pe[i].inc_sel > 31 || pe[i].set_flag_sel > 7 || (pe[i].flag && pe[i].inc_sel)) {
			fprintf(fp, "event %s :: no such code\n", pe[i].name);
			error++;
		}
		for (j = 0; j < i; j++) {
			if (pe[i].flag != pe[j].flag || pe[i].inc_sel != pe[j].inc_sel
			    || pe[i].set_flag_sel != pe[j].set_flag_sel
			    || ((pe[i].flags | pe[j].flags) & NHMEX_MBOX_RAW))
				continue;
			fprintf(fp, "events %s and %s :: same code\n", pe[i].name, pe[j].name);
			error++;
		}
		error += nhmex_mbox_validate_umasks(&pe[i], fp);
	}
	return error ? PFM_ERR_INVAL : PFM_SUCCESS;
}

#ifdef __linux__
#define NHMEX_MBOX_CTL_FLAG	(1 << 7)
#define NHMEX_MBOX_CTL_PMI	(1 << 1)
#define NHMEX_MBOX_CTL_EN	(1 << 0)

/* one more bit of fvid on the E7: the other fields of ZDP_CTL_FVC stand one higher */
static uint64_t
nhmex_mbox_fvc_of_e7(uint64_t fvc)
{
	return (fvc & 0x1f) | (fvc & ~0x1full) << 1;
}

/*
 * The kernel has the fields of CNT_CTL in config, the sub-control register in
 * the lower half of config1 and PLD in the upper half. It sets the enable bit
 * itself and never lets an overflow out; it knows the sub-control register of
 * the secondary event only, where there is one.
 */
static int
nhmex_mbox_get_perf_encoding(void *this, pfmlib_event_desc_t *e)
{
	struct perf_event_attr *pattr = e->os_data;
	unsigned int inc_sel;
	int ret;

	ret = pfm_intel_nhm_unc_get_perf_encoding(this, e);
	if (ret != PFM_SUCCESS)
		return ret;
	if (e->codes[0] & NHMEX_MBOX_CTL_PMI)
		return PFM_ERR_NOTSUPP;

	inc_sel = (e->codes[0] >> 9) & 0x1f;
	if ((e->codes[0] & NHMEX_MBOX_CTL_FLAG) && inc_sel && nhmex_mbox_inc_subs[inc_sel])
		return PFM_ERR_NOTSUPP;

	pattr->config = e->codes[0] & ~(uint64_t)NHMEX_MBOX_CTL_EN;
	pattr->config1 = e->count > 1 ? e->codes[1] : 0;
	if (inc_sel >= NHMEX_MBOX_FVC_FIRST && inc_sel <= NHMEX_MBOX_FVC_LAST
	    && pfm_intel_x86_cfg.family == 6 && pfm_intel_x86_cfg.model == 0x2f)
		pattr->config1 = nhmex_mbox_fvc_of_e7(pattr->config1);

	return PFM_SUCCESS;
}
#endif /* __linux__ */

#define NHMEX_MBOX(n) \
pfmlib_pmu_t intel_nhmex_unc_mbox##n##_support={ \
	.desc			= "Intel Xeon 7500/E7 M-Box "#n" uncore", \
	.name			= "nhmex_unc_mbox"#n, \
	.perf_name		= "uncore_mbox_"#n, \
	.pmu			= PFM_PMU_INTEL_NHMEX_UNC_MB##n, \
	.pme_count		= LIBPFM_ARRAY_SIZE(intel_nhmex_mbox_pe), \
	.type			= PFM_PMU_TYPE_UNCORE, \
	.num_cntrs		= 6, \
	.num_fixed_cntrs	= 0, \
	.max_encoding		= 2, \
	.pe			= intel_nhmex_mbox_pe, \
	.atdesc			= nhmex_mbox_mods, \
	.flags			= PFMLIB_PMU_FL_NO_SMPL, \
	.cpu_family		= 6, \
	.cpu_models		= nhmex_mbox_models, \
	.pmu_detect		= pfm_intel_x86_model_detect, \
	.get_event_encoding[PFM_OS_NONE] = nhmex_mbox_get_encoding, \
	 PFMLIB_ENCODE_PERF(nhmex_mbox_get_perf_encoding), \
	 PFMLIB_OS_DETECT(pfm_intel_x86_perf_detect), \
	.get_event_first	= nhmex_mbox_get_event_first, \
	.get_event_next		= nhmex_mbox_get_event_next, \
	.event_is_valid		= nhmex_mbox_event_is_valid, \
	.get_num_events		= nhmex_mbox_get_num_events, \
	.validate_table		= nhmex_mbox_validate_table, \
	.get_event_info		= nhmex_mbox_get_event_info, \
	.get_event_attr_info	= nhmex_mbox_get_event_attr_info, \
	 PFMLIB_VALID_PERF_PATTRS(pfm_intel_x86_perf_validate_pattrs), \
	.get_event_nattrs	= nhmex_mbox_get_event_nattrs, \
}

NHMEX_MBOX(0);
NHMEX_MBOX(1);
