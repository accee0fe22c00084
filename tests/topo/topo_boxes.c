/* SPDX-License-Identifier: MIT */
/* Boxes of machines put together by hand, and the topology that a process shares. Numbers of boxes:
 * 334060-001 Table 2-1, Xeon 7500 uncore guide (two M-Boxes), SDM 18.16 (threads share). */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include "ipmu_topology.h"
#include "pmutopo/pmutopo.h"
#include "tsv.h"

struct hand {
	struct ipmu_topology t;
	struct ipmu_cpu cpus[8];
	struct ipmu_package packages[2];
};

/* Two packages of two cores of two threads, CPUs package by package, threads side by side. */
static void machine(struct hand *h, int family, int model)
{
	*h = (struct hand){ .t = { .vendor = "GenuineIntel", .family = family, .model = model,
		.stepping = 1, .ncpus = 8, .ncores = 4, .npackages = 2 } };
	h->t.cpus = h->cpus;
	h->t.packages = h->packages;
	for (int i = 0; i < 8; i++)
		h->cpus[i] = (struct ipmu_cpu){ .os_cpu = i, .core_idx = i / 2, .smt_idx = i % 2,
			.pkg_idx = i / 4, .allowed = true, .core_os = i / 2 % 2 };
	for (int i = 0; i < 2; i++)
		h->packages[i] = (struct ipmu_package){ .pkg_idx = i, .os_index = i, .ncores = 2,
			.ncpus = 4, .reach_cpu = 4 * i };
}

static void check_box(const struct ipmu_topology_box *box, const char *pmu, int pkg_idx,
		      int box_idx, int core_idx, int reach_cpu)
{
	assert_string_equal(box->kind->pmu, pmu);
	assert_int_equal(box->pkg_idx, pkg_idx);
	assert_int_equal(box->box_idx, box_idx);
	assert_int_equal(box->core_idx, core_idx);
	assert_int_equal(box->reach_cpu, reach_cpu);
}

static void mboxes(void **state)
{
	static const int models[] = { 0x2E, 0x2F }, cboxes[] = { 8, 10 };
	struct ipmu_topology_box *b;
	struct hand h;

	(void)state;
	for (int i = 0; i < 2; i++) {
		machine(&h, 6, models[i]);
		for (int c = 4; c < 8; c++)
			h.cpus[c].allowed = false;
		assert_int_equal(ipmu_topology_boxes(&h.t, &b), 4 + 2 * cboxes[i]);
		check_box(&b[0], "nhmex_unc_mbox", 0, 0, -1, 0);
		check_box(&b[1], "nhmex_unc_mbox", 0, 1, -1, 0);
		check_box(&b[2], "nhmex_unc_mbox", 1, 0, -1, -1);
		check_box(&b[3], "nhmex_unc_mbox", 1, 1, -1, -1);
		check_box(&b[4], "nhmex_unc_cbox", 0, 0, -1, 0);
		check_box(&b[3 + 2 * cboxes[i]], "nhmex_unc_cbox", 1, cboxes[i] - 1, -1, -1);
		assert_true(ipmu_topology_box_reached(&h.t, &b[1], 3));
		assert_false(ipmu_topology_box_reached(&h.t, &b[1], 4));
		assert_false(ipmu_topology_box_reached(&h.t, &b[2], 4));	/* not allowed */
		assert_false(ipmu_topology_box_reached(&h.t, &b[2], 99));
		free(b);
	}
}

/* ---- an allocation may fail */

static bool no_memory;

void *__real_calloc(size_t n, size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes)
{
	return no_memory ? NULL : __real_calloc(n, bytes);
}

static void no_memory_for_counts(void **state)
{
	const struct boxes none = { .n = 0 };
	struct counts c = { NULL, NULL };
	char why[IPMU_WHY_MAX] = "";
	int rc;

	(void)state;
	no_memory = true;
	rc = counts_read("/dev/null", &none, &c, why);
	no_memory = false;
	assert_int_equal(rc, -ENOMEM);
	assert_string_equal(why, "the counts in /dev/null: Cannot allocate memory");
	counts_free(&c);
}

static void no_memory_for_boxes(void **state)
{
	struct ipmu_topology_box *b = NULL;
	struct hand h;
	int rc;

	(void)state;
	machine(&h, 6, 0x5E);
	no_memory = true;
	rc = ipmu_topology_boxes(&h.t, &b);
	no_memory = false;
	assert_int_equal(rc, -ENOMEM);
	assert_null(b);
}

/* ---- */

static void netburst_threads_share(void **state)
{
	struct ipmu_topology_box *b;
	struct hand h;

	(void)state;
	machine(&h, 15, 2);
	h.cpus[2].allowed = false;
	h.cpus[4].allowed = h.cpus[5].allowed = false;
	assert_int_equal(ipmu_topology_boxes(&h.t, &b), 4);
	check_box(&b[0], "netburst", 0, 0, 0, 0);
	check_box(&b[1], "netburst", 0, 2, 1, 3);
	check_box(&b[2], "netburst", 1, 4, 2, -1);
	check_box(&b[3], "netburst", 1, 6, 3, 6);
	assert_true(ipmu_topology_box_reached(&h.t, &b[0], 1));
	assert_false(ipmu_topology_box_reached(&h.t, &b[0], 3));
	free(b);
	machine(&h, 15, 4);
	assert_string_equal(ipmu_topology_kinds(&h.t)->pmu, "netburst_p");
}

static void a_box_per_thread(void **state)
{
	struct ipmu_topology_box *b;
	struct hand h;

	(void)state;
	machine(&h, 11, 1);
	assert_int_equal(ipmu_topology_boxes(&h.t, &b), 8);
	check_box(&b[5], "knc", 1, 5, 2, 5);
	assert_true(ipmu_topology_box_reached(&h.t, &b[5], 5));
	assert_false(ipmu_topology_box_reached(&h.t, &b[5], 4));
	free(b);
	machine(&h, 6, 0x17);
	assert_int_equal(ipmu_topology_boxes(&h.t, &b), 16);
	check_box(&b[7], "core", 1, 7, 3, 7);
	check_box(&b[8], "core_fixed", 0, 0, 0, 0);
	free(b);
}

static void slices(void **state)
{
	struct ipmu_topology_box *b;
	struct hand h;

	(void)state;
	machine(&h, 6, 0x5E);
	assert_int_equal(ipmu_topology_boxes(&h.t, &b), 2 * (2 + 3));
	check_box(&b[0], "skl_unc_cbo", 0, 0, 0, 0);
	check_box(&b[3], "skl_unc_cbo", 1, 1, 3, 4);
	check_box(&b[4], "skl_unc_arb", 0, 0, -1, 0);
	check_box(&b[9], "skl_unc_imc", 1, 0, -1, 4);
	free(b);
}

/* The kernel's core numbers say where an offline core was, but only if they can. */
static void slices_with_offline_cores(void **state)
{
	struct ipmu_topology_box *b;
	struct hand h;

	(void)state;
	machine(&h, 6, 0x5E);
	h.cpus[2].core_os = h.cpus[3].core_os = 2;
	assert_int_equal(ipmu_topology_slice(&h.t, 3), 1);	/* nothing is offline */
	h.t.noffline = 2;
	assert_int_equal(ipmu_topology_slice(&h.t, 3), 2);
	assert_int_equal(ipmu_topology_boxes(&h.t, &b), 3 + 2 + 2 * 3);
	check_box(&b[1], "skl_unc_cbo", 0, 1, -1, 0);
	check_box(&b[2], "skl_unc_cbo", 0, 2, 1, 0);
	assert_int_equal(ipmu_topology_nboxes(&h.t, b[0].kind, 1), 2);
	assert_int_equal(ipmu_topology_nboxes(&h.t, b[0].kind, 2), -EINVAL);
	assert_int_equal(ipmu_topology_nboxes(&h.t, b[0].kind, -1), -EINVAL);
	free(b);
	h.cpus[2].core_os = h.cpus[3].core_os = 0;		/* two cores of one number */
	assert_int_equal(ipmu_topology_slice(&h.t, 3), 1);
	h.cpus[2].core_os = h.cpus[3].core_os = 63;
	assert_int_equal(ipmu_topology_slice(&h.t, 3), 63);
	h.cpus[0].core_os = h.cpus[1].core_os = 5;
	h.cpus[2].core_os = h.cpus[3].core_os = 64;		/* more than there are slices */
	assert_int_equal(ipmu_topology_slice(&h.t, 3), 1);
	h.cpus[0].core_os = h.cpus[1].core_os = 0;
	h.cpus[2].core_os = h.cpus[3].core_os = -1;		/* not known */
	assert_int_equal(ipmu_topology_slice(&h.t, 3), 1);
	assert_int_equal(ipmu_topology_slice(&h.t, 8), -EINVAL);
}

static void machines_without_boxes(void **state)
{
	struct ipmu_topology_box sentinel, *b = &sentinel;
	struct hand h;

	(void)state;
	machine(&h, 6, 0x55);
	assert_int_equal(ipmu_topology_boxes(&h.t, &b), 0);
	assert_null(b);
	machine(&h, 6, 0x5E);
	snprintf(h.t.vendor, sizeof(h.t.vendor), "AuthenticAMD");
	assert_int_equal(ipmu_topology_boxes(&h.t, &b), 0);
	machine(&h, -1, -1);
	assert_int_equal(ipmu_topology_boxes(&h.t, &b), 0);
}

/* DisplayFamily_DisplayModel of the processors that the documents are about: SDM volume 4 Table 2-1
 * and, for Knights Corner, 327357-001 Table 1-2. No other has counters here. */
static void identities(void **state)
{
	static const struct { int family, model; const char *pmu; } others[] = {
		{ 6, 0x0F, "core" }, { 6, 0x16, "core" }, { 6, 0x17, "core" }, { 6, 0x1D, "core" },
		{ 6, 0x2E, "nhmex_unc_mbox" }, { 6, 0x2F, "nhmex_unc_mbox" },
		{ 6, 0x4E, "skl_unc_" }, { 6, 0x5E, "skl_unc_" }, { 6, 0x8E, "skl_unc_" },
		{ 6, 0x9E, "skl_unc_" }, { 6, 0xA5, "skl_unc_" }, { 6, 0xA6, "skl_unc_" },
		{ 11, 1, "knc" }, { 15, 0, "netburst" }, { 15, 1, "netburst" },
		{ 15, 2, "netburst" }, { 15, 3, "netburst_p" }, { 15, 4, "netburst_p" },
		{ 15, 6, "netburst_p" },
	};
	static char have[32][256][16];
	struct hand h;
	struct tsv t;

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		snprintf(have[others[i].family][others[i].model], sizeof(have[0][0]), "%s",
			 others[i].pmu);
	for (tsv_open(&t, "client-uncores/processors.tsv"); tsv_next(&t);)
		for (const char *at = tsv_cell(&t, "models"); at; at = strchr(at, ';')) {
			at += strcspn(at, "0");
			snprintf(have[tsv_number(&t, "cpu_family") % 32]
				     [strtoul(at, NULL, 16) % 256], sizeof(have[0][0]), "%s_unc_",
				 tsv_cell(&t, "generation"));
		}
	for (int family = 0; family < 32; family++)
		for (int model = 0; model < 256; model++) {
			const char *pmu, *wanted = have[family][model];
			size_t n = strlen(wanted);

			machine(&h, family, model);
			pmu = ipmu_topology_kinds(&h.t)->pmu;
			if (!pmu != !n || (n && wanted[n - 1] == '_' ? strncasecmp(pmu, wanted, n) :
					   n && strcmp(pmu, wanted)))
				fail_msg("family %d model %d has %s, not %s", family, model,
					 pmu ? pmu : "nothing", wanted);
		}
}

/* The PMUs of some client processors, boxes each. */
static void client_boxes(void **state)
{
	static const struct { int family, model; const char *boxes; } wanted[] = {
		{ 6, 0x2A, "snb_unc_cbo 1 snb_unc_arb 1 snb_unc_clk 1 snb_unc_imc 1 " },
		{ 6, 0x8C, "tgl_unc_arb 1 tgl_unc_clk 1 tgl_unc_imc 1 " },
		{ 6, 0xBE, "adl_unc_cbo 1 adl_unc_arb 2 adl_unc_clk 1 adl_unc_imc 2 "
			   "adl_unc_imc_free_running 1 " },
		{ 6, 0xAA, "mtl_unc_cbo 1 mtl_unc_arb 2 mtl_unc_hac_arb 2 mtl_unc_hac_cbo 2 "
			   "mtl_unc_cncu 1 mtl_unc_sncu 1 mtl_unc_imc 2 "
			   "mtl_unc_imc_free_running 1 " },
		{ 6, 0xD5, "ptl_unc_cncu 1 ptl_unc_imc 2 ptl_unc_imc_free_running 1 " },
		{ 18, 3, "nvl_unc_imc 2 nvl_unc_imc_free_running 1 " },
	};
	struct hand h;

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		const struct ipmu_box_kind *kind;
		char text[512] = "";
		size_t n = 0;

		machine(&h, wanted[i].family, wanted[i].model);
		for (kind = ipmu_topology_kinds(&h.t); kind->pmu; kind++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s %d ", kind->pmu,
					      kind->each);
		assert_string_equal(text, wanted[i].boxes);
	}
}

/* Core 0 by itself, cores 1 and 2 in a cluster, core 3 outside of the last-level cache. */
static void slices_of_clusters(void **state)
{
	static const int slice[] = { 0, 0, 1, 1, 1, 1, -ENODEV, -ENODEV };
	struct ipmu_topology_box *b;
	struct hand h;
	int n;

	(void)state;
	machine(&h, 6, 0x97);
	h.t.npackages = 1;
	h.packages[0].ncores = 4;
	h.packages[0].ncpus = 8;
	for (int i = 0; i < 8; i++) {
		h.cpus[i].pkg_idx = 0;
		h.cpus[i].cluster = i / 2 == 3 ? -1 : i / 2 > 0 ? 5 : 0;
	}
	for (int i = 0; i < 8; i++)
		assert_int_equal(ipmu_topology_slice(&h.t, i), slice[i]);
	n = ipmu_topology_boxes(&h.t, &b);
	assert_int_equal(n, 2 + 2 + 1 + 2 + 1);
	check_box(&b[0], "adl_unc_cbo", 0, 0, 0, 0);
	check_box(&b[1], "adl_unc_cbo", 0, 1, 1, 0);
	check_box(&b[2], "adl_unc_arb", 0, 0, -1, 0);
	check_box(&b[6], "adl_unc_imc", 0, 1, -1, 0);
	free(b);
}

static const struct ipmu_topology *acquire(void)
{
	const struct ipmu_topology *t = NULL;
	char why[IPMU_WHY_MAX] = "";

	if (ipmu_topology_acquire(&t, why))
		fprintf(stderr, "%s\n", why);
	return t;
}

static void *acquire_in_thread(void *unused)
{
	(void)unused;
	return (void *)(uintptr_t)acquire();
}

static void loaded_once(void **state)
{
	const struct ipmu_topology *first;
	pthread_t threads[8];
	char why[IPMU_WHY_MAX];
	void *got;

	(void)state;
	unsetenv("HWLOC_XMLFILE");
	setenv("HWLOC_SYNTHETIC", "pack:1 core:3 pu:1", 1);
	first = acquire();
	assert_non_null(first);
	/* A thread that loaded it again now would see two cores, or fail. */
	setenv("HWLOC_SYNTHETIC", "pack:1 core:2 pu:1", 1);
	for (int i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, acquire_in_thread, NULL), 0);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(pthread_join(threads[i], &got), 0);
		assert_ptr_equal(got, first);
	}
	assert_int_equal(first->ncores, 3);
	for (int i = 0; i < 9; i++)
		ipmu_topology_release();
	ipmu_topology_release();	/* one too many does no harm */
	assert_int_equal(acquire()->ncores, 2);
	ipmu_topology_release();
	setenv("HWLOC_SYNTHETIC", "sausage", 1);
	assert_true(ipmu_topology_acquire(&first, why) < 0);
	assert_non_null(strstr(why, "sausage"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(mboxes),
		cmocka_unit_test(no_memory_for_boxes),
		cmocka_unit_test(no_memory_for_counts),
		cmocka_unit_test(netburst_threads_share),
		cmocka_unit_test(a_box_per_thread),
		cmocka_unit_test(slices),
		cmocka_unit_test(slices_with_offline_cores),
		cmocka_unit_test(machines_without_boxes),
		cmocka_unit_test(identities), cmocka_unit_test(client_boxes),
		cmocka_unit_test(slices_of_clusters),
		cmocka_unit_test(loaded_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
