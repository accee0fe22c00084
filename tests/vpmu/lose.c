// SPDX-License-Identifier: MIT
/* Loads a line while the machine's lock is its parent's. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "segment.h"

/* The lock is the parent's while a line is loaded that no cache has; all else was used before. */
int main(void)
{
	struct vpmu_segment *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED,
				      open(getenv("VPMU_SEGMENT"), O_RDWR), 0);
	volatile char *lines = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t owner[] = { 0, 0, (uint32_t)getppid() };
	uint64_t before = 0;

	if (s == MAP_FAILED || lines == MAP_FAILED)
		return 1;
	for (int i = 0; i < 3; i++) {
		before = s->lost_count;
		__atomic_store_n(&s->lock.owner, owner[i], __ATOMIC_SEQ_CST);
		lines[i * 8192];
		__atomic_store_n(&s->lock.owner, 0, __ATOMIC_SEQ_CST);
	}
	printf("%llu before, %llu lost\n", (unsigned long long)before,
	       (unsigned long long)(s->lost_count - before));
	return 0;
}
