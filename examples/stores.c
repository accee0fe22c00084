/* SPDX-License-Identifier: MIT */
/* Lesson 3 of docs/caches.md: 32 MiB are set, by two kinds of stores.
 *
 *   cc -O2 stores.c -o stores
 *   ./stores plain      a store fetches its line first, and the line is written back later
 *   ./stores around     non-temporal stores write lines to memory, around the caches
 */
#include <emmintrin.h>
#include <stdio.h>
#include <string.h>

#define WORDS ((32 << 20) / 16)

static __m128i array[WORDS];

int main(int argc, char **argv)
{
	const __m128i value = _mm_set1_epi32(7);

	if (argc != 2 || (strcmp(argv[1], "plain") && strcmp(argv[1], "around"))) {
		fprintf(stderr, "usage: stores plain|around\n");
		return 1;
	}
	if (argv[1][0] == 'p')
		for (int i = 0; i < WORDS; i++)
			_mm_store_si128(&array[i], value);
	else
		for (int i = 0; i < WORDS; i++)
			_mm_stream_si128(&array[i], value);
	_mm_sfence();
	printf("%d\n", _mm_cvtsi128_si32(array[WORDS / 2]));
	return 0;
}
