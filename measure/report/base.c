/* SPDX-License-Identifier: MIT */
/* Writes a base, saved_write_base(): a report without what changes from run to run or can be found
 * elsewhere. A member that is not dropped here stays, so that new ones of a comparison do. */
#include <errno.h>
#include <json-c/json.h>

#include "json_reader.h"
#include "report.h"
#include "saved.h"

static void drop_members(struct json_object *o, const char *const *keys)
{
	for (; json_object_is_type(o, json_type_object) && *keys; keys++)
		json_object_object_del(o, *keys);
}

static void drop_in_list(struct json_object *group, const char *list, const char *const *keys)
{
	struct json_object *items = json_member_list(group, list);

	for (size_t i = 0; i < json_list_length(items); i++)
		drop_members(json_object_array_get_idx(items, i), keys);
}

int saved_write_base(FILE *f, struct saved *s)
{
	static const char *const of_report[] = {
		"date", "host", "options", "nodes", "job", "seconds", "interval_ms",
		"interval_clock", "timelines", "lost", "regions", "regions_ignored", NULL,
	};
	static const char *const of_group[] = { "title", "tells", "misleads", NULL };
	static const char *const of_profile[] = { "lines", "data", "contended", NULL };
	static const char *const of_function[] = { "inclusive", "calls", NULL };
	static const char *const of_item[] = { "deviation", "pass", "parts", NULL };
	struct json_object *groups = json_member_list(s->root, "groups");
	struct json_object *profile = json_member(s->root, "profile", json_type_object);
	const char *text;

	drop_members(s->root, of_report);
	drop_members(profile, of_profile);
	drop_in_list(profile, "functions", of_function);
	for (size_t i = 0; i < json_list_length(groups); i++) {
		struct json_object *group = json_object_array_get_idx(groups, i);

		drop_members(group, of_group);
		drop_in_list(group, "events", of_item);
		drop_in_list(group, "metrics", of_item);
	}
	text = json_object_to_json_string_ext(s->root, JSON_C_TO_STRING_PRETTY |
					      JSON_C_TO_STRING_NOSLASHESCAPE);
	if (!text)
		return -ENOMEM;
	fprintf(f, "%s\n", text);
	return report_flush(f);
}
