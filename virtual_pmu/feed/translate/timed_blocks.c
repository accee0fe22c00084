/* SPDX-License-Identifier: MIT */
/* Finds blocks of guest code by their address and content, and computes what they cost.
 * vpmu_timed_block_of() is called when QEMU translates a block, by any thread; a mutex guards the
 * table. Blocks are never freed, because callbacks, deferred accesses and threads keep pointers to
 * them. */
#include "timed_blocks.h"

#include <pthread.h>
#include <stdlib.h>

#define BUCKETS 65536u	/* an interpreter has fewer blocks, a compiler three times as many */
#define AT_ONCE 256u

static struct vpmu_timed_block *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Each begins at a multiple of 32 bytes: see timed_blocks.h. */
static struct vpmu_timed_block *new_block(void)
{
	static struct vpmu_timed_block *free_ones;
	static uint32_t left;

	_Static_assert(sizeof(*free_ones) % 32 == 0, "blocks lie side by side");
	if (!left) {
		free_ones = aligned_alloc(64, AT_ONCE * sizeof(*free_ones));
		if (!free_ones)
			abort();
		left = AT_ONCE;
	}
	left--;
	return free_ones++;
}

static uint64_t mix(uint64_t hash, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ull;
	return hash;
}

static uint64_t hash_of(const struct qemu_plugin_tb *tb, size_t count)
{
	uint8_t bytes[QEMU_PLUGIN_INSN_BYTES];
	uint64_t hash = count;

	for (size_t i = 0; i < count; i++) {
		const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		hash = mix(hash, bytes, qemu_plugin_insn_data(insn, bytes, sizeof(bytes)));
	}
	return hash;
}

struct vpmu_timed_block vpmu_timed_block_part(uint64_t fetched, uint64_t bytes,
					      uint32_t instructions)
{
	uint64_t work = vpmu_work(instructions * VPMU_PARTS_PER_CLOCK, instructions);

	return (struct vpmu_timed_block){
		.once = work, .loop = work, .line = fetched >> 6,
		.lines = vpmu_lines_in(fetched, bytes), .bytes = bytes,
		.instructions = instructions,
	};
}

struct vpmu_timed_block *vpmu_timed_block_of(const struct qemu_plugin_tb *tb, uint64_t fetched)
{
	size_t count = qemu_plugin_tb_n_insns(tb);
	const struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, count - 1);
	uint64_t start = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
	uint64_t bytes = qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last) - start;
	uint64_t hash = hash_of(tb, count);
	struct vpmu_timed_block *b, **bucket = &buckets[(start ^ start >> 16) % BUCKETS];

	pthread_mutex_lock(&lock);
	for (b = *bucket; b && (b->start != start || b->hash != hash || b->bytes != bytes ||
				b->line != fetched >> 6);)
		b = b->next;
	if (!b) {
		b = new_block();
		*b = vpmu_timed_block_part(fetched, bytes, (uint32_t)count);
		b->start = start;
		b->hash = hash;
		b->next = *bucket;
		*bucket = b;
	}
	pthread_mutex_unlock(&lock);
	return b;
}
