/* SPDX-License-Identifier: MIT */
/* NetBurst (Pentium 4 and its Xeons), from the SDM, 325384-059: sections 18.15 and 18.16 and Table
 * 18-63. This file has the registers and the family's type, vpmu_netburst; netburst_count.c and the
 * files that it calls do the counting. All but the DS area is one per core, shared by the logical
 * processors. The caller holds the machine lock. */
#include "netburst_state.h"

#define AT(member) .offset = offsetof(struct p4_core, member)
#define ESCR_FIELDS (ESCR_EVENT | ESCR_MASK | ESCR_TAG_VALUE | ESCR_TAG_ENABLE | \
		     ESCR_T0_OS | ESCR_T0_USR | ESCR_T1_OS | ESCR_T1_USR)
#define CCCR_FIELDS (P4_OVF | P4_CASCADE | P4_OVF_PMI_T1 | P4_OVF_PMI_T0 | P4_FORCE_OVF | \
		     P4_EDGE | CCCR_THRESHOLD | P4_COMPLEMENT | P4_COMPARE | CCCR_ACTIVE_THREAD | \
		     CCCR_SELECT | P4_ENABLE)
#define EXTENDED_CCCR_FIELDS (CCCR_FIELDS | P4_EXTENDED)
#define ALL_32 UINT64_C(0xffffffff)
#define MAP "SDM Table 18-63"

#define COUNTERS(group, first, n) { \
	.name = "MSR_" group "_COUNTER@", .cite = MAP, .access = VPMU_RW, .scope = VPMU_CORE, \
	.address = 0x300 + (first), .width = P4_WIDTH, .mask = P4_COUNTER_MASK, .counters = n, \
	.counter_stride = 1, .counter_bytes = sizeof(uint64_t), AT(counter[first]) }
#define CCCRS(group, first) { \
	.name = "MSR_" group "_CCCR@", .cite = MAP, .access = VPMU_RW, .scope = VPMU_CORE, \
	.address = 0x360 + (first), .width = 32, .mask = CCCR_FIELDS, .counters = 4, \
	.counter_stride = 1, .counter_bytes = sizeof(uint64_t), AT(cccr[first]) }
#define IQ_CCCR(n, m) { \
	.name = "MSR_IQ_CCCR" #n, .cite = MAP, .access = VPMU_RW, .scope = VPMU_CORE, \
	.address = 0x36c + (n), .width = 32, .mask = m, AT(cccr[12 + (n)]) }
#define ESCRS(unit, at) { \
	.name = "MSR_" #unit "_ESCR@", .cite = MAP, .access = VPMU_RW, .scope = VPMU_CORE, \
	.address = at, .width = 32, .mask = ESCR_FIELDS, .counters = 2, .counter_stride = 1, \
	.counter_bytes = sizeof(uint64_t), AT(escr[P4_##unit][0]) }
#define ESCR(what, at, unit, side) { \
	.name = "MSR_" what, .cite = MAP, .access = VPMU_RW, .scope = VPMU_CORE, .address = at, \
	.width = 32, .mask = ESCR_FIELDS, AT(escr[P4_##unit][side]) }
#define OTHER(n, at, w, m, more, src, member) { \
	.name = n, .cite = src, .access = VPMU_RW, .scope = VPMU_CORE, .address = at, .width = w, \
	.mask = m, .unsourced = more, AT(member) }

#define MISC_ENABLE_PERFMON VPMU_BITS(7, 7)
#define MISC_ENABLE_BTS_UNAVAILABLE VPMU_BITS(11, 11)

static const struct vpmu_register_row rows[] = {
	COUNTERS("BPU", 0, 4), COUNTERS("MS", 4, 4), COUNTERS("FLAME", 8, 4), COUNTERS("IQ", 12, 6),
	CCCRS("BPU", 0), CCCRS("MS", 4), CCCRS("FLAME", 8),
	IQ_CCCR(0, EXTENDED_CCCR_FIELDS), IQ_CCCR(1, CCCR_FIELDS), IQ_CCCR(2, CCCR_FIELDS),
	IQ_CCCR(3, EXTENDED_CCCR_FIELDS), IQ_CCCR(4, EXTENDED_CCCR_FIELDS),
	IQ_CCCR(5, EXTENDED_CCCR_FIELDS),
	ESCRS(BSU, 0x3a0), ESCRS(FSB, 0x3a2), ESCRS(FIRM, 0x3a4), ESCRS(FLAME, 0x3a6),
	ESCRS(DAC, 0x3a8), ESCRS(MOB, 0x3aa), ESCRS(PMH, 0x3ac), ESCRS(SAAT, 0x3ae),
	ESCRS(U2L, 0x3b0), ESCRS(BPU, 0x3b2), ESCRS(IS, 0x3b4), ESCRS(ITLB, 0x3b6),
	ESCR("CRU_ESCR0", 0x3b8, CRU0, 0), ESCR("CRU_ESCR1", 0x3b9, CRU0, 1),
	ESCRS(IQ, 0x3ba), ESCRS(RAT, 0x3bc),
	ESCR("SSU_ESCR0", 0x3be, SSU, 0),
	ESCRS(MS, 0x3c0), ESCRS(TBPU, 0x3c2), ESCRS(TC, 0x3c4), ESCRS(IX, 0x3c8),
	ESCRS(ALF, 0x3ca),
	ESCR("CRU_ESCR2", 0x3cc, CRU2, 0), ESCR("CRU_ESCR3", 0x3cd, CRU2, 1),
	ESCR("CRU_ESCR4", 0x3e0, CRU4, 0), ESCR("CRU_ESCR5", 0x3e1, CRU4, 1),
	OTHER("MSR_TC_PRECISE_EVENT", 0x3f0, 32, 0, ALL_32, "SDM Table 35-41", tc_precise_event),
	/* Table 35-41 reserves bits 23:13, yet Table 19-33 needs 15 and 16. */
	OTHER("MSR_PEBS_ENABLE", 0x3f1, 64, PEBS_RECORDS | PEBS_UOP_TAG | PEBS_REPLAY,
	      PEBS_MISPREDICTED, "SDM Table 35-41", pebs_enable),
	OTHER("MSR_PEBS_MATRIX_VERT", 0x3f2, 32, VERT_BRANCHES | VERT_STORES | VERT_LOADS, 0,
	      "SDM Table 19-33", pebs_matrix_vert),
	{
		.name = "IA32_DS_AREA", .cite = "SDM Table 35-41", .access = VPMU_RW,
		.scope = VPMU_THREAD, .address = 0x600, .width = 64, .mask = UINT64_MAX,
		.offset = offsetof(struct p4_thread, ds_area),
	},
	/* Nothing of it is for a performance monitor to change. */
	OTHER("IA32_MISC_ENABLE", 0x1a0, 64, 0, 0, "SDM Table 35-41", misc_enable),
};

/* IQ_ESCR0 and 1 are on models 0 to 2 only. */
static bool present(const struct vpmu_machine *m, const struct vpmu_register_row *row)
{
	return row->address != 0x3ba || m->cpuid_model <= 2;
}

/* Extended cascading came with model 2; bits of a second logical processor are reserved without. */
static uint64_t mask(const struct vpmu_machine *m, const struct vpmu_register_row *row)
{
	uint64_t bits = row->mask;

	if (row->mask == EXTENDED_CCCR_FIELDS && m->cpuid_model < 2)
		bits = CCCR_FIELDS;
	if (m->threads < 2 && row->mask == ESCR_FIELDS)
		bits &= ~UINT64_C(3);
	if (m->threads < 2 && (row->mask == CCCR_FIELDS || row->mask == EXTENDED_CCCR_FIELDS))
		bits &= ~P4_OVF_PMI_T1;
	return bits;
}

/* Counters hold anything after power-on. */
static void reset(struct vpmu_segment *s)
{
	for (uint32_t core = 0; core < s->machine.packages * s->machine.cores; core++) {
		struct p4_core *c = vpmu_core_state(s, core);

		c->misc_enable = MISC_ENABLE_PERFMON | MISC_ENABLE_BTS_UNAVAILABLE;
		for (uint32_t i = 0; i < P4_COUNTERS; i++)
			c->counter[i] = c->kept[i] = UINT64_C(0x5a5a5a5a00) + i;
	}
}

static void advance(struct vpmu_segment *s, uint32_t package)
{
	(void)s;
	(void)package;
}

static uint64_t interrupts(struct vpmu_segment *s, uint32_t cpu)
{
	return p4_core(s, cpu)->interrupts[vpmu_cpu_thread(&s->machine, cpu)];
}

void vpmu_netburst_lose_writes(struct vpmu_segment *s, bool on)
{
	for (uint32_t core = 0; core < s->machine.packages * s->machine.cores; core++) {
		struct p4_core *c = vpmu_core_state(s, core);

		c->lossy = on;
		c->written = 0;
	}
}

static void counter_written(struct p4_core *core, uint32_t counter)
{
	uint32_t bit = 1u << counter;

	core->written ^= bit;
	if (core->lossy && (core->written & bit))
		core->counter[counter] = core->kept[counter];
	else
		core->kept[counter] = core->counter[counter];
}

static void written(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r,
		    uint64_t value)
{
	struct p4_core *core = p4_core(s, cpu);
	uint32_t address = vpmu_register_address(r);

	(void)value;
	if (address - 0x300 < P4_COUNTERS)
		counter_written(core, address - 0x300);
	if (address - 0x360 < P4_COUNTERS && !(core->cccr[address - 0x360] & P4_OVF))
		core->due &= ~(1u << (address - 0x360));
	p4_remark(s, core);
}

static void core_events(struct vpmu_segment *s, uint32_t cpu, enum vpmu_ring ring,
			const uint32_t *counts, uint32_t clocks)
{
	struct p4_batch b = {
		.s = s, .core = p4_core(s, cpu), .cpu = cpu,
		.thread = vpmu_cpu_thread(&s->machine, cpu), .clocks = clocks,
		.ring = ring,
	};
	uint64_t any = 0;

	for (uint32_t i = 0; i < P4_COUNTERS; i++)
		any |= b.core->cccr[i];
	if (!(any & P4_ENABLE) && !(any & P4_OVF))
		return;
	for (uint32_t i = 0; i < VPMU_CORE_EVENTS; i++)
		b.count[i] = counts[i];
	p4_count(&b);
}

/* SDM 18.15.2: bit 31 selects the low 32 bits only, which read faster. */
static uint32_t rdpmc(const struct vpmu_machine *m, uint32_t index)
{
	(void)m;
	index &= ~(1u << 31);
	return index < P4_COUNTERS ? 0x300 + index : 0;
}

const struct vpmu_model_type vpmu_netburst = {
	.machines = "p4",
	.rows = rows,
	.row_count = sizeof(rows) / sizeof(rows[0]),
	.events = netburst_events,
	.event_count = NETBURST_EVENTS,
	.core_bytes = sizeof(struct p4_core),
	.thread_bytes = sizeof(struct p4_thread),
	.present = present,
	.mask = mask,
	.rdpmc = rdpmc,
	.reset = reset,
	.interrupts = interrupts,
	.advance = advance,
	.written = written,
	.undriven = p4_undriven_why,
	.undriven_event = p4_undriven_event,
	.core_events = core_events,
};
