/* SPDX-License-Identifier: MIT */
/* How the client uncore behaves: registers, enables, the memory controller's window, and what is
 * executed as the documents' events. Generations' rows and events are in client_*.c. */
#include <errno.h>
#include <string.h>

#include "client_imc.h"
#include "skl_state.h"

/* ---- PCI 0:0.0 and the memory controller's window ---- */

#define IMC_BAR_RESET UINT64_C(0xfed10001)	/* bit 0: the window is decoded */
#define IMC_BAR_MASK UINT64_C(0x7fffff8000)	/* bits 38:15 */
#define IMC_IA_REQUESTS 0x5044u
#define IMC_DATA_READS 0x5050u
#define IMC_DATA_WRITES 0x5054u
#define PCI_CONFIG_BYTES 256u

static void pci_image(struct vpmu_segment *s, uint8_t image[PCI_CONFIG_BYTES])
{
	/* Vendor, device, command, status, revision, class 06 00 00 host bridge. */
	static const uint8_t head[16] = { 0x86, 0x80, 0x00, 0x00, 0x06, 0x00, 0x90, 0x20, 0x07,
					  0x00, 0x00, 0x06 };

	memset(image, 0, PCI_CONFIG_BYTES);
	memcpy(image, head, sizeof(head));
	memcpy(image + 2, skl_package(s, 0)->device, 2);
	memcpy(image + 0x48, &skl_package(s, 0)->imc_bar, sizeof(uint64_t));
}

int skl_pci_read(struct vpmu_segment *s, uint32_t offset, void *buf, uint32_t bytes)
{
	uint8_t image[PCI_CONFIG_BYTES];

	if (offset > sizeof(image) || bytes > sizeof(image) - offset)
		return -EINVAL;
	pci_image(s, image);
	memcpy(buf, image + offset, bytes);
	return 0;
}

void skl_mmio_window(const struct vpmu_segment *s, uint64_t *base, uint64_t *bytes)
{
	const struct skl_package *p = (const void *)((const uint8_t *)s + s->registers_offset);

	*base = p->imc_bar & IMC_BAR_MASK;
	*bytes = p->imc_bar & 1 ? s->state.mmio : 0;
}

/* The pages are read by programs without the lock, so each counter changes in one piece. */
static void imc_add(uint8_t *mmio, uint32_t offset, uint32_t n)
{
	uint32_t *counter = (uint32_t *)(void *)(mmio + offset);

	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

/* How many of the next n lines of this kind the second of two controllers gets: they take them in
 * turn, of each kind by itself. */
static uint32_t second_of(struct skl_package *p, uint32_t kind, uint32_t n)
{
	uint64_t before = p->lines[kind];

	p->lines[kind] = before + n;
	return (uint32_t)((before + n) / 2 - before / 2);
}

static void share(struct skl_package *p, uint8_t *mmio, const struct imc_traffic *all)
{
	struct imc_traffic second = {
		second_of(p, 0, all->requests), second_of(p, 1, all->reads),
		second_of(p, 2, all->writes),
	};
	struct imc_traffic first = {
		all->requests - second.requests, all->reads - second.reads,
		all->writes - second.writes,
	};

	imc_requests(p, mmio, 0, &first);
	imc_requests(p, mmio, 1, &second);
}

void skl_dram(struct vpmu_segment *s, uint32_t package, uint32_t box, uint32_t requests,
	      uint32_t read_cas, uint32_t write_cas)
{
	const struct imc_traffic all = { requests, read_cas, write_cas };
	struct skl_package *p = skl_package(s, package);
	uint8_t *mmio = vpmu_package_mmio(s, package);

	if (p->controllers && box == VPMU_IN_TURN) {
		share(p, mmio, &all);
	} else if (p->controllers) {
		imc_requests(p, mmio, box, &all);
	} else {
		imc_add(mmio, IMC_IA_REQUESTS, requests);
		imc_add(mmio, IMC_DATA_READS, read_cas);
		imc_add(mmio, IMC_DATA_WRITES, write_cas);
	}
}

/* ---- registers ---- */

void skl_reset(struct vpmu_segment *s, const struct skl_design *d)
{
	for (uint32_t i = 0; i < s->machine.packages; i++) {
		struct skl_package *p = skl_package(s, i);

		p->cbo_config = s->machine.slices + d->more;
		p->imc_bar = IMC_BAR_RESET;
		memcpy(p->device, s->machine.cores <= 2 ? d->device_of_two : d->device, 2);
		p->always = d->always;
		p->two_arbs = d->two_arbs;
		p->ctr_width = d->ctr_width ? d->ctr_width : SKL_CTR_WIDTH;
		p->cbo_codes = d->later_cbo ? SKL_LOOKUPS : SKL_LOOKUPS | SKL_SNOOPS;
		p->controllers = d->controllers;
		skl_arb_umasks(d, p->arb_umasks);
		imc_reset(p, d);
	}
}

void skl_bring_up(struct vpmu_segment *s, uint32_t package)
{
	skl_advance(skl_package(s, package), s->uclk[package]);
	skl_bulk_apply(skl_package(s, package));
	imc_clock(s, package);
}

void skl_gather(struct vpmu_segment *s, uint32_t package)
{
	skl_bulk_apply(skl_package(s, package));
}

/* The counter whose event select this is; SKL_FIXED: it is none. */
static uint32_t selects(const struct vpmu_register *r)
{
	const struct vpmu_register_row *row = r->row;
	size_t at = row->offset + (size_t)r->box * row->box_bytes +
		    (size_t)r->counter * row->counter_bytes;
	size_t first = offsetof(struct skl_package, counter[0].select);

	if (row->space != VPMU_MSR || row->scope != VPMU_PACKAGE || at < first ||
	    at >= offsetof(struct skl_package, counter[SKL_COUNTERS]) ||
	    (at - first) % sizeof(struct vpmu_counter))
		return SKL_FIXED;
	return (uint32_t)((at - first) / sizeof(struct vpmu_counter));
}

void skl_written(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r,
		 uint64_t value)
{
	struct skl_package *p = skl_package(s, vpmu_cpu_package(&s->machine, cpu));
	uint32_t counter = selects(r), why;

	if (r->row->space == VPMU_MMIO) {
		imc_written(s, vpmu_cpu_package(&s->machine, cpu), vpmu_register_address(r),
			    value);
		return;
	}
	p->frozen = 0;
	skl_bulk_choose(p);	/* an edge detector starts with what is there now */
	if (counter == SKL_FIXED)
		return;
	skl_select_written(p, counter);
	skl_bulk_choose(p);
	why = (p->counter[counter].select & SELECT_EN) ? skl_undriven_why(p, counter) : 0;
	if (why)
		vpmu_record_undriven(s, VPMU_MSR, vpmu_register_address(r),
				     (p->counter[counter].select & 0xffff) | why << 16);
}

/* Of a core, for its first thread. */
uint64_t skl_interrupts(struct vpmu_segment *s, uint32_t cpu)
{
	const struct vpmu_machine *m = &s->machine;
	uint32_t core = vpmu_cpu_core(m, cpu) % m->cores;

	return core < SKL_PMI_SEL_CORES && vpmu_cpu_thread(m, cpu) == 0 ?
	       skl_package(s, vpmu_cpu_package(m, cpu))->interrupts[core] : 0;
}

const char *skl_undriven(const struct vpmu_undriven *u)
{
	uint32_t why = (uint32_t)(u->select >> 16);

	return why < SKL_IMC_WHY ? skl_undriven_text(why) : imc_undriven_text(why);
}

/* ---- occurrences ---- */

/* The two counters from number `box` on take what matches their select. */
static void count_box(struct skl_package *p, uint32_t box, enum skl_code code,
		      uint32_t low, uint32_t high, uint64_t clock)
{
	uint64_t matching = 0;

	for (uint32_t i = box; i < box + 2; i++) {
		uint64_t select = p->counter[i].select;
		uint32_t umask = skl_driven(p, i, select);

		if ((select & SELECT_EN) && VPMU_GET(SELECT_EVENT, select) == (uint32_t)code &&
		    (umask & low) && (umask & high))
			matching |= UINT64_C(1) << i;
	}
	if (matching && skl_counting_in(p, clock))
		skl_count(p, matching, clock);
}

void skl_llc_lookup(struct vpmu_segment *s, uint32_t package, uint32_t slice,
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

void skl_snoop(struct vpmu_segment *s, uint32_t package, uint32_t slice,
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

void skl_tracker(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind, bool coherent,
		 uint64_t start, uint64_t end)
{
	struct skl_package *p = skl_package(s, package);
	uint32_t kinds = skl_tracker_umask(kind);
	uint32_t arb = p->two_arbs ? p->turns[kind]++ % SKL_ARBS : 0;

	skl_occupy(p, arb, kind == VPMU_TRK_DATA_READ, coherent, start, end);
	if (!p->precise) {
		p->bulk.requests[arb][kind]++;
		p->bulk.coherent[arb][kind] += coherent;
		return;
	}
	count_box(p, skl_first_of(arb), SKL_TRK_REQUESTS, kinds, kinds, start);
	if (coherent)
		count_box(p, skl_first_of(arb), SKL_COH_TRK_REQUESTS, kinds, kinds, start);
}

void skl_clock(struct vpmu_segment *s, uint32_t package, uint64_t clock)
{
	skl_advance(skl_package(s, package), clock);
	if (skl_package(s, package)->imc_selected)
		imc_clock(s, package);
}
