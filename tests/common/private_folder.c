/* SPDX-License-Identifier: MIT */
/* A private folder among names that others have taken: files, links and folders of others, names
 * that are given up later, and processes that start together. All find the same folder. */
#include "common/private_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char parent[] = "/tmp/private-folder-XXXXXX", base[64];

static const char *name(int n)
{
	static char path[128];

	snprintf(path, sizeof(path), n ? "%s/%s.%d" : "%s/%s", parent, base, n);
	return path;
}

static void expect(int n)
{
	char path[128];
	struct stat st;

	assert_int_equal(private_folder(parent, "x", 0700, path, sizeof(path)), 0);
	assert_string_equal(path, name(n));
	assert_int_equal(lstat(path, &st), 0);
	assert_int_equal(st.st_mode, S_IFDIR | 0700);
	assert_int_equal(st.st_uid, geteuid());
}

static void clean(void)
{
	for (int n = 0; n < 12; n++)
		if (unlink(name(n)))
			rmdir(name(n));
}

static void test_own(void **state)
{
	mode_t mask = umask(0777);
	char path[128];

	(void)state;
	expect(0);
	umask(mask);
	expect(0);
	assert_int_equal(mkdir(name(1), 0700), 0);
	expect(0);
	clean();
	assert_int_equal(private_folder("/none/at/all", "x", 0700, path, sizeof(path)), -ENOENT);
	assert_int_equal(private_folder(parent, "x", 0700, path, 8), -ENAMETOOLONG);
}

/* Takes a name: by a file, a link to a folder of ours, a folder that others may use or that another
 * user owns. */
static void take(int kind, const char *path)
{
	int fd;

	if (kind == 0) {
		fd = open(path, O_WRONLY | O_CREAT, 0600);
		assert_true(fd >= 0);
		close(fd);
	} else if (kind == 1) {
		assert_int_equal(symlink(parent, path), 0);
	} else if (kind == 2) {
		assert_int_equal(mkdir(path, 0700), 0);
		assert_int_equal(chmod(path, 0770), 0);
	} else if (kind == 3) {
		assert_int_equal(mkdir(path, 0755), 0);
		assert_int_equal(chmod(path, 0711), 0);
	} else {
		assert_int_equal(mkdir(path, 0700), 0);
		assert_int_equal(chown(path, 54321, 54321), 0);
	}
}

static void test_taken(void **state)
{
	char path[128];

	(void)state;
	for (int kind = 0; kind < (geteuid() ? 4 : 5); kind++) {
		take(kind, name(0));
		expect(1);
		take(kind, name(2));
		expect(1);
		/* Giving a name up later changes nothing. */
		if (unlink(name(0)))
			assert_int_equal(rmdir(name(0)), 0);
		expect(1);
		clean();
	}
	/* Other names are ignored. */
	snprintf(path, sizeof(path), "%s/%s.01", parent, base);
	assert_int_equal(mkdir(path, 0700), 0);
	expect(0);
	rmdir(path);
	clean();
	/* 0711: others may pass, but cannot write. */
	assert_int_equal(private_folder(parent, "x", 0711, path, sizeof(path)), 0);
	assert_string_equal(path, name(0));
	clean();
}

/* Processes that start at the same time make one folder, whatever is taken. */
static void test_race(void **state)
{
	(void)state;
	for (int round = 0; round < 20; round++) {
		int go[2], said[2];
		char first[128] = "", path[128], c;

		assert_int_equal(pipe(go), 0);
		assert_int_equal(pipe(said), 0);
		for (int n = 0; n < round % 4; n++)
			take(0, name(n));
		for (int i = 0; i < 8; i++)
			if (!fork()) {
				close(go[1]);
				(void)!read(go[0], &c, 1);
				memset(path, 0, sizeof(path));
				if (private_folder(parent, "x", 0700, path, sizeof(path)))
					path[0] = '!';
				_exit(write(said[1], path, sizeof(path)) != sizeof(path));
			}
		close(go[0]);
		close(go[1]);
		for (int i = 0; i < 8; i++) {
			assert_int_equal(read(said[0], path, sizeof(path)), sizeof(path));
			if (!i)
				strcpy(first, path);
			assert_string_equal(path, first);
			assert_string_equal(path, name(round % 4));
		}
		while (wait(NULL) > 0)
			;
		close(said[0]);
		close(said[1]);
		clean();
	}
}

static int make_parent(void **state)
{
	(void)state;
	snprintf(base, sizeof(base), "x-%u", (unsigned)geteuid());
	return !mkdtemp(parent);
}

static int remove_parent(void **state)
{
	(void)state;
	clean();
	return rmdir(parent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_race),
	};

	return cmocka_run_group_tests(tests, make_parent, remove_parent);
}
