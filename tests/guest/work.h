/* SPDX-License-Identifier: MIT */
/* Pieces of known work: triad:N (three arrays of N doubles, written before), loop:N (N times two
 * instructions, one of them a branch). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct work { double *arrays[3]; long triads, loops; };

static inline void work_prepare(const struct work *w)
{
	for (int i = 0; i < 3 && w->triads; i++)
		memset(w->arrays[i], 1, (size_t)w->triads * sizeof(double));
}

static inline struct work work_of(const char *text)
{
	struct work w = { .triads = strncmp(text, "triad:", 6) ? 0 : atol(text + 6) };

	for (int i = 0; i < 3 && w.triads; i++) {
		w.arrays[i] = aligned_alloc(4096, (size_t)w.triads * sizeof(double));
		if (!w.arrays[i])
			exit(1);
	}
	work_prepare(&w);
	w.loops = strncmp(text, "loop:", 5) ? 0 : atol(text + 5);
	if (w.triads + w.loops < 1) {
		fprintf(stderr, "no work: %s\n", text);
		exit(2);
	}
	return w;
}

static inline void work_do(const struct work *w)
{
	long n = w->loops;

	for (long i = 0; i < w->triads; i++)
		w->arrays[0][i] = w->arrays[1][i] + 3.0 * w->arrays[2][i];
	if (n)
		__asm__ volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(n));
}
