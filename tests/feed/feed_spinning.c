/* SPDX-License-Identifier: MIT */
/* Loops of PAUSE instructions, of system calls that find nothing, and of loads alone. */
#include "feed_qemu.h"

#include "virtual_pmu/feed/thread/emulated_thread.h"

static void which_instruction_it_is(void **state)
{
	const uint8_t pause[] = { 0xf3, 0x90 }, nop[] = { 0x66, 0x90 };
	const uint8_t xchg[] = { 0xf3, 0x41, 0x90 };

	(void)state;
	assert_true(vpmu_is_pause(pause, 2));
	assert_false(vpmu_is_pause(pause, 1));
	assert_false(vpmu_is_pause(nop, 2));
	assert_false(vpmu_is_pause(xchg, 3));
}

static void a_loop_is_three_pauses(void **state)
{
	struct vpmu_spinning s = { .clock = 1000 };

	(void)state;
	assert_false(vpmu_spinning(&s, 1004, VPMU_SPIN_CLOCKS));
	assert_false(vpmu_spinning(&s, 1008, VPMU_SPIN_CLOCKS));
	assert_true(vpmu_spinning(&s, 1012, VPMU_SPIN_CLOCKS));
	assert_true(vpmu_spinning(&s, 1011 + VPMU_SPIN_CLOCKS, VPMU_SPIN_CLOCKS));
	assert_false(vpmu_spinning(&s, 1011 + 2 * VPMU_SPIN_CLOCKS, VPMU_SPIN_CLOCKS));
}

static void a_loop_is_64_polls(void **state)
{
	struct vpmu_spinning s = { .misses = 6 };

	(void)state;
	for (uint32_t i = 1; i < 64; i++)
		assert_false(vpmu_spinning_polls(&s, 6));
	assert_true(vpmu_spinning_polls(&s, 6));
	assert_true(vpmu_spinning_polls(&s, 6));
	assert_false(vpmu_spinning_polls(&s, 8));
	assert_false(vpmu_spinning_polls(&s, 8));
}

static struct vpmu_timed_block block_of(const uint8_t *bytes, const uint8_t *sizes, size_t count)
{
	struct qemu_plugin_tb tb = { .count = count };
	uint64_t at = 0;

	for (size_t i = 0; i < count; at += sizes[i++]) {
		tb.insn[i] = (struct qemu_plugin_insn){ .address = 0x1000 + at, .size = sizes[i] };
		memcpy(tb.insn[i].bytes, bytes + at, sizes[i]);
	}
	return *vpmu_timed_block_of(&tb, 0x1000);
}
#define BLOCK(sizes, ...) \
	block_of((const uint8_t[]){ __VA_ARGS__ }, (const uint8_t *)(sizes), sizeof(sizes) - 1)

static void what_blocks_do_to_memory(void **state)
{
	/* mov (%rdi),%eax; cmp %ecx,%eax; jne */
	struct vpmu_timed_block waits = BLOCK("\2\2\2", 0x8b, 0x07, 0x39, 0xc8, 0x75, 0xfa);
	/* mov (%rdi,%rsi,4),%eax; inc %rsi; jne */
	struct vpmu_timed_block walks =
		BLOCK("\3\3\2", 0x8b, 0x04, 0xb7, 0x48, 0xff, 0xc6, 0x75, 0xf8);
	/* mov (%rdi),%rax; mov 8(%rax),%eax; jne */
	struct vpmu_timed_block pointer = BLOCK("\3\3\2", 0x48, 0x8b, 0x07, 0x8b, 0x40, 0x08,
						0x75, 0xf8);
	/* mov (%rax),%rax; test %rax,%rax; jne */
	struct vpmu_timed_block list = BLOCK("\3\3\2", 0x48, 0x8b, 0x00, 0x48, 0x85, 0xc0,
					     0x75, 0xf8);
	/* inc %rsi; mov (%rsi),%eax; jne */
	struct vpmu_timed_block next = BLOCK("\3\2\2", 0x48, 0xff, 0xc6, 0x8b, 0x06, 0x75, 0xf9);
	/* mov %eax,(%rdi); jmp */
	struct vpmu_timed_block stores = BLOCK("\2\2", 0x89, 0x07, 0xeb, 0xfc);
	/* lock incl (%rdi); jne */
	struct vpmu_timed_block locked = BLOCK("\3\2", 0xf0, 0xff, 0x07, 0x75, 0xfb);
	/* dec %ecx; jne */
	struct vpmu_timed_block counts = BLOCK("\2\2", 0xff, 0xc9, 0x75, 0xfc);

	(void)state;
	assert_int_equal(waits.effect, VPMU_BLOCK_LOADS);
	assert_int_equal(waits.addressed, 1u << 7);
	assert_int_equal(waits.written, 1u << 0);
	assert_int_equal(walks.effect, VPMU_BLOCK_LOADS);
	assert_int_equal(walks.addressed, 1u << 7 | 1u << 6);
	assert_int_equal(walks.written, 1u << 0 | 1u << 6);
	assert_int_equal(pointer.effect, VPMU_BLOCK_LOADS);
	assert_int_equal(pointer.addressed, 1u << 7);
	assert_int_equal(pointer.written, 1u << 0);
	assert_int_equal(list.effect, VPMU_BLOCK_LOADS);
	assert_int_equal(list.addressed, list.written);
	assert_int_equal(next.effect, VPMU_BLOCK_ANY);
	assert_int_equal(stores.effect, VPMU_BLOCK_ANY);
	assert_int_equal(locked.effect, VPMU_BLOCK_ANY);
	assert_int_equal(counts.effect, VPMU_BLOCK_COMPUTES);
}

/* True if a loop of these blocks is found to wait, in three rounds that begin at this clock. */
static bool waits_in(struct vpmu_spinning *s, uint64_t clock, uint64_t misses,
		     const struct vpmu_timed_block *const *blocks)
{
	bool found = false;

	for (int round = 0; round < 3; round++)
		for (size_t i = 0; blocks[i]; i++)
			found |= vpmu_spinning_reads(s, clock++, misses, blocks[i]);
	return found;
}
#define LOOP(...) ((const struct vpmu_timed_block *const[]){ __VA_ARGS__, NULL })

static void a_loop_that_waits_reads_the_same_places(void **state)
{
	const struct vpmu_timed_block reads = { .effect = VPMU_BLOCK_LOADS,
						.addressed = 4,
						.written = 1 };
	const struct vpmu_timed_block walks = { .effect = VPMU_BLOCK_LOADS,
						.addressed = 2,
						.written = 3 };
	const struct vpmu_timed_block moves = { .effect = VPMU_BLOCK_COMPUTES, .written = 4 };
	const struct vpmu_timed_block counts = { .effect = VPMU_BLOCK_COMPUTES, .written = 8 };
	const struct vpmu_timed_block stores = { .effect = VPMU_BLOCK_ANY };
	struct vpmu_spinning s = { .searched = 1000 };
	uint64_t clock = 1000;

	(void)state;
	assert_false(waits_in(&s, clock + VPMU_READ_LOOP_CLOCKS - 6, 0, LOOP(&reads, &counts)));
	assert_true(waits_in(&s, clock += 5000, 0, LOOP(&reads)));
	assert_true(waits_in(&s, clock += 5000, 0, LOOP(&reads, &counts)));
	assert_false(waits_in(&s, clock += 5000, 7, LOOP(&reads))); /* it has missed */
	assert_true(waits_in(&s, clock += 5000, 7, LOOP(&reads)));
	assert_false(waits_in(&s, clock += 5000, 7, LOOP(&walks)));
	assert_false(waits_in(&s, clock += 5000, 7, LOOP(&reads, &moves)));
	assert_false(waits_in(&s, clock += 5000, 7, LOOP(&counts)));
	assert_false(waits_in(&s, clock + 5000, 7, LOOP(&reads, &stores)));
}

static void a_long_loop_is_not_followed(void **state)
{
	struct vpmu_timed_block more[VPMU_READ_LOOP_BLOCKS];
	const struct vpmu_timed_block *all[VPMU_READ_LOOP_BLOCKS + 2] = { NULL };
	const struct vpmu_timed_block reads = { .effect = VPMU_BLOCK_LOADS, .written = 1 };
	struct vpmu_spinning s = { .searched = 0 };

	(void)state;
	all[0] = &reads;
	for (uint32_t i = 0; i < VPMU_READ_LOOP_BLOCKS; i++) {
		more[i] = (struct vpmu_timed_block){ .effect = VPMU_BLOCK_COMPUTES };
		all[i + 1] = &more[i];
	}
	assert_false(waits_in(&s, 5000, 0, all));
	all[VPMU_READ_LOOP_BLOCKS] = NULL;
	assert_true(waits_in(&s, 10000, 0, all));
}

static void which_calls_only_look(void **state)
{
	(void)state;
	assert_true(vpmu_syscall_polls(SYS_poll, 0, 5));
	assert_false(vpmu_syscall_polls(SYS_poll, (uint32_t)-1, 0));
	assert_true(vpmu_syscall_polls(SYS_epoll_wait, 5, 0));
	assert_true(vpmu_syscall_polls(SYS_epoll_pwait, 5, 0));
	assert_false(vpmu_syscall_polls(SYS_epoll_wait, 0, 1));
	assert_false(vpmu_syscall_polls(SYS_epoll_pwait, 0, (uint64_t)-1));
	assert_false(vpmu_syscall_polls(SYS_read, 0, 0));
}

static void look_for_events(int found)
{
	system_call(1, 0, SYS_epoll_wait, 3, 0, 8, 0, 0, 0, 0, 0);
	system_call_return(1, 0, SYS_epoll_wait, found);
}

static void watch_for_polls(void)
{
	uint32_t first;

	look_for_events(0);
	first = vpmu_self->spinning.polls;
	look_for_events(0);
	assert_int_equal(vpmu_self->spinning.polls, first + 1);
	look_for_events(1);
	look_for_events(0);
	assert_int_equal(vpmu_self->spinning.polls, first + 2);
}

static void the_plugin_watches_for_it(void **state)
{
	struct vpmu_machine m = one_set_machine(16, 16, 16);
	char where[] = "segment=here";
	char *arguments[] = { where };
	struct qemu_plugin_tb block = {
		.count = 2,
		.insn = { { .address = 0x400000, .size = 2, .bytes = { 0xf3, 0x90 } },
			  { .address = 0x400002, .size = 2, .bytes = { 0xeb, 0xfc } } },
	};

	(void)state;
	segment = segment_of(&m);
	assert_int_equal(qemu_plugin_install(1, &x86_64, 1, arguments), 0);
	translate(1, &block);
	assert_non_null(block.insn[0].execute);
	assert_null(block.insn[1].execute);
	block.execute(0, block.udata);
	for (uint32_t i = 0; i < 5; i++) {
		block.execute(0, block.udata);
		block.insn[0].execute(0, NULL);
	}
	assert_int_equal(vpmu_self->spinning.pauses, 5);
	watch_for_polls();
	process_exit(1, NULL);
	free(segment);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(which_instruction_it_is),
		cmocka_unit_test(a_loop_is_three_pauses),
		cmocka_unit_test(a_loop_is_64_polls),
		cmocka_unit_test(what_blocks_do_to_memory),
		cmocka_unit_test(a_loop_that_waits_reads_the_same_places),
		cmocka_unit_test(a_long_loop_is_not_followed),
		cmocka_unit_test(which_calls_only_look),
		cmocka_unit_test(the_plugin_watches_for_it),
	};

	return cmocka_run_group_tests_name("loops that wait", tests, NULL, NULL);
}
