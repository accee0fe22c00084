/* SPDX-License-Identifier: MIT */
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
	out->set_bytes = VPMU_SET_HEAD_BYTES + out->ways * (uint32_t)sizeof(uint64_t);
	return 0;
}

static uint64_t level_bytes(const struct vpmu_level *level)
{
	return align_up((uint64_t)level->sets * level->set_bytes, 64);
}

static uint64_t llc_bytes(const struct vpmu_layout *l)
{
	return (uint64_t)l->slices * l->llc.sets *
	       (VPMU_SET_HEAD_BYTES + 2 * l->llc.ways * sizeof(uint64_t));
}

static int make_levels(const struct vpmu_machine *m, struct vpmu_layout *out)
{
	if (make_level(&m->l1i, 1, &out->l1i) || make_level(&m->l1d, 1, &out->l1d) ||
	    make_level(&m->l2, 1, &out->l2) || make_level(&m->llc, m->slices, &out->llc))
		return -EINVAL;
	/* The two that every machine of today has. */
	return out->l1d.sets && out->llc.sets ? 0 : -EINVAL;
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

int vpmu_layout_make(const struct vpmu_machine *m, struct vpmu_layout *out)
{
	memset(out, 0, sizeof(*out));
	if (m->packages == 0 || m->cores == 0 || m->cores > 64 || m->slices == 0)
		return -EINVAL;
	if (m->fill_buffers == 0 || m->fill_buffers > VPMU_FILLS_MAX)
		return -EINVAL;
	if (make_levels(m, out))
		return -EINVAL;
	out->cores = m->cores;
	out->slices = m->slices;
	out->slice_shift = m->slices & (m->slices - 1) ? 32 : (uint32_t)__builtin_ctz(m->slices);
	out->fills = m->fill_buffers;
	out->fills_at = VPMU_CORE_HEADER_BYTES;
	out->l1i_at = align_up(out->fills_at + out->fills * sizeof(uint64_t), 64);
	out->l1d_at = out->l1i_at + level_bytes(&out->l1i);
	out->l2_at = out->l1d_at + level_bytes(&out->l1d);
	out->core_bytes = align_up(out->l2_at + level_bytes(&out->l2), 4096);
	out->llc_at = out->cores * out->core_bytes;
	out->package_bytes = align_up(out->llc_at + llc_bytes(out), 4096);
	out->bytes = m->packages * out->package_bytes;
	out->directory = m->llc_level == 0 && out->l2.sets;
	make_memory(m, out);
	return 0;
}

uint64_t vpmu_caches_bytes(const struct vpmu_machine *m)
{
	struct vpmu_layout layout;

	return vpmu_layout_make(m, &layout) ? 0 : layout.bytes;
}
