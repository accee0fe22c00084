/* SPDX-License-Identifier: MIT */
/* A program that closes descriptors which are not its own while it counts, and uses their numbers
 * for files of its own: descriptors EVENT FOLDER WAY. The ways are rows of a table below. After it
 * every file holds what the program wrote, and every descriptor is still the program's. */
#include <errno.h>
#include <fcntl.h>
#include <papi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES 16384
#define NUMBERS 160	/* above those that the library prefers */
#define FREE 24

static const char *event, *folder;
static struct { int fd; ino_t inode; } mine[NUMBERS];
static int files, failures;

static void fail(const char *what, int number)
{
	printf("FAILED: %s %d\n", what, number);
	failures++;
}

static void check(const char *what, int is, int should)
{
	if (is != should)
		printf("%s: %d (%s), not %d\n", what, is, PAPI_strerror(is), should);
	if (is != should)
		fail(what, is);
}

/* ---- the program's own files */

static int file_make(void)
{
	char path[4096], page[BYTES];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/f%d-%d", folder, (int)getpid(), files);
	memset(page, 'u', sizeof(page));
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return -1;
	if (write(fd, page, sizeof(page)) != BYTES || fstat(fd, &st))
		fail("write of a file", fd);
	mine[files].fd = fd;
	mine[files++].inode = st.st_ino;
	return fd;
}

/* Some stay free, for the library opens its files again. */
static void take_numbers(void)
{
	struct rlimit most;
	int fd = 0;

	getrlimit(RLIMIT_NOFILE, &most);
	while (files < NUMBERS && fd >= 0 && fd + FREE < (int)most.rlim_cur)
		fd = file_make();
	if (files < 30)
		fail("files", files);
}

static void files_check(void)
{
	for (int i = 0; i < files; i++) {
		char page[BYTES], path[4096];
		int wrong = 0, fd = mine[i].fd;
		struct stat st;

		if (fstat(fd, &st) || st.st_ino != mine[i].inode) {
			fail("no longer the program's: descriptor", fd);
			continue;
		}
		if (st.st_size != BYTES || pread(fd, page, BYTES, 0) != BYTES)
			fail("another size: file of descriptor", fd);
		for (int k = 0; k < BYTES; k++)
			wrong += page[k] != 'u';
		if (wrong)
			fail("changed: file of descriptor", fd);
		snprintf(path, sizeof(path), "%s/f%d-%d", folder, (int)getpid(), i);
		unlink(path);
	}
}

/* ---- the ways */

static int set = PAPI_NULL;
static long long count;

static void closes_and_reads(void)
{
	closefrom(3);
	take_numbers();
	check("PAPI_read", PAPI_read(set, &count), PAPI_ECLOST);
	check("PAPI_stop", PAPI_stop(set, &count), PAPI_OK);	/* the read has reported it */
}

static void closes_and_stops(void)
{
	closefrom(3);
	take_numbers();
	check("PAPI_stop", PAPI_stop(set, &count), PAPI_ECLOST);
	check("second PAPI_stop", PAPI_stop(set, &count), PAPI_OK);
}

static void only_closes(void)
{
	closefrom(3);
	check("PAPI_read", PAPI_read(set, &count), PAPI_ECLOST);
	check("PAPI_stop", PAPI_stop(set, &count), PAPI_OK);
}

static bool is_the_librarys(int fd)
{
	char link[32], path[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	return !strncmp(path, "/dev/cpu/", 9) || strstr(path, "/package-") ||
	       strstr(path, "/cpu-");
}

/* A file of its own takes the place of each descriptor, without a close in between. */
static void replaces(void)
{
	struct rlimit most;

	getrlimit(RLIMIT_NOFILE, &most);
	for (int fd = 3, own; fd < (int)most.rlim_cur; fd++) {
		if (!is_the_librarys(fd))
			continue;
		own = file_make();
		if (dup2(own, fd) != fd)
			fail("dup2", fd);
		close(own);
		mine[files - 1].fd = fd;
	}
	if (files < 2)
		fail("descriptors of the library", files);
	check("PAPI_stop", PAPI_stop(set, &count), PAPI_ECLOST);
	check("second PAPI_stop", PAPI_stop(set, &count), PAPI_OK);
}

static void closes_between(void)
{
	check("PAPI_stop", PAPI_stop(set, &count), PAPI_OK);
	closefrom(3);
	take_numbers();
}

/* The program ends while it counts: the registers are restored all the same. */
static void closes_and_exits(void)
{
	closefrom(3);
	take_numbers();
	exit(0);
}

/* The child's files are safe, and the parent's count continues. */
static void child_closes(void)
{
	pid_t child = fork();
	int status = -1;

	if (!child) {
		closefrom(3);
		take_numbers();
		check("child's PAPI_read", PAPI_read(set, &count), PAPI_ECLOST);
		PAPI_stop(set, &count);
		PAPI_shutdown();
		files_check();
		fflush(stdout);
		_exit(failures != 0);
	}
	if (waitpid(child, &status, 0) != child || status)
		fail("child", status);
	check("PAPI_read", PAPI_read(set, &count), PAPI_OK);
	check("PAPI_stop", PAPI_stop(set, &count), PAPI_OK);
}

static const struct { const char *name; void (*go)(void); } ways[] = {
	{ "read", closes_and_reads }, { "stop", closes_and_stops }, { "closed", only_closes },
	{ "replace", replaces }, { "between", closes_between }, { "exit", closes_and_exits },
	{ "fork", child_closes },
};

int main(int argc, char **argv)
{
	event = argc == 4 ? argv[1] : "";
	folder = argc == 4 ? argv[2] : "";
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_create_eventset(&set))
		return 2;
	check("PAPI_add_named_event", PAPI_add_named_event(set, event), PAPI_OK);
	check("PAPI_start", PAPI_start(set), PAPI_OK);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && argc == 4; i++)
		if (!strcmp(ways[i].name, argv[3]))
			ways[i].go();
	/* Counting continues, with descriptors that are open again. */
	check("PAPI_start again", PAPI_start(set), PAPI_OK);
	check("PAPI_read again", PAPI_read(set, &count), PAPI_OK);
	check("PAPI_stop again", PAPI_stop(set, &count), PAPI_OK);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	PAPI_shutdown();
	files_check();
	printf("%d files, %d failures\n", files, failures);
	return failures != 0;
}
