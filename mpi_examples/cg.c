/* SPDX-License-Identifier: MIT */
/* Conjugate gradients for a sparse matrix in compressed rows: cg [N [ITERATIONS]].
 *
 * The matrix is that of the five-point Laplacian on an N x N grid, its rows dealt out in blocks of
 * grid rows, one block a rank; neighbours exchange the grid row at their border. The right side is
 * the matrix times a vector of ones, so that the solution is known. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "count.h"

struct matrix {
	size_t n, rows;		/* grid's edge; unknowns of this rank */
	size_t *start;		/* rows + 1 */
	int *column;		/* into a vector that begins with the neighbour's grid row */
	double *value;
	int above, below;
};

struct vectors { double *x, *r, *p, *q; };	/* p with a border of n before and after */

static void put(struct matrix *m, size_t *k, size_t column, double value)
{
	m->column[*k] = (int)column;
	m->value[(*k)++] = value;
}

static void fill(struct matrix *m, size_t first, size_t grid_rows)
{
	size_t n = m->n, k = 0;

	for (size_t i = 0; i < m->rows; i++) {
		size_t at = i + n, y = first + i / n, x = i % n;

		m->start[i] = k;
		if (y > 0)
			put(m, &k, at - n, -1);
		if (x > 0)
			put(m, &k, at - 1, -1);
		put(m, &k, at, 4);
		if (x + 1 < n)
			put(m, &k, at + 1, -1);
		if (y + 1 < grid_rows)
			put(m, &k, at + n, -1);
	}
	m->start[m->rows] = k;
}

static int make(struct matrix *m, struct vectors *v, size_t n, int rank, int ranks)
{
	size_t share = n / (size_t)ranks, left = n % (size_t)ranks, me = (size_t)rank;
	size_t first = me * share + (me < left ? me : left);

	m->n = n;
	m->rows = (share + (me < left)) * n;
	m->above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
	m->below = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
	m->start = malloc((m->rows + 1) * sizeof(*m->start));
	m->column = malloc(m->rows * 5 * sizeof(*m->column));
	m->value = malloc(m->rows * 5 * sizeof(*m->value));
	v->x = calloc(m->rows, sizeof(double));
	v->r = calloc(m->rows, sizeof(double));
	v->q = calloc(m->rows, sizeof(double));
	v->p = calloc(m->rows + 2 * n, sizeof(double));
	if (!m->start || !m->column || !m->value || !v->x || !v->r || !v->q || !v->p)
		return -1;
	fill(m, first, n);
	return 0;
}

static void border(const struct matrix *m, double *p)
{
	int n = (int)m->n;
	double *own = p + m->n, *last = own + m->rows - m->n;

	MPI_Sendrecv(own, n, MPI_DOUBLE, m->above, 0, own + m->rows, n, MPI_DOUBLE, m->below, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(last, n, MPI_DOUBLE, m->below, 1, p, n, MPI_DOUBLE, m->above, 1,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void multiply(const struct matrix *m, double *p, double *q)
{
	border(m, p);
	for (size_t i = 0; i < m->rows; i++) {
		double sum = 0;

		for (size_t k = m->start[i]; k < m->start[i + 1]; k++)
			sum += m->value[k] * p[m->column[k]];
		q[i] = sum;
	}
}

static double dot(const double *a, const double *b, size_t n)
{
	double mine = 0, all;

	for (size_t i = 0; i < n; i++)
		mine += a[i] * b[i];
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

static double step(const struct matrix *m, const struct vectors *v, double rr)
{
	double *p = v->p + m->n, alpha, beta, next;

	multiply(m, v->p, v->q);
	alpha = rr / dot(p, v->q, m->rows);
	for (size_t i = 0; i < m->rows; i++) {
		v->x[i] += alpha * p[i];
		v->r[i] -= alpha * v->q[i];
	}
	next = dot(v->r, v->r, m->rows);
	beta = next / rr;
	for (size_t i = 0; i < m->rows; i++)
		p[i] = v->r[i] + beta * p[i];
	return next;
}

static double begin(const struct matrix *m, const struct vectors *v)
{
	for (size_t i = 0; i < m->rows; i++)
		v->p[m->n + i] = 1;
	multiply(m, v->p, v->r);	/* r = b - A * 0 */
	for (size_t i = 0; i < m->rows; i++)
		v->p[m->n + i] = v->r[i];
	return dot(v->r, v->r, m->rows);
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 300;
	int iterations = argc > 2 ? atoi(argv[2]) : 20, rank, ranks;
	struct matrix m = { 0 };
	struct vectors v = { 0 };
	double rr, first, worst = 0, error;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (n < (size_t)ranks || make(&m, &v, n, rank, ranks))
		MPI_Abort(MPI_COMM_WORLD, 1);
	count_open(MPI_COMM_WORLD);
	first = rr = begin(&m, &v);
	count_begin();
	for (int i = 0; i < iterations && rr > 1e-20 * first; i++)
		rr = step(&m, &v, rr);
	for (size_t i = 0; i < m.rows; i++)
		worst = fmax(worst, fabs(v.x[i] - 1));
	MPI_Reduce(&worst, &error, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("cg: %d ranks, %zu unknowns, at most %d iterations, residual %.3e of the "
		       "first, error %.3e\n", ranks, n * n, iterations, sqrt(rr / first), error);
	count_end();
	free(m.start);
	free(m.column);
	free(m.value);
	free(v.x);
	free(v.r);
	free(v.q);
	free(v.p);
	MPI_Finalize();
	return 0;
}
