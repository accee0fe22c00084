/* SPDX-License-Identifier: MIT */
/* Memory controllers (M-Boxes): where a line's memory is, and in which state its DRAM page is.
 *
 * Stated model:
 * - A page of 4 KiB has its home in the package whose thread first reached memory in it, unless a
 *   memory policy of the program chooses another one; the table
 *   of homes holds 2^18 pages, and pages beyond that are spread over the packages by page number.
 *   Pages keep their home when a program unmaps and maps their addresses again.
 *   On a booted machine each package has a range of physical addresses instead.
 * - Of two boxes, the line goes to the one that the parity of address bits 6, 13, 16 and 20 names.
 *   So neighbouring lines alternate.
 * - A box has 4 ranks of 8 banks; a bank's open page holds 128 neighbouring lines of the box
 *   (8 KiB). Neighbouring pages are in different banks, and rows turn the banks' order, so that a
 *   power-of-two stride uses several.
 * - Pages stay open until the bank needs another one: open-page policy without a timer.
 * In user mode all addresses are virtual: the feed has no others. */
#ifndef VPMU_FEED_MEMORY_CONTROLLER_H
#define VPMU_FEED_MEMORY_CONTROLLER_H

#include "../../model/core_events.h"
#include "../profile/charge.h"
#include "caches.h"

#define VPMU_HOME_PROBES 16u
#define VPMU_BANK_LINES_SHIFT 7

/* Sends a command to its memory controller, on machines whose controllers are modelled. */
void vpmu_controller_command(const struct vpmu_caches *c, const struct vpmu_runner *r, uint64_t tag,
			     bool write, uint32_t requests);

/* The runner reads a line from memory or writes it there, by so many requests. Machine lock
 * held. */
static inline void vpmu_controller_access(const struct vpmu_caches *c, const struct vpmu_runner *r,
					  uint64_t tag, bool write, uint32_t requests)
{
	if (c->layout.boxes) {
		vpmu_controller_command(c, r, tag, write, requests);
		return;
	}
	vpmu_charge_dram(VPMU_KIND_DRAM_REQUESTS, requests, write);
	vpmu_dram(c->s, r->package, requests, !write, write);
}

/* The parts, for tests. */
uint32_t vpmu_controller_home_package(const struct vpmu_caches *c, const struct vpmu_runner *r,
				      uint64_t tag);
uint32_t vpmu_controller_box(const struct vpmu_caches *c, uint64_t tag);

/* Has the page a home already? Machine lock held. */
bool vpmu_controller_home_known(const struct vpmu_caches *c, uint64_t tag);
/* Assigns the page its home. Machine lock held. */
void vpmu_controller_home_move(const struct vpmu_caches *c, uint64_t tag, uint32_t package);

#endif
