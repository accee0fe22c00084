/* SPDX-License-Identifier: MIT */
/* A thread that misses often keeps the machine lock for a turn, and its core's lock with it. The
 * others are threads of other processes. Tested is when it keeps them, which waiter gets them next,
 * and what other threads may request meanwhile. */
#include "feed_runners.h"

#include <pthread.h>
#include <signal.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "virtual_pmu/feed/cache/private_caches.h"

static uint32_t beside;		/* running threads of the first thread's process */
static uint64_t next_line;

static uint32_t kept_by(uint32_t tid)
{
	return tid | VPMU_LOCK_KEPT;
}

/* Two threads of two processes: on a core each. */
static int fresh(void **state)
{
	struct vpmu_machine m = one_set_machine(2, 4, 16);

	(void)state;
	start(&m);
	segment->runners = 2;
	beside = 1;
	next_line = 1000;
	runner[0].tid = vpmu_gettid();
	runner[0].may_keep = true;
	runner[0].beside = &beside;
	runner[0].clock = 1u << 20;
	return 0;
}

static int done(void **state)
{
	(void)state;
	vpmu_runner_let_go(segment, &runner[0]);
	segment->lock.contended = 0;
	stop_runners();
	return 0;
}

static void miss(unsigned int times)
{
	uint64_t before = all_lookups();

	for (unsigned int i = 0; i < times; i++)
		load(0, next_line++);
	assert_int_equal(all_lookups(), before + times);
}

static void keep(void)
{
	miss(VPMU_DENSE_USES + 1);
	assert_int_equal(segment->lock.owner, kept_by(runner[0].tid));
	assert_int_equal(runner[0].own->lock, kept_by(runner[0].tid));
}

static void who_misses_often_keeps_it(void **state)
{
	(void)state;
	miss(VPMU_DENSE_USES);	/* nothing is known of the first one */
	assert_false(runner[0].keeps);
	miss(1);
	assert_true(runner[0].keeps);
	miss(3 * VPMU_TURN_USES);
	assert_int_equal(segment->lock.owner, kept_by(runner[0].tid));
}

static void not_with_other_threads_in_the_process(void **state)
{
	(void)state;
	beside = 2;
	miss(3 * VPMU_DENSE_USES);
	assert_false(runner[0].keeps);
	runner[0].beside = NULL;
	miss(3 * VPMU_DENSE_USES);
	assert_false(runner[0].keeps);
}

static void not_who_misses_seldom(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 3 * VPMU_DENSE_USES; i++) {
		miss(1);
		if (i % 32 == 0)
			runner[0].clock += VPMU_OFTEN_CLOCKS;
	}
	assert_false(runner[0].keeps);
}

/* The thread continues meanwhile, but keeps the lock again only after another thread has had it. */
static void who_asks_gets_it(void **state)
{
	(void)state;
	keep();
	segment->lock.contended = 1;
	miss(1);
	assert_int_equal(segment->lock.owner, runner[0].tid | VPMU_LOCK_RESERVED);
	assert_int_equal(runner[0].own->lock, 0);
	miss(10);
	assert_false(runner[0].keeps);
	load(1, 1);
	segment->lock.contended = 0;
	miss(1);
	assert_true(runner[0].keeps);
}

/* A waiter may itself be waiting for a CPU: its request lasts longer than the host's time slice. */
static void who_asks_goes_on_asking(void **state)
{
	(void)state;
	keep();
	segment->lock.contended = 1;
	segment->lock.uses = 0;
	miss(VPMU_ASKED_USES - 1);
	assert_int_equal(segment->lock.contended, 1);
	assert_false(runner[0].keeps);
}

/* A request from a killed thread expires. */
static void a_request_that_nobody_makes_passes(void **state)
{
	(void)state;
	keep();
	segment->lock.contended = 1;
	segment->lock.uses = VPMU_ASKED_USES - 1;
	segment->lock.waiting = 1;
	miss(1);
	assert_int_equal(segment->lock.contended, 1);
	segment->lock.uses = VPMU_ASKED_USES - 1;
	segment->lock.waiting = 0;
	miss(1);
	assert_int_equal(segment->lock.contended, 0);
	miss(1);
	assert_true(runner[0].keeps);
}

static void what_other_cores_have_changes_under_their_locks(void **state)
{
	uint32_t version;

	(void)state;
	keep();
	vpmu_runner_let_go(segment, &runner[0]);
	store(1, 7);
	miss(1);
	assert_true(runner[0].keeps);
	version = runner[1].own->version;
	load(0, 7);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 1);
	assert_int_equal(runner[1].own->version, version + 2);
}

/* After a release, results found under the lock are stale: the core's version has changed. */
static void its_core_has_changed_afterwards(void **state)
{
	uint32_t version;

	(void)state;
	version = vpmu_core_version(runner[0].own);
	keep();
	assert_int_equal(vpmu_core_version(runner[0].own) % 2, 0);
	version = vpmu_core_version(runner[0].own);
	vpmu_runner_let_go(segment, &runner[0]);
	vpmu_core_lock(runner[0].own, &runner[0]);
	assert_false(vpmu_core_unchanged(runner[0].own, version));
	vpmu_core_unlock(runner[0].own);
}

static int has_it;

static void *lock_core(void *core)
{
	struct vpmu_runner other = { .s = segment, .tid = vpmu_gettid() };

	vpmu_core_lock(core, &other);
	vpmu_core_unlock(core);
	__atomic_store_n(&has_it, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* Such a one asks for the core's lock only. */
static void another_thread_of_the_core_gets_that(void **state)
{
	pthread_t thread;

	(void)state;
	has_it = 0;
	keep();
	assert_int_equal(pthread_create(&thread, NULL, lock_core, runner[0].own), 0);
	while (!__atomic_load_n(&has_it, __ATOMIC_ACQUIRE)) {
		miss(1);
		sched_yield();
	}
	pthread_join(thread, NULL);
	miss(2 * VPMU_DENSE_USES);
	assert_int_equal(segment->lock.owner, kept_by(runner[0].tid));
}

enum end { KILLED, ZOMBIE, STOPPED, TRACED };

/* A process that is there, or not even that, and executes nothing. */
static pid_t somebody(enum end end)
{
	const int options = end == KILLED ? WEXITED : WEXITED | WSTOPPED | WNOWAIT;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pid == 0 && end == TRACED)
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	if (pid == 0)
		for (;;)
			raise(end == KILLED || end == ZOMBIE ? SIGKILL : SIGSTOP);
	assert_int_equal(waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, options), 0);
	return pid;
}

static void bury(pid_t pid, enum end end)
{
	kill(pid, SIGKILL);
	if (end != KILLED)
		assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void who_was_killed_does_not_keep_it(void **state)
{
	(void)state;
	for (enum end end = KILLED; end <= ZOMBIE; end++) {
		pid_t pid = somebody(end);
		uint32_t version = runner[0].own->version;

		runner[0].dense = 0;
		segment->lock.owner = runner[0].own->lock = kept_by((uint32_t)pid);
		miss(1);
		assert_false(segment->lock.owner & VPMU_LOCK_KEPT);	/* nor has it back */
		assert_int_equal(runner[0].own->lock, 0);
		assert_int_equal(runner[0].own->version, version + 4);	/* of both */
		keep();
		vpmu_runner_let_go(segment, &runner[0]);
		bury(pid, end);
	}
}

static void who_was_killed_has_no_core(void **state)
{
	(void)state;
	for (enum end end = KILLED; end <= ZOMBIE; end++) {
		pid_t pid = somebody(end);

		runner[0].own->lock = (uint32_t)pid;
		miss(1);
		assert_int_equal(runner[0].own->lock, 0);
		bury(pid, end);
	}
}

static void who_is_stopped_does_not_keep_it(void **state)
{
	(void)state;
	for (enum end end = STOPPED; end <= TRACED; end++) {
		pid_t pid = somebody(end);

		runner[0].dense = 0;
		segment->lock.owner = runner[0].own->lock = kept_by((uint32_t)pid);
		miss(1);
		assert_false(segment->lock.owner & VPMU_LOCK_KEPT);	/* nor has it back */
		assert_int_equal(runner[0].own->lock, 0);
		keep();
		vpmu_runner_let_go(segment, &runner[0]);
		bury(pid, end);
	}
}

/* Each access of others is lost after a second, and counted as that; but not those of the code that
 * has the lock itself. */
static void who_is_stopped_in_an_access_keeps_it(void **state)
{
	pid_t pid = somebody(STOPPED);
	uint64_t before = all_lookups();

	(void)state;
	segment->lock.owner = (uint32_t)pid;
	load(0, next_line++);
	assert_int_equal(segment->lock.owner, pid);
	assert_int_equal(segment->lost_count, 1);
	segment->lock.owner = runner[0].tid;
	load(0, next_line++);
	assert_int_equal(segment->lost_count, 1);
	assert_int_equal(all_lookups(), before);
	segment->lock.owner = 0;
	miss(1);
	assert_int_equal(segment->lost_count, 1);
	bury(pid, STOPPED);
}

/* Another thread of its process has executed a program, which has its id. */
static void who_begins_has_nothing(void **state)
{
	struct vpmu_core *other = vpmu_caches_core(&caches, 0, 1);
	uint32_t version = runner[0].own->version;

	(void)state;
	for (unsigned int kept = 0; kept < 2; kept++) {
		segment->lock.owner = runner[0].own->lock =
			kept ? kept_by(runner[0].tid) : runner[0].tid;
		other->lock = 4711;
		vpmu_locks_forget(&caches, runner[0].tid);
		assert_int_equal(segment->lock.owner, 0);
		assert_int_equal(runner[0].own->lock, 0);
		assert_int_equal(runner[0].own->version, version += 2);
		assert_int_equal(other->lock, 4711);
	}
	segment->lock.owner = 4711;
	vpmu_locks_forget(&caches, runner[0].tid);
	assert_int_equal(segment->lock.owner, 4711);
	segment->lock.owner = other->lock = 0;
}

/* A thread that has lost its locks does not take them back when it continues. */
static void who_has_lost_it_notices(void **state)
{
	(void)state;
	keep();
	segment->lock.owner = runner[0].own->lock = 4711;
	runner[0].often = true;
	vpmu_runner_unlock(segment, &runner[0]);
	assert_false(runner[0].keeps);
	assert_int_equal(segment->lock.owner, 4711);
	assert_int_equal(runner[0].own->lock, 4711);
	segment->lock.owner = runner[0].own->lock = 0;
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, fresh, done)
	const struct CMUnitTest tests[] = {
		CASE(who_misses_often_keeps_it),
		CASE(not_with_other_threads_in_the_process),
		CASE(not_who_misses_seldom),
		CASE(who_asks_gets_it),
		CASE(who_asks_goes_on_asking),
		CASE(a_request_that_nobody_makes_passes),
		CASE(what_other_cores_have_changes_under_their_locks),
		CASE(its_core_has_changed_afterwards),
		CASE(another_thread_of_the_core_gets_that),
		CASE(who_was_killed_does_not_keep_it),
		CASE(who_was_killed_has_no_core),
		CASE(who_is_stopped_does_not_keep_it),
		CASE(who_is_stopped_in_an_access_keeps_it),
		CASE(who_begins_has_nothing),
		CASE(who_has_lost_it_notices),
	};

	return cmocka_run_group_tests_name("turns at the machine lock", tests, NULL, NULL);
}
