/* SPDX-License-Identifier: MIT */
/* The same for programs. What is not known or not there is null. */
#include "pmutopo.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

/* json-c answers a lack of memory with NULL, which would read as "not there". */
static bool out_of_memory;

static struct json_object *checked(struct json_object *o)
{
	out_of_memory = out_of_memory || !o;
	return o;
}

static void put(struct json_object *to, const char *key, struct json_object *value)
{
	if (!to || json_object_object_add(to, key, value))
		out_of_memory = true;
}

static void append(struct json_object *to, struct json_object *value)
{
	if (!to || json_object_array_add(to, value))
		out_of_memory = true;
}

static void put_number(struct json_object *to, const char *key, int value)
{
	put(to, key, value < 0 ? NULL : checked(json_object_new_int(value)));
}

static void put_text(struct json_object *to, const char *key, const char *value)
{
	put(to, key, *value ? checked(json_object_new_string(value)) : NULL);
}

static struct json_object *cpu_object(const struct ipmu_topology *t, const struct ipmu_cpu *cpu)
{
	const struct ipmu_box_kind *mbox = kind_of(t, "nhmex_unc_mbox");
	bool slices = kind_of(t, "skl_unc_cbo");
	struct json_object *o = checked(json_object_new_object());
	struct json_object *mboxes = checked(json_object_new_array());
	int n = mbox ? ipmu_topology_nboxes(t, mbox, cpu->pkg_idx) : 0;

	put_number(o, "cpu", cpu->os_cpu);
	put_number(o, "package", cpu->pkg_idx);
	put_number(o, "core", cpu->core_idx);
	put_number(o, "thread", cpu->smt_idx);
	put_number(o, "numa_node", cpu->numa_os);
	put_number(o, "cbo_slice", slices ? ipmu_topology_slice(t, cpu->os_cpu) : -1);
	for (int i = 0; i < n; i++)
		append(mboxes, checked(json_object_new_int(i)));
	put(o, "mboxes", mboxes);
	put(o, "allowed", checked(json_object_new_boolean(cpu->allowed)));
	return o;
}

static struct json_object *package_object(const struct ipmu_package *package)
{
	struct json_object *o = checked(json_object_new_object());

	put_number(o, "package", package->pkg_idx);
	put_number(o, "os_index", package->os_index);
	put_number(o, "cores", package->ncores);
	put_number(o, "cpus", package->ncpus);
	put_number(o, "reach_cpu", package->reach_cpu);
	return o;
}

static struct json_object *box_object(const struct ipmu_topology *t,
				      const struct ipmu_topology_box *box)
{
	struct json_object *o = checked(json_object_new_object());
	struct json_object *cpus = checked(json_object_new_array());

	put_text(o, "pmu", box->kind->pmu);
	put_number(o, "package", box->pkg_idx);
	put_number(o, "box", box->box_idx);
	put_number(o, "core", box->core_idx);
	for (int i = 0; i < t->ncpus; i++)
		if (ipmu_topology_box_reached(t, box, t->cpus[i].os_cpu))
			append(cpus, checked(json_object_new_int(t->cpus[i].os_cpu)));
	put(o, "through_cpus", cpus);
	return o;
}

static void identity_put(struct json_object *root, const struct ipmu_topology *t)
{
	put_text(root, "vendor", t->vendor);
	put_number(root, "family", t->family);
	put_number(root, "model", t->model);
	put_number(root, "stepping", t->stepping);
	put_text(root, "name", t->cpu_model);
	put_number(root, "offline_cpus", t->noffline);
}

static void tables_put(struct json_object *root, const struct ipmu_topology *t,
		       const struct boxes *b)
{
	struct json_object *cpus = checked(json_object_new_array());
	struct json_object *packages = checked(json_object_new_array());
	struct json_object *boxes = checked(json_object_new_array());

	for (int i = 0; i < t->npackages; i++)
		append(packages, package_object(&t->packages[i]));
	for (int i = 0; i < t->ncpus; i++)
		append(cpus, cpu_object(t, &t->cpus[i]));
	for (int i = 0; i < b->n; i++)
		append(boxes, box_object(t, &b->box[i]));
	put(root, "packages", packages);
	put(root, "cpus", cpus);
	put(root, "boxes", boxes);
}

int json_print(const struct ipmu_topology *t, const struct boxes *b, char why[IPMU_WHY_MAX])
{
	struct json_object *root = checked(json_object_new_object());
	const char *text = NULL;
	int rc = 0;

	if (root) {
		identity_put(root, t);
		tables_put(root, t, b);
		text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_SPACED |
						      JSON_C_TO_STRING_PRETTY);
	}
	if (out_of_memory || !text) {
		snprintf(why, IPMU_WHY_MAX, "the JSON text: %s", strerror(ENOMEM));
		rc = -ENOMEM;
	} else {
		puts(text);
	}
	json_object_put(root);
	return rc;
}
