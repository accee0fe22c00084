/* SPDX-License-Identifier: MIT */
/* Describes blocks of guest code: which core events a block counts whenever it runs, and how it
 * ends. vpmu_block_describe() is called when QEMU translates a block, by any thread; a mutex guards
 * the pointers to descriptions, which are in the timed blocks. Descriptions never change and are
 * never freed, because callbacks and threads keep pointers to them. */
#include "core_blocks.h"
#include "../profile/notes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add_unit(const struct vpmu_class *c, uint32_t *n)
{
	static const enum vpmu_core_event rests[] = {
		[VPMU_UNIT_X87] = VPMU_X87_REST,
		[VPMU_UNIT_PACKED_SINGLE] = VPMU_SSE_PACKED_SINGLE_REST,
		[VPMU_UNIT_PACKED_DOUBLE] = VPMU_SSE_PACKED_DOUBLE_REST,
		[VPMU_UNIT_SCALAR_SINGLE] = VPMU_SSE_SCALAR_SINGLE_REST,
		[VPMU_UNIT_SCALAR_DOUBLE] = VPMU_SSE_SCALAR_DOUBLE_REST,
	};
	static const enum vpmu_core_event events[] = {
		[VPMU_UNIT_X87] = VPMU_X87, [VPMU_UNIT_MOVE] = VPMU_X87_SIMD_MOVES,
		[VPMU_UNIT_MMX] = VPMU_MMX64, [VPMU_UNIT_SSE_INTEGER] = VPMU_SSE_INTEGER,
		[VPMU_UNIT_PACKED_SINGLE] = VPMU_SSE_PACKED_SINGLE,
		[VPMU_UNIT_PACKED_DOUBLE] = VPMU_SSE_PACKED_DOUBLE,
		[VPMU_UNIT_SCALAR_SINGLE] = VPMU_SSE_SCALAR_SINGLE,
		[VPMU_UNIT_SCALAR_DOUBLE] = VPMU_SSE_SCALAR_DOUBLE,
	};

	static const enum vpmu_core_event moves[] = {
		[VPMU_UNIT_SSE_INTEGER] = VPMU_SSE_INTEGER_MOVES,
		[VPMU_UNIT_PACKED_SINGLE] = VPMU_SSE_PACKED_SINGLE_MOVES,
		[VPMU_UNIT_PACKED_DOUBLE] = VPMU_SSE_PACKED_DOUBLE_MOVES,
		[VPMU_UNIT_SCALAR_SINGLE] = VPMU_SSE_SCALAR_SINGLE_MOVES,
		[VPMU_UNIT_SCALAR_DOUBLE] = VPMU_SSE_SCALAR_DOUBLE_MOVES,
	};

	if (c->unit != VPMU_UNIT_NONE)
		n[events[c->unit]]++;
	if (c->moved != VPMU_UNIT_NONE)
		n[moves[c->moved]]++;
	if (rests[c->unit] && !c->computes)
		n[rests[c->unit]]++;
}

static void add_operations(const struct vpmu_class *c, uint32_t *n)
{
	static const enum vpmu_core_event events[][2] = {
		[VPMU_UNIT_SCALAR_SINGLE] = { VPMU_FP_SCALAR_SINGLE, VPMU_FP_SCALAR_SINGLE },
		[VPMU_UNIT_SCALAR_DOUBLE] = { VPMU_FP_SCALAR_DOUBLE, VPMU_FP_SCALAR_DOUBLE },
		[VPMU_UNIT_PACKED_SINGLE] = { VPMU_FP_128_SINGLE, VPMU_FP_256_SINGLE },
		[VPMU_UNIT_PACKED_DOUBLE] = { VPMU_FP_128_DOUBLE, VPMU_FP_256_DOUBLE },
	};

	if (c->operations)
		n[events[c->unit][c->wide]] += c->operations;
}

static void add_instruction(const struct vpmu_class *c, uint32_t *n)
{
	n[VPMU_INSTRUCTIONS]++;
	n[VPMU_UOPS] += !c->plain_load;
	n[VPMU_LOCKED] += c->locked;
	n[VPMU_VECTOR] += c->vector;
	n[VPMU_VECTOR_ELEMENTS] += c->elements;
	n[VPMU_MULTIPLIES] += c->multiply;
	n[VPMU_DIVIDES] += c->divide;
	if (c->prefetch)
		n[vpmu_prefetches_to_l1(c->prefetch) ? VPMU_PREFETCH1 : VPMU_PREFETCH2]++;
	add_unit(c, n);
	add_operations(c, n);
}

static struct vpmu_block *new_block(const uint32_t *n)
{
	struct vpmu_block *b;
	uint32_t entries = 0;

	for (uint32_t i = 0; i < VPMU_CORE_EVENTS; i++)
		entries += n[i] != 0;
	b = calloc(1, sizeof(*b) + entries * sizeof(b->counts[0]));
	if (!b)
		abort();
	for (uint32_t i = 0; i < VPMU_CORE_EVENTS; i++)
		if (n[i])
			b->counts[b->entries++] = (struct vpmu_block_count){
				.event = (uint16_t)i, .times = (uint16_t)n[i],
			};
	return b;
}

/* A block's instructions while they are described, under the lock. */
struct block_insns {
	uint32_t count;
	uint8_t bytes[VPMU_COST_INSNS_MAX][QEMU_PLUGIN_INSN_BYTES];
	struct vpmu_code code[VPMU_COST_INSNS_MAX];
	struct vpmu_class class[VPMU_COST_INSNS_MAX];
	struct vpmu_insn_work work[VPMU_COST_INSNS_MAX];
};

static void read_insns(const struct qemu_plugin_tb *tb, struct block_insns *all,
		       const struct vpmu_core_costs *table)
{
	size_t count = qemu_plugin_tb_n_insns(tb);

	all->count = (uint32_t)(count < VPMU_COST_INSNS_MAX ? count : VPMU_COST_INSNS_MAX);
	for (uint32_t i = 0; i < all->count; i++) {
		const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		all->code[i].bytes = all->bytes[i];
		all->code[i].count = qemu_plugin_insn_data(insn, all->bytes[i],
							   sizeof(all->bytes[i]));
		all->class[i] = vpmu_class_of(all->bytes[i], all->code[i].count);
	}
	memset(all->work, 0, all->count * sizeof(all->work[0]));
	if (table)
		vpmu_block_work(&(struct vpmu_cost_code){ all->code, all->count, 0 }, table,
				all->work);
}

static void add_work(const struct vpmu_insn_work *w, bool divides, uint32_t *n)
{
	n[VPMU_UOPS_ISSUED] += w->issued;
	n[VPMU_UOPS_EXECUTED] += w->executed;
	n[VPMU_UOPS_FUSED] += w->fused;
	n[VPMU_DIVIDER_CLOCKS] += divides ? w->divider : 0;
}

/* Without a clock that estimates time no instruction takes as long as the divider. */
static void add_at(const struct block_insns *all, uint32_t i,
		   const struct vpmu_timed_block *timed, uint32_t *n)
{
	add_instruction(&all->class[i], n);
	add_work(&all->work[i], timed->chains, n);
}

/* ---- the profile's ---- */

#define FIXED_MAX 8192u

struct noted_shape {
	uint8_t size[VPMU_COST_INSNS_MAX];
	struct vpmu_profile_fixed fixed[FIXED_MAX];
	uint16_t fixed_count;
};

/* INSTRUCTIONS follow from the block. */
static void noted_shape_add(struct noted_shape *s, size_t index, const uint32_t *n)
{
	for (uint32_t i = 0; i < VPMU_CORE_EVENTS && s->fixed_count < FIXED_MAX; i++)
		if (n[i] && i != VPMU_INSTRUCTIONS)
			s->fixed[s->fixed_count++] = (struct vpmu_profile_fixed){
				.index = (uint16_t)index, .event = (uint16_t)i,
				.times = (uint16_t)n[i],
			};
}

/* Under the lock, which the shape needs. */
static struct vpmu_noted_block *note_block(const struct block_insns *all,
					   const struct vpmu_block *b)
{
	static struct noted_shape s;

	s.fixed_count = 0;
	for (uint32_t i = 0; i < all->count; i++) {
		uint32_t n[VPMU_CORE_EVENTS] = { [VPMU_CODE_READS] = i ? 0 :
						 b->timed->lines };

		s.size[i] = (uint8_t)all->code[i].count;
		add_at(all, i, b->timed, n);
		noted_shape_add(&s, i, n);
	}
	return vpmu_note_block(&(struct vpmu_block_shape){
		.address = b->start, .size = s.size, .count = (uint16_t)b->timed->instructions,
		.fixed = s.fixed, .fixed_count = s.fixed_count,
	});
}

static struct vpmu_block *block_make(const struct qemu_plugin_tb *tb,
				     const struct block_insns *all,
				     const struct vpmu_timed_block *timed)
{
	uint32_t n[VPMU_CORE_EVENTS] = { 0 };
	const struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, all->count - 1);
	struct vpmu_block *b;

	for (uint32_t i = 0; i < all->count; i++)
		add_at(all, i, timed, n);
	n[VPMU_CODE_READS] = timed->lines;
	b = new_block(n);
	b->start = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
	b->last = qemu_plugin_insn_vaddr(last);
	b->end = b->last + qemu_plugin_insn_size(last);
	b->timed = timed;
	b->branch = all->class[all->count - 1].branch;
	b->ring = b->start >> 63 ? VPMU_KERNEL : VPMU_USER;
	b->repeats = all->class[all->count - 1].repeated;
	b->again = all->work[all->count - 1];
	return b;
}

const struct vpmu_block *vpmu_block_describe(const struct qemu_plugin_tb *tb,
					     struct vpmu_timed_block *timed,
					     const struct vpmu_core_costs *table)
{
	static struct block_insns all;
	struct vpmu_block *b;

	pthread_mutex_lock(&lock);
	if (!timed->described || vpmu_profiles())
		read_insns(tb, &all, table);
	if (!timed->described)
		timed->described = block_make(tb, &all, timed);
	b = timed->described;
	if (vpmu_profiles())	/* code may come again in another mapping */
		b->noted = note_block(&all, b);
	pthread_mutex_unlock(&lock);
	return b;
}
