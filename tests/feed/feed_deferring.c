/* SPDX-License-Identifier: MIT */
/* Deferred accesses have the same outcome as immediate ones. This test stands in for QEMU and runs
 * a random program with the plugin. Then it compares the clock and what the model has counted. The
 * caches also hold the numbers of uses, and a fetch that finds its block as before has none. */
#include "feed_outcome.h"

#define STEPS 200000

/* Instructions with an access each: XOR to memory, MOV from it, MOVUPS of 16 bytes, and a locked
 * ADD; then MOVNTI, SFENCE and PAUSE. Each is in a block between a NOP and an XOR to memory; one
 * block has only NOPs, nearly as many as there are clocks until the thread publishes its own. */
enum { XOR, MOV, MOVUPS, LOCKED, MOVNTI, SFENCE, PAUSE, LONG, BLOCKS };
#define NOPS 500
static struct qemu_plugin_tb blocks[BLOCKS];
static const struct qemu_plugin_insn instructions[BLOCKS] = {
	[XOR] = { .size = 3, .bytes = { 0x48, 0x31, 0x07 } },
	[MOV] = { .size = 3, .bytes = { 0x48, 0x8b, 0x07 } },
	[MOVUPS] = { .size = 3, .bytes = { 0x0f, 0x10, 0x07 } },
	[LOCKED] = { .size = 4, .bytes = { 0xf0, 0x48, 0x01, 0x07 } },
	[MOVNTI] = { .size = 3, .bytes = { 0x0f, 0xc3, 0x07 } },
	[SFENCE] = { .size = 3, .bytes = { 0x0f, 0xae, 0xf8 } },
	[PAUSE] = { .size = 2, .bytes = { 0xf3, 0x90 } },
};

static void modify_once(const struct qemu_plugin_insn *insn, uint64_t address)
{
	make_access(insn, address, 8, LOADS);
	make_access(insn, address, 8, STORES);
}

static void execute(int which, uint64_t address)
{
	const struct qemu_plugin_tb *tb = &blocks[which];
	const struct qemu_plugin_insn *insn = &tb->insn[1];

	if (tb->execute)
		tb->execute(0, tb->udata);
	if (which == LONG)
		return;
	if (insn->execute)
		insn->execute(0, NULL);
	if (which == XOR || which == MOV || which == MOVUPS || which == LOCKED)
		make_access(insn, address, which == MOVUPS ? 16 : 8, LOADS);
	if (which == XOR || which == LOCKED || which == MOVNTI)
		make_access(insn, address, 8, STORES);
}

/* The rest of the block. */
static void execute_last(int which, uint64_t address)
{
	if (which != LONG)
		modify_once(&blocks[which].insn[2], address);
}

/* Anywhere in 1 MiB, or in a few lines that are used again; sometimes across the end of a line. */
static uint64_t some_address(uint64_t x)
{
	return 0x1000000 + (x >> 8 & 3 ? (x >> 20 & 0xffff8) + (x >> 50 & 63 ? 0 : 5) :
					 x >> 20 & 0x1ff);
}

static void step(uint64_t x)
{
	static const int often[] = { XOR, XOR, XOR, XOR, MOV, MOV, MOVUPS, LOCKED };
	bool begun = vpmu_thread_find(segment, vpmu_gettid());
	int which = x >> 60 || !begun ? often[x & 7] : MOVNTI + (int)(x % 4);

	if (x >> 60 || !begun || x >> 59 & 1) {
		execute(which, some_address(x));
		execute_last(which, some_address(x * 5));
	} else if (x >> 58 & 1) {
		call(SYS_getpid, 0, 0);
	} else {
		change_cpu(x & 1);
	}
}

static void begin(bool always)
{
	clear_machine();
	execute(MOV, 0x1000000);
	begin_outcome(always);
}

static struct outcome run(bool always, uint64_t *deferred)
{
	uint64_t x = 88172645463325252u;

	begin(always);
	*deferred = 0;
	for (int i = 0; i < STEPS; i++) {
		step(next_random(&x));
		*deferred += vpmu_self->deferring.count;
	}
	return end_outcome();
}

static void deferring_changes_nothing(void **state)
{
	uint64_t none, some;
	struct outcome at_once = run(false, &none), later = run(true, &some);

	(void)state;
	assert_int_equal(none, 0);
	assert_in_range(some, (uint64_t)STEPS * 4, (uint64_t)STEPS * VPMU_DEFERRED_MAX);
	assert_true(at_once.seen.tracker[VPMU_TRK_DATA_READ] > STEPS / 4);
	assert_same_counts(&later, &at_once);
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

	tb->count = which == LONG ? NOPS : 3;
	for (size_t i = 0; i < tb->count; at += tb->insn[i++].size) {
		tb->insn[i] = (struct qemu_plugin_insn){ .size = 1, .bytes = { 0x90 } };
		if (which != LONG && i)
			tb->insn[i] = instructions[i == 1 ? which : XOR];
		tb->insn[i].address = at;
	}
	translate(1, tb);
}

static int install(void **state)
{
	(void)state;
	return install_blocks(make_block, BLOCKS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deferring_changes_nothing),
		cmocka_unit_test(a_miss_that_is_due_begins_deferring),
		cmocka_unit_test(scattered_misses_decide),
		/* The last one, since it ends the process. */
		cmocka_unit_test(nothing_is_pending_where_others_may_look),
	};

	return cmocka_run_group_tests_name("feed deferring", tests, install, free_machine);
}
