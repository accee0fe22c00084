/* SPDX-License-Identifier: MIT */
/* /proc/cpuinfo of any text, on a machine of one CPU whose files are otherwise as Linux has them.
 * hwloc reads it; the identity of the processor, by which a family is chosen, comes from it. */
#include "fuzz.h"
#include "fuzz_file.h"
#include "topology_check.h"

#include <sys/stat.h>

static char root[] = "/tmp/fuzz-cpuinfo-XXXXXX";
static struct fuzz_file cpuinfo;	/* the input */

static const struct { const char *path, *text; } files[] = {
	{ "sys/devices/system/cpu/online", "0\n" },
	{ "sys/devices/system/cpu/cpu0/topology/core_id", "0\n" },
	{ "sys/devices/system/cpu/cpu0/topology/core_cpus", "1\n" },
	{ "sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n" },
	{ "sys/devices/system/cpu/cpu0/topology/package_cpus", "1\n" },
	{ "proc/hwloc-nofile-info", "Architecture: x86_64\n" },
	{ "proc/cpuinfo", NULL },	/* a link to the input */
};
#define FILES (sizeof(files) / sizeof(files[0]))

/* hwloc 2.9 to 3.0 leaks the CPUs that it has read before one whose number it cannot read. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libhwloc";
}

static void put(const char *path, const char *text)
{
	char whole[256];
	FILE *f;

	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	for (char *slash = whole + sizeof(root); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		(void)mkdir(whole, 0700);
		*slash = '/';
	}
	if (text) {
		f = fopen(whole, "we");
		REQUIRE(f && fputs(text, f) >= 0 && fclose(f) == 0);
	} else {
		REQUIRE(symlink(cpuinfo.path, whole) == 0);
	}
}

static void take_down(void)
{
	char whole[256];

	for (size_t i = FILES; i-- > 0;) {
		snprintf(whole, sizeof(whole), "%s/%s", root, files[i].path);
		(void)unlink(whole);
		for (char *slash; (slash = strrchr(whole, '/')) > whole + sizeof(root) - 2;) {
			*slash = '\0';
			if (rmdir(whole))
				break;
		}
	}
}

static void set_up(void)
{
	REQUIRE(mkdtemp(root));
	atexit(take_down);
	fuzz_file_write(&cpuinfo, "", 0);
	for (size_t i = 0; i < FILES; i++)
		put(files[i].path, files[i].text);
	REQUIRE(setenv("HWLOC_FSROOT", root, 1) == 0);
	REQUIRE(setenv("HWLOC_COMPONENTS", "linux,stop", 1) == 0);
}

static struct ipmu_topology *load(const void *text, size_t size)
{
	struct ipmu_topology *t = NULL;
	char why[IPMU_WHY_MAX] = "";

	fuzz_file_write(&cpuinfo, text, size);
	REQUIRE(ipmu_topology_load(&t, why) == 0);
	return t;
}

/* hwloc reads the identity for the architecture of x86 alone. */
static void check_identity(void)
{
	static const char text[] = "processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\n"
				   "model : 94\nmodel name : any\nstepping : 3\n";
	struct ipmu_topology *t = load(text, sizeof(text) - 1);

	REQUIRE(!strcmp(t->vendor, "GenuineIntel") && !strcmp(t->cpu_model, "any"));
	REQUIRE(t->family == 6 && t->model == 94 && t->stepping == 3);
	ipmu_topology_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ipmu_topology *t;

	if (!cpuinfo.path[0]) {
		set_up();
		check_identity();
	}
	t = load(data, size);
	REQUIRE(t->ncpus == 1 && t->ncores == 1 && t->npackages == 1);
	REQUIRE(t->family >= -1 && t->model >= -1 && t->stepping >= -1);
	topology_check(t);
	ipmu_topology_free(t);
	return 0;
}
