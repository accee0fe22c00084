/* SPDX-License-Identifier: MIT */
/* The wrap guard, with a clock of this test's own: whenever the guard waits, the time until then
 * passes at once, and the counters run on as fast as they can in it. */
#include "counting/guard.h"
#include "engine_fixture.h"
#include "on_machine.h"
#include "pmu/families.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define READS "skl_unc_imc.DRAM_DATA_READS"
#define WRITES "skl_unc_imc.DRAM_DATA_WRITES"
#define READ_I "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=0"
#define LINES_PER_S 937500000ull	/* 60 GB/s by 64 bytes */
#define LOOKUPS_PER_S 155000000000ull	/* 31 a clock at 5 GHz */
#define S_NS 1000000000ull
#define MASK44 ((1ull << 44) - 1)

static const struct engine_fixture *fixture;
static _Atomic uint64_t clock_ns, lines, lookups;
static _Atomic int waits, waits_max;
static _Atomic uint64_t waits_until;
static _Atomic bool late;	/* may the guard wake up late? */
static _Atomic bool slice_counts;
static int create_error;

int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
	uint64_t now = atomic_load(&clock_ns);

	(void)id;
	t->tv_sec = (time_t)(now / S_NS);
	t->tv_nsec = (long)(now % S_NS);
	return 0;
}

static void pass(uint64_t ns)
{
	uint32_t more = (uint32_t)(ns * (LINES_PER_S / 100) / (S_NS / 100));
	uint64_t hits = ns / 1000 * (LOOKUPS_PER_S / 1000000), old;

	if (atomic_load(&slice_counts)) {
		old = engine_fixture_peek(fixture, "MSR_UNC_CBO_0_PERFCTR0");
		engine_fixture_poke(fixture, "MSR_UNC_CBO_0_PERFCTR0", (old + hits) & MASK44);
	}
	vpmu_lock(fixture->segment);
	vpmu_dram(fixture->segment, 0, more, more, 0);
	vpmu_unlock(fixture->segment);
	atomic_fetch_add(&clock_ns, ns);
	atomic_fetch_add(&lines, more);
	atomic_fetch_add(&lookups, hits);
}

int __real_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t);
int __wrap_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t);
int __wrap_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t)
{
	uint64_t until = (uint64_t)t->tv_sec * S_NS + (uint64_t)t->tv_nsec, too_late;
	int n = atomic_load(&waits);

	atomic_store(&waits_until, until);
	if (n >= atomic_load(&waits_max))
		return __real_pthread_cond_timedwait(c, m, t);	/* far ahead: until it is woken */
	too_late = atomic_load(&late) ? (unsigned)n % 4 * 7 * S_NS / 20 : 0;	/* of 1.15 s */
	pthread_mutex_unlock(m);
	pass(until - atomic_load(&clock_ns) + too_late);
	usleep(50);
	pthread_mutex_lock(m);
	atomic_store(&waits, n + 1);
	return ETIMEDOUT;
}

int __real_pthread_create(pthread_t *id, const pthread_attr_t *a, void *(*run)(void *), void *arg);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *a, void *(*run)(void *), void *arg);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *a, void *(*run)(void *), void *arg)
{
	return create_error ? create_error : __real_pthread_create(id, a, run, arg);
}

static void let_it_wait(int times, bool may_be_late)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	atomic_store(&waits, 0);
	atomic_store(&late, may_be_late);
	atomic_store(&lines, 0);
	atomic_store(&lookups, 0);
	atomic_store(&waits_max, times);
}

static int setup(void **state)
{
	atomic_store(&clock_ns, 1ull << 62);	/* ahead of the real one for good */
	if (engine_fixture_open(state))
		return -1;
	fixture = *state;
	return 0;
}

/* ---- wraps */

static _Atomic bool finished;
static _Atomic int failures;

static void *reader(void *arg)
{
	uint64_t v[2], last[2] = { 0 };

	while (!atomic_load(&finished)) {
		bool bad = ipmu_session_read(arg, v) != 0 || v[0] < last[0] || v[1] < last[1];

		if (bad)
			atomic_fetch_add(&failures, 1);
		memcpy(last, v, sizeof(v));
	}
	return NULL;
}

static void wait_for_guard(void)
{
	for (int ms = 0; atomic_load(&waits) < atomic_load(&waits_max); ms++) {
		if (ms > 60000)
			fail_msg("nobody reads the counters");
		usleep(1000);
	}
}

static void every_wrap_is_counted_once(const char *const *names, int readers)
{
	struct ipmu_session *s = engine_fixture_session(fixture, names, 2);
	pthread_t threads[4];
	uint64_t v[2];

	let_it_wait(200, true);
	atomic_store(&finished, false);
	engine_fixture_start(s);
	for (int i = 0; i < readers; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, reader, s), 0);
	wait_for_guard();
	atomic_store(&finished, true);
	for (int i = 0; i < readers; i++)
		pthread_join(threads[i], NULL);
	engine_fixture_end(s, v);
	print_message("%llu wraps of 32 bits\n", (unsigned long long)(v[0] >> 32));
	assert_true(v[0] == atomic_load(&lines));
	assert_true(atomic_load(&lines) >> 32 > 50);
	assert_int_equal(atomic_load(&failures), 0);
}

static void wraps_that_nobody_reads(void **state)
{
	static const char *const names[] = { READS, WRITES };

	(void)state;
	every_wrap_is_counted_once(names, 0);
}

static void wraps_beside_readers(void **state)
{
	static const char *const names[] = { READS, WRITES };

	(void)state;
	every_wrap_is_counted_once(names, 4);
}

/* 44 bits wrap in 113 s: they are read every 28 s, while the 32-bit ones are read every 1.15 s. */
static void wide_counters_are_read_far_apart(void **state)
{
	static const char *const names[] = { READ_I, READS }, *const alone[] = { READ_I };
	uint64_t v[2], seconds, was;

	(void)state;
	atomic_store(&slice_counts, true);
	for (int beside = 0; beside < 2; beside++) {
		struct ipmu_session *s = engine_fixture_session(fixture, beside ? names : alone,
								1 + beside);
		uint64_t began = atomic_load(&clock_ns), reads;

		let_it_wait(beside ? 500 : 20, false);
		was = fixture->segment->accesses.rdmsr;
		engine_fixture_start(s);
		wait_for_guard();
		reads = fixture->segment->accesses.rdmsr - was;
		seconds = (atomic_load(&clock_ns) - began) / S_NS;
		engine_fixture_end(s, v);
		print_message("%u s: %u reads, %u wraps of 44 bits\n", (unsigned)seconds,
			      (unsigned)reads, (unsigned)(v[0] >> 44));
		assert_true(v[0] == atomic_load(&lookups));
		assert_true(v[0] >> 44 > 3);
		assert_in_range(reads, seconds / 30, seconds / 25 + 10);	/* 10: the start */
		if (beside)
			assert_true(v[1] == atomic_load(&lines));
	}
	atomic_store(&slice_counts, false);
}

/* ---- the table */

static void every_type_has_a_period_or_a_reason(void **state)
{
	(void)state;
	for (const struct ipmu_family *const *f = ipmu_families; *f; f++)
		for (int t = 0; (*f)->types[t]; t++) {
			const struct ipmu_pmu_type *type = (*f)->types[t];
			uint64_t period = ipmu_guard_period_ns(type, 0);
			int width = ipmu_type_width(type);
			double wrap_s = 2.0 * (double)(1ull << (width - 1)) /
					((double)type->per_clock * type->clock_mhz * 1e6);

			print_message("%-20s %d bits: wraps in %.2f s at the earliest, read every "
				      "%.2f s\n", type->name, width, wrap_s,
				      (double)period / 1e9);
			if (width == 64) {	/* half of it takes longer than a program */
				assert_int_equal(period, 0);
				assert_true(wrap_s / 2 > 100 * 86400.0);
				continue;
			}
			if (width == 16) {	/* modulo by its document */
				assert_int_equal(period, 0);
				continue;
			}
			/* more than half of the range between two reads is no count */
			assert_true(period > 0 && (double)period / 1e9 <= wrap_s / 4);
			if (width == 32)
				assert_true((double)period < 2e9 &&
					    wrap_s <= 4294967296.0 * 64 / 60e9);
		}
}

/* ---- the thread */

/* Threads of this process with that name, or all; the last one's id. */
static int threads_named(const char *name, char tid[256])
{
	DIR *dir = opendir("/proc/self/task");
	int n = 0;

	assert_non_null(dir);
	for (struct dirent *e; (e = readdir(dir)) != NULL;) {
		char path[300], comm[32] = "";
		FILE *f;

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", e->d_name);
		f = fopen(path, "r");
		if (f && fgets(comm, sizeof(comm), f))
			comm[strcspn(comm, "\n")] = '\0';
		if (f)
			fclose(f);
		if (name && strcmp(comm, name) != 0)
			continue;
		n++;
		if (tid)
			strcpy(tid, e->d_name);
	}
	closedir(dir);
	return n;
}

/* The kernel lists a thread for a moment after it has been joined. */
static void expect_threads(const char *name, int n)
{
	for (int ms = 0; ms < 60000 && threads_named(name, NULL) > n; ms++)
		usleep(1000);
	assert_int_equal(threads_named(name, NULL), n);
}

static unsigned long long status_of(const char *tid, const char *field, int base)
{
	char path[300], line[256];
	unsigned long long value = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", tid);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (strncmp(line, field, strlen(field)) == 0)
			value = strtoull(line + strlen(field), NULL, base);
	fclose(f);
	return value;
}

/* All but SIGKILL, SIGSTOP and two that the C library needs itself are held off from the thread.
 * Memcheck lets signals in for moments when it goes from one thread to another. */
static void expect_no_signals(const char *tid)
{
	uint64_t open = 1;

	for (int i = 0; i < 6000 && open; i++) {
		if (i)
			poll(NULL, 0, 10);
		open = ~status_of(tid, "SigBlk:", 16) & 0x7FFBFEFFull;
	}
	assert_int_equal(open, 0);
}

static void there_is_a_thread_only_while_it_is_needed(void **state)
{
	static const char *const imc[] = { READS }, *const cbo[] = { READ_I };
	struct ipmu_session *a = engine_fixture_session(fixture, imc, 1);
	struct ipmu_session *b = engine_fixture_session(fixture, cbo, 1);
	int before = threads_named(NULL, NULL);
	char tid[256];

	(void)state;
	let_it_wait(0, false);
	for (int round = 0; round < 3; round++) {
		expect_threads("ipmu-guard", 0);
		engine_fixture_start(round % 2 ? a : b);
		expect_threads("ipmu-guard", 1);
		engine_fixture_start(round % 2 ? b : a);
		expect_threads("ipmu-guard", 1);
		assert_int_equal(threads_named("ipmu-guard", tid), 1);
		expect_no_signals(tid);
		assert_int_equal(ipmu_session_stop(a, NULL, NULL), 0);
		expect_threads("ipmu-guard", 1);
		assert_int_equal(ipmu_session_stop(b, NULL, NULL), 0);
		expect_threads(NULL, before);
	}
	ipmu_session_free(a);
	ipmu_session_free(b);
}

/* A guard that sleeps until a wide counter is due is woken for a narrow one. */
static void a_shorter_period_wakes_it(void **state)
{
	static const char *const imc[] = { READS }, *const cbo[] = { READ_I };
	struct ipmu_session *a = engine_fixture_session(fixture, cbo, 1);
	struct ipmu_session *b = engine_fixture_session(fixture, imc, 1);
	uint64_t now = atomic_load(&clock_ns);

	(void)state;
	let_it_wait(0, false);
	atomic_store(&waits_until, 0);
	engine_fixture_start(a);
	for (int ms = 0; ms < 60000 && !atomic_load(&waits_until); ms++)
		usleep(1000);
	assert_true(atomic_load(&waits_until) > now + 20 * S_NS);
	engine_fixture_start(b);
	for (int ms = 0; ms < 60000 && atomic_load(&waits_until) > now + 20 * S_NS; ms++)
		usleep(1000);
	assert_true(atomic_load(&waits_until) < now + 2 * S_NS);
	ipmu_session_free(a);
	ipmu_session_free(b);
}

static void closing_the_machine_ends_it(void **state)
{
	static const char *const imc[] = { READS };
	struct engine_fixture own = *fixture;
	struct ipmu_session *s;
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	assert_int_equal(ipmu_system_open(fixture->topo, IPMU_SCOPE_PACKAGE, &own.sys, why), 0);
	s = engine_fixture_started(&own, imc, 1);
	expect_threads("ipmu-guard", 1);
	ipmu_system_close(own.sys);
	expect_threads("ipmu-guard", 0);
	ipmu_session_free(s);
}

static void a_start_without_a_thread_is_refused(void **state)
{
	static const char *const names[] = { READS, READ_I };
	struct ipmu_session *s = engine_fixture_session(fixture, names, 2);
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	create_error = EAGAIN;
	assert_int_equal(ipmu_session_start(s, why), -EAGAIN);
	create_error = 0;
	print_message("%s\n", why);
	assert_non_null(strstr(why, "ulimit -u"));
	assert_int_equal(engine_fixture_peek(fixture, "MSR_UNC_PERF_GLOBAL_CTRL"), 0x8000000F);
	engine_fixture_start(s);
	ipmu_session_free(s);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wraps_that_nobody_reads),
		cmocka_unit_test(wraps_beside_readers),
		cmocka_unit_test(wide_counters_are_read_far_apart),
		cmocka_unit_test(every_type_has_a_period_or_a_reason),
		cmocka_unit_test(there_is_a_thread_only_while_it_is_needed),
		cmocka_unit_test(a_shorter_period_wakes_it),
		cmocka_unit_test(closing_the_machine_ends_it),
		cmocka_unit_test(a_start_without_a_thread_is_refused),
	};

	(void)argc;
	on_machine(argv, "skl-4c8t");
	return cmocka_run_group_tests(tests, setup, engine_fixture_close);
}
