/* SPDX-License-Identifier: MIT */
/* Counts core events, in front of the callbacks of callbacks.c. core_feed.h has the rules and the
 * entry points. Each thread counts into memory of its own without a lock; report() adds this to the
 * model under the machine lock, at least every VPMU_REPORT_CLOCKS. `on` says whether code is
 * translated with these callbacks, and `turn` how often that began. Counts of an older turn are
 * dropped. */
#include "core_feed.h"

#include <stdlib.h>
#include <string.h>

#include "../thread/clock.h"
#include "../thread/machine_lock.h"
#include "core_blocks.h"
#include "../profile/clocks.h"
#include "../profile/call_callbacks.h"
#include "../translate/instructions.h"
#include "predictor.h"
#include "tlb.h"

#define unlikely(x) __builtin_expect(!!(x), 0)

/* User data of an access: flags below the number of the instruction in its block, from 1, and
 * the number that it has as sites.h says, if the clock needs it. */
enum { LOCKED = 1, VECTOR = 2, MANY = 4, NONTEMPORAL = 8, INSTRUCTION_SHIFT = 4,
       INSTRUCTION_LAST = 1023, SITE_SHIFT = 16 };

/* The thread's last load or store, of which QEMU may show more pieces. */
struct piece {
	uintptr_t note;		/* of its instruction; 0: none in this block yet */
	uint64_t line;		/* of its first byte */
	bool split, missed, missed_l2, missed_l3, walked, walked_far;
};

struct core_thread {
	struct vpmu_runner *runner;
	const struct vpmu_block *previous;
	enum vpmu_ring ring;	/* of what has not been reported */
	struct piece load, store;
	uint64_t reported;	/* clock */
	uint32_t turn;		/* the one that the counts belong to */
	uint32_t counts[VPMU_CORE_EVENTS];
	struct vpmu_tlb dtlb, itlb;
	struct vpmu_predictor predictor;
};

static const struct vpmu_caches *caches;	/* NULL: the machine has no core events */
static struct vpmu_core_feed_parts parts;
/* Code is translated so that this is counted: an enum vpmu_core_level. */
static uint32_t mode;
static uint32_t turn;	/* how often it became all */
static __thread struct core_thread *mine __attribute__((tls_model("initial-exec")));

static __thread struct vpmu_runner *retired __attribute__((tls_model("initial-exec")));

static uint32_t wanted(void)
{
	uint32_t level = vpmu_core_events_wanted(caches->s);

	return level == VPMU_CORE_RETIRED && !parts.retires ? VPMU_CORE_ALL : level;
}

bool vpmu_core_feed_open(const struct vpmu_caches *c, const struct vpmu_core_feed_parts *p)
{
	if (!vpmu_core_events_modelled(&c->s->machine))
		return false;
	caches = c;
	parts = *p;
	mode = wanted();
	return true;
}

bool vpmu_core_feed_active(void)
{
	return __atomic_load_n(&mode, __ATOMIC_RELAXED) == VPMU_CORE_ALL;
}

bool vpmu_core_feed_retires(void)
{
	return __atomic_load_n(&mode, __ATOMIC_RELAXED) == VPMU_CORE_RETIRED;
}

/* ---- threads ---- */

static void shape_buffers(struct core_thread *t)
{
	if (!vpmu_has_skylake_cores(&caches->s->machine))
		return;
	t->dtlb.shape = &vpmu_tlb_skl_data;
	t->itlb.shape = &vpmu_tlb_skl_code;
	t->itlb.other = &t->dtlb;
}

void vpmu_core_feed_enter(struct vpmu_runner *r)
{
	if (vpmu_core_feed_retires() && !retired && !mine) {
		retired = r;
		vpmu_retired_begin(r);
	}
	if (!vpmu_core_feed_active() || mine)
		return;
	mine = calloc(1, sizeof(*mine));
	if (!mine)
		abort();
	shape_buffers(mine);
	mine->runner = r;
	mine->reported = r->clock;
	vpmu_profile_clocks_restart(r);
	mine->turn = __atomic_load_n(&turn, __ATOMIC_RELAXED);
	r->counts = mine->counts;
	r->level = VPMU_CORE_ALL;
	r->plain = r->usual = false;
}

void vpmu_core_feed_restart(bool forked)
{
	if (retired)
		vpmu_retired_restart(retired);
	if (!mine)
		return;
	mine->reported = mine->runner->clock;
	vpmu_profile_clocks_restart(mine->runner);
	if (forked)
		memset(mine->counts, 0, sizeof(mine->counts));
}

void vpmu_core_feed_forget(uint64_t first, uint64_t last)
{
	if (!mine)
		return;
	vpmu_tlb_forget(&mine->dtlb, first, last);
	vpmu_tlb_forget(&mine->itlb, first, last);
}

static void report(struct core_thread *t, uint32_t cpu)
{
	uint64_t now;

	vpmu_runner_settle(t->runner);
	now = t->runner->clock;
	if (cpu == VPMU_NO_CPU)
		return;
	vpmu_runner_lock(caches->s, t->runner);
	vpmu_profile_clocks(t->runner);
	vpmu_core_events_at(caches->s, cpu, t->ring, t->counts, (uint32_t)(now - t->reported));
	t->reported = now;
	memset(t->counts, 0, sizeof(t->counts));
	if (parts.reported)
		parts.reported();
}

static void report_retired(void)
{
	vpmu_runner_lock(caches->s, retired);
	vpmu_retired_report(caches->s, retired);
}

void vpmu_core_feed_moves(void)
{
	if (retired)
		report_retired();
}

void vpmu_core_feed_report(void)
{
	if (retired)
		report_retired();
	if (mine)
		report(mine, mine->runner->cpu);
}

static void forget_mine(void)
{
	mine->runner->counts = NULL;
	mine->runner->level = VPMU_CORE_NOTHING;
	free(mine);
	mine = NULL;
}

static void forget_retired(void)
{
	report_retired();
	vpmu_retired_end(retired);
	retired = NULL;
}

void vpmu_core_feed_leave(void)
{
	if (retired)
		forget_retired();
	if (!mine)
		return;
	report(mine, mine->runner->cpu);
	forget_mine();
}

/* ---- on and off ---- */

/* A program may start and stop its counters often, and translating takes time. */
#define QUIET_LOOKS 4096u

/* Several threads may notice the change at once: only one of them retranslates. */
static void turn_to(uint32_t level)
{
	if (__atomic_load_n(&mode, __ATOMIC_RELAXED) == level)
		return;
	if (level == VPMU_CORE_ALL)
		__atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED);
	if (__atomic_exchange_n(&mode, level, __ATOMIC_RELAXED) != level)
		parts.retranslate();
}

static void mode_poll(void)
{
	static uint32_t quiet;
	uint32_t level = wanted();

	if (level >= __atomic_load_n(&mode, __ATOMIC_RELAXED)) {
		__atomic_store_n(&quiet, 0, __ATOMIC_RELAXED);
		turn_to(level);
	} else if (__atomic_add_fetch(&quiet, 1, __ATOMIC_RELAXED) >= QUIET_LOOKS) {
		turn_to(level);
	}
}

static uint32_t level_now(void)
{
	return mine ? VPMU_CORE_ALL : retired ? VPMU_CORE_RETIRED : VPMU_CORE_NOTHING;
}

void vpmu_core_feed_follow(void)
{
	struct vpmu_runner *r;

	if (!caches || !parts.retranslate)
		return;
	mode_poll();
	if (level_now() == __atomic_load_n(&mode, __ATOMIC_RELAXED))
		return;
	r = parts.runner();
	if (retired)
		forget_retired();
	if (mine) {
		if (vpmu_core_feed_retires())
			report(mine, mine->runner->cpu);
		forget_mine();
		vpmu_caches_choose(caches, r);
	}
	if (r)
		vpmu_core_feed_enter(r);
}

/* ---- blocks ---- */

/* Functions with `noted` are compiled twice, so that without a profile they cost what they cost
 * before there were any. */
#define AS_CONSTANT static inline __attribute__((always_inline))

AS_CONSTANT void count(bool noted, uint32_t *counts, enum vpmu_core_event event, uint32_t times)
{
	counts[event] += times;
	if (noted && times)
		vpmu_charge_core(event, times);
}

/* Counts a branch under its kind. BRANCHES and BRANCHES_TAKEN are counted by the caller. */
AS_CONSTANT void count_kind(bool noted, uint32_t *n, enum vpmu_branch kind, bool wrong)
{
	switch (kind) {
	case VPMU_CALL_INDIRECT:
		count(noted, n, VPMU_BRANCHES_INDIRECT, 1);
		count(noted, n, VPMU_MISPREDICTED_INDIRECT, wrong);
		/* fall through */
	case VPMU_CALL:
		count(noted, n, VPMU_BRANCHES_CALL, 1);
		count(noted, n, VPMU_MISPREDICTED_CALL, wrong);
		break;
	case VPMU_JUMP_INDIRECT:
		count(noted, n, VPMU_BRANCHES_INDIRECT, 1);
		count(noted, n, VPMU_MISPREDICTED_INDIRECT, wrong);
		break;
	case VPMU_RETURN:
		count(noted, n, VPMU_BRANCHES_RETURN, 1);
		count(noted, n, VPMU_MISPREDICTED_RETURN, wrong);
		break;
	case VPMU_CONDITIONAL:
		count(noted, n, VPMU_BRANCHES_CONDITIONAL, 1);
		count(noted, n, VPMU_MISPREDICTED_CONDITIONAL, wrong);
		break;
	default:
		break;
	}
}

/* The block before ended with a branch, which has led to `target`. */
AS_CONSTANT void branched(bool noted, struct core_thread *t, const struct vpmu_block *from,
			  uint64_t target)
{
	struct vpmu_branched b = {
		.kind = from->branch, .address = from->last, .next = from->end, .target = target,
	};
	bool conditional = b.kind == VPMU_CONDITIONAL, taken = !conditional || target != b.next;
	uint32_t *n = t->counts;
	bool wrong;

	wrong = !vpmu_predict(&t->predictor, &b);
	count(noted, n, VPMU_BRANCHES, 1);
	count(noted, n, VPMU_BRANCHES_TAKEN, taken);
	count(noted, n, VPMU_BRANCHES_CONDITIONAL_TAKEN, conditional && taken);
	count(noted, n, VPMU_MISPREDICTED, wrong);
	count(noted, n, VPMU_MISPREDICTED_TAKEN, wrong && taken);
	count_kind(noted, n, b.kind, wrong);
}

AS_CONSTANT void fetch_page(bool noted, struct core_thread *t, uint64_t page)
{
	enum vpmu_walk walk = vpmu_tlb_access(&t->itlb, page);

	count(noted, t->counts, VPMU_ITLB_MISSES, walk != VPMU_NO_WALK);
	count(noted, t->counts, VPMU_ITLB_LONG_WALKS, walk == VPMU_LONG_WALK);
}

AS_CONSTANT void count_block(bool noted, struct core_thread *t, const struct vpmu_block *b)
{
	const struct vpmu_block *before = t->previous;

	if (before && before->branch) {
		struct vpmu_note *note = vpmu_profile.note;

		if (noted && before->noted)
			vpmu_profile.note = &before->noted->notes[before->timed->instructions - 1];
		if (noted)
			vpmu_profile.collects = before->noted;
		branched(noted, t, before, b->start);
		if (noted) {
			vpmu_charges_end();
			vpmu_profile.note = note;
		}
	}
	fetch_page(noted, t, b->start >> VPMU_PAGE_SHIFT);
	fetch_page(noted, t, (b->end - 1) >> VPMU_PAGE_SHIFT);
	t->previous = b;
	t->load.note = t->store.note = 0;
	/* A repetition of the same string instruction is no new block, but new work. */
	if (before && before->repeats && b->timed->instructions == 1 && before->last == b->start) {
		count(noted, t->counts, VPMU_UOPS_ISSUED, b->again.issued);
		count(noted, t->counts, VPMU_UOPS_EXECUTED, b->again.executed);
		return;
	}
	if (noted)
		vpmu_charge_block(b->noted->notes);
	for (uint32_t i = 0; i < b->entries; i++)
		t->counts[b->counts[i].event] += b->counts[i].times;
}

/* A thread's first block, or its first on another virtual CPU: its clock may jump. */
static __attribute__((noinline, cold)) bool arrive(unsigned int vcpu, const struct vpmu_block *b)
{
	uint64_t stalled = vpmu_profile.stalled;

	if (mine) {
		report(mine, mine->runner->cpu);
		vpmu_runner_check_next(mine->runner);
	}
	parts.block(vcpu, (void *)(uintptr_t)b->timed);
	if (!mine && parts.runner && parts.runner())
		vpmu_core_feed_enter(parts.runner());
	if (mine) {
		mine->reported = vpmu_runner_now(mine->runner) - vpmu_work_clocks(b->timed->work);
		vpmu_profile_drop_stalls(stalled);
		vpmu_profile_clocks_from(mine->runner, mine->reported);
	}
	return mine;
}

/* Drops counts of an older turn: the thread did not notice that counting was off in between. */
static __attribute__((noinline, cold)) void begin_anew(struct core_thread *t)
{
	t->turn = __atomic_load_n(&turn, __ATOMIC_RELAXED);
	vpmu_runner_settle(t->runner);
	t->reported = t->runner->clock;
	vpmu_profile_clocks_restart(t->runner);
	t->previous = NULL;
	memset(t->counts, 0, sizeof(t->counts));
}

AS_CONSTANT void enter_block(bool noted, unsigned int vcpu, void *described)
{
	const struct vpmu_block *b = described;
	struct core_thread *t = mine;

	if (noted) {
		vpmu_profile.note = vpmu_note_use(b->noted, VPMU_NOTE_ENTRY,
						  (uintptr_t)b->timed);
		vpmu_follow_block(vpmu_profile.note);
	}
	if (unlikely(t && t->turn != __atomic_load_n(&turn, __ATOMIC_RELAXED)))
		begin_anew(t);
	if (unlikely(t && t->ring != b->ring)) {
		report(t, t->runner->cpu);
		t->ring = b->ring;
	}
	if (unlikely(!t || __atomic_load_n(t->runner->cpu_slot, __ATOMIC_RELAXED) !=
			   t->runner->cpu)) {
		if (!arrive(vcpu, b))
			return;
	} else {
		parts.block(vcpu, (void *)(uintptr_t)b->timed);
	}
	t = mine;	/* the block may have been the one at which counting ends */
	if (unlikely(!t))
		return;
	vpmu_runner_charge(t->runner);
	count_block(noted, t, b);
	if (unlikely(vpmu_runner_now(t->runner) - t->reported >= VPMU_REPORT_CLOCKS)) {
		report(t, t->runner->cpu);
		vpmu_core_feed_follow();
	}
}

static void on_core_block(unsigned int vcpu, void *described)
{
	enter_block(false, vcpu, described);
}

static void on_noted_block(unsigned int vcpu, void *described)
{
	enter_block(true, vcpu, described);
}

void vpmu_core_feed_uncount(uint32_t instructions)
{
	uint32_t *n = mine ? &mine->counts[VPMU_INSTRUCTIONS] : NULL;

	if (n)
		*n -= *n < instructions ? *n : instructions;
}

void vpmu_core_feed_interrupted(void)
{
	if (mine)
		mine->counts[VPMU_INTERRUPTS]++;
}

/* ---- accesses ---- */

/* Counts a new access: an instruction's first load or store, or each one of an instruction that
 * makes many. */
AS_CONSTANT void new_access(bool noted, struct core_thread *t, struct piece *p, uintptr_t note,
			    bool store, uint64_t line)
{
	uint32_t *n = t->counts;
	bool both = note & LOCKED;

	*p = (struct piece){ .note = note, .line = line };
	count(noted, n, VPMU_LOADS, !store || both);
	count(noted, n, VPMU_STORES, store);
	count(noted, n, VPMU_UOPS, 1u + both);
	count(noted, n, store ? VPMU_VECTOR_STORES : VPMU_VECTOR_LOADS, (note & VECTOR) != 0);
}

AS_CONSTANT void piece_split(bool noted, struct core_thread *t, struct piece *p, bool store)
{
	p->split = true;
	count(noted, t->counts, store ? VPMU_SPLIT_STORES : VPMU_SPLIT_LOADS, 1);
	count(noted, t->counts, store ? VPMU_VECTOR_STORES : VPMU_VECTOR_LOADS,
		   (p->note & VECTOR) != 0);
}

AS_CONSTANT void translate_page(bool noted, struct core_thread *t, struct piece *p, bool store,
				uint64_t page)
{
	enum vpmu_walk walk = vpmu_tlb_access(&t->dtlb, page);
	uint32_t *n = t->counts;

	if (walk == VPMU_NO_WALK)
		return;
	count(noted, n, store ? VPMU_DTLB_WRITE_MISSES : VPMU_DTLB_READ_MISSES, 1);
	if (walk == VPMU_LONG_WALK) {
		count(noted, n, VPMU_DTLB_LONG_WALKS, 1);
		count(noted, n, VPMU_DTLB_WRITE_LONG_WALKS, store);
		count(noted, n, store ? VPMU_STORES_WALKED : VPMU_LOADS_WALKED, !p->walked_far);
		p->walked_far = true;
	}
	count(noted, n, store ? VPMU_STORES_DTLB_MISSED : VPMU_LOADS_DTLB_MISSED, !p->walked);
	p->walked = true;
}

/* The load has missed: once per instruction, whatever its pieces. */
AS_CONSTANT void load_missed(bool noted, struct core_thread *t, struct piece *p, bool l1, bool l2,
			     bool l3)
{
	count(noted, t->counts, VPMU_LOADS_L1_MISSED, l1 && !p->missed);
	count(noted, t->counts, VPMU_LOADS_L2_MISSED, l2 && !p->missed_l2);
	count(noted, t->counts, VPMU_LOADS_L3_MISSED, l3 && !p->missed_l3);
	p->missed_l3 |= l3;
	p->missed |= l1;
	p->missed_l2 |= l2;
}

/* The load that has missed these levels is under way from its request to its arrival, or to the
 * thread's clock if that has waited for it. Stalls since the request are the load's own. */
AS_CONSTANT void count_pending(bool noted, struct core_thread *t, uint32_t levels)
{
	const struct vpmu_runner *r = t->runner;
	uint64_t start = r->requested, end = r->served > r->clock ? r->served : r->clock;

	for (uint32_t level = 0; level < levels; level++) {
		uint64_t *until = &t->runner->pending[level];
		uint64_t from = *until > start ? *until : start;

		count(noted, t->counts, VPMU_L1_PENDING + level, (uint32_t)(end - start));
		if (r->clock > from)
			count(noted, t->counts, VPMU_L1_PENDING_STALLS + level,
			      (uint32_t)(r->clock - from));
		if (end > from) {
			count(noted, t->counts, VPMU_L1_PENDING_CLOCKS + level,
			      (uint32_t)(end - from));
			*until = end;
		}
	}
}

AS_CONSTANT void missed(bool noted, struct core_thread *t, struct piece *p, bool store,
			const uint32_t before[3])
{
	uint32_t *n = t->counts;
	uint32_t l1 = n[store ? VPMU_L1D_WRITE_MISSES : VPMU_L1D_READ_MISSES] - before[0];
	bool l2 = n[VPMU_L2_READ_MISS] > before[1], l3 = n[VPMU_FILL_READ_MEMORY] > before[2];

	if (p->note & VECTOR)
		count(noted, n, store ? VPMU_VECTOR_WRITE_MISSES : VPMU_VECTOR_READ_MISSES, l1);
	if (store)
		return;
	load_missed(noted, t, p, l1 > 0, l2, l3);
	if (l1 && t->runner->estimates)
		count_pending(noted, t, 1u + l2 + l3);
}

static void note_access(struct vpmu_note *note, qemu_plugin_meminfo_t info, uint64_t address)
{
	vpmu_profile.note = note;
	vpmu_follow_access(note, info, address);
	vpmu_charges_begin();
}

static void leave_access(void)
{
	vpmu_charges_end();
	vpmu_profile.at = 0;
}

AS_CONSTANT void access_core(bool noted, unsigned int vcpu, qemu_plugin_meminfo_t info,
			     uint64_t address, void *user)
{
	struct core_thread *t = mine;
	uintptr_t note = (uintptr_t)user;
	bool store = info & VPMU_INFO_STORE;
	struct piece *p;
	uint64_t number = t && t->runner->estimates ? note >> SITE_SHIFT :
			  address / VPMU_LINE_BYTES % VPMU_SITES_PLAIN;
	void *site = (void *)(number * sizeof(struct vpmu_way *));
	qemu_plugin_vcpu_mem_cb_t feed = note & NONTEMPORAL ? parts.nontemporal : parts.access;
	uint32_t before[3];
	uint64_t last = vpmu_info_last(info, address);

	if (unlikely(!t)) {	/* counting has ended in this block */
		feed(vcpu, info, address, site);
		return;
	}
	p = store ? &t->store : &t->load;
	if (noted && t->previous && t->previous->noted)
		note_access(&t->previous->noted->notes[(note >> INSTRUCTION_SHIFT &
							INSTRUCTION_LAST) - 1], info, address);
	if (p->note != note || (note & MANY))
		new_access(noted, t, p, note, store, address / VPMU_LINE_BYTES);
	if (unlikely(last / VPMU_LINE_BYTES != p->line && !p->split))
		piece_split(noted, t, p, store);
	translate_page(noted, t, p, store, address >> VPMU_PAGE_SHIFT);
	translate_page(noted, t, p, store, last >> VPMU_PAGE_SHIFT);
	before[0] = t->counts[store ? VPMU_L1D_WRITE_MISSES : VPMU_L1D_READ_MISSES];
	before[1] = t->counts[VPMU_L2_READ_MISS];
	before[2] = t->counts[VPMU_FILL_READ_MEMORY];
	feed(vcpu, info, address, site);
	if (unlikely(t->counts[store ? VPMU_L1D_WRITE_MISSES : VPMU_L1D_READ_MISSES] != before[0] ||
		     t->counts[VPMU_L2_READ_MISS] != before[1]))
		missed(noted, t, p, store, before);
	if (noted)
		leave_access();
}

static void on_core_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			   void *user)
{
	access_core(false, vcpu, info, address, user);
}

static void on_noted_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			    void *user)
{
	access_core(true, vcpu, info, address, user);
}

/* A prefetch is no load and has misses of its own. Behind the L1 it counts as a data read. */
static void on_core_prefetch(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			     void *to_l1)
{
	struct core_thread *t = mine;
	uint32_t n[VPMU_CORE_EVENTS] = { 0 };

	if (unlikely(!t)) {
		parts.prefetch(vcpu, info, address, to_l1);
		return;
	}
	t->runner->counts = n;
	parts.prefetch(vcpu, info, address, to_l1);
	t->runner->counts = t->counts;
	n[VPMU_PREFETCH1_MISSES] = to_l1 ? n[VPMU_L1D_READ_MISSES] : 0;
	n[to_l1 ? VPMU_PREFETCH1_L2_MISSES : VPMU_PREFETCH2_MISSES] = n[VPMU_L2_READ_MISS];
	vpmu_charge_core(VPMU_PREFETCH1_MISSES, n[VPMU_PREFETCH1_MISSES]);
	vpmu_charge_core(to_l1 ? VPMU_PREFETCH1_L2_MISSES : VPMU_PREFETCH2_MISSES,
			 n[VPMU_L2_READ_MISS]);
	vpmu_charge_core(VPMU_L1D_READ_MISSES, -(uint64_t)n[VPMU_L1D_READ_MISSES]);
	n[VPMU_L1D_READ_MISSES] = 0;
	for (uint32_t i = 0; i < VPMU_CORE_EVENTS; i++)
		t->counts[i] += n[i];
}

static void on_noted_prefetch(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			      void *user)
{
	note_access(user, info, address);
	on_core_prefetch(vcpu, info, address, (void *)(uintptr_t)vpmu_profile.note->user);
	leave_access();
}

static void on_noted_fence(unsigned int vcpu, void *user)
{
	vpmu_profile.note = user;
	parts.fence(vcpu, NULL);
}

/* ---- translation ---- */

static void watch_prefetch(struct qemu_plugin_insn *insn, size_t index, bool to_l1,
			   struct vpmu_noted_block *noted)
{
	if (noted)
		vpmu_register_prefetch(insn, on_noted_prefetch,
				       vpmu_note_use(noted, index, to_l1));
	else
		vpmu_register_prefetch(insn, on_core_prefetch, (void *)(uintptr_t)to_l1);
}

static void watch_fence(struct qemu_plugin_insn *insn, size_t index, struct vpmu_noted_block *noted)
{
	qemu_plugin_register_vcpu_insn_exec_cb(insn, noted ? on_noted_fence : parts.fence,
					       QEMU_PLUGIN_CB_NO_REGS,
					       noted ? vpmu_note_use(noted, index, 0) : NULL);
}

/* noted: NULL without a profile. */
static void watch_instruction(struct qemu_plugin_insn *insn, size_t index,
			      struct vpmu_noted_block *noted, struct vpmu_timed_block *timed)
{
	uint8_t bytes[QEMU_PLUGIN_INSN_BYTES];
	size_t size = qemu_plugin_insn_data(insn, bytes, sizeof(bytes));
	struct vpmu_class c = vpmu_class_of(bytes, size);
	uintptr_t note = (index + 1) << INSTRUCTION_SHIFT;

	if (c.store == VPMU_FENCE) {
		watch_fence(insn, index, noted);
		return;
	}
	if (c.prefetch)
		watch_prefetch(insn, index, vpmu_prefetches_to_l1(c.prefetch), noted);
	if (c.prefetch || c.no_access)
		return;
	note |= (c.locked ? LOCKED : 0u) | (c.vector ? VECTOR : 0u) | (c.many ? MANY : 0u) |
		(c.store == VPMU_NONTEMPORAL ? NONTEMPORAL : 0u) |
		(uintptr_t)vpmu_timed_site(timed, index) << SITE_SHIFT;
	qemu_plugin_register_vcpu_mem_cb(insn, noted ? on_noted_access : on_core_access,
					 QEMU_PLUGIN_CB_NO_REGS,
					 c.locked ? QEMU_PLUGIN_MEM_W : QEMU_PLUGIN_MEM_RW,
					 (void *)note);
}

void vpmu_core_feed_translate(struct qemu_plugin_tb *tb, struct vpmu_timed_block *timed)
{
	const struct vpmu_core_costs *table = vpmu_has_skylake_cores(&caches->s->machine) ?
					      &vpmu_costs_skylake : NULL;
	const struct vpmu_block *b = vpmu_block_describe(tb, timed, table);
	size_t count = qemu_plugin_tb_n_insns(tb);

	qemu_plugin_register_vcpu_tb_exec_cb(tb, b->noted ? on_noted_block : on_core_block,
					     QEMU_PLUGIN_CB_NO_REGS, (void *)(uintptr_t)b);
	for (size_t i = 0; i < count; i++)
		watch_instruction(qemu_plugin_tb_get_insn(tb, i), i, b->noted, timed);
	if (b->noted && vpmu_following)
		vpmu_calls_translated(tb, b->noted);
}
