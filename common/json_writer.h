/* SPDX-License-Identifier: MIT */
/* JSON with json-c, by one rule: a value that is not known is null, and if memory runs out
 * anywhere, there is no text at all, for a member that is missing would read as one that is not
 * known. */
#ifndef IPMU_JSON_WRITER_H
#define IPMU_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_object;

struct json_writer {
	bool no_memory;
};

/* NULL, which the others take, where there is no memory. */
struct json_object *json_object_begin(struct json_writer *w);
struct json_object *json_array_begin(struct json_writer *w);

/* The value, even where this fails, is the object's or the list's. */
void json_put(struct json_writer *w, struct json_object *to, const char *key,
	      struct json_object *value);
void json_append(struct json_writer *w, struct json_object *list, struct json_object *value);

void json_put_null(struct json_writer *w, struct json_object *to, const char *key);
void json_put_bool(struct json_writer *w, struct json_object *to, const char *key, bool value);
void json_put_int(struct json_writer *w, struct json_object *to, const char *key, int64_t value);
void json_put_uint(struct json_writer *w, struct json_object *to, const char *key, uint64_t value);
/* Nine digits. */
void json_put_real(struct json_writer *w, struct json_object *to, const char *key, double value);
/* Whole numbers keep all their digits, others nine. */
void json_put_number(struct json_writer *w, struct json_object *to, const char *key, double value);
/* NULL and "" are null. */
void json_put_text(struct json_writer *w, struct json_object *to, const char *key,
		   const char *value);
void json_append_text(struct json_writer *w, struct json_object *list, const char *value);
void json_append_null(struct json_writer *w, struct json_object *list);
void json_append_int(struct json_writer *w, struct json_object *list, int64_t value);
void json_append_number(struct json_writer *w, struct json_object *list, double value);

/* Prints root with json-c's JSON_C_TO_STRING_* flags and a newline, and frees it. 0, -ENOMEM with
 * nothing printed, or what went wrong in writing. */
int json_print(struct json_writer *w, struct json_object *root, int flags, FILE *to);

#endif
