// SPDX-License-Identifier: MIT
/* Writes a block of 32 MiB, then makes it grow: grow none|realloc|mremap|mremap-both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BYTES ((size_t)32 << 20)

static char *block(int mapped)
{
	char *p = mapped ? mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				-1, 0)
			 : malloc(BYTES);

	for (size_t i = 0; p && p != MAP_FAILED && i < BYTES; i += 64)
		((volatile char *)p)[i] = (char)(i / 64 % 100);
	return p;
}

int main(int argc, char **argv)
{
	int mapped = argc > 1 && strstr(argv[1], "mremap");
	char *p = block(mapped), *q = p;

	if (!p || p == MAP_FAILED)
		return 2;
	if (argc > 1 && !strcmp(argv[1], "realloc"))
		q = realloc(p, 2 * BYTES);
	if (argc > 1 && !strcmp(argv[1], "mremap"))
		q = mremap(p, BYTES, 2 * BYTES, MREMAP_MAYMOVE);
	/* A neighbour with the same rights makes one mapping of both, which is moved as one. */
	if (argc > 1 && !strcmp(argv[1], "mremap-both")) {
		munmap(p + BYTES / 2, BYTES / 2);
		if (mmap(p + BYTES / 2, BYTES / 2, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
			return 2;
		q = mremap(p, BYTES, 2 * BYTES, MREMAP_MAYMOVE);
	}
	if (!q || q == MAP_FAILED) {
		perror(argv[1]);
		return 1;
	}
	return q[BYTES / 2 - 64] != (BYTES / 2 / 64 - 1) % 100;
}
