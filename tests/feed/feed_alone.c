/* SPDX-License-Identifier: MIT */
/* The machine's only thread keeps the machine lock until any other thread requests it. */
#include "entries.h"
#include "feed_qemu.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "virtual_pmu/feed/thread/emulated_thread.h"
#include "virtual_pmu/feed/thread/machine_lock.h"

static struct qemu_plugin_tb block = {
	.count = 1,
	.insn = { { .address = 0x400000, .size = 4, .bytes = { 0xf0, 0x48, 0x01, 0x07 } } },
};
static uint64_t next_line = 0x100000;

static void run_blocks(int n)
{
	while (n--)
		block.execute(0, block.udata);
}

static void miss(void)
{
	uint64_t before = all_lookups();

	block.insn[0].access(0, 3, next_line += 64, NULL);
	assert_int_equal(all_lookups(), before + 1);
}

static uint32_t kept(void)
{
	return vpmu_gettid() | VPMU_LOCK_KEPT;
}

/* As long after a system call as it takes. */
static void keep(void)
{
	run_blocks(VPMU_KEEP_AFTER_CLOCKS + 1);
	miss();
	assert_int_equal(segment->lock.owner, kept());
}

static void the_only_thread_keeps_the_lock(void **state)
{
	(void)state;
	assert_int_equal(segment->runners, 0);
	run_blocks(1);
	assert_int_equal(segment->runners, 1);
	keep();
	for (int i = 0; i < 100; i++)
		miss();
	assert_int_equal(segment->lock.owner, kept());
	assert_false(vpmu_lock_held(segment));
}

static void a_system_call_gives_it_back_for_a_while(void **state)
{
	(void)state;
	keep();
	synchronise();
	assert_int_equal(segment->lock.owner, 0);
	miss();
	run_blocks(2000);
	assert_int_equal(segment->lock.owner, 0);
	/* A system call now is as with anybody's lock. */
	vpmu_lock(segment);
	assert_true(vpmu_lock_held(segment));
	vpmu_unlock(segment);
}

/* By a miss, or with hits only, by time. */
static void who_waits_gets_it(void **state)
{
	(void)state;
	keep();
	segment->lock.contended = 1;
	miss();
	assert_int_equal(segment->lock.owner, 0);
	miss();
	assert_int_equal(segment->lock.owner, 0);
	segment->lock.contended = 0;
	keep();
	segment->lock.contended = 1;
	run_blocks(2 * VPMU_PUBLISH_CLOCKS);
	assert_int_equal(segment->lock.owner, 0);
	segment->lock.contended = 0;
	keep();
	segment->uclk[0] += 1000000;	/* of a thread that has ended */
	segment->lock.contended = 1;
	run_blocks(2 * VPMU_PUBLISH_CLOCKS);
	assert_int_equal(segment->lock.owner, 0);
	segment->lock.contended = 0;
}

static void another_process_waits_for_it_and_gets_it(void **state)
{
	int status = 0, done = 0;
	pid_t pid;

	(void)state;
	keep();
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		vpmu_lock(segment);
		segment->undriven_count = segment->lock.owner == vpmu_gettid();
		vpmu_unlock(segment);
		call(SYS_exit_group, 0, 0);
		_exit(0);
	}
	while (!done) {
		run_blocks(100);
		done = waitpid(pid, &status, WNOHANG) != 0;
	}
	assert_int_equal(status, 0);
	assert_int_equal(segment->undriven_count, 1);
}

static void two_threads_share_it(void **state)
{
	(void)state;
	synchronise();
	segment->runners++;
	run_blocks(VPMU_KEEP_AFTER_CLOCKS + 1);
	miss();
	assert_int_equal(segment->lock.owner, 0);
	segment->runners--;
	keep();
}

static void *hold_and_sleep(void *pipe_end)
{
	char byte;

	vpmu_lock(segment);
	(void)!read(*(int *)pipe_end, &byte, 1);
	vpmu_unlock(segment);
	return NULL;
}

/* A thread that finds the lock's holder halted proceeds without the lock, at any time and as often
 * as needed. */
static void a_halted_holder_is_not_waited_for(void **state)
{
	uint64_t before;
	pthread_t thread;
	int ends[2], open_before;

	(void)state;
	synchronise();
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pthread_create(&thread, NULL, hold_and_sleep, &ends[0]), 0);
	while (!__atomic_load_n(&segment->lock.owner, __ATOMIC_RELAXED))
		sched_yield();
	before = all_lookups();
	open_before = entries("/proc/self/fd");
	for (int i = 0; i < 10; i++)
		block.insn[0].access(0, 3, next_line += 64, NULL);
	assert_int_equal(entries("/proc/self/fd"), open_before);
	assert_int_equal(all_lookups(), before);
	assert_int_equal(write(ends[1], "", 1), 1);
	pthread_join(thread, NULL);
	close(ends[0]);
	close(ends[1]);
	segment->lock.contended = 0;
	keep();
}

static void another_program_is_not_counted(void **state)
{
	(void)state;
	call(SYS_execve, 0, 0);
	assert_int_equal(segment->runners, 0);
	system_call_return(1, 0, SYS_execve, -ENOENT);
	assert_int_equal(segment->runners, 1);
	keep();
}

static pthread_barrier_t steps;

static void step(void)
{
	pthread_barrier_wait(&steps);
}

/* Another thread of the process. */
static void *beside(void *unused)
{
	run_blocks(1);
	step();
	step();		/* the other one executes a program */
	call(SYS_read, 0, 0);
	step();
	step();
	system_call_return(1, 0, SYS_read, 0);
	step();
	step();		/* it could not */
	call(SYS_exit, 0, 0);
	return unused;
}

static void nor_are_the_threads_that_it_ends(void **state)
{
	pthread_t thread;

	(void)state;
	synchronise();
	segment->runners++;	/* of another process */
	assert_int_equal(pthread_create(&thread, NULL, beside, NULL), 0);
	step();
	assert_int_equal(segment->runners, 3);
	call(SYS_execve, 0, 0);
	assert_int_equal(segment->runners, 1);
	step();
	step();
	assert_int_equal(segment->runners, 1);		/* sleeping, and before */
	step();
	step();
	assert_int_equal(segment->runners, 1);
	system_call_return(1, 0, SYS_execve, -ENOENT);
	assert_int_equal(segment->runners, 3);
	step();
	pthread_join(thread, NULL);
	assert_int_equal(segment->runners, 2);
	segment->runners--;
	keep();
}

/* Nor one that sleeps in a system call: the other one is alone meanwhile. */
static void a_sleeper_is_not_counted(void **state)
{
	(void)state;
	synchronise();
	segment->runners++;	/* another one */
	call(SYS_read, 0, 0);
	assert_int_equal(segment->runners, 1);
	system_call_return(1, 0, SYS_read, 0);
	assert_int_equal(segment->runners, 2);
	call(SYS_getpid, 0, 0);
	assert_int_equal(segment->runners, 2);
	system_call_return(1, 0, SYS_getpid, 1);
	segment->runners--;
	keep();
}

static void *keep_until_wanted(void *ready)
{
	segment->lock.owner = kept();
	__atomic_store_n((int *)ready, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&segment->lock.contended, __ATOMIC_RELAXED))
		sched_yield();
	assert_int_equal(segment->runners, 1);	/* nobody believes to be alone beside it */
	__atomic_store_n(&segment->lock.owner, 0, __ATOMIC_RELEASE);
	return NULL;
}

static void who_wakes_up_asks_for_it_first(void **state)
{
	pthread_t thread;
	int ready = 0;

	(void)state;
	synchronise();
	segment->runners++;
	call(SYS_read, 0, 0);
	assert_int_equal(pthread_create(&thread, NULL, keep_until_wanted, &ready), 0);
	while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
		sched_yield();
	system_call_return(1, 0, SYS_read, 0);
	pthread_join(thread, NULL);
	assert_int_equal(segment->runners, 2);
	assert_int_equal(segment->lock.owner, 0);
	segment->runners--;
	keep();
}

static void *run_a_block(void *unused)
{
	(void)unused;
	run_blocks(1);
	return vpmu_self;
}

static void a_process_ends_without_it(void **state)
{
	pthread_t thread;
	void *emulated;

	(void)state;
	synchronise();
	assert_int_equal(pthread_create(&thread, NULL, run_a_block, NULL), 0);
	pthread_join(thread, &emulated);
	assert_int_equal(segment->runners, 2);	/* it has not ended by a call */
	free(emulated);
	segment->runners--;
	keep();
	segment->runners++;
	call(SYS_exit_group, 0, 0);
	assert_int_equal(segment->lock.owner, 0);
	assert_int_equal(segment->runners, 0);
	process_exit(1, NULL);
	assert_int_equal(segment->runners, 0);
}

/* In memory that a forked process shares. */
static struct vpmu_segment *shared_segment(const struct vpmu_machine *m)
{
	struct vpmu_segment *s = segment_of(m), *shared;

	shared = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(shared, MAP_FAILED);
	memcpy(shared, s, s->bytes);
	free(s);
	return shared;
}

static int install(void **state)
{
	struct vpmu_machine m = one_set_machine(16, 16, 16);
	char where[] = "segment=here", how[] = "keep=on";
	char *arguments[] = { where, how };

	(void)state;
	pthread_barrier_init(&steps, NULL, 2);
	m.llc.bytes *= 64;	/* more sets */
	segment = shared_segment(&m);
	if (qemu_plugin_install(1, &x86_64, 2, arguments))
		return -1;
	translate(1, &block);
	return 0;
}

int main(void)
{
	/* A process has a single plugin, so each test continues from the one before. */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_only_thread_keeps_the_lock),
		cmocka_unit_test(a_system_call_gives_it_back_for_a_while),
		cmocka_unit_test(who_waits_gets_it),
		cmocka_unit_test(another_process_waits_for_it_and_gets_it),
		cmocka_unit_test(two_threads_share_it),
		cmocka_unit_test(a_halted_holder_is_not_waited_for),
		cmocka_unit_test(another_program_is_not_counted),
		cmocka_unit_test(nor_are_the_threads_that_it_ends),
		cmocka_unit_test(a_sleeper_is_not_counted),
		cmocka_unit_test(who_wakes_up_asks_for_it_first),
		cmocka_unit_test(a_process_ends_without_it),
	};

	return cmocka_run_group_tests_name("alone on the machine", tests, install, NULL);
}
