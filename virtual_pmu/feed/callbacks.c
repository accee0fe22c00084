/* SPDX-License-Identifier: MIT */
/* The callbacks of blocks, memory accesses and fences: they join QEMU to caches and clock.
 * vpmu_callbacks_open() opens the machine, vpmu_callbacks_translate() registers callbacks for a
 * block, and vpmu_callbacks_publish() brings the thread's counts into the registers. A hit in an L1
 * takes no lock. An L1 miss is handled in cache/llc.c or cache/plain_access.c, under the machine
 * lock. */
#include "callbacks.h"

#include <stdio.h>
#include <string.h>

#include "thread/clock.h"
#include "cache/contention.h"
#include "data_access.h"
#include "core/predictor.h"
#include "fetch.h"
#include "profile/call_callbacks.h"
#include "program/outside.h"
#include "thread/machine_lock.h"
#include "thread/process_turn.h"
#include "thread/scheduler.h"

static struct vpmu_callbacks callbacks;
static const qemu_plugin_vcpu_mem_cb_t accesses_noted[VPMU_WAYS];

static void on_pause(unsigned int vcpu, void *unused)
{
	struct vpmu_emulated *t = vpmu_self;

	(void)vcpu, (void)unused;
	if (!t)
		return;
	vpmu_runner_settle(&t->runner);
	vpmu_contended_pause(&t->runner);
	if (vpmu_spinning(&t->spinning, t->runner.clock, t->runner.spin_clocks))
		vpmu_scheduler_spin(t->runner.own, t->runner.clock);
}

/* user: the instruction's address, doubled; 1 more: the block has no other one. */
static void on_repeat(unsigned int vcpu, void *user)
{
	uint64_t packed = (uint64_t)(uintptr_t)user;
	struct vpmu_emulated *t = vpmu_self;

	(void)vcpu;
	if (!t)
		return;
	vpmu_runner_settle(&t->runner);
	vpmu_retired_repeat(&t->runner, packed >> 1, packed & 1);
}

/* The next access is this instruction's. */
static void on_locked(unsigned int vcpu, void *unused)
{
	struct vpmu_emulated *t = vpmu_self;

	(void)vcpu, (void)unused;
	if (!t)
		return;
	vpmu_runner_settle(&t->runner);
	vpmu_contended_locked(&t->runner);
}

static void on_block(unsigned int vcpu, void *timed);

static struct vpmu_emulated *thread_start(unsigned int vcpu, const struct vpmu_timed_block *b)
{
	struct vpmu_emulated *t = vpmu_emulated_start(vcpu);

	vpmu_retired_first(&t->runner, b);
	return t;
}

/* Clocks from a mispredicted branch to the next block. 7-cpu.com has 16.5 for Skylake where the
 * micro-op cache has the block, and 19 to 20 where it does not. LLVM's Skylake has 14. */
#define MISPREDICTED_CLOCKS 16u

/* The block before has branched here, or not. */
static inline void branch(struct vpmu_runner *r, const struct vpmu_timed_block *from,
			  const struct vpmu_timed_block *b)
{
	struct vpmu_branched branched;
	bool foreseen, settled = false;

	if (from->branch == VPMU_CONDITIONAL) {
		foreseen = vpmu_predict_condition(r->predictor, from->start + from->last,
						  b->start != from->end, &settled);
	} else {
		branched = (struct vpmu_branched){ (enum vpmu_branch)from->branch,
						   from->start + from->last, from->end, b->start };
		foreseen = vpmu_predict(r->predictor, &branched);
	}
	r->settled = settled && from == b && b->path == 0 ? b : NULL;
	if (unlikely(!foreseen))
		r->work += vpmu_work(MISPREDICTED_CLOCKS * VPMU_CLOCK_PARTS, 0);
}

/* Adds what the way to the block costs, where the clock estimates time. */
static NOINLINE void enter_behind(struct vpmu_runner *r, struct vpmu_timed_block *from,
				struct vpmu_timed_block *b)
{
	r->before = b;
	if (!from) {
		r->work += b->work;
		return;
	}
	if (vpmu_timed_is_round(b, from)) {
		r->work += likely(b->path == r->path && b->from == from) ? b->back :
			   vpmu_timed_round(b, from, r->path);
		r->path = 0;
	} else {
		r->work += b->work;
		r->path = (r->path << 7 | r->path >> 57) ^ b->start;
	}
	b->from = from;
	r->settled = NULL;
	if (from->branch != VPMU_NO_BRANCH && from->branch != VPMU_JUMP)
		branch(r, from, b);
}

static inline void enter(struct vpmu_runner *r, struct vpmu_timed_block *b)
{
	if (!r->predictor)
		r->work += b->work;
	else if (r->settled == b)
		r->work += b->back;
	else
		enter_behind(r, r->before, b);
}

/* A loop that only reads the same places waits for another thread. */
static void search_loop(struct vpmu_emulated *t, const struct vpmu_timed_block *b)
{
	if (vpmu_spinning_reads(&t->spinning, t->runner.clock, t->runner.misses, b))
		vpmu_scheduler_end_slice(t->runner.clock);
	if (t->spinning.loop)
		vpmu_runner_check_next(&t->runner);
}

/* A thread's first block, a new virtual CPU, or time to publish. */
SLOW static void block_slow(unsigned int vcpu, struct vpmu_timed_block *b)
{
	struct vpmu_emulated *t = vpmu_self;
	uint32_t package, before;

	if (t)
		enter(&t->runner, b);
	else
		t = thread_start(vcpu, b);
	vpmu_runner_settle(&t->runner);
	vpmu_runner_let_others(vpmu_feed.segment, &t->runner);
	if (__atomic_load_n(t->runner.cpu_slot, __ATOMIC_RELAXED) != t->runner.cpu) {
		vpmu_core_feed_moves();
		package = t->runner.package;
		before = t->runner.cpu;
		vpmu_caches_place(&vpmu_feed.caches, &t->runner, *t->runner.cpu_slot);
		if (t->runner.package != package)
			vpmu_runner_catch_up(&t->runner);
		if (before != VPMU_NO_CPU)
			vpmu_retired_restart(&t->runner);
	}
	vpmu_core_feed_follow();
	vpmu_emulated_publish_clock(t);
	vpmu_runner_expire(&t->runner);
	if (vpmu_retired_is_due(&t->runner))
		vpmu_core_feed_report();
	if (t->runner.l1i.sets)
		fetch(t, b);
	if (callbacks.parts.reported)
		callbacks.parts.reported();
	if (t->runner.clock >= __atomic_load_n(&vpmu_outside_from, __ATOMIC_RELAXED))
		vpmu_outside_leave();
	if (vpmu_turn_is_over(t->runner.clock) || vpmu_process_turn_asked() ||
	    (vpmu_feed.cpu_of && !vpmu_scheduler_has_turn()))
		vpmu_scheduler_leave();
	if (__atomic_load_n(&vpmu_turn_end, __ATOMIC_RELAXED) != UINT64_MAX)
		search_loop(t, b);
}

/* True unless the thread has to publish its clock, had its turn when it has entered the block, or
 * is on another CPU. What the way to the block adds is seen at the next one. */
static inline bool is_quiet(struct vpmu_runner *r, const struct vpmu_timed_block *b)
{
	uint64_t work = r->work + b->work;

	return likely(work < r->work_limit || !vpmu_runner_is_due(r, work));
}

/* The block's code is not where it was last. */
static NOINLINE void enter_and_fetch(struct vpmu_emulated *t, struct vpmu_timed_block *b)
{
	enter(&t->runner, b);
	if (t->runner.l1i.sets)
		fetch(t, b);
}

static void on_block(unsigned int vcpu, void *timed)
{
	struct vpmu_timed_block *b = timed;
	struct vpmu_emulated *t = vpmu_self;

	if (unlikely(!t || !is_quiet(&t->runner, b))) {
		block_slow(vcpu, b);
	} else if (!fetch_again(&t->runner, b->line, b->lines)) {
		enter_and_fetch(t, b);
	} else {
		enter(&t->runner, b);
		t->runner.inside = NULL;
	}
}

static void on_block_outside(unsigned int vcpu, void *timed)
{
	struct vpmu_timed_block *b = timed;
	struct vpmu_emulated *t = vpmu_self;

	if (unlikely(!t || !is_quiet(&t->runner, b)))
		block_slow(vcpu, b);
	else
		enter(&t->runner, b);
}

/* ---- a block's first access ---- */

static inline void *first_site(const struct vpmu_timed_block *b)
{
	return (void *)(uintptr_t)b->site;
}

static const qemu_plugin_vcpu_mem_cb_t accesses[VPMU_WAYS];

/* Does the access itself, once the block that it stands for is counted. */
static void first_goes_on(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			  void *user, uint32_t ways)
{
	accesses[ways & ~(uint32_t)VPMU_FIRST](vcpu, info, address, first_site(user));
}

static AS_GIVEN void first_slow(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
				void *user, uint32_t ways)
{
	block_slow(vcpu, user);
	first_goes_on(vcpu, info, address, user, ways);
}

static AS_GIVEN void first_fetch(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
				 void *user, uint32_t ways)
{
	enter_and_fetch(vpmu_self, user);
	first_goes_on(vcpu, info, address, user, ways);
}

/* Fast path for a loop of one block: its lines are where they were, and were used last. What
 * changes the L1I clears `inside`, and so does the begin of a turn. */
static inline __attribute__((always_inline)) bool
enter_loop(struct vpmu_runner *r, const struct vpmu_timed_block *b)
{
	if (likely(r->inside == b))
		return true;
	if (!fetch_again(r, b->line, b->lines))
		return false;
	r->inside = b;
	return true;
}

/* Enters the block of a first access. False: a slow path has done the block and the access. */
static inline __attribute__((always_inline)) bool
enter_first(struct vpmu_emulated *t, uint32_t ways, unsigned int vcpu, qemu_plugin_meminfo_t info,
	    uint64_t address, void *user)
{
	struct vpmu_timed_block *b = user;

	if (unlikely(!t || !is_quiet(&t->runner, b))) {
		first_slow(vcpu, info, address, user, ways);
		return false;
	}
	if (unlikely(!enter_loop(&t->runner, b))) {
		first_fetch(vcpu, info, address, user, ways);
		return false;
	}
	enter(&t->runner, b);
	return true;
}

static inline __attribute__((always_inline)) void
access_as(uint32_t ways, unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
	  void *user)
{
	struct vpmu_emulated *t = vpmu_self;

	if (ways & VPMU_FIRST) {
		if (!enter_first(t, ways, vcpu, info, address, user))
			return;
		user = first_site(user);
	}
	if (ways & VPMU_MODIFIES)
		modify(&t->runner, vcpu, info, address, user);
	else
		access_any(&t->runner, vcpu, info, address, user);
}

static void on_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *user)
{
	access_as(0, vcpu, info, address, user);
}

static void on_modify(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *user)
{
	access_as(VPMU_MODIFIES, vcpu, info, address, user);
}

static void on_first(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *user)
{
	access_as(VPMU_FIRST, vcpu, info, address, user);
}

static void on_first_modify(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			    void *user)
{
	access_as(VPMU_FIRST | VPMU_MODIFIES, vcpu, info, address, user);
}

static const qemu_plugin_vcpu_mem_cb_t accesses[VPMU_WAYS] = {
	[0] = on_access, [VPMU_MODIFIES] = on_modify,
	[VPMU_FIRST] = on_first, [VPMU_FIRST | VPMU_MODIFIES] = on_first_modify,
};

/* ---- groups of accesses ---- */

/* Does the accesses of a group one by one, without the first `done`. */
static NOINLINE void access_each(struct vpmu_runner *r, unsigned int vcpu, uint64_t first,
				 const struct vpmu_group *group, uint32_t done)
{
	for (uint32_t i = done; i < group->count; i++) {
		const struct vpmu_grouped *a = &group->access[i];
		uint64_t address = (first & a->mask) + a->offset;
		void *site = (void *)(uintptr_t)a->site;

		if (a->modifies)
			modify(r, vcpu, a->info, address, site);
		else
			access_any(r, vcpu, a->info, address, site);
	}
}

/* The way in which the line's last access found it. NULL: the line is gone, or its state does not
 * permit all accesses of the group. */
static inline struct vpmu_way *line_again(struct vpmu_runner *r, const struct vpmu_group_line *l,
					  uint64_t first)
{
	struct vpmu_way *way = *site_of(r, (void *)(uintptr_t)l->site);
	uint64_t tag = vpmu_runner_tag(r, (first & l->mask) + l->offset);

	return l1_way_has(way, tag, l->stores ? VPMU_WORD_M : VPMU_WORD_S) ? way : NULL;
}

/* NULL: not known. */
static inline const struct vpmu_group_lines *lines_of(struct vpmu_group *group, uint64_t first)
{
	uint64_t from = first - group->before;
	const struct vpmu_group_lines *lines;

	if (from % 8)
		return NULL;
	lines = __atomic_load_n(&group->lines[from / 8 % 8], __ATOMIC_ACQUIRE);
	if (!lines)
		lines = vpmu_group_look(group, first);
	return lines->count ? lines : NULL;
}

/* Does all accesses of a group at once, if all their lines are where they were last. */
static inline bool access_again(struct vpmu_runner *r, uint64_t first, struct vpmu_group *group)
{
	const struct vpmu_group_lines *lines = lines_of(group, first);
	struct vpmu_way *way[VPMU_GROUP_LINES];

	for (uint32_t i = 0; lines && i < lines->count; i++) {
		way[i] = line_again(r, &lines->line[i], first);
		if (!way[i])
			return false;
	}
	for (uint32_t i = 0; lines && i < lines->count; i++)
		__atomic_store_n(&way[i]->used, r->uses + lines->line[i].last, __ATOMIC_RELAXED);
	r->uses += lines ? group->count : 0;
	return lines;
}

static void on_group(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *user)
{
	struct vpmu_group *group = user;
	void *first = (void *)(uintptr_t)group->user;
	uint32_t done = 0;

	if (group->ways & VPMU_FIRST)
		done = !enter_first(vpmu_self, group->ways, vcpu, info, address, first);
	if (done || !access_again(&vpmu_self->runner, address, group))
		access_each(&vpmu_self->runner, vcpu, address, group, done);
}

void vpmu_callbacks_publish(struct vpmu_emulated *t)
{
	vpmu_runner_settle(&t->runner);
	vpmu_emulated_publish(t);
	vpmu_core_feed_report();
}

static void on_nontemporal(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			   void *unused)
{
	vpmu_runner_settle(&vpmu_self->runner);
	vpmu_nontemporal_store(vcpu, info, address, unused);
}

static void on_prefetch(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			void *to_l1)
{
	struct vpmu_emulated *t = vpmu_self;
	uint64_t tag;

	(void)vcpu, (void)info;
	if (!t)
		return;
	vpmu_runner_settle(&t->runner);
	tag = vpmu_runner_tag(&t->runner, address);
	if (t->combining.used)
		vpmu_nontemporal_release(t, tag);
	vpmu_caches_prefetch(&vpmu_feed.caches, &t->runner, tag, to_l1);
}

static void on_fence(unsigned int vcpu, void *unused)
{
	vpmu_runner_settle(&vpmu_self->runner);
	vpmu_nontemporal_fence(vcpu, unused);
}

/* ---- the same with a note for user data ---- */

static inline void *enter_note(void *user)
{
	struct vpmu_note *note = user;

	vpmu_profile.note = note;
	return (void *)(uintptr_t)note->user;
}

static inline void charge_entry(struct vpmu_note *note)
{
	vpmu_charge_block(note);
	vpmu_runner_charge(&vpmu_self->runner);
}

/* The same where the callback is an access's. */
static inline void *enter_access(void *user, qemu_plugin_meminfo_t info, uint64_t address)
{
	vpmu_follow_access(user, info, address);
	vpmu_charges_begin();
	return enter_note(user);
}

static inline void leave_access(void)
{
	vpmu_charges_end();
	vpmu_profile.at = 0;
}

static void on_block_noted(unsigned int vcpu, void *user)
{
	vpmu_follow_block(user);
	on_block(vcpu, enter_note(user));
	charge_entry(user);
}

static inline __attribute__((always_inline)) void
noted_as(uint32_t ways, unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
	 void *user)
{
	if (ways & VPMU_FIRST)
		vpmu_follow_block(user);
	access_as(ways, vcpu, info, address, enter_access(user, info, address));
	leave_access();
	if (ways & VPMU_FIRST)
		charge_entry(user);
}

static void on_access_noted(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			    void *user)
{
	noted_as(0, vcpu, info, address, user);
}

static void on_modify_noted(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			    void *user)
{
	noted_as(VPMU_MODIFIES, vcpu, info, address, user);
}

static void on_first_noted(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			   void *user)
{
	noted_as(VPMU_FIRST, vcpu, info, address, user);
}

static void on_first_modify_noted(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
				  void *user)
{
	noted_as(VPMU_FIRST | VPMU_MODIFIES, vcpu, info, address, user);
}

static const qemu_plugin_vcpu_mem_cb_t accesses_noted[VPMU_WAYS] = {
	[0] = on_access_noted, [VPMU_MODIFIES] = on_modify_noted,
	[VPMU_FIRST] = on_first_noted, [VPMU_FIRST | VPMU_MODIFIES] = on_first_modify_noted,
};

static void on_repeat_noted(unsigned int vcpu, void *user)
{
	on_repeat(vcpu, enter_note(user));
}

static void on_fence_noted(unsigned int vcpu, void *user)
{
	on_fence(vcpu, enter_note(user));
}

static void on_nontemporal_noted(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
				 void *user)
{
	on_nontemporal(vcpu, info, address, enter_access(user, info, address));
	leave_access();
}

static void on_prefetch_noted(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			      void *user)
{
	on_prefetch(vcpu, info, address, enter_access(user, info, address));
	leave_access();
}

void vpmu_callbacks_profile(void)
{
	callbacks.noted = true;
	callbacks.accesses = accesses_noted;
	callbacks.repeat = on_repeat_noted;
	callbacks.parts.block = on_block_noted;
	callbacks.parts.fence = on_fence_noted;
	callbacks.parts.nontemporal = on_nontemporal_noted;
	callbacks.parts.prefetch = on_prefetch_noted;
}

/* ---- translation ---- */

static void watch_instructions(struct qemu_plugin_tb *tb, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint8_t bytes[QEMU_PLUGIN_INSN_BYTES];
		size_t size = qemu_plugin_insn_data(insn, bytes, sizeof(bytes));

		if (vpmu_is_pause(bytes, size))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_pause,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
		else if (!vpmu_feed.cpu_of && vpmu_is_locked(bytes, size))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_locked,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
	}
}

void vpmu_callbacks_translate(struct qemu_plugin_tb *tb, uint64_t fetched)
{
	size_t count = qemu_plugin_tb_n_insns(tb);
	struct vpmu_timed_block *timed = vpmu_timed_block_of(tb, fetched);

	if (vpmu_following)
		vpmu_calls_translate(tb);
	watch_instructions(tb, count);
	if (vpmu_outside())
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block_outside, QEMU_PLUGIN_CB_NO_REGS,
						     timed);
	else if (vpmu_core_feed_active())
		vpmu_core_feed_translate(tb, timed);
	else
		vpmu_translation_register(&callbacks, tb, count, timed);
}

/* Instructions of a block, from `first` to before `end`, were executed so often more than the
 * block. */
struct part { uint32_t first, end; uint64_t times; };

static void charge_interrupted(uint64_t address, const uint8_t *code, size_t bytes,
			       struct part part)
{
	size_t size, at = 0;

	if (!vpmu_profiles() || !code)
		return;
	for (uint32_t i = 0; i < part.end; i++, at += size) {
		size = vpmu_instruction_size(code + at, bytes - at);
		if (!size)
			return;
		if (i >= part.first)
			vpmu_charge_at(address + at, vpmu_kind_core(vpmu_profile.little,
								    VPMU_INSTRUCTIONS),
				       part.times);
	}
}

/* A block whose first access stands for it is not counted yet if it has not come to that one. Any
 * other was counted when it was entered. */
void vpmu_callbacks_interrupted(uint64_t address, const uint8_t *code, size_t bytes,
				uint32_t instructions, uint32_t executed)
{
	struct vpmu_block_code block = { code, bytes, instructions };
	struct vpmu_timed_block part = vpmu_timed_block_part(address, bytes, executed), *before;
	int first = code && !vpmu_core_feed_active() ?
		    vpmu_translation_first(&callbacks, &block) : -1;

	vpmu_runner_settle(&vpmu_self->runner);
	charge_interrupted(address, code, bytes,
			   first >= (int)executed - 1 ? (struct part){ 0, executed, 1 } :
			   (struct part){ executed, instructions, UINT64_MAX });
	if (first >= (int)executed - 1) {
		before = vpmu_self->runner.before;
		vpmu_self->runner.before = NULL;
		on_block(0, &part);
		vpmu_runner_settle(&vpmu_self->runner);
		vpmu_self->runner.before = before;
		return;
	}
	vpmu_self->runner.clock -= vpmu_rough_parts(instructions - executed) / VPMU_CLOCK_PARTS;
	vpmu_self->runner.instructions -= instructions - executed;
	vpmu_core_feed_uncount(instructions - executed);
}

static struct vpmu_runner *settled_runner(void)
{
	if (!vpmu_self)
		return NULL;
	vpmu_runner_settle(&vpmu_self->runner);
	return &vpmu_self->runner;
}

const struct vpmu_core_feed_parts vpmu_callbacks_parts = {
	.block = on_block,
	.fence = on_fence,
	.access = on_access,
	.nontemporal = on_nontemporal,
	.prefetch = on_prefetch,
};

int vpmu_callbacks_open(const char *path, const struct vpmu_core_feed_parts *used, char *why,
			size_t why_bytes)
{
	int rc = vpmu_segment_open(path, &vpmu_feed.segment, why, why_bytes);

	if (rc)
		return rc;
	rc = vpmu_caches_open(&vpmu_feed.caches, vpmu_feed.segment);
	if (rc) {
		snprintf(why, why_bytes, "%s: machine '%s' has caches that the feed cannot model",
			 path, vpmu_feed.segment->machine.name);
		return rc;
	}
	/* A kernel's own timers follow the clock: a whole machine keeps a clock an instruction. */
	if (vpmu_feed.cpu_of)
		vpmu_feed.caches.estimates = false;
	vpmu_timed_blocks_begin(vpmu_feed.caches.estimates);
	callbacks.parts = *used;
	callbacks.parts.runner = settled_runner;
	callbacks.accesses = used->access == on_access ? accesses : NULL;
	callbacks.group = on_group;
	callbacks.repeat = on_repeat;
	vpmu_core_feed_open(&vpmu_feed.caches, &callbacks.parts);
	return 0;
}

const char *vpmu_callbacks_argument(int argc, char **argv, const char *name)
{
	size_t length = strlen(name);

	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], name, length) && argv[i][length] == '=')
			return argv[i] + length + 1;
	return NULL;
}
