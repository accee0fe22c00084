/* SPDX-License-Identifier: MIT */
/* The plugin with this test in QEMU's place: it registers with us, we call it. */
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "feed_machine.h"
#include "feed_qemu.h"

/* FXSAVE, which may make any accesses, MOVNTI and SFENCE; 16 bytes apart, all in one code line. */
static struct qemu_plugin_tb block = {
	.count = 3,
	.insn = { { .address = 0x400000, .size = 3, .bytes = { 0x0f, 0xae, 0x07 } },
		  { .address = 0x400010, .size = 3, .bytes = { 0x0f, 0xc3, 0x07 } },
		  { .address = 0x400020, .size = 3, .bytes = { 0x0f, 0xae, 0xf8 } } },
};

static void run_block(void)
{
	block.execute(0, block.udata);
}

static void load(uint64_t address, uint32_t bytes)
{
	make_access(&block.insn[0], address, bytes, LOADS);
}

static void store(uint64_t address, uint32_t bytes)
{
	make_access(&block.insn[0], address, bytes, STORES);
}

static void store_past(uint64_t address)
{
	make_access(&block.insn[1], address, 8, STORES);
}

static uint64_t own_clock(void)
{
	return vpmu_thread_find(segment, vpmu_gettid())->clock;
}

static void a_block_takes_a_clock_per_instruction(void **state)
{
	uint64_t before;

	(void)state;
	run_block();	/* fetches the code line */
	assert_int_equal(seen.tracker[VPMU_TRK_CODE_READ], 1);
	synchronise();
	before = own_clock();
	for (int i = 0; i < 100; i++)
		run_block();
	synchronise();
	assert_int_equal(own_clock() - before, 300);
	assert_int_equal(seen.clock, own_clock());
	assert_int_equal(all_lookups(), 1);
	for (int i = 0; i < 400; i++)	/* published without a request */
		run_block();
	assert_in_range(seen.clock - before, 1100, 1500);
}

/* QEMU translates up to 512 instructions at once. */
static void a_long_block_takes_a_clock_per_instruction(void **state)
{
	static struct qemu_plugin_tb nops;
	uint64_t before;

	(void)state;
	for (size_t n = 1; n <= 512; n *= 2) {
		for (size_t i = 0; i < n; i++)
			nops.insn[i] = (struct qemu_plugin_insn){ .address = 0x800000 + i,
								  .size = 1, .bytes = { 0x90 } };
		nops.count = n;
		translate(1, &nops);
		nops.execute(0, nops.udata);	/* fetches its lines */
		synchronise();
		before = own_clock();
		nops.execute(0, nops.udata);
		synchronise();
		assert_int_equal(own_clock() - before, n);
	}
}

static void an_access_across_lines_touches_both(void **state)
{
	(void)state;
	memset(&seen, 0, sizeof(seen));
	load(0x10038, 8);		/* ends with the line */
	assert_int_equal(READS(VPMU_I), 1);
	load(0x10039, 8);		/* one byte beyond */
	assert_int_equal(READS(VPMU_I), 2);
	store(0x1007c, 4);
	assert_int_equal(all_lookups(), 2);
	store(0x1007d, 4);
	assert_int_equal(all_lookups(), 3);
	load(0x1007d, 4);
	assert_int_equal(all_lookups(), 3);
}

/* MOVUPS and VMOVUPS of a YMM register; QEMU shows pieces of 16 bytes. */
static void a_wide_access_touches_its_lines_wherever_it_starts(void **state)
{
	static struct qemu_plugin_tb wide = {
		.count = 3,
		.insn = { { .address = 0x900000, .size = 2, .bytes = { 0x0f, 0x31 } },
			  { .address = 0x900002, .size = 3, .bytes = { 0x0f, 0x10, 0x07 } },
			  { .address = 0x900005, .size = 4, .bytes = { 0xc5, 0xfc, 0x10, 0x07 } } },
	};
	uint64_t at = 0x700000;

	(void)state;
	translate(1, &wide);
	for (uint32_t i = 1; i < 3; i++)
		for (uint64_t start = 0; start < 64; start++, at += 192) {
			uint64_t from = at + 64 + start, bytes = i * 16;
			uint64_t lines = start + bytes > 64 ? 2 : 1;

			memset(&seen, 0, sizeof(seen));
			for (uint64_t piece = from; piece < from + bytes; piece += 16)
				assert_true(make_access(&wide.insn[i], piece, 16, LOADS));
			assert_int_equal(READS(VPMU_I), lines);
			for (uint64_t n = 1; n <= lines; n++)
				load(at + n * 64, 8);
			assert_int_equal(READS(VPMU_I), lines);
		}
}

static void nontemporal_stores_leave_at_a_fence(void **state)
{
	(void)state;
	memset(&seen, 0, sizeof(seen));
	store_past(0x20000);
	/* The second one: four bytes here, four in the next line. */
	store_past(0x2003c);
	assert_int_equal(seen.requests, 0);
	block.insn[2].execute(0, NULL);
	assert_int_equal(seen.requests, 3);
	assert_int_equal(seen.writes, 2);
	assert_int_equal(all_lookups(), 0);
	for (uint64_t at = 0x30000; at < 0x30040; at += 8)
		store_past(at);
	load(0x30000, 8);		/* an ordinary access to the line pushes it out as well */
	assert_int_equal(seen.requests, 3 + 1 + 1);
	assert_int_equal(seen.writes, 3);
	assert_int_equal(READS(VPMU_I), 1);
}

static void a_wait_brings_the_clock_forward(void **state)
{
	uint64_t before;

	(void)state;
	synchronise();
	before = own_clock();
	segment->uclk[0] = before + 5000;
	call(SYS_getpid, 0, 0);
	system_call_return(1, 0, SYS_getpid, 1);
	call(SYS_futex, 0x1000, 1);	/* FUTEX_WAKE waits for nobody */
	system_call_return(1, 0, SYS_futex, 1);
	synchronise();
	assert_int_equal(own_clock(), before);
	call(SYS_futex, 0x1000, 128);	/* FUTEX_WAIT: another process has ended it */
	system_call_return(1, 0, SYS_futex, 0);
	synchronise();
	assert_int_equal(own_clock(), before + 5000);
}

/* The mask of another core, as a system call would set it. */
static void follows_its_virtual_cpu(void **state)
{
	struct vpmu_thread *slot = vpmu_thread_find(segment, vpmu_gettid());

	(void)state;
	store(0x40000, 8);
	memset(&seen, 0, sizeof(seen));
	slot->cpu = (slot->cpu + 1) % 4;
	run_block();
	load(0x40000, 8);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 1);
}

static void a_forked_child_is_a_process_of_its_own(void **state)
{
	uint64_t spaces = segment->next_space;
	int status;
	pid_t pid;

	(void)state;
	load(0x50000, 8);
	synchronise();
	memset(&seen, 0, sizeof(seen));
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		/* The segment is a private copy here: check it in this process. */
		load(0x50000, 8);
		_exit(!(READS(VPMU_I) == 1 && segment->next_space == spaces + 1 &&
			segment->feeds == 2 && vpmu_thread_find(segment, vpmu_gettid())));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void guest_code_in_the_lock_is_modelled(void **state)
{
	(void)state;
	memset(&seen, 0, sizeof(seen));
	vpmu_lock(segment);
	for (int i = 0; i < 1000; i++)
		run_block();
	store(0x60000, 8);
	store_past(0x61000);
	call(SYS_getpid, 0, 0);
	assert_int_equal(vpmu_lock_held(segment), 1);
	assert_int_not_equal(all_lookups(), 0);
	vpmu_unlock(segment);
	assert_int_equal(segment->lock.word, 0);
}

static void the_last_exit_detaches(void **state)
{
	(void)state;
	assert_int_equal(segment->feeds, 1);
	call(SYS_exit_group, 0, 0);
	assert_null(vpmu_thread_find(segment, vpmu_gettid()));
	process_exit(1, NULL);
	assert_int_equal(segment->feeds, 0);
	assert_int_equal(segment->lock.word, 0);
}

static void bad_arguments_are_refused(void **state)
{
	char other[] = "segment=elsewhere", unknown[] = "file=x";
	char *const bad[] = { other, unknown };
	qemu_info_t system = x86_64;

	(void)state;
	system.system_emulation = true;
	for (int i = 0; i < 2; i++)
		assert_int_not_equal(qemu_plugin_install(1, &x86_64, 1, (char **)&bad[i]), 0);
	assert_int_not_equal(qemu_plugin_install(1, &x86_64, 0, NULL), 0);
	assert_int_not_equal(qemu_plugin_install(1, &system, 1, (char **)&bad[0]), 0);
	assert_int_equal(segment->feeds, 0);
}

static int install(void **state)
{
	struct vpmu_machine m = one_set_machine(16, 16, 16);
	char good[] = "segment=here";
	char *argument = good;

	(void)state;
	m.llc.bytes *= 64;	/* more sets */
	segment = segment_of(&m);
	bad_arguments_are_refused(NULL);
	if (qemu_plugin_install(1, &x86_64, 1, &argument) || segment->feeds != 1)
		return -1;
	translate(1, &block);
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
		cmocka_unit_test(a_block_takes_a_clock_per_instruction),
		cmocka_unit_test(a_long_block_takes_a_clock_per_instruction),
		cmocka_unit_test(an_access_across_lines_touches_both),
		cmocka_unit_test(a_wide_access_touches_its_lines_wherever_it_starts),
		cmocka_unit_test(nontemporal_stores_leave_at_a_fence),
		cmocka_unit_test(a_wait_brings_the_clock_forward),
		cmocka_unit_test(follows_its_virtual_cpu),
		cmocka_unit_test(a_forked_child_is_a_process_of_its_own),
		cmocka_unit_test(guest_code_in_the_lock_is_modelled),
		cmocka_unit_test(the_last_exit_detaches),
	};

	return cmocka_run_group_tests_name("feed plugin", tests, install, end);
}
