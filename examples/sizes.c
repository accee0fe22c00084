/* SPDX-License-Identifier: MIT */
/* Lesson 4 of docs/caches.md: a list of lines, each of which names the next, is followed a million
 * times.
 *
 *   cc -O2 sizes.c -o sizes
 *   ./sizes 16          a list of 16 KiB
 */
#include <stdio.h>
#include <stdlib.h>

#define STEPS 1048576

struct line {
	_Alignas(64) struct line *next;
};

/* The next line is STRIDE lines further, round the list: no two neighbours follow one another. */
#define STRIDE 37

int main(int argc, char **argv)
{
	size_t kib = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	size_t n = kib * 1024 / sizeof(struct line);
	struct line *list, *at;

	if (kib < 1 || kib > 1 << 20 || n % STRIDE == 0) {
		fprintf(stderr, "usage: sizes KIB, from 1 to 1048576 and no multiple of 37\n");
		return 1;
	}
	list = aligned_alloc(sizeof(*list), n * sizeof(*list));
	if (!list) {
		fprintf(stderr, "no memory\n");
		return 1;
	}
	for (size_t i = 0; i < n; i++)
		list[i].next = &list[(i + STRIDE) % n];
	at = list;
	for (int i = 0; i < STEPS; i++)
		at = at->next;
	printf("ended at line %zu\n", (size_t)(at - list));
	free(list);
	return 0;
}
