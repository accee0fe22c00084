/* SPDX-License-Identifier: MIT */
/* Numbers as the page shows them: page_number() with a prefix of the unit, page_grouped() with all
 * digits, and page_answers(), the few numbers at the top. The tables' cells have the exact value as
 * their title. */
#include <math.h>
#include <string.h>

#include "headline.h"
#include "page.h"

#define LINE_BYTES 64		/* of a memory request */

/* Units of the group files that have a prefix already, and what they are a multiple of. */
static const struct {
	const char *unit;
	double of_base;
	const char *base;
} scaled[] = {
	{ "kB", 1e3, "B" }, { "MB", 1e6, "B" }, { "GB", 1e9, "B" },
	{ "MB/s", 1e6, "B/s" }, { "GB/s", 1e9, "B/s" }, { "B/s", 1, "B/s" }, { "B", 1, "B" },
	{ "1/s", 1, "/s" }, { "1e6/s", 1e6, "/s" }, { "1e9/s", 1e9, "/s" },
	{ "GFLOP/s", 1e9, "FLOP/s" }, { "1", 1, "" },
};

static void with_prefix(double x, const char *unit, char out[PAGE_NUMBER_MAX])
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T", "P" };
	size_t i = 0;

	for (; fabs(x) >= 999.95 && i + 1 < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		x /= 1000;
	snprintf(out, PAGE_NUMBER_MAX, "%.4g%s%s%.30s", x, i || *unit ? " " : "", prefixes[i],
		 unit);
}

void page_number(double x, const char *unit, char out[PAGE_NUMBER_MAX])
{
	for (size_t i = 0; i < sizeof(scaled) / sizeof(scaled[0]); i++)
		if (!strcmp(unit, scaled[i].unit)) {
			with_prefix(x * scaled[i].of_base, scaled[i].base, out);
			return;
		}
	snprintf(out, PAGE_NUMBER_MAX, fabs(x) < 1e5 ? "%.4g %.30s" : "%.0f %.30s", x, unit);
}

void page_grouped(FILE *f, const char *number)
{
	size_t sign = *number == '-', digits = strspn(number + sign, "0123456789");
	size_t first = sign + (digits < 5 ? digits : (digits - 1) % 3 + 1);

	fprintf(f, "%.*s", (int)first, number);
	for (number += first; digits >= 5 && *number >= '0' && *number <= '9'; number += 3)
		fprintf(f, "<span>%.3s</span>", number);
	markup_name(f, number);
}

/* ---- answers ---- */

static void answer(FILE *f, const char *what, const char *value)
{
	fputs("<div><dt>", f);
	markup_text(f, what);
	fputs("</dt><dd>", f);
	markup_text(f, value);
	fputs("</dd></div>\n", f);
}

/* The sum of a subject's events; false: there are none, or one is not known. */
static bool sum_of(const struct report *r, int subject, double *out)
{
	bool any = false;

	*out = 0;
	for (int p = 0; p < HEADLINE_PATTERNS && !any; p++)
		for (int i = 0; i < r->m->nevents; i++) {
			const char *name = r->m->events[i].name, *colons = strstr(name, ":::");
			struct value v;

			if (!headline_fits(colons ? colons + 3 : name, false, subject, p))
				continue;
			v = report_event(r, i, -1);
			*out += v.known ? v.mean : NAN;
			any = true;
		}
	return any && !isnan(*out);
}

/* The share that is worst: the largest of a metric without unit that the group calls a ratio. */
static const struct group_metric *worst_ratio(const struct report *r, double *out)
{
	const struct group_metric *worst = NULL;

	for (int i = 0; i < r->ngroups; i++) {
		const struct report_group *g = &r->groups[i];

		for (int k = 0; g->group && k < g->group->nmetrics; k++) {
			const struct group_metric *m = &g->group->metrics[k];
			struct value v = report_metric(r, g, k, NULL);

			if (!v.known || strcmp(m->unit, "1") || m->better == BETTER_HIGHER ||
			    (!strstr(m->name, "miss ratio") && !strstr(m->name, "misprediction")) ||
			    v.mean > 1 || (worst && v.mean <= *out))
				continue;
			worst = m;
			*out = v.mean;
		}
	}
	return worst;
}

void page_answers(FILE *f, const struct report *r)
{
	const struct value seconds = report_seconds(r);
	const struct group_metric *worst;
	char text[PAGE_NUMBER_MAX];
	double x;

	fputs("<dl class=\"answers\">\n", f);
	if (seconds.known) {
		snprintf(text, sizeof(text), "%.4g %s", seconds.mean < 1 ? 1e3 * seconds.mean :
			 seconds.mean, seconds.mean < 1 ? "ms" : "s");
		answer(f, r->machine->is_virtual ? "time of the machine's clock" : "time", text);
	}
	for (int s = 0; s < HEADLINE_SUBJECTS; s++) {
		if (!sum_of(r, s, &x))
			continue;
		if (!strcmp(headline_noun(s), "memory traffic"))
			page_number(x * LINE_BYTES, "B", text);
		else
			page_number(x, "1", text);
		answer(f, headline_noun(s), text);
	}
	worst = worst_ratio(r, &x);
	if (worst) {
		snprintf(text, sizeof(text), "%.3g %%", 100 * x);
		answer(f, worst->name, text);
	}
	fputs("</dl>\n", f);
}
