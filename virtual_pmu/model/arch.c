/* SPDX-License-Identifier: MIT */
/* The architectural PMU of each hardware thread, versions 4 to 6 (SDM 325384-059 sections 18.2 and
 * 18.9; later ones as CPUID reports them).
 *
 * Choices where the documents are silent:
 *   - Counters hold arbitrary values after a reset. IA32_PERF_GLOBAL_CTRL enables all general
 *     counters then; the other control registers are 0.
 *   - A write of IA32_PMCx takes bits 31:0 and repeats bit 31 above; IA32_A_PMCx takes all.
 *   - The clocks of a core's threads are not joined: with ANY, clocks stay 0.
 *   - The TSC has the core's rate, so that reference clocks and core clocks are equal.
 *   - IA32_PERF_CAPABILITIES says full-width writes and nothing else: no PEBS, no LBR.
 *   - IA32_DEBUGCTL bit 12: an overflow that interrupts sets CTR_FRZ in the clock in which it
 *     happens, and nothing counts until that bit is cleared.
 *   - Version 6 has second addresses of counters and selects, from 0x1900 on, which Linux uses from
 *     6.11 on. What else Linux has there is not modelled: reloading of counters, PEBS. */
#include "arch_state.h"
#include "skl_state.h"

#define SDM(where) .cite = "SDM " where
#define AT(member) .scope = VPMU_THREAD, .offset = offsetof(struct skl_thread, core.member)
#define COUNTERS(n) .counters = n, .counter_stride = 1, .counter_bytes = sizeof(uint64_t)
#define COUNTER_MASK VPMU_BITS(ARCH_WIDTH - 1, 0)
#define SELECT_MASK VPMU_BITS(31, 0)
#define STATUS_OTHERS (VPMU_BITS(63, 58) | VPMU_BITS(55, 55))
#define SETTABLE_OTHERS (VPMU_BITS(62, 58) | VPMU_BITS(55, 55))
#define CTR_FRZ VPMU_BITS(59, 59)
#define PMI_IN_USE VPMU_BITS(63, 63)
/* SDM Table 35-2: 0: fast strings; 7: monitoring is available; 11, 12: no BTS, no PEBS. */
#define MISC_ENABLE_RESET UINT64_C(0x1881)
#define FULL_WIDTH_WRITES VPMU_BITS(13, 13)
#define OFFCORE_RSP_MASK (VPMU_BITS(37, 15) | VPMU_BITS(11, 0))

enum { PMC = 0xc1, SELECT = 0x186, FIXED_CTR = 0x309, FIXED_CTR_CTRL = 0x38d, GLOBAL_CTRL = 0x38f,
       STATUS_RESET = 0x390, STATUS_SET = 0x391, A_PMC = 0x4c1, GP_CTR = 0x1900,
       GP_CFG_A = 0x1901, FX_CTR = 0x1980 };
#define SECOND_STRIDE 4u	/* of the second addresses */
#define SECOND(n) .counters = n, .counter_stride = SECOND_STRIDE, .counter_bytes = sizeof(uint64_t)

static const struct vpmu_register_row rows[] = {
	{
		.name = "IA32_PMCm", SDM("18.2.1"), .access = VPMU_RW, .address = PMC,
		.width = ARCH_WIDTH, .mask = UINT32_MAX, .sign_extended = true, AT(value[0]),
		COUNTERS(ARCH_GENERAL),
	}, {
		.name = "IA32_PERFEVTSELm", SDM("18.2.1"), .access = VPMU_RW, .address = SELECT,
		.width = 64, .mask = SELECT_MASK, AT(select), COUNTERS(ARCH_GENERAL),
	}, {
		.name = "IA32_FIXED_CTRm", SDM("18.2.2"), .access = VPMU_RW, .address = FIXED_CTR,
		.width = ARCH_WIDTH, .mask = COUNTER_MASK, AT(value[ARCH_GENERAL]),
		COUNTERS(ARCH_FIXED),
	}, {
		.name = "IA32_PERF_CAPABILITIES", SDM("18.18"), .access = VPMU_RO,
		.address = 0x345, .width = 64, AT(capabilities),
	}, {
		.name = "IA32_FIXED_CTR_CTRL", SDM("18.2.2"), .access = VPMU_RW,
		.address = FIXED_CTR_CTRL, .width = 64, AT(fixed_ctrl),
	}, {
		.name = "IA32_PERF_GLOBAL_STATUS", SDM("18.2.4.1"), .access = VPMU_RO,
		.address = 0x38e, .width = 64, AT(status),
	}, {
		.name = "IA32_PERF_GLOBAL_CTRL", SDM("18.2.2"), .access = VPMU_RW,
		.address = GLOBAL_CTRL, .width = 64, AT(global_ctrl),
	}, {
		.name = "IA32_PERF_GLOBAL_STATUS_RESET", SDM("18.2.4.2"), .access = VPMU_RW1C,
		.address = STATUS_RESET, .width = 64, AT(status_reset),	/* reads as 0 */
	}, {
		.name = "IA32_PERF_GLOBAL_STATUS_SET", SDM("18.2.4.2"), .access = VPMU_WO,
		.address = STATUS_SET, .width = 64, AT(status_set),
	}, {
		.name = "IA32_PERF_GLOBAL_INUSE", SDM("18.2.4.3"), .access = VPMU_RO,
		.address = 0x392, .width = 64, AT(in_use),
	}, {
		.name = "IA32_A_PMCm", SDM("18.2.5"), .access = VPMU_RW, .address = A_PMC,
		.width = ARCH_WIDTH, .mask = COUNTER_MASK, AT(value[0]), COUNTERS(ARCH_GENERAL),
	}, {
		.name = "IA32_PMC_GP@_CTR", .cite = "Linux 6.11", .access = VPMU_RW,
		.address = GP_CTR, .width = ARCH_WIDTH, .mask = COUNTER_MASK, AT(value[0]),
		SECOND(ARCH_GENERAL),
	}, {
		.name = "IA32_PMC_GP@_CFG_A", .cite = "Linux 6.11", .access = VPMU_RW,
		.address = GP_CFG_A, .width = 64, .mask = SELECT_MASK, AT(select),
		SECOND(ARCH_GENERAL),
	}, {
		.name = "IA32_PMC_FX@_CTR", .cite = "Linux 6.11", .access = VPMU_RW,
		.address = FX_CTR, .width = ARCH_WIDTH, .mask = COUNTER_MASK,
		AT(value[ARCH_GENERAL]), SECOND(ARCH_FIXED),
	},
	{
		/* Which PMU there is; nothing here is switched by it. */
		.name = "IA32_MISC_ENABLE", SDM("Table 35-2"), .access = VPMU_RW,
		.address = 0x1a0, .width = 64, AT(misc_enable),
	}, {
		/* No counter takes samples: tools write 0 before they count. */
		.name = "IA32_PEBS_ENABLE", SDM("Table 35-2"), .access = VPMU_RW,
		.address = 0x3f1, .width = 64, AT(pebs_enable),
	},
	/* The rows of Skylake alone: parameters of the events 0xB7, 0xBB and 0xC6. */
	{
		.name = "MSR_OFFCORE_RSP_0", SDM("18.9.8"), .access = VPMU_RW, .address = 0x1a6,
		.width = 64, .mask = OFFCORE_RSP_MASK, AT(offcore_rsp[0]),
	}, {
		.name = "MSR_OFFCORE_RSP_1", SDM("18.9.8"), .access = VPMU_RW, .address = 0x1a7,
		.width = 64, .mask = OFFCORE_RSP_MASK, AT(offcore_rsp[1]),
	}, {
		.name = "MSR_PEBS_FRONTEND", .cite = "perfmon SKL", .access = VPMU_RW,
		.address = 0x3f7, .width = 64, .mask = 0x7fff17, AT(frontend),
	},
};
#define SKL_ROWS 3

/* Power, frequency and temperature. Tools read some of these when they start, and continue without
 * them: a processor may lack each one (SDM Tables 35-2 and 35-15 to 35-39). */
static const uint32_t refused[] = {
	0xce,	/* MSR_PLATFORM_INFO */
	0x198,	/* IA32_PERF_STATUS */
	0x19c,	/* IA32_THERM_STATUS */
	0x1a2,	/* MSR_TEMPERATURE_TARGET */
	0x1ad,	/* MSR_TURBO_RATIO_LIMIT */
	0x1b0,	/* IA32_ENERGY_PERF_BIAS */
	0x1b1,	/* IA32_PACKAGE_THERM_STATUS */
	0x606,	/* MSR_RAPL_POWER_UNIT */
	0x610,	/* MSR_PKG_POWER_LIMIT */
	0x611,	/* MSR_PKG_ENERGY_STATUS */
	0x613,	/* MSR_PKG_PERF_STATUS */
	0x614,	/* MSR_PKG_POWER_INFO */
	0x618,	/* MSR_DRAM_POWER_LIMIT */
	0x619,	/* MSR_DRAM_ENERGY_STATUS */
	0x61b,	/* MSR_DRAM_PERF_STATUS */
	0x620,	/* MSR_RING_RATIO_LIMIT */
	0x639,	/* MSR_PP0_ENERGY_STATUS */
	0x641,	/* MSR_PP1_ENERGY_STATUS */
	0x64d,	/* MSR_PLATFORM_ENERGY_COUNTER */
	0
};

static struct arch_thread *thread_of(struct vpmu_segment *s, uint32_t cpu)
{
	return &((struct skl_thread *)vpmu_thread_state(s, cpu))->core;
}

static bool freezes(struct vpmu_segment *s, uint32_t cpu)
{
	return ((struct skl_thread *)vpmu_thread_state(s, cpu))->debugctl & SKL_FREEZE_ON_PMI;
}

/* ---- what a CPU has ---- */

static uint32_t last_fixed(uint32_t bits)
{
	return 32 - (uint32_t)__builtin_clz(bits);
}

static bool is_fixed_row(const struct vpmu_register_row *row)
{
	return row->address == FIXED_CTR || row->address == FX_CTR;
}

static bool is_select_row(const struct vpmu_register_row *row)
{
	return row->address == SELECT || row->address == GP_CFG_A;
}

/* The E cores come last: this CPU is of the other kind, where there are two. */
static uint32_t counters(const struct vpmu_machine *m, const struct vpmu_register_row *row)
{
	const struct arch_kind *first = arch_kind_of(m, 0);
	const struct arch_kind *last = arch_kind_of(m, vpmu_machine_cpus(m) - 1);

	if (row->address >= GP_CTR && (first->leaf_a[0] & 0xff) < 6)
		return 0;
	if (is_fixed_row(row))
		return last_fixed(first->fixed | last->fixed);
	return first->general > last->general ? first->general : last->general;
}

static bool arch_has(const struct vpmu_machine *m, uint32_t cpu, const struct vpmu_register *r)
{
	const struct arch_kind *k = arch_kind_of(m, cpu);

	if (!r->row->counters)
		return true;
	return is_fixed_row(r->row) ? k->fixed >> r->counter & 1 : r->counter < k->general;
}

/* A bit for each counter, as in IA32_PERF_GLOBAL_CTRL. */
static uint64_t counter_bits(const struct arch_kind *k)
{
	return VPMU_BITS(k->general - 1, 0) | (uint64_t)k->fixed << 32;
}

/* The fields of IA32_FIXED_CTR_CTRL: ring 0, above it, ANY, PMI. */
static uint64_t fixed_field(uint32_t n, uint32_t bits)
{
	return (uint64_t)bits << (4 * n);
}

static uint64_t fixed_mask(const struct arch_kind *k)
{
	uint64_t mask = 0;

	for (uint32_t n = 0; n < ARCH_FIXED; n++)
		mask |= k->fixed >> n & 1 ? fixed_field(n, k->any ? 0xf : 0xb) : 0;
	return mask;
}

static uint64_t arch_mask(const struct vpmu_machine *m, uint32_t cpu,
			  const struct vpmu_register_row *row)
{
	const struct arch_kind *k = arch_kind_of(m, cpu);

	switch (row->address) {
	case SELECT: case GP_CFG_A:
		return row->mask & (k->any ? UINT64_MAX : ~ARCH_ANY);
	case FIXED_CTR_CTRL:
		return fixed_mask(k);
	case GLOBAL_CTRL:
		return counter_bits(k);
	case STATUS_RESET:
		return counter_bits(k) | STATUS_OTHERS;
	case STATUS_SET:
		return counter_bits(k) | SETTABLE_OTHERS;
	default:
		return row->mask;
	}
}

/* SDM 18.2: the fixed counters have bit 30. */
static uint32_t arch_rdpmc(const struct vpmu_machine *m, uint32_t index)
{
	uint32_t fixed = index ^ 1u << 30;

	(void)m;
	return index < ARCH_GENERAL ? PMC + index : fixed < ARCH_FIXED ? FIXED_CTR + fixed : 0;
}

/* ---- CPUID ---- */

enum { EAX, EBX, ECX, EDX };

static void tell_23(const struct arch_kind *k, uint32_t subleaf, uint32_t registers[4])
{
	for (uint32_t i = EAX; i <= EDX; i++)
		registers[i] = 0;
	switch (subleaf) {
	case 0:
		registers[EAX] = 1u << 0 | 1u << 1 | 1u << 3;	/* the sub-leaves */
		registers[ECX] = k->slots;
		break;
	case 1:
		registers[EAX] = (1u << k->general) - 1;
		registers[EBX] = k->fixed;
		break;
	case 3:
		registers[EAX] = k->events;
		break;
	default:
		break;
	}
}

static bool cpuid(const struct vpmu_machine *m, uint32_t cpu, uint32_t leaf, uint32_t subleaf,
		  uint32_t registers[4])
{
	const struct arch_kind *k = arch_kind_of(m, cpu);

	switch (leaf) {
	case 0x1:
		registers[ECX] |= 1u << 15;	/* PDCM: IA32_PERF_CAPABILITIES */
		return true;
	case 0x7:
		if (k->leaf_23 && subleaf == 1)
			registers[EAX] |= 1u << 8;
		return k->leaf_23;
	case 0xa:
		for (uint32_t i = EAX; i <= EDX; i++)
			registers[i] = k->leaf_a[i];
		return true;
	case 0x23:
		if (k->leaf_23)
			tell_23(k, subleaf, registers);
		return k->leaf_23;
	default:
		return false;
	}
}

/* ---- registers ---- */

/* Values that no program writes by chance, different in every counter. */
static void arch_reset(struct vpmu_segment *s)
{
	for (uint32_t cpu = 0; cpu < vpmu_machine_cpus(&s->machine); cpu++) {
		struct arch_thread *t = thread_of(s, cpu);

		for (uint32_t n = 0; n < ARCH_COUNTERS; n++)
			t->value[n] = (UINT64_C(0x9e3779b97f4a7c15) *
				       (cpu * ARCH_COUNTERS + n + 1)) >> 16;
		t->global_ctrl = VPMU_BITS(arch_kind_of(&s->machine, cpu)->general - 1, 0);
		t->capabilities = FULL_WIDTH_WRITES;
		t->misc_enable = MISC_ENABLE_RESET;
	}
	s->core_counting = VPMU_CORE_NOTHING;
}

static uint64_t status_bit(uint32_t counter)
{
	return UINT64_C(1) << (counter < ARCH_GENERAL ? counter : 32 + counter - ARCH_GENERAL);
}

/* General counters whose select is not 0, fixed ones with a level, and whether any interrupts. */
static uint64_t in_use(const struct arch_thread *t)
{
	uint64_t bits = 0;

	for (uint32_t n = 0; n < ARCH_GENERAL; n++) {
		bits |= VPMU_GET(ARCH_CODE, t->select[n]) ? status_bit(n) : 0;
		bits |= t->select[n] & ARCH_INT ? PMI_IN_USE : 0;
	}
	for (uint32_t n = 0; n < ARCH_FIXED; n++) {
		bits |= t->fixed_ctrl & fixed_field(n, 3) ? status_bit(ARCH_GENERAL + n) : 0;
		bits |= t->fixed_ctrl & fixed_field(n, 8) ? PMI_IN_USE : 0;
	}
	return bits;
}

/* Those of clocks and instructions, as they are. An overflow that interrupts may freeze the others
 * in its clock. */
static enum vpmu_core_level level_of_select(uint64_t select)
{
	const uint64_t others = ARCH_CMASK | ARCH_INV | ARCH_E | ARCH_INT | ARCH_ANY;
	uint64_t code = VPMU_GET(ARCH_CODE, select), umask = VPMU_GET(ARCH_UMASK, select);

	if (!(select & others) && ((code == 0xc0 && !umask) || (code == 0x3c && umask <= 1)))
		return VPMU_CORE_RETIRED;
	return VPMU_CORE_ALL;
}

static enum vpmu_core_level level_of(const struct arch_thread *t)
{
	enum vpmu_core_level level = VPMU_CORE_NOTHING, wanted;

	for (uint32_t n = 0; n < ARCH_GENERAL + ARCH_FIXED; n++) {
		uint32_t fixed = n - ARCH_GENERAL;
		bool general = n < ARCH_GENERAL;

		if (!(t->global_ctrl & status_bit(n)) ||
		    !(general ? t->select[n] & ARCH_EN : t->fixed_ctrl & fixed_field(fixed, 3)))
			continue;
		wanted = general ? level_of_select(t->select[n]) :
			 t->fixed_ctrl & fixed_field(fixed, 0xc) ? VPMU_CORE_ALL :
								   VPMU_CORE_RETIRED;
		level = wanted > level ? wanted : level;
	}
	return level;
}

static void note_counting(struct vpmu_segment *s, struct arch_thread *t)
{
	uint32_t level = level_of(t);

	if (t->counting == level)
		return;
	t->counting = level;
	for (uint32_t cpu = 0; cpu < vpmu_machine_cpus(&s->machine); cpu++) {
		uint32_t other = thread_of(s, cpu)->counting;

		level = other > level ? other : level;
	}
	__atomic_store_n(&s->core_counting, level, __ATOMIC_RELAXED);
}

/* The first CPU whose core is of the same kind: all of them count the same events. */
static uint32_t first_alike(const struct vpmu_machine *m, uint32_t cpu)
{
	uint32_t first = 0;

	while (first < cpu && arch_kind_of(m, first) != arch_kind_of(m, cpu))
		first++;
	return first;
}

static void select_written(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r)
{
	struct arch_thread *t = thread_of(s, cpu);
	uint64_t select = t->select[r->counter];
	const char *why;

	t->active[r->counter] = 0;
	arch_event_of(&s->machine, cpu, r->counter, select, &why);
	if ((select & ARCH_EN) && why)
		vpmu_record_undriven(s, VPMU_MSR, vpmu_register_address(r), VPMU_UNDRIVEN_CORE |
				     (uint64_t)first_alike(&s->machine, cpu) << 34 |
				     (select & UINT32_MAX));
}

static void arch_written(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r,
			 uint64_t value)
{
	struct arch_thread *t = thread_of(s, cpu);

	if (r->row->address == STATUS_RESET)
		t->status &= ~value;
	else if (r->row->address == STATUS_SET)
		t->status |= value & arch_mask(&s->machine, cpu, r->row);
	else if (is_select_row(r->row))
		select_written(s, cpu, r);
	t->in_use = in_use(t);
	note_counting(s, t);
}

static const char *arch_undriven(const struct vpmu_machine *m, const struct vpmu_undriven *u)
{
	uint32_t counter = u->address < GP_CFG_A ? u->address - SELECT :
			   (u->address - GP_CFG_A) / SECOND_STRIDE;
	const char *why;

	arch_event_of(m, (uint32_t)(u->select >> 34) % vpmu_machine_cpus(m), counter,
		      u->select & UINT32_MAX, &why);
	return why;
}

static uint64_t arch_interrupts(struct vpmu_segment *s, uint32_t cpu)
{
	return thread_of(s, cpu)->interrupts;
}

/* ---- counting ---- */

/* A hardware thread's activity, and the CPU of its core whose counters see it. */
struct doing {
	const struct vpmu_machine *m;
	uint32_t cpu;			/* whose counters they are */
	bool itself;			/* it did this; its sibling otherwise */
	enum vpmu_ring ring;
	const uint32_t *counts;
	uint32_t ticks;
};

static struct vpmu_filter filter_of(const struct arch_event *e, uint64_t select)
{
	if (e->flags & ARCH_WHOLE)
		return (struct vpmu_filter){ .threshold = e->flags & ARCH_NONE ? 1 : 0,
					     .invert = e->flags & ARCH_NONE };
	return (struct vpmu_filter){ .threshold = VPMU_GET(ARCH_CMASK, select),
				     .invert = select & ARCH_INV, .edge = select & ARCH_E };
}

static void add_general(struct arch_thread *t, struct vpmu_stretch *st, const struct doing *d,
			uint32_t counter)
{
	uint64_t select = t->select[counter];
	const struct arch_event *e;
	const char *why;

	if (!(select & ARCH_EN) || !(t->global_ctrl & status_bit(counter)) ||
	    !(select & (d->ring == VPMU_KERNEL ? ARCH_OS : ARCH_USR)) ||
	    (!d->itself && !(select & ARCH_ANY)))
		return;
	e = arch_event_of(d->m, d->cpu, counter, select, &why);
	if (!e)
		return;
	st->lane[st->lanes++] = (struct vpmu_lane){
		.value = &t->value[counter], .active = &t->active[counter],
		.status = status_bit(counter), .interrupts = select & ARCH_INT,
		.filter = filter_of(e, select),
		.times = arch_times(d->m, e, select, d->counts, st->clocks,
				    d->ticks),
		.has_stalls = vpmu_sum_has_stalls(e->sum),
	};
}

static void arch_add_fixed(struct arch_thread *t, struct vpmu_stretch *st, const struct doing *d,
		      uint32_t number, uint64_t times)
{
	uint32_t counter = ARCH_GENERAL + number;
	bool any = t->fixed_ctrl & fixed_field(number, 4);

	if (!(t->fixed_ctrl & fixed_field(number, d->ring == VPMU_KERNEL ? 1 : 2)) ||
	    !(t->global_ctrl & status_bit(counter)) || (!d->itself && !any) || (number && any))
		return;
	st->lane[st->lanes++] = (struct vpmu_lane){
		.value = &t->value[counter], .status = status_bit(counter),
		.interrupts = t->fixed_ctrl & fixed_field(number, 8), .times = times,
	};
}

static void arch_take(struct arch_thread *t, const struct vpmu_stretch *st)
{
	struct vpmu_overflows over = vpmu_stretch_take(st);

	t->status |= over.status | (over.interrupts && st->freezes ? CTR_FRZ : 0);
	t->interrupts += over.interrupts;
}

static void count_on(struct vpmu_segment *s, const struct doing *d, uint32_t clocks)
{
	struct arch_thread *t = thread_of(s, d->cpu);
	struct vpmu_stretch st = {
		.clocks = clocks, .stalls = d->counts[VPMU_STALLS],
		.stall_clocks = d->counts[VPMU_STALL_CLOCKS], .width = ARCH_WIDTH,
		.freezes = freezes(s, d->cpu),
	};

	if (!t->counting || (t->status & CTR_FRZ))
		return;
	for (uint32_t n = 0; n < ARCH_GENERAL; n++)
		add_general(t, &st, d, n);
	arch_add_fixed(t, &st, d, 0, d->counts[VPMU_INSTRUCTIONS]);
	arch_add_fixed(t, &st, d, 1, clocks);
	arch_add_fixed(t, &st, d, 2, clocks);
	if (st.lanes)
		arch_take(t, &st);
}

/* Clocks of the crystal that end in these core clocks. */
static uint32_t ticks_of(struct arch_thread *t, uint32_t clocks, uint32_t each)
{
	uint32_t all = t->ticks + clocks;

	t->ticks = all % each;
	return all / each;
}

static void arch_core_events(struct vpmu_segment *s, uint32_t cpu, enum vpmu_ring ring,
			     const uint32_t *counts, uint32_t clocks)
{
	const struct vpmu_machine *m = &s->machine;
	uint32_t core = vpmu_cpu_core(m, cpu), threads = vpmu_cpu_little(m, cpu) >= 0 ? 1 :
							m->threads;
	struct doing d = {
		.m = m, .ring = ring, .counts = counts,
		.ticks = ticks_of(thread_of(s, cpu), clocks, arch_kind_of(m, cpu)->crystal),
	};

	for (uint32_t i = 0; i < threads; i++) {
		d.cpu = vpmu_core_cpu(m, core, i);
		d.itself = d.cpu == cpu;
		count_on(s, &d, clocks);
	}
}

/* Does some core of the machine have the event? */
static bool has_event(const struct vpmu_machine *m, const struct arch_event *e)
{
	const struct arch_kind *first = arch_kind_of(m, 0);
	const struct arch_kind *last = arch_kind_of(m, vpmu_machine_cpus(m) - 1);

	if (arch_is_fixed(e))
		return (first->fixed | last->fixed) >> (e->info.umask - 1) & 1;
	return !e->number || ((first->events | last->events) >> (e->number - 1) & 1);
}

static const struct vpmu_event_info *event(const struct vpmu_machine *m, uint32_t index)
{
	const struct arch_event *e;

	for (uint32_t i = 0; (e = arch_event_number(m, i)) != NULL; i++)
		if (has_event(m, e) && !index--)
			return &e->info;
	return NULL;
}

#define CORE_TYPE(rows_) { \
	.rows = rows, .row_count = rows_, .event = event, \
	.counters = counters, .has = arch_has, .mask = arch_mask, .rdpmc = arch_rdpmc, \
	.cpuid = cpuid, .reset = arch_reset, .written = arch_written, \
	.interrupts = arch_interrupts, .refused = refused, .undriven = arch_undriven, \
	.core_events = arch_core_events, \
}
#define ALL_ROWS (sizeof(rows) / sizeof(rows[0]))

const struct vpmu_core_type vpmu_skl_core = CORE_TYPE(ALL_ROWS);
const struct vpmu_core_type vpmu_arch_core = CORE_TYPE(ALL_ROWS - SKL_ROWS);
