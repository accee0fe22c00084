/* SPDX-License-Identifier: MIT */
/* --seeds N, by seeds(): counts the program in N layouts, seeds 0 to N - 1 of the virtual machine,
 * and reports and compares the medians. Each layout is another ipmu-run (again.c), which writes a
 * base. Their values become one report, as those of several runs of -r are. */
#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_reader.h"
#include "run.h"

struct layouts {
	const struct options *o;
	char folder[PATH_MAX - 32];
	struct saved *of;	/* one for each seed, n of them */
	int n;
	struct saved all;
};

static void layout_path(const struct layouts *l, int seed, char out[PATH_MAX])
{
	snprintf(out, PATH_MAX, "%s/%d.json", l->folder, seed);
}

/* ---- counting ---- */

static int count_layout(struct layouts *l, int seed)
{
	char path[PATH_MAX], number[16], why[SAVED_WHY_MAX];
	int status;

	layout_path(l, seed, path);
	snprintf(number, sizeof(number), "%d", seed);
	status = again_run(l->o, path, number);
	if (access(path, F_OK))
		return status ? status : EXIT_CANNOT_COUNT;
	if (saved_read(path, &l->of[seed], why))
		return complain(EXIT_CANNOT_COUNT, "%s", why);
	l->n++;
	return status;
}

static int count_layouts(struct layouts *l)
{
	int rc = 0;

	for (int seed = 0; seed < l->o->seeds && !rc; seed++)
		rc = count_layout(l, seed);
	return rc;
}

/* ---- one report of all ---- */

/* The item in the same place of another layout's report, NULL: there is none. */
static struct json_object *item_of(const struct saved *s, size_t group, const char *list,
				   size_t item)
{
	struct json_object *g = json_object_array_get_idx(json_member_list(s->root, "groups"),
							  group);

	return json_object_array_get_idx(json_member_list(g, list), item);
}

/* The values are those of the layouts, and the value their mean. */
static void join_item(const struct layouts *l, size_t group, const char *list, size_t item)
{
	struct json_object *to = item_of(&l->of[0], group, list, item);
	struct json_object *values = json_object_new_array(), *value = NULL;
	double sum = 0;
	int known = 0;

	for (int i = 0; i < l->n; i++) {
		struct json_object *o = item_of(&l->of[i], group, list, item);

		value = NULL;
		json_object_object_get_ex(o, "value", &value);
		json_object_array_add(values, json_object_get(value));
		sum += json_object_get_double(value);
		known += value != NULL;
	}
	json_object_object_add(to, "value", known < l->n ? NULL :
			       json_object_new_double(sum / l->n));
	json_object_object_add(to, "values", values);
}

static void join_layouts(struct layouts *l)
{
	static const char *const lists[] = { "events", "metrics" };
	struct json_object *root = l->of[0].root, *groups = json_member_list(root, "groups");

	for (size_t g = 0; g < json_list_length(groups); g++)
		for (int i = 0; i < 2; i++) {
			struct json_object *list = json_member_list(
				json_object_array_get_idx(groups, g), lists[i]);

			for (size_t n = 0; n < json_list_length(list); n++)
				join_item(l, g, lists[i], n);
		}
	json_object_object_add(root, "seed", NULL);
	json_object_object_add(root, "seeds", json_object_new_int(l->n));
	json_object_object_add(root, "runs", json_object_new_int(l->n));
}

/* ---- what it is written as ---- */

static void show_layouts(const struct layouts *l)
{
	const struct saved *s = &l->all;
	char line[512], safe[SHOWN_ROOM(sizeof(line))], number[REPORT_NUMBER_MAX];

	snprintf(line, sizeof(line), "ipmu-run: %.300s: %d layouts", saved_member(s, "command"),
		 l->n);
	fprintf(stderr, "%s\n  %-46s %16s %12s\n", shown(line, safe, sizeof(safe)), "", "median",
		"spread");
	for (int i = 0; i < s->n; i++) {
		const struct saved_item *item = &s->items[i];

		if (!item->v.known)
			strcpy(number, "-");
		else
			report_number(item->v.value, !item->unit, number);
		snprintf(line, sizeof(line), "    %-44.200s %16s", saved_short_name(item), number);
		fprintf(stderr, "%s %10.3g %%\n", shown(line, safe, sizeof(safe)),
			item->v.known ? item->v.spread : 0);
	}
}

static int write_base(struct layouts *l)
{
	struct new_file to = { .f = NULL };
	int rc = new_file_open(&to, l->o->base_to, 0666);

	if (!rc)
		rc = saved_write_base(to.f, &l->all);
	if (!rc)
		rc = new_file_publish(&to);
	new_file_drop(&to);
	return rc ? complain(EXIT_CANNOT_COUNT, "--base: cannot write %s: %s", l->o->base_to,
			     strerror(-rc)) : 0;
}

static int use_layouts(struct layouts *l)
{
	char why[SAVED_WHY_MAX];
	const char *text;
	int rc;

	join_layouts(l);
	text = json_object_to_json_string_ext(l->of[0].root, JSON_C_TO_STRING_NOSLASHESCAPE);
	if (!text || saved_parse("these layouts", text, strlen(text), &l->all, why))
		return complain(EXIT_CANNOT_COUNT, "%s", text ? why : "no memory");
	show_layouts(l);
	rc = l->o->base_to ? write_base(l) : 0;
	return rc || !l->o->compare ? rc : gate_saved(l->o, &l->all);
}

int seeds(const struct options *o)
{
	const char *temporary = getenv("TMPDIR");
	struct layouts l = { .o = o };
	char path[PATH_MAX];
	int rc;

	l.of = calloc((size_t)o->seeds, sizeof(*l.of));
	if (!l.of)
		return complain(EXIT_CANNOT_COUNT, "no memory");
	snprintf(l.folder, sizeof(l.folder), "%s/ipmu-seeds-XXXXXX",
		 temporary && *temporary ? temporary : "/tmp");
	again_begin();
	rc = mkdtemp(l.folder) ? count_layouts(&l) :
	     complain(EXIT_CANNOT_COUNT, "no folder for temporary files: set TMPDIR");
	if (!rc)
		rc = use_layouts(&l);
	for (int i = 0; i < o->seeds; i++) {
		layout_path(&l, i, path);
		unlink(path);
		saved_free(&l.of[i]);
	}
	rmdir(l.folder);
	again_end();
	saved_free(&l.all);
	free(l.of);
	return rc;
}
