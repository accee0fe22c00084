/* SPDX-License-Identifier: MIT */
/* Registers the callbacks of a block that QEMU translates. vpmu_translation_register() is the entry
 * point; translation.h says which accesses may share a callback. It works on the stack and takes no
 * lock, since several threads may translate at once. Whatever is chosen, the caches see the same
 * accesses in the same order. Where that cannot be proven, each access has its own callback. */
#include "translation.h"

#include <string.h>

#include "../cache/contention.h"
#include "../profile/call_callbacks.h"
#include "instructions.h"
#include "decode_cache.h"

#define INSTRUCTIONS_MAX 512	/* of QEMU's blocks */

/* A block while it is translated. */
struct block {
	const struct vpmu_callbacks *callbacks;
	struct qemu_plugin_tb *tb;
	struct vpmu_timed_block *timed;
	size_t count;
	struct vpmu_accesses of[INSTRUCTIONS_MAX];
	uint8_t bytes[INSTRUCTIONS_MAX][QEMU_PLUGIN_INSN_BYTES];
	uint8_t size[INSTRUCTIONS_MAX];
	uint8_t ways[INSTRUCTIONS_MAX];
	bool left_out[INSTRUCTIONS_MAX];
	struct vpmu_group *group[INSTRUCTIONS_MAX];	/* that begins here */
	struct vpmu_noted_block *noted;	/* NULL: there is no profile */
	bool repeats;		/* the last one is a repeated string instruction that counts */
};

static struct vpmu_code code_of(const struct block *b, size_t i)
{
	return (struct vpmu_code){ b->bytes[i], b->size[i] };
}

/* ---- ways ---- */

#define PAIR_MAX 6	/* from the load to the store */

/* The index of the store to the same place as the load at i; or 0. */
static size_t find_store(const struct block *b, size_t i)
{
	struct vpmu_code code[PAIR_MAX];
	size_t n = 1, limit = b->count - i < PAIR_MAX ? b->count - i : PAIR_MAX;

	while (n < limit && b->of[i + n].vector && b->of[i + n].none)
		n++;
	if (n == limit || !b->of[i + n].vector || !b->of[i + n].once)
		return 0;
	for (size_t k = 0; k <= n; k++)
		code[k] = code_of(b, i + k);
	return vpmu_load_and_store(code, n + 1) ? i + n : 0;
}

static void find_pairs(struct block *b)
{
	for (size_t i = 0; i < b->count; i++) {
		size_t store = b->of[i].vector && b->of[i].once ? find_store(b, i) : 0;

		if (!store)
			continue;
		b->left_out[i] = true;
		b->ways[store] |= VPMU_MODIFIES;
		i = store;
	}
}

/* Lets the block's first access stand for the block as well: nothing can happen before it. */
static void find_first(struct block *b)
{
	size_t i = 0;

	if (b->repeats)
		return;
	while (i < b->count && (b->of[i].none || b->left_out[i]))
		i++;
	if (i < b->count && b->of[i].once)
		b->ways[i] |= VPMU_FIRST;
}

static void find_ways(struct block *b)
{
	for (size_t i = 0; i < b->count; i++)
		b->ways[i] = b->of[i].modifies ? VPMU_MODIFIES : 0;
	find_pairs(b);
	find_first(b);
}

/* ---- groups ---- */

static uint64_t end_of(const struct block *b, size_t i)
{
	const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(b->tb, i);

	return qemu_plugin_insn_vaddr(insn) + qemu_plugin_insn_size(insn);
}

static bool may_be_of_a_group(const struct block *b, size_t i)
{
	return b->of[i].once && b->of[i].store == VPMU_ORDINARY && !b->left_out[i];
}

static bool may_have_groups(const struct block *b)
{
	size_t accesses = 0;

	for (size_t i = 0; i < b->count; i++)
		accesses += may_be_of_a_group(b, i);
	return accesses >= VPMU_GROUP_MIN;
}

static void complete(struct block *b, size_t i, struct vpmu_grouped *a)
{
	a->modifies = b->ways[i] & VPMU_MODIFIES;
	a->info = vpmu_info(a->bytes, a->stores);
	a->site = (uint32_t)(vpmu_timed_site(b->timed, i) * sizeof(struct vpmu_way *));
	b->left_out[i] = true;
}

static void end_group(struct block *b, struct vpmu_gathering *g)
{
	struct vpmu_group *group = vpmu_gather_end(g);

	for (uint32_t n = 0; group && n < group->count; n++)
		complete(b, g->at[n], &group->access[n]);
	if (group) {
		b->left_out[g->at[0]] = false;
		b->group[g->at[0]] = group;
	}
}

static void find_groups(struct block *b)
{
	struct vpmu_gathering g;
	struct vpmu_address a;

	vpmu_gather_none(&g);
	for (size_t i = 0; i < b->count; i++) {
		bool access = may_be_of_a_group(b, i) &&
			      vpmu_address_of(code_of(b, i), end_of(b, i), &a);

		if (access ? !vpmu_gather(&g, &a, i) : !b->of[i].none && !b->left_out[i]) {
			end_group(b, &g);
			vpmu_gather_none(&g);
			if (access)
				vpmu_gather_first(&g, &a, i);
		}
		vpmu_gather_behind(&g, code_of(b, i), b->of[i].writes);
	}
	end_group(b, &g);
}

/* ---- callbacks ---- */

/* User data of the instruction's callback. */
static void *note(const struct block *b, size_t i, void *user)
{
	return b->noted ? vpmu_note_use(b->noted, i, (uintptr_t)user) : user;
}


/* Behind the block's own callback, which moves the clock. */
static void register_repeat(const struct block *b)
{
	uint64_t address = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(b->tb, b->count - 1));

	if (b->repeats)
		qemu_plugin_register_vcpu_tb_exec_cb(b->tb, b->callbacks->repeat,
						     QEMU_PLUGIN_CB_NO_REGS,
						     note(b, VPMU_NOTE_REPEAT, (void *)(uintptr_t)
							  (address << 1 | (b->count == 1))));
}

static void register_block(const struct block *b, struct vpmu_timed_block *timed)
{
	for (size_t i = 0; i < b->count; i++)
		if (b->ways[i] & VPMU_FIRST)
			return;
	qemu_plugin_register_vcpu_tb_exec_cb(b->tb, b->callbacks->parts.block,
					     QEMU_PLUGIN_CB_NO_REGS,
					     note(b, VPMU_NOTE_ENTRY, timed));
}

static void *user_data(uint32_t ways, uint64_t site, struct vpmu_timed_block *timed)
{
	uint32_t offset = (uint32_t)(site * sizeof(struct vpmu_way *));

	if (!(ways & VPMU_FIRST))
		return (void *)(uintptr_t)offset;
	timed->site = offset;
	return timed;
}

static void *user_data_of(const struct block *b, size_t i, struct vpmu_timed_block *timed)
{
	struct vpmu_group *group = b->group[i];

	if (!group)
		return note(b, i, user_data(b->ways[i], vpmu_timed_site(timed, i), timed));
	group->ways = b->ways[i];
	group->user = (uintptr_t)user_data(group->ways,
					   group->access[0].site / sizeof(struct vpmu_way *),
					   timed);
	return group;
}

/* Accesses of the instruction that get the callback. QEMU shows a load and a store where only the
 * store is counted. */
static enum qemu_plugin_mem_rw shown(const struct block *b, size_t i)
{
	enum qemu_plugin_mem_rw rw = QEMU_PLUGIN_MEM_RW;

	if ((b->ways[i] & VPMU_MODIFIES) || vpmu_is_locked(b->bytes[i], b->size[i]))
		rw = QEMU_PLUGIN_MEM_W;
	return b->of[i].once ? rw | VPMU_MEM_IN_CODE : rw;
}

static void register_access(const struct block *b, size_t i, struct vpmu_timed_block *timed)
{
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(b->tb, i);
	const struct vpmu_callbacks *c = b->callbacks;
	qemu_plugin_vcpu_mem_cb_t access = c->parts.access;

	if (b->group[i])
		access = c->group;
	else if (c->accesses)
		access = c->accesses[b->ways[i]];
	qemu_plugin_register_vcpu_mem_cb(insn, access, QEMU_PLUGIN_CB_NO_REGS, shown(b, i),
					 user_data_of(b, i, timed));
}

static void register_instruction(const struct block *b, size_t i, struct vpmu_timed_block *timed)
{
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(b->tb, i);

	if (b->left_out[i] || b->of[i].none)	/* QEMU's helpers have less to do then */
		return;
	if (b->of[i].prefetch) {
		vpmu_register_prefetch(insn, b->callbacks->parts.prefetch, note(b, i, (void *)
				       (uintptr_t)vpmu_prefetches_to_l1(b->of[i].prefetch)));
		return;
	}
	switch (b->of[i].store) {
	case VPMU_NONTEMPORAL:
		qemu_plugin_register_vcpu_mem_cb(insn, b->callbacks->parts.nontemporal,
						 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W,
						 note(b, i, NULL));
		break;
	case VPMU_FENCE:
		qemu_plugin_register_vcpu_insn_exec_cb(insn, b->callbacks->parts.fence,
						       QEMU_PLUGIN_CB_NO_REGS, note(b, i, NULL));
		break;
	case VPMU_ORDINARY:
		register_access(b, i, timed);
		break;
	}
}

/* From bytes and sizes. */
static void find_accesses(struct block *b)
{
	for (size_t i = 0; i < b->count; i++) {
		b->of[i] = vpmu_accesses_known(b->bytes[i], b->size[i]);
		b->ways[i] = 0;
		b->left_out[i] = false;
		b->group[i] = NULL;
	}
	b->repeats = (vpmu_core_feed_retires() || b->callbacks->noted) &&
		     vpmu_class_of(b->bytes[b->count - 1], b->size[b->count - 1]).repeated;
}

static struct vpmu_noted_block *note_block(const struct block *b)
{
	return vpmu_note_block(&(struct vpmu_block_shape){
		.address = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(b->tb, 0)),
		.size = b->size, .count = (uint16_t)b->count,
	});
}

void vpmu_translation_register(const struct vpmu_callbacks *callbacks, struct qemu_plugin_tb *tb,
			       size_t instructions, struct vpmu_timed_block *timed)
{
	struct block b;

	b.callbacks = callbacks;
	b.tb = tb;
	b.timed = timed;
	b.count = instructions < INSTRUCTIONS_MAX ? instructions : INSTRUCTIONS_MAX;
	for (size_t i = 0; i < b.count; i++)
		b.size[i] = (uint8_t)qemu_plugin_insn_data(qemu_plugin_tb_get_insn(tb, i),
							   b.bytes[i], sizeof(b.bytes[i]));
	b.noted = callbacks->noted ? note_block(&b) : NULL;
	find_accesses(&b);
	if (callbacks->accesses) {
		find_ways(&b);
		if (!b.noted && may_have_groups(&b))
			find_groups(&b);
	}
	register_block(&b, timed);
	register_repeat(&b);
	for (size_t i = 0; i < b.count; i++)
		register_instruction(&b, i, timed);
	if (b.noted && vpmu_following)
		vpmu_calls_translated(tb, b.noted);
}

/* ---- a block that is translated already ---- */

/* False: these bytes are not so many instructions. */
static bool split(struct block *b, const struct vpmu_block_code *code)
{
	size_t at = 0;

	for (size_t i = 0; i < b->count; i++) {
		size_t size = vpmu_instruction_size(code->bytes + at, code->size - at);

		if (!size || size > sizeof(b->bytes[i]))
			return false;
		memcpy(b->bytes[i], code->bytes + at, size);
		b->size[i] = (uint8_t)size;
		at += size;
	}
	return at == code->size;
}

int vpmu_translation_first(const struct vpmu_callbacks *callbacks,
			   const struct vpmu_block_code *code)
{
	struct block b = { .callbacks = callbacks, .count = code->instructions };

	if (!callbacks->accesses || !b.count || b.count > INSTRUCTIONS_MAX || !split(&b, code))
		return -1;
	find_accesses(&b);
	find_ways(&b);
	for (size_t i = 0; i < b.count; i++)
		if (b.ways[i] & VPMU_FIRST)
			return (int)i;
	return -1;
}
