/* SPDX-License-Identifier: MIT */
/* The units of a system: opened when they are first needed, found by their place. ipmu_unit_open()
 * opens a unit's registers and discovers its boxes; ipmu_unit_release() restores them,
 * ipmu_unit_close() frees. These three need the system's lock, unless the system itself is being
 * opened or closed. A unit is open completely or not at all. */
#include "system.h"

#include "../access/trace.h"
#include "../base/why.h"
#include "../lease/lease.h"
#include "../pmu/families.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int alloc_boxes(struct ipmu_unit *unit, const struct ipmu_family *family)
{
	for (int t = 0; family->types[t]; t++) {
		if (!unit->found.nboxes[t])
			continue;
		unit->boxes[t] = calloc((size_t)unit->found.nboxes[t], sizeof(struct ipmu_box));
		if (!unit->boxes[t])
			return -ENOMEM;
		for (int b = 0; b < unit->found.nboxes[t]; b++) {
			unit->boxes[t][b].unit = unit;
			unit->boxes[t][b].type = family->types[t];
			unit->boxes[t][b].type_index = t;
			unit->boxes[t][b].index = b;
		}
	}
	return 0;
}

void ipmu_unit_close(struct ipmu_unit *unit)
{
	for (int t = 0; t < IPMU_TYPES_MAX; t++) {
		free(unit->boxes[t]);
		unit->boxes[t] = NULL;
	}
	if (unit->open)
		ipmu_access_close(&unit->regs);
	ipmu_lease_close(unit);
	unit->open = false;
}

/* Discovery writes counters as a trial, so other processes are kept out. */
static int discover(struct ipmu_system *sys, struct ipmu_unit *unit, char *why)
{
	bool package = sys->family->scope == IPMU_SCOPE_PACKAGE;
	int ncores = package ? sys->topo->packages[unit->place].ncores : 1;
	int rc = ipmu_lease_enter(unit, why);

	if (rc)
		return rc;
	memset(&unit->found, 0, sizeof(unit->found));
	rc = sys->family->discover(&unit->regs, ncores, &unit->found, sys->note, why);
	ipmu_lease_leave(unit);
	unit->lease.sync = IPMU_JOURNAL_UNREAD;	/* it describes counters of boxes to come */
	return rc;
}

/* Open the registers through any CPU of a package. A CPU may have gone offline since the topology
 * was made, or its file may not be permitted. The reason reported is the first CPU's. */
static int open_registers(struct ipmu_system *sys, struct ipmu_unit *unit, int cpu, char *why)
{
	const struct ipmu_topology *t = sys->topo;
	int rc = ipmu_family_open(&unit->regs, sys->family, cpu, why);

	if (sys->family->scope != IPMU_SCOPE_PACKAGE || (rc != -ENXIO && rc != -EACCES))
		return rc;
	for (int i = 0; i < t->ncpus; i++) {
		const struct ipmu_cpu *c = &t->cpus[i];

		if (c->allowed && c->pkg_idx == unit->place && c->os_cpu != cpu &&
		    !ipmu_family_open(&unit->regs, sys->family, c->os_cpu, NULL))
			return 0;
	}
	return rc;
}

static int open_unit(struct ipmu_system *sys, struct ipmu_unit *unit, char *why)
{
	bool package = sys->family->scope == IPMU_SCOPE_PACKAGE;
	bool told = ipmu_unit_model(sys) != NULL;
	int cpu, rc;

	cpu = ipmu_family_reach(sys->family, sys->topo, unit->place);
	if (cpu < 0)
		return ipmu_fail(why, -ENODEV, package ? "package %d has no CPU that this process "
				 "may use: widen its cpuset" : "CPU %d is outside the cpuset of "
				 "this process", unit->place);
	rc = open_registers(sys, unit, cpu, why);
	if (rc)
		return rc;
	unit->open = true;
	if (package) {
		unit->regs.topo = sys->topo;
		unit->regs.package = unit->place;
	}
	unit->regs.take_busy = sys->take_busy;
	unit->regs.told = told;
	rc = ipmu_lease_open(unit, why);
	if (!rc)
		rc = discover(sys, unit, why);
	if (unit->regs.safe && !sys->batch)
		sys->batch = ipmu_batch_open(ipmu_msr_write_now);
	unit->regs.batch = unit->regs.safe ? sys->batch : NULL;
	if (!rc && alloc_boxes(unit, sys->family))
		rc = ipmu_fail(why, -ENOMEM, "out of memory for the counters of %s %d",
			       package ? "package" : "CPU", unit->place);
	if (rc)
		ipmu_unit_close(unit);
	return rc;
}

int ipmu_unit_open(struct ipmu_system *sys, struct ipmu_unit *unit, char *why)
{
	const char *was;
	int rc;

	if (unit->open)
		return 0;
	was = ipmu_trace_for("open");
	rc = open_unit(sys, unit, why);
	ipmu_trace_for(was);
	return rc;
}

struct ipmu_unit *ipmu_unit_find(const struct ipmu_system *sys, int place)
{
	const struct ipmu_cpu *cpu;

	if (sys->family->per_core) {
		cpu = ipmu_topology_cpu(sys->topo, place);
		for (int i = 0; cpu && i < sys->topo->ncpus; i++)
			if (sys->topo->cpus[i].core_idx == cpu->core_idx &&
			    sys->topo->cpus[i].os_cpu < place)
				place = sys->topo->cpus[i].os_cpu;
	}
	for (int i = 0; i < sys->nunits; i++)
		if (sys->units[i].place == place)
			return &sys->units[i];
	return NULL;
}

const struct ipmu_unit *ipmu_unit_model(const struct ipmu_system *sys)
{
	for (int i = 0; i < sys->nunits; i++)
		if (sys->units[i].open)
			return &sys->units[i];
	return NULL;
}

int ipmu_unit_release(struct ipmu_unit *unit)
{
	for (int t = 0; t < IPMU_TYPES_MAX; t++)
		for (int b = 0; b < unit->found.nboxes[t]; b++)
			for (int c = 0; c < IPMU_COUNTERS_MAX; c++)
				unit->boxes[t][b].slots[c].programmed = false;
	return ipmu_lease_end(unit);
}
