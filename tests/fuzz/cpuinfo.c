/* SPDX-License-Identifier: MIT */
/* /proc/cpuinfo of any text, on a machine of two CPUs whose files are otherwise as Linux has them.
 * hwloc reads it; the identity of the processor, by which a family is chosen, comes from it. */
#include "fuzz.h"
#include "topology_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/fuzz-cpuinfo-XXXXXX";

static const struct { const char *path, *text; } files[] = {
	{ "sys/devices/system/cpu/online", "0-1\n" },
	{ "sys/devices/system/cpu/possible", "0-1\n" },
	{ "sys/devices/system/cpu/present", "0-1\n" },
	{ "sys/devices/system/cpu/cpu0/online", "1\n" },
	{ "sys/devices/system/cpu/cpu0/topology/core_id", "0\n" },
	{ "sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n" },
	{ "sys/devices/system/cpu/cpu0/topology/thread_siblings", "1\n" },
	{ "sys/devices/system/cpu/cpu0/topology/core_siblings", "3\n" },
	{ "sys/devices/system/cpu/cpu1/online", "1\n" },
	{ "sys/devices/system/cpu/cpu1/topology/core_id", "1\n" },
	{ "sys/devices/system/cpu/cpu1/topology/physical_package_id", "0\n" },
	{ "sys/devices/system/cpu/cpu1/topology/thread_siblings", "2\n" },
	{ "sys/devices/system/cpu/cpu1/topology/core_siblings", "3\n" },
	{ "proc/cpuinfo", "" },
};
#define FILES (sizeof(files) / sizeof(files[0]))

static void put(const char *path, const void *text, size_t size)
{
	char whole[256];
	int fd;

	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	for (char *slash = whole + sizeof(root); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		(void)mkdir(whole, 0700);
		*slash = '/';
	}
	fd = open(whole, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	REQUIRE(fd >= 0 && write(fd, text, size) == (ssize_t)size);
	close(fd);
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
	for (size_t i = 0; i < FILES; i++)
		put(files[i].path, files[i].text, strlen(files[i].text));
	REQUIRE(setenv("HWLOC_FSROOT", root, 1) == 0);
	REQUIRE(setenv("HWLOC_COMPONENTS", "linux,stop", 1) == 0);
	REQUIRE(setenv("HWLOC_HIDE_ERRORS", "2", 1) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ipmu_topology *t = NULL;
	char why[IPMU_WHY_MAX] = "";

	if (!getenv("HWLOC_FSROOT"))
		set_up();
	put("proc/cpuinfo", data, size);
	REQUIRE(ipmu_topology_load(&t, why) == 0);
	REQUIRE(t->ncpus == 2 && t->ncores == 2 && t->npackages == 1);
	REQUIRE(t->family >= -1 && t->model >= -1 && t->stepping >= -1);
	topology_check(t);
	ipmu_topology_free(t);
	return 0;
}
