/* SPDX-License-Identifier: MIT */
/* Options of an event set, in the terms of the engine. */
#include "inside.h"

#include <errno.h>
#include <stdio.h>

void glue_options_default(const struct glue *g, struct glue_options *options)
{
	*options = (struct glue_options){ .cpu = -1, .domain = INFO(g).default_domain };
}

static int find_cpu(const struct glue *g, int os_cpu, const struct ipmu_cpu **out, char *why)
{
	const struct ipmu_cpu *cpu = ipmu_topology_cpu(g->topology, os_cpu);

	if (!cpu || !cpu->allowed) {
		snprintf(why, IPMU_WHY_MAX, "an event set cannot be attached to CPU %d: %s", os_cpu,
			 cpu ? "this process may not use it, see its cpuset" :
			 "this machine has none of that number that is online");
		return -EINVAL;
	}
	*out = cpu;
	return 0;
}

int glue_options_frame(const struct glue *g, const struct glue_options *options,
		       struct ipmu_frame *frame, char *why)
{
	const struct ipmu_cpu *cpu;
	int rc;

	*frame = (struct ipmu_frame){ .place = IPMU_ALL,
				      .user = options->domain & PAPI_DOM_USER,
				      .kernel = options->domain & PAPI_DOM_KERNEL };
	if (options->cpu < 0)
		return 0;
	rc = find_cpu(g, options->cpu, &cpu, why);
	if (!rc)
		frame->place = g->scope == IPMU_SCOPE_CPU ? cpu->os_cpu : cpu->pkg_idx;
	return rc;
}
