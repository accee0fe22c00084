/* SPDX-License-Identifier: MIT */
/* New files: nothing before they are whole, and what had the name stays until then; with and
 * without a file system that has unnamed files, or /proc to give them a name through. */
#include "../common/new_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static bool unnamed, proc;	/* what there is */
static char before[4096];

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	if ((flags & O_TMPFILE) == O_TMPFILE && !unnamed) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return __real_open(path, flags, 0666);
}

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
	return proc ? __real_access(path, mode) : -1;
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

	assert_int_equal(new_file_open(&n, path), 0);
	fputs(text, n.f);
	fflush(n.f);
	assert_int_equal(files(), had + beside);
	assert_int_equal(new_file_publish(&n), 0);
	expect(path, text);
	new_file_drop(&n);
	expect(path, text);
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
	assert_int_equal(new_file_open(&n, "a"), 0);
	fputs("fourth", n.f);
	new_file_drop(&n);
	expect("a", "second");
	assert_int_equal(files(), 2);
	assert_int_equal(new_file_open(&n, "none/a"), -ENOENT);
	assert_string_equal(n.path, "none/a");
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
