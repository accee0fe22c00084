/* SPDX-License-Identifier: MIT */
/* Lesson 1 of docs/caches.md: a matrix product in two orders of its loops.
 *
 *   cc -O2 matrix.c -o matrix
 *   ./matrix ijk        the inner loop walks down a column of b
 *   ./matrix ikj        the inner loop walks along rows
 */
#include <stdio.h>
#include <string.h>

#define N 104

static double a[N][N], b[N][N], c[N][N];

static void multiply_ijk(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;

			for (int k = 0; k < N; k++)
				sum += a[i][k] * b[k][j];
			c[i][j] = sum;
		}
}

static void multiply_ikj(void)
{
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++) {
			double factor = a[i][k];

			for (int j = 0; j < N; j++)
				c[i][j] += factor * b[k][j];
		}
}

int main(int argc, char **argv)
{
	if (argc != 2 || (strcmp(argv[1], "ijk") && strcmp(argv[1], "ikj"))) {
		fprintf(stderr, "usage: matrix ijk|ikj\n");
		return 1;
	}
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			a[i][j] = i + j;
			b[i][j] = i - j;
		}
	if (argv[1][1] == 'j')
		multiply_ijk();
	else
		multiply_ikj();
	printf("c[1][2] = %g\n", c[1][2]);
	return 0;
}
