/* SPDX-License-Identifier: MIT */
/* Counts that are not known any more are not given: counters that went back behind their reader,
 * that belong to a process which is gone. What the test raises in the model is what they must
 * show. */
#include "on_machine.h"
#include "peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define READ_I "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=0"
#define READ_I_1 "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=1"
#define COUNTER "MSR_UNC_CBO_0_PERFCTR0"
#define SELECT "MSR_UNC_CBO_0_PERFEVTSEL0"
#define SELECT_1 "MSR_UNC_CBO_1_PERFEVTSEL0"
#define GLOBAL "MSR_UNC_PERF_GLOBAL_CTRL"

static const struct engine_fixture *fixture;
static const char *const both[] = { READ_I, READ_I_1 };

static time_t slept_s;

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
	int rc = __real_clock_gettime(id, t);

	if (id == CLOCK_BOOTTIME)
		t->tv_sec += slept_s;
	return rc;
}

ssize_t __real_pwrite(int fd, const void *bytes, size_t length, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t length, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t length, off_t at)
{
	if (peer_fault.kind == PEER_KILLED && peer_fault.left-- == 0)
		raise(SIGKILL);
	return __real_pwrite(fd, bytes, length, at);
}

/* ---- set back */

static void stops_lost(struct ipmu_session *s, const char *words)
{
	char why[IPMU_WHY_MAX] = "";

	assert_int_equal(ipmu_session_stop(s, NULL, why), -ESTALE);
	print_message("%s\n", why);
	assert_non_null(strstr(why, READ_I));
	assert_non_null(strstr(why, "skl_unc_cbo box 0 through /dev/cpu/0/msr"));
	if (!strstr(why, words))
		fail_msg("'%s' is not in it", words);
}

/* Whatever it is set to: a step of more than half of the range is none that it can have made. */
static void a_counter_that_is_set_back_is_lost(void **state)
{
	struct ipmu_session *s = engine_fixture_session(fixture, both, 2);
	static const uint64_t back[] = { 1, 400, 1ull << 42 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		engine_fixture_start(s);
		engine_fixture_misses(fixture, 0, 500);
		engine_fixture_misses(fixture, 1, 20);
		engine_fixture_expect(s, 0, 500, 20);
		engine_fixture_poke(fixture, COUNTER, (engine_fixture_peek(fixture, COUNTER) -
						       back[i]) & ((1ull << 44) - 1));
		engine_fixture_misses(fixture, 1, 3);
		engine_fixture_expect(s, -ESTALE, 500, 23);
		engine_fixture_misses(fixture, 0, 600);	/* past where it was */
		engine_fixture_misses(fixture, 1, 4);
		engine_fixture_expect(s, -ESTALE, 500, 27);
		assert_int_equal(ipmu_session_reset(s), -ESTALE);
		engine_fixture_expect(s, -ESTALE, 0, 0);
		stops_lost(s, "1 of 2 counters are lost");
		engine_fixture_expect(s, -ESTALE, 0, 0);
	}
	engine_fixture_start(s);
	engine_fixture_misses(fixture, 0, 5);
	engine_fixture_expect(s, 0, 5, 0);
	engine_fixture_end(s, NULL);
}

/* A register that somebody else has written since stays and is reported; the rest is restored. */
static void a_register_of_somebody_else_is_not_put_back(void **state)
{
	struct ipmu_session *s = engine_fixture_session(fixture, both, 2);
	uint64_t found = engine_fixture_peek(fixture, SELECT);
	char why[IPMU_WHY_MAX];

	(void)state;
	engine_fixture_poke(fixture, SELECT, 0x11);
	engine_fixture_poke(fixture, SELECT_1, 0x12);
	for (int i = 0; i < 2; i++) {
		engine_fixture_start(s);
		if (i)
			engine_fixture_poke(fixture, SELECT, 0x4234);
		assert_int_equal(ipmu_session_stop(s, NULL, why), 0);
		assert_int_equal(ipmu_session_set(s, NULL, 0, why), 0);
		assert_int_equal(engine_fixture_peek(fixture, SELECT), i ? 0x4234 : 0x11);
		assert_int_equal(engine_fixture_peek(fixture, SELECT_1), 0x12);
		assert_int_equal(ipmu_system_left(fixture->sys, why), i);
		assert_int_equal(strstr(why, SELECT " (0x700) is 0x4234") != NULL, i);
		assert_false(ipmu_system_left(fixture->sys, why));
		ipmu_session_free(s);
		s = engine_fixture_session(fixture, both, 2);
	}
	ipmu_session_free(s);
	engine_fixture_poke(fixture, SELECT, found);
	engine_fixture_poke(fixture, SELECT_1, 0);
}

/* As the kernel's driver does it: it takes a counter, and writes the global control with all cores.
 * What the other one has counted is right. */
static void a_stop_tells_of_somebody_elses_counter(void **state)
{
	uint64_t global = engine_fixture_peek(fixture, GLOBAL), v[2];
	uint64_t counter = engine_fixture_peek(fixture, COUNTER);
	uint64_t select = engine_fixture_peek(fixture, SELECT);
	struct ipmu_session *s = engine_fixture_started(fixture, both, 2);
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	engine_fixture_misses(fixture, 0, 9);
	engine_fixture_poke(fixture, SELECT, 0x400f34);
	engine_fixture_poke(fixture, GLOBAL, 0x2000000f);
	engine_fixture_misses(fixture, 0, 100);
	engine_fixture_misses(fixture, 1, 2);
	assert_int_equal(ipmu_session_read(s, v), 0);
	assert_int_equal(ipmu_session_stop(s, NULL, why), -EBUSY);	/* as PAPI does it */
	assert_non_null(strstr(why, "the kernel's perf events"));
	assert_int_equal(v[1], 2);
	assert_int_equal(engine_fixture_peek(fixture, SELECT), 0x400f34);
	assert_int_equal(engine_fixture_peek(fixture, GLOBAL), 0x2000000f);
	assert_int_equal(engine_fixture_peek(fixture, SELECT_1), 0);
	v[0] = engine_fixture_peek(fixture, COUNTER);
	assert_int_equal(ipmu_session_start(s, why), -EBUSY);
	assert_non_null(strstr(why, "somebody else counts there"));
	assert_int_equal(engine_fixture_peek(fixture, COUNTER), v[0]);
	/* they end */
	engine_fixture_poke(fixture, SELECT, 0);
	engine_fixture_start(s);
	engine_fixture_misses(fixture, 0, 3);
	engine_fixture_expect(s, 0, 3, 0);
	engine_fixture_end(s, NULL);
	assert_int_equal(engine_fixture_peek(fixture, GLOBAL), 0x2000000f);
	engine_fixture_poke(fixture, GLOBAL, global);
	engine_fixture_poke(fixture, SELECT, select);
	engine_fixture_poke(fixture, COUNTER, counter);
	assert_true(ipmu_system_left(fixture->sys, why));
}

/* The last read, at a stop, is checked like any other. */
static void a_stop_notices_it_too(void **state)
{
	struct ipmu_session *s = engine_fixture_started(fixture, both, 2);
	char why[IPMU_WHY_MAX] = "";
	uint64_t v[2];

	(void)state;
	engine_fixture_misses(fixture, 0, 9);
	engine_fixture_expect(s, 0, 9, 0);
	engine_fixture_poke(fixture, COUNTER, 0);
	engine_fixture_misses(fixture, 1, 2);
	assert_int_equal(ipmu_session_stop(s, v, why), -ESTALE);
	assert_int_equal(v[0], 9);
	assert_int_equal(v[1], 2);
	ipmu_session_free(s);
}

static void who_shares_it_loses_it_too(void **state)
{
	struct ipmu_session *a = engine_fixture_started(fixture, both, 2);
	struct ipmu_session *b, *c = engine_fixture_session(fixture, both, 1);
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	engine_fixture_misses(fixture, 0, 9);
	b = engine_fixture_started(fixture, both, 2);
	engine_fixture_poke(fixture, COUNTER, 0);
	engine_fixture_misses(fixture, 1, 2);
	engine_fixture_expect(b, -ESTALE, 0, 2);
	assert_int_equal(ipmu_session_start(c, why), -ESTALE);
	assert_non_null(strstr(why, "stop those sets first"));
	engine_fixture_expect(a, -ESTALE, 9, 2);	/* as the start of b has seen it */
	stops_lost(a, "set back from outside");
	stops_lost(b, "set back from outside");
	engine_fixture_start(c);
	engine_fixture_misses(fixture, 0, 7);
	engine_fixture_end(c, (uint64_t[1]){ 0 });
	ipmu_session_free(a);
	ipmu_session_free(b);
}

/* The registers lose what they hold, and the clock of the boot advances. */
static void suspend(void)
{
	static const char *const reset[] = { COUNTER, SELECT, "MSR_UNC_CBO_1_PERFCTR0", SELECT_1,
					     "MSR_UNC_PERF_GLOBAL_CTRL" };

	slept_s += 2;
	for (size_t i = 0; i < sizeof(reset) / sizeof(reset[0]); i++)
		engine_fixture_poke(fixture, reset[i], 0);
}

/* A count is lost even if the counter has not fallen below the value that its session last saw.
 * Registers that were written before the suspend have to be written again. */
static void a_count_across_a_suspend_is_lost(void **state)
{
	struct ipmu_session *a = engine_fixture_session(fixture, both, 1);
	struct ipmu_session *b = engine_fixture_session(fixture, both + 1, 1);
	char why[IPMU_WHY_MAX] = "";
	uint64_t v;

	(void)state;
	for (int i = 0; i < 2; i++) {
		engine_fixture_start(a);
		engine_fixture_misses(fixture, 0, 9);
		assert_int_equal(ipmu_session_read(a, &v), 0);
		assert_int_equal(v, 9);
		assert_int_equal(ipmu_session_reset(a), 0);
		suspend();
		assert_int_equal(ipmu_session_read(a, &v), -ESHUTDOWN);
		assert_int_equal(v, 0);
		assert_int_equal(ipmu_session_stop(a, NULL, why), -ESHUTDOWN);
		assert_non_null(strstr(why, "the machine was suspended meanwhile"));
	}
	engine_fixture_start(a);
	suspend();
	assert_int_equal(ipmu_session_stop(a, NULL, why), -ESHUTDOWN);	/* no read before it */
	engine_fixture_start(a);
	suspend();
	engine_fixture_start(b);	/* beside one that does not know yet */
	engine_fixture_misses(fixture, 1, 4);
	assert_int_equal(ipmu_session_read(b, &v), 0);
	assert_int_equal(v, 4);
	assert_int_equal(ipmu_session_stop(a, &v, why), -ESHUTDOWN);
	engine_fixture_end(b, NULL);
	ipmu_session_free(a);
}

/* A stopped session leaves its registers programmed for its next start, but a suspend does not. */
static void a_stopped_session_counts_after_a_suspend(void **state)
{
	struct ipmu_session *s = engine_fixture_started(fixture, both, 2);

	(void)state;
	engine_fixture_misses(fixture, 0, 2);
	assert_int_equal(ipmu_session_stop(s, NULL, NULL), 0);
	suspend();
	engine_fixture_start(s);
	engine_fixture_misses(fixture, 0, 7);
	engine_fixture_expect(s, 0, 7, 0);
	engine_fixture_end(s, NULL);
}

/* A suspend resets registers, and the journal's rows are outdated: for all processes, also for one
 * that noticed the suspend while it counted something else. */
static void a_journal_from_before_a_suspend(void **state)
{
	static const char *const one[] = { READ_I, NULL };
	static const char *const others[][2] = {
		{ "skl_unc_imc.DRAM_DATA_READS" }, { "skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct ipmu_session *b = engine_fixture_started(fixture, both + 1, 1);
		struct peer p;
		uint64_t v;

		engine_fixture_end(engine_fixture_started(fixture, both, 1), NULL);
		suspend();
		p = peer_new(fixture, IPMU_SCOPE_PACKAGE);
		assert_int_equal(peer_do(&p, PEER_START, others[i]).rc, 0);
		assert_int_equal(ipmu_session_stop(b, &v, NULL), -ESHUTDOWN);
		engine_fixture_start(b);
		assert_int_equal(peer_do(&p, PEER_FREE, NULL).rc, 0);
		assert_int_equal(peer_do(&p, PEER_START, one).rc, 0);
		engine_fixture_misses(fixture, 0, 5);
		assert_int_equal(peer_do(&p, PEER_READ, NULL).values[0], 5);
		assert_int_equal(peer_do(&p, PEER_CLOSE, NULL).rc, 0);
		peer_kill(&p);
		engine_fixture_end(b, NULL);
	}
}

/* The journal has each change before the register does. A process that is killed in between leaves
 * a row that is wrong, and the next one corrects it. */
static void a_change_that_never_came(void **state)
{
	static const char *const one[] = { READ_I, NULL };
	static const char *const another[] = { "skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL", NULL };
	struct ipmu_session *a = engine_fixture_session(fixture, both, 1);
	struct ipmu_session *b = engine_fixture_started(fixture, both + 1, 1);
	struct peer_answer answer;
	bool survived = false;
	struct peer p;
	uint64_t v;

	(void)state;
	for (int writes = 0; !survived; writes++) {
		p = peer_new(fixture, IPMU_SCOPE_PACKAGE);
		survived = peer_try(&p, PEER_START, one, (struct peer_fault){ PEER_KILLED, writes },
				    &answer);
		if (survived)
			peer_kill(&p);
		assert_int_equal(ipmu_session_stop(b, NULL, NULL), 0);
		engine_fixture_start(b);
		p = peer_new(fixture, IPMU_SCOPE_PACKAGE);
		assert_int_equal(peer_do(&p, PEER_START, another).rc, 0);
		engine_fixture_start(a);
		engine_fixture_misses(fixture, 0, 5);
		assert_int_equal(ipmu_session_stop(a, &v, NULL), 0);
		assert_int_equal(v, 5);
		assert_int_equal(peer_do(&p, PEER_CLOSE, NULL).rc, 0);
		peer_kill(&p);
	}
	ipmu_session_free(a);
	engine_fixture_end(b, NULL);
}

/* The journal of a killed process says that its counters are programmed, but they are restored. */
static void the_events_of_a_killed_process_count(void **state)
{
	static const char *const one[] = { READ_I, NULL };
	struct peer p = peer_new(fixture, IPMU_SCOPE_PACKAGE);
	struct ipmu_session *s = engine_fixture_session(fixture, both, 1);
	uint64_t v;

	(void)state;
	assert_int_equal(peer_do(&p, PEER_START, one).rc, 0);
	peer_kill(&p);
	engine_fixture_start(s);
	engine_fixture_misses(fixture, 0, 5);
	engine_fixture_end(s, &v);
	assert_int_equal(v, 5);
}

/* Processes in two containers: neither's journal has the other process. The second one takes the
 * counters nevertheless, and restores them as it has found them. */
static void another_state_directory(void **state)
{
	static const char *const one[] = { READ_I, NULL };
	struct ipmu_session *s = engine_fixture_started(fixture, both, 2);
	char dir[] = "/tmp/engine_lost.XXXXXX", old[4096];
	struct peer p = peer_new(fixture, IPMU_SCOPE_PACKAGE);

	(void)state;
	engine_fixture_misses(fixture, 0, 9);
	peer_kill(&p);
	assert_non_null(mkdtemp(dir));
	snprintf(old, sizeof(old), "%s", getenv("IPMU_STATE_DIR"));
	setenv("IPMU_STATE_DIR", dir, 1);
	setenv("IPMU_TAKE_BUSY", "1", 1);
	p = peer_new(fixture, IPMU_SCOPE_PACKAGE);
	assert_int_equal(peer_do(&p, PEER_START, one).rc, 0);
	engine_fixture_misses(fixture, 0, 30);
	engine_fixture_expect(s, 0, 39, 0);
	assert_int_equal(peer_do(&p, PEER_CLOSE, NULL).rc, 0);
	peer_kill(&p);
	setenv("IPMU_STATE_DIR", old, 1);
	unsetenv("IPMU_TAKE_BUSY");
	engine_fixture_expect(s, -ESTALE, 39, 0);
	ipmu_session_free(s);
	snprintf(old, sizeof(old), "rm -rf %s", dir);
	assert_int_equal(system(old), 0);
}

/* A close reports that as well. */
static void a_close_tells_of_it(void **state)
{
	struct engine_fixture own = *fixture;
	uint64_t found = engine_fixture_peek(fixture, SELECT);
	struct ipmu_session *s;
	char why[IPMU_WHY_MAX];

	(void)state;
	for (int theirs = 0; theirs < 2; theirs++) {
		assert_int_equal(ipmu_system_open(fixture->topo, IPMU_SCOPE_PACKAGE, &own.sys, why),
				 0);
		s = engine_fixture_started(&own, both, 1);
		if (theirs)
			engine_fixture_poke(fixture, SELECT, 0x4234);
		assert_int_equal(ipmu_system_close(own.sys), theirs ? -ESTALE : 0);
		assert_int_equal(engine_fixture_peek(fixture, SELECT), theirs ? 0x4234 : found);
		ipmu_session_free(s);
	}
	engine_fixture_poke(fixture, SELECT, found);
}

/* A program closes all descriptors, and has files of its own under their numbers. */
static void replace_devices(void)
{
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	for (int fd = 3; fd < 1024; fd++) {
		char link[64], path[4096];
		ssize_t n;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, path, sizeof(path) - 1);
		path[n > 0 ? n : 0] = '\0';
		if (strncmp(path, "/dev/cpu/", 9) == 0)
			assert_int_equal(dup2(zero, fd), fd);
	}
	close(zero);
}

/* The other file's bytes are no counts, for the first counter of a session as for any other. */
static void counters_of_a_replaced_device_are_lost(void **state)
{
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	for (int n = 1; n <= 2; n++) {
		struct ipmu_session *s = engine_fixture_started(fixture, both, n);
		uint64_t v[2];

		engine_fixture_misses(fixture, 0, 9);
		assert_int_equal(ipmu_session_read(s, v), 0);
		replace_devices();
		engine_fixture_misses(fixture, 0, 9);
		assert_int_equal(ipmu_session_read(s, v), -EBADF);
		assert_int_equal(v[0], 9);	/* its last good value */
		assert_int_equal(ipmu_session_lost(s, why), n);
		assert_non_null(strstr(why, READ_I));
		ipmu_session_free(s);
	}
}

/* ---- what another process is said to count */

static void share_refused(const char *reg, uint64_t wrong, const char *says)
{
	static const char *const names[] = { READ_I, NULL };
	struct ipmu_session *s = engine_fixture_session(fixture, both, 1);
	struct peer p = peer_new(fixture, IPMU_SCOPE_PACKAGE);
	char why[IPMU_WHY_MAX] = "";
	uint64_t right, v;

	assert_int_equal(peer_do(&p, PEER_START, names).rc, 0);
	right = engine_fixture_peek(fixture, reg);
	assert_true(right != wrong);
	engine_fixture_poke(fixture, reg, wrong);
	assert_int_equal(ipmu_session_start(s, why), -EBUSY);
	print_message("%s\n", why);
	assert_non_null(strstr(why, READ_I));
	assert_non_null(strstr(why, says));
	engine_fixture_poke(fixture, reg, right);
	engine_fixture_misses(fixture, 0, 2);
	assert_int_equal(peer_do(&p, PEER_READ, NULL).values[0], 2);
	engine_fixture_start(s);	/* the registers agree again */
	engine_fixture_misses(fixture, 0, 3);
	engine_fixture_end(s, &v);
	assert_int_equal(v, 3);
	assert_int_equal(peer_do(&p, PEER_CLOSE, NULL).rc, 0);
	peer_kill(&p);
	/* the refused session did not end the journal: the last one has restored all */
}

/* Its lock and its journal stand, but the register was set to another event, or switched off. */
static void a_share_is_looked_up_in_the_registers(void **state)
{
	(void)state;
	share_refused("MSR_UNC_CBO_0_PERFEVTSEL0", 0x00408834, "PERFEVTSEL0 (0x700) is 0x408834");
	share_refused("MSR_UNC_CBO_0_PERFEVTSEL0", 0x00001134, "PERFEVTSEL0 (0x700) is 0x1134");
	share_refused("MSR_UNC_CBO_0_PERFEVTSEL0", 0, "is 0x0");
}

/* ---- forked children */

/* A child gets what its parent had read last, with an error. Its parent's counts go on. */
static void a_child_reads_nothing(void **state)
{
	struct ipmu_session *s = engine_fixture_started(fixture, both, 2);
	char why[IPMU_WHY_MAX] = "";
	uint64_t v[2];
	int status;
	pid_t pid;

	(void)state;
	engine_fixture_misses(fixture, 0, 3);
	engine_fixture_expect(s, 0, 3, 0);
	engine_fixture_misses(fixture, 1, 1);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		bool good = ipmu_session_read(s, v) == -ECHILD && v[0] == 3 && v[1] == 0;

		alarm(HANG_SECONDS);
		good = good && ipmu_session_lost(s, why) == 2 && strstr(why, "forked");
		good = good && ipmu_session_reset(s) == -ECHILD;
		good = good && ipmu_session_stop(s, v, why) == -ECHILD && v[0] == 3;
		ipmu_session_free(s);
		_exit(good ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	engine_fixture_expect(s, 0, 3, 1);
	engine_fixture_end(s, NULL);
}

static int setup(void **state)
{
	alarm(HANG_SECONDS);	/* nothing of this may hang */
	if (engine_fixture_open(state))
		return -1;
	fixture = *state;
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_counter_that_is_set_back_is_lost),
		cmocka_unit_test(a_register_of_somebody_else_is_not_put_back),
		cmocka_unit_test(a_close_tells_of_it),
		cmocka_unit_test(a_stop_tells_of_somebody_elses_counter),
		cmocka_unit_test(a_stop_notices_it_too),
		cmocka_unit_test(who_shares_it_loses_it_too),
		cmocka_unit_test(a_count_across_a_suspend_is_lost),
		cmocka_unit_test(a_stopped_session_counts_after_a_suspend),
		cmocka_unit_test(a_journal_from_before_a_suspend),
		cmocka_unit_test(a_change_that_never_came),
		cmocka_unit_test(the_events_of_a_killed_process_count),
		cmocka_unit_test(another_state_directory),
		cmocka_unit_test(counters_of_a_replaced_device_are_lost),
		cmocka_unit_test(a_share_is_looked_up_in_the_registers),
		cmocka_unit_test(a_child_reads_nothing),
	};

	(void)argc;
	not_under_tsan("the thread sanitizer ends a forked process that makes threads");
	on_machine(argv, "skl-4c8t");
	return cmocka_run_group_tests(tests, setup, engine_fixture_close);
}
