/* SPDX-License-Identifier: MIT */
/* The unit of every event, compared with a separate transcription of the documents. */
#include "fake_system.h"
#include "pmu/families.h"
#include "tsv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#define ROWS_MAX 512

static struct row {
	char pmu[32], event[64], umask[64], units[32];
	int used;
} rows[ROWS_MAX];
static int nrows;

static int read_rows(void **state)
{
	struct tsv t;

	(void)state;
	setenv("LIBPFM_NHMEX_UNCONFIRMED", "1", 1);
	setenv("LIBPFM_CLIENT_UNCONFIRMED", "1", 1);
	tsv_open(&t, "units.tsv");
	while (tsv_next(&t)) {
		struct row *r = &rows[nrows++];

		assert_true(nrows <= ROWS_MAX);
		snprintf(r->pmu, sizeof(r->pmu), "%s", tsv_cell(&t, "pmu"));
		snprintf(r->event, sizeof(r->event), "%s", tsv_cell(&t, "event"));
		snprintf(r->umask, sizeof(r->umask), "%s", tsv_cell(&t, "umask"));
		snprintf(r->units, sizeof(r->units), "%s", tsv_cell(&t, "units"));
	}
	return 0;
}

static const char *cell(const char *pmu, const char *event, const char *umask)
{
	for (struct row *r = rows; r < rows + nrows; r++)
		if (strcmp(r->pmu, pmu) == 0 && strcasecmp(r->event, event) == 0 &&
		    strcasecmp(r->umask, umask) == 0) {
			r->used++;
			return r->units;
		}
	return NULL;
}

/* The table has what is not "events", and unit masks that differ from their event. */
static const char *expected(const char *listed)
{
	char name[IPMU_NAME_MAX], *event, *umask;
	const char *pmu = name, *units = NULL;

	snprintf(name, sizeof(name), "%s", listed);
	event = strchr(name, '.');
	assert_non_null(event);
	*event++ = '\0';
	umask = strchr(event, ':');
	if (umask)
		*umask++ = '\0';
	if (strcmp(pmu, "netburst_p") == 0)
		pmu = "netburst";
	if (strlen(pmu) > 8 && strncmp(pmu + 3, "_unc_", 5) == 0 && strncmp(pmu, "nhm", 3)) {
		memcpy(name, "skl", 3);		/* other generations' are in what Skylake's are */
		if (strstr(name, "_free_running"))
			*strstr(name, "_free_running") = '\0';
	}
	if (umask)
		units = cell(pmu, event, umask);
	if (!units)
		units = cell(pmu, event, "-");
	return units ? units : "events";
}

static void check_listed(const struct ipmu_system *sys, const struct ipmu_event_info *info)
{
	struct ipmu_event e;

	if (strcmp(info->units, expected(info->name)) != 0)
		fail_msg("%s is in %s, the table has %s", info->name, info->units,
			 expected(info->name));
	if (ipmu_event_parse(sys, info->name, &e, NULL) == 0 && strcmp(e.units, info->units) != 0)
		fail_msg("%s is listed in %s and counted in %s", info->name, info->units, e.units);
}

static void every_event_has_the_unit_of_the_documents(void **state)
{
	int n = 0;

	(void)state;
	for (const struct ipmu_family *const *f = ipmu_families; *f; f++) {
		const struct ipmu_system *sys = fake_system(*f);
		struct ipmu_event_info info;

		for (int event = 0; ipmu_event_list(sys, event, -1, &info) == 0; event++)
			for (int mask = 0; n++, check_listed(sys, &info),
			     ipmu_event_list(sys, event, mask, &info) == 0; mask++)
				;
	}
	print_message("%d names\n", n);
	assert_true(n > 1000);
	for (struct row *r = rows; r < rows + nrows; r++)
		if (!r->used)
			fail_msg("nothing listed is %s.%s:%s", r->pmu, r->event, r->umask);
}

static void qualifiers_change_the_unit(void **state)
{
	static const struct {
		const char *family, *name, *units;
	} cases[] = {
		{ "skl_unc", "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP", "events" },
		{ "skl_unc", "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:c=1", "clocks" },
		{ "skl_unc", "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:c=1:i", "clocks" },
		{ "skl_unc", "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:c=1:ANY_I:e", "occurrences" },
		{ "skl_unc", "UNC_ARB_TRK_OCCUPANCY.ALL", "entries x clocks" },
		{ "skl_unc", "UNC_ARB_TRK_OCCUPANCY.ALL:c=1", "clocks" },
		{ "skl_unc", "skl_unc_arb::unc_arb_trk_requests:freeze=9", "requests" },
		{ "skl_unc", "DRAM_DATA_READS:package=0", "64-byte transfers" },
		{ "knc", "knc.VPU_ELEMENTS_ACTIVE:t", "elements" },
		{ "knc", "knc.VPU_ELEMENTS_ACTIVE:c=8", "clocks" },
		{ "knc", "knc.VPU_ELEMENTS_ACTIVE:c=8:e", "occurrences" },
		{ "core2", "core.PAGE_WALKS:COUNT", "events" },
		{ "core2", "core.PAGE_WALKS:CYCLES:u", "clocks" },
		{ "core2", "core.L1D_PEND_MISS:c=1", "clocks" },
		{ "netburst", "netburst.IOQ_active_entries:ReqA0:ALL_READ", "entries x clocks" },
		{ "netburst", "netburst.IOQ_active_entries:ReqA0:thr=1", "clocks" },
		{ "netburst", "netburst.global_power_events:RUNNING:e", "occurrences" },
		{ "netburst", "netburst.uop_type:TAGLOADS", "micro-ops" },	/* the document's */
		/* table 19-28: with EDGE a transaction counts once, without it each clock of it */
		{ "netburst", "netburst.FSB_data_activity:DRDY_OWN", "events" },
		{ "netburst", "netburst.FSB_data_activity:DRDY_OWN:e", "events" },
		{ "netburst", "netburst.FSB_data_activity:DRDY_OWN:e=0", "clocks" },
		{ "nhmex_unc", "nhmex_unc_mbox.RAW:inc_sel=0x14", "events" },
		{ "nhmex_unc", "nhmex_unc_mbox.RAW:set_flag_sel=3:flag_mode", "clocks" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ipmu_family *const *f = ipmu_families;

		while (*f && strcmp((*f)->name, cases[i].family) != 0)
			f++;
		assert_non_null(*f);
		print_message("%s\n", cases[i].name);
		assert_string_equal(fake_event(fake_system(*f), cases[i].name).units,
				    cases[i].units);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_has_the_unit_of_the_documents),
		cmocka_unit_test(qualifiers_change_the_unit),
	};

	return cmocka_run_group_tests(tests, read_rows, NULL);
}
