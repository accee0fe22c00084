/* SPDX-License-Identifier: MIT */
/* Members of parsed JSON objects. Each function accepts NULL for the object, and ignores a member
 * of another type. What is returned belongs to the object. */
#ifndef IPMU_JSON_READER_H
#define IPMU_JSON_READER_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

/* NULL: there is none. */
struct json_object *json_member(struct json_object *o, const char *key, enum json_type type);
/* "": there is none. */
const char *json_member_text(struct json_object *o, const char *key);
int json_member_int(struct json_object *o, const char *key, int otherwise);
bool json_member_bool(struct json_object *o, const char *key);

/* A list, NULL: there is none; and how many it has, 0 of NULL. */
struct json_object *json_member_list(struct json_object *o, const char *key);
size_t json_list_length(struct json_object *list);

#endif
