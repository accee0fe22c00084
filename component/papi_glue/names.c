/* SPDX-License-Identifier: MIT */
/* Event names, codes and listings. glue_name_to_code() and the functions after it open the machine
 * first, then use the event table under PAPI's component lock. They may be called for names of any
 * component. Errors about a name that may be another component's are not reported. */
#include "inside.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *bare(const struct glue *g, const char *name)
{
	size_t n = strlen(INFO(g).name);

	return strncmp(name, INFO(g).name, n) == 0 && strncmp(name + n, ":::", 3) == 0 ?
	       name + n + 3 : name;
}

/* PAPI 7.3 requests only names of this component, without its prefix. */
#define ASKED_FOR_OURS_ALONE (PAPI_VERSION >= PAPI_VERSION_NUMBER(7, 3, 0, 0))

/* A name without a PMU of ours may belong to another component: nothing is reported about it. PMUs
 * come before their boxes in the list, which may end within the boxes; a box's name begins like its
 * PMU's. */
static bool is_ours(const struct glue *g, const char *name)
{
	if (ASKED_FOR_OURS_ALONE || bare(g, name) != name)
		return true;
	for (int i = 0; i < PAPI_PMU_MAX && g->pmus[i][0]; i++) {
		size_t n = strlen(g->pmus[i]);

		if (strncasecmp(name, g->pmus[i], n) == 0 && !isalpha((unsigned char)name[n]) &&
		    name[n] != '_')
			return true;
	}
	return false;
}

/* PAPI_ECMP makes PAPI search our listing and, where there is none, give up: but a name without a
 * component may be another's. */
static int not_found(int code)
{
	return code == PAPI_ECMP ? PAPI_ENOEVNT : code;
}

/* Can the component have such an event? Opening the machine takes milliseconds, and at its start
 * PAPI queries all components for each preset event that perf_event does not have. Later requests
 * open it, and get a reason if there is no such event. */
static bool may_have(const struct glue *g, const char *name)
{
	return PAPI_is_initialized() != PAPI_NOT_INITED ||
	       __atomic_load_n(&INFO(g).disabled, __ATOMIC_ACQUIRE) != PAPI_EDELAY_INIT ||
	       ipmu_names_event(g->scope, bare(g, name));
}

int glue_name_to_code(struct glue *g, const char *name, unsigned int *code)
{
	const struct glue *loading = glue_presets_loading();
	char why[IPMU_WHY_MAX] = "";
	int rc;

	if ((loading && loading != g) || !may_have(g, name))
		return PAPI_ENOEVNT;
	rc = glue_initialize(g);
	if (rc != PAPI_OK) {
		if (is_ours(g, name))
			glue_report(g, 0, INFO(g).disabled_reason);
		return not_found(rc);
	}
	glue_forget_reason(g);
	_papi_hwi_lock(g->lock_id);
	rc = event_table_code(&g->events, bare(g, name), !loading, why);
	_papi_hwi_unlock(g->lock_id);
	if (rc < 0)
		return not_found(is_ours(g, name) || rc != -ENOENT ? glue_report(g, rc, why) :
								     glue_papi_code(rc));
	*code = (unsigned)rc;
	return PAPI_OK;
}

static int enumerate_locked(struct glue *g, unsigned int *code, int modifier)
{
	int rc;

	switch (modifier) {
	case PAPI_ENUM_FIRST:
		rc = event_table_first(&g->events);
		INFO(g).num_native_events = g->events.events;
		break;
	case PAPI_ENUM_EVENTS:
		rc = event_table_next(&g->events, *code);
		break;
	case PAPI_NTV_ENUM_UMASKS:
		rc = event_table_umask(&g->events, *code);
		break;
	default:
		return PAPI_EINVAL;
	}
	if (rc < 0)
		return glue_papi_code(rc);
	*code = (unsigned)rc;
	_papi_hwi_set_papi_event_string(event_table_get(&g->events, *code)->name);
	return PAPI_OK;
}

int glue_enumerate(struct glue *g, unsigned int *code, int modifier)
{
	int rc = glue_initialize(g);

	if (rc != PAPI_OK)
		return rc;
	_papi_hwi_lock(g->lock_id);
	rc = enumerate_locked(g, code, modifier);
	_papi_hwi_unlock(g->lock_id);
	return rc;
}

static int name_locked(struct glue *g, unsigned int code, char *name, int len)
{
	const struct event_entry *e = event_table_get(&g->events, code);

	if (!e)
		return PAPI_ENOEVNT;
	return snprintf(name, (size_t)len, "%s", e->name) < len ? PAPI_OK : PAPI_EBUF;
}

int glue_code_to_name(struct glue *g, unsigned int code, char *name, int len)
{
	int rc = glue_initialize(g);

	if (rc != PAPI_OK)
		return PAPI_ENOEVNT;
	_papi_hwi_lock(g->lock_id);
	rc = name_locked(g, code, name, len);
	_papi_hwi_unlock(g->lock_id);
	return rc;
}

/* "; qualifiers: ...": what may follow the name, for an event of any spelling. */
static void describe_form(struct glue *g, const struct event_entry *e, char *text, size_t bytes)
{
	struct ipmu_event_form form;

	text[0] = '\0';
	if (ipmu_event_form(g->events.sys, e->number >= 0 ? e->name : e->event.name, &form))
		return;
	/* The text is cut where PAPI has no more room. */
	if (snprintf(text, bytes, "; qualifiers: %s%s%s", form.qualifiers,
		     form.needs_umask ? "; needs a unit mask" :
		     form.umask[0] ? "; without a unit mask: " : "", form.umask) < 0)
		text[0] = '\0';
}

static int info_locked(struct glue *g, unsigned int code, PAPI_event_info_t *info)
{
	char form[sizeof(struct ipmu_event_form)];
	const struct event_entry *e = event_table_get(&g->events, code);
	int rc;

	if (e && glue_presets_describe(e, info))
		return PAPI_OK;
	rc = event_table_describe(&g->events, code);
	if (rc)
		return glue_papi_code(rc);
	describe_form(g, e, form, sizeof(form));
	snprintf(info->symbol, sizeof(info->symbol), "%s", e->name);
	snprintf(info->long_descr, sizeof(info->long_descr), "%.480s%s%s%.480s", e->desc, form,
		 e->umask_desc[0] ? ", masks:" : "", e->umask_desc);
	snprintf(info->units, sizeof(info->units), "%s", e->units);
	return PAPI_OK;
}

int glue_code_to_info(struct glue *g, unsigned int code, PAPI_event_info_t *info)
{
	int rc = glue_initialize(g);

	if (rc != PAPI_OK)
		return PAPI_ENOEVNT;
	_papi_hwi_lock(g->lock_id);
	rc = info_locked(g, code, info);
	_papi_hwi_unlock(g->lock_id);
	if (rc != PAPI_OK)
		return rc;
	info->location = g->scope == IPMU_SCOPE_PACKAGE ? PAPI_LOCATION_UNCORE : PAPI_LOCATION_CORE;
	info->data_type = PAPI_DATATYPE_UINT64;
	info->value_type = PAPI_VALUETYPE_RUNNING_SUM;
	info->timescope = PAPI_TIMESCOPE_SINCE_START;
	return PAPI_OK;
}

int glue_code_to_descr(struct glue *g, unsigned int code, char *descr, int len)
{
	PAPI_event_info_t info;
	int rc = glue_code_to_info(g, code, &info);

	if (rc == PAPI_OK)
		snprintf(descr, (size_t)len, "%s", info.long_descr);
	return rc;
}
