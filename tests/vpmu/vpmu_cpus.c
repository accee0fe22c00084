/* SPDX-License-Identifier: MIT */
/* On which virtual CPUs a program starts, by list, by rank, and on the machine itself. What the
 * caller's affinity on the host means is in vpmu_affinity.sh, which feigns hosts. */
#include "vpmu_machine.h"

#include "tool/tool.h"

static struct scratch t;
static struct vpmu_cpus cpus;

static const char *const launchers[] = {
	"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PMI_LOCAL_RANK", "PALS_LOCAL_RANKID",
	"FLUX_TASK_LOCAL_ID", "SLURM_LOCALID",
};
#define LAUNCHERS (sizeof(launchers) / sizeof(launchers[0]))

static int setup(void **state)
{
	(void)state;
	for (size_t i = 0; i < LAUNCHERS; i++)
		unsetenv(launchers[i]);
	scratch_open(&t, "skl-2c4t");	/* core 0: CPUs 0 and 2, core 1: CPUs 1 and 3 */
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	scratch_close(&t);
	return 0;
}

static void expect_mask(const char *list, uint64_t mask)
{
	assert_int_equal(vpmu_affinity(t.s, list, &cpus), 0);
	assert_true(cpus.bound);
	assert_int_equal(cpus.mask[0], mask);
	for (size_t i = 1; i < sizeof(cpus.mask) / sizeof(cpus.mask[0]); i++)
		assert_int_equal(cpus.mask[i], 0);
}

static void a_list_names_cpus_and_ranges(void **state)
{
	(void)state;
	expect_mask("0", 0x1);
	expect_mask("3", 0x8);
	expect_mask("1-2", 0x6);
	expect_mask("0,2-3", 0xd);
	expect_mask("3,0,0", 0x9);
	expect_mask("0-3", 0xf);
	expect_mask("2-2", 0x4);
}

static void other_texts_are_refused(void **state)
{
	static const char *const texts[] = {
		"", "4", "0-4", "3-2", "1-", "-1", ",", "0,", ",0", "0,,1", "0-1-2", "0 1", " 0",
		"0x1", "a", "Rank", "4294967296", "18446744073709551616",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(vpmu_affinity(t.s, texts[i], &cpus), VPMU_EXIT_USAGE);
}

/* Ranks have a core each, then the cores' second threads, and then the first CPU again. */
static void each_rank_has_a_cpu(void **state)
{
	static const uint64_t masks[] = { 0x1, 0x2, 0x4, 0x8, 0x1 };
	char rank[8];

	(void)state;
	for (size_t i = 0; i < LAUNCHERS; i++) {
		for (unsigned int n = 0; n < sizeof(masks) / sizeof(masks[0]); n++) {
			snprintf(rank, sizeof(rank), "%u", n);
			setenv(launchers[i], rank, 1);
			expect_mask("rank", masks[n]);
		}
		unsetenv(launchers[i]);
	}
}

static void without_a_rank_there_is_none(void **state)
{
	(void)state;
	assert_int_equal(vpmu_affinity(t.s, "rank", &cpus), VPMU_EXIT_USAGE);
	setenv("SLURM_LOCALID", "", 1);
	assert_int_equal(vpmu_affinity(t.s, "rank", &cpus), VPMU_EXIT_USAGE);
	setenv("SLURM_LOCALID", "-1", 1);
	assert_int_equal(vpmu_affinity(t.s, "rank", &cpus), VPMU_EXIT_USAGE);
}

/* A vpmu that was started on the machine inherits its thread's affinity there, and is no thread of
 * the machine itself. */
static void on_the_machine_its_affinity_counts(void **state)
{
	const uint64_t all = 0xf, one = 0x2;
	uint32_t tid = vpmu_gettid();

	(void)state;
	assert_int_equal(vpmu_thread_bind(t.s, vpmu_thread_slot(t.s, tid, 0), &one, 1), 0);
	expect_mask(NULL, one);
	assert_null(vpmu_thread_find(t.s, tid));
	assert_int_equal(vpmu_thread_bind(t.s, vpmu_thread_slot(t.s, tid, 0), &all, 1), 0);
	assert_int_equal(vpmu_affinity(t.s, NULL, &cpus), 0);
	assert_false(cpus.bound);
	assert_int_equal(vpmu_thread_bind(t.s, vpmu_thread_slot(t.s, tid, 0), &one, 1), 0);
	expect_mask("0-3", all);	/* what the user says goes before */
	assert_null(vpmu_thread_find(t.s, tid));
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_list_names_cpus_and_ranges),
		T(other_texts_are_refused),
		T(each_rank_has_a_cpu),
		T(without_a_rank_there_is_none),
		T(on_the_machine_its_affinity_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
