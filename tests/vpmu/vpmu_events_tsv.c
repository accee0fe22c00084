/* SPDX-License-Identifier: MIT */
/* Every event that `vpmu events` lists against the separately transcribed tables of facts: its
 * code, unit mask and counters. TEST_DATA is the folder of the tables. */
#include "vpmu_machine.h"

#include <strings.h>

#include "clients.h"
#include "tsv.h"

static struct vpmu_machine machine;

static void use_machine(const char *name)
{
	char why[128];

	assert_int_equal(vpmu_machine_parse(name, &machine, why, sizeof(why)), 0);
}

static bool is_core(const struct vpmu_event_info *info)
{
	return strcmp(info->unit, "PMC") == 0 || strncmp(info->counters, "FIXED", 5) == 0;
}

/* How many events the model has, without those of which it says that no document has them; each
 * says where it is from. */
static uint32_t listed_if(bool (*counts)(const struct vpmu_event_info *info))
{
	struct vpmu_event_info info;
	uint32_t n = 0;

	for (uint32_t i = 0; vpmu_model_event(&machine, i, &info); i++) {
		if (!info.cite || !info.cite[0])
			fail_msg("%s cites nothing", info.name);
		n += counts(&info) && (!info.why || strcmp(info.why, "not documented by Intel"));
	}
	return n;
}

static bool is_any(const struct vpmu_event_info *info)
{
	return info->name[0];
}

static bool is_uncore(const struct vpmu_event_info *info)
{
	return strcmp(info->counters, "FIXED") == 0 || !is_core(info);
}

static uint32_t listed(void)
{
	return listed_if(is_any);
}

/* From `from` on, for names that stand there more than once. */
static uint32_t find(const char *name, uint32_t from, struct vpmu_event_info *info)
{
	while (vpmu_model_event(&machine, from, info) && strcasecmp(info->name, name))
		from++;
	return from;
}

/* "0x34", "inc_sel=0x0A", two fields as in "0x5/0x1" or, of what has no code, "-". */
static uint32_t code_of(const char *cell)
{
	const char *number = strstr(cell, "0x"), *second = strchr(cell, '/');
	uint32_t code = number ? (uint32_t)strtoul(number, NULL, 16) : 0;

	if (strncmp(cell, "set_flag_sel=", 13) == 0)	/* they follow the 32 of inc_sel */
		code += 0x20;
	return second ? code << 4 | (uint32_t)strtoul(second + 1, NULL, 16) : code;
}

static void compare(const char *name, const struct tsv *t, struct vpmu_event_info *info)
{
	if (!vpmu_model_event(&machine, find(name, 0, info), info))
		fail_msg("no %s in the model of %s", name, machine.name);
	if (info->code != code_of(tsv_cell(t, "code")) ||
	    info->umask != code_of(tsv_cell(t, "umask")) ||
	    strcmp(info->counters, tsv_cell(t, "counters")))
		fail_msg("%s is 0x%x 0x%x on %s in the model of %s", name, info->code,
			 info->umask, info->counters, machine.name);
}

static uint32_t check_table(const char *file)
{
	struct vpmu_event_info info;
	uint32_t rows = 0;
	struct tsv t;

	for (tsv_open(&t, file); tsv_next(&t); rows++)
		compare(tsv_cell(&t, "event"), &t, &info);
	assert_true(rows > 0);
	return rows;
}

static void events_of_skylake_client(void **state)
{
	(void)state;
	use_machine("skl-4c8t");
	assert_int_equal(check_table("skl-client-uncore/events.tsv"), listed_if(is_uncore));
}

/* Events that no program here makes happen. */
static bool never_happens(const char *name)
{
	static const char *const parts[] = {
		"EXT", "INVAL", "DRAM_GT", "DRAM_IO", "VC1_", "PREFETCH_RD", "THERMAL",
		"PRE_COUNT_IDLE", "SELF_REFRESH", "RD_OCCUPANCY_CH", "CKE_OFF",
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(name, parts[i]))
			return true;
	return false;
}

static bool of_other_model(const struct client_generation *g, const struct tsv *t)
{
	const char *needs = tsv_cell(t, "modifiers_required");

	return strncmp(needs, "model ", 6) == 0 && (!g->model || strcmp(needs + 6, g->model));
}

/* An event is driven unless no program here makes it happen, or no register of it is known. */
static void check_generation(const struct client_generation *g)
{
	struct vpmu_event_info info;
	uint32_t rows = 0;
	struct tsv t;

	use_machine(g->machine);
	for (tsv_open(&t, "client-uncores/events.tsv"); tsv_next(&t);) {
		const char *name = tsv_cell(&t, "event");
		bool no_register = !g->clock && strcmp(name, "UNC_CLOCK.SOCKET") == 0;

		if (!tsv_has(&t, "generation", g->key) ||
		    !strchr("SCK", tsv_cell(&t, "status")[0]) || of_other_model(g, &t))
			continue;
		rows++;
		compare(name, &t, &info);
		if (info.driven == (never_happens(name) || no_register))
			fail_msg("%s is %sdriven on %s", name, info.driven ? "" : "not ",
				 g->machine);
	}
	if (rows != listed_if(is_uncore))
		fail_msg("%s: client-uncores/events.tsv has %u rows of %s, the model lists %u",
			 g->machine, rows, g->key, listed_if(is_uncore));
}

static void events_of_the_client_generations(void **state)
{
	(void)state;
	for (size_t i = 0; client_generation(i); i++)
		check_generation(client_generation(i));
}

/* True for rows of instructions, clocks, caches and branches, which the model drives. */
static bool is_driven(const struct tsv *t)
{
	return strchr("IKCB", tsv_cell(t, "drive")[0]);
}

/* The table calls the fixed counters' events FIXEDn NAME. Skylake has the first seven of the others
 * and three of these. */
static void check_architectural(const char *name_of, uint32_t fixed_most, uint32_t most,
				uint32_t expected)
{
	struct vpmu_event_info info;
	uint32_t rows = 0;
	struct tsv t;

	use_machine(name_of);
	for (tsv_open(&t, "arch-core/events.tsv"); tsv_next(&t);) {
		const char *name = tsv_cell(&t, "event");
		bool fixed = strncmp(name, "FIXED", 5) == 0;

		name += fixed ? 7 : 0;
		if (tsv_number(&t, fixed ? "fixed_counter" : "ebx_bit") >
		    (fixed ? fixed_most : most)) {
			assert_false(vpmu_model_event(&machine, find(name, 0, &info), &info));
			continue;
		}
		rows++;
		compare(name, &t, &info);
		assert_int_equal(info.driven, is_driven(&t));
	}
	assert_int_equal(rows, expected);
}

/* Lunar Lake's two kinds of cores have all between them. */
static void architectural_events(void **state)
{
	(void)state;
	check_architectural("skl-4c8t", 2, 6, 10);
	check_architectural("icl-4c8t", 3, 7, 12);
	check_architectural("lnl-4p4e8t", 6, 12, 20);
}

/* perfmon's rows, but for parameters in other registers and what one source alone has. The first of
 * a name is compared; what is driven is of instructions, caches, translations or operations. */
static void events_of_skylake_cores(void **state)
{
	struct vpmu_event_info info;
	uint32_t rows = 0, driven = 0;
	struct tsv t;

	(void)state;
	use_machine("skl-4c8t");
	for (tsv_open(&t, "skl-core/events.tsv"); tsv_next(&t);) {
		if (!strchr("CK", tsv_cell(&t, "status")[0]) ||
		    strstr(tsv_cell(&t, "modifiers_required"), "MSR0x") ||
		    strncmp(tsv_cell(&t, "counters"), "FIXED", 5) == 0)
			continue;
		rows++;
		compare(tsv_cell(&t, "event"), &t, &info);
		driven += info.driven;
		if (info.driven && strchr("NPS", tsv_cell(&t, "drive")[0]))
			fail_msg("%s is driven", info.name);
		if (!info.driven && !info.why)
			fail_msg("%s stays 0, and nothing says why", info.name);
	}
	/* UNC_CLOCK is no core's, and 29 rows are for groups: vpmu_events_named. */
	assert_int_equal(rows + 10 + 29, listed_if(is_core) - 1);
	assert_int_equal(driven, 107);	/* as docs/pmus.md says */
}

static void events_of_knights_corner(void **state)
{
	(void)state;
	use_machine("knc-4c16t");
	assert_int_equal(check_table("knc/events.tsv"), listed());
}

static void events_of_core2(void **state)
{
	struct vpmu_event_info row, info;

	(void)state;
	use_machine("core2-2c");
	/* The list goes through the unit masks of an event that the table names once. */
	assert_true(check_table("core2-fixed/events.tsv") < listed());
	find("MEM_LOAD_RETIRED", 0, &row);
	for (uint32_t i = 0; vpmu_model_event(&machine, i, &info); i++)
		if (strncmp(info.name, "MEM_LOAD_RETIRED.", 17) == 0)
			assert_int_equal(info.code, row.code);
}

static void events_of_xeon_7500(void **state)
{
	(void)state;
	use_machine("nhmex-1p8c16t");
	assert_int_equal(check_table("nehalem-ex-mbox/events.tsv") +
			 check_table("nehalem-ex-cbox/events.tsv"), listed());
}

/* The mask is one bit of the ESCR's, by its number. */
static void events_of_netburst(void **state)
{
	struct vpmu_event_info info;
	uint32_t rows = 0;
	char name[128];
	struct tsv t;

	(void)state;
	use_machine("p4-1c2t");
	for (tsv_open(&t, "netburst/events.tsv"); tsv_next(&t); rows++) {
		snprintf(name, sizeof(name), "%s.%s", tsv_cell(&t, "event"),
			 tsv_cell(&t, "mask_bit_name"));
		if (!vpmu_model_event(&machine, find(name, 0, &info), &info))
			fail_msg("no %s in the model", name);
		if (info.code != code_of(tsv_cell(&t, "event_select")) ||
		    info.umask != UINT32_C(1) << tsv_number(&t, "mask_bit") ||
		    strcmp(info.counters, tsv_cell(&t, "counters")))
			fail_msg("%s is 0x%x 0x%x on %s in the model", name, info.code, info.umask,
				 info.counters);
	}
	assert_int_equal(rows, listed());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_of_skylake_client),
		cmocka_unit_test(events_of_the_client_generations),
		cmocka_unit_test(architectural_events),
		cmocka_unit_test(events_of_skylake_cores),
		cmocka_unit_test(events_of_knights_corner),
		cmocka_unit_test(events_of_core2),
		cmocka_unit_test(events_of_xeon_7500),
		cmocka_unit_test(events_of_netburst),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
