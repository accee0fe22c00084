/* SPDX-License-Identifier: MIT */
/* Finds the instructions that need a callback by their bytes alone, without decoding them in full:
 * a block ends with its call, return or jump. Addresses of the program are addresses of this
 * process. vpmu_calls_translate() and vpmu_calls_translated() are the entry points. */
#include "call_callbacks.h"

#include <stdlib.h>
#include <string.h>

#include "allocations.h"
#include "code_places.h"
#include "mappings.h"

/* ---- sites of calls ---- */

/* Those of the same instruction in several blocks are one; they are never freed. */
static struct vpmu_call_site **sites;
static uint32_t sites_size, sites_used;

static struct vpmu_call_site **site_place(struct vpmu_call_site **in, uint32_t size, uint32_t call)
{
	uint32_t at = call * 2654435761u;

	while (in[at & (size - 1)] && in[at & (size - 1)]->call != call)
		at++;
	return &in[at & (size - 1)];
}

static bool sites_grow(void)
{
	uint32_t size = sites_size ? sites_size * 2 : 1024;
	struct vpmu_call_site **more = calloc(size, sizeof(struct vpmu_call_site *));

	if (!more)
		return false;
	for (uint32_t i = 0; i < sites_size; i++)
		if (sites[i])
			*site_place(more, size, sites[i]->call) = sites[i];
	free(sites);
	sites = more;
	sites_size = size;
	return true;
}

/* NULL: there is no room for its note. */
static struct vpmu_call_site *site_of(struct vpmu_note *note)
{
	const struct vpmu_profile_note *r = vpmu_note_record(note);
	struct vpmu_call_site **place;

	if (!r || (sites_used * 2 >= sites_size && !sites_grow()))
		return NULL;
	place = site_place(sites, sites_size, vpmu_profile_ref(r));
	if (*place)
		return *place;
	*place = calloc(1, sizeof(**place));
	if (!*place)
		return NULL;
	(*place)->call = vpmu_profile_ref(r);
	sites_used++;
	return *place;
}

/* ---- callbacks ---- */

static void on_call(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *site)
{
	struct vpmu_follower *f = vpmu_follower;

	(void)vcpu, (void)info;
	if (!f)
		return;
	vpmu_calls_call(&f->calls, site, address);
	if (!f->knows_stack) {
		vpmu_objects_stack(address, f->lines->thread);
		f->knows_stack = true;
	}
}

static void on_return(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *unused)
{
	struct vpmu_follower *f = vpmu_follower;

	(void)vcpu, (void)info, (void)unused;
	if (!f)
		return;
	if (f->allocating.kind && f->allocating.sp <= address)
		vpmu_allocation_returns(f, address);
	vpmu_calls_return(&f->calls, address);
}

static void on_jump(unsigned int vcpu, void *site)
{
	(void)vcpu;
	if (vpmu_follower)
		vpmu_calls_jump(&vpmu_follower->calls, site);
}

/* The block has set the stack pointer, and ends with a jump, as in longjmp(), or the loader's when
 * it has found a function. */
static void on_switch(unsigned int vcpu, void *site)
{
	(void)vcpu;
	if (!vpmu_follower)
		return;
	vpmu_calls_unwind(&vpmu_follower->calls, vpmu_follow_host.stack());
	vpmu_calls_jump(&vpmu_follower->calls, site);
}

/* user: the address << 4, and the allocator. */
static void on_function(unsigned int vcpu, void *user)
{
	uint64_t packed = (uint64_t)(uintptr_t)user, sp;
	struct vpmu_follower *f = vpmu_follower ? vpmu_follower : vpmu_follower_begin();

	(void)vcpu;
	if (!f)
		return;
	if (f->calls.entered) {
		vpmu_calls_enter(&f->calls, packed >> 4);
		if (!(packed & 15))
			return;
	}
	sp = vpmu_follow_host.stack();
	vpmu_calls_function(&f->calls, packed >> 4, sp);
	if (packed & 15)
		vpmu_allocation_enters(f, (enum vpmu_allocator)(packed & 15), sp);
}

/* ---- translation ---- */

struct last_instruction { struct qemu_plugin_insn *insn; uint8_t bytes[15]; size_t size, opcode; };

static struct last_instruction last_of(struct qemu_plugin_tb *tb)
{
	struct last_instruction l = {
		.insn = qemu_plugin_tb_get_insn(tb, qemu_plugin_tb_n_insns(tb) - 1),
	};

	l.size = qemu_plugin_insn_data(l.insn, l.bytes, sizeof(l.bytes));
	while (l.opcode + 1 < l.size &&
	       (l.bytes[l.opcode] == 0xf2 || l.bytes[l.opcode] == 0xf3 ||
		l.bytes[l.opcode] == 0x2e || l.bytes[l.opcode] == 0x3e ||
		l.bytes[l.opcode] == 0x66 || (l.bytes[l.opcode] & 0xf0) == 0x40))
		l.opcode++;
	return l;
}

/* FF /n; -1: another instruction. */
static int indirect_of(const struct last_instruction *l)
{
	if (l->bytes[l->opcode] != 0xff || l->opcode + 1 >= l->size)
		return -1;
	return l->bytes[l->opcode + 1] >> 3 & 7;
}

/* The target of a direct call or jump; 0: it is another instruction. */
static uint64_t target_of(const struct last_instruction *l)
{
	uint64_t next = qemu_plugin_insn_vaddr(l->insn) + l->size;
	uint8_t byte = l->bytes[l->opcode];
	int32_t by;

	if (byte == 0xeb || (byte & 0xf0) == 0x70)
		return next + (uint64_t)(int64_t)(int8_t)l->bytes[l->size - 1];
	if (l->size < l->opcode + 5 || (byte != 0xe8 && byte != 0xe9 && byte != 0x0f))
		return 0;
	if (byte == 0x0f && (l->bytes[l->opcode + 1] & 0xf0) != 0x80)
		return 0;
	memcpy(&by, &l->bytes[l->size - 4], sizeof(by));
	return next + (uint64_t)(int64_t)by;
}

static bool is_call(const struct last_instruction *l)
{
	return l->bytes[l->opcode] == 0xe8 || indirect_of(l) == 2;
}

static bool is_return(const struct last_instruction *l)
{
	return l->bytes[l->opcode] == 0xc3 || l->bytes[l->opcode] == 0xc2;
}

/* MOV to RSP from another register or from memory, as longjmp() has it: 48 to 4F, 89 or 8B. */
static bool sets_stack(struct qemu_plugin_tb *tb)
{
	for (size_t i = 0; i + 1 < qemu_plugin_tb_n_insns(tb); i++) {
		uint8_t b[15];
		size_t size = qemu_plugin_insn_data(qemu_plugin_tb_get_insn(tb, i), b, sizeof(b));

		if (size < 3 || (b[0] & 0xf8) != 0x48)
			continue;
		if (b[1] == 0x89 && (b[2] & 0xc7) == 0xc4 && !(b[0] & 1))
			return true;
		if (b[1] == 0x8b && (b[2] & 0x38) == 0x20 && !(b[0] & 4))
			return true;
	}
	return false;
}

static bool is_function(uint64_t address)
{
	return vpmu_place_is_function(address) || vpmu_arcs_has(&vpmu_follow_arcs, address);
}

void vpmu_calls_translate(struct qemu_plugin_tb *tb)
{
	uint64_t address = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
	bool called = vpmu_follower && vpmu_follower->calls.entered;
	uint64_t allocator;

	vpmu_mapping_of(address);	/* so that its file is read */
	if ((!called && !is_function(address)) || vpmu_place_is_stub(address))
		return;
	allocator = vpmu_place_allocator(address);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_function, QEMU_PLUGIN_CB_R_REGS,
					     (void *)(uintptr_t)(address << 4 | allocator));
}

static void translate_jump(struct qemu_plugin_tb *tb, const struct last_instruction *l,
			   struct vpmu_call_site *site)
{
	uint64_t target = target_of(l);

	if (indirect_of(l) == 4 && sets_stack(tb))
		qemu_plugin_register_vcpu_insn_exec_cb(l->insn, on_switch, QEMU_PLUGIN_CB_R_REGS,
						       site);
	else if (indirect_of(l) == 4 || (target && is_function(target)))
		qemu_plugin_register_vcpu_insn_exec_cb(l->insn, on_jump, QEMU_PLUGIN_CB_NO_REGS,
						       site);
}

void vpmu_calls_translated(struct qemu_plugin_tb *tb, struct vpmu_noted_block *block)
{
	struct last_instruction l = last_of(tb);
	struct vpmu_call_site *site;

	if (is_return(&l)) {
		qemu_plugin_register_vcpu_mem_cb(l.insn, on_return, QEMU_PLUGIN_CB_R_REGS,
						 QEMU_PLUGIN_MEM_R | VPMU_MEM_IN_CODE, NULL);
		return;
	}
	if (!is_call(&l) && indirect_of(&l) != 4 && !target_of(&l))
		return;
	site = site_of(&block->notes[block->record->count - 1]);
	if (!site)
		return;
	if (!is_call(&l)) {
		translate_jump(tb, &l, site);
		return;
	}
	if (target_of(&l))
		vpmu_arcs_expect(&vpmu_follow_arcs, target_of(&l));
	qemu_plugin_register_vcpu_mem_cb(l.insn, on_call, QEMU_PLUGIN_CB_NO_REGS,
					 QEMU_PLUGIN_MEM_W | VPMU_MEM_IN_CODE, site);
}
