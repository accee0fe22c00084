/* SPDX-License-Identifier: MIT */
/* When a thread defers its accesses, and that none is pending where others may read. That they have
 * the outcome of immediate ones is in feed_paths. This test stands in for QEMU. */
#include "feed_qemu.h"
#include "virtual_pmu/feed/thread/emulated_thread.h"

#define LATER (UINT32_C(1) << 30)	/* misses */

static struct vpmu_llc_counts counts;

/* XOR to memory, MOV from it, MOVNTI, SFENCE and PAUSE, each in a block between a NOP and an XOR to
 * memory, which is not executed. */
enum { XOR, MOV, MOVNTI, SFENCE, PAUSE, BLOCKS };
static struct qemu_plugin_tb blocks[BLOCKS];
static const struct qemu_plugin_insn instructions[BLOCKS] = {
	[XOR] = { .size = 3, .bytes = { 0x48, 0x31, 0x07 } },
	[MOV] = { .size = 3, .bytes = { 0x48, 0x8b, 0x07 } },
	[MOVNTI] = { .size = 3, .bytes = { 0x0f, 0xc3, 0x07 } },
	[SFENCE] = { .size = 3, .bytes = { 0x0f, 0xae, 0xf8 } },
	[PAUSE] = { .size = 2, .bytes = { 0xf3, 0x90 } },
};

static void execute(int which, uint64_t address)
{
	const struct qemu_plugin_tb *tb = &blocks[which];
	const struct qemu_plugin_insn *insn = &tb->insn[1];

	if (tb->execute)
		tb->execute(0, tb->udata);
	if (insn->execute)
		insn->execute(0, NULL);
	if (which == XOR || which == MOV)
		make_access(insn, address, 8, LOADS);
	if (which == XOR || which == MOVNTI)
		make_access(insn, address, 8, STORES);
}

static void never_or_always(bool defers)
{
	struct vpmu_emulated *t = vpmu_self;

	t->runner.deferring = defers ? &t->deferring : NULL;
	t->runner.judged_at = defers ? t->runner.scattered : t->runner.scattered + LATER;
}

/* On the machine as it was when it was switched on: from clock 0 on, on CPU 0. */
static void begin(bool always)
{
	memset((unsigned char *)segment + segment->caches_offset, 0, segment->caches_bytes);
	memset(&seen, 0, sizeof(seen));
	segment->uclk[0] = 0;
	execute(MOV, 0x1000000);
	vpmu_thread_find(segment, vpmu_gettid())->cpu = 0;
	vpmu_self->runner.clock = vpmu_self->runner.numbered = 0;
	never_or_always(always);
}

static void end_thread(void)
{
	call(SYS_exit, 0, 0);
}

/* Lines that no cache has, and none behind the last. */
static void miss(int which, uint32_t lines)
{
	static uint64_t at = 0x10000000;

	for (; lines; lines--)
		execute(which, at += 3 * 64);
}

static bool defers(void)
{
	return vpmu_defers(&vpmu_self->runner);
}

static void a_miss_that_is_due_begins_deferring(void **state)
{
	(void)state;
	for (int which = XOR; which <= MOV; which++) {
		begin(false);
		execute(which, 0x1000000);	/* its code is there then */
		never_or_always(true);
		assert_false(defers());
		miss(which, 1);
		assert_true(defers());
		miss(which, VPMU_DEFERRED_MAX);
		assert_true(defers());
		assert_int_equal(vpmu_self->deferring.count, 0);
		miss(which, 1);
		assert_int_equal(vpmu_self->deferring.count, 1);
		call(SYS_getpid, 0, 0);
		assert_false(defers());
		miss(which, 1);
		assert_true(defers());
		end_thread();
	}
}

/* A batch of deferred accesses, so many of which miss. */
static void batch(uint32_t misses)
{
	begin(true);
	miss(MOV, 1 + misses);
	for (uint32_t i = misses; i < VPMU_DEFERRED_MAX; i++)
		execute(MOV, 0x1000000);
	assert_int_equal(vpmu_self->deferring.count, 0);
}

static void scattered_misses_decide(void **state)
{
	(void)state;
	batch(VPMU_DEFERRED_SPARSE);
	assert_true(defers());
	end_thread();
	batch(VPMU_DEFERRED_SPARSE - 1);
	for (uint32_t i = 0; i < VPMU_DEFERRED_PAUSE; i++) {
		assert_false(defers());
		miss(MOV, 1);
	}
	assert_true(defers());
	end_thread();
}

#define PENDING 5u

static void get_pid(void) { call(SYS_getpid, 0, 0); }
static void fence(void) { execute(SFENCE, 0); }
static void store_past(void) { execute(MOVNTI, 0x1000000); }
static void end_process(void) { process_exit(1, NULL); }

static void pause_beside_another(void)
{
	execute(PAUSE, 0);
}

static void be_moved(void)
{
	vpmu_thread_find(segment, vpmu_gettid())->cpu = 1;
	execute(MOV, 0x1000000);
	assert_int_equal(vpmu_self->runner.cpu, 1);
}

static void nothing_is_pending_after(void (*what)(void))
{
	uint64_t reads;

	begin(true);
	miss(MOV, 1);
	reads = seen.tracker[VPMU_TRK_DATA_READ] + PENDING;
	miss(MOV, PENDING);
	assert_int_equal(vpmu_self->deferring.count, PENDING);
	assert_int_equal(seen.tracker[VPMU_TRK_DATA_READ], reads - PENDING);
	what();
	assert_int_equal(seen.tracker[VPMU_TRK_DATA_READ], reads);
	if (!vpmu_self)
		return;
	assert_int_equal(vpmu_self->deferring.count, 0);
	end_thread();
}

static void nothing_is_pending_where_others_may_look(void **state)
{
	(void)state;
	nothing_is_pending_after(get_pid);
	nothing_is_pending_after(fence);
	nothing_is_pending_after(store_past);
	nothing_is_pending_after(pause_beside_another);
	nothing_is_pending_after(be_moved);
	nothing_is_pending_after(end_process);
}

static void make_block(int which)
{
	struct qemu_plugin_tb *tb = &blocks[which];
	uint64_t at = 0x400000 + 0x140 * (uint64_t)which;

	tb->count = 3;
	for (size_t i = 0; i < tb->count; at += tb->insn[i++].size) {
		tb->insn[i] = (struct qemu_plugin_insn){ .size = 1, .bytes = { 0x90 } };
		if (i)
			tb->insn[i] = instructions[i == 1 ? which : XOR];
		tb->insn[i].address = at;
	}
	translate(1, tb);
}

static int install(void **state)
{
	const struct vpmu_machine m = {
		.name = "test", .packages = 1, .cores = 2, .threads = 1, .slices = 4,
		.l1i = { 1024, 8, 64 }, .l1d = { 1024, 8, 64 }, .l2 = { 2048, 4, 64 },
		.llc = { 4 * 8192, 16, 64 }, .llc_level = 3,
		.llc_clocks = 30, .memory_clocks = 100, .write_clocks = 60, .fill_buffers = 4,
	};
	char here[] = "segment=here", *arguments[] = { here };

	(void)state;
	segment = segment_of(&m);
	llc_counts = &counts;
	if (qemu_plugin_install(1, &x86_64, 1, arguments))
		return -1;
	for (int i = 0; i < BLOCKS; i++)
		make_block(i);
	return 0;
}

static int free_machine(void **state)
{
	(void)state;
	free(segment);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_miss_that_is_due_begins_deferring),
		cmocka_unit_test(scattered_misses_decide),
		/* The last one, since it ends the process. */
		cmocka_unit_test(nothing_is_pending_where_others_may_look),
	};

	return cmocka_run_group_tests_name("feed deferring", tests, install, free_machine);
}
