/* SPDX-License-Identifier: MIT */
/* How the client uncore behaves: registers, enables, the memory controller's window, and what is
 * executed as the documents' events. Generations' rows and events are in client_*.c, whose types
 * name the functions here. The caller holds the machine lock. Before a register is read or written,
 * skl_bring_up() has counted everything until then. */
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
	memcpy(image + 0x68, &skl_package(s, 0)->saf_bar, sizeof(uint64_t));
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
static uint32_t *imc_counter(uint8_t *mmio, uint32_t offset)
{
	return (uint32_t *)(void *)(mmio + offset);
}

static void imc_add(uint8_t *mmio, uint32_t offset, uint32_t n)
{
	uint32_t *counter = imc_counter(mmio, offset);

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

static void memory_traffic(struct vpmu_segment *s, uint32_t package, uint32_t box,
			   const struct imc_traffic *t)
{
	struct skl_package *p = skl_package(s, package);
	uint8_t *mmio = vpmu_package_mmio(s, package);

	if (p->controllers && box == VPMU_IN_TURN) {
		share(p, mmio, t);
	} else if (p->controllers) {
		imc_requests(p, mmio, box, t);
	} else {
		imc_add(mmio, IMC_IA_REQUESTS, t->requests);
		imc_add(mmio, IMC_DATA_READS, t->reads);
		imc_add(mmio, IMC_DATA_WRITES, t->writes);
	}
}

/* ---- registers ---- */

static void reset_tile(struct vpmu_segment *s, struct skl_package *p, const struct skl_design *d)
{
	p->cbo_config = s->machine.slices + d->more;
	p->imc_bar = IMC_BAR_RESET;
	p->units = d->units;
	if (d->saf)	/* its registers are right behind those of the other base */
		p->saf_bar = IMC_BAR_RESET + SKL_IMC_WINDOW_64 - SKL_SAF_FROM;
	memcpy(p->device, s->machine.cores <= 2 ? d->device_of_two : d->device, 2);
	p->always = d->always;
	p->two_arbs = d->two_arbs;
	p->ctr_width = d->ctr_width ? d->ctr_width : SKL_CTR_WIDTH;
	p->cbo_codes = d->cbo_codes ? d->cbo_codes : SKL_LOOKUPS | SKL_SNOOPS;
	p->controllers = d->controllers;
	p->single = !d->two_arbs && !d->controllers && skl_tiles(s) <= SKL_SOC_TILE;
	skl_arb_umasks(d, p->arb_umasks);
	imc_reset(p, d);
}

/* Set the window's registers to their values at the machine's start. */
static void reset_units(struct vpmu_segment *s, uint32_t package)
{
	struct skl_package *p = skl_package(s, package);

	p->discovery = (p->imc_bar & IMC_BAR_MASK) + SKL_UNITS_FROM;
	units_reset(vpmu_package_mmio(s, package), p->discovery);
}

void skl_reset(struct vpmu_segment *s, const struct skl_design *d)
{
	for (uint32_t i = 0; i < s->machine.packages; i++)
		reset_tile(s, skl_package(s, i), d);
	if (d->units)
		reset_units(s, 0);
	if (d->soc)
		reset_tile(s, skl_package(s, SKL_SOC_TILE), d->soc);
}

void skl_bring_up(struct vpmu_segment *s, uint32_t package)
{
	for (uint32_t tile = package; tile < package + skl_tiles(s); tile++) {
		skl_advance(skl_package(s, tile), s->uclk[package]);
		skl_bulk_apply(skl_package(s, tile));
	}
	imc_clock(s, package);
}

void skl_gather(struct vpmu_segment *s, uint32_t package)
{
	for (uint32_t tile = package; tile < package + skl_tiles(s); tile++)
		skl_bulk_apply(skl_package(s, tile));
}

/* The counter whose event select this is; SKL_FIXED: it is none. *tile: the register's. */
static uint32_t selects(const struct vpmu_register *r, uint32_t *tile)
{
	const struct vpmu_register_row *row = r->row;
	size_t at = row->offset % sizeof(struct skl_package) + (size_t)r->box * row->box_bytes +
		    (size_t)r->counter * row->counter_bytes;
	size_t first = offsetof(struct skl_package, counter[0].select);

	*tile = row->scope == VPMU_PACKAGE ?
		(uint32_t)(row->offset / sizeof(struct skl_package)) : 0;
	if (row->space != VPMU_MSR || row->scope != VPMU_PACKAGE || at < first ||
	    at >= offsetof(struct skl_package, counter[SKL_COUNTERS]) ||
	    (at - first) % sizeof(struct vpmu_counter))
		return SKL_FIXED;
	return (uint32_t)((at - first) / sizeof(struct vpmu_counter));
}

static void receive(struct vpmu_segment *s, uint32_t cpu, bool on)
{
	const struct vpmu_machine *m = &s->machine;
	struct skl_package *p = skl_package(s, vpmu_cpu_package(m, cpu));
	uint32_t core = vpmu_cpu_core(m, cpu) % m->cores;
	uint8_t bit = (uint8_t)(1u << vpmu_cpu_thread(m, cpu));

	if (core < SKL_PMI_SEL_CORES)
		p->receivers[core] = (uint8_t)(on ? p->receivers[core] | bit :
					       p->receivers[core] & ~bit);
}

static void written_in_window(struct vpmu_segment *s, uint32_t package, uint32_t offset,
			      uint64_t value)
{
	if (offset < SKL_IMC_WINDOW_64)
		imc_written(s, package, offset, value);
	else if (offset >= SKL_UNITS_FROM)
		units_written(s, package, offset, value);
	else
		hbo_written(s, package, offset, value);
}

void skl_written(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r,
		 uint64_t value)
{
	uint32_t tile, counter = selects(r, &tile), why;
	struct skl_package *p = skl_package(s, vpmu_cpu_package(&s->machine, cpu) + tile);

	if (r->row->space == VPMU_MMIO) {
		written_in_window(s, vpmu_cpu_package(&s->machine, cpu), vpmu_register_address(r),
				  value);
		return;
	}
	if (r->row->scope == VPMU_THREAD) {
		receive(s, cpu, value & SKL_ENABLE_UNCORE_PMI);
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

uint64_t skl_interrupts(struct vpmu_segment *s, uint32_t cpu)
{
	const struct vpmu_machine *m = &s->machine;
	uint32_t core = vpmu_cpu_core(m, cpu) % m->cores;

	return core < SKL_PMI_SEL_CORES ?
	       skl_package(s, vpmu_cpu_package(m, cpu))->interrupts[core][vpmu_cpu_thread(m, cpu)] :
	       0;
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
		p->bulk.llc.lookup[slice][__builtin_ctz(request)][__builtin_ctz(found)]++;
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
		p->bulk.llc.snoop[slice][cause == VPMU_EVICTION][__builtin_ctz(result)]++;
		return;
	}
	count_box(p, SKL_CBO(slice), SKL_XSNP_RESPONSE, (uint32_t)result, (uint32_t)cause << 4,
		  clock);
}

static uint32_t next_turn(const struct skl_package *p, uint32_t *turn)
{
	return p->two_arbs ? (*turn)++ % SKL_ARBS : 0;
}

static void track(struct skl_package *p, enum vpmu_tracker kind, bool coherent, uint64_t start,
		  uint64_t end)
{
	uint32_t kinds = skl_tracker_umask(kind), arb = next_turn(p, &p->turns[kind]);

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

void skl_tracker(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind, bool coherent,
		 uint64_t start, uint64_t end)
{
	track(skl_package(s, package), kind, coherent, start, end);
}

/* A machine without counters in a SoC tile counts nothing of what is not behind the LLC. */
void skl_away_tracker(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind,
		      bool coherent, uint64_t start, uint64_t end)
{
	if (skl_tiles(s) > SKL_SOC_TILE)
		track(skl_package(s, package + SKL_SOC_TILE), kind, coherent, start, end);
}

void skl_away_request(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind,
		      uint64_t clock)
{
	struct skl_package *p = skl_package(s, package + SKL_SOC_TILE);
	uint32_t box, umask = skl_tor_umask(kind);

	if (skl_tiles(s) <= SKL_SOC_TILE)
		return;
	box = next_turn(p, &p->tor_turns[kind]);
	if (!p->precise)
		p->bulk.tor[box][kind]++;
	else
		count_box(p, SKL_CBO(box), SKL_TOR_ALLOCATION, umask, umask, clock);
}

/* All traffic to memory passes the SoC tile. */
static void transactions(struct vpmu_segment *s, uint32_t package, bool read, uint32_t n)
{
	struct skl_package *p = skl_package(s, package + SKL_SOC_TILE);
	uint32_t umask = SKL_TRANSACTIONS_ALL |
			 (read ? SKL_TRANSACTIONS_READS : SKL_TRANSACTIONS_WRITES);

	for (; n; n--) {
		uint32_t arb = next_turn(p, &p->transaction_turns[read]);

		if (!p->precise)
			p->bulk.transactions[arb][!read]++;
		else
			count_box(p, skl_first_of(arb), SKL_TRANSACTIONS, umask, umask,
				  s->uclk[package]);
	}
}

void skl_dram(struct vpmu_segment *s, uint32_t package, uint32_t box, uint32_t requests,
	      uint32_t read_cas, uint32_t write_cas)
{
	memory_traffic(s, package, box, &(struct imc_traffic){ requests, read_cas, write_cas });
	if (skl_tiles(s) <= SKL_SOC_TILE)
		return;
	transactions(s, package, true, read_cas);
	transactions(s, package, false, requests > read_cas ? requests - read_cas : 0);
}

void skl_bulk_of(struct vpmu_segment *s, uint32_t package, struct vpmu_bulk *out)
{
	struct skl_package *p = skl_package(s, package);
	uint8_t *mmio = vpmu_package_mmio(s, package);

	*out = (struct vpmu_bulk){
		.precise = &p->precise, .llc = &p->bulk.llc, .done = &p->done,
		.entries = p->single ? &p->bulk.list : NULL, .transfers = p->bulk.all,
		.requests = imc_counter(mmio, IMC_IA_REQUESTS),
		.reads = imc_counter(mmio, IMC_DATA_READS),
		.writes = imc_counter(mmio, IMC_DATA_WRITES),
	};
}

void skl_clock(struct vpmu_segment *s, uint32_t package, uint64_t clock)
{
	for (uint32_t tile = package; tile < package + skl_tiles(s); tile++) {
		skl_advance(skl_package(s, tile), clock);
		if (skl_package(s, tile)->forwards)
			skl_bulk_apply(skl_package(s, tile));
	}
	if (skl_package(s, package)->imc_selected)
		imc_clock(s, package);
}
