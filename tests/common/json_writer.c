/* SPDX-License-Identifier: MIT */
/* JSON texts: what is not known is null, and where json-c finds no memory there is no text. */
#include "common/json_writer.h"

#include <errno.h>
#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int left;	/* calls of json-c until one finds no memory */

static int fails(void)
{
	return left-- == 0;
}

#define WRAP(type, name, declared, passed, failure) \
	type __real_##name declared; \
	type __wrap_##name declared; \
	type __wrap_##name declared \
	{ \
		return fails() ? failure : __real_##name passed; \
	}
WRAP(json_object *, json_object_new_object, (void), (), NULL)
WRAP(json_object *, json_object_new_array, (void), (), NULL)
WRAP(json_object *, json_object_new_boolean, (json_bool b), (b), NULL)
WRAP(json_object *, json_object_new_int64, (int64_t i), (i), NULL)
WRAP(json_object *, json_object_new_double_s, (double d, const char *s), (d, s), NULL)
WRAP(json_object *, json_object_new_string, (const char *s), (s), NULL)
WRAP(int, json_object_object_add, (json_object *o, const char *key, json_object *v), (o, key, v),
     -1)
WRAP(int, json_object_array_add, (json_object *o, json_object *v), (o, v), -1)
WRAP(const char *, json_object_to_json_string_ext, (json_object *o, int flags), (o, flags), NULL)

static int print(char **text)
{
	struct json_writer w = { .no_memory = false };
	json_object *o = json_object_begin(&w), *list = json_array_begin(&w), *member;
	size_t bytes;
	FILE *f = open_memstream(text, &bytes);
	int rc;

	assert_non_null(f);
	json_put_text(&w, o, "text", "a");
	json_put_text(&w, o, "empty", "");
	json_put_text(&w, o, "none", NULL);
	json_put_null(&w, o, "null");
	json_put_bool(&w, o, "bool", true);
	json_put_int(&w, o, "int", INT64_C(1) << 53);
	json_put_real(&w, o, "real", 1.0 / 3);
	json_put_number(&w, o, "whole", 8999999999999999);
	json_put_number(&w, o, "other", 2.0 / 3);
	json_append_int(&w, list, -7);
	json_append_number(&w, list, 0.5);
	json_append_text(&w, list, "");
	member = json_object_begin(&w);
	json_put_int(&w, member, "n", 1);
	json_append(&w, list, member);
	json_put(&w, o, "list", list);
	rc = json_print(&w, o, JSON_C_TO_STRING_PLAIN, f);
	fclose(f);
	return rc;
}

static void forms(void **state)
{
	char *text;

	(void)state;
	left = -1;
	assert_int_equal(print(&text), 0);
	assert_string_equal(text, "{\"text\":\"a\",\"empty\":null,\"none\":null,\"null\":null,"
			    "\"bool\":true,\"int\":9007199254740992,\"real\":0.333333333,"
			    "\"whole\":8999999999999999,\"other\":0.666666667,"
			    "\"list\":[-7,0.5,\"\",{\"n\":1}]}\n");
	free(text);
}

/* Calls of json-c: 13 make a value, 11 put a member, 4 an element, and one makes the text. */
static void no_memory(void **state)
{
	char *text;
	int calls = 0, rc;

	(void)state;
	for (;;) {
		left = calls;
		rc = print(&text);
		if (!rc) {
			free(text);
			break;
		}
		assert_int_equal(rc, -ENOMEM);
		assert_string_equal(text, "");
		free(text);
		calls++;
	}
	assert_int_equal(calls, 29);
}

static void full_disk(void **state)
{
	struct json_writer w = { .no_memory = false };
	FILE *f = fopen("/dev/full", "w");

	(void)state;
	left = -1;
	assert_non_null(f);
	setvbuf(f, NULL, _IONBF, 0);
	assert_int_equal(json_print(&w, json_object_begin(&w), 0, f), -ENOSPC);
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
