/* SPDX-License-Identifier: MIT */
/* Somebody stays in the files of many CPUs: an operation waits for 10 s in all, and a signal that
 * ends the process ends the waiting. Pauses take no time here but on the clock. */
#include "journal_file.h"
#include "on_machine.h"
#include "peer.h"
#include "pmu/families.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define CPUS 16
#define S_NS 1000000000ll
#define LIMIT_NS (10 * S_NS)
#define SPARE_NS S_NS	/* for the last pause */
#define BEGIN_S (1ll << 30)	/* ahead of the real clock */

static long long slept_ns;
static bool real_pauses;

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __real_nanosleep(const struct timespec *pause, struct timespec *left);
int __wrap_nanosleep(const struct timespec *pause, struct timespec *left);

int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
	int rc = __real_clock_gettime(id, t);

	if (id != CLOCK_REALTIME && !real_pauses)	/* the work itself takes no time */
		*t = (struct timespec){ .tv_sec = (time_t)(BEGIN_S + slept_ns / S_NS),
					.tv_nsec = (long)(slept_ns % S_NS) };
	return rc;
}

int __wrap_nanosleep(const struct timespec *pause, struct timespec *left)
{
	if (real_pauses)
		return __real_nanosleep(pause, left);
	slept_ns += pause->tv_sec * S_NS + pause->tv_nsec;
	return 0;
}

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * S_NS + t.tv_nsec;
}

/* ---- a holder that stays in the files */

static int held[CPUS];

static void hold(int first)
{
	struct flock mutex = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };
	static struct ipmu_journal j;
	char path[4096];

	for (int cpu = 0; cpu < CPUS; cpu++) {
		held[cpu] = -1;
		if (cpu < first)
			continue;
		j.header.place = cpu;
		journal_file_path(&j, &ipmu_knc, path);
		held[cpu] = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		assert_true(held[cpu] >= 0);
		assert_int_equal(fcntl(held[cpu], F_OFD_SETLK, &mutex), 0);
	}
}

static void let_go(void)
{
	for (int cpu = 0; cpu < CPUS; cpu++)
		if (held[cpu] >= 0)
			close(held[cpu]);
}

static struct ipmu_session *everywhere(const struct engine_fixture *f)
{
	char names[CPUS][IPMU_NAME_MAX];
	const char *list[CPUS];

	for (int cpu = 0; cpu < CPUS; cpu++) {
		snprintf(names[cpu], IPMU_NAME_MAX, "knc.INSTRUCTIONS_EXECUTED:cpu=%d", cpu);
		list[cpu] = names[cpu];
	}
	return engine_fixture_session(f, list, CPUS);
}

/* A process that enters a unit first restores what a dead one has left there. */
static void count_once(const struct engine_fixture *f)
{
	struct ipmu_session *s = everywhere(f);

	engine_fixture_start(s);
	engine_fixture_end(s, NULL);
}

/* ---- operations */

static void a_start(void **state)
{
	const struct engine_fixture *f = *state;
	struct ipmu_session *s = everywhere(f);
	char why[IPMU_WHY_MAX] = "";
	long long begin;

	hold(0);
	begin = now_ns();
	assert_int_equal(ipmu_session_start(s, why), -EBUSY);
	assert_in_range(now_ns() - begin, LIMIT_NS, LIMIT_NS + SPARE_NS);
	let_go();
	ipmu_session_free(s);
}

static void a_stop_and_the_way_out(void **state)
{
	const struct engine_fixture *f = *state;
	struct ipmu_session *s = everywhere(f);
	char why[IPMU_WHY_MAX] = "";
	uint64_t counts[CPUS];
	long long begin;

	engine_fixture_start(s);
	hold(0);
	begin = now_ns();
	assert_int_equal(ipmu_session_stop(s, counts, why), -EBUSY);
	assert_in_range(now_ns() - begin, LIMIT_NS, LIMIT_NS + SPARE_NS);
	begin = now_ns();
	ipmu_session_free(s);	/* restores 16 CPUs */
	assert_in_range(now_ns() - begin, LIMIT_NS, LIMIT_NS + SPARE_NS);
	let_go();
	count_once(f);
	assert_int_equal(engine_fixture_changed(f, true), 0);
}

/* Each file records that registers are to be restored, so opening a machine checks each. */
static void opening_a_machine(void **state)
{
	const struct engine_fixture *f = *state;
	static struct ipmu_journal j;
	struct ipmu_system *sys;
	char why[IPMU_WHY_MAX] = "";
	long long begin;

	for (int cpu = 1; cpu < CPUS; cpu++) {
		journal_file_init(&j, &ipmu_knc, cpu);
		journal_file_add(&j, &ipmu_knc, 0x29, 0, 1);
		journal_file_put(&j, &ipmu_knc);
	}
	hold(1);
	begin = now_ns();
	if (ipmu_system_open(f->topo, IPMU_SCOPE_CPU, &sys, why))
		fail_msg("%s", why);
	assert_in_range(now_ns() - begin, LIMIT_NS, LIMIT_NS + SPARE_NS);
	let_go();
	ipmu_system_close(sys);
	assert_int_equal(ipmu_system_open(f->topo, IPMU_SCOPE_CPU, &sys, why), 0);
	ipmu_system_close(sys);
}

/* ---- signals: in other processes, by real time */

static long long time_of_death(pid_t pid)
{
	long long begin;
	int status;

	begin = now_ns();
	kill(pid, SIGTERM);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	return now_ns() - begin;
}

static void a_signal_where_it_counts(void **state)
{
	const struct engine_fixture *f = *state;
	static char names[CPUS][IPMU_NAME_MAX];
	const char *list[PEER_EVENTS_MAX + 1] = { NULL };
	struct peer p;

	real_pauses = true;
	for (int cpu = 0; cpu < PEER_EVENTS_MAX; cpu++) {
		snprintf(names[cpu], IPMU_NAME_MAX, "knc.INSTRUCTIONS_EXECUTED:cpu=%d", cpu);
		list[cpu] = names[cpu];
	}
	p = peer_new(f, IPMU_SCOPE_CPU);
	assert_int_equal(peer_do(&p, PEER_START, list).rc, 0);
	hold(0);
	assert_in_range(time_of_death(p.pid), 0, LIMIT_NS);
	let_go();
	close(p.to);
	close(p.from);
	real_pauses = false;
	count_once(f);
	assert_int_equal(engine_fixture_changed(f, true), 0);
}

static int count_on(struct ipmu_system *sys, const char *name, char *why)
{
	struct ipmu_session *s;
	struct ipmu_event event;
	int rc = ipmu_event_parse(sys, name, &event, why);

	if (!rc)
		rc = ipmu_session_new(sys, &s, why);
	if (!rc)
		rc = ipmu_session_set(s, &event, 1, why);
	return rc ? rc : ipmu_session_start(s, why);
}

static void count_and_wait(const struct engine_fixture *f, int ready)
{
	struct ipmu_system *sys;
	char why[IPMU_WHY_MAX];

	signal(SIGTERM, SIG_DFL);
	alarm(HANG_SECONDS);
	if (ipmu_system_open(f->topo, IPMU_SCOPE_CPU, &sys, why) ||
	    count_on(sys, "knc.INSTRUCTIONS_EXECUTED:cpu=0", why) || write(ready, "", 1) != 1)
		_exit(1);
	count_on(sys, "knc.INSTRUCTIONS_EXECUTED:cpu=1", why);
	_exit(2);
}

/* The signal comes while the process waits for its second CPU, with signals held off. */
static void a_signal_while_it_waits(void **state)
{
	const struct engine_fixture *f = *state;
	int ready[2];
	char byte;
	pid_t pid;

	real_pauses = true;
	hold(1);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0)
		count_and_wait(f, ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
	assert_in_range(time_of_death(pid), 0, LIMIT_NS - 2 * S_NS);
	assert_int_equal(engine_fixture_changed(f, true), 0);
	let_go();
	close(ready[0]);
	close(ready[1]);
	real_pauses = false;
}

/* A signal that the program holds off itself, or ignores, does not end the waiting. */
static void a_signal_that_is_not_wanted(void **state)
{
	const struct engine_fixture *f = *state;
	struct ipmu_session *s = everywhere(f);
	char why[IPMU_WHY_MAX] = "";
	sigset_t term, before;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, &before);
	raise(SIGTERM);
	hold(0);
	assert_int_equal(ipmu_session_start(s, why), -EBUSY);
	let_go();
	assert_int_equal(sigtimedwait(&term, NULL, &(struct timespec){ 0 }), SIGTERM);
	sigprocmask(SIG_SETMASK, &before, NULL);
	ipmu_session_free(s);
}

static int set_up(void **state)
{
	static const struct engine_found found[] = {
		{ "IA32_PerfEvtSel0", 0x0003002A }, { "IA32_PerfCnt1", 0x123456789A }, { NULL, 0 },
	};

	return engine_fixture_open_on(state, IPMU_SCOPE_CPU, found);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_start),
		cmocka_unit_test(a_stop_and_the_way_out),
		cmocka_unit_test(opening_a_machine),
		cmocka_unit_test(a_signal_where_it_counts),
		cmocka_unit_test(a_signal_while_it_waits),
		cmocka_unit_test(a_signal_that_is_not_wanted),
	};

	(void)argc;
	on_machine(argv, "knc-4c16t");
	return cmocka_run_group_tests(tests, set_up, engine_fixture_close);
}
