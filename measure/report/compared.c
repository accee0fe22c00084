/* SPDX-License-Identifier: MIT */
/* Writes a comparison: compared_text(), compared_json(), compared_markdown(), and compared_html()
 * for a section of the page. All but JSON have the same cells, from cells_of(). Names come from
 * files and may be anybody's, so each form escapes them. */
#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "explained.h"
#include "headline.h"
#include "json_writer.h"
#include "page.h"

#define CELL_MAX 96
#define SIGNS "In a limit + is for what is worse and - for what is better."

static const char *const verdicts[] = {
	[VERDICT_SAME] = "same", [VERDICT_CHANGED] = "changed", [VERDICT_WITHIN] = "within",
	[VERDICT_IMPROVED] = "improved", [VERDICT_SMALL] = "small", [VERDICT_NEW] = "new",
	[VERDICT_FOUND] = "found", [VERDICT_UNKNOWN] = "unknown", [VERDICT_BEYOND] = "beyond",
	[VERDICT_UNSTEADY] = "unsteady", [VERDICT_MISSING] = "missing", [VERDICT_LOST] = "lost",
};

/* ---- cells ---- */

struct cells {
	const char *name;
	char old[CELL_MAX], new[CELL_MAX], change[CELL_MAX], verdict[CELL_MAX];
};

/* on_page: with the prefix of its unit that people read, as all of the page. */
static void value_cell(const struct saved_item *i, bool on_page, char out[CELL_MAX])
{
	char number[REPORT_NUMBER_MAX];

	if (!i || !i->v.known) {
		strcpy(out, "-");
		return;
	}
	if (on_page && i->unit) {
		page_number(i->v.value, i->unit, out);
		return;
	}
	report_number(i->v.value, !i->unit, number);
	snprintf(out, CELL_MAX, "%s%s%.40s", number, i->unit && strcmp(i->unit, "1") ? " " : "",
		 i->unit && strcmp(i->unit, "1") ? i->unit : "");
}

/* False: it has no change in per cent. */
static bool change_of(const struct compared *c, double *percent)
{
	if (!c->old || !c->new || !c->old->v.known || !c->new->v.known)
		return false;
	*percent = c->new->v.value - c->old->v.value;
	if (*percent != 0 && c->old->v.value == 0)
		return false;
	if (*percent != 0)
		*percent *= 100 / fabs(c->old->v.value);
	return true;
}

static void limit_cell(const struct limit *l, char out[CELL_MAX])
{
	if (l->worse == l->better)
		snprintf(out, CELL_MAX, " %.4g%%", l->worse);
	else if (isnan(l->better))
		snprintf(out, CELL_MAX, " +%.4g%%", l->worse);
	else if (isnan(l->worse))
		snprintf(out, CELL_MAX, " -%.4g%%", l->better);
	else
		snprintf(out, CELL_MAX, " +%.4g%% -%.4g%%", l->worse, l->better);
}

/* Whether the change is for the worse; "" where it is neither, or too small to matter. */
static const char *way_of(const struct compared *c)
{
	double percent;

	if (c->rule.better == BETTER_NEITHER || !change_of(c, &percent) || percent == 0 ||
	    (c->verdict != VERDICT_BEYOND && c->verdict != VERDICT_CHANGED))
		return "";
	return (percent > 0) == (c->rule.better == BETTER_LOWER) ? ", worse" : ", better";
}

static struct cells cells_of(const struct compared *c, bool on_page)
{
	struct cells cells = { .name = saved_short_name(c->old ? c->old : c->new) };
	char limit[CELL_MAX] = "";
	double percent;

	value_cell(c->old, on_page, cells.old);
	value_cell(c->new, on_page, cells.new);
	if (!change_of(c, &percent))
		strcpy(cells.change, "-");
	else
		snprintf(cells.change, CELL_MAX, percent == 0 ? "0 %%" : "%+.4g %%", percent);
	if (c->rule.limit && c->verdict != VERDICT_SAME)
		limit_cell(c->rule.limit, limit);
	snprintf(cells.verdict, CELL_MAX, "%s%.40s%s", verdicts[c->verdict], limit, way_of(c));
	if (c->layouts && c->old && c->new && c->old->v.known && c->new->v.known)
		snprintf(cells.verdict, CELL_MAX, "%s%.40s%s; layouts differ by %.3g%%, %.3g%%",
			 verdicts[c->verdict], limit, way_of(c), c->old->v.spread,
			 c->new->v.spread);
	if (c->verdict == VERDICT_UNSTEADY)
		snprintf(cells.verdict, CELL_MAX, "unsteady%.30s: runs differ by %.3g%%, %.3g%%",
			 limit, c->old->v.spread, c->new->v.spread);
	return cells;
}

/* The heading of the rows that failed, or the name of a group, where it begins. NULL: the item has
 * the heading of the one before. */
static const char *heading(const struct comparison *c, int i)
{
	const struct compared *one = &c->items[i], *before = i ? one - 1 : NULL;
	const char *group = (one->old ? one->old : one->new)->group;

	if (one->failed)
		return before ? NULL : "failed";
	if (before && !before->failed &&
	    !strcmp((before->old ? before->old : before->new)->group, group))
		return NULL;
	return *group ? group : "events";
}

/* A base has no date and no host. */
static void origin(const struct saved *s, char out[CELL_MAX * 2])
{
	const char *date = saved_member(s, "date"), *host = saved_member(s, "host"),
		   *version = saved_member(s, "ipmu_version");

	snprintf(out, CELL_MAX * 2, "%.40s%s%.65s%sipmu-run %.20s, %s%d %s%s", date,
		 *date ? ", " : "", host, *host ? ", " : "", *version ? version : "?",
		 s->runs > 1 ? "medians of " : "", s->runs, *saved_member(s, "seeds") ? "layout" :
		 "run", s->runs == 1 ? "" : "s");
}

static void summary(const struct comparison *c, char out[CELL_MAX])
{
	int limited = 0;

	for (int i = 0; i < c->n; i++)
		limited += c->items[i].rule.limit != NULL;
	if (limited)
		snprintf(out, CELL_MAX, "%d of %d with a limit failed", c->failed, limited);
	else
		strcpy(out, "no limits: nothing can fail");
}

/* ---- text ---- */

/* The name of --name, or the command. */
static const char *title(const struct comparison *c)
{
	const char *name = saved_member(c->new, "name");

	return *name ? name : saved_member(c->new, "command");
}

char *compared_headline(const struct comparison *c, bool counts)
{
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	if (!f)
		return NULL;
	if (counts)
		headline_write_counts(f, c);
	else
		headline_write(f, c);
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}

static void put_heading(FILE *f, const char *text)
{
	compared_line(f, "  %-46s %16s %16s %12s", text, "old", "new", "change");
}

static void put_item(FILE *f, const struct compared *item)
{
	const struct cells cells = cells_of(item, false);

	compared_line(f, "    %-44s %16s %16s %12s  %s%s", cells.name, cells.old, cells.new,
		      cells.change, item->failed ? "FAILED: " : "", cells.verdict);
}

void compared_failed_text(FILE *f, const char *heading, const struct comparison *c)
{
	put_heading(f, heading);
	for (int i = 0; i < c->failed; i++)
		put_item(f, &c->items[i]);
}

int compared_text(FILE *f, const struct comparison *c)
{
	const struct saved *sides[] = { c->old, c->new };
	char line[CELL_MAX * 2], *headline = compared_headline(c, false);

	if (!headline)
		return -ENOMEM;
	compared_line(f, "ipmu-run: %s: %s", title(c), headline);
	free(headline);
	if (explained_text(f, c))
		return -ENOMEM;
	for (int i = 0; i < 2; i++) {
		origin(sides[i], line);
		compared_line(f, "  %s: %s", sides[i]->path, line);
	}
	for (int i = 0; i < c->ndifferences; i++)
		compared_line(f, "  compared by force: %s", c->differences[i].text);
	for (int i = 0; i < c->n; i++) {
		const char *group = heading(c, i);

		if (group)
			put_heading(f, group);
		put_item(f, &c->items[i]);
	}
	for (int i = 0; i < c->nnotes; i++)
		compared_line(f, "  note: %s", c->notes[i]);
	summary(c, line);
	compared_line(f, "  %s", line);
	return report_flush(f);
}

/* ---- tables ---- */

#define COLUMNS 5

struct compared_table {
	bool on_page;	/* numbers have the prefixes that people read */
	/* Anybody's text, without marks; as the name of an event, and as a number. */
	void (*put)(FILE *f, const char *text), (*put_name)(FILE *f, const char *name),
	     (*put_number)(FILE *f, const char *number);
	const char *row, *failed_row;			/* before a row's cells */
	const char *before[COLUMNS], *end;		/* of a row's cells */
	const char *strong, *weak;			/* around what is to be seen first */
	const char *below_head;
};

static const struct compared_table markdown = {
	false, compared_put_markdown, compared_put_markdown, compared_put_markdown, "| ", "| ",
	{ "", " | ", " | ", " | ", " | " }, " |\n", "**", "**", "|---|---:|---:|---:|---|\n",
};


#define NUMBER_CELL "</td><td class=\"c\">"
static const struct compared_table html = {
	true, markup_text, markup_name, page_grouped, "<tr>", "<tr class=\"failed\">",
	{ "<td>", NUMBER_CELL, NUMBER_CELL, NUMBER_CELL, "</td><td>" },
	"</td></tr>\n", "<strong>", "</strong>", "",
};

/* strong: a column, -1: none. */
static void put_row(FILE *f, const struct compared_table *t, const char *const texts[COLUMNS],
		    int strong)
{
	fputs(strong == COLUMNS - 1 ? t->failed_row : t->row, f);
	for (int i = 0; i < COLUMNS; i++) {
		fprintf(f, "%s%s", t->before[i], i == strong ? t->strong : "");
		(i == 0 ? t->put_name : i < 4 && *texts[i] ? t->put_number : t->put)(f, texts[i]);
		fputs(i == strong ? t->weak : "", f);
	}
	fputs(t->end, f);
}

static void put_head(FILE *f, const struct compared_table *t, const char *old, const char *new)
{
	put_row(f, t, (const char *[]){ "", old, new, "change", "verdict" }, -1);
	fputs(t->below_head, f);
}

static void put_cells(FILE *f, const struct compared_table *t, const struct compared *item)
{
	const struct cells cells = cells_of(item, t->on_page);

	put_row(f, t, (const char *[]){ cells.name, cells.old, cells.new, cells.change,
					cells.verdict }, item->failed ? 4 : -1);
}

static void put_table(FILE *f, const struct compared_table *t, const struct comparison *c)
{
	put_head(f, t, c->old->path, c->new->path);
	for (int i = 0; i < c->n; i++) {
		const char *group = heading(c, i);

		if (group)
			put_row(f, t, (const char *[]){ group, "", "", "", "" }, 0);
		put_cells(f, t, &c->items[i]);
	}
}

void compared_failed_markdown(FILE *f, const struct comparison *c)
{
	put_head(f, &markdown, "old", "new");
	for (int i = 0; i < c->failed; i++)
		put_cells(f, &markdown, &c->items[i]);
}

int compared_markdown(FILE *f, const struct comparison *c)
{
	const struct saved *sides[] = { c->old, c->new };
	char line[CELL_MAX * 2], *headline = compared_headline(c, false);

	if (!headline)
		return -ENOMEM;
	fputs("### ", f);
	compared_put_markdown(f, title(c));
	fputs(": ", f);
	compared_put_markdown(f, headline);
	free(headline);
	summary(c, line);
	fprintf(f, "\n\n%s.\n\n", line);
	if (explained_markdown(f, c))
		return -ENOMEM;
	put_table(f, &markdown, c);
	for (int i = 0; i < c->ndifferences; i++) {
		fputs("\n- compared by force: ", f);
		compared_put_markdown(f, c->differences[i].text);
	}
	for (int i = 0; i < c->nnotes; i++) {
		fputs("\n- note: ", f);
		compared_put_markdown(f, c->notes[i]);
	}
	for (int i = 0; i < 2; i++) {
		origin(sides[i], line);
		fputs("\n- ", f);
		compared_put_markdown(f, sides[i]->path);
		fputs(": ", f);
		compared_put_markdown(f, line);
	}
	fputc('\n', f);
	return report_flush(f);
}

void compared_html(FILE *f, const struct comparison *c)
{
	char line[CELL_MAX], *headline = compared_headline(c, false);

	summary(c, line);
	fputs("<section>\n<h2>Compared</h2>\n<p><strong>", f);
	markup_text(f, headline ? headline : "");
	free(headline);
	fputs("</strong></p>\n", f);
	if (explained_html(f, c))	/* the rest of the page is as good */
		fputs("<p class=\"warn\">No functions are compared: no memory.</p>\n", f);
	fprintf(f, "<p>%s. " SIGNS "</p>\n"
		"<table class=\"compared\"><tbody>\n", line);
	put_table(f, &html, c);
	fputs("</tbody></table>\n", f);
	for (int i = 0; i < c->nnotes; i++) {
		fputs("<p>Note: ", f);
		markup_text(f, c->notes[i]);
		fputs(".</p>\n", f);
	}
	fputs("</section>\n", f);
}

/* ---- JSON ---- */

static void put_number(struct json_writer *w, struct json_object *o, const char *key, bool known,
		       double x)
{
	if (known && isfinite(x))
		json_put_number(w, o, key, x);
	else
		json_put_null(w, o, key);
}

static void put_side(struct json_writer *w, struct json_object *o, const char *key,
		     const char *spread, const struct saved_item *i)
{
	put_number(w, o, key, i && i->v.known, i ? i->v.value : 0);
	put_number(w, o, spread, i && i->v.known, i ? i->v.spread : 0);
}

static struct json_object *item_object(struct json_writer *w, const struct compared *c)
{
	const struct saved_item *any = c->old ? c->old : c->new;
	const struct limit *limit = c->rule.limit;
	struct json_object *o = json_object_begin(w);
	double percent = 0;
	bool known = change_of(c, &percent);

	json_put_text(w, o, "group", any->group);
	json_put_text(w, o, "kind", any->unit ? "metric" : "event");
	json_put_text(w, o, "name", any->name);
	json_put_text(w, o, "unit", any->unit);
	json_put_text(w, o, "better", better_word(c->rule.better));
	put_side(w, o, "old", "old_spread_percent", c->old);
	put_side(w, o, "new", "new_spread_percent", c->new);
	put_number(w, o, "change_percent", known, percent);
	put_number(w, o, "limit_worse_percent", limit, limit ? limit->worse : 0);
	put_number(w, o, "limit_better_percent", limit, limit ? limit->better : 0);
	put_number(w, o, "small", c->rule.small > 0, c->rule.small);
	json_put_text(w, o, "verdict", verdicts[c->verdict]);
	json_put_bool(w, o, "failed", c->failed);
	return o;
}

struct json_object *compared_object(struct json_writer *w, const struct comparison *c)
{
	char *headline = compared_headline(c, false);
	struct json_object *o = json_object_begin(w), *items = json_array_begin(w),
			   *differences = json_array_begin(w), *notes = json_array_begin(w);

	json_put_text(w, o, "old", c->old->path);
	json_put_text(w, o, "new", c->new->path);
	json_put_text(w, o, "command", saved_member(c->new, "command"));
	json_put_text(w, o, "headline", headline ? headline : "");
	free(headline);
	json_put(w, o, "explained", explained_list(w, c));
	json_put_int(w, o, "failed", c->failed);
	for (int i = 0; i < c->ndifferences; i++)
		json_append_text(w, differences, c->differences[i].text);
	json_put(w, o, "differences", differences);
	for (int i = 0; i < c->nnotes; i++)
		json_append_text(w, notes, c->notes[i]);
	json_put(w, o, "notes", notes);
	for (int i = 0; i < c->n; i++)
		json_append(w, items, item_object(w, &c->items[i]));
	json_put(w, o, "items", items);
	return o;
}

int compared_json(FILE *f, const struct comparison *c)
{
	struct json_writer w = { .no_memory = false };

	return json_print(&w, compared_object(&w, c), JSON_C_TO_STRING_PRETTY |
			  JSON_C_TO_STRING_NOSLASHESCAPE, f);
}
