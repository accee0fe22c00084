/* SPDX-License-Identifier: MIT */
/* A topology that another process read: the same tables, without reading the source again.
 * The source is a copy of data/topo/two-packages.xml, which is gone when it matters. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "hwloc_topo/ipmu_topology.h"
#include "on_machine.h"

static char source[] = "/tmp/ipmu-topo-shared.XXXXXX";
static char why[IPMU_WHY_MAX];
static int file = -1;
static struct ipmu_topology *loaded;

/* The control group and cpuset that the process is told it is in; NULL: the real ones. */
static const char *cgroup, *cpuset;

static const char *told_instead_of(const char *path)
{
	if (!strcmp(path, "/proc/self/cgroup"))
		return cgroup;
	return strcmp(path, "/proc/self/cpuset") ? NULL : cpuset;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	const char *text = told_instead_of(path);
	va_list args;
	int fd, mode;

	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	if (!text)
		return __real_open(path, flags, mode);
	fd = memfd_create("told", 0);
	assert_int_equal(pwrite(fd, text, strlen(text), 0), strlen(text));
	return fd;
}

static void copy_source(void)
{
	const char *dir = getenv("TESTDATA");
	char path[4096], block[4096];
	FILE *in, *out = fopen(source, "w");
	size_t n;

	snprintf(path, sizeof(path), "%s/topo/two-packages.xml", dir ? dir : "tests/data");
	in = fopen(path, "r");
	assert_non_null(in);
	assert_non_null(out);
	while ((n = fread(block, 1, sizeof(block), in)) > 0)
		fwrite(block, 1, n, out);
	fclose(in);
	fclose(out);
}

/* Exported, loaded the usual way, and then the source removed. */
static int prepare(void **state)
{
	(void)state;
	copy_source();
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv(IPMU_TOPOLOGY_ENV);
	setenv("HWLOC_XMLFILE", source, 1);
	file = memfd_create("topology", 0);
	assert_true(file >= 0);
	assert_int_equal(ipmu_topology_load(&loaded, why), 0);
	if (ipmu_topology_export(file, why))
		fail_msg("%s", why);
	return unlink(source);
}

static int tidy(void **state)
{
	(void)state;
	ipmu_topology_free(loaded);
	unsetenv(IPMU_TOPOLOGY_ENV);
	return close(file);
}

static void same(const struct ipmu_topology *t)
{
	assert_string_equal(t->vendor, loaded->vendor);
	assert_string_equal(t->cpu_model, loaded->cpu_model);
	assert_int_equal(t->family, loaded->family);
	assert_int_equal(t->model, loaded->model);
	assert_int_equal(t->stepping, loaded->stepping);
	assert_int_equal(t->noffline, loaded->noffline);
	assert_int_equal(t->ncores, loaded->ncores);
	assert_int_equal(t->npackages, 2);
	assert_int_equal(t->ncpus, loaded->ncpus);
	assert_memory_equal(t->packages, loaded->packages,
			    (size_t)t->npackages * sizeof(*t->packages));
	for (int i = 0; i < t->ncpus; i++) {
		assert_int_equal(t->cpus[i].os_cpu, loaded->cpus[i].os_cpu);
		assert_int_equal(t->cpus[i].core_idx, loaded->cpus[i].core_idx);
		assert_int_equal(t->cpus[i].smt_idx, loaded->cpus[i].smt_idx);
		assert_int_equal(t->cpus[i].pkg_idx, loaded->cpus[i].pkg_idx);
		assert_int_equal(t->cpus[i].numa_os, loaded->cpus[i].numa_os);
		assert_int_equal(t->cpus[i].core_os, loaded->cpus[i].core_os);
		assert_int_equal(t->cpus[i].allowed, loaded->cpus[i].allowed);
	}
}

static void adopted(void **state)
{
	struct ipmu_topology *t = NULL;

	(void)state;
	assert_true(ipmu_topology_load(&t, why) < 0);	/* the source is gone */
	if (ipmu_topology_adopt(file, &t, why))
		fail_msg("%s", why);
	same(t);
	ipmu_topology_free(t);
}

static void name_file(ino_t inode)
{
	struct stat st;
	char text[96];

	assert_int_equal(fstat(file, &st), 0);
	snprintf(text, sizeof(text), "%d:%llu:%llu", file, (unsigned long long)st.st_dev,
		 (unsigned long long)(inode ? inode : st.st_ino));
	setenv(IPMU_TOPOLOGY_ENV, text, 1);
}

static void acquired(void **state)
{
	const struct ipmu_topology *t;

	(void)state;
	name_file(0);
	if (ipmu_topology_acquire(&t, why))
		fail_msg("%s", why);
	same(t);
	ipmu_topology_release();
	name_file(1);		/* another file has that number now */
	assert_true(ipmu_topology_acquire(&t, why) < 0);
	setenv(IPMU_TOPOLOGY_ENV, "nonsense", 1);
	assert_true(ipmu_topology_acquire(&t, why) < 0);
}

static void another_machine(void **state)
{
	const struct ipmu_topology *t = NULL;
	struct ipmu_topology *mine;

	(void)state;
	unsetenv("HWLOC_XMLFILE");
	setenv("HWLOC_SYNTHETIC", "pack:1 core:2 pu:1", 1);
	assert_int_equal(ipmu_topology_adopt(file, &mine, why), -EXDEV);
	name_file(0);
	assert_int_equal(ipmu_topology_acquire(&t, why), 0);
	assert_int_equal(t->ncpus, 2);
	ipmu_topology_release();
}

/* Another group may use other CPUs, so its processes do not adopt the topology. */
static void another_group(void **state)
{
	static const struct {
		const char *cgroup, *cpuset;
		int rc;
	} cases[] = {
		{ "0::/job/1\n", "/job\n", 0 },
		{ "0::/job/2\n", "/job\n", -EXDEV },
		{ "0::/job/11\n", "/job\n", -EXDEV },
		{ "", "/job\n", -EXDEV },
		{ "0::/job/1\n", "/rest\n", -EXDEV },
	};
	struct ipmu_topology *t;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		print_message("group %s, cpuset %s", cases[i].cgroup, cases[i].cpuset);
		cgroup = cases[i].cgroup;
		cpuset = cases[i].cpuset;
		assert_int_equal(ipmu_topology_adopt(file, &t, why), cases[i].rc);
		if (!cases[i].rc)
			ipmu_topology_free(t);
	}
	cgroup = cpuset = NULL;
}

static int prepare_in_group(void **state)
{
	cgroup = "0::/job/1\n";
	cpuset = "/job\n";
	return prepare(state);
}

/* The beginning counts of names that do not fit into the first page of the file: 2047 bytes. */
static char long_group[3001];

static int prepare_in_long_group(void **state)
{
	memset(long_group, 'x', sizeof(long_group) - 1);
	cgroup = long_group;
	cpuset = "/job\n";
	return prepare(state);
}

static void group_of_long_name(void **state)
{
	static const char first[] = "HWLOC_XMLFILE=";
	struct ipmu_topology *t;
	char page[4096];
	const char *at;
	size_t last;

	(void)state;
	assert_int_equal(pread(file, page, sizeof(page), 0), sizeof(page));
	at = memmem(page, sizeof(page), first, strlen(first));
	assert_non_null(at);
	assert_int_equal(strnlen(at, sizeof(page) - (size_t)(at - page)), 2047);
	assert_int_equal(ipmu_topology_adopt(file, &t, why), 0);
	ipmu_topology_free(t);
	last = (size_t)(at + 2046 - strstr(at, "xxxxxxxx"));
	long_group[last + 1] = 'y';
	assert_int_equal(ipmu_topology_adopt(file, &t, why), 0);
	ipmu_topology_free(t);
	long_group[last] = 'y';
	assert_int_equal(ipmu_topology_adopt(file, &t, why), -EXDEV);
	cgroup = cpuset = NULL;
}

static void no_export(void **state)
{
	struct ipmu_topology *t;
	struct stat st;

	(void)state;
	assert_int_equal(fstat(file, &st), 0);
	assert_int_equal(ftruncate(file, st.st_size - 4096), 0);
	assert_int_equal(ipmu_topology_adopt(file, &t, why), -EINVAL);
	assert_int_equal(ftruncate(file, 0), 0);
	assert_int_equal(ipmu_topology_adopt(file, &t, why), -EINVAL);
}

static void put(uint64_t value, size_t bytes, off_t at)
{
	assert_int_equal(pwrite(file, &value, bytes, at), bytes);
}

static void is_no_export(void)
{
	struct ipmu_topology *t;

	assert_int_equal(ipmu_topology_adopt(file, &t, why), -EINVAL);
	assert_non_null(strstr(why, "not a shared topology of this library"));
}

/* Behind 16 bytes of name and 4 of hwloc's version: the header's bytes in 4, hwloc's part in 8. */
static void wrong_numbers(void **state)
{
	uint32_t header_bytes;

	(void)state;
	assert_int_equal(pread(file, &header_bytes, 4, 20), 4);
	put(header_bytes + 8, 4, 20);
	is_no_export();
	put(header_bytes, 4, 20);
	/* Less than a page, so that the numbers agree modulo 2^64. */
	assert_int_equal(ftruncate(file, header_bytes), 0);
	put(header_bytes - UINT64_C(4096), 8, 24);
	is_no_export();
}

/* hwloc's address is in use here: fail, so that the caller loads. */
static void address_taken(void **state)
{
	char *at = (char *)UINT64_C(0x2f0000000000);
	struct ipmu_topology *t;
	void *p = mmap(at, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		       0);

	(void)state;
	assert_ptr_equal(p, at);
	assert_true(ipmu_topology_adopt(file, &t, why) < 0);
	munmap(p, 4096);
	assert_int_equal(ipmu_topology_adopt(file, &t, why), 0);
	ipmu_topology_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(adopted, prepare, tidy),
		cmocka_unit_test_setup_teardown(acquired, prepare, tidy),
		cmocka_unit_test_setup_teardown(another_machine, prepare, tidy),
		cmocka_unit_test_setup_teardown(another_group, prepare_in_group, tidy),
		cmocka_unit_test_setup_teardown(group_of_long_name, prepare_in_long_group, tidy),
		cmocka_unit_test_setup_teardown(no_export, prepare, tidy),
		cmocka_unit_test_setup_teardown(wrong_numbers, prepare, tidy),
		cmocka_unit_test_setup_teardown(address_taken, prepare, tidy),
	};
	int fd;

	not_under_tsan("the thread sanitizer has the addresses at which hwloc shares a topology");
	fd = mkstemp(source);
	if (fd < 0)
		return 1;
	close(fd);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
