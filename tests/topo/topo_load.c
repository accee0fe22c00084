/* SPDX-License-Identifier: MIT */
/* Expectations come from the hand-written files in data/topo/ and from the arithmetic of
 * hwloc's synthetic descriptions. TESTDATA: folder of the data, default tests/data. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <hwloc.h>

#include "hwloc_topo/ipmu_topology.h"

struct expect_cpu { int os_cpu, core_idx, smt_idx, pkg_idx, numa_os, allowed; };

static void source_xml(const char *name)
{
	const char *dir = getenv("TESTDATA");
	char path[4096];

	snprintf(path, sizeof(path), "%s/topo/%s", dir ? dir : "tests/data", name);
	unsetenv("HWLOC_SYNTHETIC");
	setenv("HWLOC_XMLFILE", path, 1);
}

static void source_synthetic(const char *description)
{
	unsetenv("HWLOC_XMLFILE");
	setenv("HWLOC_SYNTHETIC", description, 1);
}

static struct ipmu_topology *load(void)
{
	struct ipmu_topology *t = NULL;
	char why[IPMU_WHY_MAX] = "";

	if (ipmu_topology_load(&t, why))
		fail_msg("%s", why);
	return t;
}

static void check_cpus(const struct ipmu_topology *t, const struct expect_cpu *want, int n)
{
	assert_int_equal(t->ncpus, n);
	for (int i = 0; i < n; i++) {
		assert_int_equal(t->cpus[i].os_cpu, want[i].os_cpu);
		assert_int_equal(t->cpus[i].core_idx, want[i].core_idx);
		assert_int_equal(t->cpus[i].smt_idx, want[i].smt_idx);
		assert_int_equal(t->cpus[i].pkg_idx, want[i].pkg_idx);
		assert_int_equal(t->cpus[i].numa_os, want[i].numa_os);
		assert_int_equal(t->cpus[i].allowed, want[i].allowed);
	}
}

static void skylake_client(void **state)
{
	static const struct expect_cpu want[] = {
		{ 0, 0, 0, 0, 0, 1 }, { 1, 1, 0, 0, 0, 1 }, { 2, 2, 0, 0, 0, 1 },
		{ 3, 3, 0, 0, 0, 1 }, { 4, 0, 1, 0, 0, 1 }, { 5, 1, 1, 0, 0, 1 },
		{ 6, 2, 1, 0, 0, 1 }, { 7, 3, 1, 0, 0, 1 },
	};
	struct ipmu_topology *t;

	(void)state;
	source_xml("skl-4c8t.xml");
	t = load();
	assert_string_equal(t->vendor, "GenuineIntel");
	assert_string_equal(t->cpu_model, "Test Skylake client, 4 cores");
	assert_int_equal(t->family, 6);
	assert_int_equal(t->model, 0x5E);
	assert_int_equal(t->stepping, 3);
	assert_int_equal(t->npackages, 1);
	assert_int_equal(t->ncores, 4);
	check_cpus(t, want, 8);
	assert_int_equal(t->packages[0].os_index, 0);
	assert_int_equal(t->packages[0].ncores, 4);
	assert_int_equal(t->packages[0].ncpus, 8);
	assert_int_equal(ipmu_topology_slice(t, 2), 2);
	assert_int_equal(ipmu_topology_slice(t, 7), 3);
	assert_int_equal(ipmu_topology_slice(t, 8), -EINVAL);
	assert_null(ipmu_topology_cpu(t, -1));
	assert_null(ipmu_topology_cpu(t, 8));
	assert_ptr_equal(ipmu_topology_cpu(t, 5), &t->cpus[5]);
	ipmu_topology_free(t);
}

static void disallowed_cpus(void **state)
{
	struct ipmu_topology *t;

	(void)state;
	source_xml("disallowed.xml");	/* allowed: 0x26, CPUs 1, 2 and 5 */
	t = load();
	assert_int_equal(t->ncpus, 8);
	for (int i = 0; i < 8; i++)
		assert_int_equal(t->cpus[i].allowed, i == 1 || i == 2 || i == 5);
	assert_int_equal(t->packages[0].ncpus, 8);
	assert_int_equal(t->packages[0].reach_cpu, 1);
	assert_int_equal(ipmu_topology_reach(t, 0, -1), 1);
	assert_int_equal(ipmu_topology_reach(t, 0, 5), 5);
	assert_int_equal(ipmu_topology_reach(t, 0, 0), 1);
	assert_int_equal(ipmu_topology_reach(t, 0, 99), 1);
	ipmu_topology_free(t);
}

static void two_packages(void **state)
{
	static const struct expect_cpu want[] = {	/* CPU 1 is offline */
		{ 0, 0, 0, 0, 0, 1 }, { 2, 1, 0, 0, 0, 1 }, { 3, 2, 0, 1, 2, 0 },
		{ 4, 3, 0, 1, 2, 0 },
	};
	struct ipmu_topology *t;

	(void)state;
	source_xml("two-packages.xml");
	t = load();
	check_cpus(t, want, 4);
	assert_int_equal(t->npackages, 2);
	assert_int_equal(t->packages[0].os_index, 0);
	assert_int_equal(t->packages[1].os_index, 3);
	assert_int_equal(t->packages[1].pkg_idx, 1);
	assert_int_equal(t->packages[1].reach_cpu, -1);
	assert_int_equal(t->model, 46);
	assert_int_equal(t->stepping, -1);
	assert_string_equal(t->cpu_model, "");
	assert_null(ipmu_topology_cpu(t, 1));
	assert_ptr_equal(ipmu_topology_cpu(t, 4), &t->cpus[3]);
	assert_int_equal(ipmu_topology_reach(t, 0, 3), 0);	/* 3 sits in the other one */
	assert_int_equal(ipmu_topology_reach(t, 1, 3), -ENODEV);
	assert_int_equal(ipmu_topology_reach(t, 2, 0), -EINVAL);
	assert_int_equal(ipmu_topology_reach(t, -1, 0), -EINVAL);
	assert_int_equal(ipmu_topology_slice(t, 4), 1);		/* within its package */
	ipmu_topology_free(t);
}

static void no_packages_no_cores(void **state)
{
	static const struct expect_cpu want[] = {
		{ 0, 0, 0, 0, 0, 1 }, { 1, 1, 0, 0, 0, 1 }, { 2, 2, 0, 0, 0, 1 },
	};
	struct ipmu_topology *t;

	(void)state;
	source_xml("no-packages.xml");
	t = load();
	check_cpus(t, want, 3);
	assert_int_equal(t->npackages, 1);
	assert_int_equal(t->ncores, 3);
	assert_int_equal(t->packages[0].os_index, -1);
	assert_int_equal(t->packages[0].ncpus, 3);
	assert_int_equal(ipmu_topology_reach(t, 0, 2), 2);
	assert_string_equal(t->vendor, "GenuineIntel");
	assert_int_equal(t->family, 11);
	assert_int_equal(t->model, 1);
	assert_int_equal(t->stepping, -1);	/* "B1" is no number */
	ipmu_topology_free(t);
}

static void synthetic_interleaved(void **state)
{
	/* CPUs dealt round robin over 2 packages: even ones in package 0, odd ones in 1 */
	static const struct expect_cpu want[] = {
		{ 0, 0, 0, 0, 0, 1 }, { 1, 2, 0, 1, 0, 1 }, { 2, 0, 1, 0, 0, 1 },
		{ 3, 2, 1, 1, 0, 1 }, { 4, 1, 0, 0, 0, 1 }, { 5, 3, 0, 1, 0, 1 },
		{ 6, 1, 1, 0, 0, 1 }, { 7, 3, 1, 1, 0, 1 },
	};
	struct ipmu_topology *t;

	(void)state;
	source_synthetic("pack:2 core:2 pu:2(indexes=4*2:1*4)");
	t = load();
	check_cpus(t, want, 8);
	assert_int_equal(t->packages[1].reach_cpu, 1);
	assert_int_equal(ipmu_topology_reach(t, 1, 6), 1);
	assert_int_equal(ipmu_topology_reach(t, 1, 7), 7);
	assert_int_equal(ipmu_topology_slice(t, 3), 0);
	assert_int_equal(ipmu_topology_slice(t, 7), 1);
	assert_string_equal(t->vendor, "");
	assert_int_equal(t->family, -1);
	ipmu_topology_free(t);
}

static void synthetic_large(void **state)
{
	struct ipmu_topology *t;

	(void)state;
	source_synthetic("pack:8 core:16 pu:4");
	t = load();
	assert_int_equal(t->ncpus, 512);
	assert_int_equal(t->ncores, 128);
	assert_int_equal(t->npackages, 8);
	assert_int_equal(t->cpus[511].os_cpu, 511);
	assert_int_equal(t->cpus[511].core_idx, 127);
	assert_int_equal(t->cpus[511].smt_idx, 3);
	assert_int_equal(t->cpus[511].pkg_idx, 7);
	assert_int_equal(ipmu_topology_reach(t, 5, -1), 5 * 64);
	assert_int_equal(ipmu_topology_slice(t, 70), 1);
	ipmu_topology_free(t);
}

static void refused(const char *name)
{
	struct ipmu_topology sentinel, *untouched = &sentinel;
	struct ipmu_topology *t = untouched;
	char why[IPMU_WHY_MAX] = "";

	assert_true(ipmu_topology_load(&t, why) < 0);
	assert_ptr_equal(t, untouched);
	if (!strstr(why, name))
		fail_msg("'%s' is not in '%s'", name, why);
}

static void unreadable_sources(void **state)
{
	(void)state;
	source_xml("broken.xml");
	refused("broken.xml");
	source_xml("there-is-no-such-file.xml");
	refused("there-is-no-such-file.xml");
	source_xml("twins.xml");
	/* hwloc 3.0 refuses it itself. */
	refused(HWLOC_API_VERSION < 0x00030000 ? "two CPUs have one number" : "twins.xml");
	source_synthetic("pack:2 sausage:3");
	refused("sausage");
}

static void real_machine(void **state)
{
	struct ipmu_topology *t;

	(void)state;
	unsetenv("HWLOC_XMLFILE");
	unsetenv("HWLOC_SYNTHETIC");
	t = load();
	assert_true(t->ncpus >= 1 && t->npackages >= 1 && t->ncores >= t->npackages);
	assert_true(ipmu_topology_reach(t, 0, -1) >= 0 || t->npackages > 1);
	ipmu_topology_free(t);
	ipmu_topology_free(NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(skylake_client),
		cmocka_unit_test(disallowed_cpus),
		cmocka_unit_test(two_packages),
		cmocka_unit_test(no_packages_no_cores),
		cmocka_unit_test(synthetic_interleaved),
		cmocka_unit_test(synthetic_large),
		cmocka_unit_test(unreadable_sources),
		cmocka_unit_test(real_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
