/* SPDX-License-Identifier: MIT */
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

static int evaluate(muParserHandle_t parser, double *out, char why[FORMULA_WHY_MAX])
{
	double value = mupEval(parser);
	char *end;

	if (!mupError(parser)) {
		*out = value;
		return 0;
	}
	snprintf(why, FORMULA_WHY_MAX, "%s", mupGetErrorMsg(parser));
	for (end = why + strlen(why); end > why && strchr(". \n", end[-1]); end--)
		end[-1] = '\0';
	return -EINVAL;
}

/* The last formula, compiled: a report of many parts has one value of it for each. */
static struct {
	pthread_mutex_t lock;
	muParserHandle_t parser;	/* NULL: none */
	char *formula, **names;
	double *variables;
	int n;
} last = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void last_drop(void)
{
	if (last.parser)
		mupRelease(last.parser);
	for (int i = 0; last.names && i < last.n; i++)
		free(last.names[i]);
	free(last.names);
	free(last.variables);
	free(last.formula);
	last.parser = NULL;
	last.names = NULL;
	last.variables = NULL;
	last.formula = NULL;
	last.n = 0;
}

static bool last_is(const char *formula, int n, const char *const *names)
{
	if (!last.parser || last.n != n || strcmp(last.formula, formula))
		return false;
	for (int i = 0; i < n; i++)
		if (strcmp(last.names[i], names[i]))
			return false;
	return true;
}

static int last_compile(const char *formula, int n, const char *const *names)
{
	last_drop();
	last.formula = strdup(formula);
	last.names = calloc((size_t)n + 1, sizeof(*last.names));
	last.variables = calloc((size_t)n + 1, sizeof(*last.variables));
	if (!last.formula || !last.names || !last.variables)
		return -ENOMEM;
	last.n = n;
	for (int i = 0; i < n; i++) {
		last.names[i] = strdup(names[i]);
		if (!last.names[i])
			return -ENOMEM;
	}
	last.parser = mupCreate(muBASETYPE_FLOAT);
	if (!last.parser)
		return -ENOMEM;
	mupSetErrorHandler(last.parser, ignore);
	mupClearFun(last.parser);
	mupClearConst(last.parser);
	for (int i = 0; i < n; i++)
		mupDefineVar(last.parser, names[i], &last.variables[i]);
	mupSetExpr(last.parser, formula);
	return 0;
}

int formula_value(const char *formula, int n, const char *const *names, const double *values,
		  double *out, char why[FORMULA_WHY_MAX])
{
	const char *what = forbidden(formula);
	int rc;

	if (what) {
		snprintf(why, FORMULA_WHY_MAX, "%s has no place in it", what);
		return -EINVAL;
	}
	pthread_mutex_lock(&last.lock);
	rc = last_is(formula, n, names) ? 0 : last_compile(formula, n, names);
	if (!rc) {
		memcpy(last.variables, values, (size_t)n * sizeof(*values));
		rc = evaluate(last.parser, out, why);
	} else {
		snprintf(why, FORMULA_WHY_MAX, "no memory");
	}
	if (rc)
		last_drop();
	pthread_mutex_unlock(&last.lock);
	return rc;
}
