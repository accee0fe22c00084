/* SPDX-License-Identifier: MIT */
/* Writes the functions that explain a difference, in the forms of a comparison. */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "explained.h"
#include "json_writer.h"
#include "page.h"
#include "where.h"

#define PLACE_MAX WHERE_PLACE_MAX

/* "new", "gone" or the change in per cent. */
static void change_text(const struct explained_function *f, char out[32])
{
	if (!f->has_old || !f->has_new)
		strcpy(out, f->has_new ? "new" : "gone");
	else if (f->old == 0)
		strcpy(out, "from 0");
	else
		snprintf(out, 32, "%+.4g %%", 100 * (f->new - f->old) / f->old);
}

static void place_text(const struct explained_function *f, char out[PLACE_MAX])
{
	where_place(f->file, f->line, false, out);
	if (!*out)
		snprintf(out, PLACE_MAX, "%.250s", where_file_name(f->object));
}

static void count_text(bool has, double x, char out[REPORT_NUMBER_MAX])
{
	strcpy(out, "-");
	if (has)
		report_number(x, true, out);
}

struct cells {
	char old[REPORT_NUMBER_MAX], new[REPORT_NUMBER_MAX], change[32], place[PLACE_MAX];
};

static struct cells cells_of(const struct explained_function *f)
{
	struct cells c;

	count_text(f->has_old, f->old, c.old);
	count_text(f->has_new, f->new, c.new);
	change_text(f, c.change);
	place_text(f, c.place);
	return c;
}

/* "functions that explain 98 % of the change of NAME" */
static void title(const struct explained *e, char out[REPORT_WHY_MAX])
{
	snprintf(out, REPORT_WHY_MAX, "functions that explain %.3g %% of how %.200s changed",
		 e->share, saved_short_name(e->event));
}

int explained_text(FILE *f, const struct comparison *c)
{
	struct explained list[EXPLAINED_EVENTS];
	int n = explain(c, list);

	for (int i = 0; i < n; i++) {
		char text[REPORT_WHY_MAX];

		title(&list[i], text);
		compared_line(f, "  %s", text);
		for (int k = 0; k < list[i].n; k++) {
			const struct explained_function *row = &list[i].rows[k];
			const struct cells cells = cells_of(row);

			compared_line(f, "    %-44.500s %16s %16s %12s  %s", row->function,
				      cells.old, cells.new, cells.change, cells.place);
		}
	}
	return n < 0 ? n : 0;
}

int explained_markdown(FILE *f, const struct comparison *c)
{
	struct explained list[EXPLAINED_EVENTS];
	int n = explain(c, list);

	for (int i = 0; i < n; i++) {
		char text[REPORT_WHY_MAX];

		title(&list[i], text);
		fputs("| ", f);
		compared_put_markdown(f, text);
		fputs(" | old | new | change | where |\n|---|---:|---:|---:|---|\n", f);
		for (int k = 0; k < list[i].n; k++) {
			const struct explained_function *row = &list[i].rows[k];
			const struct cells cells = cells_of(row);

			fputs("| ", f);
			compared_put_markdown(f, row->function);
			fprintf(f, " | %s | %s | %s | ", cells.old, cells.new, cells.change);
			compared_put_markdown(f, cells.place);
			fputs(" |\n", f);
		}
		fputc('\n', f);
	}
	return n < 0 ? n : 0;
}

int explained_html(FILE *f, const struct comparison *c)
{
	struct explained list[EXPLAINED_EVENTS];
	int n = explain(c, list);

	for (int i = 0; i < n; i++) {
		char text[REPORT_WHY_MAX];

		title(&list[i], text);
		fputs("<div class=\"scroll\"><table><thead><tr><th>", f);
		markup_text(f, text);
		fputs("</th><th class=\"c\">old</th><th class=\"c\">new</th><th class=\"c\">change"
		      "</th><th>where</th></tr></thead><tbody>\n", f);
		for (int k = 0; k < list[i].n; k++) {
			const struct explained_function *row = &list[i].rows[k];
			const struct cells cells = cells_of(row);

			fputs("<tr><td><code>", f);
			markup_text(f, row->function);
			fprintf(f, "</code></td><td class=\"c\">%s</td><td class=\"c\">%s</td>"
				"<td class=\"c\">%s</td><td>", cells.old, cells.new, cells.change);
			markup_text(f, cells.place);
			fputs("</td></tr>\n", f);
		}
		fputs("</tbody></table></div>\n", f);
	}
	return n < 0 ? n : 0;
}

/* ---- JSON ---- */

static struct json_object *function_object(struct json_writer *w,
					   const struct explained_function *f)
{
	struct json_object *o = json_object_begin(w);

	json_put_text(w, o, "function", f->function);
	json_put_text(w, o, "file", f->file);
	json_put_text(w, o, "object", f->object);
	if (f->line)
		json_put_int(w, o, "line", f->line);
	else
		json_put_null(w, o, "line");
	if (f->has_old)
		json_put_number(w, o, "old", f->old);
	else
		json_put_null(w, o, "old");
	if (f->has_new)
		json_put_number(w, o, "new", f->new);
	else
		json_put_null(w, o, "new");
	return o;
}

struct json_object *explained_list(struct json_writer *w, const struct comparison *c)
{
	struct json_object *all = json_array_begin(w);
	struct explained list[EXPLAINED_EVENTS];
	int n = explain(c, list);

	w->no_memory |= n < 0;
	for (int i = 0; i < n; i++) {
		struct json_object *o = json_object_begin(w), *functions = json_array_begin(w);

		json_put_text(w, o, "event", list[i].event->name);
		json_put_number(w, o, "change", list[i].change);
		json_put_number(w, o, "share_percent", list[i].share);
		for (int k = 0; k < list[i].n; k++)
			json_append(w, functions, function_object(w, &list[i].rows[k]));
		json_put(w, o, "functions", functions);
		json_append(w, all, o);
	}
	return all;
}
