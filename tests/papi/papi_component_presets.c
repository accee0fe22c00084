/* SPDX-License-Identifier: MIT */
/* Presets of the components, which PAPI has from 7.2 on: which of them each kind of machine has,
 * and their counts of events that this test raises itself. */
#include "papi_machine.h"

#include <stdlib.h>
#include <sys/wait.h>

#ifdef PAPI_MAX_intel_core_PRESETS
#define ON "PAPI_COMPONENT_PRESETS_ON"
#define CORE "PAPI_INTEL_CORE_"
#define UNCORE "PAPI_INTEL_UNCORE_"
#define CORE_OF_ALL CORE "TOT_INS " CORE "TOT_CYC "
#define BRANCHES CORE "BR_INS " CORE "BR_MSP "
#define MEMORY UNCORE "MEM_BYTES " UNCORE "MEM_RD_BYTES " UNCORE "MEM_WR_BYTES "
#define CLIENT CORE_OF_ALL CORE "REF_CYC " BRANCHES CORE "LLC_TCA " CORE "LLC_TCM "

static const struct shape {
	const char *machine, *core, *uncore;
} shapes[] = {
	{ "skl-4c8t", CLIENT, MEMORY UNCORE "LLC_TCA " UNCORE "LLC_TCM " },
	{ "icl-4c8t", CLIENT, MEMORY },
	{ "tgl-4c8t", CLIENT, MEMORY },
	{ "adl-3p4e10t", CLIENT, MEMORY },
	{ "mtl-3p4e2lp9t", CLIENT, MEMORY },
	{ "lnl-4p4e8t", CLIENT, MEMORY },
	{ "core2-4c", CLIENT, "" },
	{ "knc-4c16t", CORE_OF_ALL BRANCHES, "" },
	{ "p4-1c2t", CORE_OF_ALL BRANCHES, "" },
	{ "nhmex-1p8c16t", "", UNCORE "MEM_BYTES " },
};

static const struct shape *shape;

static void append(char *text, int code)
{
	char name[PAPI_MAX_STR_LEN];

	assert_papi(PAPI_event_code_to_name(code, name), PAPI_OK);
	strcat(strcat(text, name), " ");
}

static void lists(const char *component, const char *want)
{
	int cid = PAPI_get_component_index(component), code = PAPI_PRESET_MASK;
	char got[2048] = "";

	assert_papi(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, cid), PAPI_OK);
	if (PAPI_query_event(code) == PAPI_OK)
		append(got, code);
	while (PAPI_enum_cmp_event(&code, PAPI_PRESET_ENUM_AVAIL, cid) == PAPI_OK)
		append(got, code);
	assert_string_equal(got, want);
}

static void each_component_lists_what_the_machine_has(void **state)
{
	(void)state;
	lists("intel_core", shape->core);
	lists("intel_uncore", shape->uncore);
}

/* PAPI_shutdown frees what a preset points to, and keeps how much that was. PAPI 7.2 and 7.3 number
 * presets further with each start, and find none of components from the second one on. */
static void papi_starts_again(void **state)
{
	const char *native = shape->uncore[0] ? "intel_uncore" : "intel_core";
	int code = PAPI_NATIVE_MASK;

	(void)state;
	for (int i = 0; i < 12; i++) {
		PAPI_shutdown();
		assert_papi(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
		if (i % 3)
			assert_papi(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST,
							PAPI_get_component_index(native)), PAPI_OK);
	}
}

static void a_description_names_the_native_events(void **state)
{
	const char *core = shape->core[0] ? CORE "TOT_INS" : UNCORE "MEM_BYTES";
	PAPI_event_info_t info;

	(void)state;
	assert_papi(PAPI_get_event_info(papi_sets_code(core), &info), PAPI_OK);
	assert_string_equal(info.symbol, core);
	assert_true(info.count >= 1);
	assert_true(papi_sets_code(info.name[0]) & PAPI_NATIVE_MASK);
}

static void counts(const char *const *names, int n, void (*happen)(void), const long long *want)
{
	long long v[8];
	int set = papi_sets_of(names, n);

	for (int round = 0; round < 2; round++) {
		assert_papi(PAPI_start(set), PAPI_OK);
		happen();
		assert_papi(PAPI_stop(set, v), PAPI_OK);
		for (int i = 0; i < n; i++)
			if (v[i] != want[i])
				fail_msg("%s: %lld, not %lld", names[i], v[i], want[i]);
	}
	papi_sets_end(set);
}

static void happen_on_cores(void)
{
	const uint32_t events[VPMU_CORE_EVENTS] = {
		[VPMU_INSTRUCTIONS] = 1000, [VPMU_BRANCHES] = 70, [VPMU_MISPREDICTED] = 9,
	};

	vpmu_lock(machine.segment);
	vpmu_core_events(machine.segment, 0, events, 352);
	vpmu_unlock(machine.segment);
}

/* Knights Corner has two counters for all. */
static void cores_count(void **state)
{
	static const char *const work[] = { CORE "TOT_INS", CORE "TOT_CYC" };
	static const char *const branches[] = { CORE "BR_INS", CORE "BR_MSP" };

	(void)state;
	if (!shape->core[0])
		return;
	counts(work, 2, happen_on_cores, (const long long[]){ 1000, 352 });
	counts(branches, 2, happen_on_cores, (const long long[]){ 70, 9 });
}

/* 5 reads and 2 writes of lines, and of a second controller 3 reads. */
static void happen_in_memory(void)
{
	bool second = machine.segment->machine.memory_boxes > 1;

	vpmu_lock(machine.segment);
	vpmu_dram_at(machine.segment, 0, 0, 7, 5, 2);
	vpmu_dram_at(machine.segment, 0, second, 3, 3, 0);
	vpmu_unlock(machine.segment);
}

static void memory_counts(void **state)
{
	static const char *const names[] = { UNCORE "MEM_BYTES", UNCORE "MEM_RD_BYTES",
					     UNCORE "MEM_WR_BYTES" };
	static const long long want[] = { 10 * 64, 8 * 64, 2 * 64 };

	(void)state;
	if (strstr(shape->uncore, MEMORY))
		counts(names, 3, happen_in_memory, want);
}

static void happen_in_the_llc(void)
{
	engine_fixture_misses(&machine, 1, 4);
	engine_fixture_misses(&machine, 3, 2);
	vpmu_lock(machine.segment);
	vpmu_llc_lookup(machine.segment, 0, 2, VPMU_READ, VPMU_M, machine.segment->uclk[0]);
	vpmu_unlock(machine.segment);
}

static void the_llc_counts(void **state)
{
	static const char *const names[] = { UNCORE "LLC_TCA", UNCORE "LLC_TCM" };
	static const long long want[] = { 7, 6 };

	(void)state;
	if (strstr(shape->uncore, UNCORE "LLC_TCA"))
		counts(names, 2, happen_in_the_llc, want);
}

static int run_here(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_component_lists_what_the_machine_has),
		cmocka_unit_test(a_description_names_the_native_events),
		cmocka_unit_test(cores_count),
		cmocka_unit_test(memory_counts),
		cmocka_unit_test(the_llc_counts),
		cmocka_unit_test(papi_starts_again),
	};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (strcmp(shapes[i].machine, getenv(ON)) == 0)
			shape = &shapes[i];
	return cmocka_run_group_tests(tests, papi_machine_open, papi_machine_close);
}

int main(int argc, char **argv)
{
	int worst = 0, status;

	(void)argc;
	for (size_t i = 0; !getenv(ON) && i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		if (fork() == 0) {
			setenv(ON, shapes[i].machine, 1);
			on_machine(argv, shapes[i].machine);
		}
		if (wait(&status) < 0 || !WIFEXITED(status))
			return 1;
		worst = WEXITSTATUS(status) > worst ? WEXITSTATUS(status) : worst;
	}
	return getenv(ON) ? run_here() : worst;
}
#else
int main(void)
{
	puts("PAPI has no presets of components before 7.2");
	return 77;
}
#endif
