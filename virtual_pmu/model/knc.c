/* SPDX-License-Identifier: MIT */
/* Knights Corner core PMU, from 327357-001 (July 2012): two 40-bit counters per hardware thread.
 *
 * Choices where the document is silent or says two things:
 *   - PERF_SPFLT_CONTROL: a counter whose SPFLT Enable bit is 0 ignores the user preference; one
 *     whose bit is 1 counts only while the preference is 1.
 *   - IA32_PERF_GLOBAL_OVF_CTRL is write-only: a read gives 0 and is a violation.
 *   - In user mode all happens at user level: OS alone counts nothing there.
 *   - Threads of a core that count each other (Thread Count Mode) are taken one after the other:
 *     their clocks add up.
 *   - The edge detector watches a counter's event also while the counter is off. Writing the
 *     select starts it as deasserted.
 *   - The interrupt line is up from an overflow of a counter with INT until its status bit has
 *     been cleared; the APIC's own mask bit is not part of the PMU. */
#include "knc_state.h"

#define SRC(table) .cite = "327357-001 Table " table
#define THREAD(member) .scope = VPMU_THREAD, .offset = offsetof(struct knc_thread, member)
#define COUNTER_MASK VPMU_BITS(KNC_WIDTH - 1, 0)
#define SELECT_MASK (KNC_CMASK | KNC_INV | KNC_EN | KNC_ANY_THREAD | KNC_INT | KNC_E | KNC_OS | \
		     KNC_USR | KNC_CODE)
#define USER_PREF VPMU_BITS(63, 63)
#define BOTH VPMU_BITS(KNC_COUNTERS - 1, 0)	/* a bit for each counter, in several registers */

enum { TSC = 0x10, COUNTER = 0x20, SELECT = 0x28, SPFLT = 0x2c, STATUS = 0x2d, OVF_CTRL = 0x2e,
       GLOBAL_CTRL = 0x2f };

static const struct vpmu_register_row rows[] = {
	{
		.name = "IA32_TIME_STAMP_COUNTER", SRC("1-3"), .scope = VPMU_CORE,
		.access = VPMU_RW, .address = TSC, .width = 64, .mask = UINT64_MAX,
		.offset = offsetof(struct knc_core, tsc),
	}, {
		.name = "IA32_PerfCntm", SRC("1-4"), .access = VPMU_RW, .address = COUNTER,
		.width = KNC_WIDTH, .mask = COUNTER_MASK, THREAD(value),
		.counters = KNC_COUNTERS, .counter_stride = 1, .counter_bytes = sizeof(uint64_t),
	}, {
		.name = "IA32_PerfEvtSelm", SRC("1-5"), .access = VPMU_RW, .address = SELECT,
		.width = 32, .mask = SELECT_MASK, THREAD(select),
		.counters = KNC_COUNTERS, .counter_stride = 1, .counter_bytes = sizeof(uint64_t),
	}, {
		.name = "PERF_SPFLT_CONTROL", SRC("1-7"), .access = VPMU_RW, .address = SPFLT,
		.width = 64, .mask = USER_PREF | BOTH, THREAD(spflt),
	}, {
		.name = "IA32_PERF_GLOBAL_STATUS", SRC("1-8"), .access = VPMU_RO,
		.address = STATUS, .width = 32, THREAD(status),
	}, {
		.name = "IA32_PERF_GLOBAL_OVF_CTRL", SRC("1-9"), .access = VPMU_WO,
		.address = OVF_CTRL, .width = 32, .mask = BOTH, THREAD(ovf_ctrl),
	}, {
		.name = "IA32_PERF_GLOBAL_CTRL", SRC("1-10"), .access = VPMU_RW,
		.address = GLOBAL_CTRL, .width = 32, .mask = BOTH, THREAD(global_ctrl),
	},
};

/* The TSC runs with the clock of its core, whatever the global enables say, and while programs
 * wait. */
static uint64_t tsc_time(const struct vpmu_segment *s, uint32_t package)
{
	return s->uclk[package] + __atomic_load_n(&s->waited, __ATOMIC_RELAXED);
}

static void knc_reset(struct vpmu_segment *s)
{
	const struct vpmu_machine *m = &s->machine;

	for (uint32_t core = 0; core < m->packages * m->cores; core++) {
		struct knc_core *c = vpmu_core_state(s, core);

		c->seen = tsc_time(s, core / m->cores);
	}
}

static void knc_advance(struct vpmu_segment *s, uint32_t package)
{
	const struct vpmu_machine *m = &s->machine;
	uint64_t now = tsc_time(s, package);

	for (uint32_t i = 0; i < m->cores; i++) {
		struct knc_core *c = vpmu_core_state(s, package * m->cores + i);

		c->tsc += now - c->seen;
		c->seen = now;
	}
}

static void knc_written(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r,
			uint64_t value)
{
	struct knc_thread *t = vpmu_thread_state(s, cpu);
	const char *why;

	if (r->row->address == OVF_CTRL) {
		t->status &= ~value;
		t->line &= ~value;
		return;
	}
	if (r->row->address != SELECT)
		return;
	t->active[r->counter] = 0;
	if ((t->select[r->counter] & KNC_EN) &&
	    !knc_event_of(r->counter, t->select[r->counter], &why))
		vpmu_record_undriven(s, VPMU_MSR, vpmu_register_address(r),
				     VPMU_GET(KNC_CODE, t->select[r->counter]));
}

static const char *knc_undriven(const struct vpmu_undriven *u)
{
	const char *why;

	knc_event_of(u->address - SELECT, u->select, &why);
	return why;
}

/* ---- counting ---- */

static bool permitted(const struct knc_thread *t, uint32_t counter)
{
	uint64_t bit = UINT64_C(1) << counter;

	if (!(t->select[counter] & KNC_EN) || !(t->global_ctrl & bit))
		return false;
	return !(t->spflt & bit) || (t->spflt & USER_PREF);
}

static void overflow(struct knc_thread *t, uint32_t counter)
{
	uint64_t bit = UINT64_C(1) << counter;

	t->status |= bit;
	if (!(t->select[counter] & KNC_INT))
		return;
	if (!t->line)
		t->interrupts++;
	t->line |= bit;
}

static void knc_take(struct knc_thread *t, uint32_t counter, const struct knc_event *e,
		     const uint32_t *counts, uint32_t clocks)
{
	uint64_t select = t->select[counter];
	const struct vpmu_filter filter = {
		.threshold = VPMU_GET(KNC_CMASK, select), .invert = select & KNC_INV,
		.edge = select & KNC_E,
	};
	const struct vpmu_stalls stalls = {
		.rows = counts[VPMU_STALLS], .clocks = counts[VPMU_STALL_CLOCKS],
		.counted = vpmu_sum_has_stalls(e->sum),
	};
	uint64_t gain = vpmu_filter_gain(&filter, &t->active[counter],
					 vpmu_sum(e->sum, counts, clocks), clocks, stalls);

	if (!permitted(t, counter))
		return;
	t->value[counter] += gain;
	if (t->value[counter] >> KNC_WIDTH)
		overflow(t, counter);
	t->value[counter] &= COUNTER_MASK;
}

/* own: the occurrences are those of this thread, not of another thread of its core. */
static void take_both(struct knc_thread *t, bool own, enum vpmu_ring ring, const uint32_t *counts,
		      uint32_t clocks)
{
	const char *why;

	for (uint32_t i = 0; i < KNC_COUNTERS; i++) {
		uint64_t select = t->select[i];
		const struct knc_event *e;

		if (!(select & (ring == VPMU_KERNEL ? KNC_OS : KNC_USR)) ||
		    (!permitted(t, i) && !(select & KNC_E)))
			continue;
		e = knc_event_of(i, select, &why);
		if (e && (own || e->no_thread || (select & KNC_ANY_THREAD)))
			knc_take(t, i, e, counts, clocks);
	}
}

static void knc_core_events(struct vpmu_segment *s, uint32_t cpu, enum vpmu_ring ring,
			    const uint32_t *counts, uint32_t clocks)
{
	const struct vpmu_machine *m = &s->machine;
	uint32_t core = vpmu_cpu_core(m, cpu);

	for (uint32_t thread = 0; thread < m->threads; thread++) {
		uint32_t other = vpmu_core_cpu(m, core, thread);

		take_both(vpmu_thread_state(s, other), other == cpu, ring, counts, clocks);
	}
}

static uint64_t knc_interrupts(struct vpmu_segment *s, uint32_t cpu)
{
	const struct knc_thread *t = vpmu_thread_state(s, cpu);

	return t->interrupts;
}

static uint32_t knc_rdpmc(const struct vpmu_machine *m, uint32_t index)
{
	(void)m;
	return index < KNC_COUNTERS ? COUNTER + index : 0;
}

static void spflt(struct vpmu_segment *s, uint32_t cpu, bool on)
{
	struct knc_thread *t = vpmu_thread_state(s, cpu);

	t->spflt = (t->spflt & ~USER_PREF) | (on ? USER_PREF : 0);
}

const struct vpmu_model_type vpmu_knc = {
	.machines = "knc",
	.rows = rows,
	.row_count = sizeof(rows) / sizeof(rows[0]),
	.events = &knc_events[0].info,
	.event_count = KNC_EVENTS,
	.event_stride = sizeof(struct knc_event),
	.thread_bytes = sizeof(struct knc_thread),
	.core_bytes = sizeof(struct knc_core),
	.rdpmc = knc_rdpmc,
	.spflt = spflt,
	.reset = knc_reset,
	.advance = knc_advance,
	.written = knc_written,
	.interrupts = knc_interrupts,
	.undriven = knc_undriven,
	.core_events = knc_core_events,
};
