/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <muParserDLL.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formula.h"

/* muparser throws where no handler is set. */
static void ignore(muParserHandle_t parser)
{
	(void)parser;
}

/* muparser can assign to a variable, and returns the last of several values with commas between. */
static const char *forbidden(const char *formula)
{
	for (const char *p = formula; *p; p++) {
		if (*p == ',')
			return "a comma";
		if (*p == '"')
			return "a quotation mark";
		if (*p != '=')
			continue;
		if (p[1] == '=')
			p++;
		else if (p == formula || !strchr("<>!", p[-1]))
			return "an assignment";
	}
	return NULL;
}

/* muparser reads the variables where they are. */
struct formula {
	pthread_mutex_t lock;		/* of the values and of muparser's state */
	muParserHandle_t parser;
	int n;
	double *values;
};

static int evaluate(struct formula *f, double *out)
{
	double value = mupEval(f->parser);

	if (mupError(f->parser))
		return -EINVAL;
	*out = value;
	return 0;
}

static void error_text(const struct formula *f, char why[FORMULA_WHY_MAX])
{
	char *end;

	snprintf(why, FORMULA_WHY_MAX, "%s", mupGetErrorMsg(f->parser));
	for (end = why + strlen(why); end > why && strchr(". \n", end[-1]); end--)
		end[-1] = '\0';
}

static struct formula *formula_new(const char *text, int n, const char *const *names)
{
	struct formula *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	pthread_mutex_init(&f->lock, NULL);
	f->n = n;
	f->values = calloc((size_t)n + 1, sizeof(*f->values));
	f->parser = mupCreate(muBASETYPE_FLOAT);
	if (!f->values || !f->parser) {
		formula_free(f);
		return NULL;
	}
	mupSetErrorHandler(f->parser, ignore);
	mupClearFun(f->parser);
	mupClearConst(f->parser);
	for (int i = 0; i < n; i++)
		mupDefineVar(f->parser, names[i], &f->values[i]);
	mupSetExpr(f->parser, text);
	return f;
}

int formula_parse(const char *text, int n, const char *const *names, struct formula **out,
		  char why[FORMULA_WHY_MAX])
{
	const char *what = forbidden(text);
	struct formula *f;
	double value;

	if (what) {
		snprintf(why, FORMULA_WHY_MAX, "%s has no place in it", what);
		return -EINVAL;
	}
	f = formula_new(text, n, names);
	if (!f) {
		snprintf(why, FORMULA_WHY_MAX, "no memory");
		return -ENOMEM;
	}
	for (int i = 0; i < n; i++)
		f->values[i] = 1;
	if (evaluate(f, &value)) {	/* muparser parses at the first evaluation */
		error_text(f, why);
		formula_free(f);
		return -EINVAL;
	}
	*out = f;
	return 0;
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* muparser's own list of variables takes a parse for each of them. */
bool formula_uses(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = text; (p = strstr(p, name)) != NULL; p++)
		if ((p == text || !in_word(p[-1])) && !in_word(p[n]))
			return true;
	return false;
}

int formula_value(struct formula *f, const double *values, double *out)
{
	int rc;

	pthread_mutex_lock(&f->lock);
	memcpy(f->values, values, (size_t)f->n * sizeof(*values));
	rc = evaluate(f, out);
	pthread_mutex_unlock(&f->lock);
	return rc;
}

void formula_free(struct formula *f)
{
	if (!f)
		return;
	if (f->parser)
		mupRelease(f->parser);
	free(f->values);
	pthread_mutex_destroy(&f->lock);
	free(f);
}
