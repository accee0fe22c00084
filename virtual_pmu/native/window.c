/* SPDX-License-Identifier: MIT */
/* Mappings of the memory controller's window in a native program. native_window_map() and _unmap()
 * keep the list of those that may be written; native_window_store() makes a register write of a
 * faulting store, in the signal handler. The list has no lock, since a handler may interrupt any
 * code: an entry is taken by its length and published by its address. Registers are written under
 * the machine lock. */
#include "window.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../machine/kernel.h"
#include "../system/system.h"
#include "store.h"

#define WINDOWS_MAX 64

/* Mappings that the program may write. bytes 0: a free entry. */
static struct written_window { uint64_t at, bytes, offset; } windows[WINDOWS_MAX];

static bool add(uint64_t at, uint64_t bytes, uint64_t offset)
{
	for (uint32_t i = 0; i < WINDOWS_MAX; i++) {
		uint64_t none = 0;

		if (!__atomic_compare_exchange_n(&windows[i].bytes, &none, bytes, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		windows[i].offset = offset;
		__atomic_store_n(&windows[i].at, at, __ATOMIC_RELEASE);
		return true;
	}
	return false;
}

int64_t native_window_map(const int64_t a[6])
{
	uint64_t offset, length;
	int64_t answer;
	bool shared;
	int rc = vpmu_system_may_map(a, &offset, &length, &shared), fd;

	if (rc)
		return rc;
	fd = open(vpmu_system.path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	answer = vpmu_syscall(SYS_mmap, a[0], a[1], a[2] & ~PROT_WRITE, a[3], fd,
			      vpmu_system.segment->mmio_offset + offset);
	close(fd);
	if (answer > 0 && a[2] & PROT_WRITE && !add((uint64_t)answer, length, offset)) {
		vpmu_syscall(SYS_munmap, answer, length);
		return -ENOMEM;
	}
	return answer;
}

void native_window_unmap(uint64_t at, uint64_t bytes)
{
	for (uint32_t i = 0; i < WINDOWS_MAX; i++) {
		if (windows[i].at - at >= bytes || !windows[i].at)
			continue;
		__atomic_store_n(&windows[i].at, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&windows[i].bytes, 0, __ATOMIC_RELEASE);
	}
}

/* Returns the offset in the window; UINT64_MAX: the address is in none. */
static uint64_t offset_of(uint64_t address)
{
	for (uint32_t i = 0; i < WINDOWS_MAX; i++) {
		uint64_t at = __atomic_load_n(&windows[i].at, __ATOMIC_ACQUIRE);

		if (at && address - at < windows[i].bytes)
			return windows[i].offset + (address - at);
	}
	return UINT64_MAX;
}

bool native_window_store(uint64_t address, const uint64_t general[16], uint64_t *rip,
			 uint64_t *flags)
{
	struct vpmu_segment *s = vpmu_system.segment;
	uint64_t offset = offset_of(address), there = 0;
	struct vpmu_registers r;
	struct vpmu_decoded_store store;

	if (offset == UINT64_MAX)
		return false;
	memcpy(r.general, general, sizeof(r.general));
	memcpy(&there, (const void *)(uintptr_t)address, address % 8 ? 4 : 8);
	if (!vpmu_store_decode((const uint8_t *)(uintptr_t)*rip, &r, there, &store) ||
	    address % store.bytes) {
		dprintf(STDERR_FILENO, "vpmu: a native program wrote to the memory controller's "
			"window by an instruction other than mov, and, or, xor of 32 or 64 bits: "
			"the machine cannot take it; run it without --no-feed\n");
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
