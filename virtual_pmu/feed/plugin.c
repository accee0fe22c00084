/* SPDX-License-Identifier: MIT */
/* feed/: the execution feed, a plugin of QEMU that turns what a program executes into events of the
 * model. This file joins QEMU's user-mode emulation to the caches: one runner per emulated thread,
 * which is a host thread with the same id. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bypass.h"
#include "clock.h"
#include "combining.h"
#include "core_feed.h"
#include "hidden.h"
#include "hugepages.h"
#include "instructions.h"
#include "crossing.h"
#include "qemu_plugin_api.h"
#include "waiting.h"

#define EXPORTED __attribute__((visibility("default")))
#define SLOW __attribute__((noinline, cold))
#define unlikely(x) __builtin_expect(!!(x), 0)

/* A block of guest code packed into a callback's user data: line << 17 | lines << 10 | insns.
 * QEMU's blocks have at most 512 instructions of at most 15 bytes. */
#define BLOCK_LINES_SHIFT 10
#define BLOCK_LINE_SHIFT 17
/* Only an access that starts nearer than this to the end of a line can cross it: QEMU splits an
 * instruction's larger accesses, except for 16-byte atomics, which must be aligned. */
#define ACCESS_BYTES_SURE 8
#define PARENTS_MAX 4096

struct thread {
	struct vpmu_runner runner;
	struct vpmu_combining combining;
	bool waits;			/* inside a system call that can wait */
	uint64_t maps;			/* bytes that it maps, if they may have large pages */
	struct vpmu_hidden_map code;
	struct vpmu_bypass bypass;
	struct vpmu_thread spare;	/* when the segment has no slot left */
};

EXPORTED extern int qemu_plugin_version;
EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
				 char **argv);

EXPORTED int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static struct vpmu_segment *segment;
static struct vpmu_caches caches;
static uint64_t space;
static uint32_t parents[PARENTS_MAX];	/* thread that created the vcpu */
static bool attached;
static bool keeping;			/* of the machine lock by the only thread */
static uint32_t store_bits;		/* those of qemu_plugin_meminfo_t that mean a store */

/* Initial-exec: one instruction to reach it, at every memory access. */
static __thread struct thread *self __attribute__((tls_model("initial-exec")));

static uint64_t new_space(void)
{
	uint32_t id = __atomic_fetch_add(&segment->next_space, 1, __ATOMIC_RELAXED);

	return (uint64_t)(id & 0xffff) << VPMU_SPACE_SHIFT;
}

static void count_feed(bool attach)
{
	if (attached == attach)
		return;
	attached = attach;
	__atomic_fetch_add(&segment->feeds, attach ? 1u : -1u, __ATOMIC_RELAXED);
}

/* The thread that executes another program is its process's last. */
static void count_process(struct thread *t, bool here)
{
	count_feed(here);
	t->runner.may_keep = here && keeping;
	__atomic_fetch_add(&segment->runners, here ? 1u : -1u, __ATOMIC_RELAXED);
}

/* Finds or makes the slot of this thread in the segment and starts its runner there. */
static void enter(struct thread *t, uint32_t parent)
{
	struct vpmu_runner *r = &t->runner;
	struct vpmu_thread *slot;
	bool locked;

	r->tid = (uint32_t)syscall(SYS_gettid);
	r->space = space;
	r->keeps = r->may_keep = false;
	locked = vpmu_feed_lock(segment, r->tid);
	slot = vpmu_thread_slot(segment, r->tid, parent);
	__atomic_fetch_add(&segment->runners, 1, __ATOMIC_RELAXED);
	if (locked)
		vpmu_feed_unlock(segment);
	r->may_keep = keeping;
	if (!slot) {
		slot = &t->spare;
		slot->cpu = r->tid % vpmu_machine_cpus(&segment->machine);
	}
	r->cpu_slot = &slot->cpu;
	r->clock_slot = &slot->clock;
	r->clock = slot->clock;
	vpmu_caches_place(&caches, r, slot->cpu);
	vpmu_runner_catch_up(&caches, r);
	r->published = r->clock;
}

SLOW static struct thread *thread_start(unsigned int vcpu)
{
	struct thread *t = aligned_alloc(128, (sizeof(*t) + 127) / 128 * 128);

	if (!t)
		abort();
	memset(t, 0, sizeof(*t));
	enter(t, vcpu < PARENTS_MAX ? __atomic_load_n(&parents[vcpu], __ATOMIC_RELAXED) : 0);
	self = t;
	vpmu_core_feed_enter(&t->runner);
	return t;
}

/* Publishes what this thread still holds back: combined stores and its clock. */
static void publish(struct thread *t)
{
	if (!t->combining.used && vpmu_runner_behind(&caches, &t->runner))
		return;
	if (!vpmu_runner_lock(segment, &t->runner))
		return;
	vpmu_combining_flush(&caches, &t->runner, &t->combining);
	vpmu_runner_publish(&caches, &t->runner, 1);
	vpmu_runner_unlock(segment, &t->runner);
}

SLOW static void publish_clock(struct thread *t)
{
	if (vpmu_runner_behind(&caches, &t->runner) || !vpmu_runner_lock(segment, &t->runner))
		return;
	vpmu_runner_publish(&caches, &t->runner, 1);
	vpmu_runner_unlock(segment, &t->runner);
}

static void thread_end(void)
{
	struct thread *t = self;
	bool locked;

	if (!t)
		return;
	publish(t);
	vpmu_core_feed_leave();
	vpmu_runner_let_go(segment, &t->runner);
	locked = vpmu_feed_lock(segment, t->runner.tid);
	vpmu_thread_release(segment, t->runner.tid);
	__atomic_fetch_sub(&segment->runners, 1, __ATOMIC_RELAXED);
	if (locked)
		vpmu_feed_unlock(segment);
	self = NULL;
	free(t);
}

/* ---- accesses ---- */

/* An ordinary access to a line that still gathers non-temporal stores. */
SLOW static void release_line(struct thread *t, uint64_t tag)
{
	if (!vpmu_combining_has(&t->combining, tag) || !vpmu_runner_lock(segment, &t->runner))
		return;
	vpmu_combining_flush_line(&caches, &t->runner, &t->combining, tag);
	vpmu_runner_unlock(segment, &t->runner);
}

static void touch(struct thread *t, uint64_t tag, enum vpmu_touch kind)
{
	if (unlikely(t->combining.used))
		release_line(t, tag);
	vpmu_caches_access(&caches, &t->runner, tag, kind);
}

/* What the fast path below does not decide. */
static __attribute__((noinline)) void access_slow(qemu_plugin_meminfo_t info, uint64_t address)
{
	struct thread *t = self;
	uint64_t tag = vpmu_runner_tag(&t->runner, address);
	enum vpmu_touch kind = info & store_bits ? VPMU_STORE : VPMU_LOAD;
	uint32_t size = 1u << qemu_plugin_mem_size_shift(info);

	touch(t, tag, kind);
	if (unlikely(address % VPMU_LINE_BYTES + size > VPMU_LINE_BYTES))
		touch(t, tag + VPMU_LINE_BYTES, kind);
}

/* Not the most recently used line of its set, or not in a state that permits this. */
static __attribute__((noinline)) void access_older(qemu_plugin_meminfo_t info, uint64_t address)
{
	struct vpmu_runner *r = &self->runner;
	uint64_t least = info & store_bits ? VPMU_WORD_M : VPMU_WORD_S;

	if (!vpmu_fast_hit(&r->l1d, vpmu_runner_tag(r, address), least))
		access_slow(info, address);
}

/* One callback for loads and stores: QEMU 7.2 calls both kinds whichever was asked for. An atomic
 * read-modify-write arrives once, as a store. */
static void on_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *unused)
{
	const struct vpmu_runner *r = &self->runner;
	uint64_t least = info & store_bits ? VPMU_WORD_M : VPMU_WORD_S;

	(void)vcpu, (void)unused;
	if (unlikely(address % VPMU_LINE_BYTES > VPMU_LINE_BYTES - ACCESS_BYTES_SURE))
		access_slow(info, address);
	else if (!vpmu_fast_newest(&r->l1d, vpmu_runner_tag(r, address), least))
		access_older(info, address);
}

static void combine(struct thread *t, uint64_t tag, uint64_t bytes)
{
	if (vpmu_combining_add(&t->combining, tag, bytes))
		return;
	if (!vpmu_runner_lock(segment, &t->runner))
		return;
	vpmu_combining_open(&caches, &t->runner, &t->combining, tag, bytes);
	vpmu_runner_publish(&caches, &t->runner, VPMU_PUBLISH_CLOCKS);
	vpmu_runner_unlock(segment, &t->runner);
}

static void on_nontemporal(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			   void *unused)
{
	uint32_t size = 1u << qemu_plugin_mem_size_shift(info);
	uint64_t offset = address % VPMU_LINE_BYTES;
	uint64_t tag = vpmu_runner_tag(&self->runner, address);
	uint64_t bytes = (1ull << size) - 1;

	(void)vcpu, (void)unused;
	combine(self, tag, bytes << offset);
	if (unlikely(offset + size > VPMU_LINE_BYTES))
		combine(self, tag + VPMU_LINE_BYTES, bytes >> (VPMU_LINE_BYTES - offset));
}

static void on_fence(unsigned int vcpu, void *unused)
{
	(void)vcpu, (void)unused;
	if (self->combining.used)
		publish(self);
}

static uint32_t block_lines(uint64_t block)
{
	return block >> BLOCK_LINES_SHIFT & 0x7f;
}

static uint64_t block_tag(const struct thread *t, uint64_t block)
{
	return vpmu_runner_tag(&t->runner, block >> BLOCK_LINE_SHIFT << 6);
}

static __attribute__((noinline)) void fetch(struct thread *t, uint64_t block)
{
	uint32_t lines = block_lines(block);
	uint64_t tag = block_tag(t, block);

	for (; lines; lines--, tag += VPMU_LINE_BYTES)
		if (!vpmu_fast_hit(&t->runner.l1i, tag, VPMU_WORD_S))
			touch(t, tag, VPMU_CODE);
}

/* A thread's first block, a new virtual CPU, or time to publish. */
SLOW static void block_slow(unsigned int vcpu, uint64_t block)
{
	struct thread *t = self ? self : thread_start(vcpu);

	if (__atomic_load_n(t->runner.cpu_slot, __ATOMIC_RELAXED) != t->runner.cpu) {
		vpmu_caches_place(&caches, &t->runner, *t->runner.cpu_slot);
		vpmu_runner_catch_up(&caches, &t->runner);
	}
	publish_clock(t);
	if (vpmu_lock_contended(segment))
		vpmu_runner_let_go(segment, &t->runner);
	if (t->runner.l1i.sets)
		fetch(t, block);
}

/* The code's lines are all the newest of their sets: to fetch them changes nothing. */
static inline bool fetched_last(const struct vpmu_fast *l1i, uint64_t tag, uint32_t lines)
{
	return vpmu_fast_newest(l1i, tag, VPMU_WORD_S) &&
	       (lines == 1 ||
		(lines == 2 && vpmu_fast_newest(l1i, tag + VPMU_LINE_BYTES, VPMU_WORD_S)));
}

static void on_block(unsigned int vcpu, void *packed)
{
	uint64_t block = (uint64_t)(uintptr_t)packed;
	struct thread *t = self;

	if (unlikely(!t)) {
		block_slow(vcpu, block);
		return;
	}
	t->runner.clock += block & 0x3ff;
	if (unlikely(__atomic_load_n(t->runner.cpu_slot, __ATOMIC_RELAXED) != t->runner.cpu ||
		     t->runner.clock - t->runner.published >= VPMU_PUBLISH_CLOCKS))
		block_slow(vcpu, block);
	else if (t->runner.l1i.sets &&
		 !fetched_last(&t->runner.l1i, block_tag(t, block), block_lines(block)))
		fetch(t, block);
}

/* ---- translation ---- */

static void watch_instruction(struct qemu_plugin_insn *insn)
{
	switch (vpmu_store_of(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn))) {
	case VPMU_NONTEMPORAL:
		qemu_plugin_register_vcpu_mem_cb(insn, on_nontemporal, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_W, NULL);
		break;
	case VPMU_FENCE:
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_fence, QEMU_PLUGIN_CB_NO_REGS,
						       NULL);
		break;
	case VPMU_ORDINARY:
		qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
		break;
	}
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t count = vpmu_block_instructions(tb);
	struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, count - 1);
	uint64_t start = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
	uint64_t end = qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last) - 1;
	uint64_t lines = (end >> 6) - (start >> 6) + 1;
	uint64_t packed = start >> 6 << BLOCK_LINE_SHIFT | lines << BLOCK_LINES_SHIFT | count;

	(void)id;
	if (vpmu_core_feed_active()) {
		vpmu_core_feed_translate(tb, packed, vpmu_hidden(start));
		return;
	}
	if (vpmu_hidden(start))
		return;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS,
					     (void *)(uintptr_t)packed);
	for (size_t i = 0; i < count; i++)
		watch_instruction(qemu_plugin_tb_get_insn(tb, i));
}

/* ---- system calls, threads, processes ---- */

static void on_syscall(qemu_plugin_id_t id, unsigned int vcpu, int64_t num, uint64_t a1,
		       uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
		       uint64_t a8)
{
	const uint64_t arguments[5] = { a1, a2, a3, a4, a5 };
	struct thread *t = self;

	(void)id, (void)vcpu, (void)a6, (void)a7, (void)a8;
	if (!t)
		return;
	if (num == SYS_prctl && a1 == VPMU_SYNC_PRCTL && a2 == VPMU_PRCTL_ACCESS) {
		t->runner.clock++;
		vpmu_core_feed_system_call();
	}
	/* Serialising: this covers the shim's VPMU_SYNC_PRCTL as well. */
	publish(t);
	vpmu_core_feed_report();
	vpmu_runner_let_go(segment, &t->runner);
	t->runner.keep_from = t->runner.clock + VPMU_KEEP_AFTER_CLOCKS;
	t->waits = vpmu_syscall_waits(num, a2);
	t->maps = vpmu_hugepages_bytes(num, a2, a3, a4);
	vpmu_hidden_call(&t->code, num, arguments);
	vpmu_bypass_call(&t->bypass, num, arguments);
	if (num == SYS_execve)
		count_process(t, false);
	else if (num == SYS_exit || num == SYS_exit_group)
		thread_end();
}

static void on_syscall_return(qemu_plugin_id_t id, unsigned int vcpu, int64_t num, int64_t ret)
{
	struct thread *t = self;

	(void)id, (void)vcpu;
	if (!t)
		return;
	vpmu_bypass_return(&t->bypass, num, ret);
	if (t->maps && ret > 0)
		vpmu_hugepages_advise((uint64_t)ret, t->maps);
	vpmu_hidden_return(&t->code, ret);
	if (num == SYS_execve)	/* it failed */
		count_process(t, true);
	if (t->waits) {
		vpmu_runner_catch_up(&caches, &t->runner);
		vpmu_core_feed_restart(false);
	}
	t->waits = false;
}

static void on_vcpu_start(qemu_plugin_id_t id, unsigned int vcpu)
{
	(void)id;
	/* Runs in the thread that makes the new one; the very first has none. */
	if (vcpu < PARENTS_MAX)
		__atomic_store_n(&parents[vcpu], self ? self->runner.tid : 0, __ATOMIC_RELAXED);
}

static void on_process_exit(qemu_plugin_id_t id, void *unused)
{
	(void)id, (void)unused;
	thread_end();
	count_feed(false);
}

static void after_fork(void)
{
	attached = false;
	count_feed(true);
	space = new_space();
	if (self) {
		self->combining.used = 0;	/* the parent's */
		enter(self, self->runner.tid);
		vpmu_core_feed_restart(true);
	}
}

/* The interface tells stores by a function; to ask it once per bit spares a call per access. */
static void learn_store_bits(void)
{
	for (uint32_t bit = 1; bit; bit <<= 1)
		if (qemu_plugin_mem_is_store(bit))
			store_bits |= bit;
}

static const struct vpmu_core_feed_parts core_feed_parts = {
	.block = on_block, .access = on_access, .nontemporal = on_nontemporal, .fence = on_fence,
};

static int open_segment(const char *path, char *why, size_t why_bytes)
{
	int rc = vpmu_segment_open(path, &segment, why, why_bytes);

	if (rc)
		return rc;
	rc = vpmu_caches_open(&caches, segment);
	if (rc)
		snprintf(why, why_bytes, "%s: machine '%s' has caches that the feed cannot model",
			 path, segment->machine.name);
	else
		vpmu_core_feed_open(&caches, &core_feed_parts);
	return rc;
}

/* What follows `name=` in the plugin's arguments; NULL: it is not given. */
static const char *argument(int argc, char **argv, const char *name)
{
	size_t length = strlen(name);

	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], name, length) && argv[i][length] == '=')
			return argv[i] + length + 1;
	return NULL;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	const char *path = argument(argc, argv, "segment");
	const char *keep = argument(argc, argv, "keep");
	char why[512] = "vpmu feed: needs segment=PATH and a user-mode x86_64 QEMU";

	if (!path || info->system_emulation || strcmp(info->target_name, "x86_64") ||
	    open_segment(path, why, sizeof(why))) {
		/* QEMU itself only reports that some plugin failed. */
		dprintf(STDERR_FILENO, "%s\n", why);
		return -EINVAL;
	}
	learn_store_bits();
	vpmu_hidden_find();
	keeping = keep && !strcmp(keep, "on");
	space = new_space();
	count_feed(true);
	pthread_atfork(NULL, NULL, after_fork);
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_start);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, on_syscall_return);
	qemu_plugin_register_atexit_cb(id, on_process_exit, NULL);
	return 0;
}
