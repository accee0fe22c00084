/* SPDX-License-Identifier: MIT */
/* Finds blocks of guest code by their address and content, and computes what they cost.
 * vpmu_timed_block_of() is called when QEMU translates a block, by any thread; a mutex guards the
 * table. Blocks are never freed, because callbacks and threads keep pointers to
 * them. vpmu_timed_round() takes it for paths that are new. Words that it changes may be read
 * at any time; CPUs of a whole machine that execute the same block may mix them up. */
#include "timed_blocks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../machine/machine.h"
#include "addresses.h"
#include "block_cost.h"
#include "core_costs.h"
#include "decode_cache.h"

#define BUCKETS 65536u	/* an interpreter has fewer blocks, a compiler three times as many */
#define AT_ONCE 256u

static struct vpmu_timed_block *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Each begins at a multiple of 64 bytes: see timed_blocks.h. */
static struct vpmu_timed_block *new_block(void)
{
	static struct vpmu_timed_block *free_ones;
	static uint32_t left;

	_Static_assert(sizeof(*free_ones) % 64 == 0, "blocks lie side by side");
	if (!left) {
		free_ones = aligned_alloc(64, AT_ONCE * sizeof(*free_ones));
		if (!free_ones)
			abort();
		left = AT_ONCE;
	}
	left--;
	return free_ones++;
}

static const struct vpmu_core_costs *table;	/* NULL: the machine has none */

void vpmu_timed_blocks_begin(bool estimates)
{
	table = estimates ? &vpmu_costs_skylake : NULL;
}

uint32_t vpmu_rough_parts(uint32_t instructions)
{
	return instructions * VPMU_CLOCK_PARTS / (table ? table->width : 1);
}

/* ---- costs ---- */

/* A block's instructions while it is translated. */
struct block_text {
	uint8_t bytes[VPMU_COST_INSNS_MAX][QEMU_PLUGIN_INSN_BYTES];
	struct vpmu_code code[VPMU_COST_INSNS_MAX];
};

static void read_code(const struct qemu_plugin_tb *tb, struct block_text *c, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		c->code[i].bytes = c->bytes[i];
		const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		c->code[i].count = qemu_plugin_insn_data(insn, c->bytes[i], sizeof(c->bytes[i]));
	}
}

static uint32_t block_site(struct vpmu_timed_block *b, size_t i, const struct vpmu_block_cost *cost)
{
	uint32_t site;

	if (b->sites[i] < VPMU_SITES)
		return b->sites[i];
	site = vpmu_site_new(cost->producer[i] >= 0);
	b->sites[i] = (uint16_t)site;
	if (cost->producer[i] >= 0)
		vpmu_site_producer[site - VPMU_SITES_PLAIN] =
			(uint16_t)block_site(b, (size_t)cost->producer[i], cost);
	if (cost->same[i] >= 0 && cost->same[i] != (int)i)
		vpmu_site_same[site] = (uint16_t)block_site(b, (size_t)cost->same[i], cost);
	return site;
}

/* Each access gets its number here: instructions that share numbers wait for each other's lines, so
 * these do not depend on what is counted. Instructions without an access have number 0. */
static void find_sites(struct vpmu_timed_block *b, const struct vpmu_block_cost *cost)
{
	for (uint32_t i = 0; i < b->instructions; i++)
		b->sites[i] = cost->same[i] < 0 ? 0 : VPMU_SITES;
	for (uint32_t i = 0; i < b->instructions; i++)
		block_site(b, i, cost);
}

static void *allocate(size_t bytes)
{
	void *memory = malloc(bytes);

	if (!memory)
		abort();
	return memory;
}

static void cost_block(struct vpmu_timed_block *b, const struct block_text *c)
{
	const struct vpmu_cost_code code = { c->code, b->instructions, b->start };
	const struct vpmu_code *last = &c->code[b->instructions - 1];
	struct vpmu_block_cost cost;

	vpmu_block_cost(&code, table, &cost);
	b->branch = (uint8_t)vpmu_class_of(last->bytes, last->count).branch;
	b->last = (uint16_t)(b->end - b->start - last->count);
	b->once = cost.once;
	b->loop = cost.loop;
	b->work = vpmu_work(b->once, b->instructions);
	b->chains = allocate(vpmu_chains_bytes(&cost.chains));
	memcpy(b->chains, &cost.chains, vpmu_chains_bytes(&cost.chains));
	b->sites = allocate(b->instructions * sizeof(*b->sites));
	find_sites(b, &cost);
}

/* True: the instruction only loads, from an address that these general registers give. The bit of
 * VPMU_NO_REGISTER is beyond theirs. */
static bool loads(const struct vpmu_accesses *of, struct vpmu_code code, uint16_t *registers)
{
	struct vpmu_address a;

	if (!of->once || of->store != VPMU_ORDINARY || of->modifies || of->prefetch ||
	    !vpmu_address_of(code, 0, &a) || a.stores)
		return false;
	*registers = (uint16_t)(1u << a.base | 1u << a.index);
	return true;
}

/* Loops that wait for another thread have short blocks. */
#define WAITS_INSNS_MAX 16u

/* Addresses may depend on what has been loaded before, as from a pointer: without a store that is
 * the same in each round. */
static void find_effect(struct vpmu_timed_block *b, const struct block_text *c)
{
	enum vpmu_block_effect effect = VPMU_BLOCK_COMPUTES;
	uint16_t loaded = 0, by = 0;

	for (uint32_t i = 0; i < b->instructions; i++) {
		struct vpmu_accesses of = vpmu_accesses_known(c->bytes[i], c->code[i].count);

		if (i == WAITS_INSNS_MAX)
			return;
		if (!of.none) {
			if (!loads(&of, c->code[i], &by) || by & b->written & ~loaded)
				return;
			effect = VPMU_BLOCK_LOADS;
			b->addressed |= by & ~loaded;
		}
		b->written |= of.writes;
		loaded &= ~of.writes;
		if (!of.none && vpmu_class_of(c->bytes[i], c->code[i].count).plain_load)
			loaded |= of.writes;
	}
	b->effect = (uint8_t)effect;
}

uint32_t vpmu_timed_site(const struct vpmu_timed_block *b, size_t index)
{
	return b->sites ? b->sites[index] : vpmu_site_new(false);
}

/* ---- rounds of loops ---- */

struct vpmu_round { struct vpmu_round *next; uint64_t blocks, work; };

/* The blocks of a round that `from` ends, the last one first, with b. */
struct path { const struct vpmu_timed_block *block[VPMU_PATH_BLOCKS_MAX]; uint32_t count; };

/* False: too many blocks, or another loop among them. */
static bool path_back(const struct vpmu_timed_block *b, const struct vpmu_timed_block *from,
		      struct path *p)
{
	const struct vpmu_timed_block *next;

	for (p->count = 0; from != b; from = next) {
		if (!from || !from->chains || p->count == VPMU_PATH_BLOCKS_MAX - 1)
			return false;
		next = __atomic_load_n(&from->from, __ATOMIC_RELAXED);
		if (next == from)
			return false;
		p->block[p->count++] = from;
	}
	p->block[p->count++] = b;
	return true;
}

static uint64_t path_number(const struct path *p)
{
	uint64_t number = 0;

	for (uint32_t i = 0; i < p->count; i++)
		number = number * 0x9e3779b97f4a7c15u + p->block[i]->start;
	return number;
}

/* Parts of a clock that the round takes longer than its blocks. */
static uint32_t path_extra(const struct path *p)
{
	const struct vpmu_chains *chains[VPMU_PATH_BLOCKS_MAX];
	uint32_t clocks, alone = 0;

	for (uint32_t i = 0; i < p->count; i++) {
		chains[p->count - 1 - i] = p->block[i]->chains;
		alone += p->block[i]->once;
	}
	clocks = vpmu_path_clocks(chains, p->count, table);
	return clocks > alone ? clocks - alone : 0;
}

/* Without the mutex: rounds only become more. */
static struct vpmu_round *find_round(const struct vpmu_timed_block *b, uint64_t blocks)
{
	struct vpmu_round *found = __atomic_load_n(&b->rounds, __ATOMIC_ACQUIRE);

	while (found && found->blocks != blocks)
		found = found->next;
	return found;
}

static struct vpmu_round *add_round(struct vpmu_timed_block *b, const struct path *p,
				    uint64_t blocks)
{
	struct vpmu_round *added = allocate(sizeof(*added));
	uint32_t parts = p->count == 1 ? b->loop : b->once + path_extra(p);

	*added = (struct vpmu_round){ b->rounds, blocks, vpmu_work(parts, b->instructions) };
	__atomic_store_n(&b->rounds, added, __ATOMIC_RELEASE);
	return added;
}

static uint64_t round_work(struct vpmu_timed_block *b, const struct vpmu_timed_block *from)
{
	struct vpmu_round *found;
	struct path p;
	uint64_t blocks;

	if (!b->chains || !path_back(b, from, &p))
		return b->work;
	blocks = path_number(&p);
	found = find_round(b, blocks);
	if (!found) {
		pthread_mutex_lock(&lock);
		found = find_round(b, blocks);
		if (!found)
			found = add_round(b, &p, blocks);
		pthread_mutex_unlock(&lock);
	}
	return found->work;
}

/* Rounds whose paths differ come in turns. */
#define KNOWN 4096u
static struct known_round { const struct vpmu_timed_block *b; uint64_t path, work; } known[KNOWN];

static struct known_round *known_at(const struct vpmu_timed_block *b, uint64_t path)
{
	return &known[((path + b->start) * 0x9e3779b97f4a7c15u) >> 52];
}

uint64_t vpmu_timed_round(struct vpmu_timed_block *b, struct vpmu_timed_block *from, uint64_t path)
{
	struct known_round *k = known_at(b, path);
	uint64_t work;

	if (__atomic_load_n(&k->b, __ATOMIC_RELAXED) == b &&
	    __atomic_load_n(&k->path, __ATOMIC_RELAXED) == path) {
		work = __atomic_load_n(&k->work, __ATOMIC_RELAXED);
	} else {
		work = round_work(b, from);
		__atomic_store_n(&k->b, b, __ATOMIC_RELAXED);
		__atomic_store_n(&k->path, path, __ATOMIC_RELAXED);
		__atomic_store_n(&k->work, work, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&b->back, work, __ATOMIC_RELAXED);
	__atomic_store_n(&b->path, path, __ATOMIC_RELAXED);
	return work;
}

/* ---- the table of blocks ---- */

static uint64_t mix(uint64_t hash, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ull;
	return hash;
}

static uint64_t hash_of(const struct block_text *c, size_t count)
{
	uint64_t hash = count;

	for (size_t i = 0; i < count; i++)
		hash = mix(hash, c->code[i].bytes, c->code[i].count);
	return hash;
}

struct vpmu_timed_block vpmu_timed_block_part(uint64_t fetched, uint64_t bytes,
					      uint32_t instructions)
{
	uint32_t parts = vpmu_rough_parts(instructions);

	return (struct vpmu_timed_block){
		.work = vpmu_work(parts, instructions), .once = parts, .loop = parts,
		.line = fetched >> 6, .lines = (uint8_t)vpmu_lines_in(fetched, bytes),
		.instructions = instructions,
	};
}

struct vpmu_timed_block *vpmu_timed_block_of(const struct qemu_plugin_tb *tb, uint64_t fetched)
{
	size_t all = qemu_plugin_tb_n_insns(tb);
	uint32_t count = (uint32_t)(all < VPMU_COST_INSNS_MAX ? all : VPMU_COST_INSNS_MAX);
	const struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, count - 1);
	uint64_t start = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
	uint64_t bytes = qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last) - start;
	struct block_text code;
	uint64_t hash;
	struct vpmu_timed_block *b, **bucket = &buckets[(start ^ start >> 16) % BUCKETS];

	read_code(tb, &code, count);
	hash = hash_of(&code, count);
	pthread_mutex_lock(&lock);
	for (b = *bucket; b && (b->start != start || b->hash != hash || b->end != start + bytes ||
				b->line != fetched >> 6);)
		b = b->next;
	if (!b) {
		b = new_block();
		*b = vpmu_timed_block_part(fetched, bytes, count);
		b->start = start;
		b->end = start + bytes;
		find_effect(b, &code);
		if (table)
			cost_block(b, &code);
		b->hash = hash;
		b->next = *bucket;
		*bucket = b;
	}
	pthread_mutex_unlock(&lock);
	return b;
}

