/* SPDX-License-Identifier: MIT */
/* The plugin on a machine whose model counts core events: crafted blocks and accesses, and counts
 * by hand. Four cores of two threads; an L1D of two lines and an L2 of four, one set each. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "feed_qemu.h"
#include "virtual_pmu/feed/core/core_feed.h"

#define MOV 0	/* instructions of `mix` */
#define ADD 1
#define INC 2
#define VMOVAPS 3

static struct qemu_plugin_tb mix = {
	.count = 6,
	.insn = { { .address = 0x400000, .size = 3, .bytes = { 0x48, 0x8b, 0x07 } },
		  /* mov (%rdi),%rax */
		  { .address = 0x400003, .size = 3, .bytes = { 0x48, 0x01, 0x06 } },
		  /* add %rax,(%rsi) */
		  { .address = 0x400006, .size = 3, .bytes = { 0xf0, 0xff, 0x02 } },
		  /* lock incl (%rdx) */
		  { .address = 0x400009, .size = 4, .bytes = { 0xc5, 0xfc, 0x28, 0x07 } },
		  /* vmovaps (%rdi),%ymm0 */
		  { .address = 0x40000d, .size = 4, .bytes = { 0x66, 0x0f, 0x59, 0xc1 } },
		  /* mulpd %xmm1,%xmm0 */
		  { .address = 0x400011, .size = 2, .bytes = { 0x75, 0xed } } },	/* jne */
};
static struct qemu_plugin_tb after_mix = {	/* where the jne falls through to: a call */
	.count = 1,
	.insn = { { .address = 0x400013, .size = 5, .bytes = { 0xe8, 0xe8, 0x0f, 0, 0 } } },
};
static struct qemu_plugin_tb callee = {
	.count = 1, .insn = { { .address = 0x401000, .size = 1, .bytes = { 0xc3 } } },
};
static struct qemu_plugin_tb after_call = {	/* jmp *%rax */
	.count = 1, .insn = { { .address = 0x400018, .size = 2, .bytes = { 0xff, 0xe0 } } },
};
static struct qemu_plugin_tb string = {
	.count = 1, .insn = { { .address = 0x400100, .size = 2, .bytes = { 0xf3, 0xaa } } },
};

static void run(struct qemu_plugin_tb *tb)
{
	tb->execute(0, tb->udata);
}

static void touch(struct qemu_plugin_tb *tb, int insn, uint64_t address, uint32_t bytes,
		  enum direction direction)
{
	make_access(&tb->insn[insn], address, bytes, direction);
}

static void begin(void)
{
	synchronise();
	memset(&seen, 0, sizeof(seen));
}

static struct vpmu_thread *slot(void)
{
	return vpmu_thread_find(segment, vpmu_gettid());
}

#define COUNT(event) seen.core[slot()->cpu][VPMU_##event]

static void a_block_adds_its_mix(void **state)
{
	(void)state;
	run(&mix);
	begin();
	for (int i = 0; i < 10; i++)
		run(&mix);
	synchronise();
	assert_int_equal(COUNT(INSTRUCTIONS), 60);
	assert_int_equal(seen.core_clocks[slot()->cpu], 60);
	assert_int_equal(COUNT(UOPS), 40);	/* no access was made: the two plain loads have 0 */
	assert_int_equal(COUNT(LOCKED), 10);
	assert_int_equal(COUNT(VECTOR), 20);
	assert_int_equal(COUNT(VECTOR_ELEMENTS), 100);	/* 8 singles, 2 doubles */
	assert_int_equal(COUNT(X87_SIMD_MOVES), 10);
	assert_int_equal(COUNT(SSE_PACKED_DOUBLE), 10);
	assert_int_equal(COUNT(MULTIPLIES), 10);
	assert_int_equal(COUNT(CODE_READS), 10);
	assert_int_equal(COUNT(LOADS) + COUNT(STORES) + COUNT(DIVIDES) + COUNT(X87), 0);
}

/* mulps %xmm1,%xmm0; shufps $0,%xmm1,%xmm0; xorpd %xmm1,%xmm0; fld1; fadd %st(1),%st */
static void the_rest_computes_nothing(void **state)
{
	struct qemu_plugin_tb tb = { .count = 5, .insn = {
		{ .address = 0x402000, .size = 3, .bytes = { 0x0f, 0x59, 0xc1 } },
		{ .address = 0x402003, .size = 4, .bytes = { 0x0f, 0xc6, 0xc1, 0 } },
		{ .address = 0x402007, .size = 4, .bytes = { 0x66, 0x0f, 0x57, 0xc1 } },
		{ .address = 0x40200b, .size = 2, .bytes = { 0xd9, 0xe8 } },
		{ .address = 0x40200d, .size = 2, .bytes = { 0xd8, 0xc1 } } } };

	(void)state;
	translate(1, &tb);
	begin();
	for (int i = 0; i < 10; i++)
		run(&tb);
	synchronise();
	assert_int_equal(COUNT(SSE_PACKED_SINGLE), 20);
	assert_int_equal(COUNT(SSE_PACKED_SINGLE_REST), 10);
	assert_int_equal(COUNT(SSE_PACKED_DOUBLE), 10);
	assert_int_equal(COUNT(SSE_PACKED_DOUBLE_REST), 10);
	assert_int_equal(COUNT(X87), 20);
	assert_int_equal(COUNT(X87_REST), 10);
	assert_int_equal(COUNT(SSE_SCALAR_SINGLE_REST) + COUNT(SSE_SCALAR_DOUBLE_REST), 0);
	assert_int_equal(COUNT(FP_128_SINGLE), 10);	/* the mulps */
	assert_int_equal(COUNT(FP_128_DOUBLE), 0);
}

/* vfmadd231pd %ymm2,%ymm1,%ymm0; vaddps %ymm2,%ymm1,%ymm0; sqrtsd %xmm1,%xmm0; dpps $0xff,
 * %xmm1,%xmm0; cmppd $0,%xmm1,%xmm0; cvtsd2ss %xmm1,%xmm0; rcpss %xmm1,%xmm0 */
static void operations_of_elements(void **state)
{
	struct qemu_plugin_tb tb = { .count = 7, .insn = {
		{ .address = 0x404000, .size = 5, .bytes = { 0xc4, 0xe2, 0xf5, 0xb8, 0xc2 } },
		{ .address = 0x404005, .size = 4, .bytes = { 0xc5, 0xf4, 0x58, 0xc2 } },
		{ .address = 0x404009, .size = 4, .bytes = { 0xf2, 0x0f, 0x51, 0xc1 } },
		{ .address = 0x40400d, .size = 6, .bytes = { 0x66, 0x0f, 0x3a, 0x40, 0xc1, 0xff } },
		{ .address = 0x404013, .size = 5, .bytes = { 0x66, 0x0f, 0xc2, 0xc1, 0 } },
		{ .address = 0x404018, .size = 4, .bytes = { 0xf2, 0x0f, 0x5a, 0xc1 } },
		{ .address = 0x40401c, .size = 4, .bytes = { 0xf3, 0x0f, 0x53, 0xc1 } } } };

	(void)state;
	translate(1, &tb);
	begin();
	for (int i = 0; i < 10; i++)
		run(&tb);
	synchronise();
	assert_int_equal(COUNT(FP_256_DOUBLE), 20);	/* a fused one counts twice */
	assert_int_equal(COUNT(FP_256_SINGLE), 10);
	assert_int_equal(COUNT(FP_SCALAR_DOUBLE), 10);
	assert_int_equal(COUNT(FP_128_SINGLE), 20);	/* and so does a dot product */
	assert_int_equal(COUNT(FP_128_DOUBLE), 0);
	assert_int_equal(COUNT(FP_SCALAR_SINGLE), 10);
}

/* From %xmm1 to %xmm0: movaps, movhlps, movsldup, movapd, movddup, movss, movsd, movdqa; movd
 * %eax,%xmm0; movq %xmm1,%xmm0; movq %mm1,%mm0; fld1 */
static void a_move_is_of_its_type(void **state)
{
	static const uint8_t code[][5] = {
		{ 3, 0x0f, 0x28, 0xc1 }, { 3, 0x0f, 0x12, 0xc1 }, { 4, 0xf3, 0x0f, 0x12, 0xc1 },
		{ 4, 0x66, 0x0f, 0x28, 0xc1 }, { 4, 0xf2, 0x0f, 0x12, 0xc1 },
		{ 4, 0xf3, 0x0f, 0x10, 0xc1 }, { 4, 0xf2, 0x0f, 0x10, 0xc1 },
		{ 4, 0x66, 0x0f, 0x6f, 0xc1 }, { 4, 0x66, 0x0f, 0x6e, 0xc0 },
		{ 4, 0xf3, 0x0f, 0x7e, 0xc1 }, { 3, 0x0f, 0x6f, 0xc1 }, { 2, 0xd9, 0xe8 },
	};

	(void)state;
	begin();
	for (size_t i = 0; i < sizeof(code) / sizeof(code[0]); i++) {
		struct qemu_plugin_tb tb = { .count = 1, .insn = {
			{ .address = 0x403000 + 8 * i, .size = code[i][0] } } };

		memcpy(tb.insn[0].bytes, code[i] + 1, code[i][0]);
		translate(1, &tb);
		run(&tb);
	}
	synchronise();
	assert_int_equal(COUNT(SSE_PACKED_SINGLE_MOVES), 3);
	assert_int_equal(COUNT(SSE_PACKED_DOUBLE_MOVES), 2);
	assert_int_equal(COUNT(SSE_SCALAR_SINGLE_MOVES), 1);
	assert_int_equal(COUNT(SSE_SCALAR_DOUBLE_MOVES), 1);
	assert_int_equal(COUNT(SSE_INTEGER_MOVES), 3);
	assert_int_equal(COUNT(X87_SIMD_MOVES), 12 - 1);
	assert_int_equal(COUNT(X87), 1);
}

static void the_next_block_tells_where_a_branch_went(void **state)
{
	(void)state;
	run(&after_call);
	run(&mix);		/* the indirect jump's target is learned */
	begin();
	run(&mix);		/* taken */
	run(&after_mix);	/* not taken */
	run(&callee);		/* called */
	run(&after_call);	/* returned */
	run(&mix);		/* jumped to, as before */
	synchronise();
	assert_int_equal(COUNT(BRANCHES), 5);
	assert_int_equal(COUNT(BRANCHES_TAKEN), 4);
	assert_int_equal(COUNT(BRANCHES_CONDITIONAL), 2);
	assert_int_equal(COUNT(BRANCHES_CONDITIONAL_TAKEN), 1);
	assert_int_equal(COUNT(BRANCHES_CALL), 1);
	assert_int_equal(COUNT(BRANCHES_RETURN), 1);
	assert_int_equal(COUNT(BRANCHES_INDIRECT), 1);
	assert_int_equal(COUNT(MISPREDICTED_CALL) + COUNT(MISPREDICTED_RETURN) +
			 COUNT(MISPREDICTED_INDIRECT), 0);
	assert_int_equal(COUNT(MISPREDICTED), COUNT(MISPREDICTED_CONDITIONAL));
	run(&after_mix);
	run(&callee);
	begin();
	run(&mix);		/* a return to somewhere else */
	synchronise();
	assert_int_equal(COUNT(MISPREDICTED_RETURN), 1);
	assert_int_equal(COUNT(MISPREDICTED_TAKEN), 1);
}

static void pieces_are_one_access(void **state)
{
	(void)state;
	begin();
	run(&mix);
	touch(&mix, VMOVAPS, 0x10000, 16, LOADS);
	touch(&mix, VMOVAPS, 0x10010, 16, LOADS);
	run(&mix);
	touch(&mix, VMOVAPS, 0x10030, 16, LOADS);	/* the second half is in the next line */
	touch(&mix, VMOVAPS, 0x10040, 16, LOADS);
	synchronise();
	assert_int_equal(COUNT(LOADS), 2);
	assert_int_equal(COUNT(SPLIT_LOADS), 1);
	assert_int_equal(COUNT(VECTOR_LOADS), 3);
	assert_int_equal(COUNT(UOPS), 8 + 2);
	assert_int_equal(COUNT(L1D_READ_MISSES), 2);
	assert_int_equal(COUNT(LOADS_L1_MISSED), 2);
	assert_int_equal(COUNT(VECTOR_READ_MISSES), 2);
	assert_int_equal(COUNT(DTLB_READ_MISSES), 1);
	assert_int_equal(COUNT(LOADS_DTLB_MISSED), 1);
	begin();
	run(&mix);
	touch(&mix, VMOVAPS, 0x10f30, 16, LOADS);	/* both halves miss */
	touch(&mix, VMOVAPS, 0x10f40, 16, LOADS);
	synchronise();
	assert_int_equal(COUNT(L1D_READ_MISSES), 2);
	assert_int_equal(COUNT(LOADS_L1_MISSED), 1);
	assert_int_equal(COUNT(LOADS_L2_MISSED), 1);
	begin();
	run(&mix);
	touch(&mix, MOV, 0x1103e, 4, LOADS);	/* one piece over two lines, none of them here */
	synchronise();
	assert_int_equal(COUNT(LOADS), 1);
	assert_int_equal(COUNT(SPLIT_LOADS), 1);
	assert_int_equal(COUNT(L1D_READ_MISSES), 2);
	assert_int_equal(COUNT(LOADS_L1_MISSED), 1);
	assert_int_equal(COUNT(LOADS_L2_MISSED), 1);
	assert_int_equal(COUNT(VECTOR_LOADS), 0);
	begin();
	run(&mix);
	touch(&mix, ADD, 0x12fff, 2, STORES);	/* and over two pages */
	synchronise();
	assert_int_equal(COUNT(DTLB_WRITE_MISSES), 2);
	assert_int_equal(COUNT(STORES_DTLB_MISSED), 1);
	assert_int_equal(COUNT(SPLIT_STORES), 1);
}

static void forgotten_pages_are_looked_up_again(void **state)
{
	static const uint64_t addresses[] = { 0x10000, 0x11000, UINT64_C(0xffffffff81000000) };
	static const struct { uint64_t first, last, misses; } steps[] = {
		{ 0, UINT64_MAX >> 12, 3 },	/* all */
		{ 0x11, 0x11, 1 },
		{ 0, INT64_MAX >> 12, 2 },	/* the lower half */
		{ 0x12, 0x20, 0 },
	};

	(void)state;
	for (int i = 0; i < 4; i++) {
		vpmu_core_feed_forget(steps[i].first, steps[i].last);
		begin();
		run(&mix);
		for (int j = 0; j < 3; j++)
			touch(&mix, MOV, addresses[j], 4, LOADS);
		synchronise();
		assert_int_equal(COUNT(DTLB_READ_MISSES), steps[i].misses);
	}
}

/* QEMU reports both, and the feed counts by the store. */
static void an_atomic_is_a_load_and_a_store(void **state)
{
	(void)state;
	begin();
	run(&mix);
	touch(&mix, INC, 0x14000, 4, LOADS);
	touch(&mix, INC, 0x14000, 4, STORES);
	run(&mix);
	touch(&mix, INC, 0x14000, 4, STORES);
	synchronise();
	assert_int_equal(COUNT(LOADS), 2);
	assert_int_equal(COUNT(STORES), 2);
	assert_int_equal(COUNT(UOPS), 8 + 4);
	assert_int_equal(COUNT(L1D_WRITE_MISSES), 1);
	assert_int_equal(COUNT(L1D_READ_MISSES), 0);
	begin();
	run(&mix);
	touch(&mix, ADD, 0x14000, 8, LOADS);	/* reads and writes, and is no atomic */
	touch(&mix, ADD, 0x14000, 8, STORES);
	synchronise();
	assert_int_equal(COUNT(LOADS), 1);
	assert_int_equal(COUNT(STORES), 1);
}

static void repetitions_are_one_instruction(void **state)
{
	(void)state;
	run(&after_mix);
	begin();
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 5; i++) {
			run(&string);
			touch(&string, 0, 0x15000 + (uint64_t)i, 1, STORES);
		}
		run(&after_mix);
	}
	synchronise();
	assert_int_equal(COUNT(INSTRUCTIONS), 2 + 2);
	assert_int_equal(COUNT(STORES), 10);
	assert_int_equal(seen.core_clocks[slot()->cpu] >= 12, 1);
}

static void load(uint64_t address)
{
	run(&mix);
	touch(&mix, MOV, address, 8, LOADS);
}

static void store(uint64_t address)
{
	run(&mix);
	touch(&mix, ADD, address, 8, STORES);
}

#define A 0x20000
#define B 0x20040
#define C 0x20080

static void the_level_behind_tells_its_states(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 4; i++)
		load(0x1f000 + 64 * i);		/* four clean lines in the L2 */
	begin();
	load(A);
	load(B);
	load(C);		/* A leaves the L1 */
	synchronise();
	assert_int_equal(COUNT(L1D_READ_MISSES), 3);
	assert_int_equal(COUNT(L2_READ_MISS), 3);
	assert_int_equal(COUNT(L2_LINES_IN), 3);
	assert_int_equal(COUNT(L2_LINES_OUT), 3);
	assert_int_equal(COUNT(L2_LINES_OUT_M), 0);
	assert_int_equal(COUNT(FILL_READ_MEMORY), 3);
	begin();
	load(A);
	store(A);		/* exclusive: a hit */
	load(B);
	load(C);		/* A leaves, modified */
	load(A);
	synchronise();
	assert_int_equal(COUNT(L1D_READ_MISSES), 4);
	assert_int_equal(COUNT(L1D_WRITE_MISSES), 0);
	assert_int_equal(COUNT(L2_READ_HIT_E), 3);
	assert_int_equal(COUNT(L2_READ_HIT_M), 1);
	assert_int_equal(COUNT(L1D_WRITE_BACKS), 1);
	assert_int_equal(COUNT(FILL_READ_MEMORY), 0);
	assert_int_equal(COUNT(LOADS_L1_MISSED), 4);
	assert_int_equal(COUNT(LOADS_L2_MISSED), 0);
}

/* CPU 0 and 4 are the threads of core 0, 1 and 5 those of core 1. */
static void another_core_takes_a_line(void **state)
{
	(void)state;
	slot()->cpu = 4;
	load(A);
	store(A);
	begin();
	slot()->cpu = 5;
	load(A);
	synchronise();
	assert_int_equal(seen.core[0][VPMU_SNOOPED_HITM], 1);
	assert_int_equal(seen.core[0][VPMU_L1D_WRITE_BACKS], 1);
	assert_int_equal(seen.core[5][VPMU_FILL_READ_CACHE], 1);
	assert_int_equal(seen.core[5][VPMU_FILL_READ_MEMORY], 0);
	begin();
	store(A);		/* shared in the L1: not a miss of it */
	synchronise();
	assert_int_equal(seen.core[0][VPMU_SNOOPED_HIT], 1);
	assert_int_equal(seen.core[5][VPMU_L1D_WRITE_MISSES], 0);
	assert_int_equal(seen.core[5][VPMU_L2_WRITE_HIT_S], 1);
	assert_int_equal(seen.core[5][VPMU_STORES], 1);
	assert_int_equal(seen.core[4][VPMU_INSTRUCTIONS], 0);
}

static void what_was_done_stays_with_the_cpu(void **state)
{
	uint64_t before;

	(void)state;
	begin();
	before = slot()->clock;
	for (int i = 0; i < 3; i++)
		run(&mix);
	slot()->cpu = 2;
	segment->uclk[0] = before + 100000;	/* the new CPU finds a later time */
	run(&mix);
	run(&mix);
	synchronise();
	assert_int_equal(seen.core[5][VPMU_INSTRUCTIONS], 18);
	assert_int_equal(seen.core_clocks[5], 18);
	assert_int_equal(seen.core[2][VPMU_INSTRUCTIONS], 12);
	assert_in_range(seen.core_clocks[2], 12, 12 + 200);	/* and a code line */
}

static void reports_come_unasked(void **state)
{
	(void)state;
	begin();
	for (int i = 0; i < 2000; i++)
		run(&mix);
	assert_in_range(COUNT(INSTRUCTIONS), 12000 - 1024, 12000);
	assert_in_range(seen.longest, 1, 1024);
	synchronise();
	assert_int_equal(COUNT(INSTRUCTIONS), 12000);
	assert_int_equal(seen.core_clocks[slot()->cpu], 12000);
}

static void waiting_takes_no_clocks(void **state)
{
	(void)state;
	begin();
	run(&mix);
	call(SYS_futex, 0x1000, 128);	/* FUTEX_WAIT, private */
	segment->uclk[0] += 5000;
	system_call_return(1, 0, SYS_futex, 0);
	run(&mix);
	synchronise();
	assert_int_equal(seen.core_clocks[slot()->cpu], 12);
}

static void a_child_counts_from_zero(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	begin();
	run(&mix);
	synchronise();
	memset(&seen, 0, sizeof(seen));
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		/* A copy of the segment and of `seen`; the parent's block is not the child's. */
		uint32_t cpu = slot()->cpu;

		run(&mix);
		synchronise();
		_exit(seen.core[cpu][VPMU_INSTRUCTIONS] != 6);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void guest_code_in_the_lock_is_counted(void **state)
{
	(void)state;
	begin();
	vpmu_lock(segment);
	for (int i = 0; i < 1000; i++)
		run(&mix);
	vpmu_unlock(segment);
	synchronise();
	assert_int_equal(COUNT(INSTRUCTIONS), 6000);
}

static void the_end_reports(void **state)
{
	uint32_t cpu = slot()->cpu;

	(void)state;
	begin();
	run(&mix);
	process_exit(1, NULL);
	assert_int_equal(seen.core[cpu][VPMU_INSTRUCTIONS], 6);
	assert_int_equal(segment->lock.word, 0);
}

static int install(void **state)
{
	struct vpmu_machine m = one_set_machine(2, 4, 16);
	struct qemu_plugin_tb *all[] = { &mix, &after_mix, &callee, &after_call, &string };
	char good[] = "segment=here", *argument = good;

	(void)state;
	m.threads = 2;
	m.llc.bytes *= 64;	/* more sets */
	m.l1i.bytes = 0;	/* no code in the L2's one set */
	segment = segment_of(&m);
	core_wanted = true;
	if (qemu_plugin_install(1, &x86_64, 1, &argument))
		return -1;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		translate(1, all[i]);
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(segment);
	return 0;
}

int main(void)
{
	/* A process has a single plugin, so each test continues from the one before. */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_adds_its_mix),
		cmocka_unit_test(the_rest_computes_nothing),
		cmocka_unit_test(operations_of_elements),
		cmocka_unit_test(a_move_is_of_its_type),
		cmocka_unit_test(the_next_block_tells_where_a_branch_went),
		cmocka_unit_test(pieces_are_one_access),
		cmocka_unit_test(forgotten_pages_are_looked_up_again),
		cmocka_unit_test(an_atomic_is_a_load_and_a_store),
		cmocka_unit_test(repetitions_are_one_instruction),
		cmocka_unit_test(the_level_behind_tells_its_states),
		cmocka_unit_test(another_core_takes_a_line),
		cmocka_unit_test(what_was_done_stays_with_the_cpu),
		cmocka_unit_test(reports_come_unasked),
		cmocka_unit_test(waiting_takes_no_clocks),
		cmocka_unit_test(a_child_counts_from_zero),
		cmocka_unit_test(guest_code_in_the_lock_is_counted),
		cmocka_unit_test(the_end_reports),
	};

	return cmocka_run_group_tests_name("feed core", tests, install, end);
}
