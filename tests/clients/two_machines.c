/* SPDX-License-Identifier: MIT */
#include "two_machines.h"

#include "on_machine.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct engine_fixture clients_fixture;
const struct clients_machine *clients_on;

static void skl_raise(uint32_t n)
{
	engine_fixture_misses(&clients_fixture, 1, (int)n);
}

static void dram(uint32_t reads)
{
	vpmu_lock(clients_fixture.segment);
	vpmu_dram(clients_fixture.segment, 0, reads, reads, 0);
	vpmu_unlock(clients_fixture.segment);
}

static void skl_wrap(void)
{
	uint64_t now = engine_fixture_peek(&clients_fixture, "MSR_UNC_CBO_1_PERFCTR0");
	long long v[CLIENTS_EVENTS];

	for (int quarter = 1; quarter <= 4; quarter++) {
		engine_fixture_poke(&clients_fixture, "MSR_UNC_CBO_1_PERFCTR0",
				    (now + ((uint64_t)quarter << 42)) & ((1ull << 44) - 1));
		PAPI_read(0, v);
	}
}

static void skl_list(int i, char *name)
{
	static const char *const more[] = {
		CBO "READ_I", CBO "ANY_M", IMC "DRAM_DATA_READS",
		"intel_uncore:::skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL",
		"intel_uncore:::skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL",
		"intel_uncore:::skl_unc_clk.UNC_CLOCK:SOCKET", IMC "DRAM_GT_REQUESTS",
		IMC "DRAM_IA_REQUESTS", IMC "DRAM_IO_REQUESTS", IMC "DRAM_DATA_WRITES",
		CBO "READ_I:package=0", CBO "ANY_M:package=0", IMC "DRAM_IA_REQUESTS:package=0",
		IMC "DRAM_DATA_READS:package=0", IMC "DRAM_DATA_READS:box=0",
		IMC "DRAM_DATA_WRITES:package=0", IMC "DRAM_DATA_WRITES:box=0",
	};
	int n = (int)(sizeof(more) / sizeof(more[0]));

	if (i < n)
		strcpy(name, more[i]);
	else
		sprintf(name, CBO "%s:box=%d", (i - n) % 2 ? "ANY_M" : "READ_I", (i - n) / 2);
}

static void core2_raise(uint32_t n)
{
	engine_fixture_raise(&clients_fixture, 0, VPMU_INSTRUCTIONS, n, n);
}

static void core2_raise_next(uint32_t n)
{
	engine_fixture_raise(&clients_fixture, 1, VPMU_INSTRUCTIONS, n, n);
}

static void core2_wrap(void)
{
	uint64_t now = engine_fixture_peek(&clients_fixture, "MSR_PERF_FIXED_CTR0");
	long long v[CLIENTS_EVENTS];

	for (int quarter = 1; quarter <= 4; quarter++) {
		engine_fixture_poke(&clients_fixture, "MSR_PERF_FIXED_CTR0",
				    (now + ((uint64_t)quarter << 38)) & ((1ull << 40) - 1));
		PAPI_read(0, v);
	}
}

static void core2_list(int i, char *name)
{
	static const char *const events[] = {
		"core_fixed.INST_RETIRED.ANY", "core_fixed.CPU_CLK_UNHALTED.CORE",
		"core_fixed.CPU_CLK_UNHALTED.REF", "core.INSTRUCTION_RETIRED", "core.DIV",
		"core.INSTRUCTIONS_RETIRED", "core.INSTRUCTION_RETIRED:u:k",
	};

	sprintf(name, "intel_core:::%s:cpu=%d", events[i / 4], i % 4);
}

const struct clients_machine clients_skl = {
	.name = "skl-4c8t", .component = "intel_uncore", .first = CBO "READ_I",
	.forked = IMC "DRAM_DATA_READS", .parent = CBO "READ_I", .unlike = CBO "ANY_M",
	.global = "MSR_UNC_PERF_GLOBAL_CTRL", .counters = 8 + 2 + 1,
	.raise = skl_raise, .raise_forked = dram, .raise_parent = skl_raise,
	.wrap = skl_wrap, .list = skl_list,
};
const struct clients_machine clients_core2 = {
	.name = "core2-4c", .component = "intel_core",
	.first = "intel_core:::core_fixed.INST_RETIRED.ANY:cpu=0",
	.forked = "intel_core:::core_fixed.INST_RETIRED.ANY:cpu=0",
	.parent = "intel_core:::core_fixed.INST_RETIRED.ANY:cpu=1",
	.unlike = "intel_core:::core.DIV:cpu=0", .global = "MSR_PERF_GLOBAL_CTRL",
	.counters = 5 * 4, .raise = core2_raise, .raise_forked = core2_raise,
	.raise_parent = core2_raise_next, .wrap = core2_wrap, .list = core2_list,
};

/* ---- sets */

_Atomic int clients_failures;

bool clients_is(long long got, long long wanted, const char *what)
{
	if (got == wanted)
		return true;
	print_error("%s: %lld instead of %lld\n", what, got, wanted);
	clients_failures++;
	return false;
}

int clients_set_of(const char *const *names, int n)
{
	int set = PAPI_NULL;

	OK(PAPI_create_eventset(&set));
	for (int i = 0; i < n; i++)
		clients_is(PAPI_add_named_event(set, names[i]), PAPI_OK, names[i]);
	return set;
}

int clients_set_of_many(void)
{
	int set = PAPI_NULL;

	OK(PAPI_create_eventset(&set));
	for (int i = 0; i < CLIENTS_EVENTS; i++) {
		char name[PAPI_MAX_STR_LEN];

		clients_on->list(i, name);
		clients_is(PAPI_add_named_event(set, name), PAPI_OK, name);
	}
	return set;
}

void clients_end_set(int set)
{
	OK(PAPI_cleanup_eventset(set));
	OK(PAPI_destroy_eventset(&set));
}

void clients_nothing_is_left(void)
{
	IS((long long)engine_fixture_peek(&clients_fixture, clients_on->global), 0);
	IS((long long)clients_fixture.segment->violation_count, 0);
}

int clients_check(void **state)
{
	(void)state;
	clients_nothing_is_left();
	return atomic_exchange(&clients_failures, 0) ? -1 : 0;
}

void clients_no_failures(void)
{
	assert_int_equal(atomic_exchange(&clients_failures, 0), 0);
}

int clients_open(void **state)
{
	(void)state;
	clients_fixture.segment = on_machine_segment();
	return PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT &&
	       PAPI_thread_init(pthread_self) == PAPI_OK ? 0 : -1;
}

int clients_close(void **state)
{
	PAPI_shutdown();
	return clients_check(state);
}

int clients_main(char **argv, int (*run)(void))
{
	const char *on = getenv("PAPI_CLIENTS_ON");
	int status;

	if (!on) {
		setenv("PAPI_CLIENTS_ON", clients_skl.name, 1);
		if (fork() == 0)
			on_machine(argv, clients_skl.name);
		if (wait(&status) < 0 || status)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		setenv("PAPI_CLIENTS_ON", clients_core2.name, 1);
		on_machine(argv, clients_core2.name);
	}
	clients_on = strcmp(on, clients_skl.name) == 0 ? &clients_skl : &clients_core2;
	return run();
}
