/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <muParserDLL.h>
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

int formula_value(const char *formula, int n, const char *const *names, const double *values,
		  double *out, char why[FORMULA_WHY_MAX])
{
	const char *what = forbidden(formula);
	muParserHandle_t parser;
	double *variables;
	int rc;

	if (what) {
		snprintf(why, FORMULA_WHY_MAX, "%s has no place in it", what);
		return -EINVAL;
	}
	variables = calloc((size_t)n + 1, sizeof(*variables));
	parser = variables ? mupCreate(muBASETYPE_FLOAT) : NULL;
	if (!parser) {
		snprintf(why, FORMULA_WHY_MAX, "no memory");
		free(variables);
		return -ENOMEM;
	}
	mupSetErrorHandler(parser, ignore);
	mupClearFun(parser);
	mupClearConst(parser);
	for (int i = 0; i < n; i++) {
		variables[i] = values[i];
		mupDefineVar(parser, names[i], &variables[i]);
	}
	mupSetExpr(parser, formula);
	rc = evaluate(parser, out, why);
	mupRelease(parser);
	free(variables);
	return rc;
}
