/* SPDX-License-Identifier: MIT */
#include "json_reader.h"

struct json_object *json_member(struct json_object *o, const char *key, enum json_type type)
{
	struct json_object *found;

	return json_object_object_get_ex(o, key, &found) && json_object_is_type(found, type) ?
	       found : NULL;
}

const char *json_member_text(struct json_object *o, const char *key)
{
	struct json_object *found = json_member(o, key, json_type_string);

	return found ? json_object_get_string(found) : "";
}

int json_member_int(struct json_object *o, const char *key, int otherwise)
{
	struct json_object *found = json_member(o, key, json_type_int);

	return found ? json_object_get_int(found) : otherwise;
}

bool json_member_bool(struct json_object *o, const char *key)
{
	struct json_object *found = json_member(o, key, json_type_boolean);

	return found && json_object_get_boolean(found);
}

struct json_object *json_member_list(struct json_object *o, const char *key)
{
	return json_member(o, key, json_type_array);
}

size_t json_list_length(struct json_object *list)
{
	return list ? json_object_array_length(list) : 0;
}
