// SPDX-License-Identifier: MIT
/* Overwrites what a segment has behind its head: scribble SEGMENT lists|random SEED. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "machine/segment.h"

int main(int argc, char **argv)
{
	int fd = argc > 3 ? open(argv[1], O_RDWR) : -1;
	struct vpmu_segment *s;
	struct stat st;
	uint64_t x;

	if (fd < 0 || fstat(fd, &st))
		return 1;
	s = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (s == MAP_FAILED)
		return 1;
	x = strtoull(argv[3], NULL, 10) * 2654435761u + 88172645463325252u;
	/* All of the structure behind the head but the lock, which would be waited for. */
	for (uint8_t *at = (uint8_t *)&s->feeds; at < (uint8_t *)(s + 1); at += 4) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		if (!strcmp(argv[2], "random"))
			memcpy(at, &(uint32_t){ (uint32_t)(x >> 20) }, 4);
		else
			memcpy(at, &(uint32_t){ 0xfffffff0u + (uint32_t)(x & 15) }, 4);
	}
	s->undriven_told = s->violations_told = s->by_kernel_told = 0;
	s->undriven_count = s->violation_count = s->by_kernel_kept = UINT64_MAX;
	for (uint32_t i = 0; i < VPMU_THREADS_MAX; i++)
		s->threads[i].tid = 0;
	return 0;
}
