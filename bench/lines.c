/* SPDX-License-Identifier: MIT */
/* Kernels that go over lines of memory in order, or along pointers. Usage: lines KERNEL BYTES
 * ROUNDS. A round goes over BYTES of each array: load has one, copy two, triad three. chase follows
 * pointers through all lines of BYTES. */
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 64
#define KERNEL __attribute__((noinline, target("avx,fma")))

KERNEL static void load(double *a, size_t bytes)
{
	for (size_t i = 0; i < bytes / 8; i += 16) {
		__m256d x = _mm256_load_pd(a + i), y = _mm256_load_pd(a + i + 4);
		__m256d z = _mm256_load_pd(a + i + 8), u = _mm256_load_pd(a + i + 12);

		__asm__ volatile("" : "+x"(x), "+x"(y), "+x"(z), "+x"(u));
	}
}

KERNEL static void copy(double *a, size_t bytes)
{
	double *b = a + bytes / 8;

	for (size_t i = 0; i < bytes / 8; i += 8) {
		_mm256_store_pd(b + i, _mm256_load_pd(a + i));
		_mm256_store_pd(b + i + 4, _mm256_load_pd(a + i + 4));
		__asm__ volatile("" : : : "memory");
	}
}

KERNEL static void triad(double *a, size_t bytes)
{
	double *b = a + bytes / 8, *c = b + bytes / 8;
	__m256d s = _mm256_set1_pd(3);

	for (size_t i = 0; i < bytes / 8; i += 8) {
		_mm256_store_pd(a + i, _mm256_fmadd_pd(_mm256_load_pd(c + i), s,
						       _mm256_load_pd(b + i)));
		_mm256_store_pd(a + i + 4, _mm256_fmadd_pd(_mm256_load_pd(c + i + 4), s,
							   _mm256_load_pd(b + i + 4)));
		__asm__ volatile("" : : : "memory");
	}
}

static void link_lines(char *a, size_t bytes)
{
	size_t n = bytes / LINE, *order = malloc(n * sizeof(*order));
	uint64_t state = 0x9e3779b97f4a7c15u;

	if (!order)
		abort();
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n - 1; i > 0; i--) {
		size_t k, kept = order[i];

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		k = state % i;
		order[i] = order[k];
		order[k] = kept;
	}
	for (size_t i = 0; i < n; i++)
		*(char **)(a + order[i] * LINE) = a + order[(i + 1) % n] * LINE;
	free(order);
}

KERNEL static void chase(double *a, size_t bytes)
{
	double **p = (double **)a;

	for (size_t i = 0; i < bytes / LINE; i++)
		p = (double **)*p;
	__asm__ volatile("" : : "r"(p));
}

static const struct kernel {
	const char *name;
	void (*round)(double *a, size_t bytes);
} kernels[] = { { "load", load }, { "copy", copy }, { "triad", triad }, { "chase", chase } };

int main(int argc, char **argv)
{
	size_t bytes = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	const struct kernel *k = kernels;
	double *a;

	while (k < kernels + 4 && argc == 4 && strcmp(k->name, argv[1]) != 0)
		k++;
	if (!bytes || bytes % LINE || k == kernels + 4) {
		fputs("Usage: lines load|copy|triad|chase BYTES ROUNDS\n", stderr);
		return 2;
	}
	if (posix_memalign((void **)&a, 4096, 3 * bytes))
		return 1;
	memset(a, 0, 3 * bytes);
	link_lines((char *)a, bytes);
	for (unsigned long r = strtoul(argv[3], NULL, 10); r > 0; r--)
		k->round(a, bytes);
	return 0;
}
