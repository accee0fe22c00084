/* SPDX-License-Identifier: MIT */
/* Part of every unit test: with ONE_CASE='*wrap*' in the environment only such cases run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

__attribute__((constructor)) static void choose_cases(void)
{
	const char *names = getenv("ONE_CASE");

	if (names)
		cmocka_set_test_filter(names);
}
