/* SPDX-License-Identifier: MIT */
/* Several comparisons in one table: benchmarks_text(), benchmarks_markdown() and benchmarks_json(),
 * a row for each benchmark, and behind them the rows of events that failed. benchmarks_bmf() and
 * benchmarks_gha() have the new counts alone. Names are anybody's, so each form escapes them. */
#include <ctype.h>
#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks.h"
#include "headline.h"
#include "json_writer.h"
#include "report.h"

#define SLUG_MAX 128

int benchmarks_problems(const struct benchmark *b, int n)
{
	int problems = 0;

	for (int i = 0; i < n; i++)
		problems += b[i].c == NULL;
	return problems;
}

int benchmarks_failed(const struct benchmark *b, int n)
{
	int failed = 0;

	for (int i = 0; i < n; i++)
		failed += b[i].c && b[i].c->failed;
	return failed;
}

static const char *verdict_of(const struct benchmark *b)
{
	return !b->c ? "error" : b->c->failed ? "FAILED" : b->is_new ? "new" : "passed";
}

/* The headline; of a new one the counts, and of a problem its sentence. NULL: no memory. */
static char *line_of(const struct benchmark *b)
{
	return !b->c ? strdup(b->problem) : compared_headline(b->c, b->is_new);
}

static void put_sum(char out[SLUG_MAX], const struct benchmark *b, int n)
{
	int failed = benchmarks_failed(b, n), problems = benchmarks_problems(b, n), used;

	used = snprintf(out, SLUG_MAX, "%d of %d benchmarks failed", failed, n);
	if (problems)
		snprintf(out + used, SLUG_MAX - (size_t)used, ", %d could not be compared",
			 problems);
}

/* ---- tables ---- */

int benchmarks_text(FILE *f, const char *what, const struct benchmark *b, int n)
{
	char sum[SLUG_MAX];

	put_sum(sum, b, n);
	compared_line(f, "ipmu-run: %.200s: %s", what, sum);
	for (int i = 0; i < n; i++) {
		char *line = line_of(&b[i]);

		if (!line)
			return -ENOMEM;
		compared_line(f, "  %-20.200s %-6s  %s", b[i].name, verdict_of(&b[i]), line);
		free(line);
	}
	for (int i = 0; i < n; i++)
		if (b[i].c && b[i].c->failed) {
			fputc('\n', f);
			compared_failed_text(f, b[i].name, b[i].c);
		}
	return report_flush(f);
}

int benchmarks_markdown(FILE *f, const char *what, const struct benchmark *b, int n)
{
	char sum[SLUG_MAX];

	put_sum(sum, b, n);
	fprintf(f, "### %s: ", sum);
	compared_put_markdown(f, what);
	fputs("\n\n| benchmark | verdict | change |\n|---|---|---|\n", f);
	for (int i = 0; i < n; i++) {
		const char *mark = !b[i].c || b[i].c->failed ? "**" : "";
		char *line = line_of(&b[i]);

		if (!line)
			return -ENOMEM;
		fputs("| ", f);
		compared_put_markdown(f, b[i].name);
		fprintf(f, " | %s%s%s | ", mark, verdict_of(&b[i]), mark);
		compared_put_markdown(f, line);
		fputs(" |\n", f);
		free(line);
	}
	for (int i = 0; i < n; i++)
		if (b[i].c && b[i].c->failed) {
			fputs("\n<details><summary>", f);
			compared_put_markdown(f, b[i].name);
			fputs("</summary>\n\n", f);
			compared_failed_markdown(f, b[i].c);
			fputs("\n</details>\n", f);
		}
	return report_flush(f);
}

int benchmarks_json(FILE *f, const char *what, const struct benchmark *b, int n)
{
	struct json_writer w = { .no_memory = false };
	struct json_object *o = json_object_begin(&w), *list = json_array_begin(&w);

	json_put_text(&w, o, "suite", what);
	json_put_int(&w, o, "failed", benchmarks_failed(b, n));
	json_put_int(&w, o, "problems", benchmarks_problems(b, n));
	for (int i = 0; i < n; i++) {
		struct json_object *one = json_object_begin(&w);

		json_put_text(&w, one, "name", b[i].name);
		json_put_text(&w, one, "verdict", verdict_of(&b[i]));
		json_put_text(&w, one, "problem", b[i].problem);
		if (b[i].c)
			json_put(&w, one, "comparison", compared_object(&w, b[i].c));
		json_append(&w, list, one);
	}
	json_put(&w, o, "benchmarks", list);
	return json_print(&w, o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE, f);
}

/* ---- histories ---- */

/* Puts one count of a benchmark into a history. */
typedef void put_count(struct json_writer *w, struct json_object *to, const struct benchmark *b,
		       const char *noun, double value);

static void each_count(struct json_writer *w, struct json_object *to, const struct benchmark *b,
		       put_count *put)
{
	int told = 0;

	for (int s = 0; s < HEADLINE_SUBJECTS; s++) {
		double old, new;

		if (!headline_values(b->c, s, &old, &new) || isnan(new))
			continue;
		put(w, to, b, headline_noun(s), new);
		told++;
	}
	for (int i = 0; !told && i < b->c->n; i++) {
		const struct saved_item *item = b->c->items[i].new;

		if (item && !item->unit && item->v.known)
			put(w, to, b, saved_short_name(item), item->v.value);
	}
}

/* Bencher's measures have names of letters, digits and '-'. */
static void put_bmf(struct json_writer *w, struct json_object *to, const struct benchmark *b,
		    const char *noun, double value)
{
	struct json_object *o = json_object_begin(w);
	char slug[SLUG_MAX];
	size_t n = 0;

	(void)b;
	for (; noun[n] && n + 1 < sizeof(slug); n++)
		slug[n] = isalnum((unsigned char)noun[n]) ?
			  (char)tolower((unsigned char)noun[n]) : '-';
	slug[n] = '\0';
	json_put_number(w, o, "value", value);
	json_put(w, to, slug, o);
}

int benchmarks_bmf(FILE *f, const struct benchmark *b, int n)
{
	struct json_writer w = { .no_memory = false };
	struct json_object *o = json_object_begin(&w);

	for (int i = 0; i < n; i++) {
		struct json_object *one = b[i].c ? json_object_begin(&w) : NULL;

		if (!b[i].c)
			continue;
		each_count(&w, one, &b[i], put_bmf);
		json_put(&w, o, b[i].name, one);
	}
	return json_print(&w, o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE, f);
}

static void put_gha(struct json_writer *w, struct json_object *to, const struct benchmark *b,
		    const char *noun, double value)
{
	struct json_object *o = json_object_begin(w);
	char *name;

	if (asprintf(&name, "%s: %s", b->name, noun) < 0) {
		w->no_memory = true;
		name = NULL;
	}
	json_put_text(w, o, "name", name);
	json_put_text(w, o, "unit", "count");
	json_put_number(w, o, "value", value);
	json_append(w, to, o);
	free(name);
}

int benchmarks_gha(FILE *f, const struct benchmark *b, int n)
{
	struct json_writer w = { .no_memory = false };
	struct json_object *list = json_array_begin(&w);

	for (int i = 0; i < n; i++)
		if (b[i].c)
			each_count(&w, list, &b[i], put_gha);
	return json_print(&w, list, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE, f);
}
