/* SPDX-License-Identifier: MIT */
/* --suite FILE, by suite(): counts each benchmark of a file, one after the other, and shows one
 * table. A line of the file is
 *
 *	NAME: [OPTIONS] [--] PROGRAM [ARGUMENTS]
 *
 * with the options of a run and the limits of its comparison; those on the command line hold for
 * all. Words are split as a shell splits them, by blanks outside of quotes, without anything else
 * that a shell does. '#' begins a comment line. Bases are FOLDER/NAME.json. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../measure/report/benchmarks.h"
#include "run.h"

#define NAME_BYTES 100

struct bench {
	char *name, *line, **words;	/* words of line, the first one for ipmu-run */
	int nwords, number;		/* of the line */
	struct options o;
	struct saved old, new;
	struct comparison c;
	char *problem;			/* with bad: why; NULL: no memory for it */
	bool bad, is_new;
};

struct suite {
	const struct options *o;
	struct bench *of;
	int n;
	char made[PATH_MAX];	/* the folder of new bases; a temporary one without -o */
};

/* ---- the file ---- */

static int wrong(const struct suite *s, int number, const char *what)
{
	return complain(EXIT_USAGE, "%s:%d: %s", s->o->suite, number, what);
}

static bool is_name(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				"._-+");

	return n && !text[n] && n <= NAME_BYTES && *text != '.' && *text != '-';
}

/* Copies the word at *from to *to, without its quotes. False: a quote is not closed. */
static bool take_word(char **from, char **to)
{
	char quote = 0, *p = *from, *out = *to;

	for (; *p && (quote || !strchr(" \t", *p)); p++) {
		if (*p == '\\' && quote != '\'' && p[1])
			*out++ = *++p;
		else if (quote ? *p == quote : *p == '\'' || *p == '"')
			quote = quote ? 0 : *p;
		else
			*out++ = *p;
	}
	*from = *p ? p + 1 : p;
	*out++ = '\0';
	*to = out;
	return !quote;
}

/* Splits text in place. */
static int split_words(const struct suite *s, struct bench *b, char *text)
{
	static char self[] = "ipmu-run";
	char *to = text;

	b->words = calloc(strlen(text) / 2 + 3, sizeof(*b->words));
	if (!b->words)
		return complain(EXIT_CANNOT_COUNT, "no memory");
	b->words[b->nwords++] = self;
	while (*(text += strspn(text, " \t"))) {
		b->words[b->nwords++] = to;
		if (!take_word(&text, &to))
			return wrong(s, b->number, "a quotation mark is not closed");
	}
	return 0;
}

static int read_bench(struct suite *s, char *line, int number)
{
	struct bench *b = &s->of[s->n];
	char *colon = strchr(line, ':');

	if (colon)
		*colon = '\0';
	if (!colon || !is_name(line))
		return wrong(s, number, "a line is 'NAME: OPTIONS -- PROGRAM ARGUMENTS', with a "
			     "name of letters, digits, '.', '_', '-' and '+'");
	for (int i = 0; i < s->n; i++)
		if (!strcmp(s->of[i].name, line))
			return wrong(s, number, "there is a benchmark of this name already");
	*b = (struct bench){ .name = strdup(line), .line = strdup(colon + 1), .number = number };
	s->n++;
	if (!b->name || !b->line)
		return complain(EXIT_CANNOT_COUNT, "no memory");
	if (split_words(s, b, b->line))
		return EXIT_USAGE;
	if (options_parse_line(b->nwords, b->words, s->o, b->name, &b->o))
		return wrong(s, number, "the line is not as ipmu-run takes it");
	return 0;
}

static int read_suite(struct suite *s)
{
	FILE *f = fopen(s->o->suite, "re");
	char *line = NULL;
	size_t room = 0;
	ssize_t bytes;
	int rc = 0, number = 0;

	if (!f)
		return complain(EXIT_USAGE, "--suite %s: %s", s->o->suite, strerror(errno));
	while (!rc && (bytes = getline(&line, &room, f)) >= 0) {
		struct bench *more = realloc(s->of, (size_t)(s->n + 1) * sizeof(*more));
		char *text;

		number++;
		if (!more) {
			rc = complain(EXIT_CANNOT_COUNT, "no memory");
			break;
		}
		s->of = more;
		line[strcspn(line, "\r\n")] = '\0';
		text = line + strspn(line, " \t");
		if (*text && *text != '#')
			rc = read_bench(s, text, number);
	}
	if (!rc && ferror(f))
		rc = complain(EXIT_USAGE, "--suite %s: it cannot be read", s->o->suite);
	free(line);
	fclose(f);
	return rc || s->n ? rc :
	       complain(EXIT_USAGE, "--suite %s: it has no benchmark", s->o->suite);
}

/* ---- counting and comparing ---- */

__attribute__((format(printf, 2, 3)))
static void problem(struct bench *b, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (!b->bad && vasprintf(&b->problem, format, args) < 0)
		b->problem = NULL;
	b->bad = true;
	va_end(args);
}

static bool base_path(const char *folder, const struct bench *b, char out[PATH_MAX])
{
	return snprintf(out, PATH_MAX, "%s/%s.json", folder, b->name) < PATH_MAX;
}

/* status: how the counting ended; a base may have the same one of its program. */
static void compare_one(const struct suite *s, struct bench *b, const char *made, int status)
{
	char why[SAVED_WHY_MAX], path[PATH_MAX];
	const char *unused;

	if (saved_read(made, &b->new, why)) {
		problem(b, "%s", why);
		return;
	}
	b->is_new = !s->o->compare || !base_path(s->o->compare, b, path) ||
		    (access(path, F_OK) && errno == ENOENT);
	if (!b->is_new && saved_read(path, &b->old, why)) {
		problem(b, "%s", why);
		return;
	}
	if (b->is_new && status)
		problem(b, "the program ended with exit status %d", status);
	unused = limits_unused(&b->o.own, b->is_new ? &b->new : &b->old, &b->new);
	if (unused)
		problem(b, "--limit or --abs %.200s=...: no such event or metric", unused);
	else if (compare(b->is_new ? &b->new : &b->old, &b->new, &b->o.limits, false, &b->c))
		problem(b, "no memory");
	else if (b->c.ndifferences && !s->o->force && !b->is_new)
		problem(b, "%s", b->c.differences[0].text);
	else if (!b->new.complete)
		problem(b, "its counts are not complete");
}

/* True: Ctrl-C has ended it. */
static bool count_one(const struct suite *s, struct bench *b)
{
	char made[PATH_MAX];
	int status = 0;

	if (!base_path(s->made, b, made)) {
		problem(b, "the name of its base is too long");
		return false;
	}
	unlink(made);
	status = again_run(&b->o, made, b->o.seed);
	if (access(made, F_OK))
		problem(b, "it was not counted: exit status %d", status);
	else
		compare_one(s, b, made, status);
	return status == AGAIN_STOPPED;
}

static int count_all(struct suite *s)
{
	for (int i = 0; i < s->n; i++)
		if (count_one(s, &s->of[i]))
			return AGAIN_STOPPED;
	return 0;
}

/* A limit by name that no benchmark has is a mistake. */
static int check_limits(const struct suite *s)
{
	for (int l = 0; l < s->o->limits.n; l++) {
		const struct limits one = { &s->o->limits.of[l], 1 };
		bool used = false;

		for (int i = 0; i < s->n && !used; i++)
			used = !s->of[i].new.path ||
			       !limits_unused(&one, &s->of[i].new, &s->of[i].new);
		if (!used)
			return complain(EXIT_USAGE, "--limit or --abs %s=...: no such event or "
					"metric is counted", one.of->name);
	}
	return 0;
}

/* ---- the table ---- */

static int write_table(FILE *f, const struct suite *s, const struct benchmark *b)
{
	switch (s->o->format) {
	case FORMAT_JSON: return benchmarks_json(f, s->o->suite, b, s->n);
	case FORMAT_MARKDOWN: return benchmarks_markdown(f, s->o->suite, b, s->n);
	case FORMAT_BMF: return benchmarks_bmf(f, b, s->n);
	case FORMAT_GHA: return benchmarks_gha(f, b, s->n);
	default: return benchmarks_text(f, s->o->suite, b, s->n);
	}
}

static int show_table(const struct suite *s, struct new_file *to)
{
	struct benchmark *b = calloc((size_t)s->n + 1, sizeof(*b));
	int rc = b ? 0 : -ENOMEM, status;

	for (int i = 0; b && i < s->n; i++)
		b[i] = (struct benchmark){ s->of[i].name, s->of[i].bad ? NULL : &s->of[i].c,
					   s->of[i].problem ? s->of[i].problem :
					   s->of[i].bad ? "no memory" : NULL, s->of[i].is_new };
	if (!rc)
		rc = write_table(to->f ? to->f : stdout, s, b);
	if (!rc && to->f)
		rc = new_file_publish(to);
	status = !b || benchmarks_problems(b, s->n) ? EXIT_CANNOT_COUNT :
		 benchmarks_failed(b, s->n) ? s->o->beyond : 0;
	free(b);
	if (rc && (s->o->to || !ferror(stdout)))
		return complain(EXIT_CANNOT_COUNT, "cannot write the table: %s", strerror(-rc));
	return status;
}

/* ---- the whole ---- */

/* Without -o the bases are needed for the comparison alone. */
static int make_folder(struct suite *s)
{
	const char *temporary = getenv("TMPDIR");

	if (s->o->output) {
		if (snprintf(s->made, PATH_MAX, "%s", s->o->output) >= PATH_MAX)
			return complain(EXIT_USAGE, "-o: the name is too long");
		return !mkdir(s->made, 0777) || errno == EEXIST ? 0 :
		       complain(EXIT_USAGE, "-o %s: %s", s->made, strerror(errno));
	}
	if (snprintf(s->made, PATH_MAX, "%s/ipmu-suite-XXXXXX", temporary && *temporary ?
		     temporary : "/tmp") >= PATH_MAX || !mkdtemp(s->made))
		return complain(EXIT_CANNOT_COUNT, "no folder for temporary files: set TMPDIR");
	return 0;
}

static void remove_folder(const struct suite *s)
{
	char path[PATH_MAX];

	for (int i = 0; i < s->n && !s->o->output; i++)
		if (base_path(s->made, &s->of[i], path))
			unlink(path);
	if (!s->o->output)
		rmdir(s->made);
}

static void suite_free(struct suite *s)
{
	for (int i = 0; i < s->n; i++) {
		struct bench *b = &s->of[i];

		comparison_free(&b->c);
		saved_free(&b->old);
		saved_free(&b->new);
		options_free(&b->o);
		free(b->problem);
		free(b->words);
		free(b->line);
		free(b->name);
	}
	free(s->of);
}

int suite(const struct options *o)
{
	struct suite s = { .o = o };
	struct new_file to = { .f = NULL };
	int rc = read_suite(&s), open;

	if (!rc && o->to && (open = new_file_open(&to, o->to, 0666)))
		rc = complain(EXIT_USAGE, "--to: cannot write %s: %s", o->to, strerror(-open));
	again_begin();
	if (!rc)
		rc = make_folder(&s);
	if (!rc) {
		rc = count_all(&s);
		if (!rc)
			rc = check_limits(&s);
		if (!rc)
			rc = show_table(&s, &to);
		remove_folder(&s);
	}
	again_end();
	new_file_drop(&to);
	suite_free(&s);
	return rc;
}
