/* SPDX-License-Identifier: MIT */
/* Comparisons of --compare (gate_open(), gate_compare(), gate_write()) and of --diff (gate_diff()).
 * A run is compared by the JSON that it would write, so the same code compares two files, or a file
 * and a run. A comparison that can be refused is refused before the program runs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "near.h"
#include "run.h"
#include "../measure/report/benchmarks.h"

#define THIS_RUN "this run"

static int no_memory(void)
{
	return complain(EXIT_CANNOT_COUNT, "no memory");
}

static int refuse_limit(const struct gate *g, const char *name)
{
	const struct saved *sides[] = { g->old, &g->new };
	struct near near;
	char text[300];

	near_begin(&near, name);
	for (int s = 0; s < 2; s++)
		for (int i = 0; i < sides[s]->n; i++)
			near_try(&near, saved_short_name(&sides[s]->items[i]),
				 saved_short_name(&sides[s]->items[i]));
	return complain(EXIT_USAGE, "--limit or --abs %s=...: no such event or metric is "
			"compared%s", name, near_text(&near, text, sizeof(text)));
}

static int judge(struct gate *g, bool begun)
{
	const char *unused = limits_unused(&g->o->limits, g->old, &g->new);

	if (unused)
		return refuse_limit(g, unused);
	comparison_free(&g->c);
	if (compare(g->old, &g->new, &g->o->limits, begun, &g->c))
		return no_memory();
	if (g->o->force)
		return 0;
	for (int i = 0; i < g->c.ndifferences; i++)
		complain(0, "%s: cannot compare %s with it: %s; make it again with -o PREFIX, or "
			 "compare with --force", g->old->path, g->new.path,
			 g->c.differences[i].text);
	return g->c.ndifferences ? EXIT_CANNOT_COUNT : 0;
}

int saved_of(const char *name, const struct report *r, struct saved *out, char why[SAVED_WHY_MAX])
{
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);
	int rc = f ? report_json(f, r) : -ENOMEM;

	*out = (struct saved){ .path = NULL };
	if (f && fclose(f))
		rc = -ENOMEM;
	if (rc)
		snprintf(why, SAVED_WHY_MAX, "no memory");
	else
		rc = saved_parse(name, text, bytes, out, why);
	free(text);
	return rc;
}

static int read_side(const char *path, struct saved *out)
{
	char why[SAVED_WHY_MAX];

	return saved_read(path, out, why) ? complain(EXIT_USAGE, "%s", why) : 0;
}

int gate_open(struct gate *g, const struct options *o)
{
	int rc = 0;

	*g = (struct gate){ .o = o, .old = o->base.path ? &o->base : &g->base };
	if (!o->base.path)
		rc = read_side(o->compare, &g->base);
	if (rc || !o->to)
		return rc;
	rc = new_file_open(&g->to, o->to, 0666);
	return rc ? complain(EXIT_USAGE, "--to: cannot write %s: %s", o->to, strerror(-rc)) : 0;
}

int gate_compare(struct gate *g, const struct report *r, bool begun)
{
	char why[SAVED_WHY_MAX];

	saved_free(&g->new);
	return saved_of(THIS_RUN, r, &g->new, why) ? complain(EXIT_CANNOT_COUNT, "%s", why) :
						     judge(g, begun);
}

static int write_as(enum format format, FILE *f, const struct comparison *c)
{
	const struct benchmark one = { saved_program_name(c->new), c, NULL, false };

	switch (format) {
	case FORMAT_BMF: return benchmarks_bmf(f, &one, 1);
	case FORMAT_GHA: return benchmarks_gha(f, &one, 1);
	case FORMAT_JSON: return compared_json(f, c);
	case FORMAT_MARKDOWN: return compared_markdown(f, c);
	default: return compared_text(f, c);
	}
}

int gate_write(struct gate *g)
{
	int rc = write_as(g->o->format, g->o->to ? g->to.f : stdout, &g->c);

	if (!rc && g->o->to)
		rc = new_file_publish(&g->to);
	if (rc && (g->o->to || !ferror(stdout)))	/* which is reported in the end */
		return complain(EXIT_CANNOT_COUNT, "cannot write %s: %s",
				g->o->to ? g->o->to : "the comparison", strerror(-rc));
	return g->c.failed ? g->o->beyond : 0;
}

void gate_close(struct gate *g)
{
	comparison_free(&g->c);
	saved_free(&g->base);
	saved_free(&g->new);
	new_file_drop(&g->to);
}

int gate_diff(const struct options *o)
{
	struct saved new;
	int rc = read_side(o->diff, &new);

	if (!rc)
		rc = gate_saved(o, &new);
	saved_free(&new);
	return rc;
}

int gate_saved(const struct options *o, struct saved *new)
{
	struct gate g;
	int rc = gate_open(&g, o);

	g.new = *new;
	*new = (struct saved){ .path = NULL };
	if (!rc)
		rc = judge(&g, false);
	if (!rc)
		rc = gate_write(&g);
	gate_close(&g);
	return rc;
}
