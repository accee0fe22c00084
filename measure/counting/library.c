/* SPDX-License-Identifier: MIT */
#include "library.h"

#include <errno.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>

#include "virtual.h"

int library_open(char why[COUNT_WHY_MAX])
{
	const char *sum = getenv("IPMU_NODE_SUM");
	int rc;

	if (sum && *sum) {
		snprintf(why, COUNT_WHY_MAX, "IPMU_NODE_SUM=%.40s makes the sums of other tools "
			 "right and these wrong: unset it", sum);
		return -EINVAL;
	}
	rc = PAPI_library_init(PAPI_VER_CURRENT);
	if (rc == PAPI_VER_CURRENT)
		return 0;
	snprintf(why, COUNT_WHY_MAX, "PAPI cannot be initialized: %s",
		 rc > 0 ? "its library is of another version than its header" : PAPI_strerror(rc));
	return -ENODEV;
}

/* Within an emulator or a booted machine PAPI sees the machine's caches, beside one the host's. */
enum clock_rule machine_clock_rule(bool is_virtual)
{
	return !is_virtual ? CLOCK_UNKNOWN :
	       virtual_clock_estimates() ? CLOCK_ESTIMATE : CLOCK_INSTRUCTION;
}

void machine_geometry(char *text, size_t bytes)
{
	const PAPI_hw_info_t *info;
	size_t n;

	if (virtual_geometry(text, bytes))
		return;
	info = PAPI_get_hardware_info();
	n = (size_t)snprintf(text, bytes, "packages %d, cores %d, threads %d",
			     info ? info->sockets : 0, info ? info->cores : 0,
			     info ? info->threads : 0);
	for (int level = 0; info && level < info->mem_hierarchy.levels; level++)
		for (int i = 0; i < PAPI_MH_MAX_LEVELS && n < bytes; i++) {
			const PAPI_mh_cache_info_t *c = &info->mem_hierarchy.level[level].cache[i];

			if (c->size)
				n += (size_t)snprintf(text + n, bytes - n,
						      ", L%d %d KiB of %d ways", level + 1,
						      c->size / 1024, c->associativity);
		}
}
