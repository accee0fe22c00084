/* SPDX-License-Identifier: MIT */
/* Counts the events of one process through the event sets of ipmu-run: measure_open(),
 * measure_start(), measure_read(), measure_stop(). A node's leader counts the shared components,
 * every rank the others. expect() marks the cells that this process has to measure. A failure after
 * the open leaves cells not measured, with the first reason in measure.why. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../measure/counting/library.h"
#include "../../measure/counting/virtual.h"
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

bool event_read(const char *name, struct ipmu_name *out)
{
	const char *component = strstr(name, ":::");

	return ipmu_name_read(component ? component + 3 : name, out, NULL) == 0;
}

int papi_begin(char *why)
{
	char reason[COUNT_WHY_MAX];
	int rc = library_open(reason);

	if (rc)
		snprintf(why, IPMU_MPI_WHY_MAX, "%.500s", reason);
	return rc;
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

/* ---- the events of this process ---- */

static void measure_remember(struct measure *ms, const char *why)
{
	if (!ms->why[0])
		snprintf(ms->why, sizeof(ms->why), "%.*s", NODE_WHY_MAX - 1, why);
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

static bool programs_registers(int component)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(component);

	return info && (!strcmp(info->name, "intel_uncore") || !strcmp(info->name, "intel_core"));
}

/* A part for each cell that is expected. */
static int add_parts(struct ipmu_mpi *m, int event, struct event *e)
{
	struct measure *ms = &m->measure;

	e->parts = calloc((size_t)m->packages_max + 1, sizeof(*e->parts));
	if (!e->parts)
		return -ENOMEM;
	for (int p = 0; p <= m->packages_max; p++) {
		size_t cell = cell_index(m, event, p);

		if (!m->mine[cell].expected)
			continue;
		ms->cells[ms->nparts++] = cell;
		e->parts[e->nparts++] = (struct part){ p < m->packages_max ? p : -1, -1, -1, 0 };
	}
	return 0;
}

static int measure_add_event(struct ipmu_mpi *m, int event)
{
	const struct listed *from = &m->events[event];
	struct measure *ms = &m->measure;
	struct event *e = &ms->events[event];
	int code;

	*e = (struct event){ .given = strdup(from->name), .first = ms->nparts, .some = true,
			     .uncore = from->scope == SCOPE_PACKAGE };
	if (!e->given || add_parts(m, event, e) ||
	    PAPI_event_name_to_code(from->name, &code) != PAPI_OK)
		return -ENOMEM;
	snprintf(e->name, sizeof(e->name), "%s", from->name);
	e->component = PAPI_get_event_component(code);
	ms->chosen[event] = true;
	ms->registers |= programs_registers(e->component);
	return 0;
}

static int refuse(const struct ipmu_mpi *m, int rc, const char *reason, char *why)
{
	snprintf(why, IPMU_MPI_WHY_MAX, "node %s %.400s", m->at.host,
		 rc == -ENOMEM ? "is out of memory" : reason);
	return rc == -ENOSPC || rc == -ENOMEM ? rc : -ENODEV;
}

/* A package that cannot be reached is not measured; an event that no package has is an error. */
int measure_open(struct ipmu_mpi *m, char *why)
{
	struct measure *ms = &m->measure;
	size_t n = (size_t)m->nevents;
	char reason[COUNT_WHY_MAX] = "";
	int rc = 0;

	ms->events = calloc(n, sizeof(*ms->events));
	ms->chosen = calloc(n, sizeof(*ms->chosen));
	ms->cells = calloc(cells_count(m), sizeof(*ms->cells));
	ms->counts = calloc(cells_count(m), sizeof(*ms->counts));
	if (!ms->events || !ms->chosen || !ms->cells || !ms->counts)
		rc = -ENOMEM;
	if (!rc)
		expect(m);
	for (int i = 0; i < m->nevents && !rc; i++)
		if (is_mine(m, &m->events[i]))
			rc = measure_add_event(m, i);
	if (rc) {
		snprintf(why, IPMU_MPI_WHY_MAX, "node %s: out of memory", m->at.host);
		return rc;
	}
	rc = sets_open(ms->events, m->nevents, ms->chosen, &ms->sets, reason);
	measure_remember(ms, reason);
	return rc ? refuse(m, rc, reason, why) : 0;
}

void measure_close(struct ipmu_mpi *m)
{
	struct measure *ms = &m->measure;

	if (ms->sets)
		sets_close(ms->sets);
	if (ms->guarded)
		guardian_leave();
	for (int i = 0; ms->events && i < m->nevents; i++)
		event_free(&ms->events[i]);
	free(ms->events);
	free(ms->chosen);
	free(ms->cells);
	free(ms->counts);
}

/* ---- counting ---- */

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

/* Wall time is not modelled on a virtual machine. */
static int64_t clock_ns(void)
{
	return (int64_t)(virtual_is_beside() ? virtual_clock_ns() : now_ns());
}

void measure_start(struct ipmu_mpi *m)
{
	struct measure *ms = &m->measure;
	char restore[PATH_MAX], why[COUNT_WHY_MAX] = "";

	expect(m);
	if (!ms->guarded && m->at.node_rank == 0 && ms->registers) {
		find_restore(restore);
		ms->guarded = guardian_join(restore);
	}
	m->started_ns = clock_ns();
	sets_start(ms->sets, why);
	measure_remember(ms, why);
}

static void measure_take(struct ipmu_mpi *m)
{
	const struct measure *ms = &m->measure;

	m->took_ns = clock_ns() - m->started_ns;
	expect(m);
	for (int i = 0; i < ms->nparts; i++)
		if (ms->counts[i].known) {
			m->mine[ms->cells[i]].count = ms->counts[i].value;
			m->mine[ms->cells[i]].measured = 1;
		}
}

static void measure_forget(const struct measure *ms)
{
	for (int i = 0; i < ms->nparts; i++)
		ms->counts[i].known = false;
}

void measure_read(struct ipmu_mpi *m)
{
	measure_forget(&m->measure);
	sets_read(m->measure.sets, m->measure.counts);
	measure_take(m);
}

void measure_stop(struct ipmu_mpi *m)
{
	char why[COUNT_WHY_MAX] = "";

	measure_forget(&m->measure);
	sets_stop(m->measure.sets, m->measure.counts, why);
	measure_remember(&m->measure, why);
	measure_take(m);
}
