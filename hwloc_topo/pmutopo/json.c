/* SPDX-License-Identifier: MIT */
/* pmutopo --json: topology_print_json() prints the table for programs. A number that is not known,
 * or a box that is not there, is null. Lack of memory prints nothing; other errors of the standard
 * output show when the caller flushes it. */
#include "pmutopo.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "json_writer.h"

static void put_number(struct json_writer *w, json_object *to, const char *key, int value)
{
	if (value < 0)
		json_put_null(w, to, key);
	else
		json_put_int(w, to, key, value);
}

static json_object *cpu_object(struct json_writer *w, const struct ipmu_topology *t,
			       const struct ipmu_cpu *cpu)
{
	const struct ipmu_box_kind *mbox = kind_of(t, "nhmex_unc_mbox");
	bool slices = has_slices(t);
	json_object *o = json_object_begin(w), *mboxes = json_array_begin(w);
	int n = mbox ? ipmu_topology_nboxes(t, mbox, cpu->pkg_idx) : 0;

	put_number(w, o, "cpu", cpu->os_cpu);
	put_number(w, o, "package", cpu->pkg_idx);
	put_number(w, o, "core", cpu->core_idx);
	put_number(w, o, "thread", cpu->smt_idx);
	put_number(w, o, "numa_node", cpu->numa_os);
	put_number(w, o, "cbo_slice", slices ? ipmu_topology_slice(t, cpu->os_cpu) : -1);
	for (int i = 0; i < n; i++)
		json_append_int(w, mboxes, i);
	json_put(w, o, "mboxes", mboxes);
	json_put_bool(w, o, "allowed", cpu->allowed);
	if (cpu->kind[0])
		json_put_text(w, o, "kind", cpu->kind);
	return o;
}

static json_object *package_object(struct json_writer *w, const struct ipmu_package *package)
{
	json_object *o = json_object_begin(w);

	put_number(w, o, "package", package->pkg_idx);
	put_number(w, o, "os_index", package->os_index);
	put_number(w, o, "cores", package->ncores);
	put_number(w, o, "cpus", package->ncpus);
	put_number(w, o, "reach_cpu", package->reach_cpu);
	return o;
}

static json_object *box_object(struct json_writer *w, const struct ipmu_topology *t,
			       const struct ipmu_topology_box *box)
{
	json_object *o = json_object_begin(w), *cpus = json_array_begin(w);

	json_put_text(w, o, "pmu", box->kind->pmu);
	put_number(w, o, "package", box->pkg_idx);
	put_number(w, o, "box", box->box_idx);
	put_number(w, o, "core", box->core_idx);
	for (int i = 0; i < t->ncpus; i++)
		if (ipmu_topology_box_reached(t, box, t->cpus[i].os_cpu))
			json_append_int(w, cpus, t->cpus[i].os_cpu);
	json_put(w, o, "through_cpus", cpus);
	return o;
}

static void identity_put(struct json_writer *w, json_object *root, const struct ipmu_topology *t)
{
	json_put_text(w, root, "vendor", t->vendor);
	put_number(w, root, "family", t->family);
	put_number(w, root, "model", t->model);
	put_number(w, root, "stepping", t->stepping);
	json_put_text(w, root, "name", t->cpu_model);
	put_number(w, root, "offline_cpus", t->noffline);
}

static void tables_put(struct json_writer *w, json_object *root, const struct ipmu_topology *t,
		       const struct boxes *b)
{
	json_object *cpus = json_array_begin(w), *packages = json_array_begin(w);
	json_object *boxes = json_array_begin(w);

	for (int i = 0; i < t->npackages; i++)
		json_append(w, packages, package_object(w, &t->packages[i]));
	for (int i = 0; i < t->ncpus; i++)
		json_append(w, cpus, cpu_object(w, t, &t->cpus[i]));
	for (int i = 0; i < b->n; i++)
		json_append(w, boxes, box_object(w, t, &b->box[i]));
	json_put(w, root, "packages", packages);
	json_put(w, root, "cpus", cpus);
	json_put(w, root, "boxes", boxes);
}

int topology_print_json(const struct ipmu_topology *t, const struct boxes *b,
			char why[IPMU_WHY_MAX])
{
	struct json_writer w = { .no_memory = false };
	json_object *root = json_object_begin(&w);
	int rc;

	identity_put(&w, root, t);
	tables_put(&w, root, t, b);
	rc = json_print(&w, root, JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_PRETTY, stdout);
	if (rc != -ENOMEM)
		return 0;		/* what stdout did not take shows when it is flushed */
	snprintf(why, IPMU_WHY_MAX, "the JSON text: %s", strerror(ENOMEM));
	return rc;
}
