/* SPDX-License-Identifier: MIT */
/* Text for terminals: what a terminal would obey becomes \xNN, all other text stays as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/shown.h"

static const struct { const char *text, *want; } cases[] = {
	{ "", "" },
	{ "plain, \\x1B and 100 %", "plain, \\x1B and 100 %" },
	{ "\033[2J", "\\x1B[2J" },
	{ "a\nb\tc\rd\a\177", "a\\x0Ab\\x09c\\x0Dd\\x07\\x7F" },
	/* U+0080, U+009B (CSI) and U+009F are C1 controls; U+00A0 is a blank. */
	{ "\xc2\x80 \xc2\x9b" "2J \xc2\x9f \xc2\xa0",
	  "\\xC2\\x80 \\xC2\\x9B2J \\xC2\\x9F \xc2\xa0" },
	{ "\x9b" "2J", "\\x9B2J" },		/* a terminal of 8 bits would take it for CSI */
	{ "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
	  "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80" },
	/* Cut off, alone, and forms of ESC, CSI and '/' that are longer than they have to be. */
	{ "\xe2\x82", "\\xE2\\x82" },
	{ "\xc3 \xbc", "\\xC3 \\xBC" },
	{ "\xc0\x9b", "\\xC0\\x9B" },
	{ "\xe0\x82\x9b", "\\xE0\\x82\\x9B" },
	{ "\xf0\x80\x80\xaf", "\\xF0\\x80\\x80\\xAF" },
	{ "\xf5\x80\x80\x80\xff", "\\xF5\\x80\\x80\\x80\\xFF" },
};

static void test_shown(void **state)
{
	char out[SHOWN_ROOM(64)];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = cases[i].text;

		assert_string_equal(shown(text, out, sizeof(out)), cases[i].want);
		if (!strchr(text, '\t'))
			assert_int_equal(shown_as_is(text, strlen(text)),
					 !strcmp(text, cases[i].want));
	}
	assert_true(shown_as_is("a\tb", 3));
	assert_false(shown_as_is("a\0b", 3));
}

static void test_cut(void **state)
{
	char out[6];

	(void)state;
	assert_string_equal(shown("abc\033d", out, sizeof(out)), "abc");
	assert_string_equal(shown("abcd\xc3\xbc", out, sizeof(out)), "abcd");
	assert_string_equal(shown("abc\xc3\xbc", out, sizeof(out)), "abc\xc3\xbc");
}

static void test_lines(void **state)
{
	static const char text[] = "one\r\n\ttwo \033[31m\xc2\x9b\n\0three";
	char *out = NULL;
	size_t bytes;
	FILE *f = open_memstream(&out, &bytes);

	(void)state;
	assert_non_null(f);
	shown_write(f, text, sizeof(text) - 1);
	fclose(f);
	assert_string_equal(out, "one\n\ttwo \\x1B[31m\\xC2\\x9B\n\\x00three");
	free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
