/* SPDX-License-Identifier: MIT */
/* Computes what a block costs: vpmu_block_cost() is the entry point, and vpmu_block_work() the
 * one for its instructions' micro-operations. Three analyses go over its
 * instructions. "work" counts micro-operations for each set of ports, and for the front end. "flow"
 * follows values: for each register the longest way, in clocks, from each register that the block
 * reads before it writes it. "loads" finds the load that an address comes from. There is no state
 * and no lock. */
#include "block_cost.h"

#include <string.h>

#include "addresses.h"
#include "core_costs.h"
#include "cost_insn.h"

#define PARTS VPMU_CLOCK_PARTS

struct costed {
	const struct vpmu_core_costs *table;
	uint32_t count;
	uint64_t address;
	const struct vpmu_code *code;
	uint64_t back;			/* where a jump at its end leads back to; 0: nowhere */
	bool repeats;			/* to its first instruction */
	struct vpmu_cost_insn insn[VPMU_COST_INSNS_MAX];
	uint16_t end[VPMU_COST_INSNS_MAX];	/* of an instruction, from the block's first byte */
};

static const struct vpmu_cost_row *insn_row(const struct costed *b, uint32_t i)
{
	return &b->table->of[b->insn[i].class];
}

/* ---- an instruction's constant ---- */

static int64_t constant_of(const struct costed *b, uint32_t i)
{
	const uint8_t *bytes = b->code[i].bytes + b->insn[i].constant_at;
	int32_t word;

	switch (b->insn[i].constant_bytes) {
	case 1:
		return (int8_t)*bytes;
	case 4:
		memcpy(&word, bytes, sizeof(word));
		return word;
	default:
		return 0;
	}
}

static void decode_all(struct costed *b)
{
	size_t end = 0;

	vpmu_cost_insns_of(b->code, b->count, b->insn);
	for (uint32_t i = 0; i < b->count; i++)
		b->end[i] = (uint16_t)(end += b->code[i].count);
	b->back = 0;
	if (b->count && b->insn[b->count - 1].jumps &&
	    b->insn[b->count - 1].class != VPMU_COST_CALL &&
	    constant_of(b, b->count - 1) < 0)
		b->back = b->address + end + (uint64_t)constant_of(b, b->count - 1);
	b->repeats = b->back && b->back == b->address;
}

/* ---- work ---- */

static void add_ports(struct vpmu_block_cost *cost, struct vpmu_port_work work)
{
	cost->chains.demand.wanted[work.ports] =
		(uint16_t)(cost->chains.demand.wanted[work.ports] + work.count);
}

/* True if an instruction's condition can be fused with what sets it. The condition is the opcode's
 * low half: O, NO, B, NB, Z, NZ, BE, NBE, S, NS, P, NP, L, NL, LE, NLE. */
static bool fuses(enum vpmu_fusion fusion, struct vpmu_code branch)
{
	uint32_t condition = (branch.count == 2 ? branch.bytes[0] : branch.bytes[1]) & 15u;
	bool needs_sign = condition < 2 || (condition >= 8 && condition < 12);
	bool needs_carry = condition == 2 || condition == 3 || condition == 6 || condition == 7;

	switch (fusion) {
	case VPMU_FUSES_ALL:
		return true;
	case VPMU_FUSES_MOST:
		return !needs_sign;
	case VPMU_FUSES_ZERO:
		return !needs_sign && !needs_carry;
	default:
		return false;
	}
}

static bool is_fused_branch(const struct costed *b, uint32_t i)
{
	return i && b->insn[i].class == VPMU_COST_BRANCH &&
	       fuses(b->insn[i - 1].fusion, b->code[i]);
}

static bool fuses_with_next(const struct costed *b, uint32_t i)
{
	return i + 1 < b->count && is_fused_branch(b, i + 1);
}

/* Loads are fused with what uses them, addresses of stores with their data. */
static struct vpmu_insn_work insn_work(const struct costed *b, uint32_t i)
{
	const struct vpmu_cost_row *row = insn_row(b, i);
	const struct vpmu_cost_insn *insn = &b->insn[i];
	bool alone = !row->issued && (insn->loads || !insn->stores), fused = fuses_with_next(b, i);
	uint32_t ports = 0u + row->work[0].count + row->work[1].count + row->work[2].count;

	if (is_fused_branch(b, i))
		return (struct vpmu_insn_work){ .issued = 0 };
	return (struct vpmu_insn_work){
		.issued = (uint8_t)(row->issued + insn->stores + alone),
		.executed = (uint8_t)((fused ? b->table->branch_fused.count : ports) +
				      insn->loads + 2u * insn->stores),
		.divider = row->divider, .fused = fused,
	};
}

static void add_instruction(const struct costed *b, uint32_t i, struct vpmu_block_cost *cost)
{
	const struct vpmu_cost_row *row = insn_row(b, i);
	const struct vpmu_cost_insn *insn = &b->insn[i];
	struct vpmu_demand work = { .loads = insn->loads, .stores = insn->stores,
				  .divider = row->divider, .serial = row->serial,
				  .taken = insn->class == VPMU_COST_JUMP ||
					   insn->class == VPMU_COST_CALL };

	if (is_fused_branch(b, i))
		return;
	if (fuses_with_next(b, i)) {
		add_ports(cost, b->table->branch_fused);
	} else {
		for (size_t k = 0; k < 3; k++)
			add_ports(cost, row->work[k]);
	}
	work.issued = insn_work(b, i).issued;
	vpmu_demand_add(&cost->chains.demand, &work);
}

/* ---- flow ---- */

#define INPUTS_MAX 16		/* registers read before they are written; others are left out */
#define NEVER (-(1 << 14))

/* Clocks from each input to a value; NEVER: the value does not depend on it. */
struct value { int16_t from[INPUTS_MAX]; };

struct flow {
	const struct costed *b;
	struct vpmu_chains *chains;
	struct value value[VPMU_CHAIN_REGISTERS];
	uint64_t known;			/* registers that have a value so far */
	uint8_t input[INPUTS_MAX];	/* its register */
	uint32_t inputs;
	uint64_t loaded;		/* registers with what a load gave, unchanged */
	int64_t stack;			/* what was added to RSP so far */
	bool stack_lost;		/* RSP has been changed in another way */
	uint8_t kept;			/* places whose registers are unchanged, a bit each */
};

static const struct value never = { { NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, NEVER,
				      NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, NEVER } };

static struct value *flow_value(struct flow *f, uint32_t reg)
{
	struct value *v = &f->value[reg];

	if (f->known >> reg & 1)
		return v;
	f->known |= 1ull << reg;
	*v = never;
	if (f->inputs < INPUTS_MAX) {
		f->input[f->inputs] = (uint8_t)reg;
		v->from[f->inputs++] = 0;
	}
	return v;
}

static void take_later(struct value *v, const struct value *other, int16_t clocks)
{
	for (uint32_t i = 0; i < INPUTS_MAX; i++) {
		int16_t later = (int16_t)(other->from[i] + clocks);

		v->from[i] = later > v->from[i] ? later : v->from[i];
	}
}

static void take_registers(struct flow *f, uint64_t registers, struct value *v, int16_t clocks)
{
	for (; registers; registers &= registers - 1)
		take_later(v, flow_value(f, (uint32_t)__builtin_ctzll(registers)), clocks);
}

/* ---- places in memory ---- */

/* A hash of an access's address as it is written, with RSP's changes in the block taken out; its
 * registers are in the low bits, see chains.h. 0: it has none. */
static uint32_t place_of(const struct flow *f, uint32_t i)
{
	const struct vpmu_cost_insn *insn = &f->b->insn[i];
	uint64_t text = (uint64_t)constant_of(f->b, i);

	if (insn->segment || insn->index > VPMU_NO_REGISTER || insn->base > VPMU_NO_REGISTER ||
	    (insn->hidden && !insn->stack))
		return 0;
	if (insn->base == VPMU_RSP && f->stack_lost)
		return 0;
	if (insn->base == VPMU_RSP)
		text += (uint64_t)f->stack;
	if (insn->hidden && insn->stores)
		text += (uint64_t)(int64_t)insn->stack;
	if (insn->relative)
		text += f->b->address + f->b->end[i];
	text = (text << 8 | (uint64_t)insn->scale << 1 | insn->relative) * 0x9e3779b97f4a7c15u;
	return vpmu_place((uint32_t)(text >> 32), insn->base, insn->index);
}

/* The register that stands for a place; 0: there are too many places. */
static uint32_t place_register(struct flow *f, uint32_t place)
{
	uint32_t i = 0;

	while (place && i < VPMU_CHAIN_PLACES && f->chains->place[i] &&
	       f->chains->place[i] != place)
		i++;
	if (!place || i == VPMU_CHAIN_PLACES)
		return 0;
	if (!f->chains->place[i] && (vpmu_place_registers(place) & f->chains->written))
		f->kept &= (uint8_t)~(1u << i);
	f->chains->place[i] = place;
	return VPMU_CHAIN_FIRST_PLACE + i;
}

/* A place's text means another address from now on, if one of its registers is written. */
static void leave_places(struct flow *f, uint64_t written)
{
	for (uint32_t i = 0; i < VPMU_CHAIN_PLACES; i++)
		if (vpmu_place_registers(f->chains->place[i]) & written)
			f->kept &= (uint8_t)~(1u << i);
}

/* ---- */

static int16_t load_clocks(const struct flow *f, const struct vpmu_cost_insn *insn)
{
	const struct vpmu_core_costs *t = f->b->table;

	if (insn->load_width == VPMU_LOAD_YMM)
		return (int16_t)t->load_ymm;
	if (insn->load_width == VPMU_LOAD_VECTOR)
		return (int16_t)t->load_vector;
	return (int16_t)(insn->address && !(insn->address & ~f->loaded) &&
			 insn->index == VPMU_NO_REGISTER ? t->load_pointer : t->load_latency);
}

static bool is_plain_load(const struct vpmu_cost_insn *insn)
{
	return insn->loads && !insn->stores && insn->class == VPMU_COST_NOTHING;
}

static void load_value(struct flow *f, uint32_t i, uint32_t place, struct value *v)
{
	const struct vpmu_cost_insn *insn = &f->b->insn[i];

	take_registers(f, insn->address, v, load_clocks(f, insn));
	if (place && f->kept >> (place - VPMU_CHAIN_FIRST_PLACE) & 1)
		take_later(v, flow_value(f, place), (int16_t)f->b->table->forwarded);
}

static void write_registers(struct flow *f, const struct vpmu_cost_insn *insn,
			    const struct value *v)
{
	for (uint64_t left = insn->writes; left; left &= left - 1)
		f->value[__builtin_ctzll(left)] = *v;
	f->known |= insn->writes;
	f->chains->written |= insn->writes;
	if (insn->writes >> VPMU_RSP & 1)
		f->stack_lost = true;
	f->stack += insn->stack;
	leave_places(f, insn->writes);
	f->loaded &= ~insn->writes;
	if (is_plain_load(insn) && insn->load_width == VPMU_LOAD_GENERAL)
		f->loaded |= insn->writes;
}

static void flow_through(struct flow *f, uint32_t i)
{
	const struct vpmu_cost_insn *insn = &f->b->insn[i];
	uint32_t place = insn->loads || insn->stores ? place_register(f, place_of(f, i)) : 0;
	struct value v = never;

	take_registers(f, insn->reads, &v, 0);
	if (insn->loads)
		load_value(f, i, place, &v);
	take_later(&v, &v, (int16_t)insn_row(f->b, i)->latency);
	if (insn->stores && place) {
		f->value[place] = v;
		f->known |= 1ull << place;
		f->chains->written |= 1ull << place;
		f->kept |= (uint8_t)(1u << (place - VPMU_CHAIN_FIRST_PLACE));
	}
	write_registers(f, insn, &v);
}

/* Places that are stored to get their registers first, before those of mere loads. */
static void find_stores(struct flow *f)
{
	for (uint32_t i = 0; i < f->b->count; i++) {
		const struct vpmu_cost_insn *insn = &f->b->insn[i];

		if (insn->stores)
			place_register(f, place_of(f, i));
		f->stack_lost |= insn->writes >> VPMU_RSP & 1;
		f->stack += insn->stack;
		f->loaded &= ~insn->writes;
		if (is_plain_load(insn) && insn->load_width == VPMU_LOAD_GENERAL)
			f->loaded |= insn->writes;
	}
	f->loaded &= f->b->repeats ? ~0ull : 0;
	f->stack = 0;
	f->stack_lost = false;
}

static void keep_chain(struct vpmu_chains *c, struct vpmu_chain chain)
{
	struct vpmu_chain *shortest = &c->chain[0];

	if (c->count < VPMU_CHAINS_MAX) {
		c->chain[c->count++] = chain;
		return;
	}
	for (uint32_t i = 1; i < c->count; i++)
		if (c->chain[i].clocks < shortest->clocks)
			shortest = &c->chain[i];
	if (chain.clocks > shortest->clocks)
		*shortest = chain;
}

/* Leaves out stored places whose text means another address behind the block. */
static void drop_places(struct flow *f)
{
	for (uint32_t i = 0; i < VPMU_CHAIN_PLACES; i++)
		if (!(f->kept >> i & 1) ||
		    (f->stack && (vpmu_place_registers(f->chains->place[i]) >> VPMU_RSP & 1)))
			f->chains->written &= ~(1ull << (VPMU_CHAIN_FIRST_PLACE + i));
	if (f->stack)
		f->chains->written |= 1ull << VPMU_RSP;
}

static void keep_chains(struct flow *f)
{
	drop_places(f);
	for (uint64_t left = f->chains->written; left; left &= left - 1) {
		uint32_t to = (uint32_t)__builtin_ctzll(left);
		const struct value *v = flow_value(f, to);

		for (uint32_t i = 0; i < f->inputs; i++)
			if (v->from[i] >= 0)
				keep_chain(f->chains, (struct vpmu_chain){
					f->input[i], (uint8_t)to, (uint16_t)v->from[i] });
	}
}

static void find_chains(const struct costed *b, struct vpmu_chains *chains)
{
	struct flow f;

	f.b = b;
	f.chains = chains;
	f.known = f.loaded = 0;
	f.inputs = 0;
	f.stack = 0;
	f.stack_lost = false;
	f.kept = 0xff;
	find_stores(&f);
	for (uint32_t i = 0; i < b->count; i++)
		flow_through(&f, i);
	keep_chains(&f);
}

/* ---- loads ---- */

#define SAME_MAX 24	/* instructions from an access to another with the same registers */
#define GENERAL 0xffffu

static int16_t find_same(const struct costed *b, uint32_t i)
{
	uint32_t first = i;
	uint64_t changed = 0;

	for (uint32_t k = i; k-- > 0 && i - k < SAME_MAX;) {
		const struct vpmu_cost_insn *insn = &b->insn[k];

		changed |= insn->writes;
		if (b->insn[i].address & changed)
			break;
		if ((insn->loads || insn->stores) && insn->address == b->insn[i].address)
			first = k;
	}
	return (int16_t)first;
}

/* Goes over the block once. `from` has the load that each general register's value comes from. */
static void find_producers(const struct costed *b, int16_t *from, int16_t *producer)
{
	for (uint32_t i = 0; i < b->count; i++) {
		const struct vpmu_cost_insn *insn = &b->insn[i];
		int16_t source = -1;

		for (uint64_t left = insn->address; left; left &= left - 1)
			if (from[__builtin_ctzll(left)] >= 0 && (insn->loads || insn->stores))
				producer[i] = from[__builtin_ctzll(left)];
		for (uint64_t left = insn->reads & GENERAL; left; left &= left - 1)
			if (from[__builtin_ctzll(left)] >= 0)
				source = from[__builtin_ctzll(left)];
		if (insn->loads)
			source = (int16_t)i;
		for (uint64_t left = insn->writes & GENERAL; left; left &= left - 1)
			from[__builtin_ctzll(left)] = source;
	}
}

static void find_loads(const struct costed *b, struct vpmu_block_cost *cost)
{
	int16_t from[16];

	memset(from, 0xff, sizeof(from));
	for (uint32_t i = 0; i < b->count; i++) {
		const struct vpmu_cost_insn *insn = &b->insn[i];
		bool access = insn->loads || insn->stores || insn->class == VPMU_COST_UNKNOWN;

		cost->producer[i] = -1;
		cost->same[i] = !access ? -1 : insn->address ? find_same(b, i) : (int16_t)i;
	}
	for (int round = 0; round <= b->repeats; round++)
		find_producers(b, from, cost->producer);
}

/* ---- */

static void begin_block(struct costed *b, const struct vpmu_cost_code *code,
			const struct vpmu_core_costs *table)
{
	b->table = table;
	b->count = code->count;
	b->address = code->address;
	b->code = code->code;
	decode_all(b);
}

void vpmu_block_work(const struct vpmu_cost_code *code, const struct vpmu_core_costs *table,
		     struct vpmu_insn_work *of)
{
	struct costed b;

	begin_block(&b, code, table);
	for (uint32_t i = 0; i < b.count; i++)
		of[i] = insn_work(&b, i);
}

void vpmu_block_cost(const struct vpmu_cost_code *code, const struct vpmu_core_costs *table,
		     struct vpmu_block_cost *cost)
{
	const struct vpmu_chains *path = &cost->chains;
	struct costed b;

	begin_block(&b, code, table);
	memset(&cost->chains, 0, sizeof(cost->chains) - sizeof(cost->chains.chain));
	cost->chains.conditional = b.count && (b.insn[b.count - 1].class == VPMU_COST_BRANCH ||
					       b.insn[b.count - 1].class == VPMU_COST_LOOP);
	for (uint32_t i = 0; i < b.count; i++)
		add_instruction(&b, i, cost);
	find_chains(&b, &cost->chains);
	find_loads(&b, cost);
	cost->once = vpmu_demand_once(&cost->chains.demand, table);
	cost->back = b.back;
	cost->loop = b.repeats ? vpmu_path_clocks(&path, 1, table) : cost->once;
}
