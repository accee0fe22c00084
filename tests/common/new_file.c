/* SPDX-License-Identifier: MIT */
/* New files: nothing before they are whole, and what had the name stays until then; with and
 * without a file system that has unnamed files, or /proc to give them a name through. What a killed
 * process leaves is whole or gone with the next one. */
#include "common/new_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static bool unnamed, proc;	/* what there is */
static bool killed_at_rename;
static char before[4096];

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	if ((flags & O_TMPFILE) == O_TMPFILE && !unnamed) {
		errno = EOPNOTSUPP;
		return -1;
	}
	va_start(args, flags);
	mode = va_arg(args, mode_t);
	va_end(args);
	return __real_open(path, flags, mode);
}

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
	return proc ? __real_access(path, mode) : -1;
}

int __real_rename(const char *old, const char *new);
int __wrap_rename(const char *old, const char *new);
int __wrap_rename(const char *old, const char *new)
{
	if (killed_at_rename)
		raise(SIGKILL);
	return __real_rename(old, new);
}

static int files(void)
{
	DIR *d = opendir(".");
	int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void expect(const char *path, const char *text)
{
	char got[16] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_non_null(fgets(got, sizeof(got), f));
	fclose(f);
	assert_string_equal(got, text);
}

static void write_one(const char *path, const char *text, int beside)
{
	int had = files();
	struct new_file n;

	assert_int_equal(new_file_open(&n, path, 0666), 0);
	fputs(text, n.f);
	fflush(n.f);
	assert_int_equal(files(), had + beside);
	assert_int_equal(new_file_publish(&n), 0);
	expect(path, text);
	new_file_drop(&n);
	expect(path, text);
}

/* Killed while it writes, or when all that is left to be done is a rename. */
static void write_and_die(const char *path, bool whole)
{
	struct new_file n;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		killed_at_rename = true;
		if (!new_file_open(&n, path, 0666) && fputs("part", n.f) >= 0 &&
		    !fflush(n.f) && whole)
			new_file_publish(&n);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void after_a_kill(int left)
{
	write_and_die("a", false);
	assert_int_equal(files(), left);
	write_one("a", "first", 0);
	assert_int_equal(files(), 1);
	write_and_die("a", true);
	expect("a", "first");
	assert_int_equal(files(), 2);
	write_and_die("a", false);
	expect("a", "first");
	assert_int_equal(files(), 1 + left);
	write_one("a", "second", 0);
	assert_int_equal(files(), 1);
}

static void check(int beside)
{
	struct new_file n;

	write_one("a", "first", beside);
	write_one("./a", "second", beside);
	assert_int_equal(files(), 1);
	assert_int_equal(symlink("target", "b"), 0);
	write_one("b", "third", beside);
	assert_int_equal(access("target", F_OK), -1);
	assert_int_equal(new_file_open(&n, "a", 0666), 0);
	fputs("fourth", n.f);
	new_file_drop(&n);
	expect("a", "second");
	assert_int_equal(files(), 2);
	assert_int_equal(new_file_open(&n, "none/a", 0666), -ENOENT);
	assert_string_equal(n.path, "none/a");
	new_file_drop(&n);
	unlink("a");
	unlink("b");
	after_a_kill(beside);
}

/* Files that are not ours stay: one that is being written, and similar names. */
static void others_stay(void **state)
{
	static const char *const names[] = {
		"a.1.ipmu-tmp", "a.ipmu-tmp", "a.x1.ipmu-tmp", "a.1.ipmu-tmp2", "aa.1.ipmu-tmp",
		"a.2024.tmp", "a.2.ipmu-tmp",
	};
	enum { N = sizeof(names) / sizeof(names[0]) };
	struct new_file n;
	int fd[N], stay = geteuid() ? N - 2 : N - 1;

	(void)state;
	for (int i = 0; i < N; i++)
		fd[i] = __real_open(names[i], O_WRONLY | O_CREAT, 0666);
	assert_int_equal(flock(fd[0], LOCK_EX), 0);
	if (!geteuid())		/* another user's */
		assert_int_equal(fchown(fd[N - 1], 54321, 54321), 0);
	assert_int_equal(new_file_open(&n, "a", 0666), 0);
	new_file_drop(&n);
	assert_int_equal(files(), stay + 1);
	close(fd[0]);
	assert_int_equal(new_file_open(&n, "a", 0666), 0);
	new_file_drop(&n);
	assert_int_equal(files(), stay);
	for (int i = 1; i < N; i++) {
		close(fd[i]);
		unlink(names[i]);
	}
}

/* Two write to the same name: neither takes away what the other has begun. */
static void a_living_ones_stays(void **state)
{
	struct new_file n;
	int ready[2];
	pid_t pid;
	char c;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (!new_file_open(&n, "a", 0666) && write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	assert_int_equal(files(), 1);
	write_one("a", "first", 1);
	assert_int_equal(files(), 2);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	write_one("a", "second", 0);
	assert_int_equal(files(), 1);
}

/* There has to be room for the other name as well. */
static void a_long_name(void **state)
{
	char name[252];
	struct new_file n;

	(void)state;
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	unnamed = proc = true;
	assert_int_equal(new_file_open(&n, name, 0666), -ENAMETOOLONG);
	new_file_drop(&n);
	assert_int_equal(files(), 0);
}

static void its_mode(void **state)
{
	struct new_file n;
	struct stat st;

	(void)state;
	proc = true;
	assert_int_equal(new_file_open(&n, "a", 0600), 0);
	assert_int_equal(fstat(fileno(n.f), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	new_file_drop(&n);
}

static void without_a_name(void **state)
{
	int fd = __real_open(".", O_WRONLY | O_TMPFILE, 0666);

	(void)state;
	if (fd < 0)
		skip();
	close(fd);
	unnamed = proc = true;
	check(0);
}

static void with_a_name(void **state)
{
	(void)state;
	proc = true;
	check(1);
}

static void without_proc(void **state)
{
	(void)state;
	unnamed = true;
	check(1);
}

static int enter(void **state)
{
	char folder[] = "/tmp/new_file.XXXXXX";

	(void)state;
	unnamed = proc = false;
	return !getcwd(before, sizeof(before)) || !mkdtemp(folder) || chdir(folder);
}

static int leave(void **state)
{
	char folder[64];

	(void)state;
	unlink("a");
	unlink("b");
	return !getcwd(folder, sizeof(folder)) || chdir(before) || rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(without_a_name, enter, leave),
		cmocka_unit_test_setup_teardown(with_a_name, enter, leave),
		cmocka_unit_test_setup_teardown(without_proc, enter, leave),
		cmocka_unit_test_setup_teardown(others_stay, enter, leave),
		cmocka_unit_test_setup_teardown(a_living_ones_stays, enter, leave),
		cmocka_unit_test_setup_teardown(a_long_name, enter, leave),
		cmocka_unit_test_setup_teardown(its_mode, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
