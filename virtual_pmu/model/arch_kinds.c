/* SPDX-License-Identifier: MIT */
/* Which counters and architectural events each kind of core has, and what CPUID leaves 0AH and 23H
 * say of them. The numbers are those that CPUID gave on such parts; leaf 0AH of a hybrid machine is
 * what all its kinds have in common. */
#include "arch_state.h"

#define LEAF_A(a, b, c, d) .leaf_a = { a, b, c, d }
/* The TSC of an i5-6400T is 184/2 of its crystal: CPUID leaf 15H. */
#define CRYSTAL .crystal = 92
#define SAME_RATE .crystal = 1

static const struct arch_kind skl_ht = {
	.general = 4, .fixed = 0x7, .events = 0x7f, .any = true, CRYSTAL,
	LEAF_A(0x07300404, 0, 0, 0x603),
};
static const struct arch_kind skl_single = {
	.general = 8, .fixed = 0x7, .events = 0x7f, .any = true, CRYSTAL,
	LEAF_A(0x07300804, 0, 0, 0x603),
};
static const struct arch_kind icl = {
	.general = 8, .fixed = 0xf, .events = 0xff, CRYSTAL,
	LEAF_A(0x08300805, 0, 0xf, 0x8604),
};
static const struct arch_kind golden_cove = {
	.general = 8, .fixed = 0xf, .events = 0xff, SAME_RATE,
	LEAF_A(0x07300605, 0, 0x7, 0x8603),
};
static const struct arch_kind gracemont = {
	.general = 6, .fixed = 0x7, .events = 0x7f, SAME_RATE,
	LEAF_A(0x07300605, 0, 0x7, 0x8603),
};
#define METEOR LEAF_A(0x07300805, 0, 0x7, 0x8603)
static const struct arch_kind redwood_cove = {
	.general = 8, .fixed = 0xf, .events = 0xdff, SAME_RATE, .leaf_23 = true,
	METEOR,
};
static const struct arch_kind crestmont = {
	.general = 8, .fixed = 0x7, .events = 0x7f, SAME_RATE, .leaf_23 = true,
	.slots = 6, METEOR,
};
#define LUNAR LEAF_A(0x0d300806, 0x280, 0x7, 0x8603)
static const struct arch_kind lion_cove = {
	.general = 10, .fixed = 0xf, .events = 0x1dff, SAME_RATE, .leaf_23 = true,
	LUNAR,
};
static const struct arch_kind skymont = {
	.general = 8, .fixed = 0x77, .events = 0x1f7f, SAME_RATE, .leaf_23 = true,
	.slots = 8, LUNAR,
};

const struct arch_kind *arch_kind_of(const struct vpmu_machine *m, uint32_t cpu)
{
	bool little = vpmu_cpu_little(m, cpu) >= 0;

	switch (m->core_design) {
	case VPMU_SKYLAKE_CORES:
		return m->threads > 1 ? &skl_ht : &skl_single;
	case VPMU_GOLDEN_COVE:
		return little ? &gracemont : &golden_cove;
	case VPMU_REDWOOD_COVE:
		return little ? &crestmont : &redwood_cove;
	case VPMU_LION_COVE:
		return little ? &skymont : &lion_cove;
	default:
		return &icl;
	}
}
