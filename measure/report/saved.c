/* SPDX-License-Identifier: MIT */
/* Reads a report's JSON: saved_read() from a file, saved_parse() from memory. Nothing in the file
 * is trusted: it may be cut, merged by hand or another program's. The first fault ends the reading,
 * and its sentence names the object, such as groups[1].events[0].value. All items are read, but of
 * each only what a comparison needs: parts and timelines are ignored. */
#include "saved.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <json-c/json_visit.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

#define BYTES_MAX (256u << 20)
#define ITEMS_MAX 8192
#define WHERE_MAX 96

struct reading {
	struct saved *s;
	char *why;
};

__attribute__((format(printf, 3, 4)))
static int fault(const struct reading *r, const char *where, const char *format, ...)
{
	va_list args;
	int n = snprintf(r->why, SAVED_WHY_MAX, "%.200s: cannot read %s: ", r->s->path, where);

	va_start(args, format);
	vsnprintf(r->why + n, SAVED_WHY_MAX - (size_t)n, format, args);
	va_end(args);
	return -EINVAL;
}

/* ---- values ---- */

/* Integers beyond 64 bits are json-c's largest. */
static int read_number(const struct reading *r, const char *where, struct json_object *o,
		       double *out)
{
	bool is_int = json_object_is_type(o, json_type_int);
	int64_t whole = is_int ? json_object_get_int64(o) : 0;

	if (!is_int && !json_object_is_type(o, json_type_double))
		return fault(r, where, "it is no number");
	*out = is_int ? (double)whole : json_object_get_double(o);
	return isfinite(*out) && whole != INT64_MAX && whole != INT64_MIN ? 0 :
	       fault(r, where, "the number is too large, or none");
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void summarize(double *runs, size_t n, struct saved_value *v)
{
	double width;

	qsort(runs, n, sizeof(*runs), by_size);
	width = runs[n - 1] - runs[0];
	v->known = true;
	/* The sum of two large ones may be none. */
	v->value = n % 2 ? runs[n / 2] : runs[n / 2 - 1] / 2 + runs[n / 2] / 2;
	v->spread = width == 0 ? 0 : v->value != 0 ? 100 * width / fabs(v->value) : HUGE_VAL;
}

static int read_runs(const struct reading *r, const char *where, struct json_object *list,
		     struct saved_value *v)
{
	size_t n = json_object_array_length(list);
	double *runs = calloc(n, sizeof(*runs));
	int rc = runs ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !rc; i++)
		rc = read_number(r, where, json_object_array_get_idx(list, i), &runs[i]);
	if (!rc)
		summarize(runs, n, v);
	free(runs);
	return rc;
}

static int read_value(const struct reading *r, const char *where, struct json_object *o,
		      struct saved_value *v)
{
	struct json_object *value, *values;
	char place[WHERE_MAX];
	int rc;

	*v = (struct saved_value){ .known = false };
	snprintf(place, sizeof(place), "%.80s.value", where);
	if (!json_object_object_get_ex(o, "value", &value))
		return fault(r, place, "it is missing");
	if (!value)
		return 0;
	rc = read_number(r, place, value, &v->value);
	v->known = !rc;
	if (rc || !json_object_object_get_ex(o, "values", &values))
		return rc;
	snprintf(place, sizeof(place), "%.80s.values", where);
	if (!json_object_is_type(values, json_type_array))
		return fault(r, place, "it is no list");
	return json_object_array_length(values) ? read_runs(r, place, values, v) : 0;
}

/* ---- items ---- */

static int read_text(const struct reading *r, const char *where, struct json_object *o,
		     const char *key, const char **out)
{
	struct json_object *text;
	char place[WHERE_MAX];

	snprintf(place, sizeof(place), "%.80s.%s", where, key);
	if (!json_object_object_get_ex(o, key, &text) ||
	    !json_object_is_type(text, json_type_string))
		return fault(r, place, "it is no text");
	*out = json_object_get_string(text);
	return 0;
}

const char *saved_short_name(const struct saved_item *item)
{
	const char *colons = item->unit ? NULL : strstr(item->name, ":::");

	return colons ? colons + 3 : item->name;
}

/* A part of a name: PMU, event, unit mask or qualifier. The manual's spelling has dots. */
static const char *name_part(const char *at, size_t *length)
{
	at += strspn(at, ".:");
	*length = strcspn(at, ".:");
	return at;
}

static int count_part(const char *name, const char *part, size_t length)
{
	size_t n;
	int count = 0;

	for (name = name_part(name, &n); n; name = name_part(name + n, &n))
		count += n == length && !strncasecmp(name, part, n);
	return count;
}

/* Both names begin with the same part, and have the same others in any order. */
static bool same_parts(const char *a, const char *b)
{
	size_t n, k;
	const char *part = name_part(a, &n);

	b = name_part(b, &k);
	if (n != k || strncasecmp(part, b, n) != 0)
		return false;
	for (; n; part = name_part(part + n, &n))
		if (count_part(a, part, n) != count_part(b, part, n))
			return false;
	for (part = b; k; part = name_part(part + k, &k))
		if (count_part(a, part, k) != count_part(b, part, k))
			return false;
	return true;
}

static const char *without_component(const char *name)
{
	const char *colons = strstr(name, ":::");

	return colons ? colons + 3 : name;
}

/* A PMU's name stands before a dot or two colons. Without one, the name itself. */
static const char *without_pmu(const char *name)
{
	size_t n;
	const char *end = name_part(name, &n) + n;

	return *end == '.' || !strncmp(end, "::", 2) ? end : name;
}

bool saved_same_event(const char *a, const char *b)
{
	a = without_component(a);
	b = without_component(b);
	return same_parts(a, b) || same_parts(without_pmu(a), b) || same_parts(a, without_pmu(b));
}

bool saved_same_item(const struct saved_item *a, const struct saved_item *b)
{
	return !strcmp(a->group, b->group) && !strcmp(a->name, b->name) && !a->unit == !b->unit;
}

const char *saved_event_of(const struct saved_item *metric, const char *text, size_t bytes)
{
	struct json_object *name = NULL;
	char *id = strndup(text, bytes);

	if (id && json_object_is_type(metric->ids, json_type_object))
		json_object_object_get_ex(metric->ids, id, &name);
	free(id);
	return json_object_is_type(name, json_type_string) ? json_object_get_string(name) : NULL;
}

static bool is_twice(const struct saved *s, const struct saved_item *item)
{
	for (int i = 0; i < s->n; i++)
		if (saved_same_item(&s->items[i], item))
			return true;
	return false;
}

static int add_item(const struct reading *r, const char *where, const struct saved_item *item)
{
	struct saved *s = r->s;
	struct saved_item *more;

	if (is_twice(s, item))
		return fault(r, where, "%.200s is there twice", item->name);
	if (s->n == ITEMS_MAX)
		return fault(r, where, "more than %d events and metrics", ITEMS_MAX);
	more = realloc(s->items, (size_t)(s->n + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->items = more;
	s->items[s->n] = *item;
	s->items[s->n].group = strdup(item->group);
	return s->items[s->n++].group ? 0 : -ENOMEM;
}

/* Reports of before have no such member; of events fewer are better. */
static enum better read_better(struct json_object *o, bool is_metric)
{
	struct json_object *word = NULL;
	enum better b = BETTERS;

	json_object_object_get_ex(o, "better", &word);
	if (json_object_is_type(word, json_type_string))
		b = better_of(json_object_get_string(word));
	return b != BETTERS || is_metric ? b : BETTER_LOWER;
}

static int read_item(const struct reading *r, const char *where, struct json_object *o,
		     char *group, bool is_metric)
{
	struct saved_item item = { .group = group };
	int rc = json_object_is_type(o, json_type_object) ? 0 : fault(r, where, "it is no object");

	if (!rc)
		rc = read_text(r, where, o, "name", &item.name);
	if (!rc && is_metric)
		rc = read_text(r, where, o, "unit", &item.unit);
	if (!rc && is_metric)
		rc = read_text(r, where, o, "formula", &item.formula);
	if (!rc) {
		item.better = read_better(o, is_metric);
		rc = read_value(r, where, o, &item.v);
	}
	return rc ? rc : add_item(r, where, &item);
}

static int read_list(const struct reading *r, const char *where, struct json_object *o,
		     const char *key, char *group)
{
	struct json_object *list;
	char place[WHERE_MAX];
	int rc = 0;

	snprintf(place, sizeof(place), "%.40s.%s", where, key);
	if (!json_object_object_get_ex(o, key, &list) ||
	    !json_object_is_type(list, json_type_array))
		return fault(r, place, "it is no list");
	for (size_t i = 0; i < json_object_array_length(list) && !rc; i++) {
		snprintf(place, sizeof(place), "%.40s.%s[%zu]", where, key, i);
		rc = read_item(r, place, json_object_array_get_idx(list, i), group,
			       !strcmp(key, "metrics"));
	}
	return rc;
}

static int read_group(const struct reading *r, size_t number, struct json_object *o)
{
	struct json_object *pmu = NULL, *name = NULL, *ids = NULL;
	char where[WHERE_MAX], *group = NULL;
	int rc = 0, first;

	snprintf(where, sizeof(where), "groups[%zu]", number);
	if (!json_object_object_get_ex(o, "pmu", &pmu) ||
	    !json_object_object_get_ex(o, "name", &name) || !pmu != !name)
		return fault(r, where, "it has no pmu and name");
	if (asprintf(&group, "%s%s%s", pmu ? json_object_get_string(pmu) : "", pmu ? "/" : "",
		     name ? json_object_get_string(name) : "") < 0)
		return -ENOMEM;
	rc = read_list(r, where, o, "events", group);
	first = r->s->n;
	if (!rc)
		rc = read_list(r, where, o, "metrics", group);
	json_object_object_get_ex(o, "ids", &ids);
	for (int i = first; i < r->s->n; i++)
		r->s->items[i].ids = ids;
	free(group);
	return rc;
}

/* ---- the file ---- */

static int count_member(json_object *o, int flags, json_object *parent, const char *key,
			size_t *index, void *arg)
{
	(void)o;
	(void)parent;
	(void)index;
	if (key && !(flags & JSON_C_VISIT_SECOND))
		++*(size_t *)arg;
	return JSON_C_VISIT_RETURN_CONTINUE;
}

/* json-c keeps the last of several members of one name, which a merge by hand may have left: the
 * text then has more colons outside of strings than the objects have members. */
static bool has_twins(const char *text, size_t bytes, struct json_object *root)
{
	size_t members = 0, colons = 0;
	bool quoted = false;

	for (size_t i = 0; i < bytes; i++) {
		if (quoted && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			quoted = !quoted;
		else if (!quoted && text[i] == ':')
			colons++;
	}
	json_c_visit(root, 0, count_member, &members);
	return colons != members;
}

static int read_json(const struct reading *r, const char *text, size_t bytes)
{
	struct json_tokener *t = json_tokener_new();
	enum json_tokener_error error;
	size_t end;

	if (!t)
		return -ENOMEM;
	json_tokener_set_flags(t, JSON_TOKENER_STRICT);
	r->s->root = json_tokener_parse_ex(t, text, (int)bytes + 1);	/* a number needs an end */
	error = json_tokener_get_error(t);
	end = json_tokener_get_parse_end(t);
	json_tokener_free(t);
	if (error == json_tokener_continue || error == json_tokener_error_parse_eof)
		return fault(r, "it", "the JSON ends too early: the file is cut");
	if (error != json_tokener_success)
		return fault(r, "it", "no JSON at byte %zu: %s", end,
			     json_tokener_error_desc(error));
	if (end + strspn(text + end, " \t\r\n") < bytes)
		return fault(r, "it", "something stands behind the JSON, at byte %zu", end);
	return has_twins(text, bytes, r->s->root) ?
	       fault(r, "it", "an object has two members of the same name") : 0;
}

static int read_report(const struct reading *r)
{
	struct json_object *groups = NULL, *o = NULL;
	int rc = 0;

	if (json_object_object_get_ex(r->s->root, "schema", &o) &&
	    json_object_get_int(o) != REPORT_SCHEMA)
		return fault(r, "schema", "%.20s, but this ipmu-run knows %d: use a newer one",
			     o ? json_object_get_string(o) : "null", REPORT_SCHEMA);
	if (!json_object_object_get_ex(r->s->root, "command", NULL) ||
	    !json_object_object_get_ex(r->s->root, "groups", &groups) ||
	    !json_object_is_type(groups, json_type_array))
		return fault(r, "groups", "the file is no report of ipmu-run; 'ipmu-run -o PREFIX' "
			     "writes PREFIX.json");
	for (size_t i = 0; i < json_object_array_length(groups) && !rc; i++)
		rc = read_group(r, i, json_object_array_get_idx(groups, i));
	json_object_object_get_ex(r->s->root, "complete", &o);
	r->s->complete = o && json_object_get_boolean(o);
	if (json_object_object_get_ex(r->s->root, "runs", &o))
		r->s->runs = json_object_get_int(o);
	return rc;
}

int saved_parse(const char *path, const char *text, size_t bytes, struct saved *out,
		char why[SAVED_WHY_MAX])
{
	struct reading r = { out, why };
	int rc;

	*out = (struct saved){ .path = strdup(path) };
	rc = out->path ? 0 : -ENOMEM;
	if (!rc && bytes > BYTES_MAX)
		rc = fault(&r, "it", "more than %u MiB", BYTES_MAX >> 20);
	if (!rc)
		rc = read_json(&r, text, bytes);
	if (!rc)
		rc = read_report(&r);
	if (rc == -ENOMEM)
		snprintf(why, SAVED_WHY_MAX, "no memory");
	if (rc)
		saved_free(out);
	return rc;
}

/* from: NULL: it could not be opened, with the reason in errno. */
static int read_stream(const char *path, FILE *from, struct saved *out, char why[SAVED_WHY_MAX])
{
	char *text = NULL, buffer[65536];
	size_t bytes = 0, n;
	int rc = from ? 0 : -errno;
	FILE *to;

	*out = (struct saved){ .path = NULL };
	to = rc ? NULL : open_memstream(&text, &bytes);
	while (to && ftell(to) <= (long)BYTES_MAX && (n = fread(buffer, 1, sizeof(buffer), from)))
		fwrite(buffer, 1, n, to);
	if (!rc && ferror(from))
		rc = errno ? -errno : -EIO;
	if (!rc && (!to || fclose(to)))
		rc = -ENOMEM;
	else if (to && rc)
		fclose(to);
	if (from)
		fclose(from);
	if (rc)
		snprintf(why, SAVED_WHY_MAX, "%.200s: cannot read it: %s", path, strerror(-rc));
	else
		rc = saved_parse(path, text, bytes, out, why);
	free(text);
	return rc;
}

int saved_read(const char *path, struct saved *out, char why[SAVED_WHY_MAX])
{
	return read_stream(path, fopen(path, "re"), out, why);
}

int saved_read_own(const char *path, struct saved *out, char why[SAVED_WHY_MAX])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	const char *wrong = NULL;
	struct stat st;

	if (fd < 0 && (errno == ELOOP || errno == ENXIO))
		wrong = "it is no regular file";
	else if (fd >= 0 && fstat(fd, &st))
		wrong = strerror(errno);
	else if (fd >= 0 && !S_ISREG(st.st_mode))
		wrong = "it is no regular file";
	else if (fd >= 0 && st.st_uid != geteuid())
		wrong = "it belongs to another user";
	if (!wrong)
		return read_stream(path, fd < 0 ? NULL : fdopen(fd, "r"), out, why);
	if (fd >= 0)
		close(fd);
	*out = (struct saved){ .path = NULL };
	snprintf(why, SAVED_WHY_MAX, "%.200s: cannot read it: %s", path, wrong);
	return -EPERM;
}

void saved_free(struct saved *s)
{
	for (int i = 0; i < s->n; i++)
		free(s->items[i].group);
	free(s->items);
	free(s->path);
	json_object_put(s->root);
	*s = (struct saved){ .path = NULL };
}

/* ---- members ---- */

bool saved_has(const struct saved *s, const char *key)
{
	return json_object_object_get_ex(s->root, key, NULL);
}

const char *saved_member(const struct saved *s, const char *key)
{
	struct json_object *o = NULL;

	json_object_object_get_ex(s->root, key, &o);
	return o ? json_object_is_type(o, json_type_string) ? json_object_get_string(o) :
	       json_object_to_json_string_ext(o, JSON_C_TO_STRING_NOSLASHESCAPE) : "";
}

const char *saved_stream(const struct saved *s, const char *name)
{
	struct json_object *streams = NULL, *o = NULL;

	json_object_object_get_ex(s->root, "streams", &streams);
	if (json_object_is_type(streams, json_type_object))
		json_object_object_get_ex(streams, name, &o);
	return json_object_is_type(o, json_type_string) ? json_object_get_string(o) : "";
}

bool saved_equal(const struct saved *a, const struct saved *b, const char *key)
{
	struct json_object *x = NULL, *y = NULL;

	json_object_object_get_ex(a->root, key, &x);
	json_object_object_get_ex(b->root, key, &y);
	return json_object_equal(x, y);
}

static struct json_object *program_of(const struct saved *s)
{
	struct json_object *o = NULL;

	json_object_object_get_ex(s->root, "program", &o);
	return json_object_is_type(o, json_type_array) ? o : NULL;
}

static size_t program_words(const struct saved *s)
{
	struct json_object *o = program_of(s);

	return o ? json_object_array_length(o) : 0;
}

const char *saved_program_name(const struct saved *s)
{
	const char *name = saved_member(s, "name"), *path, *slash;

	if (*name || !program_words(s))
		return name;
	path = json_object_get_string(json_object_array_get_idx(program_of(s), 0));
	slash = path ? strrchr(path, '/') : NULL;
	return slash ? slash + 1 : path ? path : "";
}

bool saved_same_program(const struct saved *a, const struct saved *b)
{
	if (program_words(a) != program_words(b) ||
	    strcmp(saved_program_name(a), saved_program_name(b)))
		return false;
	for (size_t i = 1; i < program_words(a); i++)
		if (!json_object_equal(json_object_array_get_idx(program_of(a), i),
				       json_object_array_get_idx(program_of(b), i)))
			return false;
	return true;
}
