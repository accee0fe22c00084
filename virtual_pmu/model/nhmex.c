/* SPDX-License-Identifier: MIT */
/* Xeon 7500 (and E7) uncore: U-Box enables, the two M-Boxes and the C-Boxes, from 323535-001 (March
 * 2010). This file has the registers and the family's type, vpmu_nhmex; nhmex_count.c counts,
 * nhmex_select.c decodes selects, nhmex_cbox.c counts for the C-Boxes. The caller holds the machine
 * lock. Registers change only after all clocks before the write have been counted. */
#include <string.h>

#include "nhmex_state.h"

#define AT(member) .offset = offsetof(struct nhmex_package, member)
#define CTL_FIELDS (CTL_SET_FLAG_SEL | CTL_INC_SEL | CTL_FLAG_MODE | CTL_WRAP_MODE | \
		    CTL_STORAGE_MODE | CTL_COUNT_MODE | CTL_PMI_EN | CTL_EN)
#define U_CTL_FIELDS (NHMEX_FRZ_ALL | NHMEX_RST_ALL | NHMEX_EN_ALL | NHMEX_PMI_CORE_SEL | NHMEX_EN)
/* "ig" bits 63 and 60:25: written without effect, read as 0. The other gaps are "rsv". */
#define CTL_IGNORED UINT64_C(0x9ffffffffe000000)
#define ALL_32 UINT64_C(0xffffffff)

#define BOX_PLACE(stride, member) \
	.boxes = NHMEX_BOXES, .box_stride = stride, AT(box[0].member), \
	.box_bytes = sizeof(struct nhmex_box)
#define BOX(what, at, w, a, m, src, member) { \
	.name = "M#_MSR_" what, .cite = src, .access = a, .address = at, .width = w, .mask = m, \
	BOX_PLACE(0x40, member) }
/* Fields known from third parties only, or not at all: they keep any value. */
#define OPEN_BOX(what, at, m, more, src, member) { \
	.name = "M#_MSR_" what, .cite = src, .access = VPMU_RW, .address = at, .width = 32, \
	.mask = m, .unsourced = more, BOX_PLACE(0x40, member) }
#define FILTER(what, at, m, member) { \
	.name = "M#_MSR_PMU_" what, .cite = SDM, .access = VPMU_RW, .address = at, .width = 64, \
	.mask = m, BOX_PLACE(8, member) }
#define COUNTERS(what, at, w, m, skip, src, member) { \
	.name = "M#_MSR_PMU_CNT_" what "@", .cite = src, .access = VPMU_RW, .address = at, \
	.width = w, .mask = m, .ignored = skip, .counters = NHMEX_COUNTERS, .counter_stride = 2, \
	.counter_bytes = sizeof(uint64_t), BOX_PLACE(0x40, member) }
#define U_BOX(what, at, a, m, more, member) { \
	.name = "U_MSR_PMON_GLOBAL_" what, .cite = "7500 guide 2.1", .access = a, .address = at, \
	.width = 32, .mask = m, .unsourced = more, .unit = "U-Box", AT(member) }
#define SDM "SDM Table 35-15"

/* C-Boxes, by pairs at one distance. The bits of a box's own registers are one for each counter, as
 * in the other boxes. "ig" bits 63, 60:32, 21 and 19 of a select; 17:16 are not known. */
#define SEL_FIELDS (SEL_THRESHOLD | SEL_INVERT | SEL_EN | SEL_PMI_EN | SEL_EDGE | SEL_UMASK | \
		    SEL_EVENT)
#define SEL_IGNORED UINT64_C(0x9fffffff00280000)
#define C_PLACE(first, member) \
	.first_box = first, .boxes = 2, .box_stride = 0x80, .box_name = "C-Box", \
	AT(cbox[0].member), .box_bytes = sizeof(struct nhmex_cbox)
#define C_BOX(what, first, at, a, m, src, member) { \
	.name = "C#_MSR_PMON_GLOBAL_" what, .cite = src, .access = a, .address = at, .width = 32, \
	.mask = m, C_PLACE(first, member) }
#define C_COUNTERS(what, first, at, w, m, skip, src, member) { \
	.name = "C#_MSR_PMON_" what "_@", .cite = src, .access = VPMU_RW, .address = at, \
	.width = w, .mask = m, .ignored = skip, .counters = NHMEX_COUNTERS, .counter_stride = 2, \
	.counter_bytes = sizeof(uint64_t), C_PLACE(first, member) }
#define C_BOXES(first, at, src) \
	C_BOX("CTL", first, at, VPMU_RW, 0x3f, src, global_ctl), \
	C_BOX("STATUS", first, (at) + 1, VPMU_RO, 0, src, status), \
	C_BOX("OVF_CTL", first, (at) + 2, VPMU_WO, 0x3f, src, ovf_ctl), \
	C_COUNTERS("EVT_SEL", first, (at) + 0x10, 64, SEL_FIELDS, SEL_IGNORED, \
		   "7500 guide Table 2-13; " src, sel), \
	C_COUNTERS("CTR", first, (at) + 0x11, NHMEX_WIDTH, NHMEX_CNT_MASK, 0, \
		   "7500 guide 2-15; " src, ctr)

static const struct vpmu_register_row rows[] = {
	U_BOX("CTL", 0xc00, VPMU_RW, U_CTL_FIELDS, 0, u_ctl),
	U_BOX("STATUS", 0xc01, VPMU_RO, 0, 0, u_status),
	U_BOX("OVF_CTL", 0xc02, VPMU_RW, 0, ALL_32, u_ovf_ctl),
	BOX("PERF_GLOBAL_CTL", 0xca0, 32, VPMU_RW, 0x3f, "7500 guide Table 2-64", global_ctl),
	BOX("PERF_GLOBAL_STATUS", 0xca1, 32, VPMU_RO, 0, "7500 guide Table 2-65", status),
	BOX("PERF_GLOBAL_OVF_CTL", 0xca2, 32, VPMU_WO, 0x3f, "7500 guide Table 2-66", ovf_ctl),
	{
		/* Free-running, says the guide; a sub-control, says the SDM: programs write it. */
		.name = "M#_MSR_PMU_TIMESTAMP_UNIT", .cite = "7500 guide 2-101; SDM 18.8.3",
		.access = VPMU_RO, .address = 0xca4, .width = 16, .ignored = 0xffff,
		BOX_PLACE(0x40, timestamp),
	},
	BOX("PMU_DSP", 0xca5, 32, VPMU_RW, DSP_QUEUE, "7500 guide Table 2-85", dsp),
	OPEN_BOX("PMU_ISS", 0xca6, ISS_FRAME, ISS_COMMAND_MODE | ISS_MODE,
		 "7500 guide 2-118; 9:4 from a third party", iss),
	BOX("PMU_MAP", 0xca7, 32, VPMU_RW, MAP_CMD | MAP_FVID, "7500 guide Table 2-93", map),
	OPEN_BOX("PMU_MSC_THR", 0xca8, 0, ALL_32, SDM, msc_thr),
	OPEN_BOX("PMU_PGT", 0xca9, 0, ALL_32, SDM, pgt),
	OPEN_BOX("PMU_PLD", 0xcaa, 0, ALL_32, SDM, pld),
	BOX("PMU_ZDP_CTL_FVC", 0xcab, 32, VPMU_RW, FVC_ABOVE_FVID | FVC_FVID,
	    "7500 guide Table 2-89", fvc),
	COUNTERS("CTL_", 0xcb0, 64, CTL_FIELDS, CTL_IGNORED, "7500 guide Table 2-67", ctl),
	COUNTERS("", 0xcb1, NHMEX_WIDTH, NHMEX_CNT_MASK, 0, "7500 guide Table 2-68", cnt),
	FILTER("MM_CFG", 0xe54, MM_CFG_EN, mm_cfg),
	FILTER("ADDR_MATCH", 0xe55, UINT64_C(0x3ffffffff), addr_match),
	FILTER("ADDR_MASK", 0xe56, 0x7ffffff, addr_mask),
	C_BOXES(0, 0xd00, SDM), C_BOXES(2, 0xd40, SDM), C_BOXES(4, 0xd20, SDM),
	C_BOXES(6, 0xd60, SDM), C_BOXES(8, 0xf40, "SDM Table 35-17"),
	{
		/* The core's, which has no counters here; tools clear it before they count. */
		.name = "IA32_PEBS_ENABLE", .cite = "SDM Figure 18-25", .scope = VPMU_THREAD,
		.access = VPMU_RW, .address = 0x3f1, .width = 64,
		.mask = UINT64_C(0xf0000000f), .offset = offsetof(struct nhmex_thread, pebs_enable),
	},
};

#define WESTMERE_EX 0x2fu
#define FVC_MASK_WESTMERE (FVC_ABOVE_FVID << 1 | FVC_WESTMERE_FVID)

static uint64_t mask(const struct vpmu_machine *m, const struct vpmu_register_row *row)
{
	bool fvc = row->offset == offsetof(struct nhmex_package, box[0].fvc);

	return fvc && m->cpuid_model == WESTMERE_EX ? FVC_MASK_WESTMERE : row->mask;
}

static bool present(const struct vpmu_machine *m, const struct vpmu_register_row *row)
{
	return row->first_box < 8 || m->cpuid_model == WESTMERE_EX;
}

/* rst_all: "clear all uncore counters" (guide 2-3). Selects, enables and overflow bits, which the
 * same page clears in a step of its own, stay; and so does the free-running timestamp. */
static void clear_counters(struct nhmex_package *p)
{
	for (uint32_t i = 0; i < NHMEX_BOXES; i++)
		memset(p->box[i].cnt, 0, sizeof(p->box[i].cnt));
	for (uint32_t i = 0; i < NHMEX_CBOXES; i++)
		memset(p->cbox[i].ctr, 0, sizeof(p->cbox[i].ctr));
}

/* Overflow bits of the boxes behind an S-Box: its M-Box and its C-Boxes. */
static bool overflowed(const struct nhmex_package *p, uint32_t sbox)
{
	uint64_t flags = p->box[sbox].status;

	for (uint32_t i = 0; i < NHMEX_CBOXES; i++)
		flags |= NHMEX_SBOX_OF(i) == sbox ? p->cbox[i].status : 0;
	return flags;
}

/* True when the command cleared a bit that was set. */
static bool clear_status(uint64_t *status, uint64_t command)
{
	bool cleared = *status & command;

	*status &= ~command;
	return cleared;
}

/* The summary goes with the last overflow bit that it stands for (guide 2-3). */
static void clear_overflows(struct nhmex_package *p)
{
	p->u_status &= ~p->u_ovf_ctl;
	p->u_ovf_ctl = 0;
	for (uint32_t sbox = 0; sbox < NHMEX_BOXES; sbox++) {
		bool cleared = clear_status(&p->box[sbox].status, p->box[sbox].ovf_ctl);

		for (uint32_t i = 0; i < NHMEX_CBOXES; i++)
			if (NHMEX_SBOX_OF(i) == sbox)
				cleared |= clear_status(&p->cbox[i].status, p->cbox[i].ovf_ctl);
		if (cleared && !overflowed(p, sbox))
			p->u_status &= ~NHMEX_U_OVERFLOW(sbox);
	}
}

static void reset(struct vpmu_segment *s)
{
	for (uint32_t i = 0; i < s->machine.packages; i++) {
		struct nhmex_package *p = nhmex_package(s, i);

		p->westmere = s->machine.cpuid_model == WESTMERE_EX;
		p->latency[0] = s->machine.memory_clocks;
		p->latency[1] = s->machine.write_clocks;
	}
}

static void nhmex_catch_up(struct vpmu_segment *s, uint32_t package)
{
	nhmex_advance(nhmex_package(s, package), s->uclk[package]);
	nhmex_cbox_apply(nhmex_package(s, package));
}

static void gather(struct vpmu_segment *s, uint32_t package)
{
	nhmex_cbox_apply(nhmex_package(s, package));
}

/* ---- remarks on what is not driven: code, unit mask, row of reasons ---- */

static void remark(struct vpmu_segment *s, const struct nhmex_package *p, uint32_t box)
{
	const struct nhmex_box *b = &p->box[box];

	for (uint32_t i = 0; i < NHMEX_COUNTERS; i++) {
		struct nhmex_source source = nhmex_source(p, b, b->ctl[i]);

		if (nhmex_enabled(p, b, i) && source.why)
			vpmu_record_undriven(s, VPMU_MSR, 0xcb0 + 0x40 * box + 2 * i,
					   source.code | (uint64_t)source.umask << 8 |
					   (uint64_t)source.why << 16);
	}
}

static void remark_cbox(struct vpmu_segment *s, const struct nhmex_package *p, uint32_t box)
{
	static const uint16_t at[NHMEX_CBOXES] = {
		0xd10, 0xd90, 0xd50, 0xdd0, 0xd30, 0xdb0, 0xd70, 0xdf0, 0xf50, 0xfd0,
	};
	const struct nhmex_cbox *b = &p->cbox[box];

	for (uint32_t i = 0; i < NHMEX_COUNTERS; i++) {
		uint64_t why = nhmex_cbox_why(b->sel[i]);

		if (nhmex_cbox_enabled(p, b, i) && why)
			vpmu_record_undriven(s, VPMU_MSR, at[box] + 2 * i,
					     (b->sel[i] & (SEL_EVENT | SEL_UMASK)) | why << 16);
	}
}

static const char *undriven(const struct vpmu_undriven *u)
{
	return nhmex_undriven_why((uint32_t)(u->select >> 16));
}

static void nhmex_written(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r,
		    uint64_t value)
{
	struct nhmex_package *p = nhmex_package(s, vpmu_cpu_package(&s->machine, cpu));

	if (r->row->offset == offsetof(struct nhmex_package, u_ctl) && (value & NHMEX_RST_ALL))
		clear_counters(p);	/* a command: what is written after it stays */
	clear_overflows(p);
	p->frozen = 0;
	nhmex_begin(p);
	nhmex_cbox_apply(p);
	for (uint32_t i = 0; i < NHMEX_BOXES; i++)
		remark(s, p, i);
	for (uint32_t i = 0; i < NHMEX_CBOXES; i++)
		remark_cbox(s, p, i);
}

static void llc_lookup(struct vpmu_segment *s, uint32_t package, uint32_t slice,
		       enum vpmu_request request, enum vpmu_mesi found, uint64_t clock)
{
	nhmex_cbox_lookup(nhmex_package(s, package), slice, request, found, clock);
}

static void bulk(struct vpmu_segment *s, uint32_t package, struct vpmu_bulk *out)
{
	struct nhmex_package *p = nhmex_package(s, package);

	out->llc = &p->llc;
	out->precise = &p->precise;
}

static void memory_command(struct vpmu_segment *s, uint32_t package, uint32_t box, bool write,
			   enum vpmu_page page, uint64_t clock)
{
	static const uint32_t found[] = {
		[VPMU_PAGE_HIT] = NHMEX_HIT, [VPMU_PAGE_EMPTY] = NHMEX_EMPTY,
		[VPMU_PAGE_MISS] = NHMEX_MISS,
	};
	struct nhmex_package *p = nhmex_package(s, package);

	nhmex_command(p, &p->box[box], (write ? NHMEX_WRITE : NHMEX_READ) | found[page], clock);
}

static void clock_reached(struct vpmu_segment *s, uint32_t package, uint64_t clock)
{
	nhmex_advance(nhmex_package(s, package), clock);
}

const struct vpmu_model_type vpmu_nhmex = {
	.machines = "nhmex",
	.rows = rows,
	.row_count = sizeof(rows) / sizeof(rows[0]),
	.events = nhmex_events,
	.event_count = NHMEX_EVENTS,
	.package_bytes = sizeof(struct nhmex_package),
	.thread_bytes = sizeof(struct nhmex_thread),
	.box_name = "M-Box",
	.boxes = NHMEX_BOXES,
	.present = present,
	.mask = mask,
	.reset = reset,
	.advance = nhmex_catch_up,
	.gather = gather,
	.written = nhmex_written,
	.undriven = undriven,
	.undriven_event = nhmex_undriven_event,
	.clock = clock_reached,
	.llc_lookup = llc_lookup,
	.bulk = bulk,
	.memory_command = memory_command,
};
