/* SPDX-License-Identifier: MIT */
/* The life of a system: ipmu_system_open() and ipmu_system_close(), and what happens at a fork, at
 * exit and at a signal that ends the process. open_lock guards the list of open systems and is
 * taken before a system's own lock. However the process ends, its registers are restored, or the
 * journal leaves that to the next process. A forked child writes no register of its parent's. */
#include "ipmu.h"

#include "access/trace.h"
#include "base/cancel.h"
#include "base/now.h"
#include "base/why.h"
#include "counting/guard.h"
#include "counting/session.h"
#include "lease/file.h"
#include "lease/locks.h"
#include "lease/lease.h"
#include "lease/process.h"
#include "lease/signals.h"
#include "lease/state.h"
#include "pmu/families.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WAITS 1000
#define WAIT_NS 1000000L
#define UNITS_NS 5000000000LL	/* then the journals are left to the next process that counts */

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ipmu_system *open_systems;

/* ---- a signal that ends the process */

static void part_inside_signal(struct ipmu_system *sys)
{
	for (int i = 0; i < WAITS && atomic_load(&sys->lessee.inside); i++)
		nanosleep(&(struct timespec){ .tv_nsec = WAIT_NS }, NULL);
	if (atomic_load(&sys->lessee.inside) || sys->lessee.pid != getpid())
		return;
	ipmu_locks_wait_at_most(&sys->lessee, UNITS_NS);
	for (int i = 0; i < sys->nunits; i++)
		ipmu_lease_end(&sys->units[i]);
}

static void part_all_inside_signal(void)
{
	for (struct ipmu_system *s = open_systems; s; s = s->next)
		part_inside_signal(s);
}

/* ---- fork */

/* A forked child has its parent's descriptors, and with them its locks: closing them leaves those
 * to the parent alone. */
static void disown(struct ipmu_system *sys)
{
	for (int i = 0; i < sys->nunits; i++)
		ipmu_lease_disown(&sys->units[i]);
	atomic_store(&sys->lessee.inside, 0);
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
	ipmu_signals_at_end(part_all_inside_signal);
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

/* ---- open */

/* Open the units that dead processes have left changed, by the state directory's files: opening
 * restores their registers. Units that are open have been restored already. */
static void recover_others(struct ipmu_system *sys)
{
	const char *path;
	int dir = ipmu_state_none() ? -ENOENT : ipmu_state_open(false, &path, NULL);
	DIR *list = dir < 0 ? NULL : fdopendir(dir);
	struct dirent *entry;

	while (list && (entry = readdir(list)) != NULL) {
		int place = ipmu_state_place(sys->family, entry->d_name);
		struct ipmu_unit *unit = place < 0 ? NULL : ipmu_unit_find(sys, place);

		if (unit && unit->place == place && !unit->open &&
		    ipmu_file_has_saved(dir, entry->d_name))
			ipmu_unit_open(sys, unit, NULL);
	}
	if (list)
		closedir(list);
	else if (dir >= 0)
		close(dir);
}

static void close_units(struct ipmu_system *sys)
{
	for (int i = 0; i < sys->nunits; i++)
		ipmu_unit_close(&sys->units[i]);
	free(sys->units);
	ipmu_batch_close(sys->batch);
	sys->batch = NULL;
}

static bool has_device(const struct ipmu_system *sys, int os_cpu)
{
	struct ipmu_regs *regs = malloc(sizeof(*regs));	/* a thread's stack may be smaller */
	int rc = regs ? ipmu_family_open(regs, sys->family, os_cpu, NULL) : -ENOMEM;

	if (!rc)
		ipmu_access_close(regs);
	free(regs);
	return !rc;
}

/* Open the first CPU whose device may be used; the others are opened when they are needed. If none
 * can be, the reason is that of the first CPU in this process's cpuset. */
static int open_first(struct ipmu_system *sys, char *why)
{
	char reason[IPMU_WHY_MAX] = "";
	int first = -ENODEV;

	for (int i = 0; i < sys->nunits; i++) {
		int rc = ipmu_unit_open(sys, &sys->units[i], reason);
		bool last = rc != -ENODEV && ((rc != -ENXIO && rc != -EACCES) ||
					      has_device(sys, sys->units[i].place));

		if (rc && (last || first == -ENODEV))
			ipmu_fail(why, rc, "%s", reason);
		if (last)
			return rc;
		first = first == -ENODEV ? rc : first;
	}
	return first;
}

static int open_all(struct ipmu_system *sys, char *why)
{
	int rc = 0;

	for (int i = 0; i < sys->nunits && !rc; i++)
		rc = ipmu_unit_open(sys, &sys->units[i], why);
	return rc;
}

/* Open all packages at once, or the first CPU that can be opened. */
static int open_units(struct ipmu_system *sys, char *why)
{
	bool package = sys->family->scope == IPMU_SCOPE_PACKAGE;
	int rc;

	sys->nunits = package ? sys->topo->npackages : sys->topo->ncpus;
	sys->units = calloc((size_t)sys->nunits, sizeof(*sys->units));
	if (!sys->units)
		return ipmu_fail(why, -ENOMEM, "out of memory for the machine's description");
	for (int i = 0; i < sys->nunits; i++) {
		sys->units[i].place = package ? i : sys->topo->cpus[i].os_cpu;
		sys->units[i].family = sys->family;
		sys->units[i].lessee = &sys->lessee;
		sys->units[i].lease.fd = -1;
	}
	rc = package ? open_all(sys, why) : open_first(sys, why);
	if (rc)
		close_units(sys);
	else if (!package)
		recover_others(sys);
	return rc;
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
	ipmu_trace_open();
	sys->topo = topo;
	sys->lessee.pid = getpid();
	sys->lessee.self = ipmu_process_self();
	sys->take_busy = said("IPMU_TAKE_BUSY");
	sys->allow_pmi = said("IPMU_ALLOW_PMI");
	sys->lessee.journal = malloc(sizeof(*sys->lessee.journal));
	ipmu_state_boot(sys->lessee.boot_id);
	sys->family = ipmu_family_find(topo, scope, why);
	rc = sys->family ? ipmu_names_open(why) : -ENODEV;
	if (!rc && !sys->lessee.journal)
		rc = ipmu_fail(why, -ENOMEM, "out of memory for the machine's description");
	if (!rc)
		rc = open_units(sys, why);
	if (rc) {
		free(sys->lessee.journal);
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

/* ---- close and exit */

int ipmu_system_close(struct ipmu_system *sys)
{
	int cancel = ipmu_cancel_hold(), first = 0;

	unlink_system(sys);
	pthread_mutex_lock(&sys->lock);
	ipmu_locks_wait_begin(&sys->lessee);
	ipmu_sessions_orphan(sys);
	for (int i = 0; i < sys->nunits && sys->lessee.pid == getpid(); i++) {
		int rc = ipmu_unit_release(&sys->units[i]);

		first = first ? first : rc;
	}
	if (!first && sys->lessee.left[0])
		first = -ESTALE;
	ipmu_guard_end(sys);
	pthread_mutex_unlock(&sys->lock);
	ipmu_guard_join(ipmu_guard_ended(sys));
	close_units(sys);
	pthread_mutex_destroy(&sys->lock);
	free(sys->lessee.journal);
	free(sys);
	ipmu_cancel_release(cancel);
	return first;
}

/* A thread that calls exit() in a signal handler may hold the lock itself, so it is not waited for
 * without an end. pthread_mutex_timedlock() waits by the time of day, which may be set meanwhile,
 * and the thread sanitizer does not know pthread_mutex_clocklock(). */
static bool lock_soon(struct ipmu_system *sys)
{
	const struct timespec pause = { .tv_nsec = 20000 };
	uint64_t end_ns = ipmu_now_ns() + 1000000000;

	while (pthread_mutex_trylock(&sys->lock)) {
		if (ipmu_now_ns() >= end_ns)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

/* Restore at exit. If a thread keeps the lock, that is left to the next process that enters the
 * unit. */
static void part_at_exit(struct ipmu_system *sys, bool locked)
{
	ipmu_locks_wait_begin(&sys->lessee);
	for (int i = 0; i < sys->nunits && sys->lessee.pid == getpid(); i++) {
		struct ipmu_unit *unit = &sys->units[i];

		if (locked) {
			ipmu_lease_end(unit);
		} else if (unit->lease.fd < 0) {
			ipmu_batch_drop(sys->batch);
			ipmu_access_restore(&unit->regs);
		}
	}
}

/* A program may exit without closing, while other threads still start and stop sessions: its
 * counters must not stay switched on. The library may also be unloaded without the process
 * (dlclose): no thread may be left in it. */
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
