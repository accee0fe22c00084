/* SPDX-License-Identifier: MIT */
/* The PMU of a Core 2's cores: three fixed counters (SDM 325384-059 page 18-17) and two general
 * ones (SDM 18.2, 18.4), each 40 bits wide, as on parts with architectural PerfMon version 2.
 *
 * Choices where the documents are silent or say two things:
 *   - Counters hold arbitrary values after reset and INIT, as the page warns; the control registers
 *     are 0 after reset, and INIT leaves them.
 *   - A write of IA32_PMCx takes bits 31:0 and repeats bit 31 above. Bits 63:32 may be zero or the
 *     same repetition; anything else would be lost, and is a violation.
 *   - MSR_PERF_GLOBAL_OVF_CTRL reads as 0: tables list it as read/write.
 *   - No debug store here: IA32_MISC_ENABLE says that BTS and PEBS are unavailable, PEBS_ENABLE
 *     keeps its bit without effect, and bits 62 and 63 of the status never rise.
 *   - IA32_DEBUGCTL bit 12 (SDM 17.4): an overflow that interrupts clears the global enables in
 *     the clock in which it happens; occurrences are evenly spread over the clocks.
 *   - The reference clock has the core's rate.
 *   - Events with AGENT: this agent is the package. With all agents, CORE chooses in this package
 *     only. */
#include "core2_state.h"

#define SDM(where) .cite = "SDM " where
#define CORE(member) .scope = VPMU_CORE, .offset = offsetof(struct core2_core, member)
#define COUNTER_MASK VPMU_BITS(CORE2_WIDTH - 1, 0)
/* Bit 21 is reserved before version 3. */
#define SELECT_MASK (CORE2_CMASK | CORE2_INV | CORE2_EN | CORE2_INT | CORE2_PC | CORE2_E | \
		     CORE2_OS | CORE2_USR | CORE2_UMASK | CORE2_CODE)
#define FIXED_MASK (CORE2_FIXED_FIELDS(0) | CORE2_FIXED_FIELDS(1) | CORE2_FIXED_FIELDS(2))
#define GLOBAL_MASK (CORE2_GLOBAL_FIXED | CORE2_GLOBAL_GENERAL)
#define CLEAR_COND_CHGD_AND_BUFFER VPMU_BITS(63, 62)
#define FREEZE_PERFMON_ON_PMI VPMU_BITS(12, 12)
#define MISC_ENABLE_RESET UINT64_C(0x1880)	/* 7: monitoring; 11, 12: no BTS, no PEBS */

enum { PMC = 0xc1, SELECT = 0x186, OVF_CTRL = 0x390 };

static const struct vpmu_register_row rows[] = {
	{
		.name = "MSR_PERF_FIXED_CTRm", .cite = "325384-059 Table 18-8",
		.access = VPMU_RW, .address = 0x309, .width = CORE2_WIDTH, .mask = COUNTER_MASK,
		CORE(value[CORE2_GENERAL]), .counters = CORE2_FIXED, .counter_stride = 1,
		.counter_bytes = sizeof(uint64_t),
	}, {
		.name = "MSR_PERF_FIXED_CTR_CTRL", .cite = "325384-059 18.4.1",
		.access = VPMU_RW, .address = 0x38d, .width = 64, .mask = FIXED_MASK,
		CORE(fixed_ctrl),
	}, {
		.name = "MSR_PERF_GLOBAL_STATUS", SDM("18.4.2"), .access = VPMU_RO,
		.address = 0x38e, .width = 64, CORE(status),
	}, {
		.name = "MSR_PERF_GLOBAL_CTRL", SDM("18.4.2"), .access = VPMU_RW,
		.address = 0x38f, .width = 64, .mask = GLOBAL_MASK, CORE(global_ctrl),
	}, {
		.name = "MSR_PERF_GLOBAL_OVF_CTRL", SDM("18.4.2"), .access = VPMU_WO,
		.readable = true, .address = OVF_CTRL, .width = 64,
		.mask = GLOBAL_MASK | CLEAR_COND_CHGD_AND_BUFFER, CORE(ovf_ctrl),
	}, {
		.name = "IA32_PMCm", SDM("18.2"), .access = VPMU_RW, .address = PMC,
		.width = CORE2_WIDTH, .mask = UINT32_MAX, .sign_extended = true, CORE(value[0]),
		.counters = CORE2_GENERAL, .counter_stride = 1, .counter_bytes = sizeof(uint64_t),
	}, {
		.name = "IA32_PERFEVTSELm", SDM("18.2.1"), .access = VPMU_RW, .address = SELECT,
		.width = 32, .mask = SELECT_MASK, CORE(select),
		.counters = CORE2_GENERAL, .counter_stride = 1, .counter_bytes = sizeof(uint64_t),
	}, {
		.name = "IA32_PEBS_ENABLE", SDM("18.4.4"), .access = VPMU_RW, .address = 0x3f1,
		.width = 64, .mask = 1, CORE(pebs_enable),
	}, {
		.name = "IA32_MISC_ENABLE", SDM("Table 35-3"), .access = VPMU_RW,
		.address = 0x1a0, .width = 64, CORE(misc_enable),
	}, {
		/* Only the bit that the PMU needs. */
		.name = "IA32_DEBUGCTL", SDM("17.4"), .access = VPMU_RW, .address = 0x1d9,
		.width = 64, .mask = FREEZE_PERFMON_ON_PMI, CORE(debugctl),
	},
};

static struct core2_core *core_of(struct vpmu_segment *s, uint32_t core)
{
	return vpmu_core_state(s, core);
}

static uint32_t core_count(const struct vpmu_machine *m)
{
	return m->packages * m->cores;
}

/* Values that no program writes by chance, different in every counter. */
static void init(struct vpmu_segment *s)
{
	for (uint32_t i = 0; i < core_count(&s->machine); i++)
		for (uint32_t n = 0; n < CORE2_COUNTERS; n++)
			core_of(s, i)->value[n] = (UINT64_C(0x9e3779b97f4a7c15) *
						   (i * CORE2_COUNTERS + n + 1)) >> 24;
}

static void core2_reset(struct vpmu_segment *s)
{
	init(s);
	for (uint32_t i = 0; i < core_count(&s->machine); i++)
		core_of(s, i)->misc_enable = MISC_ENABLE_RESET;
}

/* Occurrences are counted when the feed reports them, so there is nothing to bring up to date. */
static void core2_advance(struct vpmu_segment *s, uint32_t package)
{
	(void)s, (void)package;
}

static void core2_written(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r,
			  uint64_t value)
{
	struct core2_core *c = core_of(s, vpmu_cpu_core(&s->machine, cpu));
	const struct core2_event *e;
	const char *why;

	if (r->row->address == OVF_CTRL)
		c->status &= ~value;
	if (r->row->address != SELECT)
		return;
	c->active[r->counter] = 0;
	e = core2_event_of(r->counter, c->select[r->counter], &why);
	if (e && (e->fields & CORE2_BOOTED) && s->interrupts_told)
		return;
	if ((c->select[r->counter] & CORE2_EN) && why)
		vpmu_record_undriven(s, VPMU_MSR, vpmu_register_address(r),
				     c->select[r->counter] & 0xffff);
}

static const char *core2_undriven(const struct vpmu_undriven *u)
{
	const char *why;

	core2_event_of(u->address - SELECT, u->select, &why);
	return why;
}

/* ---- counting ---- */

static uint64_t status_bit(uint32_t counter)
{
	bool general = counter < CORE2_GENERAL;
	uint64_t bits = general ? CORE2_GLOBAL_GENERAL : CORE2_GLOBAL_FIXED;

	return (bits & -bits) << (general ? counter : counter - CORE2_GENERAL);
}

static void add_general(struct core2_core *c, struct vpmu_stretch *st, enum vpmu_ring ring,
			uint32_t counter, const uint32_t *counts, bool same_core, bool same_package)
{
	uint64_t select = c->select[counter];
	const struct core2_event *e;
	const char *why;

	if (!(select & CORE2_EN) || !(c->global_ctrl & status_bit(counter)) ||
	    !(select & (ring == VPMU_KERNEL ? CORE2_OS : CORE2_USR)))
		return;
	e = core2_event_of(counter, select, &why);
	if (!e || !core2_counts_from(e, select, same_core, same_package))
		return;
	st->lane[st->lanes++] = (struct vpmu_lane){
		.value = &c->value[counter], .active = &c->active[counter],
		.status = status_bit(counter), .interrupts = select & CORE2_INT,
		.filter = { .threshold = VPMU_GET(CORE2_CMASK, select),
			    .invert = select & CORE2_INV, .edge = select & CORE2_E },
		.times = core2_times(e, select, counts, st->clocks),
		.has_stalls = vpmu_sum_has_stalls(e->sum),
	};
}

static void core2_add_fixed(struct core2_core *c, struct vpmu_stretch *st, enum vpmu_ring ring,
		      uint32_t number, uint64_t times)
{
	uint32_t counter = CORE2_GENERAL + number;
	bool here = c->fixed_ctrl & (ring == VPMU_KERNEL ? CORE2_FIXED_OS(number) :
							   CORE2_FIXED_USR(number));

	if (here && (c->global_ctrl & status_bit(counter)))
		st->lane[st->lanes++] = (struct vpmu_lane){
			.value = &c->value[counter], .status = status_bit(counter),
			.interrupts = c->fixed_ctrl & CORE2_FIXED_PMI(number), .times = times,
		};
}

static void core2_take(struct core2_core *c, const struct vpmu_stretch *st)
{
	struct vpmu_overflows over = vpmu_stretch_take(st);

	c->status |= over.status;
	c->interrupts += over.interrupts;
	if (over.interrupts && st->freezes)
		c->global_ctrl = 0;
}

static void core2_core_events(struct vpmu_segment *s, uint32_t cpu, enum vpmu_ring ring,
			      const uint32_t *counts, uint32_t clocks)
{
	const struct vpmu_machine *m = &s->machine;
	uint32_t from = vpmu_cpu_core(m, cpu);

	for (uint32_t i = 0; i < core_count(m); i++) {
		struct core2_core *c = core_of(s, i);
		struct vpmu_stretch st = {
			.clocks = clocks, .stalls = counts[VPMU_STALLS],
			.stall_clocks = counts[VPMU_STALL_CLOCKS], .width = CORE2_WIDTH,
			.freezes = c->debugctl & FREEZE_PERFMON_ON_PMI,
		};

		if (!c->global_ctrl)
			continue;
		for (uint32_t n = 0; n < CORE2_GENERAL; n++)
			add_general(c, &st, ring, n, counts, i == from,
				    i / m->cores == from / m->cores);
		if (i == from) {
			core2_add_fixed(c, &st, ring, 0, counts[VPMU_INSTRUCTIONS]);
			core2_add_fixed(c, &st, ring, 1, clocks);
			core2_add_fixed(c, &st, ring, 2, clocks);
		}
		if (st.lanes)
			core2_take(c, &st);
	}
}

/* Every one of them is delivered: the line to the APIC is not modelled here. */
static uint64_t core2_interrupts(struct vpmu_segment *s, uint32_t cpu)
{
	return core_of(s, vpmu_cpu_core(&s->machine, cpu))->interrupts;
}

/* SDM 18.2: the fixed counters have bit 30. */
static uint32_t core2_rdpmc(const struct vpmu_machine *m, uint32_t index)
{
	uint32_t fixed = index ^ 1u << 30;

	(void)m;
	return index < CORE2_GENERAL ? PMC + index : fixed < CORE2_FIXED ? 0x309 + fixed : 0;
}

const struct vpmu_model_type vpmu_core2 = {
	.machines = "core2",
	.rows = rows,
	.row_count = sizeof(rows) / sizeof(rows[0]),
	.events = &core2_events[0].info,
	.event_count = CORE2_EVENTS,
	.event_stride = sizeof(struct core2_event),
	.core_bytes = sizeof(struct core2_core),
	.rdpmc = core2_rdpmc,
	/* SDM 18.2.1, 18.4: version 2, two counters, all seven events; three fixed ones. */
	.perfmon = { 7u << 24 | CORE2_WIDTH << 16 | CORE2_GENERAL << 8 | 2, 0, 0,
		     CORE2_WIDTH << 5 | CORE2_FIXED },
	.reset = core2_reset,
	.init = init,
	.advance = core2_advance,
	.written = core2_written,
	.interrupts = core2_interrupts,
	.undriven = core2_undriven,
	.core_events = core2_core_events,
};
