/* SPDX-License-Identifier: MIT */
/* Counts the events of one process through PAPI, with one event set for each component:
 * measure_open(), measure_start(), measure_read(), measure_stop(). A node's leader counts the
 * shared components, every rank the others. expect() marks the cells that this process has to
 * measure. A failure after the open leaves cells not measured, with the first reason in
 * measure.why. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../ipmu_run/counting/virtual.h"
#include "event_name.h"
#include "guardian.h"
#include "measure.h"
#include "now.h"

/* Components whose counters belong to a node or its packages, whichever process reads them. */
static const struct { const char *component; enum event_scope scope; } shared[] = {
	{ "intel_uncore", SCOPE_PACKAGE },
	{ "perf_event_uncore", SCOPE_NODE },
	{ "rapl", SCOPE_NODE },
	{ "powercap", SCOPE_NODE },
	{ "powercap_ppc", SCOPE_NODE },
	{ "pcp", SCOPE_NODE },
	{ "infiniband", SCOPE_NODE },
	{ "net", SCOPE_NODE },
	{ "lustre", SCOPE_NODE },
	{ "coretemp", SCOPE_NODE },
	{ "sensors_ppc", SCOPE_NODE },
	{ "host_micpower", SCOPE_NODE },
	{ "amd_smi", SCOPE_NODE },
	{ "nvml", SCOPE_NODE },
};

static enum event_scope scope_of(const char *component)
{
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
		if (!strcmp(shared[i].component, component))
			return shared[i].scope;
	return SCOPE_RANK;
}

/* ---- names ---- */

int papi_begin(char *why)
{
	const char *sum = secure_getenv("IPMU_NODE_SUM");
	int rc;

	if (sum && *sum) {
		snprintf(why, IPMU_MPI_WHY_MAX, "IPMU_NODE_SUM=%.40s makes the sums of other tools "
			 "right and these wrong: unset it", sum);
		return -EINVAL;
	}
	if (PAPI_is_initialized() != PAPI_NOT_INITED)
		return 0;
	rc = PAPI_library_init(PAPI_VER_CURRENT);
	if (rc == PAPI_VER_CURRENT)
		return 0;
	snprintf(why, IPMU_MPI_WHY_MAX, "PAPI cannot be initialized: %s",
		 rc > 0 ? "its library is of another version than its header" : PAPI_strerror(rc));
	return -ENODEV;
}

static const PAPI_component_info_t *component(const char *name, size_t bytes)
{
	for (int i = 0; i < PAPI_num_components(); i++) {
		const PAPI_component_info_t *info = PAPI_get_component_info(i);

		if (info && strlen(info->name) == bytes && !strncmp(info->name, name, bytes))
			return info;
	}
	return NULL;
}

/* Why the last call of one of our components failed: while it is enabled, this is where it says so.
 * NULL: it did not. */
static const char *sentence(const char *name)
{
	static const char *const ours[] = { "intel_core", "intel_uncore" };
	const char *colons = strstr(name, ":::");

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		const PAPI_component_info_t *info = component(ours[i], strlen(ours[i]));

		if (info && !info->disabled && info->disabled_reason[0] &&
		    (!colons || component(name, (size_t)(colons - name)) == info))
			return info->disabled_reason;
	}
	return NULL;
}

/* The command that lists events has to run on the same machine. */
static void list_command(const struct ipmu_mpi *m, char *out, size_t bytes)
{
	char name[64];

	if (sscanf(m->identity.cpu_model, "VirtualPMU %63s", name) == 1)
		snprintf(out, bytes, "'vpmu run -m %s papi_native_avail'", name);
	else
		snprintf(out, bytes, "papi_native_avail");
}

static int explain_unknown(const struct ipmu_mpi *m, const char *name, int rc, char *why)
{
	const char *colons = strstr(name, ":::"), *said = sentence(name);
	size_t bytes = colons ? (size_t)(colons - name) : 0;
	const PAPI_component_info_t *info = component(name, bytes);
	bool absent = rc == PAPI_ENOEVNT || rc == PAPI_ECMP;
	char list[96];

	if (info && info->disabled) {
		snprintf(why, IPMU_MPI_WHY_MAX, "event %s cannot be counted on node %s: component "
			 "%.*s: %.200s", name, m->at.host, (int)bytes, name, info->disabled_reason);
		return -ENODEV;
	}
	list_command(m, list, sizeof(list));
	if (said)
		snprintf(why, IPMU_MPI_WHY_MAX, "node %s has no event %.110s: %.300s", m->at.host,
			 name, said);
	else
		snprintf(why, IPMU_MPI_WHY_MAX, "node %s has no event %s%s%s; %s lists them",
			 m->at.host, name, absent ? "" : ": ", absent ? "" : PAPI_strerror(rc),
			 list);
	return -ENOENT;
}

int event_resolve(const struct ipmu_mpi *m, struct listed *e, char *why)
{
	const PAPI_component_info_t *owner;
	struct ipmu_name said;
	int code, rc = PAPI_event_name_to_code(e->name, &code);

	if (rc != PAPI_OK)
		return explain_unknown(m, e->name, rc, why);
	owner = PAPI_get_component_info(PAPI_get_event_component(code));
	e->scope = (int32_t)scope_of(owner ? owner->name : "");
	e->package = IPMU_MPI_ALL;
	if (e->scope == SCOPE_PACKAGE && event_read(e->name, &said))
		e->package = said.package;
	return 0;
}

/* ---- event sets: PAPI requires one for each component ---- */

static void measure_remember(struct measure *ms, const char *what, const char *name, int rc)
{
	if (!ms->why[0])
		snprintf(ms->why, sizeof(ms->why), "%s %.100s: %.60s", what, name,
			 PAPI_strerror(rc));
}

static int set_for(struct measure *ms, int component)
{
	for (int i = 0; i < ms->nsets; i++)
		if (ms->sets[i].component == component)
			return i;
	if (ms->nsets == SETS_MAX)
		return -1;
	struct event_set *s = &ms->sets[ms->nsets];
	*s = (struct event_set){ .papi = PAPI_NULL, .component = component };
	return PAPI_create_eventset(&s->papi) == PAPI_OK ? ms->nsets++ : -1;
}

static int measure_add(struct measure *ms, int event, int cell, const char *name)
{
	int code, set, rc = PAPI_event_name_to_code(name, &code);

	if (rc != PAPI_OK)
		return rc;
	/* X and X:package=0 may be the same to PAPI, which takes an event once. */
	for (int i = 0; i < ms->nslots; i++)
		if (ms->slots[i].code == code) {
			ms->slots[ms->nslots] = ms->slots[i];
			ms->slots[ms->nslots].event = event;
			ms->slots[ms->nslots++].cell = cell;
			return PAPI_OK;
		}
	set = set_for(ms, PAPI_get_event_component(code));
	if (set < 0)
		return PAPI_ECOUNT;
	rc = PAPI_add_event(ms->sets[set].papi, code);
	if (rc == PAPI_OK)
		ms->slots[ms->nslots++] = (struct cell_slot){ code, event, cell, set,
							      ms->sets[set].size++ };
	return rc;
}

static int refuse(const struct ipmu_mpi *m, const char *name, int rc, char *why)
{
	bool collide = rc == PAPI_ECNFLCT || rc == PAPI_ECOUNT;
	const char *said = sentence(name);
	char list[96] = "";

	if (!said && !collide)
		list_command(m, list, sizeof(list));
	snprintf(why, IPMU_MPI_WHY_MAX, "node %s cannot count %.110s%s: %.260s%s%s%s", m->at.host,
		 name, collide ? " with the events before it" : "",
		 said ? said : PAPI_strerror(rc), *list ? "; " : "", list,
		 *list ? " lists what it can" : "");
	return collide ? -ENOSPC : -ENODEV;
}

/* A package that cannot be reached is not measured; an event that no package has is an error. */
static int add_packages(struct ipmu_mpi *m, int event, char *why)
{
	const struct listed *e = &m->events[counted_event];
	char name[NAME_MAX_BYTES + 32];
	int added = 0, rc = PAPI_OK, last = PAPI_OK;

	for (int p = 0; p < m->npackages; p++) {
		snprintf(name, sizeof(name), "%s:package=%d", e->name, p);
		rc = measure_add(&m->measure, event, p, name);
		if (rc == PAPI_ECNFLCT || rc == PAPI_ECOUNT)
			return refuse(m, e->name, rc, why);
		if (rc != PAPI_OK) {
			measure_remember(&m->measure, "cannot count", name, rc);
			last = rc;
		}
		added += rc == PAPI_OK;
	}
	return added ? 0 : refuse(m, e->name, last, why);
}

static int measure_add_event(struct ipmu_mpi *m, int event, char *why)
{
	const struct listed *e = &m->events[counted_event];
	bool package = e->scope == SCOPE_PACKAGE;
	int rc, cell = package ? e->package : m->packages_max;

	if (package && e->package == IPMU_MPI_ALL)
		return add_packages(m, event, why);
	if (package && (cell < 0 || cell >= m->npackages))
		rc = PAPI_EINVAL;
	else
		rc = measure_add(&m->measure, event, cell, e->name);
	return rc == PAPI_OK ? 0 : refuse(m, e->name, rc, why);
}

static bool is_mine(const struct ipmu_mpi *m, const struct listed *e)
{
	return e->scope == SCOPE_RANK || m->at.node_rank == 0;
}

static void expect(struct ipmu_mpi *m)
{
	memset(m->mine, 0, (size_t)m->nevents * (size_t)(m->packages_max + 1) * sizeof(*m->mine));
	for (int i = 0; i < m->nevents; i++) {
		const struct listed *e = &m->events[i];

		if (!is_mine(m, e))
			continue;
		if (e->scope != SCOPE_PACKAGE)
			m->mine[cell_index(m, i, m->packages_max)].expected = 1;
		for (int p = 0; e->scope == SCOPE_PACKAGE && p < m->npackages; p++)
			if (e->package == IPMU_MPI_ALL || e->package == p)
				m->mine[cell_index(m, i, p)].expected = 1;
	}
}

int measure_open(struct ipmu_mpi *m, char *why)
{
	struct measure *ms = &m->measure;
	size_t most = (size_t)m->nevents * (size_t)(m->packages_max + 1);
	int rc = 0;

	ms->slots = calloc(most, sizeof(*ms->slots));
	ms->values = calloc(most, sizeof(*ms->values));
	if (!ms->slots || !ms->values) {
		snprintf(why, IPMU_MPI_WHY_MAX, "node %s: out of memory", m->at.host);
		return -ENOMEM;
	}
	expect(m);
	for (int i = 0; i < m->nevents && !rc; i++) {
		if (is_mine(m, &m->events[i]))
			rc = measure_add_event(m, i, why);
	}
	return rc;
}

void measure_close(struct measure *ms)
{
	/* After another's PAPI_shutdown the numbers of our sets mean nothing. */
	for (int i = 0; i < ms->nsets && PAPI_is_initialized() != PAPI_NOT_INITED; i++) {
		PAPI_cleanup_eventset(ms->sets[i].papi);
		PAPI_destroy_eventset(&ms->sets[i].papi);
	}
	if (ms->guarded)
		guardian_leave();
	ms->guarded = false;
	free(ms->slots);
	free(ms->values);
	ms->slots = NULL;
	ms->values = NULL;
	ms->nslots = ms->nsets = 0;
}

/* ---- counting ---- */

static void measure_take(struct ipmu_mpi *m, int set)
{
	const struct measure *ms = &m->measure;

	for (int i = 0; i < ms->nslots; i++) {
		if (ms->slots[i].set != set)
			continue;
		struct cell *c = &m->mine[cell_index(m, ms->slots[i].event, ms->slots[i].cell)];
		c->count = ms->values[ms->slots[i].place];
		c->measured = 1;
	}
}

static const char *component_name(const struct event_set *s)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(s->component);

	return info ? info->name : "";
}

static bool programs_registers(const struct measure *ms)
{
	for (int i = 0; i < ms->nsets; i++)
		if (!strcmp(component_name(&ms->sets[i]), "intel_uncore") ||
		    !strcmp(component_name(&ms->sets[i]), "intel_core"))
			return true;
	return false;
}

/* The ipmu-restore that was installed with this library; "": there is none. */
static void find_restore(char path[PATH_MAX])
{
	const char *slash;
	Dl_info self;

	path[0] = '\0';
	if (!dladdr(&shared, &self) || !self.dli_fname)
		return;
	slash = strrchr(self.dli_fname, '/');
	if (!slash || snprintf(path, PATH_MAX, "%.*s/" IPMU_LIB_TO_BIN "/ipmu-restore",
			       (int)(slash - self.dli_fname), self.dli_fname) >= PATH_MAX ||
	    access(path, X_OK))
		path[0] = '\0';
}

/* On a virtual machine wall time means nothing. */
static int64_t clock_ns(void)
{
	return (int64_t)(virtual_is_beside() ? virtual_clock_ns() : now_ns());
}

void measure_start(struct ipmu_mpi *m)
{
	struct measure *ms = &m->measure;
	char restore[PATH_MAX];

	expect(m);
	if (!ms->guarded && m->at.node_rank == 0 && programs_registers(ms)) {
		find_restore(restore);
		ms->guarded = guardian_join(restore);
	}
	m->started_ns = clock_ns();
	for (int i = 0; i < ms->nsets; i++) {
		int rc = PAPI_start(ms->sets[i].papi);

		ms->sets[i].running = rc == PAPI_OK;
		if (rc != PAPI_OK)
			measure_remember(ms, "cannot start", component_name(&ms->sets[i]), rc);
	}
}

static void read_sets(struct ipmu_mpi *m, int (*read)(int, long long *), const char *what)
{
	struct measure *ms = &m->measure;

	m->took_ns = clock_ns() - m->started_ns;
	expect(m);
	for (int i = 0; i < ms->nsets; i++) {
		if (!ms->sets[i].running)
			continue;
		int rc = read(ms->sets[i].papi, ms->values);
		if (rc == PAPI_OK)
			measure_take(m, i);
		else
			measure_remember(ms, what, "(was PAPI shut down by somebody else?)", rc);
	}
}

void measure_read(struct ipmu_mpi *m)
{
	read_sets(m, PAPI_read, "cannot read");
}

/* PAPI_stop reports lost counts once, and ends the set only when it is called again. */
static int stop_set(int set, long long *values)
{
	int rc = PAPI_stop(set, values);

	if (rc == PAPI_ECLOST)
		PAPI_stop(set, values);
	return rc;
}

void measure_stop(struct ipmu_mpi *m)
{
	read_sets(m, stop_set, "cannot stop");
	for (int i = 0; i < m->measure.nsets; i++)
		m->measure.sets[i].running = false;
}
