/* SPDX-License-Identifier: MIT */
/* The machine's memory, as sysinfo() returns it: all of it is free, as in node/nodeN/meminfo.
 * Programs size their buffers by it, so with the host's values they would execute something else as
 * the host's memory fills. */
#include <sys/sysinfo.h>

#include "calls.h"
#include "system.h"

bool vpmu_memory_before(const int64_t a[6], int64_t *answer)
{
	uint64_t bytes = vpmu_machine_nodes(&vpmu_system.segment->machine) * VPMU_NODE_BYTES;
	const struct sysinfo info = {
		.uptime = vpmu_time_up(), .totalram = bytes, .freeram = bytes, .procs = 1,
		.mem_unit = 1,
	};

	*answer = vpmu_time_put((uint64_t)a[0], &info, sizeof(info));
	return true;
}
