/* SPDX-License-Identifier: MIT */
/* Processes that count on one package: what they write and report. Whether their counts are right
 * and registers are restored, in any order of events, is in engine_peers.c. */
#include "lease/process.h"
#include "on_machine.h"
#include "peer.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define READ_I "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=0"
#define READ_I_1 "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=1"
#define ANY_M "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_M:box=0"
#define ANY_I "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:box=0"
#define REQUESTS "skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL"
#define GLOBAL "MSR_UNC_PERF_GLOBAL_CTRL"
#define GLOBAL_EN 0x20000000u

static const char *const read_i[] = { READ_I, NULL }, *const any_m[] = { ANY_M, NULL },
	*const any_i[] = { ANY_I, NULL }, *const requests[] = { REQUESTS, NULL },
	*const ticks[] = { "skl_unc_clk.UNC_CLOCK", NULL },
	*const imc[] = { "skl_unc_imc.DRAM_DATA_READS", NULL };

static struct peer_answer must(const struct peer *p, enum peer_command command,
			       const char *const *names)
{
	struct peer_answer a = peer_do(p, command, names);

	if (a.rc)
		fail_msg("command %d: %d: %s", (int)command, a.rc, a.why);
	return a;
}

static void counts(const struct peer *p, uint64_t expected)
{
	assert_int_equal(must(p, PEER_READ, NULL).values[0], expected);
}

static void clean(const struct engine_fixture *f)
{
	assert_int_equal(engine_fixture_changed(f, true), 0);
}

static void close_peer(struct peer *p)
{
	must(p, PEER_CLOSE, NULL);
	peer_kill(p);
}

static uint64_t written(const struct engine_fixture *f)
{
	return f->segment->accesses.wrmsr;
}

static void the_same_events_are_shared(void **state)
{
	const struct engine_fixture *f = *state;

	for (int first = 0; first < 2; first++) {
		struct peer p[2] = { peer_new(f, IPMU_SCOPE_PACKAGE),
				     peer_new(f, IPMU_SCOPE_PACKAGE) };
		uint64_t was;

		must(&p[0], PEER_START, read_i);
		engine_fixture_misses(f, 0, 5);
		was = written(f);
		must(&p[1], PEER_START, read_i);
		assert_int_equal(written(f) - was, 1);	/* the common switch, on again */
		engine_fixture_misses(f, 0, 3);
		counts(&p[0], 8);
		counts(&p[1], 3);
		must(&p[1], PEER_RESET, NULL);
		/* one of them goes, the programmer or the reader; the other counts on */
		must(&p[first], PEER_STOP, NULL);
		engine_fixture_misses(f, 0, 2);
		counts(&p[!first], first ? 10 : 2);
		close_peer(&p[first]);
		assert_true(engine_fixture_changed(f, false) > 0);
		engine_fixture_misses(f, 0, 4);
		counts(&p[!first], first ? 14 : 6);
		assert_int_equal(must(&p[!first], PEER_STOP, NULL).values[0], first ? 14 : 6);
		close_peer(&p[!first]);
		clean(f);
	}
}

static void busy(const struct peer *p, const char *const *names, const struct peer *holder,
		 const char *what)
{
	struct peer_answer a = peer_do(p, PEER_START, names);
	char pid[64], comm[32] = "";

	print_message("%s\n", a.why);
	assert_int_equal(a.rc, -EBUSY);
	assert_int_equal(prctl(PR_GET_NAME, comm), 0);	/* the holder is a fork of this one */
	snprintf(pid, sizeof(pid), "process %d (%s)", (int)holder->pid, comm);
	assert_non_null(strstr(a.why, names[0]));
	assert_non_null(strstr(a.why, pid));
	assert_non_null(strstr(a.why, "skl_unc_cbo box 0"));
	assert_non_null(strstr(a.why, what));
}

static void other_events_are_refused_and_other_boxes_are_not(void **state)
{
	const struct engine_fixture *f = *state;
	struct peer a = peer_new(f, IPMU_SCOPE_PACKAGE), b = peer_new(f, IPMU_SCOPE_PACKAGE);
	uint64_t was;

	must(&a, PEER_START, read_i);
	was = written(f);
	busy(&b, any_m, &a, READ_I);	/* although a counter is free: it is the other's box */
	assert_int_equal(written(f), was);
	must(&b, PEER_START, requests);
	engine_fixture_misses(f, 0, 3);
	counts(&a, 3);
	counts(&b, 0);
	must(&a, PEER_STOP, NULL);
	must(&b, PEER_STOP, NULL);
	must(&b, PEER_START, any_m);	/* a stopped session leaves the box to others */
	busy(&a, any_i, &b, ANY_M);
	must(&b, PEER_FREE, NULL);
	must(&a, PEER_START, read_i);
	engine_fixture_misses(f, 0, 2);
	counts(&a, 2);
	close_peer(&b);
	close_peer(&a);
	clean(f);
}

static void mine(int number)
{
	(void)number;
}

static bool plain(int number)
{
	struct sigaction now;

	assert_int_equal(sigaction(number, NULL, &now), 0);
	return !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL;
}

static void handlers_are_there_while_something_counts(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { READ_I };
	struct sigaction now, own = { .sa_handler = mine };
	struct ipmu_session *s;

	sigaction(SIGINT, &own, NULL);
	s = engine_fixture_started(f, names, 1);
	assert_false(plain(SIGTERM));
	sigaction(SIGINT, NULL, &now);
	assert_true(now.sa_handler == mine);
	signal(SIGHUP, mine);	/* the program thinks of it now */
	ipmu_session_free(s);
	assert_true(plain(SIGTERM));
	sigaction(SIGHUP, NULL, &now);
	assert_true(now.sa_handler == mine);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	setenv("IPMU_SIGNALS", "0", 1);
	s = engine_fixture_started(f, names, 1);
	assert_true(plain(SIGTERM));
	ipmu_session_free(s);
	unsetenv("IPMU_SIGNALS");
}

static void counters_of_strangers_are_refused(void **state)
{
	const struct engine_fixture *f = *state;
	struct peer p = peer_new(f, IPMU_SCOPE_PACKAGE);
	uint32_t global = (uint32_t)engine_fixture_peek(f, GLOBAL);
	uint64_t was;

	engine_fixture_poke(f, GLOBAL, global | GLOBAL_EN);
	struct peer_answer a = peer_do(&p, PEER_START, read_i);
	print_message("%s\n", a.why);
	assert_int_equal(a.rc, -EBUSY);
	/* found enabled from the beginning, see engine_fixture_open */
	assert_non_null(strstr(a.why, "MSR_UNC_CBO_0_PERFEVTSEL0 (0x700) is 0x508834"));
	assert_non_null(strstr(a.why, "nmi_watchdog"));
	assert_non_null(strstr(a.why, "IPMU_TAKE_BUSY=1"));
	must(&p, PEER_FREE, NULL);
	assert_int_equal(engine_fixture_peek(f, GLOBAL), global | GLOBAL_EN);
	was = written(f);
	must(&p, PEER_START, imc);	/* takes nothing from anybody */
	must(&p, PEER_STOP, NULL);
	assert_int_equal(peer_do(&p, PEER_START, read_i).rc, -EBUSY);
	close_peer(&p);			/* nor does the end after a refusal */
	assert_int_equal(written(f), was);
	setenv("IPMU_TAKE_BUSY", "1", 1);
	p = peer_new(f, IPMU_SCOPE_PACKAGE);
	must(&p, PEER_START, read_i);
	engine_fixture_misses(f, 0, 3);
	counts(&p, 3);
	close_peer(&p);
	unsetenv("IPMU_TAKE_BUSY");
	assert_int_equal(engine_fixture_peek(f, GLOBAL), global | GLOBAL_EN);
	engine_fixture_poke(f, GLOBAL, global);
	clean(f);
}

static void a_forked_child_changes_nothing(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { READ_I };
	struct ipmu_session *s = engine_fixture_started(f, names, 1);
	struct peer b = peer_new(f, IPMU_SCOPE_PACKAGE);
	char why[IPMU_WHY_MAX] = "";
	int status;
	uint64_t v;
	pid_t pid = fork();

	if (pid == 0) {
		bool good = ipmu_session_stop(s, NULL, why) == 0 &&
			    ipmu_session_start(s, why) == -ECHILD;

		ipmu_session_free(s);
		ipmu_system_close(f->sys);
		_exit(good ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	engine_fixture_misses(f, 0, 3);
	assert_int_equal(ipmu_session_read(s, &v), 0);
	assert_int_equal(v, 3);
	assert_int_equal(peer_do(&b, PEER_START, any_m).rc, -EBUSY);	/* still locked */
	must(&b, PEER_START, read_i);	/* a forked child counts on its own */
	engine_fixture_misses(f, 0, 1);
	counts(&b, 1);
	close_peer(&b);
	ipmu_session_free(s);
	clean(f);
}

/* Counters that another process has started since this one's last switch ran before the freeze:
 * they are not added to the frozen ones. */
static void a_freeze_beside_another_process(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const freezing[] = { READ_I ":freeze=5" };
	static const char *const beside[] = { READ_I_1 };
	struct ipmu_session *plain = engine_fixture_started(f, beside, 1);
	struct ipmu_session *frozen = engine_fixture_started(f, freezing, 1);
	struct peer b = peer_new(f, IPMU_SCOPE_PACKAGE);
	char why[IPMU_WHY_MAX] = "";
	uint64_t v;

	must(&b, PEER_START, ticks);
	engine_fixture_misses(f, 1, 2);
	engine_fixture_misses(f, 0, 9);
	engine_fixture_misses(f, 1, 4);
	assert_int_equal(engine_fixture_peek(f, GLOBAL) & GLOBAL_EN, 0);
	assert_int_equal(ipmu_session_stop(plain, &v, why), 0);
	assert_int_equal(v, 2);
	engine_fixture_end(frozen, &v);
	assert_int_equal(v, 5);
	ipmu_session_free(plain);
	close_peer(&b);
	clean(f);
}

/* A message names this process and its command; of one that has ended there is the number alone. */
static void a_process_is_named_while_it_runs(void **state)
{
	struct ipmu_journal_process self = ipmu_process_self(), other = self;
	char comm[32] = "", expected[64], text[64];
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(prctl(PR_GET_NAME, comm), 0);
	snprintf(expected, sizeof(expected), "%d (%s)", (int)getpid(), comm);
	ipmu_process_name(&self, text);
	assert_string_equal(text, expected);
	other.pid = (uint32_t)pid;
	snprintf(expected, sizeof(expected), "%d", (int)pid);
	ipmu_process_name(&other, text);
	assert_string_equal(text, expected);
	other.pid_namespace++;
	ipmu_process_name(&other, text);
	assert_non_null(strstr(text, " of another pid namespace"));
}

static void two_systems_are_as_two_processes(void **state)
{
	const struct engine_fixture *f = *state;
	struct ipmu_event event;
	struct ipmu_system *sys;
	struct ipmu_session *s;
	static const char *const names[] = { READ_I };
	struct ipmu_session *first = engine_fixture_started(f, names, 1);
	char why[IPMU_WHY_MAX] = "";
	uint64_t v[2];

	assert_int_equal(ipmu_system_open(f->topo, IPMU_SCOPE_PACKAGE, &sys, why), 0);
	assert_int_equal(ipmu_session_new(sys, &s, why), 0);
	assert_int_equal(ipmu_event_parse(sys, ANY_M, &event, why), 0);
	assert_int_equal(ipmu_session_set(s, &event, 1, why), 0);
	assert_int_equal(ipmu_session_start(s, why), -EBUSY);
	assert_int_equal(ipmu_event_parse(sys, READ_I, &event, why), 0);
	assert_int_equal(ipmu_session_set(s, &event, 1, why), 0);
	assert_int_equal(ipmu_session_start(s, why), 0);
	engine_fixture_misses(f, 0, 2);
	engine_fixture_end(first, &v[0]);
	engine_fixture_misses(f, 0, 2);
	engine_fixture_end(s, &v[1]);
	ipmu_system_close(sys);
	assert_int_equal(v[0], 2);
	assert_int_equal(v[1], 4);
	clean(f);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_events_are_shared),
		cmocka_unit_test(other_events_are_refused_and_other_boxes_are_not),
		cmocka_unit_test(handlers_are_there_while_something_counts),
		cmocka_unit_test(counters_of_strangers_are_refused),
		cmocka_unit_test(a_freeze_beside_another_process),
		cmocka_unit_test(a_forked_child_changes_nothing),
		cmocka_unit_test(a_process_is_named_while_it_runs),
		cmocka_unit_test(two_systems_are_as_two_processes),
	};

	(void)argc;
	not_under_tsan("the thread sanitizer ends a forked process that makes threads");
	on_machine(argv, "skl-4c8t");
	return cmocka_run_group_tests(tests, engine_fixture_open, engine_fixture_close);
}
