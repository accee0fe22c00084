/* SPDX-License-Identifier: MIT */
/* Skylake client uncore PMU, from 334060-001 (April 2016): registers, enables, events. */
#include <errno.h>
#include <string.h>

#include "skl_state.h"

#define AT(member) .offset = offsetof(struct skl_package, member)
#define CTR_MASK VPMU_BITS(SKL_CTR_WIDTH - 1, 0)
#define FIXED_MASK VPMU_BITS(SKL_FIXED_WIDTH - 1, 0)

#define CBO_ROW(what, base, first, count, w, m, member, src) { \
	.name = "MSR_UNC_CBO_n_" what "m", .cite = src, .address = base, .width = w, \
	.access = VPMU_RW, .mask = m, .first_box = first, .boxes = count, .box_stride = 0x10, \
	.counters = 2, .counter_stride = 1, AT(counter[SKL_CBO(0)].member), \
	.box_bytes = sizeof(struct vpmu_counter[2]), .counter_bytes = sizeof(struct vpmu_counter) }

#define IMC_ROW(n, at) { .name = n, .cite = "334060-001 Table 3-3", .space = VPMU_MMIO, \
	.access = VPMU_RO, .address = at, .width = 32 }

#define LINUX_CBO7 "Linux uncore_snb.c: the eighth CBo is at 0xF70"

static const struct vpmu_register_row rows[] = {
	{
		/* 4 PMI_SEL bits as in the document; bit 4 of larger parts stays reserved. */
		.name = "MSR_UNC_PERF_GLOBAL_CTRL", .cite = "334060-001 Table 2-2",
		.access = VPMU_RW, .address = 0xe01, .width = 64,
		.mask = SKL_GLOBAL_FRZ_ON_PMI | SKL_GLOBAL_WAKE_ON_PMI | SKL_GLOBAL_EN |
			SKL_GLOBAL_PMI_SEL,
		AT(global_ctrl),
	}, {
		.name = "MSR_UNC_PERF_GLOBAL_STATUS", .cite = "334060-001 Table 2-3",
		.access = VPMU_RW1C, .address = 0xe02, .width = 64,
		.mask = SKL_CBO_OVF | SKL_ARB_OVF | SKL_FIXED_OVF,
		AT(global_status),
	}, {
		.name = "MSR_UNC_PERF_FIXED_CTRL", .cite = "334060-001 Table 2-4",
		.access = VPMU_RW, .address = 0x394, .width = 64, .mask = SELECT_EN | SELECT_OVF_EN,
		AT(counter[SKL_FIXED].select),
	}, {
		.name = "MSR_UNC_PERF_FIXED_CTR", .cite = "334060-001 Table 2-5",
		.access = VPMU_RW, .address = 0x395, .width = SKL_FIXED_WIDTH, .mask = FIXED_MASK,
		AT(counter[SKL_FIXED].value),
	}, {
		.name = "MSR_UNC_CBO_CONFIG", .cite = "334060-001 Table 2-6",
		.access = VPMU_RO, .address = 0x396, .width = 64, AT(cbo_config),
	}, {
		.name = "MSR_UNC_ARB_PERFCTRm", .cite = "334060-001 Table 2-8",
		.access = VPMU_RW, .address = 0x3b0, .width = SKL_CTR_WIDTH, .mask = CTR_MASK,
		.counters = 2, .counter_stride = 1, AT(counter[SKL_ARB].value),
		.counter_bytes = sizeof(struct vpmu_counter),
	}, {
		.name = "MSR_UNC_ARB_PERFEVTSELm", .cite = "334060-001 Table 2-7",
		.access = VPMU_RW, .address = 0x3b2, .width = 64, .mask = SELECT_FIELDS,
		.counters = 2, .counter_stride = 1, AT(counter[SKL_ARB].select),
		.counter_bytes = sizeof(struct vpmu_counter),
	},
	CBO_ROW("PERFEVTSEL", 0x700, 0, 7, 64, SELECT_FIELDS, select, "334060-001 Table 2-7"),
	CBO_ROW("PERFCTR", 0x706, 0, 7, SKL_CTR_WIDTH, CTR_MASK, value, "334060-001 Table 2-8"),
	CBO_ROW("PERFEVTSEL", 0xf70, 7, 1, 64, SELECT_FIELDS, select, LINUX_CBO7),
	CBO_ROW("PERFCTR", 0xf76, 7, 1, SKL_CTR_WIDTH, CTR_MASK, value, LINUX_CBO7),
	{
		.name = "IMC_BAR", .cite = "334060-001 3.3", .space = VPMU_PCI,
		.access = VPMU_RO, .address = 0x48, .width = 64, AT(imc_bar),
	},
	IMC_ROW("DRAM_GT_REQUESTS", 0x5040),
	IMC_ROW("DRAM_IA_REQUESTS", 0x5044),
	IMC_ROW("DRAM_IO_REQUESTS", 0x5048),
	IMC_ROW("DRAM_DATA_READS", 0x5050),
	IMC_ROW("DRAM_DATA_WRITES", 0x5054),
	{
		/* Only the bit that the uncore needs: ENABLE_UNCORE_PMI. */
		.name = "IA32_DEBUGCTL", .cite = "SDM 18.9.6", .scope = VPMU_THREAD,
		.access = VPMU_RW, .address = 0x1d9, .width = 64, .mask = 1u << 13,
		.offset = offsetof(struct skl_thread, debugctl),
	},
};

#define ARB_SELECT 0x3b2u

/* ---- PCI 0:0.0 and the memory controller's window ---- */

#define IMC_BAR_RESET UINT64_C(0xfed10001)	/* bit 0: the window is decoded */
#define IMC_BAR_MASK UINT64_C(0x7fffff8000)	/* bits 38:15 */
#define IMC_WINDOW 0x8000u			/* what bits 38:15 leave to the window */
#define IMC_IA_REQUESTS 0x5044u
#define IMC_DATA_READS 0x5050u
#define IMC_DATA_WRITES 0x5054u
#define PCI_CONFIG_BYTES 256u

static void pci_image(struct vpmu_segment *s, uint8_t image[PCI_CONFIG_BYTES])
{
	/* Vendor, device (dual- and quad-core desktop host bridge), command, status, revision,
	 * class 06 00 00 host bridge. */
	static const uint8_t head[16] = { 0x86, 0x80, 0x1f, 0x19, 0x06, 0x00, 0x90, 0x20, 0x07,
					  0x00, 0x00, 0x06 };

	memset(image, 0, PCI_CONFIG_BYTES);
	memcpy(image, head, sizeof(head));
	if (s->machine.cores <= 2)
		image[2] = 0x0f;
	memcpy(image + 0x48, &skl_package(s, 0)->imc_bar, sizeof(uint64_t));
}

static int pci_read(struct vpmu_segment *s, uint32_t offset, void *buf, uint32_t bytes)
{
	uint8_t image[PCI_CONFIG_BYTES];

	if (offset > sizeof(image) || bytes > sizeof(image) - offset)
		return -EINVAL;
	pci_image(s, image);
	memcpy(buf, image + offset, bytes);
	return 0;
}

static void mmio_window(const struct vpmu_segment *s, uint64_t *base, uint64_t *bytes)
{
	const struct skl_package *p = (const void *)((const uint8_t *)s + s->registers_offset);

	*base = p->imc_bar & IMC_BAR_MASK;
	*bytes = p->imc_bar & 1 ? IMC_WINDOW : 0;
}

/* The pages are read by programs without the lock, so each counter changes in one piece. */
static void imc_add(uint8_t *mmio, uint32_t offset, uint32_t n)
{
	uint32_t *counter = (uint32_t *)(void *)(mmio + offset);

	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

static void dram(struct vpmu_segment *s, uint32_t package, uint32_t requests, uint32_t read_cas,
		 uint32_t write_cas)
{
	uint8_t *mmio = vpmu_package_mmio(s, package);

	imc_add(mmio, IMC_IA_REQUESTS, requests);
	imc_add(mmio, IMC_DATA_READS, read_cas);
	imc_add(mmio, IMC_DATA_WRITES, write_cas);
}

/* ---- registers ---- */

static void reset(struct vpmu_segment *s)
{
	for (uint32_t i = 0; i < s->machine.packages; i++) {
		skl_package(s, i)->cbo_config = s->machine.slices + 1;
		skl_package(s, i)->imc_bar = IMC_BAR_RESET;
	}
}

static void advance(struct vpmu_segment *s, uint32_t package)
{
	skl_advance(skl_package(s, package), s->uclk[package]);
	skl_bulk_apply(skl_package(s, package));
}

static void gather(struct vpmu_segment *s, uint32_t package)
{
	skl_bulk_apply(skl_package(s, package));
}

static void written(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r,
		    uint64_t value)
{
	struct skl_package *p = skl_package(s, vpmu_cpu_package(&s->machine, cpu));
	bool arb = r->row->address == ARB_SELECT, cbo = r->row->boxes && r->row->width == 64;
	uint32_t counter = arb ? SKL_ARB + r->counter : SKL_CBO(r->box) + r->counter;

	(void)value;
	p->frozen = 0;
	skl_bulk_choose(p);	/* an edge detector starts with what is there now */
	if (!arb && !cbo)
		return;
	skl_select_written(p, counter);
	skl_bulk_choose(p);
	if ((p->counter[counter].select & SELECT_EN) &&
	    skl_undriven_why(counter, p->counter[counter].select))
		vpmu_record_undriven(s, vpmu_register_address(r),
				   p->counter[counter].select & 0xffff);
}

/* Of a core, for its first thread. */
static uint64_t interrupts(struct vpmu_segment *s, uint32_t cpu)
{
	const struct vpmu_machine *m = &s->machine;
	uint32_t core = vpmu_cpu_core(m, cpu) % m->cores;

	return core < SKL_PMI_SEL_CORES && vpmu_cpu_thread(m, cpu) == 0 ?
	       skl_package(s, vpmu_cpu_package(m, cpu))->interrupts[core] : 0;
}

static const char *undriven(const struct vpmu_undriven *u)
{
	bool arb = u->address - ARB_SELECT < 2;

	return skl_undriven_why(arb ? SKL_ARB + u->address - ARB_SELECT : SKL_CBO(0), u->select);
}

/* ---- occurrences ---- */

/* The two counters from number `box` on take what matches their select. */
static void count_box(struct skl_package *p, uint32_t box, enum skl_code code,
		      uint32_t low, uint32_t high, uint64_t clock)
{
	uint64_t matching = 0;

	for (uint32_t i = box; i < box + 2; i++) {
		uint64_t select = p->counter[i].select;

		if ((select & SELECT_EN) && VPMU_GET(SELECT_EVENT, select) == (uint32_t)code &&
		    (VPMU_GET(SELECT_UMASK, select) & low) &&
		    (VPMU_GET(SELECT_UMASK, select) & high))
			matching |= UINT64_C(1) << i;
	}
	if (matching && skl_counting_in(p, clock))
		skl_count(p, matching, clock);
}

static void llc_lookup(struct vpmu_segment *s, uint32_t package, uint32_t slice,
		       enum vpmu_request request, enum vpmu_mesi found, uint64_t clock)
{
	struct skl_package *p = skl_package(s, package);
	uint32_t any = 8;

	if (!p->precise) {
		p->bulk.lookup[slice][__builtin_ctz(request)][__builtin_ctz(found)]++;
		return;
	}
	count_box(p, SKL_CBO(slice), SKL_CACHE_LOOKUP, (uint32_t)found,
		  ((uint32_t)request | any) << 4, clock);
}

static void snoop(struct vpmu_segment *s, uint32_t package, uint32_t slice,
		  enum vpmu_snoop_cause cause, enum vpmu_snoop_result result, uint64_t clock)
{
	struct skl_package *p = skl_package(s, package);

	if (!p->precise) {
		p->bulk.snoop[slice][cause == VPMU_EVICTION][__builtin_ctz(result)]++;
		return;
	}
	count_box(p, SKL_CBO(slice), SKL_XSNP_RESPONSE, (uint32_t)result, (uint32_t)cause << 4,
		  clock);
}

static void tracker(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind,
		    bool coherent, uint64_t start, uint64_t end)
{
	struct skl_package *p = skl_package(s, package);
	uint32_t kinds = SKL_TRK_ALL | (kind == VPMU_TRK_DATA_READ ? SKL_TRK_DATA_READ : 0) |
			 (kind == VPMU_TRK_WRITE ? SKL_TRK_WRITES : 0);

	skl_occupy(p, kind == VPMU_TRK_DATA_READ, start, end);
	if (!p->precise) {
		p->bulk.requests[kind]++;
		p->bulk.coherent[kind] += coherent;
		return;
	}
	count_box(p, SKL_ARB, SKL_TRK_REQUESTS, kinds, kinds, start);
	if (coherent)
		count_box(p, SKL_ARB, SKL_COH_TRK_REQUESTS, SKL_TRK_ALL, SKL_TRK_ALL, start);
}

static void clock_reached(struct vpmu_segment *s, uint32_t package, uint64_t clock)
{
	skl_advance(skl_package(s, package), clock);
	skl_bulk_resume(skl_package(s, package));
}

const struct vpmu_model_type vpmu_skl_client = {
	.family = VPMU_SKYLAKE_CLIENT,
	.rows = rows,
	.row_count = sizeof(rows) / sizeof(rows[0]),
	.events = skl_events,
	.event_count = SKL_EVENTS,
	.package_bytes = sizeof(struct skl_package),
	.thread_bytes = sizeof(struct skl_thread),
	.mmio_bytes = IMC_WINDOW,
	.box_name = "CBo",
	.reset = reset,
	.advance = advance,
	.gather = gather,
	.written = written,
	.interrupts = interrupts,
	.pci_read = pci_read,
	.mmio_window = mmio_window,
	.undriven = undriven,
	.llc_lookup = llc_lookup,
	.snoop = snoop,
	.tracker = tracker,
	.dram = dram,
	.clock = clock_reached,
};
