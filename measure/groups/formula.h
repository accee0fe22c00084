/* SPDX-License-Identifier: MIT */
/* Arithmetic of metrics, by muparser. */
#ifndef IPMU_RUN_FORMULA_H
#define IPMU_RUN_FORMULA_H

#define FORMULA_WHY_MAX 256

/* The value of a formula with + - * / ^, comparisons, ?: and parentheses, in which n names stand
 * for values. It knows no other names: no functions, no constants, no assignment. 0; -EINVAL with
 * the reason; -ENOMEM. A division by zero is no error: the value is not finite. */
int formula_value(const char *formula, int n, const char *const *names, const double *values,
		  double *out, char why[FORMULA_WHY_MAX]);

#endif
