/* SPDX-License-Identifier: MIT */
/* What a machine remembers about its programs: violations, and counters on what is not driven. */
#include "model_type.h"

void vpmu_record_violation(struct vpmu_segment *s, enum vpmu_violation_kind kind, uint32_t cpu,
		    uint32_t address, uint64_t value, uint64_t bad_bits)
{
	if (s->violation_count < VPMU_VIOLATIONS_KEPT)
		s->violations[s->violation_count] = (struct vpmu_violation){
			.value = value, .bad_bits = bad_bits, .address = address, .cpu = cpu,
			.kind = (uint32_t)kind,
		};
	s->violation_count++;
}

void vpmu_record_undriven(struct vpmu_segment *s, uint32_t address, uint64_t select)
{
	for (uint64_t i = 0; i < s->undriven_count && i < VPMU_UNDRIVEN_KEPT; i++)
		if (s->undriven[i].select == select)
			return;
	if (s->undriven_count >= VPMU_UNDRIVEN_KEPT)
		return;
	s->undriven[s->undriven_count++] = (struct vpmu_undriven){
		.address = address, .select = select,
	};
}
