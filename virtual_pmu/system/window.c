/* SPDX-License-Identifier: MIT */
/* The memory controller's window, which programs map from /dev/mem: the segment's pages, read-only
 * whatever the program asked for. A store faults, and becomes a write of a register. */
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store.h"

#define WINDOWS_MAX 64

/* Mappings that the program may write. bytes 0: a free entry. */
static struct window { uint64_t at, bytes, offset; } windows[WINDOWS_MAX];

/* The mapping that the calling thread is about to make. */
static _Thread_local struct { int fd; bool writes; uint64_t offset; } making = { .fd = -1 };

static int may_map(const int64_t a[6])
{
	if (a[2] & ~(PROT_READ | PROT_WRITE))
		return -EPERM;
	if (!(a[2] & PROT_WRITE))
		return 0;
	if (!vpmu_mmio_writable(vpmu_system.segment) || (a[3] & MAP_TYPE) == MAP_PRIVATE)
		return -EPERM;
	return (fcntl((int)a[4], F_GETFL) & O_ACCMODE) == O_RDWR ? 0 : -EACCES;
}

bool vpmu_system_map(int64_t a[6], int64_t *answer)
{
	struct vpmu_segment *s = vpmu_system.segment;
	uint64_t base, bytes, offset = (uint64_t)a[5];
	int rc = may_map(a);

	vpmu_mmio_window(s, &base, &bytes);
	if (!rc && (offset < base || (uint64_t)a[1] > bytes ||
		    offset - base > bytes - (uint64_t)a[1]))
		rc = -EPERM;
	making.fd = rc ? -1 : open(vpmu_system.path, O_RDONLY | O_CLOEXEC);
	*answer = rc ? rc : -errno;
	if (making.fd < 0)
		return false;
	making.writes = a[2] & PROT_WRITE;
	making.offset = offset - base;
	a[2] &= ~PROT_WRITE;
	a[4] = making.fd;
	a[5] = (int64_t)(s->mmio_offset + making.offset);
	return true;
}

void vpmu_system_mapped(const int64_t a[6], int64_t answer)
{
	if (making.fd < 0)
		return;
	close(making.fd);
	making.fd = -1;
	for (uint32_t i = 0; answer > 0 && making.writes && i < WINDOWS_MAX; i++) {
		struct window *w = &windows[i];
		uint64_t none = 0;

		if (!__atomic_compare_exchange_n(&w->bytes, &none, (uint64_t)a[1], false,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		w->offset = making.offset;
		__atomic_store_n(&w->at, (uint64_t)answer, __ATOMIC_RELEASE);
		return;
	}
}

void vpmu_system_unmap(uint64_t at, uint64_t bytes)
{
	for (uint32_t i = 0; i < WINDOWS_MAX; i++) {
		if (windows[i].at - at >= bytes || !windows[i].at)
			continue;
		__atomic_store_n(&windows[i].at, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&windows[i].bytes, 0, __ATOMIC_RELEASE);
	}
}

/* Gives the offset in the window; UINT64_MAX: the address is in none. */
static uint64_t offset_of(uint64_t address)
{
	for (uint32_t i = 0; i < WINDOWS_MAX; i++) {
		uint64_t at = __atomic_load_n(&windows[i].at, __ATOMIC_ACQUIRE);

		if (at && address - at < windows[i].bytes)
			return windows[i].offset + (address - at);
	}
	return UINT64_MAX;
}

bool vpmu_system_fault(uint64_t address, uint64_t general[16], uint64_t *rip, uint64_t *flags)
{
	struct vpmu_segment *s = vpmu_system.segment;
	uint64_t offset = offset_of(address), there = 0;
	const void *at, *code;
	struct vpmu_registers r;
	struct vpmu_store store;

	if (offset == UINT64_MAX)
		return false;
	memcpy(r.general, general, sizeof(r.general));
	code = vpmu_system.memory->memory(*rip, 15, false);
	at = vpmu_system.memory->memory(address, 8, false);
	if (at)
		memcpy(&there, at, address % 8 ? 4 : 8);
	if (!code || !at || !vpmu_store_decode(code, &r, there, &store) ||
	    address % store.bytes) {
		dprintf(STDERR_FILENO, "vpmu: a program wrote to the memory controller's window by "
			"an instruction other than mov, and, or, xor of 32 or 64 bits: the "
			"machine cannot take it\n");
		return false;
	}
	vpmu_lock(s);
	vpmu_mmio_write(s, vpmu_system_cpu(), (uint32_t)offset, store.value, store.bytes);
	vpmu_unlock(s);
	*rip += store.length;
	if (store.flags_set)
		*flags = (*flags & ~VPMU_STORE_FLAGS) | store.flags;
	return true;
}
