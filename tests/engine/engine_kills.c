/* SPDX-License-Identifier: MIT */
/* A measurement loop is killed with SIGKILL at random moments, on each kind of machine; the next
 * process that counts finds every register as it was before the first. After SIGTERM at random
 * moments no other process is needed. IPMU_KILLS=N sets another number than 200 of each, SEED=N
 * other moments. */
#include "engine_fixture.h"
#include "on_machine.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define MOMENT_US_MAX 3000

/* Machines, how many of the kills they get (in percent), two sets of events that exclude each
 * other, and registers found in use, which zeros do not restore. */
static const struct machine {
	const char *name;
	int share;
	enum ipmu_scope scope;
	const char *events[2][3];
	struct engine_found found[8];
} machines[] = {
	{ "skl-4c8t", 40, IPMU_SCOPE_PACKAGE,
	  { { "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I", "skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL",
	      "skl_unc_clk.UNC_CLOCK:SOCKET" },
	    { "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_M", "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I",
	      "skl_unc_arb.UNC_ARB_TRK_REQUESTS:WRITES" } },
	  { { "MSR_UNC_CBO_0_PERFEVTSEL0", 0x00508834 },
	    { "MSR_UNC_CBO_1_PERFCTR1", 0x123456789AB },
	    { "MSR_UNC_ARB_PERFCTR1", 0x42 }, { "MSR_UNC_PERF_GLOBAL_CTRL", 0x8000000F } } },
	{ "core2-4c", 15, IPMU_SCOPE_CPU,
	  { { "core_fixed.INST_RETIRED:ANY:cpu=1", "core.INSTRUCTION_RETIRED:cpu=1",
	      "core.UNHALTED_CORE_CYCLES:cpu=0" },
	    { "core_fixed.INST_RETIRED:ANY:u:cpu=1", "core.FP_ASSIST:cpu=1",
	      "core.FP_COMP_OPS_EXE:cpu=1" } },
	  { { "MSR_PERF_FIXED_CTR0", 0x123456789A }, { "MSR_PERF_FIXED_CTR_CTRL", 0x333 },
	    { "MSR_PERF_GLOBAL_CTRL", 2 }, { "IA32_PMC0", 0x12345678 },
	    { "IA32_PMC1", 0xFF87654321 },
	    { "IA32_PERFEVTSEL1", 0x000300C0 } } },
	{ "nhmex-1p8c16t", 15, IPMU_SCOPE_PACKAGE,
	  { { "nhmex_unc_mbox.CYCLES", "nhmex_unc_mbox.FVC_EV0:BBOX_CMDS_READS", NULL },
	    { "nhmex_unc_mbox.FVC_EV0:BBOX_CMDS_WRITES", NULL, NULL } },
	  { { "U_MSR_PMON_GLOBAL_CTL", 0x4 }, { "M0_MSR_PMU_CNT_CTL_1", 0x2840 },
	    { "M0_MSR_PMU_CNT_0", 0x123456789ABC }, { "M1_MSR_PMU_ZDP_CTL_FVC", 0xE0000 } } },
	{ "p4-1c2t", 15, IPMU_SCOPE_CPU,
	  { { "netburst_p.branch_retired:MMNP", "netburst_p.instr_retired:NBOGUSNTAG", NULL },
	    { "netburst_p.machine_clear:CLEAR", NULL, NULL } },
	  { { "MSR_CRU_ESCR2", 0x0C00140C }, { "MSR_IQ_COUNTER0", 0x123456789A },
	    { "MSR_IQ_CCCR0", 0x0003A000 } } },
	{ "knc-4c16t", 15, IPMU_SCOPE_CPU,
	  { { "knc.INSTRUCTIONS_EXECUTED:cpu=2", "knc.CPU_CLK_UNHALTED:cpu=2", NULL },
	    { "knc.BRANCHES:cpu=2", "knc.BRANCHES:cpu=3", NULL } },
	  { { "IA32_PerfEvtSel0", 0x0003002A }, { "IA32_PerfCnt0", 0xFEDCBA9876 },
	    { "IA32_PERF_GLOBAL_CTRL", 3 } } },
};

#define MACHINES (sizeof(machines) / sizeof(machines[0]))

static const struct machine *machine;

static int setting(const char *name, int otherwise)
{
	const char *text = getenv(name);

	return text ? atoi(text) : otherwise;
}

static int open_machine(void **state)
{
	const char *name = on_machine_segment()->machine.name;

	for (size_t i = 0; i < MACHINES && !machine; i++)
		if (strcmp(machines[i].name, name) == 0)
			machine = &machines[i];
	return machine ? engine_fixture_open_on(state, machine->scope, machine->found) : -1;
}

static struct ipmu_session *begin(struct ipmu_system *sys, int set)
{
	struct ipmu_event events[3];
	struct ipmu_session *s;
	char why[IPMU_WHY_MAX] = "";
	int n = 0, rc = 0;

	for (; n < 3 && machine->events[set][n] && !rc; n++)
		rc = ipmu_event_parse(sys, machine->events[set][n], &events[n], why);
	if (!rc)
		rc = ipmu_session_new(sys, &s, why);
	if (!rc)
		rc = ipmu_session_set(s, events, n, why);
	if (!rc)
		rc = ipmu_session_start(s, why);
	if (!rc)
		return s;
	fprintf(stderr, "%s\n", why);
	_exit(9);
}

/* Never ends. `sets` 1: only the first set of events. */
static void measure(const struct engine_fixture *f, unsigned seed, int sets, int ready)
{
	char why[IPMU_WHY_MAX] = "";
	struct ipmu_system *sys;
	uint64_t v[3];

	for (unsigned round = seed;; round++) {
		if (ipmu_system_open(f->topo, machine->scope, &sys, why)) {
			fprintf(stderr, "%s\n", why);
			_exit(9);
		}
		if (ready >= 0 && round == seed && write(ready, "", 1) != 1)
			_exit(9);
		for (int i = 0; i < 3; i++) {
			struct ipmu_session *s = begin(sys, (int)(round + (unsigned)i) % sets);

			ipmu_session_read(s, v);
			ipmu_session_reset(s);
			ipmu_session_stop(s, i % 2 ? v : NULL, why);
			ipmu_session_start(s, why);
			ipmu_session_free(s);
		}
		ipmu_system_close(sys);
	}
}

static void sleep_us(long us)
{
	nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
}

static long spent_us(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* By its own time: on a busy CPU it would otherwise be killed wherever its last turn ended. One
 * that waits for something is killed there. */
static void let_run(pid_t pid, long us)
{
	long until = spent_us(CLOCK_MONOTONIC) + 100 * MOMENT_US_MAX, from;
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
	for (from = spent_us(clock); spent_us(clock) - from < us; sleep_us(20))
		if (spent_us(CLOCK_MONOTONIC) > until)
			return;
}

/* True: the victim left registers changed. */
static bool kill_one(const struct engine_fixture *f, unsigned seed, long us, int number)
{
	int status, ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		measure(f, seed, 2, ready[1]);
	}
	close(ready[1]);
	if (seed % 4)	/* some die while they open, too */
		assert_in_range(read(ready[0], &byte, 1), 0, 1);
	close(ready[0]);
	let_run(pid, us);
	kill(pid, number);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));	/* and did not end for a reason of its own */
	assert_int_equal(WTERMSIG(status), number);
	return engine_fixture_changed(f, false) > 0;
}

static void count_once(const struct engine_fixture *f, int set)
{
	struct ipmu_system *sys;
	char why[IPMU_WHY_MAX] = "";

	if (ipmu_system_open(f->topo, machine->scope, &sys, why))
		fail_msg("%s", why);
	ipmu_session_free(begin(sys, set));
	ipmu_system_close(sys);
}

static void registers_are_as_before_after_any_kill(void **state)
{
	const struct engine_fixture *f = *state;
	unsigned seed = (unsigned)setting("SEED", 4711);
	int kills = setting("IPMU_KILLS", 200) * machine->share / 100, dirty = 0;

	srand(seed);
	for (int i = 0; i < kills; i++) {
		long us = rand() % MOMENT_US_MAX;

		dirty += kill_one(f, (unsigned)i, us, SIGKILL);
		count_once(f, i % 2);
		if (engine_fixture_changed(f, true))
			fail_msg("kill %d, after %ld us (SEED=%u)", i, us, seed);
	}
	print_message("%s: %d kills, %d left registers changed\n", machine->name, kills, dirty);
	assert_true(dirty > kills / 10);
}

/* Without another process: the handler does it, wherever the signal arrives. */
static void registers_are_as_before_after_a_signal(void **state)
{
	const struct engine_fixture *f = *state;
	unsigned seed = (unsigned)setting("SEED", 4711);
	int kills = setting("IPMU_KILLS", 200) * machine->share / 100;

	srand(seed);
	for (int i = 0; i < kills; i++) {
		long us = rand() % MOMENT_US_MAX;

		if (!kill_one(f, (unsigned)i, us, SIGTERM))
			continue;
		engine_fixture_changed(f, true);
		fail_msg("SIGTERM %d, after %ld us (SEED=%u)", i, us, seed);
	}
}

/* ---- a recovery that is killed, too */

static int writes_left = -1;	/* of registers, until SIGKILL; -1: no end */

ssize_t __real_pwrite(int fd, const void *buffer, size_t n, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *buffer, size_t n, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *buffer, size_t n, off_t offset)
{
	if (n == sizeof(uint64_t) && writes_left >= 0 && writes_left-- == 0)
		raise(SIGKILL);
	return __real_pwrite(fd, buffer, n, offset);
}

/* A process that is killed while it counts, and changes no register. */
static void killed_while_counting(const struct engine_fixture *f)
{
	struct ipmu_system *sys;
	char why[IPMU_WHY_MAX] = "", byte;
	int ready[2];
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		if (ipmu_system_open(f->topo, machine->scope, &sys, why) || !begin(sys, 0) ||
		    write(ready[1], "", 1) != 1)
			_exit(9);
		pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* True: it was, before its writes were over. */
static bool killed_while_opening(const struct engine_fixture *f, int writes)
{
	struct ipmu_system *sys;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		writes_left = writes;
		_exit(ipmu_system_open(f->topo, machine->scope, &sys, NULL) ? 9 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
	return status != 0;
}

/* The next process does not take what the killed one restored for a foreign user's. */
static void a_recovery_may_be_killed_too(void **state)
{
	const struct engine_fixture *f = *state;
	int writes = -1;
	bool died;

	do {
		char why[IPMU_WHY_MAX] = "";
		struct ipmu_system *sys;

		killed_while_counting(f);
		died = killed_while_opening(f, ++writes);
		assert_int_equal(ipmu_system_open(f->topo, machine->scope, &sys, why), 0);
		if (ipmu_system_left(sys, why))
			fail_msg("after %d writes: %s", writes, why);
		assert_int_equal(ipmu_system_close(sys), 0);
		assert_int_equal(engine_fixture_changed(f, true), 0);
	} while (died);
	assert_true(writes > 3);
}

#define CROWD 12

static pid_t one_of_a_crowd(const struct engine_fixture *f, unsigned seed)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	measure(f, seed, 1, -1);
	return 0;
}

static void bury(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

/* Others come, go and are killed wherever they are, also inside; this one counts on. */
static void a_reader_is_not_disturbed(void **state)
{
	const struct engine_fixture *f = *state;
	int kills = setting("IPMU_KILLS", 200) * machine->share / 100;
	pid_t crowd[CROWD];
	struct ipmu_session *s;
	uint64_t v[3], misses = 0;

	if (machine != &machines[0])
		return;
	for (unsigned i = 0; i < CROWD; i++)
		crowd[i] = one_of_a_crowd(f, i);
	s = begin(f->sys, 0);
	for (int i = 0; i < kills; i++) {
		pid_t *victim = &crowd[rand() % CROWD];

		for (int part = 0; part < 4; part++) {
			engine_fixture_misses(f, (uint32_t)part, 5);
			misses += 5;
			assert_int_equal(ipmu_session_read(s, v), 0);
			assert_int_equal(v[0], misses);
			sleep_us(rand() % 500);
		}
		bury(*victim);
		*victim = one_of_a_crowd(f, (unsigned)i);
		if (i % 8 == 7) {	/* in and out as well */
			assert_int_equal(ipmu_session_stop(s, v, NULL), 0);
			assert_int_equal(v[0], misses);
			misses = 0;
			assert_int_equal(ipmu_session_start(s, NULL), 0);
		}
	}
	for (int i = 0; i < CROWD; i++)
		bury(crowd[i]);
	ipmu_session_free(s);
	assert_int_equal(engine_fixture_changed(f, true), 0);
}

static bool default_action(int number)
{
	struct sigaction now;

	return !sigaction(number, NULL, &now) && !(now.sa_flags & SA_SIGINFO) &&
	       now.sa_handler == SIG_DFL;
}

/* A number for each thing that is not as it should be. */
static int child_with_signals(const struct engine_fixture *f)
{
	struct engine_fixture own = *f;
	char why[IPMU_WHY_MAX];
	struct ipmu_session *s;

	alarm(HANG_SECONDS);
	if (!default_action(SIGTERM) || !default_action(SIGHUP))
		return 1;
	if (ipmu_system_open(f->topo, machine->scope, &own.sys, why))
		return 2;
	s = begin(own.sys, 0);
	if (default_action(SIGTERM))
		return 3;
	ipmu_session_free(s);
	if (!default_action(SIGTERM))
		return 4;
	return ipmu_system_close(own.sys) ? 5 : 0;
}

/* A forked child restores what it has counted itself, and leaves its parent's registers alone. */
static void a_child_has_its_own_signals(void **state)
{
	const struct engine_fixture *f = *state;
	struct ipmu_session *s = begin(f->sys, 0);
	int status;
	pid_t pid;

	assert_false(default_action(SIGTERM));
	pid = fork();
	if (pid == 0)
		_exit(child_with_signals(f));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_false(default_action(SIGTERM));
	ipmu_session_free(s);
	assert_true(default_action(SIGTERM));
}

/* Each machine in a process of its own. */
static int on_all(char **argv)
{
	int bad = 0, status;

	for (size_t i = 0; i < MACHINES; i++) {
		pid_t pid = fork();

		if (pid == 0)
			on_machine(argv, machines[i].name);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			return 1;
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
			return 77;
		bad += status != 0;
	}
	return bad;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_are_as_before_after_any_kill),
		cmocka_unit_test(registers_are_as_before_after_a_signal),
		cmocka_unit_test(a_recovery_may_be_killed_too),
		cmocka_unit_test(a_reader_is_not_disturbed),
		cmocka_unit_test(a_child_has_its_own_signals),
	};

	(void)argc;
	not_under_tsan("the thread sanitizer ends a forked process that makes threads");
	if (!getenv("VPMU_SEGMENT"))
		return on_all(argv);
	return cmocka_run_group_tests(tests, open_machine, engine_fixture_close);
}
