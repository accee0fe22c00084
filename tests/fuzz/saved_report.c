/* SPDX-License-Identifier: MIT */
/* Reports in JSON, which a merge by hand may have changed. What is refused has a sentence and
 * leaves nothing behind. What is accepted has values that can be compared, equals itself, and is
 * written as tables without a line or cell of the file's own. */
#include "fuzz.h"
#include "../../measure/report/compare.h"
#include "../../measure/report/page.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>

static int read_text(const uint8_t *data, size_t size, struct saved *out)
{
	char why[SAVED_WHY_MAX] = "", *text = malloc(size + 1);
	int rc;

	REQUIRE(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	rc = saved_parse("here", text, size, out, why);
	REQUIRE(rc == 0 || rc == -EINVAL);
	REQUIRE(!rc == (out->root != NULL) && !rc == (out->path != NULL));
	REQUIRE(!rc || (!strncmp(why, "here: ", 6) && why[6]));
	free(text);
	return rc;
}

static void check_items(const struct saved *s)
{
	for (int i = 0; i < s->n; i++) {
		const struct saved_item *item = &s->items[i];

		REQUIRE(item->group && item->name && !item->unit == !item->formula);
		REQUIRE(strstr(item->name, saved_short_name(item)));
		REQUIRE(!item->v.known || isfinite(item->v.value));
		REQUIRE(item->v.spread >= 0);
		for (int j = 0; j < i; j++)
			REQUIRE(!saved_same_item(item, &s->items[j]));
	}
}

/* Nothing but its age and completeness can be wrong with two readings of one file. */
static void check_same(const struct comparison *c)
{
	for (int i = 0; i < c->ndifferences; i++)
		REQUIRE(!strcmp(c->differences[i].what, "age") ||
			!strcmp(c->differences[i].what, "completeness"));
	REQUIRE(c->n <= c->old->n && c->old->n == c->new->n);	/* an event of two groups */
	for (int i = 0; i < c->n; i++) {
		const struct compared *one = &c->items[i];
		const bool apart = one->old && one->rule.limit && !one->layouts &&
				   one->old->v.spread > 0;

		REQUIRE(one->old && one->new);
		REQUIRE(one->verdict == (!one->old->v.known ? VERDICT_UNKNOWN :
					 apart ? VERDICT_UNSTEADY : VERDICT_SAME));
		REQUIRE(one->failed == (one->verdict == VERDICT_UNSTEADY));
	}
}

typedef int writer(FILE *f, const struct comparison *c);

static char *written(writer *write, const struct comparison *c)
{
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	REQUIRE(f);
	REQUIRE(write(f, c) == 0);
	REQUIRE(fclose(f) == 0 && strlen(text) == bytes);
	return text;
}

static int write_html(FILE *f, const struct comparison *c)
{
	compared_html(f, c);
	return 0;
}

static int occurrences(const char *text, const char *of)
{
	int n = 0;

	while ((text = strstr(text, of)) != NULL) {
		text += strlen(of);
		n++;
	}
	return n;
}

/* Those that failed have one, and of the others each group. */
static int headings(const struct comparison *c)
{
	int n = c->failed > 0;

	for (int i = c->failed; i < c->n; i++)
		n += i == c->failed || strcmp(c->items[i].old->group, c->items[i - 1].old->group);
	return n;
}

/* A line: the head's three, one for each difference, heading and item, and the summary. */
static void check_text(const struct comparison *c)
{
	char *text = written(compared_text, c);

	REQUIRE(occurrences(text, "\n") == 4 + c->ndifferences + headings(c) + c->n);
	for (const char *p = text; *p; p++)
		REQUIRE(*p == '\n' || ((unsigned char)*p >= ' ' && *p != 0x7f));
	free(text);
}

static void check_html(const struct comparison *c)
{
	const int rows = 1 + headings(c) + c->n;
	char *text = written(write_html, c);

	REQUIRE(occurrences(text, "<tr") == rows && occurrences(text, "</tr>") == rows);
	REQUIRE(occurrences(text, "<td") == 5 * rows && occurrences(text, "</td>") == 5 * rows);
	free(text);
}

static void check_json(const struct comparison *c)
{
	char *text = written(compared_json, c);
	struct json_object *o = json_tokener_parse(text), *items = NULL;

	REQUIRE(o && json_object_object_get_ex(o, "items", &items));
	REQUIRE((int)json_object_array_length(items) == c->n);
	json_object_put(o);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct limit all = { NULL, 0, 0, NAN };
	const struct limits limits = { &all, 1 };
	struct saved old, new;
	struct comparison c;

	if (read_text(data, size, &old))
		return 0;
	REQUIRE(read_text(data, size, &new) == 0);
	check_items(&old);
	REQUIRE(compare(&old, &new, &limits, false, &c) == 0);
	check_same(&c);
	check_text(&c);
	check_html(&c);
	check_json(&c);
	free(written(compared_markdown, &c));
	free(compared_headline(&c, false));
	free(compared_headline(&c, true));
	comparison_free(&c);
	saved_free(&new);
	saved_free(&old);
	return 0;
}
