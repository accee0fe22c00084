/* SPDX-License-Identifier: MIT */
/* From hwloc's objects to plain tables of CPUs and packages. ipmu_topology_load() makes a topology
 * and ipmu_topology_free() frees it; ipmu_topology_cpu() and ipmu_topology_reach() search it. A
 * topology is constant once it is made, so any thread may read it without a lock. CPUs are sorted
 * by their OS number, and each number is there once. */
#include <errno.h>
#include <hwloc.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipmu_topology.h"
#include "source.h"

/* A missing object (NULL) is a value like any other: "the cores or packages that hwloc does not
 * have", so that a machine described in part still has every CPU in some package. */
struct builder {
	struct ipmu_topology *t;
	hwloc_obj_t *package_objs;	/* one per package found so far */
	hwloc_obj_t last_core;
	hwloc_const_bitmap_t allowed;
	hwloc_topology_t topology;
	bool l3;		/* there is one: cores outside of it have no slice of it */
	bool kinds;		/* CPUs are of several */
};

static int topology_explain(char *why, int err, const char *what)
{
	snprintf(why, IPMU_WHY_MAX, "%s: %s", what, strerror(err));
	return -err;
}

/* hwloc 3.0 has the machine's info attributes at the topology, 2.x at the root object. For a file
 * of 2.x, 3.0 keeps them there. The two return the attributes of a kind of CPU in different
 * forms. */
#if HWLOC_API_VERSION >= 0x00030000
static const char *machine_info(hwloc_topology_t topology, const char *name)
{
	const char *value = hwloc_get_info_by_name(hwloc_topology_get_infos(topology), name);

	return value ? value : hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), name);
}

static const char *kind_info(hwloc_topology_t topology, unsigned int kind, const char *name)
{
	struct hwloc_infos_s *infos;
	int rc = hwloc_cpukinds_get_info(topology, kind, NULL, NULL, &infos, 0);

	return rc ? NULL : hwloc_get_info_by_name(infos, name);
}
#else
static const char *machine_info(hwloc_topology_t topology, const char *name)
{
	return hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), name);
}

static const char *kind_info(hwloc_topology_t topology, unsigned int kind, const char *name)
{
	struct hwloc_info_s *infos = NULL;
	unsigned int n = 0;
	int rc = hwloc_cpukinds_get_info(topology, kind, NULL, NULL, &n, &infos, 0);

	for (unsigned int i = 0; !rc && i < n; i++)
		if (strcmp(infos[i].name, name) == 0)
			return infos[i].value;
	return NULL;
}
#endif

static const char *info_find(hwloc_topology_t topology, const char *name)
{
	hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
	const char *value = package ? hwloc_obj_get_info_by_name(package, name) : NULL;

	return value ? value : machine_info(topology, name);
}

static int info_number(hwloc_topology_t topology, const char *name)
{
	const char *text = info_find(topology, name);
	char *end;
	long value;

	if (!text)
		return -1;
	errno = 0;
	value = strtol(text, &end, 10);
	return end == text || *end || errno || value < 0 || value > INT_MAX ? -1 : (int)value;
}

static void info_text(hwloc_topology_t topology, const char *name, char *out, size_t bytes)
{
	const char *text = info_find(topology, name);

	snprintf(out, bytes, "%s", text ? text : "");
}

static void identity_fill(hwloc_topology_t topology, struct ipmu_topology *t)
{
	info_text(topology, "CPUVendor", t->vendor, sizeof(t->vendor));
	info_text(topology, "CPUModel", t->cpu_model, sizeof(t->cpu_model));
	t->family = info_number(topology, "CPUFamilyNumber");
	t->model = info_number(topology, "CPUModelNumber");
	t->stepping = info_number(topology, "CPUStepping");
}

static hwloc_obj_t ancestor(hwloc_obj_t obj, hwloc_obj_type_t type)
{
	while (obj && obj->type != type)
		obj = obj->parent;
	return obj;
}

static struct ipmu_package *package_of(struct builder *b, hwloc_obj_t obj)
{
	struct ipmu_package *package;
	int i;

	for (i = 0; i < b->t->npackages; i++)
		if (b->package_objs[i] == obj)
			return &b->t->packages[i];
	b->package_objs[i] = obj;
	package = &b->t->packages[b->t->npackages++];
	*package = (struct ipmu_package){ .pkg_idx = i, .os_index = -1, .reach_cpu = -1 };
	if (obj && obj->os_index != HWLOC_UNKNOWN_INDEX)
		package->os_index = (int)obj->os_index;
	return package;
}

/* Clusters by hwloc's number of their L2 cache. */
static int cluster_of(const struct builder *b, hwloc_obj_t pu)
{
	hwloc_obj_t l2 = ancestor(pu, HWLOC_OBJ_L2CACHE);

	if (b->l3 && !ancestor(pu, HWLOC_OBJ_L3CACHE))
		return -1;
	if (!l2 || hwloc_get_nbobjs_inside_cpuset_by_type(b->topology, l2->cpuset,
							  HWLOC_OBJ_CORE) < 2)
		return 0;
	return (int)l2->logical_index + 1;
}

static void kind_of(const struct builder *b, hwloc_obj_t pu, char *out, size_t bytes)
{
	int kind = b->kinds ? hwloc_cpukinds_get_by_cpuset(b->topology, pu->cpuset, 0) : -1;
	const char *type = kind < 0 ? NULL : kind_info(b->topology, (unsigned int)kind, "CoreType");

	if (type)
		snprintf(out, bytes, "%s", type);
}

/* CPUs are in hwloc's logical order, in which the threads of a core are neighbours. */
static void cpu_add(struct builder *b, hwloc_obj_t pu)
{
	struct ipmu_topology *t = b->t;
	struct ipmu_package *package = package_of(b, ancestor(pu, HWLOC_OBJ_PACKAGE));
	hwloc_obj_t core = ancestor(pu, HWLOC_OBJ_CORE);
	bool same_core = core && core == b->last_core;
	struct ipmu_cpu *cpu = &t->cpus[t->ncpus];

	cpu->os_cpu = (int)pu->os_index;
	cpu->pkg_idx = package->pkg_idx;
	cpu->smt_idx = same_core ? cpu[-1].smt_idx + 1 : 0;
	cpu->core_idx = same_core ? cpu[-1].core_idx : t->ncores;
	cpu->numa_os = pu->nodeset ? hwloc_bitmap_first(pu->nodeset) : -1;
	cpu->core_os = core && core->os_index != HWLOC_UNKNOWN_INDEX ? (int)core->os_index : -1;
	cpu->cluster = cluster_of(b, pu);
	kind_of(b, pu, cpu->kind, sizeof(cpu->kind));
	cpu->allowed = hwloc_bitmap_isset(b->allowed, pu->os_index);
	t->ncpus++;
	t->ncores += !same_core;
	package->ncpus++;
	package->ncores += !same_core;
	if (cpu->allowed && (package->reach_cpu < 0 || cpu->os_cpu < package->reach_cpu))
		package->reach_cpu = cpu->os_cpu;
	b->last_core = core;
}

static int cpu_compare(const void *a, const void *b)
{
	const struct ipmu_cpu *left = a, *right = b;

	return (left->os_cpu > right->os_cpu) - (left->os_cpu < right->os_cpu);
}

/* Does each CPU have a number of its own? XML files may have anything, and the tables are searched
 * by the number. */
static bool numbers_differ(const struct ipmu_topology *t)
{
	for (int i = 0; i < t->ncpus; i++)
		if (t->cpus[i].os_cpu < 0 || (i && t->cpus[i - 1].os_cpu == t->cpus[i].os_cpu))
			return false;
	return true;
}

/* The kernel numbers offline CPUs, but does not report their cores. */
static int offline_count(hwloc_topology_t topology, int online)
{
	hwloc_const_bitmap_t complete = hwloc_topology_get_complete_cpuset(topology);
	int all = complete ? hwloc_bitmap_weight(complete) : -1;

	return all > online ? all - online : 0;
}

static int tables_fill(hwloc_topology_t topology, struct ipmu_topology *t, char *why)
{
	int n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
	struct builder b = { .t = t, .topology = topology,
			     .allowed = hwloc_topology_get_allowed_cpuset(topology),
			     .l3 = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_L3CACHE) > 0,
			     .kinds = hwloc_cpukinds_get_nr(topology, 0) > 1 };
	hwloc_obj_t pu = NULL;

	if (n <= 0)
		return topology_explain(why, ENODEV, "hwloc's topology has no CPU");
	t->cpus = calloc((size_t)n, sizeof(*t->cpus));
	t->packages = calloc((size_t)n, sizeof(*t->packages));
	b.package_objs = calloc((size_t)n, sizeof(*b.package_objs));
	if (!t->cpus || !t->packages || !b.package_objs) {
		free(b.package_objs);
		return topology_explain(why, ENOMEM, "the table of CPUs");
	}
	while ((pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)))
		cpu_add(&b, pu);
	free(b.package_objs);
	qsort(t->cpus, (size_t)t->ncpus, sizeof(*t->cpus), cpu_compare);
	if (!numbers_differ(t)) {
		snprintf(why, IPMU_WHY_MAX, "hwloc's topology: two CPUs have one number, or one "
			 "has none; if HWLOC_XMLFILE names a file, make it again with lstopo");
		return -EINVAL;
	}
	identity_fill(topology, t);
	t->noffline = offline_count(topology, n);
	return 0;
}

int ipmu_topology_load(struct ipmu_topology **out, char why[IPMU_WHY_MAX])
{
	struct ipmu_topology *t;
	hwloc_topology_t topology;
	int rc = ipmu_source_open(&topology, why);

	if (rc)
		return rc;
	t = calloc(1, sizeof(*t));
	rc = t ? tables_fill(topology, t, why) : topology_explain(why, ENOMEM, "the topology");
	if (rc)
		ipmu_topology_free(t);
	else
		*out = t;
	hwloc_topology_destroy(topology);
	return rc;
}

void ipmu_topology_free(struct ipmu_topology *t)
{
	if (!t)
		return;
	free(t->cpus);
	free(t->packages);
	free(t);
}

const struct ipmu_cpu *ipmu_topology_cpu(const struct ipmu_topology *t, int os_cpu)
{
	struct ipmu_cpu key = { .os_cpu = os_cpu };

	return bsearch(&key, t->cpus, (size_t)t->ncpus, sizeof(key), cpu_compare);
}

int ipmu_topology_reach(const struct ipmu_topology *t, int pkg_idx, int prefer_os_cpu)
{
	const struct ipmu_cpu *cpu = ipmu_topology_cpu(t, prefer_os_cpu);

	if (pkg_idx < 0 || pkg_idx >= t->npackages)
		return -EINVAL;
	if (cpu && cpu->pkg_idx == pkg_idx && cpu->allowed)
		return prefer_os_cpu;
	return t->packages[pkg_idx].reach_cpu < 0 ? -ENODEV : t->packages[pkg_idx].reach_cpu;
}
