/* SPDX-License-Identifier: MIT */
/* Records the value of each register at its first access, to list those that programs leave
 * changed. vpmu_register_note() is called before an access, vpmu_model_changed() lists the
 * registers that differ. The caller holds the machine lock. The table in the segment is a hash by
 * place without removal; what does not fit is counted in touched_lost, and counts as changed. */
#include <string.h>

#include "model_type.h"

static uint64_t value_at(const struct vpmu_segment *s, uint64_t at)
{
	uint64_t value;

	memcpy(&value, (const uint8_t *)s + at, sizeof(value));
	return value;
}

/* The entry of that value, or the free one that it may take; NULL: the table is full. */
static struct vpmu_touched *entry(struct vpmu_segment *s, uint64_t at)
{
	uint64_t hash = at / sizeof(uint64_t) * UINT64_C(0x9E3779B97F4A7C15) >> 32;

	for (uint64_t i = 0; i < VPMU_TOUCHED_MAX; i++) {
		struct vpmu_touched *w = &s->touched[(hash + i) % VPMU_TOUCHED_MAX];

		if (!w->at || w->at == at)
			return w;
	}
	return NULL;
}

static uint64_t offset_of(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r)
{
	return (uint64_t)((uint8_t *)vpmu_register_value(s, cpu, r) - (uint8_t *)s);
}

void vpmu_register_note(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r,
			bool writes)
{
	uint64_t at = offset_of(s, cpu, r);
	struct vpmu_touched *w;

	if (r->row->access != VPMU_RW || s->kernel == VPMU_KERNEL_ACCESS)
		return;
	w = entry(s, at);
	if (!w) {
		s->touched_lost++;
		return;
	}
	if (!w->at)
		*w = (struct vpmu_touched){ .at = at, .before = value_at(s, at),
					    .poked = value_at(s, at), .cpu = cpu,
					    .address = vpmu_register_address(r),
					    .space = (uint32_t)r->row->space };
	w->written |= writes;
}

void vpmu_window_note(struct vpmu_segment *s, uint32_t cpu)
{
	struct vpmu_register r;

	for (uint32_t i = 0; vpmu_register_number(&s->machine, i, &r); i++)
		if (r.row->space == VPMU_MMIO)
			vpmu_register_note(s, cpu, &r, false);
}

/* A program may restore the value that it found first, or the one that the tool has set since: both
 * count as restored. */
void vpmu_register_note_poke(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r)
{
	uint64_t at = offset_of(s, cpu, r);
	struct vpmu_touched *w = r->row->access == VPMU_RW ? entry(s, at) : NULL;

	if (w && w->at)
		w->poked = value_at(s, at);
}

/* Only bits that can be written are compared: a program cannot restore others. w: a copy, as others
 * may write the segment of --devices at any time. */
static bool changed(const struct vpmu_segment *s, const struct vpmu_touched *w,
		    struct vpmu_register *r)
{
	uint64_t value, mask;

	if (!w->at || !w->written || w->at > s->bytes - sizeof(value) ||
	    w->cpu >= vpmu_machine_cpus(&s->machine) ||
	    !vpmu_register_at(&s->machine, (enum vpmu_space)w->space, w->address, r))
		return false;
	value = value_at(s, w->at);
	mask = vpmu_register_mask(&s->machine, w->cpu, r->row) | r->row->unsourced;
	return ((value ^ w->before) & mask) && ((value ^ w->poked) & mask);
}

uint64_t vpmu_model_changed(struct vpmu_segment *s,
			    void (*report)(const struct vpmu_register_info *reg,
					   const struct vpmu_touched *w, uint64_t value, void *arg),
			    void *arg)
{
	uint64_t n = s->touched_lost;

	for (uint32_t i = 0; i < VPMU_TOUCHED_MAX; i++) {
		const struct vpmu_touched w = s->touched[i];
		struct vpmu_register_info info;
		struct vpmu_register r;

		if (!changed(s, &w, &r))
			continue;
		n++;
		vpmu_register_describe(&s->machine, &r, &info);
		if (report)
			report(&info, &w, value_at(s, w.at), arg);
	}
	return n;
}
