/* SPDX-License-Identifier: MIT */
/* The journal is emptied, cut, replaced or removed under processes that count: what they have
 * changed is restored from memory, and the process that stops its counters gets an error. */
#include "journal_file.h"
#include "on_machine.h"
#include "peer.h"
#include "pmu/families.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const read_i[] = { "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=0", NULL };
static const char *const requests[] = { "skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL", NULL };

static struct ipmu_journal j;
static char path[4096];

static void empty(void)
{
	assert_int_equal(truncate(path, 0), 0);
}

static void cut(void)
{
	assert_int_equal(truncate(path, 200), 0);
}

static void zeros(void)
{
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(truncate(path, sizeof(j)), 0);
}

static void change(size_t offset, const void *bytes, size_t length)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_int_equal(pwrite(fd, bytes, length, (off_t)offset), length);
	close(fd);
}

static void other_boot(void)
{
	change(offsetof(struct ipmu_journal, header.boot_id), "another", 8);
}

static void garbage(void)
{
	change(0, "xxxxxxxx", 8);
}

static void nothing_saved(void)
{
	change(0, &j, sizeof(j));
}

static void other_values(void)
{
	struct ipmu_journal lie = j;

	journal_file_add(&lie, &ipmu_skl_client_uncore, 0xE01, 0x20000000, 0x20000000);
	journal_file_add(&lie, &ipmu_skl_client_uncore, 0x700, 0x401834, 0x401834);
	change(0, &lie, sizeof(lie));
}

static struct ipmu_journal journal_read(void)
{
	struct ipmu_journal lie;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(pread(fd, &lie, sizeof(lie), 0), sizeof(lie));
	close(fd);
	return lie;
}

/* The journal has every register, but another value for one. */
static void another_value(void)
{
	struct ipmu_journal lie = journal_read();

	for (uint32_t i = 0; i < lie.header.nsaved; i++)
		lie.saved[i].found ^= lie.saved[i].addr == 0x700;
	lie.header.generation++;	/* as a process does that changes anything */
	change(0, &lie, sizeof(lie));
}

static void removed(void)
{
	assert_int_equal(unlink(path), 0);
}

static void replaced(void)
{
	char other[4200];

	snprintf(other, sizeof(other), "%s.new", path);
	close(open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
	assert_int_equal(rename(other, path), 0);
}

static void (*const damages[])(void) = { empty, cut, zeros, other_boot, garbage, nothing_saved,
					 other_values, another_value, removed, replaced };
#define DAMAGES (sizeof(damages) / sizeof(damages[0]))

static void clean(const struct engine_fixture *f)
{
	assert_int_equal(engine_fixture_changed(f, true), 0);
}

/* Its counts stand: nothing has touched the registers. The damage is noticed also if this process
 * has read the journal again since it changed the registers. */
static void one_process(void **state)
{
	const struct engine_fixture *f = *state;

	for (size_t i = 0; i < 2 * DAMAGES; i++) {
		struct peer p = peer_new(f, IPMU_SCOPE_PACKAGE);
		struct ipmu_session *s = engine_fixture_started(f, read_i, 1);
		char why[IPMU_WHY_MAX] = "";
		uint64_t count;

		if (i % 2) {
			assert_int_equal(peer_do(&p, PEER_START, requests).rc, 0);
			assert_int_equal(peer_do(&p, PEER_CLOSE, NULL).rc, 0);
			engine_fixture_end(engine_fixture_started(f, requests, 1), NULL);
		}
		peer_kill(&p);
		engine_fixture_misses(f, 0, 7);
		damages[i / 2]();
		print_message("damage %zu\n", i / 2);
		assert_int_equal(ipmu_session_stop(s, &count, why), -EBADMSG);
		print_message("%s\n", why);
		assert_non_null(strstr(why, path));
		assert_int_equal(count, 7);
		ipmu_session_free(s);
		clean(f);
		engine_fixture_end(engine_fixture_started(f, read_i, 1), NULL);	/* as before */
		clean(f);
	}
}

/* The process exits without a stop. */
static void one_that_exits(void **state)
{
	const struct engine_fixture *f = *state;

	for (size_t i = 0; i < DAMAGES; i++) {
		struct peer p = peer_new(f, IPMU_SCOPE_PACKAGE);

		assert_int_equal(peer_do(&p, PEER_START, read_i).rc, 0);
		damages[i]();
		peer_die(&p, -1);
		clean(f);
	}
}

/* Each has changed registers that the other does not know of; the last one puts all back. */
static void two_processes(void **state)
{
	const struct engine_fixture *f = *state;

	for (size_t i = 0; i < DAMAGES; i++) {
		struct peer a = peer_new(f, IPMU_SCOPE_PACKAGE);
		struct peer b = peer_new(f, IPMU_SCOPE_PACKAGE);

		if (damages[i] == removed || damages[i] == replaced) {
			peer_kill(&a);
			peer_kill(&b);
			continue;
		}
		assert_int_equal(peer_do(&b, PEER_START, requests).rc, 0);
		assert_int_equal(peer_do(&a, PEER_START, read_i).rc, 0);
		damages[i]();
		engine_fixture_misses(f, 0, 3);
		assert_int_equal(peer_do(&a, PEER_STOP, NULL).rc, -EBADMSG);
		peer_do(&a, PEER_CLOSE, NULL);
		assert_int_equal(peer_do(&b, PEER_READ, NULL).rc, 0);
		assert_true(engine_fixture_changed(f, false) > 0);
		peer_do(&b, PEER_CLOSE, NULL);
		peer_kill(&a);
		peer_kill(&b);
		print_message("damage %zu\n", i);
		clean(f);
	}
}

/* The journal swaps the events of a box's two counters. A process trusts what it has programmed
 * itself, so a third session shares the right counter. */
static void other_events(void **state)
{
	static const char *const any_m[] = { "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_M:box=0" };
	const struct engine_fixture *f = *state;
	struct ipmu_session *a = engine_fixture_started(f, read_i, 1);
	struct ipmu_session *b = engine_fixture_started(f, any_m, 1), *c;
	struct ipmu_journal lie = journal_read();
	uint64_t counts[3];

	assert_int_equal(lie.header.nslots, 2);
	lie.slots[0].ctr ^= 1;
	lie.slots[1].ctr ^= 1;
	lie.header.generation++;
	change(0, &lie, sizeof(lie));
	c = engine_fixture_started(f, read_i, 1);
	engine_fixture_misses(f, 0, 7);
	engine_fixture_end(a, &counts[0]);
	engine_fixture_end(b, &counts[1]);
	engine_fixture_end(c, &counts[2]);
	assert_int_equal(counts[0], 7);
	assert_int_equal(counts[1], 0);
	assert_int_equal(counts[2], 7);
	clean(f);
}

/* A stop repairs the journal: the next process can restore after this one is killed. */
static void one_that_is_killed_afterwards(void **state)
{
	const struct engine_fixture *f = *state;
	struct peer p = peer_new(f, IPMU_SCOPE_PACKAGE);

	assert_int_equal(peer_do(&p, PEER_START, read_i).rc, 0);
	empty();
	assert_int_equal(peer_do(&p, PEER_STOP, NULL).rc, -EBADMSG);
	assert_true(engine_fixture_changed(f, false) > 0);
	peer_kill(&p);
	p = peer_new(f, IPMU_SCOPE_PACKAGE);
	assert_int_equal(peer_do(&p, PEER_START, requests).rc, 0);
	peer_do(&p, PEER_CLOSE, NULL);
	peer_kill(&p);
	clean(f);
}

/* A new process does not begin if the journal is void although processes count by it. */
static void a_newcomer(void **state)
{
	const struct engine_fixture *f = *state;
	void (*const said_nothing[])(void) = { empty, zeros, other_boot };

	for (size_t i = 0; i < 3; i++) {
		struct ipmu_session *s = engine_fixture_started(f, read_i, 1);
		struct peer p = peer_new(f, IPMU_SCOPE_PACKAGE);
		struct peer_answer a;
		char why[IPMU_WHY_MAX];

		said_nothing[i]();
		a = peer_do(&p, PEER_START, requests);
		print_message("%s\n", a.why);
		assert_int_equal(a.rc, -EBADMSG);
		assert_non_null(strstr(a.why, path));
		peer_kill(&p);
		assert_int_equal(ipmu_session_stop(s, NULL, why), -EBADMSG);
		ipmu_session_free(s);
		clean(f);
	}
}

static void a_pipe(void)
{
	assert_int_equal(mkfifo(path, 0600), 0);
}

static void a_link(void)
{
	assert_int_equal(symlink("/dev/null", path), 0);
}

static void two_names(void)
{
	char second[4200];

	snprintf(second, sizeof(second), "%s.second", path);
	close(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
	assert_int_equal(link(path, second), 0);
}

static void for_all(void)
{
	close(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
	assert_int_equal(chmod(path, 0666), 0);
}

static int refusal;	/* what the next journal is refused with */

int __real_openat(int dir, const char *name, int flags, ...);
int __wrap_openat(int dir, const char *name, int flags, ...);
int __wrap_openat(int dir, const char *name, int flags, ...)
{
	va_list args;
	int mode;

	if (refusal && strcmp(name, strrchr(path, '/') + 1) == 0) {
		errno = refusal;
		return -1;
	}
	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	return __real_openat(dir, name, flags, mode);
}

static int writes_left = -1;	/* then the file system is full; -1: it never is */
static bool limited;		/* true: the limit of file size ends the writes instead */

ssize_t __real_pwrite(int fd, const void *bytes, size_t length, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t length, off_t at);
/* Only the journal is on the full disk: writes to all other files succeed. */
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t length, off_t at)
{
	char link[64], target[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = writes_left >= 0 ? readlink(link, target, sizeof(target) - 1) : 0;
	target[n > 0 ? n : 0] = '\0';
	if (writes_left < 0 || strcmp(target, path) != 0 || writes_left-- > 0)
		return __real_pwrite(fd, bytes, length, at);
	writes_left = 0;
	errno = limited ? EFBIG : ENOSPC;
	if (limited)
		raise(SIGXFSZ);
	memset(target, 0xff, sizeof(target));	/* a set that nobody empties has all signals */
	__asm__ volatile("" : : "r"(target) : "memory");
	return -1;
}

/* The disk is full from the nth write of the journal on, for each n of a start: nothing is counted
 * without what is to be written, which is no conflict of events, and all is restored. */
static void a_disk_that_becomes_full(void **state)
{
	const struct engine_fixture *f = *state;
	char why[IPMU_WHY_MAX] = "";
	struct ipmu_system *sys;
	int n = 0, rc = -1;

	for (; n < 200 && rc; n++) {
		struct ipmu_session *s = engine_fixture_session(f, read_i, 1);

		writes_left = n;
		rc = ipmu_session_start(s, why);
		writes_left = -1;
		if (rc) {
			assert_int_equal(rc, -EIO);
			assert_non_null(strstr(why, path));
			assert_non_null(strstr(why, "cannot be written: No space left on device"));
		}
		ipmu_session_free(s);
		clean(f);
	}
	print_message("a start writes the journal %d times\n", n - 1);
	assert_in_range(n, 3, 100);
	empty();	/* the next system initializes it */
	writes_left = 0;
	rc = ipmu_system_open(f->topo, IPMU_SCOPE_PACKAGE, &sys, why);
	writes_left = -1;
	assert_int_equal(rc, -EIO);
	assert_non_null(strstr(why, "cannot be written: No space left on device"));
}

/* The signal of the limit does not end the program, and other pending signals stay. */
static void a_limit_of_file_size(void **state)
{
	const struct engine_fixture *f = *state;
	struct ipmu_session *s = engine_fixture_session(f, read_i, 1);
	char why[IPMU_WHY_MAX] = "";
	sigset_t set, was;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	assert_int_equal(sigprocmask(SIG_BLOCK, &set, &was), 0);
	raise(SIGUSR1);
	limited = true;
	writes_left = 0;
	assert_int_equal(ipmu_session_start(s, why), -EIO);
	limited = false;
	writes_left = -1;
	assert_non_null(strstr(why, "cannot be written: File too large"));
	assert_int_equal(sigtimedwait(&set, NULL, &(struct timespec){ 0 }), SIGUSR1);
	assert_int_equal(sigprocmask(SIG_SETMASK, &was, NULL), 0);
	ipmu_session_free(s);
	clean(f);
}

/* Whatever error the kernel gives to a user who may not open the journal, the message says what
 * to do. */
static void no_journal_for_this_user(void **state)
{
	const struct engine_fixture *f = *state;
	static const struct { int error; const char *says; } cases[] = {
		{ EACCES, "this user may not count there: join the group" },
		{ EPERM, "this user may not count there: join the group" },
		{ EROFS, "this user may not count there: join the group" },
		{ EMFILE, "Too many open files" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ipmu_system *sys;
		char why[IPMU_WHY_MAX] = "";
		int rc;

		refusal = cases[i].error;
		rc = ipmu_system_open(f->topo, IPMU_SCOPE_PACKAGE, &sys, why);
		refusal = 0;
		assert_int_equal(rc, -cases[i].error);
		assert_non_null(strstr(why, path));
		if (!strstr(why, cases[i].says))
			fail_msg("'%s' does not say '%s'", why, cases[i].says);
		clean(f);
	}
}

/* Nobody counts by something else in the place of the journal, and nobody waits for it. */
static void no_file_of_ones_own(void **state)
{
	const struct engine_fixture *f = *state;
	static const struct { void (*make)(void); int rc; const char *says; } cases[] = {
		{ a_pipe, -EBADMSG, "not a plain file" }, { a_link, -EBADMSG, "is a link" },
		{ two_names, -EBADMSG, "with one name" },
		{ for_all, -EACCES, "others can have written it" },
	};
	char second[4200];

	snprintf(second, sizeof(second), "%s.second", path);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct peer p = peer_new(f, IPMU_SCOPE_PACKAGE);
		struct peer_answer a;

		unlink(path);
		cases[i].make();
		a = peer_do(&p, PEER_START, read_i);
		print_message("%s\n", a.why);
		assert_int_equal(a.rc, cases[i].rc);
		assert_non_null(strstr(a.why, path));
		assert_non_null(strstr(a.why, cases[i].says));
		peer_kill(&p);
		clean(f);
		assert_int_equal(unlink(path), 0);
		unlink(second);
	}
	engine_fixture_end(engine_fixture_started(f, read_i, 1), NULL);
	clean(f);
}

static int set_up(void **state)
{
	int rc;

	rc = engine_fixture_open(state);
	journal_file_init(&j, &ipmu_skl_client_uncore, 0);
	journal_file_path(&j, &ipmu_skl_client_uncore, path);
	return rc;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_journal_for_this_user),
		cmocka_unit_test(a_disk_that_becomes_full),
		cmocka_unit_test(a_limit_of_file_size),
		cmocka_unit_test(one_process),
		cmocka_unit_test(other_events),
		cmocka_unit_test(one_that_exits),
		cmocka_unit_test(two_processes),
		cmocka_unit_test(one_that_is_killed_afterwards),
		cmocka_unit_test(a_newcomer),
		cmocka_unit_test(no_file_of_ones_own),
	};

	(void)argc;
	on_machine(argv, "skl-4c8t");
	return cmocka_run_group_tests(tests, set_up, engine_fixture_close);
}
