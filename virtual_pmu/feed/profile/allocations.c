/* SPDX-License-Identifier: MIT */
#include "allocations.h"

static void allocation_free(uint64_t address)
{
	if (address)
		vpmu_objects_free(address);
}

void vpmu_allocation_enters(struct vpmu_follower *f, enum vpmu_allocator kind, uint64_t sp)
{
	struct vpmu_allocating *a = &f->allocating;

	if (a->kind && a->sp > sp)
		return;		/* inside of another one, which has not returned */
	a->kind = kind;
	a->sp = sp;
	for (uint32_t i = 0; i < 3; i++)
		a->argument[i] = vpmu_follow_host.argument(i);
	a->by.count = vpmu_calls_chain(&f->calls, a->by.note, VPMU_CHAIN_MAX);
	if (kind == VPMU_FREE)
		allocation_free(a->argument[0]);
}

static uint64_t allocated_bytes(const struct vpmu_allocating *a)
{
	switch (a->kind) {
	case VPMU_MALLOC:
		return a->argument[0];
	case VPMU_CALLOC:
		return a->argument[0] * a->argument[1];
	case VPMU_REALLOC: case VPMU_ALIGNED:
		return a->argument[1];
	case VPMU_REALLOC_ARRAY:
		return a->argument[1] * a->argument[2];
	case VPMU_ALIGNED_TO:
		return a->argument[2];
	default:
		return 0;
	}
}

static uint64_t allocated_block(const struct vpmu_allocating *a)
{
	const uint64_t *at;

	if (a->kind != VPMU_ALIGNED_TO)
		return vpmu_follow_host.result();
	at = vpmu_follow_host.memory(a->argument[0], sizeof(*at), false);
	return at && !(uint32_t)vpmu_follow_host.result() ? *at : 0;
}

/* A return of another function, which has called this one: an exception has left this one. */
void vpmu_allocation_returns(struct vpmu_follower *f, uint64_t sp)
{
	struct vpmu_allocating *a = &f->allocating;
	uint64_t bytes = allocated_bytes(a), block;
	bool again = a->kind == VPMU_REALLOC || a->kind == VPMU_REALLOC_ARRAY;

	if (a->sp == sp && a->kind != VPMU_FREE) {
		block = allocated_block(a);
		if (again && (block || !bytes))
			allocation_free(a->argument[0]);
		if (block && bytes)
			vpmu_objects_allocate(block, bytes, &a->by);
	}
	a->kind = VPMU_NO_ALLOCATOR;
}
