/* SPDX-License-Identifier: MIT */
/* Arithmetic of metrics, by muparser. */
#ifndef IPMU_RUN_FORMULA_H
#define IPMU_RUN_FORMULA_H

#include <stdbool.h>

#define FORMULA_WHY_MAX 256

struct formula;

/* Parses a formula with + - * / ^, comparisons, ?: and parentheses, in which n names stand for
 * values. There are no other names: no functions, no constants, no assignment. 0 and a formula that
 * the caller frees with formula_free(); -EINVAL or -ENOMEM with the reason. */
int formula_parse(const char *text, int n, const char *const *names, struct formula **out,
		  char why[FORMULA_WHY_MAX]);
/* True: the formula has the name. */
bool formula_uses(const char *text, const char *name);
/* Computes the formula from the values of its n names. 0; -EINVAL. A division by zero is no error:
 * the value is not finite. */
int formula_value(struct formula *f, const double *values, double *out);
void formula_free(struct formula *f);

#endif
