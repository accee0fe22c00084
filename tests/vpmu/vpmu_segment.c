/* SPDX-License-Identifier: MIT */
/* The shared segment: publishing, damage, the lock with a dead owner, threads and CPUs. */
#include "vpmu_machine.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tsv.h"
#include "virtual_pmu/model/model_type.h"

static struct scratch t;

static int setup(void **state)
{
	(void)state;
	scratch_open(&t, "skl-2c4t");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	scratch_close(&t);
	return 0;
}

static void open_fails(const char *say)
{
	struct vpmu_segment *s = NULL;
	char why[256] = "";

	assert_int_equal(vpmu_segment_open(t.path, &s, why, sizeof(why)), -EINVAL);
	assert_null(s);
	assert_non_null(strstr(why, t.path));
	if (!strstr(why, say))
		fail_msg("'%s' does not say '%s'", why, say);
}

static void patch(off_t offset, const void *bytes, size_t count)
{
	int fd = open(t.path, O_WRONLY);

	assert_int_equal(pwrite(fd, bytes, count, offset), count);
	close(fd);
}

static void two_mappings_share_one_machine(void **state)
{
	struct vpmu_segment *other;
	uint64_t value = 0;
	char why[256];

	(void)state;
	assert_int_equal(vpmu_segment_open(t.path, &other, why, sizeof(why)), 0);
	assert_string_equal(other->machine.name, "skl-2c4t");
	assert_int_equal(vpmu_wrmsr(t.s, 0, 0x706, 99), 0);
	assert_int_equal(vpmu_rdmsr(other, 1, 0x706, &value), 0);
	assert_int_equal(value, 99);
	vpmu_segment_close(other);
}

static void creating_twice_fails(void **state)
{
	struct vpmu_segment *s;
	char why[256];

	(void)state;
	assert_int_equal(vpmu_segment_create(t.path, &t.s->machine, &s, why, sizeof(why)), -EEXIST);
	assert_string_equal(why, "cannot publish it: File exists");
}

static void only_the_owner_may_open_it(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(stat(t.path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void a_missing_file_is_named(void **state)
{
	struct vpmu_segment *s;
	char why[256];

	(void)state;
	assert_int_equal(vpmu_segment_open("/nonexistent/x", &s, why, sizeof(why)), -ENOENT);
	assert_non_null(strstr(why, "/nonexistent/x"));
}

static void a_truncated_file_is_refused(void **state)
{
	off_t bytes = (off_t)t.s->bytes;

	(void)state;
	vpmu_segment_close(t.s);
	t.s = NULL;
	assert_int_equal(truncate(t.path, bytes - 4096), 0);
	open_fails("truncated");
	assert_int_equal(truncate(t.path, 100), 0);
	open_fails("truncated");
	assert_int_equal(truncate(t.path, 0), 0);
	open_fails("not the segment");
}

static void a_foreign_file_is_refused(void **state)
{
	(void)state;
	patch(0, "#!/bin/sh\n", 10);
	open_fails("not the segment");
}

static void what_is_no_file_is_refused(void **state)
{
	(void)state;
	assert_int_equal(unlink(t.path), 0);
	assert_int_equal(mkfifo(t.path, 0600), 0);
	open_fails("not a regular file");
}

/* The lists of families and of models have the same order. */
static void each_family_has_its_model(void **state)
{
	const char *prefix, *examples;
	struct vpmu_machine m;
	char name[64], why[256];

	(void)state;
	for (uint32_t i = 0; (prefix = vpmu_machine_family(i, &examples)); i++) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(examples, ","), examples);
		assert_int_equal(vpmu_machine_parse(name, &m, why, sizeof(why)), 0);
		assert_non_null(vpmu_model_type(&m));
		assert_string_equal(vpmu_model_type(&m)->machines, prefix);
	}
}

/* Nothing is left of what cannot be made. */
static void a_machine_without_a_model_is_refused(void **state)
{
	struct vpmu_machine m = t.s->machine;
	struct vpmu_segment *s = NULL;
	char why[256] = "", path[128];
	struct stat st;

	(void)state;
	m.family_id = 99;
	snprintf(path, sizeof(path), "%s.other", t.path);
	assert_int_equal(vpmu_segment_create(path, &m, &s, why, sizeof(why)), -EINVAL);
	assert_null(s);
	assert_non_null(strstr(why, "machine 'skl-2c4t' has no register model"));
	assert_int_equal(stat(path, &st), -1);
}

static void another_version_is_refused(void **state)
{
	uint32_t version = VPMU_VERSION + 1;

	(void)state;
	patch(offsetof(struct vpmu_segment, version), &version, sizeof(version));
	open_fails("version");
}

static void wrong_offsets_are_refused(void **state)
{
	uint64_t offset = t.s->mmio_offset + (UINT64_C(1) << 40);

	(void)state;
	patch(offsetof(struct vpmu_segment, mmio_offset), &offset, sizeof(offset));
	open_fails("damaged");
}

/* A writer of the file can change a machine in use, but not where others find its parts. */
static void the_header_in_use_is_a_copy(void **state)
{
	uint64_t far = UINT64_C(1) << 40, bytes = t.s->bytes, value = 0;
	struct vpmu_segment *s = NULL;
	uint32_t packages = 1000;
	char why[256];

	(void)state;
	assert_int_equal(vpmu_segment_open(t.path, &s, why, sizeof(why)), 0);
	assert_int_equal(vpmu_wrmsr(s, 0, 0x706, 77), 0);
	patch(offsetof(struct vpmu_segment, registers_offset), &far, sizeof(far));
	patch(offsetof(struct vpmu_segment, bytes), &far, sizeof(far));
	patch(offsetof(struct vpmu_segment, machine.packages), &packages, sizeof(packages));
	assert_int_equal(s->machine.packages, 1);
	assert_int_equal(vpmu_rdmsr(s, 0, 0x706, &value), 0);
	assert_int_equal(value, 77);
	vpmu_segment_close(s);
	t.s->bytes = bytes;	/* the fixture made the machine, and has the file's own page */
}

/* ---- lock ---- */

#define ROUNDS 200000

static uint64_t lost;	/* times that the lock was somebody else's inside */

static void *add_many(void *counter)
{
	for (int i = 0; i < ROUNDS; i++) {
		vpmu_lock(t.s);
		uint64_t seen = *(volatile uint64_t *)counter;
		for (volatile int wait = 0; wait < 20; wait++)
			;	/* time for another to get in between, if it can */
		*(volatile uint64_t *)counter = seen + 1;
		if (!vpmu_lock_held(t.s))
			__atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
		vpmu_unlock(t.s);
	}
	return NULL;
}

static void the_lock_excludes_threads(void **state)
{
	uint64_t counter = 0;
	pthread_t threads[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add_many, &counter), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(counter, 4 * ROUNDS);
	assert_int_equal(lost, 0);
}

static void the_lock_excludes_processes(void **state)
{
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		add_many(&t.s->accesses.rdmsr);
		_exit(0);
	}
	add_many(&t.s->accesses.rdmsr);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(t.s->accesses.rdmsr, 2 * ROUNDS);
}

static uint32_t lock_owner(void)
{
	return (uint32_t)t.s->lock.word;
}

static void the_lock_knows_its_holder(void **state)
{
	(void)state;
	assert_int_equal(vpmu_lock_held(t.s), 0);
	vpmu_lock(t.s);
	assert_int_equal(vpmu_lock_held(t.s), 1);
	assert_int_equal(lock_owner(), gettid());
	vpmu_lock(t.s);
	assert_int_equal(vpmu_lock_held(t.s), 2);
	vpmu_unlock(t.s);
	assert_int_equal(vpmu_lock_held(t.s), 1);
	vpmu_unlock(t.s);
	assert_int_equal(t.s->lock.word, 0);
}

/* The thread that had this id before was ended by another one that executed this program. */
static void who_begins_has_no_lock(void **state)
{
	const uint64_t me = (uint64_t)gettid(), once = UINT64_C(1) << 32;
	const uint64_t words[][2] = {
		{ me | once, 0 }, { me | 3 * once, 0 }, { 0, 0 },
		{ (me + 1) | once, (me + 1) | once },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		t.s->lock.word = words[i][0];
		vpmu_lock_forget(t.s);
		assert_int_equal(t.s->lock.word, words[i][1]);
	}
	t.s->lock.word = 0;
}

static void *lock_and_die(void *unused)
{
	vpmu_lock(t.s);
	return unused;
}

static void a_dead_owner_is_replaced(void **state)
{
	pthread_t thread;

	(void)state;
	alarm(HANG_SECONDS);	/* a lock that is lost ends the test, not the day */
	for (int zombie = 0; zombie < 2; zombie++) {
		pid_t child = fork();

		if (child == 0) {
			vpmu_lock(t.s);
			raise(SIGKILL);
		}
		assert_int_equal(waitid(P_PID, (id_t)child, &(siginfo_t){ 0 },
					WEXITED | (zombie ? WNOWAIT : 0)), 0);
		assert_int_equal(lock_owner(), child);
		vpmu_lock(t.s);
		vpmu_unlock(t.s);
		if (zombie)
			assert_int_equal(waitpid(child, NULL, 0), child);
	}
	/* also when only a thread of a living process is gone */
	assert_int_equal(pthread_create(&thread, NULL, lock_and_die, NULL), 0);
	pthread_join(thread, NULL);
	vpmu_lock(t.s);
	assert_true(vpmu_lock_held(t.s));
	vpmu_unlock(t.s);
	alarm(0);
}

/* A lock that was taken away does not come back, nor does its loser release another one's. */
static void a_stopped_owner_loses_the_lock(void **state)
{
	pid_t child = fork();

	(void)state;
	alarm(HANG_SECONDS);
	if (child == 0) {
		vpmu_lock(t.s);
		raise(SIGSTOP);
		vpmu_unlock(t.s);
		_exit((int)vpmu_lock_held(t.s));
	}
	assert_int_equal(waitid(P_PID, (id_t)child, &(siginfo_t){ 0 }, WSTOPPED | WNOWAIT), 0);
	assert_int_equal(lock_owner(), child);
	vpmu_lock(t.s);
	assert_int_equal(kill(child, SIGCONT), 0);
	assert_int_equal(waitid(P_PID, (id_t)child, &(siginfo_t){ 0 }, WEXITED), 0);
	assert_int_equal(vpmu_lock_held(t.s), 1);
	vpmu_unlock(t.s);
	alarm(0);
}

/* ---- threads ---- */

static pid_t sleeper(void)
{
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void threads_spread_over_the_cpus(void **state)
{
	pid_t child[5];
	uint32_t seen = 0;

	(void)state;
	for (int i = 0; i < 5; i++)
		child[i] = sleeper();
	for (int i = 0; i < 4; i++)
		seen |= 1u << vpmu_thread_slot(t.s, (uint32_t)child[i], 0)->cpu;
	assert_int_equal(seen, 0xf);	/* four CPUs, one each */
	/* CPUs 0 and 1 are two cores: the first two threads must not share one */
	assert_int_equal(vpmu_thread_find(t.s, (uint32_t)child[0])->cpu, 0);
	assert_int_equal(vpmu_thread_find(t.s, (uint32_t)child[1])->cpu, 1);
	uint32_t freed = vpmu_thread_find(t.s, (uint32_t)child[2])->cpu;
	end(child[2]);			/* died without a word: its CPU is free again */
	assert_int_equal(vpmu_thread_slot(t.s, (uint32_t)child[4], 0)->cpu, freed);
	assert_null(vpmu_thread_find(t.s, (uint32_t)child[2]));
	for (int i = 0; i < 5; i++)
		if (i != 2)
			end(child[i]);
}

/* Programs that count others live as long as the host lets them: counted threads are placed as if
 * they were not there, also one that such a program becomes. */
static void counted_threads_are_placed_without_the_others(void **state)
{
	pid_t child[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		child[i] = sleeper();
	for (int i = 0; i < 3; i++)
		assert_int_equal(vpmu_thread_slot(t.s, (uint32_t)child[i], 0)->cpu, i);
	assert_int_equal(vpmu_thread_begin(t.s, (uint32_t)child[2], 0, 0)->cpu, 0);
	assert_int_equal(vpmu_thread_begin(t.s, (uint32_t)child[3], 0, 0)->cpu, 1);
	assert_int_equal(vpmu_thread_slot(t.s, (uint32_t)child[2], 0)->cpu, 0);
	for (int i = 0; i < 4; i++)
		end(child[i]);
}

/* Whatever ids the host gives threads: the slot of one that has ended later is not reused. */
static void ids_of_threads_move_none(void **state)
{
	pid_t child = sleeper(), second = sleeper();
	struct vpmu_thread *ended = &t.s->threads[(uint32_t)second % VPMU_THREADS_MAX];

	(void)state;
	ended->cpu = 0;
	ended->counted = 1;
	ended->clock = 2000;
	assert_ptr_not_equal(vpmu_thread_begin(t.s, (uint32_t)second, 0, 1000), ended);
	assert_int_equal(ended->clock, 2000);
	assert_int_equal(vpmu_thread_find(t.s, (uint32_t)second)->cpu, 1);
	assert_int_equal(vpmu_thread_begin(t.s, (uint32_t)child, 0, 1500)->cpu, 2);
	end(child);
	end(second);
}

static void binding_moves_and_children_inherit(void **state)
{
	const uint64_t cpu3 = 1u << 3, none = 1u << 7;
	pid_t child = sleeper();
	struct vpmu_thread *me = vpmu_thread_slot(t.s, vpmu_gettid(), 0);

	(void)state;
	assert_int_equal(me->affinity[0], 0xf);
	assert_int_equal(vpmu_thread_bind(t.s, me, &none, 1), -EINVAL);
	assert_int_equal(me->affinity[0], 0xf);
	assert_int_equal(vpmu_thread_bind(t.s, me, &cpu3, 1), 0);
	assert_int_equal(me->cpu, 3);
	assert_int_equal(vpmu_thread_slot(t.s, (uint32_t)child, me->tid)->affinity[0], cpu3);
	assert_int_equal(vpmu_thread_find(t.s, (uint32_t)child)->cpu, 3);
	vpmu_thread_release(t.s, (uint32_t)child);
	assert_null(vpmu_thread_find(t.s, (uint32_t)child));
	end(child);
}

/* ---- machine names ---- */

static void names_are_parsed_strictly(void **state)
{
	static const char *const bad[] = { "", "skl", "skl-", "skl-4c", "skl-4c3t", "skl-0c0t",
					   "skl-4c8", "skl-04c8t", "skl-4c8tx", "skl-+4c8t",
					   "skl-513c513t", "skl-257c514t", "xyz-4c8t", "skl-4C8T",
					   "skl-1p4c8t", "knc-4c8t", "core2-3c", "core2-4c4t",
					   "nhmex-2p17c17t", "nhmex-8c16t", "p4-2c4t", "p4-2p5t",
					   "p4-2p4t1", "p4-4t2p", "p4-2p4", "p4-2p2p4t",
					   "adl-8p8t", "adl-8p8e23t", "adl-8p6e22t",
					   "adl-0p8e8t", "adl-8e8p24t", "adl-9p8e26t",
					   "adln-8p8e24t", "adln-12e12t", "adl-8p8e2l24t",
					   "mtl-6p8e22t", "mtl-6p8e1lp21t", "mtl-6p8e2p22t",
					   "mtl-6p8e2l22t", "arl-8p16e32t", "lnl-4p8e12t",
					   "ptl-4p8e12t", "ptl-4p8e2lp14t",
					   "nvl-8p16e24t", "wcl-2p6t", "wcl-2p8lp10t" };
	struct vpmu_machine m;
	char why[512];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		why[0] = '\0';
		assert_int_equal(vpmu_machine_parse(bad[i], &m, why, sizeof(why)), -EINVAL);
		assert_true(strlen(why) > 10);
	}
	vpmu_machine_parse("xyz-4c8t", &m, why, sizeof(why));
	assert_non_null(strstr(why, "skl-4c8t"));	/* lists what there is */
}

static void geometry_follows_the_name(void **state)
{
	struct vpmu_machine m;
	char why[256];

	(void)state;
	assert_int_equal(vpmu_machine_parse("skl-4c8t", &m, why, sizeof(why)), 0);
	assert_int_equal(m.slices, 4);
	assert_int_equal(m.threads, 2);
	assert_int_equal(m.llc.bytes, 8u << 20);
	assert_int_equal(strncmp(m.brand, "VirtualPMU", 10), 0);
	assert_int_equal(vpmu_machine_parse("skl-256c512t", &m, why, sizeof(why)), 0);
	assert_int_equal(m.slices, 8);
	assert_int_equal(m.llc.bytes, 16u << 20);
	assert_int_equal(vpmu_machine_slices(&m, 3), 0);
	assert_int_equal(m.llc.bytes, 6u << 20);
	assert_int_equal(vpmu_machine_slices(&m, 9), -EINVAL);
}

/* packages, cores each, threads each, slices, L2 and LLC in KiB, and the first and last CPU of the
 * last core */
static void check_geometry(const char *name, const uint32_t of[8])
{
	struct vpmu_machine m;
	char why[256];

	assert_int_equal(vpmu_machine_parse(name, &m, why, sizeof(why)), 0);
	const uint32_t last = m.packages * m.cores - 1, is[8] = {
		m.packages, m.cores, m.threads, m.slices, m.l2.bytes >> 10, m.llc.bytes >> 10,
		vpmu_core_cpu(&m, last, 0), vpmu_core_cpu(&m, last, m.threads - 1),
	};

	assert_memory_equal(is, of, sizeof(is));
	for (uint32_t cpu = 0; cpu < vpmu_machine_cpus(&m); cpu++)
		assert_int_equal(cpu, vpmu_core_cpu(&m, vpmu_cpu_core(&m, cpu),
						    vpmu_cpu_thread(&m, cpu)));
	assert_int_equal(vpmu_cpu_package(&m, is[6]), m.packages - 1);
}

static void geometry_follows_the_family(void **state)
{
	static const struct { const char *name; uint32_t of[8]; } machines[] = {
		{ "knc-60c240t", { 1, 60, 4, 8, 512, 60 * 1024, 236, 239 } },
		{ "knc-4c16t", { 1, 4, 4, 4, 512, 4 * 1024, 12, 15 } },
		{ "core2-4c", { 2, 2, 1, 1, 0, 4096, 3, 3 } },
		{ "nhmex-4p32c64t", { 4, 8, 2, 8, 256, 24 * 1024, 31, 63 } },
		{ "nhmex-2p8c8t", { 2, 4, 1, 8, 256, 24 * 1024, 7, 7 } },
		{ "p4-1c2t", { 1, 1, 2, 1, 0, 1024, 0, 1 } },
		{ "p4-2p4t", { 2, 1, 2, 1, 0, 1024, 1, 3 } },
		{ "adl-6p4e10t", { 1, 10, 1, 7, 1280, 21 * 1024, 9, 9 } },
	};
	uint32_t n[8];
	struct tsv rows;

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		check_geometry(machines[i].name, machines[i].of);
	for (tsv_open(&rows, "clients.tsv"); tsv_next(&rows);)
		if (sscanf(tsv_cell(&rows, "geometry"), "%u %u %u %u %u %u %u %u", &n[0], &n[1],
			   &n[2], &n[3], &n[4], &n[5], &n[6], &n[7]) == 8)
			check_geometry(tsv_cell(&rows, "machine"), n);
}

/* A used machine is a new one after a reset: of each part that programs can reach, every byte. */
static void a_reset_leaves_nothing_behind(void **state)
{
	static const char *const machines[] = {
		"skl-4c8t", "knc-4c16t", "core2-4c", "nhmex-4p32c64t", "p4-2p4t",
		"mtl-6p8e2lp22t",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		size_t registers, mmio;
		uint8_t *as_new, *bytes;

		scratch_open(&t, machines[i]);
		registers = t.s->registers_bytes;
		mmio = t.s->mmio_bytes;
		as_new = malloc(registers + mmio);
		assert_non_null(as_new);
		bytes = vpmu_package_state(t.s, 0);
		memcpy(as_new, bytes, registers);
		memcpy(as_new + registers, vpmu_package_mmio(t.s, 0), mmio);
		memset(bytes, 0xA5, registers);
		memset(vpmu_package_mmio(t.s, 0), 0xA5, mmio);
		vpmu_model_reset(t.s);
		assert_memory_equal(bytes, as_new, registers);
		assert_memory_equal(vpmu_package_mmio(t.s, 0), as_new + registers, mmio);
		free(as_new);
		scratch_close(&t);
	}
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(two_mappings_share_one_machine), T(creating_twice_fails),
		T(only_the_owner_may_open_it), T(a_missing_file_is_named),
		T(a_truncated_file_is_refused), T(a_foreign_file_is_refused),
		T(what_is_no_file_is_refused), cmocka_unit_test(each_family_has_its_model),
		T(a_machine_without_a_model_is_refused),
		T(another_version_is_refused), T(wrong_offsets_are_refused),
		T(the_header_in_use_is_a_copy),
		T(the_lock_excludes_threads), T(the_lock_excludes_processes),
		T(the_lock_knows_its_holder), T(a_dead_owner_is_replaced),
		T(a_stopped_owner_loses_the_lock),
		T(who_begins_has_no_lock),
		T(counted_threads_are_placed_without_the_others), T(ids_of_threads_move_none),
		T(threads_spread_over_the_cpus), T(binding_moves_and_children_inherit),
		cmocka_unit_test(names_are_parsed_strictly),
		cmocka_unit_test(geometry_follows_the_name),
		cmocka_unit_test(geometry_follows_the_family),
		cmocka_unit_test(a_reset_leaves_nothing_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
