/* SPDX-License-Identifier: MIT */
/* Records about a machine's programs: violations, and counters on something that is not driven. */
#include "model_type.h"

static bool same(const struct vpmu_violation *a, const struct vpmu_violation *b)
{
	return a->kind == b->kind && a->space == b->space && a->address == b->address &&
	       a->bad_bits == b->bad_bits;
}

static void record_by_kernel(struct vpmu_segment *s, const struct vpmu_violation *v)
{
	s->by_kernel_count++;
	for (uint64_t i = 0; i < s->by_kernel_kept && i < VPMU_BY_KERNEL_KEPT; i++)
		if (same(&s->by_kernel_first[i], v))
			return;
	if (s->by_kernel_kept < VPMU_BY_KERNEL_KEPT)
		s->by_kernel_first[s->by_kernel_kept++] = *v;
}

void vpmu_record_violation(struct vpmu_segment *s, enum vpmu_violation_kind kind, uint32_t cpu,
		    uint32_t address, uint64_t value, uint64_t bad_bits)
{
	const struct vpmu_violation v = {
		.value = value, .bad_bits = bad_bits, .address = address, .cpu = cpu,
		.kind = (uint32_t)kind,
	};

	vpmu_record_violation_in(s, &v);
}

void vpmu_record_violation_in(struct vpmu_segment *s, const struct vpmu_violation *v)
{
	if (s->kernel == VPMU_KERNEL_ACCESS) {
		record_by_kernel(s, v);
		return;
	}
	if (s->violation_count < VPMU_VIOLATIONS_KEPT)
		s->violations[s->violation_count] = *v;
	s->violation_count++;
}

void vpmu_record_undriven(struct vpmu_segment *s, enum vpmu_space space, uint32_t address,
			  uint64_t select)
{
	for (uint64_t i = 0; i < s->undriven_count && i < VPMU_UNDRIVEN_KEPT; i++)
		if (s->undriven[i].select == select)
			return;
	if (s->undriven_count >= VPMU_UNDRIVEN_KEPT)
		return;
	s->undriven[s->undriven_count++] = (struct vpmu_undriven){
		.address = address, .space = (uint32_t)space, .select = select,
	};
}
