/* SPDX-License-Identifier: MIT */
/* The table of event codes behind PAPI's listing, by itself, on a virtual Skylake client: what it
 * lists is the document's table, what it does not know it says, a name has one code, and no
 * allocation is left when one fails. */
#include "component/papi_glue/event_table.h"
#include "engine_fixture.h"
#include "on_machine.h"
#include "tsv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct ipmu_frame anywhere = { .place = IPMU_ALL };
static struct event_table table;

/* ---- allocations, of which one may fail */

static int live, allowed = -1;

static bool refused(void)
{
	return allowed == 0 || (allowed > 0 && allowed-- == 0);
}

void *__real_calloc(size_t n, size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes)
{
	void *p = refused() ? NULL : __real_calloc(n, bytes);

	live += p != NULL;
	return p;
}

void *__real_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes)
{
	void *p = refused() ? NULL : __real_realloc(old, bytes);

	live += p && !old;
	return p;
}

void __real_free(void *p);
void __wrap_free(void *p);
void __wrap_free(void *p)
{
	live -= p != NULL;
	__real_free(p);
}

/* ---- */

/* "UNC_CBO_CACHE_LOOKUP.READ_I" of unit CBO: the PMU, the event and the unit mask. */
static void listed_name(const struct tsv *t, char event[128], char umask[192])
{
	static const struct { const char *unit, *pmu; } pmus[] = {
		{ "CBO", "skl_unc_cbo" }, { "ARB", "skl_unc_arb" }, { "FIXED", "skl_unc_clk" },
		{ "IMC", "skl_unc_imc" },
	};
	const char *name = tsv_cell(t, "event"), *dot = strchr(name, '.');
	size_t i = 0;

	while (strcmp(pmus[i].unit, tsv_cell(t, "unit")))
		i++;
	snprintf(event, 128, "%s.%.*s", pmus[i].pmu, dot ? (int)(dot - name) : 99,
		 name);
	snprintf(umask, 192, "%s:%s", event, dot ? dot + 1 : "");
}

static int find(const char *name)
{
	int code = event_table_first(&table);

	while (code >= 0 && strcmp(event_table_get(&table, (unsigned)code)->name, name))
		code = event_table_next(&table, (unsigned)code);
	return code;
}

static void the_documents_events_are_listed(void **state)
{
	char event[128], umask[192];
	int rows = 0, events = 0, umasks = 0;
	struct tsv t;

	(void)state;
	for (tsv_open(&t, "skl-client-uncore/events.tsv"); tsv_next(&t); rows++) {
		int code;

		listed_name(&t, event, umask);
		code = find(event);
		if (code < 0)
			fail_msg("%s is not listed", event);
		if (strchr(tsv_cell(&t, "event"), '.'))
			do
				code = event_table_umask(&table, (unsigned)code);
			while (code >= 0 &&
			       strcmp(event_table_get(&table, (unsigned)code)->name, umask));
		else
			umasks++;	/* an event without any */
		if (code < 0)
			fail_msg("%s is not listed", umask);
	}
	for (int code = event_table_first(&table); code >= 0;
	     code = event_table_next(&table, (unsigned)code)) {
		events++;
		for (int u = code; (u = event_table_umask(&table, (unsigned)u)) >= 0; umasks++)
			assert_int_equal(event_table_get(&table, (unsigned)u)->parent, code);
	}
	assert_int_equal(umasks, rows + 2);	/* and RAW's example, of CBo and arbiter */
	assert_int_equal(events, table.events);
}

static void what_has_no_code_is_refused(void **state)
{
	char why[IPMU_WHY_MAX] = "";
	struct ipmu_event event;
	unsigned past = (unsigned)table.n;

	(void)state;
	assert_null(event_table_get(&table, past));
	assert_int_equal(event_table_resolve(&table, past, &anywhere, &event, why), -ENOENT);
	assert_non_null(strstr(why, "no event of code"));
	assert_int_equal(event_table_next(&table, past), -ENOENT);
	assert_int_equal(event_table_umask(&table, past), -ENOENT);
	assert_int_equal(event_table_describe(&table, past), -ENOENT);
	assert_int_equal(event_table_next(&table, past - 1), -ENOENT);
	assert_int_equal(event_table_umask(&table, past - 1), -ENOENT);
	assert_int_equal(event_table_code(&table, "skl_unc_cbo.NO_SUCH_EVENT", true, why), -ENOENT);
	assert_int_equal(table.n, past);
}

static void a_composed_name_gets_one_code(void **state)
{
	static const char name[] = "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=1";
	char why[IPMU_WHY_MAX] = "";
	struct ipmu_event event;
	int before = table.n, code;

	(void)state;
	code = event_table_code(&table, name, true, why);
	assert_int_equal(code, before);
	assert_int_equal(event_table_code(&table, name, true, why), code);
	assert_int_equal(table.n, before + 1);
	assert_int_equal(event_table_resolve(&table, (unsigned)code, &anywhere, &event, why), 0);
	assert_int_equal(event.box, 1);
	assert_int_equal(find(name), -ENOENT);	/* it is not of the listing */
	assert_int_equal(event_table_next(&table, (unsigned)before - 1), -ENOENT);
}

/* Before anything is listed, in small letters: listing finds the code and corrects the spelling. */
static void listing_keeps_the_codes_of_names(void **state)
{
	const struct engine_fixture *f = *state;
	const struct event_entry *e;
	struct event_table t;
	char why[IPMU_WHY_MAX];
	int code, event, u, listed, others = 0;

	event_table_begin(&t, f->sys);
	code = event_table_code(&t, "skl_unc_cbo.unc_cbo_cache_lookup:read_i", true, why);
	event = event_table_code(&t, "skl_unc_cbo.unc_cbo_cache_lookup", true, why);
	assert_int_equal(t.n, 2);
	e = event_table_get(&t, (unsigned)code);
	assert_string_equal(e->name, "skl_unc_cbo.unc_cbo_cache_lookup:read_i");
	for (u = event; (u = event_table_umask(&t, (unsigned)u)) >= 0 && u != code;)
		others++;
	assert_int_equal(u, code);
	assert_true(others > 0);
	assert_int_equal(e->parent, event);
	assert_string_equal(e->name, "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I");
	assert_int_equal(event_table_code(&t, e->name, true, why), code);
	/* PAPI would report one of two spellings with the same code as 0. */
	assert_int_not_equal(event_table_code(&t, "skl_unc_cbo.unc_cbo_cache_lookup:read_i",
					      true, why), code);
	listed = event_table_first(&t);
	while (listed >= 0 && listed != event)
		listed = event_table_next(&t, (unsigned)listed);
	assert_int_equal(listed, event);
	event_table_free(&t);
}

static void what_needs_a_unit_mask_has_a_code(void **state)
{
	const struct engine_fixture *f = *state;
	struct ipmu_event event;
	struct event_table t;
	char why[IPMU_WHY_MAX];
	int code;

	event_table_begin(&t, f->sys);
	code = event_table_code(&t, "skl_unc_cbo.UNC_CBO_XSNP_RESPONSE", true, why);
	assert_true(code >= 0);
	assert_int_equal(event_table_resolve(&t, (unsigned)code, &anywhere, &event, why), -EINVAL);
	event_table_free(&t);
}

/* With and without a unit mask, and without a listing before. */
static void a_name_is_described_as_in_the_listing(void **state)
{
	static const char *const names[] = { "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP",
					     "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I" };
	const struct engine_fixture *f = *state;

	for (int i = 0; i < 2; i++) {
		const struct event_entry *e;
		struct event_table t;
		char why[IPMU_WHY_MAX];
		int code;

		event_table_begin(&t, f->sys);
		code = event_table_code(&t, names[i], true, why);
		assert_int_equal(event_table_describe(&t, (unsigned)code), 0);
		e = event_table_get(&t, (unsigned)code);
		assert_non_null(strstr(e->desc, "LLC lookup"));
		assert_int_equal(e->umask_desc[0] != '\0', i);
		event_table_free(&t);
	}
}

static int list_all(struct event_table *t)
{
	int code = event_table_first(t), n = 0, u;

	for (; code >= 0; code = event_table_next(t, (unsigned)code), n++)
		for (u = code; (u = event_table_umask(t, (unsigned)u)) != -ENOENT; n++)
			if (u < 0)
				return u;
	return code == -ENOENT ? n : code;
}

/* Each allocation fails once: listing continues from there, and everything can be freed. */
static void a_failed_allocation_leaves_nothing(void **state)
{
	const struct engine_fixture *f = *state;
	struct event_table t;
	int failures = 0, rc;

	do {
		int before = live;

		event_table_begin(&t, f->sys);
		allowed = failures;
		rc = list_all(&t);
		allowed = -1;
		if (rc < 0) {
			assert_int_equal(rc, -ENOMEM);
			failures++;
		}
		assert_int_equal(list_all(&t), table.n - 1); /* but the composed name */
		event_table_free(&t);
		assert_int_equal(live, before);
	} while (rc < 0);
	assert_true(failures > table.events);
}

static int open_table(void **state)
{
	const struct engine_fixture *f;

	if (engine_fixture_open(state))
		return -1;
	f = *state;
	event_table_begin(&table, f->sys);
	return 0;
}

static int close_table(void **state)
{
	event_table_free(&table);
	return engine_fixture_close(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_documents_events_are_listed),
		cmocka_unit_test(what_has_no_code_is_refused),
		cmocka_unit_test(a_composed_name_gets_one_code),
		cmocka_unit_test(listing_keeps_the_codes_of_names),
		cmocka_unit_test(what_needs_a_unit_mask_has_a_code),
		cmocka_unit_test(a_name_is_described_as_in_the_listing),
		cmocka_unit_test(a_failed_allocation_leaves_nothing),
	};

	(void)argc;
	on_machine(argv, "skl-4c8t");
	return cmocka_run_group_tests(tests, open_table, close_table);
}
