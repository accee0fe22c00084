/* SPDX-License-Identifier: MIT */
/* Each name that libpfm4 has for an event of Skylake's cores has a row in the machine's list, of
 * its own or of its code's group, and a row that is not driven says why. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib.h>

#include "virtual_pmu/model/model.h"

static struct vpmu_machine machine;

static bool is_group(const char *name)
{
	return strcmp(name + strlen(name) - 2, ".*") == 0;
}

/* Does the row stand for the select? libpfm4's reference clock is fixed counter 2's. */
static bool row_fits(const struct vpmu_event_info *row, uint64_t select)
{
	bool fixed = strncmp(row->counters, "FIXED", 5) == 0;

	if ((select & 0xFF) == 0)
		return fixed && row->umask == (select >> 8 & 0xFF);
	return !fixed && strcmp(row->unit, "PMC") == 0 && row->code == (select & 0xFF) &&
	       (is_group(row->name) || row->umask == (select >> 8 & 0xFF));
}

static bool has_row(uint64_t select)
{
	struct vpmu_event_info row;

	for (uint32_t i = 0; vpmu_model_event(&machine, i, &row); i++)
		if (row_fits(&row, select)) {
			assert_true(row.driven ||
				    (row.why && strncmp(row.why, "stays 0: ", 9) == 0));
			return true;
		}
	return false;
}

static int check_name(const char *event, const char *umask)
{
	uint64_t *codes = NULL;
	char name[128];
	int n = 0;

	snprintf(name, sizeof(name), "skl::%s%s%s", event, umask ? ":" : "", umask ? umask : "");
	assert_int_equal(pfm_get_event_encoding(name, PFM_PLM0 | PFM_PLM3, NULL, NULL, &codes, &n),
			 PFM_SUCCESS);
	if (!has_row(codes[0]))
		fail_msg("%s: no row for code 0x%02x, unit mask 0x%02x", name,
			 (unsigned)(codes[0] & 0xFF), (unsigned)(codes[0] >> 8 & 0xFF));
	free(codes);
	return 1;
}

static int check_event(int index)
{
	pfm_event_info_t event = { .size = sizeof(event) };
	int names = 0;

	assert_int_equal(pfm_get_event_info(index, PFM_OS_NONE, &event), PFM_SUCCESS);
	for (int i = 0; i < event.nattrs; i++) {
		pfm_event_attr_info_t a = { .size = sizeof(a) };

		assert_int_equal(pfm_get_event_attr_info(index, i, PFM_OS_NONE, &a), PFM_SUCCESS);
		if (a.type == PFM_ATTR_UMASK)
			names += check_name(event.name, a.name);
	}
	return names ? names : check_name(event.name, NULL);
}

static void skylake_has_a_row_for_each_name(void **state)
{
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };
	int names = 0;

	(void)state;
	assert_int_equal(pfm_get_pmu_info(PFM_PMU_INTEL_SKL, &pmu), PFM_SUCCESS);
	for (int i = pmu.first_event; i != -1; i = pfm_get_event_next(i))
		names += check_event(i);
	print_message("%d names\n", names);
	assert_true(names > 400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(skylake_has_a_row_for_each_name),
	};
	char why[128];

	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	if (pfm_initialize() != PFM_SUCCESS ||
	    vpmu_machine_parse("skl-4c8t", &machine, why, sizeof(why)))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
