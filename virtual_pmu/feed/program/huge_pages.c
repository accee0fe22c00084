/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "huge_pages.h"

#define HUGE_BYTES (2ull << 20)

/* Memory that is mapped but hardly used grows by large pages: no more than a quarter of it all. */
static int64_t budget_left(void)
{
	static int64_t left = -1;

	if (__atomic_load_n(&left, __ATOMIC_RELAXED) < 0)
		__atomic_store_n(&left, sysconf(_SC_PHYS_PAGES) / 4 * sysconf(_SC_PAGESIZE),
				 __ATOMIC_RELAXED);
	return __atomic_load_n(&left, __ATOMIC_RELAXED);
}

uint64_t vpmu_hugepages_bytes(int64_t number, uint64_t bytes, uint64_t protection, uint64_t flags)
{
	const uint64_t kind = MAP_PRIVATE | MAP_ANONYMOUS;

	if (number != SYS_mmap || bytes < 2 * HUGE_BYTES || !(protection & PROT_WRITE) ||
	    (flags & (kind | MAP_GROWSDOWN | MAP_STACK)) != kind)
		return 0;
	return (int64_t)bytes < budget_left() ? bytes : 0;
}

void vpmu_hugepages_advise(void *memory, uint64_t bytes)
{
	uint64_t address = (uintptr_t)memory;
	uint64_t from = (address + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
	uint64_t to = (address + bytes) / HUGE_BYTES * HUGE_BYTES;
	int saved = errno;

	if (from < to)
		madvise((void *)(uintptr_t)from, to - from, MADV_HUGEPAGE);
	errno = saved;
}
