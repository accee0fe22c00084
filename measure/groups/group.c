/* SPDX-License-Identifier: MIT */
/* Reads a group from its text file (group.h has the format): group_read() and group_free().
 * Messages have the form PATH:LINE: what is wrong, and what is right there. A group that was read
 * is complete: it has all its texts and an event, and each formula names only its events and
 * `time`. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "formula.h"
#include "group.h"
#include "shown.h"

struct reader {
	struct group *g;
	const char *path;
	int line;		/* of the entry that is read */
	char *why;
};

__attribute__((format(printf, 2, 3)))
static int wrong(const struct reader *r, const char *format, ...)
{
	va_list args;
	int n = snprintf(r->why, GROUP_WHY_MAX, "%.200s:%d: ", r->path, r->line);

	va_start(args, format);
	vsnprintf(r->why + n, GROUP_WHY_MAX - (size_t)n, format, args);
	va_end(args);
	return -EINVAL;
}

static int reader_no_memory(const struct reader *r)
{
	wrong(r, "no memory");
	return -ENOMEM;
}

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text + strspn(text, " \t");
}

static bool is_id(const char *text)
{
	if (!isalpha((unsigned char)*text) && *text != '_')
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && *text != '_')
			return false;
	return true;
}

/* Makes room for one more element behind the n that there are. */
static bool grow(void **array, int n, size_t bytes)
{
	void *larger = realloc(*array, ((size_t)n + 1) * bytes);

	if (!larger)
		return false;
	*array = larger;
	memset((char *)larger + (size_t)n * bytes, 0, bytes);
	return true;
}

int group_event_find(const struct group *g, const char *id)
{
	for (int i = 0; i < g->nevents; i++)
		if (!strcmp(g->events[i].id, id))
			return i;
	return -1;
}

void group_drop_clock(struct group *g)
{
	int clock = group_clock(g);

	if (clock < 0)
		return;
	free(g->events[clock].id);
	free(g->events[clock].name);
	memmove(&g->events[clock], &g->events[clock + 1],
		(size_t)(--g->nevents - clock) * sizeof(*g->events));
}

/* The word for which values are better; without one *out stays. */
static int read_better(const struct reader *r, const char *word, enum better *out)
{
	enum better b = *word ? better_of(word) : *out;

	if (b == BETTERS)
		return wrong(r, "'%s' does not say which values are better: lower, higher or "
			     "neither", word);
	*out = b;
	return 0;
}

static int read_event(struct reader *r, const char *key, char *value)
{
	struct group *g = r->g;
	bool clock = !strcmp(key, "clock");
	char *equals = strchr(value, '='), *id = value, *name, *blank;
	enum better better = BETTER_LOWER;
	struct group_event *e;

	if (!equals)
		return wrong(r, "an event is written '%s: ID = NAME'", key);
	*equals = '\0';
	id = trim(id);
	name = trim(equals + 1);
	blank = strpbrk(id, " \t");
	if (blank) {
		*blank = '\0';
		if (read_better(r, trim(blank + 1), &better))
			return -EINVAL;
	}
	if (!is_id(id))
		return wrong(r, "'%s' is no id: letters, digits and _, no digit first", id);
	if (!strcmp(id, GROUP_TIME))
		return wrong(r, "'" GROUP_TIME "' is the time in seconds: give the event another "
			     "id");
	if (group_event_find(g, id) >= 0)
		return wrong(r, "there is an event '%s' already", id);
	if (!*name || strpbrk(name, " \t,"))
		return wrong(r, "'%s' is no name of an event: papi_native_avail lists them", name);
	if (g->nevents == GROUP_EVENTS_MAX)
		return wrong(r, "more than %d events: make several groups", GROUP_EVENTS_MAX);
	if (clock && group_clock(g) >= 0)
		return wrong(r, "there is a clock already: one is enough");
	if (!grow((void **)&g->events, g->nevents, sizeof(*g->events)))
		return reader_no_memory(r);
	e = &g->events[g->nevents++];
	*e = (struct group_event){ strdup(id), strdup(name), clock, better, r->line, -1 };
	return e->id && e->name ? 0 : reader_no_memory(r);
}

static int read_metric(struct reader *r, char *value)
{
	struct group *g = r->g;
	char *open = strchr(value, '['), *close = open ? strchr(open, ']') : NULL;
	char *equals = close ? strchr(close, '=') : NULL;
	enum better better = BETTER_NEITHER;
	struct group_metric *m;

	if (!equals)
		return wrong(r, "a metric is written 'metric: NAME [UNIT] BETTER = FORMULA', where "
			     "BETTER is lower, higher or neither");
	*open = *close = *equals = '\0';
	if (read_better(r, trim(close + 1), &better))
		return -EINVAL;
	if (g->nmetrics == GROUP_EVENTS_MAX)
		return wrong(r, "more than %d metrics: make several groups", GROUP_EVENTS_MAX);
	if (!grow((void **)&g->metrics, g->nmetrics, sizeof(*g->metrics)))
		return reader_no_memory(r);
	m = &g->metrics[g->nmetrics++];
	*m = (struct group_metric){ strdup(trim(value)), strdup(trim(open + 1)),
				    strdup(trim(equals + 1)), better, r->line, NULL, NULL,
				    false };
	if (!m->name || !m->unit || !m->formula)
		return reader_no_memory(r);
	if (!*m->name || !*m->unit || !*m->formula)
		return wrong(r, "a metric has a name, a unit (1 if there is none) and a formula");
	if (strlen(m->formula) > GROUP_FORMULA_MAX)
		return wrong(r, "a formula of more than %d characters", GROUP_FORMULA_MAX);
	return 0;
}

static int read_text(struct reader *r, const char *key, const char *value)
{
	struct group *g = r->g;
	char **text = !strcmp(key, "title") ? &g->title : !strcmp(key, "tells") ? &g->tells :
		      !strcmp(key, "misleads") ? &g->misleads : NULL;

	if (!text)
		return wrong(r, "'%s' is no key; there are title, event, clock, metric, tells and "
			     "misleads", key);
	if (*text)
		return wrong(r, "there is a '%s' already", key);
	if (!*value)
		return wrong(r, "'%s' says nothing", key);
	*text = strdup(value);
	return *text ? 0 : reader_no_memory(r);
}

static int read_entry(struct reader *r, char *entry)
{
	char *colon = strchr(entry, ':'), *value;

	if (!colon)
		return wrong(r, "a line is 'key: value', or begins with a blank and continues "
			     "the one before it");
	*colon = '\0';
	value = trim(colon + 1);
	if (!strcmp(entry, "event") || !strcmp(entry, "clock"))
		return read_event(r, entry, value);
	if (!strcmp(entry, "metric"))
		return read_metric(r, value);
	return read_text(r, entry, value);
}

/* An entry and its continuation lines, joined by blanks. There is room for the whole file. */
struct entry { char *text; size_t bytes; };

static void entry_append(struct entry *e, const char *line)
{
	size_t bytes = strlen(line);

	if (e->bytes)
		e->text[e->bytes++] = ' ';
	memcpy(e->text + e->bytes, line, bytes + 1);
	e->bytes += bytes;
}

static int read_line(struct reader *r, int number, char *line, struct entry *entry)
{
	bool more = *line == ' ' || *line == '\t';
	int rc = 0;

	line = trim(line);
	if (!*line || *line == '#')
		return 0;
	if (more && !entry->bytes) {
		r->line = number;
		return wrong(r, "the line begins with a blank and there is nothing before it");
	}
	if (!more && entry->bytes) {
		rc = read_entry(r, entry->text);
		entry->bytes = 0;
	}
	if (rc)
		return rc;
	if (!more)
		r->line = number;
	entry_append(entry, line);
	return 0;
}

/* NUL bytes and other control characters come from files that are no text. */
static int read_lines(struct reader *r, char *text, size_t bytes)
{
	struct entry entry = { malloc(bytes + 2), 0 };
	int number = 0, rc = entry.text ? 0 : reader_no_memory(r);

	while (!rc && bytes) {
		char *end = memchr(text, '\n', bytes);
		size_t line = end ? (size_t)(end - text) : bytes, taken = line + (end != NULL);

		number++;
		text[line] = '\0';
		if (shown_as_is(text, line)) {
			rc = read_line(r, number, text, &entry);
		} else {
			r->line = number;
			rc = wrong(r, "this is no text");
		}
		text += taken;
		bytes -= taken;
	}
	if (!rc && entry.bytes)
		rc = read_entry(r, entry.text);
	free(entry.text);
	return rc;
}

static int reader_read_file(struct reader *r, FILE *f)
{
	char *text = malloc(GROUP_BYTES_MAX + 2);	/* one byte too much, and a NUL */
	size_t bytes;
	int rc;

	if (!text)
		return reader_no_memory(r);
	bytes = fread(text, 1, GROUP_BYTES_MAX + 1, f);
	if (ferror(f)) {
		wrong(r, "cannot be read: %s", strerror(errno));
		rc = -EIO;
	} else if (bytes > GROUP_BYTES_MAX) {
		rc = wrong(r, "the file has more than %d bytes: a group is some lines of text",
			   GROUP_BYTES_MAX);
	} else {
		rc = read_lines(r, text, bytes);
	}
	free(text);
	return rc;
}

int group_parse(struct group *g, const struct group_metric **wrong, char why[GROUP_WHY_MAX])
{
	const char *names[GROUP_EVENTS_MAX + 1];
	int n = 0, rc;

	for (int i = 0; i < g->nevents; i++) {
		g->events[i].variable = g->events[i].clock ? -1 : n;
		if (!g->events[i].clock)
			names[n++] = g->events[i].id;
	}
	g->time = n;
	names[n++] = GROUP_TIME;
	for (int i = 0; i < g->nmetrics; i++) {
		struct group_metric *m = &g->metrics[i];

		*wrong = m;
		rc = formula_parse(m->formula, n, names, &m->parsed, why);
		m->uses = rc ? NULL : calloc((size_t)n, sizeof(*m->uses));
		if (!m->uses)
			return rc ? rc : -ENOMEM;
		for (int k = 0; k < n; k++)
			m->uses[k] = formula_uses(m->formula, names[k]);
		m->timed = m->uses[g->time];
	}
	return 0;
}

static int group_check(struct reader *r)
{
	const struct group *g = r->g;
	const char *missing = !g->title ? "title" : !g->tells ? "tells" :
			      !g->misleads ? "misleads" :
			      g->nevents - (group_clock(g) >= 0) < 1 ? "event" : NULL;
	const struct group_metric *m = NULL;
	char why[GROUP_WHY_MAX] = "no memory";
	int rc;

	if (missing)
		return wrong(r, "the file ends, and has no '%s:'", missing);
	rc = group_parse(r->g, &m, why);
	if (!rc)
		return 0;
	r->line = m->line;
	wrong(r, "formula '%s': %s; it can name %s and the events above", m->formula, why,
	      "'" GROUP_TIME "'");
	return rc;
}

/* The last two parts of the path. */
static int take_names(struct reader *r)
{
	const char *name = strrchr(r->path, '/'), *pmu = name;

	while (pmu && pmu > r->path && pmu[-1] != '/')
		pmu--;
	if (!shown_as_is(r->path, strlen(r->path)))
		return wrong(r, "control characters in its name: give the file another one");
	r->g->name = strdup(name ? name + 1 : r->path);
	r->g->pmu = pmu ? strndup(pmu, (size_t)(name - pmu)) : strdup("");
	return r->g->name && r->g->pmu ? 0 : reader_no_memory(r);
}

int group_read(FILE *f, const char *path, struct group **out, char why[GROUP_WHY_MAX])
{
	struct reader r = { calloc(1, sizeof(struct group)), path, 0, why };
	int rc = r.g ? take_names(&r) : reader_no_memory(&r);

	if (!rc)
		rc = reader_read_file(&r, f);
	if (!rc)
		rc = group_check(&r);
	if (rc)
		group_free(r.g);
	else
		*out = r.g;
	return rc;
}

void group_free(struct group *g)
{
	if (!g)
		return;
	for (int i = 0; i < g->nevents; i++) {
		free(g->events[i].id);
		free(g->events[i].name);
	}
	for (int i = 0; i < g->nmetrics; i++) {
		free(g->metrics[i].name);
		free(g->metrics[i].unit);
		free(g->metrics[i].formula);
		formula_free(g->metrics[i].parsed);
		free(g->metrics[i].uses);
	}
	free(g->events);
	free(g->metrics);
	free(g->pmu);
	free(g->name);
	free(g->title);
	free(g->tells);
	free(g->misleads);
	free(g);
}
