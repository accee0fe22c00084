/* SPDX-License-Identifier: MIT */
/* JSON with json-c; json_writer.h has its rule. Each json_put_...() and json_append_...() takes
 * over its value, even where it fails. A lack of memory sets no_memory, which stays set:
 * json_print() then prints nothing. */
#include "json_writer.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>

static json_object *checked(struct json_writer *w, json_object *o)
{
	w->no_memory = w->no_memory || !o;
	return o;
}

json_object *json_object_begin(struct json_writer *w)
{
	return checked(w, json_object_new_object());
}

json_object *json_array_begin(struct json_writer *w)
{
	return checked(w, json_object_new_array());
}

/* Put a value. A NULL value is json-c's null, not a lack of memory. */
static void put(struct json_writer *w, json_object *to, const char *key, json_object *value)
{
	if (to && !json_object_object_add(to, key, value))
		return;
	json_object_put(value);
	w->no_memory = true;
}

void json_put(struct json_writer *w, json_object *to, const char *key, json_object *value)
{
	put(w, to, key, checked(w, value));
}

void json_append(struct json_writer *w, json_object *list, json_object *value)
{
	if (list && checked(w, value) && !json_object_array_add(list, value))
		return;
	json_object_put(value);
	w->no_memory = true;
}

void json_put_null(struct json_writer *w, json_object *to, const char *key)
{
	put(w, to, key, NULL);
}

void json_put_bool(struct json_writer *w, json_object *to, const char *key, bool value)
{
	json_put(w, to, key, json_object_new_boolean(value));
}

void json_put_int(struct json_writer *w, json_object *to, const char *key, int64_t value)
{
	json_put(w, to, key, json_object_new_int64(value));
}

void json_put_uint(struct json_writer *w, json_object *to, const char *key, uint64_t value)
{
	json_put(w, to, key, json_object_new_uint64(value));
}

/* Nine digits: json-c would write seventeen, a false precision. */
static json_object *real(double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.9g", value);
	return json_object_new_double_s(value, text);
}

void json_put_real(struct json_writer *w, json_object *to, const char *key, double value)
{
	json_put(w, to, key, real(value));
}

static bool is_whole(double x)
{
	return x == floor(x) && fabs(x) < 9e15;
}

static json_object *number(double value)
{
	return is_whole(value) ? json_object_new_int64((int64_t)value) : real(value);
}

void json_put_number(struct json_writer *w, json_object *to, const char *key, double value)
{
	json_put(w, to, key, number(value));
}

void json_put_text(struct json_writer *w, json_object *to, const char *key, const char *value)
{
	if (value && *value)
		json_put(w, to, key, json_object_new_string(value));
	else
		json_put_null(w, to, key);
}

void json_append_text(struct json_writer *w, json_object *list, const char *value)
{
	json_append(w, list, json_object_new_string(value));
}

void json_append_null(struct json_writer *w, json_object *list)
{
	if (!list || json_object_array_add(list, NULL))
		w->no_memory = true;
}

void json_append_int(struct json_writer *w, json_object *list, int64_t value)
{
	json_append(w, list, json_object_new_int64(value));
}

void json_append_number(struct json_writer *w, json_object *list, double value)
{
	json_append(w, list, number(value));
}

int json_print(struct json_writer *w, json_object *root, int flags, FILE *to)
{
	const char *text = root ? json_object_to_json_string_ext(root, flags) : NULL;
	int rc = 0;

	if (w->no_memory || !text)
		rc = -ENOMEM;
	else if (fprintf(to, "%s\n", text) < 0)
		rc = -errno;
	json_object_put(root);
	return rc;
}
