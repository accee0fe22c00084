/* SPDX-License-Identifier: MIT */
/* Computes the layout of a machine's caches in the segment: vpmu_layout_make(), and its size alone,
 * vpmu_caches_bytes(). All processes on a machine compute it for themselves, so it depends on the
 * machine and on nothing else. A change of the layout has to raise VPMU_VERSION. There is no
 * lock. */
#include <errno.h>
#include <string.h>

#include "geometry.h"

/* Blocks are padded to a page, so that no two cores share a host line or a prefetched pair. */
static uint64_t align_up(uint64_t bytes, uint64_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

static int make_level(const struct vpmu_cache *cache, uint32_t slices, struct vpmu_level *out)
{
	memset(out, 0, sizeof(*out));
	if (cache->bytes == 0)
		return 0;
	if (cache->ways == 0 || cache->line != VPMU_LINE_BYTES)
		return -EINVAL;
	/* More ways than an order word can hold become twice the sets of half the ways. */
	out->ways = cache->ways;
	while (out->ways > VPMU_WAYS_MAX && out->ways % 2 == 0)
		out->ways /= 2;
	if (out->ways > VPMU_WAYS_MAX)
		return -EINVAL;
	out->sets = cache->bytes / slices / out->ways / VPMU_LINE_BYTES;
	if (out->sets == 0)
		return -EINVAL;
	if ((out->sets & (out->sets - 1)) == 0)
		out->mask = out->sets - 1;
	out->set_bytes = vpmu_set_bytes(out->ways);
	return 0;
}

static uint64_t level_bytes(const struct vpmu_level *level)
{
	return align_up((uint64_t)level->sets * level->set_bytes, 64);
}

static uint64_t llc_bytes(const struct vpmu_layout *l)
{
	return (uint64_t)l->slices * l->llc.sets * l->llc.set_bytes;
}

static int make_l1(const struct vpmu_cache *cache, struct vpmu_level *out)
{
	int rc = make_level(cache, 1, out);

	out->set_bytes = vpmu_l1_set_bytes(out->ways);
	return rc;
}

static int make_llc(const struct vpmu_machine *m, struct vpmu_layout *out)
{
	if (make_level(&m->llc, m->slices, &out->llc) || !out->llc.sets)
		return -EINVAL;
	out->few = out->agents <= VPMU_AGENTS_FEW && out->away_from == out->agents;
	out->llc.set_bytes = vpmu_llc_set_bytes(out->llc.ways, out->few);
	return 0;
}

/* Computes the block of an agent with this many cores. */
static int make_block(const struct vpmu_cache *l1i, const struct vpmu_cache *l1d,
		      const struct vpmu_cache *l2, uint32_t members, uint64_t from,
		      struct vpmu_agent_block *out)
{
	if (make_l1(l1i, &out->l1i) || make_l1(l1d, &out->l1d) ||
	    make_level(l2, 1, &out->l2) || !out->l1d.sets)
		return -EINVAL;
	out->members = members;
	out->l1i_at = from;
	out->l1d_at = out->l1i_at + level_bytes(&out->l1i);
	out->member_bytes = level_bytes(&out->l1i) + level_bytes(&out->l1d);
	out->l2_at = from + members * out->member_bytes;
	out->bytes = align_up(out->l2_at + level_bytes(&out->l2), 4096);
	return 0;
}

static int make_blocks(const struct vpmu_machine *m, struct vpmu_layout *out)
{
	const struct vpmu_little *e = &m->little;
	uint32_t members = e->cores ? e->cluster : 1;
	uint64_t from = align_up(out->fills_at + members * out->fills * sizeof(uint64_t), 64);

	if (make_block(&m->l1i, &m->l1d, &m->l2, 1, from, &out->core))
		return -EINVAL;
	return e->cores ? make_block(&e->l1i, &e->l1d, &e->l2, members, from, &out->cluster) : 0;
}

/* The parts of a hybrid machine: whole clusters, each on one side of the LLC's border. */
static bool little_fits(const struct vpmu_machine *m)
{
	const struct vpmu_little *e = &m->little;

	return !e->cores || (e->cluster > 0 && e->cluster <= VPMU_CLUSTER_MAX &&
			     e->cores <= m->cores && e->away <= e->cores &&
			     (e->cores - e->away) % e->cluster == 0 && e->l2.bytes &&
			     m->packages == 1);
}

static void make_memory(const struct vpmu_machine *m, struct vpmu_layout *out)
{
	out->boxes = m->memory_boxes;
	out->banks_at = out->homes_at = out->bytes;
	if (!out->boxes)
		return;
	out->homes_at += align_up((uint64_t)m->packages * out->boxes * VPMU_BANKS *
				  sizeof(uint64_t), 4096);
	out->bytes = out->homes_at;
	if (m->packages > 1)
		out->bytes += (uint64_t)VPMU_HOME_PAGES * sizeof(uint64_t);
}

static uint64_t agents_bytes(const struct vpmu_layout *l)
{
	return l->clusters_from * l->core.bytes +
	       (l->agents - l->clusters_from) * l->cluster.bytes;
}

static void make_agents(const struct vpmu_machine *m, struct vpmu_layout *out)
{
	out->agents = out->clusters_from = out->away_from = m->cores;
	if (!m->little.cores)
		return;
	out->agents = vpmu_package_agents(m);
	out->clusters_from = vpmu_first_little(m);
	out->away_from = m->little.away ? vpmu_core_agent(m, m->cores - m->little.away) :
					  out->agents;
}

int vpmu_layout_make(const struct vpmu_machine *m, struct vpmu_layout *out)
{
	memset(out, 0, sizeof(*out));
	if (m->packages == 0 || m->cores == 0 || m->cores > 64 || m->slices == 0)
		return -EINVAL;
	if (m->fill_buffers == 0 || m->fill_buffers > VPMU_FILLS_MAX || !little_fits(m))
		return -EINVAL;
	out->fills = m->fill_buffers;
	out->fills_at = VPMU_CORE_HEADER_BYTES;
	make_agents(m, out);
	if (make_blocks(m, out) || make_llc(m, out))
		return -EINVAL;
	out->slices = m->slices;
	out->slice_shift = m->slices & (m->slices - 1) ? 32 : (uint32_t)__builtin_ctz(m->slices);
	out->llc_at = align_up(agents_bytes(out), 64);
	out->package_bytes = align_up(out->llc_at + llc_bytes(out), 4096);
	out->bytes = m->packages * out->package_bytes;
	out->directory = m->llc_level == 0 && out->core.l2.sets;
	make_memory(m, out);
	return 0;
}

uint64_t vpmu_caches_bytes(const struct vpmu_machine *m)
{
	struct vpmu_layout layout;

	return vpmu_layout_make(m, &layout) ? 0 : layout.bytes;
}
