/* SPDX-License-Identifier: MIT */
/* Files of counts and of labels for pmutopo's drawing. The first byte chooses the machine and
 * which of them the rest is. */
#include "fuzz.h"
#include "fuzz_file.h"
#include "../../hwloc_topo/pmutopo/pmutopo.h"

#include <hwloc.h>

static const struct { const char *synthetic; int family, model; } machines[] = {
	{ "pack:1 l3:1 core:4 pu:2", 6, 0x5e },		/* slices and a memory controller */
	{ "pack:2 core:2 pu:2", 6, 0x2e },		/* M-Boxes */
	{ "pack:1 core:2 pu:1", 6, 0x0f },		/* boxes of each CPU */
};
#define MACHINES (sizeof(machines) / sizeof(machines[0]))

static struct machine {
	struct ipmu_topology *t;
	struct boxes boxes;
	hwloc_topology_t plain;		/* a drawing without labels */
} made[MACHINES];

static hwloc_topology_t plain_make(const char *synthetic)
{
	hwloc_topology_t topology;

	REQUIRE(hwloc_topology_init(&topology) == 0);
	REQUIRE(hwloc_topology_set_type_filter(topology, HWLOC_OBJ_MISC,
					       HWLOC_TYPE_FILTER_KEEP_ALL) == 0);
	REQUIRE(hwloc_topology_set_synthetic(topology, synthetic) == 0);
	REQUIRE(hwloc_topology_load(topology) == 0);
	return topology;
}

static const struct machine *machine_of(unsigned n)
{
	struct machine *m = &made[n % MACHINES];
	char why[IPMU_WHY_MAX];

	if (m->t)
		return m;
	REQUIRE(setenv("HWLOC_SYNTHETIC", machines[n % MACHINES].synthetic, 1) == 0);
	REQUIRE(ipmu_topology_load(&m->t, why) == 0);
	strcpy(m->t->vendor, "GenuineIntel");
	m->t->family = machines[n % MACHINES].family;
	m->t->model = machines[n % MACHINES].model;
	m->boxes.n = ipmu_topology_boxes(m->t, &m->boxes.box);
	REQUIRE(m->boxes.n > 0);
	m->plain = plain_make(machines[n % MACHINES].synthetic);
	return m;
}

static void check_counts(const struct machine *m, const char *path)
{
	struct counts c = { NULL, NULL };
	char why[IPMU_WHY_MAX] = "";

	REQUIRE(!counts_read(path, &m->boxes, &c, why) || why[0]);
	for (int i = 0; i < m->boxes.n; i++)
		REQUIRE(c.given[i] || !c.value[i]);
	counts_free(&c);
}

static int children(hwloc_obj_t obj)
{
	int n = 0;

	for (hwloc_obj_t misc = obj->misc_first_child; misc; misc = misc->next_sibling) {
		REQUIRE(misc->name && !misc->name[strcspn(misc->name, "<>\"'\n")]);
		n += 1 + children(misc);
	}
	for (hwloc_obj_t child = obj->first_child; child; child = child->next_sibling)
		n += children(child);
	return n;
}

/* The drawing has the lines' text, with nothing in it that is markup. */
static void check_labels(const struct machine *m, const char *path, size_t lines)
{
	hwloc_topology_t topology;
	char why[IPMU_WHY_MAX] = "";
	bool on_cores = false;
	int rc;

	REQUIRE(hwloc_topology_dup(&topology, m->plain) == 0);
	rc = labels_insert(topology, m->t, path, &on_cores, why);
	REQUIRE(!rc || why[0]);
	REQUIRE((size_t)children(hwloc_get_root_obj(topology)) <= 2 * lines);
	hwloc_topology_destroy(topology);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_file file;
	unsigned choice = fuzz_byte(&data, &size);
	const struct machine *m = machine_of(choice >> 1);
	size_t lines = 1;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	fuzz_file_write(&file, data, size);
	if (choice & 1)
		check_labels(m, file.path, lines);
	else
		check_counts(m, file.path);
	return 0;
}
