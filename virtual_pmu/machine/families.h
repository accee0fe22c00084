/* SPDX-License-Identifier: MIT */
/* The families of machines as data, for the files that make machines of names. */
#ifndef VPMU_FAMILIES_H
#define VPMU_FAMILIES_H

#include "machine.h"

struct vpmu_family_row {
	const char *prefix;
	const char *pattern;		/* all forms of the name */
	const char *meaning;		/* of the letters */
	const char *examples;
	const char *brand;		/* as in "VirtualPMU skl-4c8t (BRAND model)" */
	const char *qemu_cpu;
	/* Letters of the accepted forms: "ct", "pct pt". In those with an 'e' or an 'l' the cores
	 * are P cores, E cores and, as "lp" in the name, low-power E cores: "pet", "et", "pelt". */
	const char *forms;
	uint32_t cores_min, cores_max;	/* per package; of a hybrid machine the P cores */
	uint32_t little_min, little_max, low;	/* E cores, whole clusters; low-power ones */
	uint32_t away;			/* E cores beside those that are not behind the LLC */
	uint32_t cores_fixed;		/* per package; 0: packages come from the name */
	uint32_t threads_allowed;	/* bit n: n threads per core; 0 in the name: the lowest */
	uint32_t slices;		/* 0: one per core, as far as there are so many; of a
					 * hybrid machine one per P core and cluster */
	uint32_t slices_max;		/* 0: 8 */
	uint32_t llc_slice_bytes, llc_core_bytes;	/* either of them */
	struct vpmu_machine base;
};

extern const struct vpmu_family_row vpmu_families[];
extern const uint32_t vpmu_family_count;

#endif
