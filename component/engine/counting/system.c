/* SPDX-License-Identifier: MIT */
#include "system.h"

#include "../why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ipmu_system *open_systems;

static int alloc_boxes(struct ipmu_unit *unit, const struct ipmu_family *family)
{
	for (int t = 0; family->types[t]; t++) {
		if (!unit->nboxes[t])
			continue;
		unit->boxes[t] = calloc((size_t)unit->nboxes[t], sizeof(struct ipmu_box));
		if (!unit->boxes[t])
			return -ENOMEM;
		for (int b = 0; b < unit->nboxes[t]; b++) {
			unit->boxes[t][b].unit = unit;
			unit->boxes[t][b].type = family->types[t];
			unit->boxes[t][b].index = b;
		}
	}
	return 0;
}

static void unit_close(struct ipmu_unit *unit)
{
	for (int t = 0; t < IPMU_TYPES_MAX; t++)
		free(unit->boxes[t]);
	ipmu_access_close(&unit->regs);
}

static int unit_open(struct ipmu_system *sys, int package, char *why)
{
	struct ipmu_unit *unit = &sys->units[package];
	int cpu = ipmu_topology_reach(sys->topo, package, -1);
	int rc;

	unit->regs.msr = -1;
	if (cpu < 0)
		return ipmu_fail(why, -ENODEV, "package %d has no CPU that this process may use: "
				 "widen its cpuset", package);
	rc = ipmu_access_open(&unit->regs, sys->family, package, cpu, why);
	if (rc)
		return rc;
	rc = sys->family->discover(&unit->regs, sys->topo->packages[package].ncores, unit->nboxes,
				   unit->reasons, sys->note, why);
	if (!rc)
		rc = alloc_boxes(unit, sys->family);
	if (rc)
		unit_close(unit);
	return rc;
}

static int open_units(struct ipmu_system *sys, char *why)
{
	int done, rc = 0;

	sys->units = calloc((size_t)sys->npackages, sizeof(*sys->units));
	if (!sys->units)
		return ipmu_fail(why, -ENOMEM, "out of memory for %d packages", sys->npackages);
	for (done = 0; done < sys->npackages && !rc; done++)
		rc = unit_open(sys, done, why);
	if (!rc)
		return 0;
	for (int i = 0; i < done - 1; i++)
		unit_close(&sys->units[i]);
	free(sys->units);
	return rc;
}

static void link_system(struct ipmu_system *sys)
{
	pthread_mutex_lock(&open_lock);
	sys->next = open_systems;
	open_systems = sys;
	pthread_mutex_unlock(&open_lock);
}

static void unlink_system(struct ipmu_system *sys)
{
	struct ipmu_system **at;

	pthread_mutex_lock(&open_lock);
	for (at = &open_systems; *at; at = &(*at)->next)
		if (*at == sys) {
			*at = sys->next;
			break;
		}
	pthread_mutex_unlock(&open_lock);
}

int ipmu_system_open(const struct ipmu_topology *topo, struct ipmu_system **out, char *why)
{
	struct ipmu_system *sys = calloc(1, sizeof(*sys));
	int rc;

	if (!sys)
		return ipmu_fail(why, -ENOMEM, "out of memory for the machine's description");
	sys->topo = topo;
	sys->npackages = topo->npackages;
	sys->pid = getpid();
	sys->family = ipmu_family_find(topo, why);
	rc = sys->family ? ipmu_names_open(why) : -ENODEV;
	if (!rc)
		rc = open_units(sys, why);
	if (rc) {
		free(sys);
		return rc;
	}
	pthread_mutex_init(&sys->lock, NULL);
	link_system(sys);
	*out = sys;
	return 0;
}

int ipmu_unit_release(struct ipmu_unit *unit)
{
	for (int t = 0; t < IPMU_TYPES_MAX; t++)
		for (int b = 0; b < unit->nboxes[t]; b++)
			for (int c = 0; c < IPMU_COUNTERS_MAX; c++)
				unit->boxes[t][b].slots[c].programmed = false;
	return ipmu_access_restore(&unit->regs);
}

void ipmu_system_close(struct ipmu_system *sys)
{
	unlink_system(sys);
	for (int i = 0; i < sys->npackages; i++) {
		if (sys->pid == getpid())
			ipmu_unit_release(&sys->units[i]);
		unit_close(&sys->units[i]);
	}
	pthread_mutex_destroy(&sys->lock);
	free(sys->units);
	free(sys);
}

/* A program may exit without a word; its registers must not stay switched on. */
__attribute__((destructor)) static void restore_at_exit(void)
{
	for (struct ipmu_system *s = open_systems; s; s = s->next)
		for (int i = 0; i < s->npackages && s->pid == getpid(); i++)
			ipmu_access_restore(&s->units[i].regs);
}

int ipmu_type_index(const struct ipmu_system *sys, const struct ipmu_pmu_type *type)
{
	for (int t = 0; sys->family->types[t]; t++)
		if (sys->family->types[t] == type)
			return t;
	return -1;
}

const struct ipmu_pmu_type *ipmu_system_type(const struct ipmu_system *sys, int i)
{
	for (int t = 0; t <= i; t++)
		if (!sys->family->types[t])
			return NULL;
	return sys->family->types[i];
}

int ipmu_system_boxes(const struct ipmu_system *sys, const struct ipmu_pmu_type *type, int package,
		      char *why)
{
	int t = ipmu_type_index(sys, type);

	if (t < 0 || package < 0 || package >= sys->npackages)
		return ipmu_fail(why, 0, "there is no package %d here", package);
	if (!sys->units[package].nboxes[t])
		ipmu_fail(why, 0, "%s", sys->units[package].reasons[t]);
	return sys->units[package].nboxes[t];
}

int ipmu_system_packages(const struct ipmu_system *sys)
{
	return sys->npackages;
}

const char *ipmu_system_note(const struct ipmu_system *sys)
{
	return sys->note;
}

const char *ipmu_type_name(const struct ipmu_pmu_type *type)
{
	return type->name;
}

const char *ipmu_type_desc(const struct ipmu_pmu_type *type)
{
	return type->desc;
}

const char *ipmu_type_units(const struct ipmu_pmu_type *type)
{
	return type->units;
}

int ipmu_type_counters(const struct ipmu_pmu_type *type)
{
	return type->counters;
}
