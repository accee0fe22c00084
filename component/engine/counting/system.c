/* SPDX-License-Identifier: MIT */
#include "../lease/state.h"
#include "system.h"

#include "guard.h"

#include "../pmu/families.h"

#include "../base/cancel.h"
#include "../base/why.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>


static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ipmu_system *open_systems;

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

static void unit_close(struct ipmu_unit *unit)
{
	for (int t = 0; t < IPMU_TYPES_MAX; t++)
		free(unit->boxes[t]);
	if (unit->open)
		ipmu_access_close(&unit->regs);
	ipmu_owner_close(unit);
	unit->open = false;
}

/* The CPU through which a unit is reached, and the cores that its boxes go with. */
static int reach(const struct ipmu_system *sys, const struct ipmu_unit *unit, int *ncores)
{
	const struct ipmu_cpu *cpu;

	if (sys->family->scope == IPMU_SCOPE_PACKAGE) {
		*ncores = sys->topo->packages[unit->place].ncores;
		return ipmu_topology_reach(sys->topo, unit->place, -1);
	}
	*ncores = 1;
	cpu = ipmu_topology_cpu(sys->topo, unit->place);
	return cpu && cpu->allowed ? unit->place : -ENODEV;
}

/* Counters are tried, so nobody else may be at it. */
static int discover(struct ipmu_system *sys, struct ipmu_unit *unit, int ncores, char *why)
{
	int rc = ipmu_owner_enter(unit, why);

	if (rc)
		return rc;
	memset(&unit->found, 0, sizeof(unit->found));
	rc = sys->family->discover(&unit->regs, ncores, &unit->found, sys->note, why);
	ipmu_owner_leave(unit);
	unit->owner.seen = 0;	/* what others have programmed had no boxes to go to */
	return rc;
}

int ipmu_unit_open(struct ipmu_system *sys, struct ipmu_unit *unit, char *why)
{
	bool package = sys->family->scope == IPMU_SCOPE_PACKAGE;
	int ncores, cpu, rc;

	if (unit->open)
		return 0;
	cpu = reach(sys, unit, &ncores);
	if (cpu < 0)
		return ipmu_fail(why, -ENODEV, package ? "package %d has no CPU that this process "
				 "may use: widen its cpuset" : "CPU %d is outside the cpuset of "
				 "this process", unit->place);
	rc = ipmu_family_open(&unit->regs, sys->family, cpu, why);
	if (rc)
		return rc;
	unit->open = true;
	if (package) {
		unit->regs.topo = sys->topo;
		unit->regs.package = unit->place;
	}
	unit->regs.take_busy = sys->take_busy;
	rc = ipmu_owner_open(unit, why);
	if (!rc)
		rc = discover(sys, unit, ncores, why);
	if (unit->regs.safe && !sys->batch)
		sys->batch = ipmu_batch_open(ipmu_msr_write_now);
	unit->regs.batch = unit->regs.safe ? sys->batch : NULL;
	if (!rc && alloc_boxes(unit, sys->family))
		rc = ipmu_fail(why, -ENOMEM, "out of memory for the counters of %s %d",
			       package ? "package" : "CPU", unit->place);
	if (rc)
		unit_close(unit);
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

static void close_units(struct ipmu_system *sys)
{
	for (int i = 0; i < sys->nunits; i++)
		unit_close(&sys->units[i]);
	free(sys->units);
	ipmu_batch_close(sys->batch);
	sys->batch = NULL;
}

/* All packages at once; of the CPUs the first that may be used, the others when they are needed. */
static int open_units(struct ipmu_system *sys, char *why)
{
	bool package = sys->family->scope == IPMU_SCOPE_PACKAGE;
	int rc = -ENODEV;

	sys->nunits = package ? sys->topo->npackages : sys->topo->ncpus;
	sys->units = calloc((size_t)sys->nunits, sizeof(*sys->units));
	if (!sys->units)
		return ipmu_fail(why, -ENOMEM, "out of memory for the machine's description");
	for (int i = 0; i < sys->nunits; i++) {
		sys->units[i].place = package ? i : sys->topo->cpus[i].os_cpu;
		sys->units[i].sys = sys;
		sys->units[i].owner.fd = -1;
	}
	for (int i = 0; i < sys->nunits; i++) {
		rc = ipmu_unit_open(sys, &sys->units[i], why);
		if (package ? rc != 0 : rc != -ENODEV)
			break;
	}
	if (rc)
		close_units(sys);
	else
		ipmu_owner_recover_others(sys);
	return rc;
}

void ipmu_systems_each(void (*act)(struct ipmu_system *sys))
{
	for (struct ipmu_system *s = open_systems; s; s = s->next)
		act(s);
}

/* A forked child has its parent's descriptors, and with them its locks: closing them leaves those
 * to the parent alone. */
static void disown(struct ipmu_system *sys)
{
	for (int i = 0; i < sys->nunits; i++) {
		struct ipmu_unit *unit = &sys->units[i];

		if (unit->owner.fd >= 0)
			close(unit->owner.fd);
		unit->owner.fd = -1;
		unit->owner.joined = false;
		unit->owner.depth = 0;
		unit->regs.nsaved = 0;
		unit->regs.record = NULL;
	}
	atomic_store(&sys->inside, 0);
}

/* A child has the locks in the state in which the forking thread sees them, and no other thread. */
static void before_fork(void)
{
	pthread_mutex_lock(&open_lock);
	for (struct ipmu_system *s = open_systems; s; s = s->next)
		pthread_mutex_lock(&s->lock);
}

static void unlock_after_fork(void)
{
	for (struct ipmu_system *s = open_systems; s; s = s->next)
		pthread_mutex_unlock(&s->lock);
	pthread_mutex_unlock(&open_lock);
}

static void after_fork_in_child(void)
{
	for (struct ipmu_system *s = open_systems; s; s = s->next) {
		s->disowned = true;
		ipmu_sessions_forked(s);
		ipmu_guard_forked(s);
		disown(s);
	}
	ipmu_signals_forget();
	unlock_after_fork();
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, unlock_after_fork, after_fork_in_child);
}

static void link_system(struct ipmu_system *sys)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
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

static bool said(const char *variable)
{
	const char *text = secure_getenv(variable);

	return text && strcmp(text, "1") == 0;
}

static int open_system(const struct ipmu_topology *topo, enum ipmu_scope scope,
		       struct ipmu_system **out, char *why)
{
	struct ipmu_system *sys = calloc(1, sizeof(*sys));
	int rc;

	if (!sys)
		return ipmu_fail(why, -ENOMEM, "out of memory for the machine's description");
	sys->topo = topo;
	sys->pid = getpid();
	sys->self = ipmu_process_self();
	sys->take_busy = said("IPMU_TAKE_BUSY");
	sys->allow_pmi = said("IPMU_ALLOW_PMI");
	ipmu_kin_open(&sys->kin);
	sys->journal = malloc(sizeof(*sys->journal));
	ipmu_state_boot(sys->boot_id);
	sys->family = ipmu_family_find(topo, scope, why);
	rc = sys->family ? ipmu_names_open(why) : -ENODEV;
	if (!rc && !sys->journal)
		rc = ipmu_fail(why, -ENOMEM, "out of memory for the machine's description");
	if (!rc)
		rc = open_units(sys, why);
	if (rc) {
		ipmu_kin_close(&sys->kin);
		free(sys->journal);
		free(sys);
		return rc;
	}
	pthread_mutex_init(&sys->lock, NULL);
	link_system(sys);
	*out = sys;
	return 0;
}

int ipmu_system_open(const struct ipmu_topology *topo, enum ipmu_scope scope,
		     struct ipmu_system **out, char *why)
{
	int cancel = ipmu_cancel_hold(), rc = open_system(topo, scope, out, why);

	ipmu_cancel_release(cancel);
	return rc;
}

int ipmu_unit_release(struct ipmu_unit *unit)
{
	for (int t = 0; t < IPMU_TYPES_MAX; t++)
		for (int b = 0; b < unit->found.nboxes[t]; b++)
			for (int c = 0; c < IPMU_COUNTERS_MAX; c++)
				unit->boxes[t][b].slots[c].programmed = false;
	return ipmu_owner_part(unit);
}

int ipmu_system_close(struct ipmu_system *sys)
{
	int cancel = ipmu_cancel_hold(), first = 0;

	unlink_system(sys);
	pthread_mutex_lock(&sys->lock);
	ipmu_wait_begin(sys);
	ipmu_kin_part(sys);
	ipmu_sessions_orphan(sys);
	for (int i = 0; i < sys->nunits && sys->pid == getpid(); i++) {
		int rc = ipmu_unit_release(&sys->units[i]);

		first = first ? first : rc;
	}
	if (!first && sys->left[0])
		first = -ESTALE;
	ipmu_guard_end(sys);
	pthread_mutex_unlock(&sys->lock);
	ipmu_guard_join(ipmu_guard_ended(sys));
	close_units(sys);
	pthread_mutex_destroy(&sys->lock);
	ipmu_kin_close(&sys->kin);
	free(sys->journal);
	free(sys);
	ipmu_cancel_release(cancel);
	return first;
}

/* Who exits in a signal handler may hold the lock himself. */
static bool lock_soon(struct ipmu_system *sys)
{
	struct timespec soon;

	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec++;
	return pthread_mutex_timedlock(&sys->lock, &soon) == 0;
}

/* If a thread stays inside, the journal is left to the next one who comes. */
static void part_at_exit(struct ipmu_system *sys, bool locked)
{
	ipmu_wait_begin(sys);
	ipmu_kin_part(sys);
	for (int i = 0; i < sys->nunits && sys->pid == getpid(); i++) {
		struct ipmu_unit *unit = &sys->units[i];

		if (locked) {
			ipmu_owner_part(unit);
		} else if (unit->owner.fd < 0) {
			ipmu_batch_drop(sys->batch);
			ipmu_access_restore(&unit->regs);
		}
	}
}

/* A program may exit without a word, while other threads of it go on starting and stopping: its
 * registers must not stay switched on. And the library may go without the process (dlclose): no
 * thread may be left in it. */
__attribute__((destructor)) static void restore_at_exit(void)
{
	for (struct ipmu_system *s = open_systems; s; s = s->next) {
		bool locked = lock_soon(s);

		part_at_exit(s, locked);
		s->disowned = true;
		if (!locked)
			continue;
		ipmu_guard_end(s);
		pthread_mutex_unlock(&s->lock);
		ipmu_guard_join(ipmu_guard_ended(s));
	}
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

int ipmu_system_boxes(const struct ipmu_system *sys, const struct ipmu_pmu_type *type, int place,
		      char *why)
{
	const struct ipmu_unit *unit = ipmu_unit_find(sys, place);
	int t = ipmu_type_index(sys, type);

	if (t < 0 || !unit)
		return ipmu_fail(why, 0, "this machine has no %s %d",
				 sys->family->scope == IPMU_SCOPE_PACKAGE ? "package" : "CPU",
				 place);
	if (!unit->open)
		unit = ipmu_unit_model(sys);
	if (!unit->found.nboxes[t])
		ipmu_fail(why, 0, "%s", unit->found.reasons[t]);
	return unit->found.nboxes[t];
}

const char *ipmu_system_note(const struct ipmu_system *sys)
{
	return sys->note;
}

const char *ipmu_type_name(const struct ipmu_pmu_type *type)
{
	return type->name;
}

bool ipmu_system_left(struct ipmu_system *sys, char *why)
{
	bool any;

	pthread_mutex_lock(&sys->lock);
	any = sys->left[0];
	snprintf(why, IPMU_WHY_MAX, "%s", sys->left);
	sys->left[0] = '\0';
	pthread_mutex_unlock(&sys->lock);
	return any;
}
