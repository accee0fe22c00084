/* SPDX-License-Identifier: MIT */
/* libpfm4 is started in the mode that the engine needs, and a failed start is reported. */
#include "ipmu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <perfmon/pfmlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define INACTIVE "LIBPFM_ENCODE_INACTIVE"

static pfm_err_t answer;
static char seen[16];	/* of the variable, while libpfm4 starts */

pfm_err_t __wrap_pfm_initialize(void);
pfm_err_t __wrap_pfm_initialize(void)
{
	const char *value = getenv(INACTIVE);

	snprintf(seen, sizeof(seen), "%s", value ? value : "none");
	return answer;
}

static void a_start_that_fails_is_told(void **state)
{
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	answer = PFM_ERR_NOTSUPP;
	assert_int_equal(ipmu_names_open(why), -ENOTSUP);
	assert_non_null(strstr(why, "libpfm4 does not start"));
	assert_non_null(strstr(why, pfm_strerror(PFM_ERR_NOTSUPP)));
	assert_int_equal(ipmu_names_open(NULL), -ENOTSUP);
	assert_null(getenv(INACTIVE));
}

/* The variable is for libpfm4 alone: it does not reach the program's children. */
static void pmus_that_the_kernel_does_not_drive_are_encoded(void **state)
{
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	answer = PFM_SUCCESS;
	assert_int_equal(ipmu_names_open(why), 0);
	assert_string_equal(why, "");
	assert_string_equal(seen, "1");
	assert_null(getenv(INACTIVE));
}

/* Newer versions of libpfm4 read 0 as no, older ones any value as yes. */
static void the_users_own_setting_stays_and_changes_nothing(void **state)
{
	(void)state;
	answer = PFM_SUCCESS;
	setenv(INACTIVE, "0", 1);
	assert_int_equal(ipmu_names_open(NULL), 0);
	assert_string_equal(seen, "1");
	assert_string_equal(getenv(INACTIVE), "0");
	unsetenv(INACTIVE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_start_that_fails_is_told),
		cmocka_unit_test(pmus_that_the_kernel_does_not_drive_are_encoded),
		cmocka_unit_test(the_users_own_setting_stays_and_changes_nothing),
	};

	unsetenv(INACTIVE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
