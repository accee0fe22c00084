/* SPDX-License-Identifier: MIT */
/* Presets of the components, which PAPI has from 7.2 on: the table is component/presets.tsv, and
 * PAPI reads it as rows of papi_events.csv, by component and PMU. glue_initialize() loads them once
 * the machine is open, without the component's lock, because PAPI requests each event by its name
 * meanwhile. */
#include "inside.h"

#include <stdio.h>
#include <string.h>

#if defined(PAPI_MAX_intel_core_PRESETS) || defined(PAPI_MAX_intel_uncore_PRESETS)
#include "papi_preset.h"

static _Thread_local const struct glue *loading;

static bool is_here(const struct glue *g, const struct ipmu_pmu_type *type)
{
	int place = g->scope == IPMU_SCOPE_PACKAGE ? 0 : g->topology->cpus[0].os_cpu;

	return ipmu_system_boxes(g->machine, type, place, NULL) > 0;
}

/* PAPI takes names that it does not change as char *. */
void glue_presets_load(struct glue *g)
{
	const struct ipmu_pmu_type *type;
	char component[PAPI_MAX_STR_LEN], pmu[PAPI_MIN_STR_LEN];

	snprintf(component, sizeof(component), "%s", INFO(g).name);
	loading = g;
	for (int i = 0; (type = ipmu_system_type(g->machine, i)) != NULL; i++) {
		snprintf(pmu, sizeof(pmu), "%s", ipmu_type_name(type));
		if (is_here(g, type))
			_papi_load_preset_table_component(component, pmu, INFO(g).CmpIdx);
	}
	loading = NULL;
}

const struct glue *glue_presets_loading(void)
{
	return loading;
}

/* PAPI_shutdown frees the names and leaves their number, so that the next one would free them
 * again. */
void glue_presets_forget(const struct glue *g)
{
	hwi_presets_t *presets = _papi_hwi_comp_presets[INFO(g).CmpIdx];

	for (int i = 0; i < _papi_hwi_max_presets[INFO(g).CmpIdx]; i++)
		presets[i] = (hwi_presets_t){ .symbol = presets[i].symbol,
					      .short_descr = presets[i].short_descr,
					      .long_descr = presets[i].long_descr,
					      .event_type = presets[i].event_type };
	INFO(g).num_preset_events = 0;
}

/* The loader takes what stands behind "masks:" for descriptions of the parts of the name, one for
 * each, and reads freed memory if the word is missing. Nothing is listed for it. */
bool glue_presets_describe(const struct event_entry *e, PAPI_event_info_t *info)
{
	size_t n;

	if (!loading)
		return false;
	snprintf(info->symbol, sizeof(info->symbol), "%s", e->name);
	n = (size_t)snprintf(info->long_descr, sizeof(info->long_descr), "masks:");
	for (const char *part = strchr(e->name, ':'); part && n < sizeof(info->long_descr);
	     part = strchr(part + 1, ':'))
		n += (size_t)snprintf(info->long_descr + n, sizeof(info->long_descr) - n,
				      "unit mask or qualifier; papi_native_avail -e "
				      "describes the event:");
	return true;
}
#else
void glue_presets_load(struct glue *g)
{
	(void)g;
}

const struct glue *glue_presets_loading(void)
{
	return NULL;
}

void glue_presets_forget(const struct glue *g)
{
	(void)g;
}

bool glue_presets_describe(const struct event_entry *e, PAPI_event_info_t *info)
{
	(void)e;
	(void)info;
	return false;
}
#endif
