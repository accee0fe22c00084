/* SPDX-License-Identifier: MIT */
/* Writes of the memory controller's window. Its pages are mapped read-only whatever the program
 * asked for; what it writes there faults, and the handler makes the write a write of a register. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "inside.h"
#include "shim.h"
#include "../system/store.h"

NEXT_SLOT(munmap)

#define WINDOWS_MAX 64

/* Mappings that the program may write. bytes 0: a free entry. */
static struct window { uintptr_t at; size_t bytes; uint64_t offset; } windows[WINDOWS_MAX];

/* Of the window: where this address is, or UINT64_MAX. */
static uint64_t offset_of(uintptr_t address)
{
	for (uint32_t i = 0; i < WINDOWS_MAX; i++) {
		const struct window *w = &windows[i];
		uintptr_t at = __atomic_load_n(&w->at, __ATOMIC_ACQUIRE);

		if (at && address - at < w->bytes)
			return w->offset + (address - at);
	}
	return UINT64_MAX;
}

SHIM_EXPORT int munmap(void *at, size_t bytes)
{
	for (uint32_t i = 0; i < WINDOWS_MAX; i++) {
		if (windows[i].at - (uintptr_t)at >= bytes || !windows[i].at)
			continue;
		__atomic_store_n(&windows[i].at, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&windows[i].bytes, 0, __ATOMIC_RELEASE);
	}
	return NEXT(munmap)(at, bytes);
}

static struct vpmu_registers registers_of(const ucontext_t *u)
{
	static const int order[16] = {
		REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
		REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};
	struct vpmu_registers r;

	for (int i = 0; i < 16; i++)
		r.general[i] = (uint64_t)u->uc_mcontext.gregs[order[i]];
	return r;
}

static void finish(ucontext_t *u, const struct vpmu_store *store)
{
	greg_t *g = u->uc_mcontext.gregs;

	g[REG_RIP] += store->length;
	if (store->flags_set)
		g[REG_EFL] = (greg_t)(((uint64_t)g[REG_EFL] & ~VPMU_STORE_FLAGS) | store->flags);
}

static void write_register(uint64_t offset, const struct vpmu_store *store)
{
	struct vpmu_segment *s = shim_machine();
	struct shim_guard guard;

	shim_enter(s, &guard);
	vpmu_mmio_write(s, 0, (uint32_t)offset, store->value, store->bytes);
	shim_leave(s, &guard);
}

static bool on_fault(uintptr_t address, void *context)
{
	static const char text[] = "vpmu: a program wrote to the memory controller's window by an "
				   "instruction other than mov, and, or, xor of 32 or 64 bits: the "
				   "machine cannot take it\n";
	uint64_t offset = offset_of(address), there = 0;
	ucontext_t *u = context;
	struct vpmu_registers r;
	struct vpmu_store store;
	const uint8_t *code;

	if (offset == UINT64_MAX)
		return false;
	r = registers_of(u);
	code = (const uint8_t *)(uintptr_t)u->uc_mcontext.gregs[REG_RIP];
	memcpy(&there, (const void *)address, address % 8 ? 4 : 8);
	if (!vpmu_store_decode(code, &r, there, &store) || address % store.bytes) {
		shim_syscall(SYS_write, STDERR_FILENO, shim_address(text), sizeof(text) - 1, 0);
		return false;
	}
	write_register(offset, &store);
	finish(u, &store);
	return true;
}

bool shim_window_add(void *at, size_t bytes, uint64_t offset)
{
	for (uint32_t i = 0; i < WINDOWS_MAX; i++) {
		size_t none = 0;

		if (!__atomic_compare_exchange_n(&windows[i].bytes, &none, bytes, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		windows[i].offset = offset;
		__atomic_store_n(&windows[i].at, (uintptr_t)at, __ATOMIC_RELEASE);
		shim_trap_faults(on_fault);
		return true;
	}
	return false;
}
