/* SPDX-License-Identifier: MIT */
/* Opens the machine's caches in the segment and binds runners to them. vpmu_caches_open() checks
 * the layout. vpmu_caches_place() puts a runner on a virtual CPU and fills in all that its fast
 * paths read. vpmu_caches_choose() decides which fast path it may use. A runner is its thread's
 * own, so these take no lock. After a move nothing in the runner refers to the old core. */
#include <errno.h>
#include <string.h>

#include "contention.h"
#include "plain_access.h"
#include "../profile/clocks.h"
#include "private_caches.h"
#include "../thread/pause_loop.h"

_Static_assert(sizeof(struct vpmu_core) == VPMU_CORE_HEADER_BYTES, "core header");

int vpmu_caches_open(struct vpmu_caches *c, struct vpmu_segment *s)
{
	if (vpmu_layout_make(&s->machine, &c->layout))
		return -EINVAL;
	if (s->caches_bytes < c->layout.bytes || s->caches_offset > s->bytes ||
	    s->bytes - s->caches_offset < c->layout.bytes)
		return -EINVAL;
	c->s = s;
	c->estimates = vpmu_clock_estimates(&s->machine);
	c->base = (unsigned char *)s + s->caches_offset;
	vpmu_contended_forget();
	return 0;
}

struct vpmu_core *vpmu_caches_core(const struct vpmu_caches *c, uint32_t package, uint32_t core)
{
	return (struct vpmu_core *)(void *)vpmu_core_block(c, package, core);
}

uint64_t *vpmu_caches_fills(const struct vpmu_caches *c, uint32_t package, uint32_t core)
{
	return (uint64_t *)(void *)(vpmu_core_block(c, package, core) + c->layout.fills_at);
}

static void place_fast(struct vpmu_fast *f, unsigned char *at, const struct vpmu_level *level)
{
	f->level = *level;
	f->sets = level->sets ? at : NULL;
}

static void forget_sites(struct vpmu_runner *r)
{
	static struct vpmu_way none;	/* has no line, ever */

	for (uint32_t i = 0; i < VPMU_SITES; i++)
		r->site[i] = &none;
	for (uint32_t i = 0; i < VPMU_CODE_LINES; i++)
		r->code[i] = &none;
	r->filled = &none;
	r->inside = NULL;
	for (uint32_t i = 0; i < VPMU_STREAMS; i++)
		r->stream[i].next.set = NULL;
}

static struct vpmu_pace pace_of(uint32_t latency, uint32_t buffers)
{
	return (struct vpmu_pace){ latency, latency / buffers, latency % buffers };
}

void vpmu_caches_place(const struct vpmu_caches *c, struct vpmu_runner *r, uint32_t cpu)
{
	const struct vpmu_machine *m = &c->s->machine;
	const struct vpmu_agent_block *b;
	unsigned char *block;
	uint32_t core;

	if (r->s)
		vpmu_contended_leave(c, r);
	r->s = c->s;
	r->cpu = cpu;
	if (cpu >= vpmu_machine_cpus(m))
		cpu = 0;
	r->package = vpmu_cpu_package(m, cpu);
	core = vpmu_cpu_core(m, cpu) % m->cores;
	r->newest = &c->s->uclk[r->package];
	r->core = vpmu_core_agent(m, core);
	r->me = 1ull << r->core;
	r->member = core < c->layout.clusters_from ?
		    0 : (core - c->layout.clusters_from) % m->little.cluster;
	b = vpmu_block_of(c, r->core);
	block = vpmu_core_block(c, r->package, r->core) + r->member * b->member_bytes;
	place_fast(&r->l1d, block + b->l1d_at, &b->l1d);
	place_fast(&r->l1i, block + b->l1i_at, &b->l1i);
	r->own = vpmu_caches_core(c, r->package, r->core);
	place_fast(&r->l2, (unsigned char *)r->own + b->l2_at, &b->l2);
	r->fills = vpmu_caches_fills(c, r->package, r->core) + r->member * c->layout.fills;
	r->fill_buffers = c->layout.fills;
	r->fills_of_core = &r->own->fills[r->member];
	r->llc_pace = pace_of(m->llc_clocks, m->fill_buffers);
	r->memory_pace = pace_of(m->memory_clocks, m->fill_buffers);
	r->write_clocks = m->write_clocks;
	r->estimates = c->estimates;
	r->window_size = m->fill_buffers <= 10 ? VPMU_WINDOW : m->fill_buffers <= 12 ?
			 VPMU_WINDOW_SUNNY_COVE : VPMU_WINDOW_GOLDEN_COVE;
	r->uses_per_clock = r->estimates ? VPMU_USES_PER_CLOCK_MANY : VPMU_USES_PER_CLOCK;
	r->spin_clocks = r->estimates ? VPMU_SPIN_CLOCKS_LONG : VPMU_SPIN_CLOCKS;
	forget_sites(r);
	r->llc = c->base + r->package * c->layout.package_bytes + c->layout.llc_at;
	r->slice_bytes = (uint64_t)c->layout.llc.sets * c->layout.llc.set_bytes;
	r->slice_shift = c->layout.slice_shift;
	r->slice_last = c->layout.slices - 1;
	r->set_last = c->layout.llc.mask;
	vpmu_caches_choose(c, r);
	vpmu_contended_enter(c, r);
	vpmu_profile_place(r);
}

void vpmu_caches_choose(const struct vpmu_caches *c, struct vpmu_runner *r)
{
	const struct vpmu_agent_block *b = vpmu_block_of(c, r->core);

	r->plain = !r->counts && b->members == 1 && b->l1d.mask && b->l1i.mask && b->l2.mask &&
		   c->layout.away_from == c->layout.agents && !c->layout.directory &&
		   vpmu_bulk_of(c->s, r->package, &r->bulk);
	r->usual = r->plain && vpmu_plain_usual(c, r);
}
