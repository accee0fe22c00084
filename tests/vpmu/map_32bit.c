// SPDX-License-Identifier: MIT
/* Maps memory with MAP_32BIT and without. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define COUNT 64
#define BYTES 100000
#define LIMIT 0x80000000u

static char *map(void *hint, int flags)
{
	char *at = mmap(hint, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags,
			-1, 0);

	return at == MAP_FAILED ? NULL : at;
}

int main(void)
{
	char *kept[COUNT], *other = map(NULL, 0), *fixed = map(NULL, 0);
	int wrong = !other || (uintptr_t)other < LIMIT;

	for (int i = 0; i < COUNT; i++) {
		kept[i] = map(NULL, MAP_32BIT);
		if (!kept[i] || (uintptr_t)kept[i] + BYTES > LIMIT)
			return 2;
		memset(kept[i], i, BYTES);
	}
	for (int i = 0; i < COUNT; i++)
		wrong += kept[i][0] != i || kept[i][BYTES - 1] != i;
	wrong += map(fixed, MAP_FIXED | MAP_32BIT) != fixed;
	return wrong != 0;
}
