/* SPDX-License-Identifier: MIT */
/* The component as a whole: opened when it is first needed, with reasons where it cannot be.
 * glue_initialize() opens the machine, under PAPI's component lock; glue_shutdown_component()
 * closes it. glue_report() passes an error's sentence on to PAPI's user. Other threads read the
 * component's `disabled` without a lock. It becomes PAPI_OK only after everything else is set. */
#include "inside.h"

#include "base/cancel.h"
#include "node_sum.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int glue_papi_code(int rc)
{
	switch (rc) {
	case 0:
		return PAPI_OK;
	case -ENOENT:
		return PAPI_ENOEVNT;
	case -EINVAL:
		return PAPI_EINVAL;
	case -ENOSPC:
	case -EBUSY:
		return PAPI_ECNFLCT;
	case -EACCES:
	case -EPERM:
		return PAPI_EPERM;
	case -ENOMEM:
		return PAPI_ENOMEM;
	case -ENODEV:
	case -ENXIO:
		return PAPI_ECMP;
	case -ENOTSUP:
		return PAPI_ENOSUPP;
	case -ESTALE:
	case -ESHUTDOWN:
	case -EBADF:
		return PAPI_ECLOST;
	default:
		return PAPI_ESYS;
	}
}

/* While a component is enabled, its "disabled_reason" is why its last call failed: PAPI has no
 * other place for a sentence that a program can read. */
void glue_set_reason(struct glue *g, const char *why)
{
	if (INFO(g).disabled == PAPI_OK)
		snprintf(INFO(g).disabled_reason, sizeof(INFO(g).disabled_reason), "%s", why);
}

void glue_forget_reason(struct glue *g)
{
	if (!__atomic_load_n(&INFO(g).disabled_reason[0], __ATOMIC_RELAXED))
		return;
	_papi_hwi_lock(g->lock_id);
	glue_set_reason(g, "");
	_papi_hwi_unlock(g->lock_id);
}

/* PAPI queries the same name several times: report a sentence once. PAPI shows it if its messages
 * are on (PAPI_VERBOSE, PAPI_set_debug). */
int glue_report(struct glue *g, int rc, const char *why)
{
	bool news;

	_papi_hwi_lock(g->lock_id);
	if (rc)
		glue_set_reason(g, why);
	news = strcmp(why, g->last_why) != 0;
	if (news)
		snprintf(g->last_why, sizeof(g->last_why), "%s", why);
	_papi_hwi_unlock(g->lock_id);
	if (news)
		PAPIERROR("%s: %s", INFO(g).name, why);
	return glue_papi_code(rc);
}

void glue_report_left(struct glue *g)
{
	char why[IPMU_WHY_MAX];

	if (g->machine && ipmu_system_left(g->machine, why))
		glue_report(g, 0, why);
}

/* Set last, because other threads read it without a lock. */
static void set_disabled(struct glue *g, int code)
{
	__atomic_store_n(&INFO(g).disabled, code, __ATOMIC_RELEASE);
}

static int disable(struct glue *g, int rc, const char *why)
{
	snprintf(INFO(g).disabled_reason, sizeof(INFO(g).disabled_reason), "%s", why);
	set_disabled(g, glue_papi_code(rc));
	return glue_papi_code(rc);
}

static void append_note(struct glue *g, const char *format, const char *what, const char *why)
{
	char *text = INFO(g).description;
	size_t n = strlen(text);

	snprintf(text + n, sizeof(INFO(g).description) - n, format, what, why);
}

static void note_partial(struct glue *g)
{
	int place = g->scope == IPMU_SCOPE_PACKAGE ? 0 : g->topology->cpus[0].os_cpu;
	const struct ipmu_pmu_type *type;
	char why[IPMU_WHY_MAX];

	if (ipmu_system_note(g->machine)[0])
		append_note(g, "; %s%s", ipmu_system_note(g->machine), "");
	for (int i = 0; (type = ipmu_system_type(g->machine, i)) != NULL; i++)
		if (!ipmu_system_boxes(g->machine, type, place, why))
			append_note(g, "; no %s: %.200s", ipmu_type_name(type), why);
}

/* Close what open_machine() has opened, all of it or a part. No pointers into it are left. */
static int close_machine(struct glue *g)
{
	int rc = g->machine ? ipmu_system_close(g->machine) : 0;

	g->machine = NULL;
	event_table_free(&g->events);
	if (g->topology)
		ipmu_topology_release();
	g->topology = NULL;
	return rc;
}

/* Without a machine the topology is kept, because the other component needs it next. */
static int open_machine(struct glue *g, char *why)
{
	int rc = g->scope == IPMU_SCOPE_PACKAGE ? node_sum_setting(why) : 0;

	if (!rc)
		rc = ipmu_topology_acquire(&g->topology, why);
	if (!rc)
		rc = ipmu_system_open(g->topology, g->scope, &g->machine, why);
	if (!rc)
		event_table_begin(&g->events, g->machine);
	return rc;
}

/* Names of PMUs: those of any machine, and once the machine has been opened, its own. The bytes of
 * a name stay, because other threads may read a name while it is replaced. */
static char *pmu_name(struct glue *g, int i)
{
	char *name = g->machine ? g->own[i] : g->pmus[i];

	if (g->machine && !name[0])
		ipmu_system_pmu(g->machine, i, name);
	return name[0] ? name : NULL;
}

static void publish_pmu_names(struct glue *g)
{
	bool more = true;

	if (!g->pmus[0][0])
		ipmu_names_pmus(g->scope, 0, g->pmus, PAPI_PMU_MAX);
	for (int i = 0; i < PAPI_PMU_MAX; i++) {
		char *name = more ? pmu_name(g, i) : NULL;

		__atomic_store_n(&INFO(g).pmu_names[i], name, __ATOMIC_RELAXED);
		more = name != NULL;
	}
}

static int initialize_locked(struct glue *g)
{
	char why[IPMU_WHY_MAX] = "";
	int rc;

	if (INFO(g).disabled != PAPI_EDELAY_INIT)
		return INFO(g).disabled;
	rc = open_machine(g, why);
	INFO(g).initialized = 1;
	if (rc)
		return disable(g, rc, why);
	INFO(g).disabled_reason[0] = '\0';
	note_partial(g);
	publish_pmu_names(g);
	set_disabled(g, PAPI_OK);
	return PAPI_OK;
}

int glue_initialize(struct glue *g)
{
	int rc = __atomic_load_n(&INFO(g).disabled, __ATOMIC_ACQUIRE), cancel;
	bool opened;

	if (rc != PAPI_EDELAY_INIT)
		return rc;
	cancel = ipmu_cancel_hold();
	_papi_hwi_lock(g->lock_id);
	opened = INFO(g).disabled == PAPI_EDELAY_INIT;
	rc = initialize_locked(g);
	_papi_hwi_unlock(g->lock_id);
	if (opened && rc == PAPI_OK)
		glue_presets_load(g);
	ipmu_cancel_release(cancel);
	return rc;
}

static void drop_machine(struct glue *g)
{
	int rc = close_machine(g);

	if (rc == -ESTALE)
		PAPIERROR("%s: registers that somebody else has changed meanwhile are left as "
			  "they are", INFO(g).name);
	else if (rc)
		PAPIERROR("%s: registers could not be restored: %s; ipmu-restore tries again",
			  INFO(g).name, strerror(-rc));
	g->last_why[0] = '\0';
}

int glue_init_component(struct glue *g, int cidx)
{
	char why[IPMU_WHY_MAX] = "";
	int rc;

	drop_machine(g);	/* the parent's, in a forked child that starts PAPI again */
	glue_running_forget();
	INFO(g).CmpIdx = cidx;
	glue_presets_forget(g);
	snprintf(INFO(g).description, sizeof(INFO(g).description), "%s", g->description);
	g->lock_id = PAPI_NUM_LOCK + NUM_INNER_LOCK + cidx;
	rc = ipmu_names_open(why);
	if (rc)
		return disable(g, rc, why);
	publish_pmu_names(g);
	INFO(g).num_cntrs = INFO(g).num_mpx_cntrs = GLUE_EVENTS_MAX;
	INFO(g).num_native_events = -1;
	snprintf(INFO(g).disabled_reason, sizeof(INFO(g).disabled_reason),
		 "not initialized yet: list its events or add one");
	INFO(g).disabled = PAPI_EDELAY_INIT;
	return PAPI_EDELAY_INIT;
}

int glue_shutdown_component(struct glue *g)
{
	if (g->scope == IPMU_SCOPE_PACKAGE)
		node_sum_end();
	drop_machine(g);
	for (int i = 0; i < PAPI_PMU_MAX; i++)
		INFO(g).pmu_names[i] = NULL;
	INFO(g).initialized = 0;
	return PAPI_OK;
}
