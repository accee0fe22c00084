// SPDX-License-Identifier: MIT
/* The source that compilers of the survey get. */
#include <stdio.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	static double v[500];
	unsigned seed = 1;
	double sum = 0;

	for (int i = 0; i < 500; i++) {
		seed = seed * 1103515245u + 12345u;
		v[i] = seed / 65536 % 32768 / 7.0;
	}
	qsort(v, 500, sizeof(v[0]), by_value);
	for (int i = 0; i < 500; i++)
		sum += v[i] * i;
	printf("%.6f %.6f %.6f\n", v[0], v[499], sum);
	return 3;
}
