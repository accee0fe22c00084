/* SPDX-License-Identifier: MIT */
/* The uncore of the client generations, each on its virtual machine, which is driven directly:
 * every event is listed, and counts by name what arithmetic says, in every spelling; starts,
 * stops and restored registers. */
#include "clients.h"
#include "pmu/families.h"
#include "tsv.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- what happens, and what of it an event counts */

static const struct { uint32_t slice; enum vpmu_request request; enum vpmu_mesi found; int n; }
lookups[] = {
	{ 0, VPMU_READ, VPMU_M, 1 }, { 1, VPMU_READ, VPMU_E, 2 }, { 1, VPMU_READ, VPMU_S, 4 },
	{ 0, VPMU_READ, VPMU_I, 8 }, { 0, VPMU_WRITE, VPMU_M, 16 }, { 1, VPMU_WRITE, VPMU_E, 32 },
	{ 0, VPMU_WRITE, VPMU_S, 64 }, { 1, VPMU_WRITE, VPMU_I, 128 },
};
static const struct { enum vpmu_snoop_cause cause; enum vpmu_snoop_result result; int n; }
snoops[] = {
	{ VPMU_XCORE, VPMU_SNOOP_MISS, 1 }, { VPMU_XCORE, VPMU_SNOOP_HIT, 2 },
	{ VPMU_XCORE, VPMU_SNOOP_HITM, 4 }, { VPMU_EVICTION, VPMU_SNOOP_MISS, 8 },
	{ VPMU_EVICTION, VPMU_SNOOP_HIT, 16 }, { VPMU_EVICTION, VPMU_SNOOP_HITM, 32 },
};
/* n entries that are there at the same time, for `length` clocks; no two rows at the same time. */
static const struct { enum vpmu_tracker kind; bool coherent; unsigned n, length; } entries[] = {
	{ VPMU_TRK_DATA_READ, true, 12, 30 }, { VPMU_TRK_WRITE, false, 3, 10 },
	{ VPMU_TRK_EVICTION, true, 2, 5 }, { VPMU_TRK_CODE_READ, true, 1, 40 },
};
/* Memory commands and the state of the page that they found, for controllers that count that. The
 * two controllers take turns. */
static const struct { bool write; enum vpmu_page page; int n; } commands[] = {
	{ false, VPMU_PAGE_HIT, 3 }, { false, VPMU_PAGE_EMPTY, 5 },
	{ false, VPMU_PAGE_MISS, 7 },
	{ true, VPMU_PAGE_HIT, 11 }, { true, VPMU_PAGE_EMPTY, 13 }, { true, VPMU_PAGE_MISS, 17 },
};
#define ROWS(array) (sizeof(array) / sizeof((array)[0]))
#define CLOCKS 1000u

static bool has_tiles(const struct vpmu_segment *s)
{
	struct vpmu_register_info reg;

	return !vpmu_model_find(&s->machine, "MSR_UNC_SNCU_BOX_CTL", &reg);
}

static void happen(struct vpmu_segment *s)
{
	uint64_t clock = s->uclk[0] + 1;
	bool tiles = has_tiles(s);

	vpmu_lock(s);
	for (size_t i = 0; i < ROWS(lookups); i++)
		for (int n = 0; n < lookups[i].n; n++)
			vpmu_llc_lookup(s, 0, lookups[i].slice, lookups[i].request,
					lookups[i].found, clock);
	for (size_t i = 0; i < ROWS(snoops); i++)
		for (int n = 0; n < snoops[i].n; n++)
			vpmu_snoop(s, 0, 1, snoops[i].cause, snoops[i].result, clock);
	for (size_t i = 0; i < ROWS(entries); i++, clock += 100)
		for (unsigned n = 0; n < entries[i].n; n++) {
			vpmu_tracker(s, 0, entries[i].kind, entries[i].coherent, clock,
				     clock + entries[i].length);
			if (!tiles)
				continue;	/* ... of which the SoC tile's cores do the same */
			vpmu_away_request(s, 0, entries[i].kind, clock);
			vpmu_away_tracker(s, 0, entries[i].kind, entries[i].coherent, clock,
					  clock + entries[i].length);
		}
	vpmu_dram(s, 0, 312, 300, 12);
	for (size_t i = 0; vpmu_mmio_writable(s) && i < ROWS(commands); i++)
		for (int n = 0; n < commands[i].n; n++)
			vpmu_memory_command(s, 0, (uint32_t)n % 2, commands[i].write,
					    commands[i].page, clock);
	vpmu_clock(s, 0, s->uclk[0] + CLOCKS);
	vpmu_unlock(s);
}

static uint64_t of_slices(unsigned code, unsigned umask)
{
	uint64_t n = 0;

	for (size_t i = 0; code == 0x34 && i < ROWS(lookups); i++)
		if (umask & lookups[i].found && umask >> 4 & (lookups[i].request | 8u))
			n += (uint64_t)lookups[i].n;
	for (size_t i = 0; code == 0x22 && i < ROWS(snoops); i++)
		if (umask & 0xF & snoops[i].result && umask >> 4 & snoops[i].cause)
			n += (uint64_t)snoops[i].n;
	return n;
}

/* Unit mask bits by perfmon's names: ALL 0x01, data reads 0x02, writes 0x20, evictions 0x80. */
static bool has_bit(size_t i, unsigned umask)
{
	return umask & 0x01 || (umask & 0x02 && entries[i].kind == VPMU_TRK_DATA_READ) ||
	       (umask & 0x20 && (entries[i].kind == VPMU_TRK_WRITE ||
				 entries[i].kind == VPMU_TRK_EVICTION)) ||
	       (umask & 0x80 && entries[i].kind == VPMU_TRK_EVICTION);
}

static uint64_t of_arbiter(unsigned code, unsigned umask, unsigned threshold)
{
	bool sum = code == 0x80 || code == 0x83 || code == 0x85;
	uint64_t n = 0;

	for (size_t i = 0; i < ROWS(entries); i++) {
		if (!has_bit(i, umask) || (code > 0x82 && !entries[i].coherent))
			continue;
		if (threshold)
			n += entries[i].n >= threshold ? entries[i].length : 0;
		else
			n += (uint64_t)entries[i].n * (sum ? entries[i].length : 1);
	}
	return n;
}

/* Counts of the SoC tile: transactions with memory, and entries as an arbiter's. */
static uint64_t of_soc_tile(unsigned code, unsigned umask)
{
	if (code == 0x8A)
		return umask == 0x01 ? 312 : umask == 0x02 ? 300 : 12;
	if (code == 0x35)
		return of_arbiter(0x81, umask == 0x08 ? 0x01 : 0x02, 0);
	return of_arbiter(code, umask, 0);
}

/* Two controllers have half of it each. */
static uint64_t of_memory(const char *event)
{
	return strcmp(event, "DRAM_IA_REQUESTS") == 0 ? 312 :
	       strcmp(event, "DRAM_DATA_READS") == 0 ? 300 :
	       strcmp(event, "DRAM_DATA_WRITES") == 0 ? 12 :
	       strstr(event, "_TOTAL_") ? 156 : strstr(event, "_RDCAS_") ? 150 :
	       strstr(event, "_WRCAS_") ? 6 : 0;
}

/* By event select, both controllers together. A line is two units of 32 bytes; what finds no open
 * page activates one, what finds another's precharges it first. */
static uint64_t of_controllers(unsigned code)
{
	static const struct { unsigned code; uint64_t n; } events[] = {
		{ 0x01, 2 * CLOCKS }, { 0x02, 300 }, { 0x03, 12 }, { 0x39, 312 },
		{ 0x1C, 3 }, { 0x1D, 5 }, { 0x1E, 7 }, { 0x1F, 11 }, { 0x20, 13 }, { 0x21, 17 },
		{ 0x22, 300 }, { 0x23, 12 }, { 0x24, 5 + 7 }, { 0x25, 13 + 17 },
		{ 0x26, 5 + 7 + 13 + 17 }, { 0x27, 7 + 17 },
		{ 0x3A, 2 * 300 }, { 0x3B, 2 * 12 }, { 0x3C, 2 * 312 },
	};

	for (size_t i = 0; i < ROWS(events); i++)
		if (events[i].code == code)
			return events[i].n;
	return 0;
}

static unsigned threshold_of(const struct tsv *t)
{
	const char *needs = tsv_cell(t, "modifiers_required");

	return strncmp(needs, "THR=", 4) == 0 ? (unsigned)strtoul(needs + 4, NULL, 10) : 0;
}

static uint64_t expected(const struct tsv *t)
{
	const char *unit = tsv_cell(t, "unit");
	unsigned code = (unsigned)strtoul(tsv_cell(t, "code"), NULL, 0);
	unsigned umask = (unsigned)strtoul(tsv_cell(t, "umask"), NULL, 0);

	return strcmp(unit, "CBO") == 0 ? of_slices(code, umask) :
	       strcmp(unit, "ARB") == 0 ? of_arbiter(code, umask, threshold_of(t)) :
	       strcmp(unit, "FIXED") == 0 ? CLOCKS :
	       strncmp(unit, "HAC_", 4) == 0 ? of_soc_tile(code, umask) :
	       strcmp(tsv_cell(t, "counters"), "FREE") ? of_controllers(code) :
	       of_memory(tsv_cell(t, "event"));
}

/* ---- events */

static bool is_free(const struct tsv *t)
{
	return strcmp(tsv_cell(t, "counters"), "FREE") == 0;
}

static uint64_t select_of(const struct tsv *t)
{
	if (is_free(t) || strcmp(tsv_cell(t, "unit"), "FIXED") == 0)
		return 0;
	return tsv_number(t, "code") | tsv_number(t, "umask") << 8 |
	       (uint64_t)threshold_of(t) << 24;
}

static void pmu_of(const struct client_generation *g, const struct tsv *t, char pmu[32])
{
	static const char *const units[][2] = { { "CBO", "cbo" }, { "ARB", "arb" },
		{ "HAC_CBO", "hac_cbo" }, { "HAC_ARB", "hac_arb" }, { "FIXED", "clk" },
		{ "IMC", "imc" } };

	for (size_t i = 0; i < ROWS(units); i++)
		if (strcmp(tsv_cell(t, "unit"), units[i][0]) == 0)
			snprintf(pmu, 32, "%s_unc_%s%s", g->prefix,
				 strcmp(units[i][1], "clk") ? units[i][1] : g->clock,
				 is_free(t) && client_has_selects(g) ? "_free_running" : "");
}

static uint64_t counters_of(const struct tsv *t)
{
	const char *text = tsv_cell(t, "counters");

	return strcmp(text, "0,1,2,3,4") == 0 ? 0x1F : strcmp(text, "0,1") == 0 ? 3 :
	       strcmp(text, "1") == 0 ? 2 : 1;
}

static void count_by(const struct engine_fixture *f, const char *name, const char *pmu,
		     const struct tsv *t)
{
	struct ipmu_event e = engine_fixture_event(f, name);
	struct ipmu_session *s;
	uint64_t value;

	assert_string_equal(ipmu_type_name(e.type), pmu);
	assert_int_equal(e.choices[0].select, select_of(t));
	if (!is_free(t) && e.type->counters > 1)
		assert_int_equal(e.choices[0].counters & ~counters_of(t), 0);
	s = engine_fixture_started(f, &name, 1);
	happen(f->segment);
	engine_fixture_end(s, &value);
	if (value != expected(t))
		fail_msg("%s: %llu instead of %llu", name, (unsigned long long)value,
			 (unsigned long long)expected(t));
}

static void is_listed(const struct engine_fixture *f, const char *name, bool undocumented)
{
	struct ipmu_event_info info;

	for (int i = 0, u; ipmu_event_list(f->sys, i, -1, &info) == 0; i++) {
		bool found = strcasecmp(info.name, name) == 0;

		for (u = 0; !found && ipmu_event_list(f->sys, i, u, &info) == 0; u++)
			found = strcasecmp(info.name, name) == 0;
		if (!found)
			continue;
		found = strstr(info.umask_desc[0] ? info.umask_desc : info.desc,
			       "not documented by Intel");
		if (found != undocumented)
			fail_msg("%s: %s", name, info.desc);
		return;
	}
	fail_msg("%s is not listed", name);
}

static bool of_other_model(const struct client_generation *g, const struct tsv *t)
{
	const char *needs = tsv_cell(t, "modifiers_required");

	return strncmp(needs, "model ", 6) == 0 && strcmp(needs + 6, g->model);
}

/* The same event by its numbers, where it has an event select. */
static void count_raw(const struct engine_fixture *f, const char *pmu, const struct tsv *t)
{
	unsigned threshold = threshold_of(t);
	char name[IPMU_NAME_MAX], more[16] = "";

	if (is_free(t) || strcmp(tsv_cell(t, "unit"), "FIXED") == 0)
		return;
	if (threshold)
		snprintf(more, sizeof(more), ":c=%u", threshold);
	snprintf(name, sizeof(name), "%s.RAW:umask=%u:event=%s%s", pmu,
		 (unsigned)strtoul(tsv_cell(t, "umask"), NULL, 0), tsv_cell(t, "code"), more);
	count_by(f, name, pmu, t);
}

/* EVENT.UMASK is the manual's spelling, pmu.EVENT:UMASK PAPI's, pmu::EVENT:UMASK libpfm4's. */
static void every_event_in_every_spelling(void **state)
{
	const struct engine_fixture *f = *state;
	const struct client_generation *g = client_here(f);
	int rows = 0;
	struct tsv t;

	for (tsv_open(&t, "client-uncores/events.tsv"); tsv_next(&t);) {
		char pmu[32] = "", event[64], name[IPMU_NAME_MAX];

		if (!tsv_has(&t, "generation", g->key) ||
		    !strchr(g->unconfirmed ? "SCKU" : "SCK", tsv_cell(&t, "status")[0]) ||
		    of_other_model(g, &t) ||
		    (!g->clock && strcmp(tsv_cell(&t, "unit"), "FIXED") == 0))
			continue;
		rows++;
		pmu_of(g, &t, pmu);
		count_by(f, tsv_cell(&t, "event"), pmu, &t);
		snprintf(event, sizeof(event), "%s", tsv_cell(&t, "event"));
		event[strcspn(event, ".")] = strchr(event, '.') ? ':' : '\0';
		snprintf(name, sizeof(name), "%s::%s", pmu, event);
		count_by(f, name, pmu, &t);
		snprintf(name, sizeof(name), "%s.%s", pmu, event);
		count_by(f, name, pmu, &t);
		is_listed(f, name, tsv_cell(&t, "status")[0] == 'K');
		count_raw(f, pmu, &t);
	}
	if (rows != g->events)
		fail_msg("%s: client-uncores/events.tsv has %d rows of %s, clients.tsv says "
			 "%d", g->machine, rows, g->key, g->events);
}

/* 334060-001 Table 2-7: bits of a unit mask can be joined. No table has these of lookups: reads and
 * writes in any state, and those that found E or S, or nothing. */
static void unit_masks_are_joined(void **state)
{
	static const unsigned umasks[] = { 0x3F, 0x3E };
	const struct engine_fixture *f = *state;
	const struct client_generation *g = client_here(f);
	char why[IPMU_WHY_MAX], names[2][IPMU_NAME_MAX];
	const char *events[] = { names[0], names[1] };
	struct ipmu_session *s;
	struct ipmu_event e;
	uint64_t v[2];

	snprintf(names[0], sizeof(names[0]), "%s_unc_cbo.UNC_CBO_CACHE_LOOKUP:0x3F", g->prefix);
	snprintf(names[1], sizeof(names[1]), "%s_unc_cbo.RAW:event=0x34:umask=0x3E", g->prefix);
	if (ipmu_event_parse(f->sys, names[0], &e, why))
		return;		/* a generation without slices */
	s = engine_fixture_started(f, events, 2);
	happen(f->segment);
	engine_fixture_end(s, v);
	for (int i = 0; i < 2; i++)
		assert_int_equal(v[i], of_slices(0x34, umasks[i]));
	assert_true(v[0] > v[1]);
}

/* The threshold has 5 bits, whatever libpfm4's own tables take; of later slices 6. */
static void thresholds_end_where_the_field_does(void **state)
{
	const struct engine_fixture *f = *state;
	const struct client_generation *g = client_here(f);
	bool slices = g->family->types[0]->pfm_numbered && (!g->select || g->unconfirmed);
	int tried = 0, rc;
	static const char *const events[] = { "cbo.UNC_CBO_CACHE_LOOKUP:ANY_MESI",
					      "arb.UNC_ARB_TRK_REQUESTS:ALL",
					      "hac_arb.UNC_HAC_ARB_TRK_REQUESTS:ALL" };
	char name[IPMU_NAME_MAX], why[IPMU_WHY_MAX];
	struct ipmu_event e;

	for (size_t i = 0; i < ROWS(events); i++) {
		unsigned most = g->select && i != 1 ? 63 : 31;

		snprintf(name, sizeof(name), "%s_unc_%s:c=%u", g->prefix, events[i], most);
		rc = ipmu_event_parse(f->sys, name, &e, why);
		if (rc == -ENOENT)
			continue;	/* a generation without it */
		assert_int_equal(rc, 0);
		assert_int_equal(e.choices[0].select >> 24, most);
		snprintf(name, sizeof(name), "%s_unc_%s:c=%u", g->prefix, events[i], most + 1);
		assert_int_equal(ipmu_event_parse(f->sys, name, &e, why), -EINVAL);
		assert_non_null(strstr(why, "out of range"));
		tried++;
	}
	assert_int_equal(tried, !g->clock || g->clock_only ? 0 : slices ? 2 : 1);
}

/* ---- start and stop */

/* With a global enable it is set while something counts; without, the enables of the counters. */
static void enables_are_left_off(void **state)
{
	const struct engine_fixture *f = *state;
	bool tiles = has_tiles(f->segment);
	const char *name = tiles ? "UNC_HAC_ARB_TRK_REQUESTS.ALL" :
			   client_here(f)->clock_only ? "UNC_CLOCK.SOCKET" :
			   "UNC_ARB_TRK_REQUESTS.ALL";
	const char *select = client_select_of_arbiter(client_here(f));
	bool clock = client_here(f)->clock_only, local;
	bool global = client_here(f)->family->switches && !tiles && !clock;
	struct ipmu_session *s;
	uint64_t v;

	if (!client_here(f)->clock)
		return;		/* all that it has is in the window: see below */
	s = engine_fixture_started(f, &name, 1);
	if (tiles) {
		assert_int_equal(engine_fixture_peek(f, "MSR_UNC_CNCU_BOX_CTL"), 0x20000000);
		assert_int_equal(engine_fixture_peek(f, "MSR_UNC_SNCU_BOX_CTL"), 0x20000000);
	}

	if (clock)
		assert_int_equal(engine_fixture_peek(f, "MSR_UNC_CNCU_0_BOX_CTL"), 0x20000000);
	local = engine_fixture_peek(f, select) >> 22 & 1;
	if (global)
		assert_int_equal(engine_fixture_peek(f, "MSR_UNC_PERF_GLOBAL_CTRL"), 0x20000000);
	else
		assert_true(local);
	assert_int_equal(ipmu_session_stop(s, &v, NULL), 0);
	if (tiles)
		assert_int_equal(engine_fixture_peek(f, "MSR_UNC_CNCU_BOX_CTL") |
				 engine_fixture_peek(f, "MSR_UNC_SNCU_BOX_CTL"), 0);
	if (global)
		assert_int_equal(engine_fixture_peek(f, "MSR_UNC_PERF_GLOBAL_CTRL"), 0);
	else
		assert_false(engine_fixture_peek(f, select) >> 22 & 1);
	happen(f->segment);
	assert_int_equal(ipmu_session_read(s, &v), 0);
	assert_int_equal(v, 0);
	ipmu_session_free(s);
}

/* The MSRs stay off meanwhile: on, they cost power. */
static void controllers_are_frozen_again(void **state)
{
	const struct engine_fixture *f = *state;
	const struct client_generation *g = client_here(f);
	const char *name = "UNC_M_CAS_COUNT_RD:box=1";
	struct ipmu_session *s;
	uint64_t v;

	if (!client_has_selects(client_here(f)))
		return;
	s = engine_fixture_started(f, &name, 1);
	assert_int_equal(engine_fixture_peek(f, client_imc_register(g, 0, "CTL")), 1);
	assert_int_equal(engine_fixture_peek(f, client_imc_register(g, 1, "CTL")), 0);
	if (client_is_discovered(g))
		assert_int_equal(engine_fixture_peek(f, "UNITS_GLOBAL_CTL"), 0);
	for (const struct ipmu_reg *const *r = client_here(f)->family->switches; r && *r; r++)
		assert_int_equal(engine_fixture_peek(f, (*r)->name), 0);
	happen(f->segment);
	assert_int_equal(ipmu_session_stop(s, &v, NULL), 0);
	assert_int_equal(v, 150);
	assert_int_equal(engine_fixture_peek(f, client_imc_register(g, 1, "CTL")), 1);
	happen(f->segment);
	assert_int_equal(ipmu_session_read(s, &v), 0);
	assert_int_equal(v, 150);
	ipmu_session_free(s);
	if (client_is_discovered(g))	/* as it was found */
		assert_int_equal(engine_fixture_peek(f, "UNITS_GLOBAL_CTL"), 1);
}

/* A process that counts there is killed, and ipmu-restore restores what it has changed: somebody's
 * select and count, and the freeze, without which that select would count. */
static void a_killed_process_is_put_back(void **state)
{
	const struct engine_fixture *f = *state;
	const struct client_generation *g = client_here(f);
	const char *found[] = { client_imc_register(g, 0, "PERFEVTSEL2"),
				client_imc_register(g, 1, "PERFCTR4"),
				client_imc_register(g, 0, "CTL") };
	static const uint64_t value[] = { 0x2C, 0x56789ABCDEF0, 1 };
	const char *name = "UNC_M_CAS_COUNT_RD", *first;
	int status;

	if (!client_has_selects(client_here(f)))
		return;
	for (size_t i = 0; i < ROWS(found); i++)
		engine_fixture_poke(f, found[i], value[i]);
	if (fork() == 0) {
		struct engine_fixture child = *f;

		if (ipmu_system_open(f->topo, IPMU_SCOPE_PACKAGE, &child.sys, NULL) == 0)
			engine_fixture_started(&child, &name, 1);
		raise(SIGKILL);
	}
	assert_true(wait(&status) > 0 && WIFSIGNALED(status));
	first = client_is_discovered(g) ? "IMC0_PERFEVTSEL0" : "MC0_PERFEVTSEL0";
	assert_int_equal(engine_fixture_peek(f, found[2]), 0);
	assert_int_equal(engine_fixture_peek(f, first), 0x22);
	assert_int_equal(engine_fixture_peek(f, found[0]), 0);
	assert_int_equal(system("ipmu-restore"), 0);
	assert_int_equal(engine_fixture_peek(f, first), 0);
	for (size_t i = 0; i < ROWS(found); i++) {
		assert_int_equal(engine_fixture_peek(f, found[i]), value[i]);
		engine_fixture_poke(f, found[i], 0);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_in_every_spelling),
		cmocka_unit_test(unit_masks_are_joined),
		cmocka_unit_test(thresholds_end_where_the_field_does),
		cmocka_unit_test(enables_are_left_off),
		cmocka_unit_test(controllers_are_frozen_again),
		cmocka_unit_test(a_killed_process_is_put_back),
	};
	int status = client_each(argv);

	(void)argc;
	return status >= 0 ? status :
	       cmocka_run_group_tests(tests, client_open, engine_fixture_close);
}
