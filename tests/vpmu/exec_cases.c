// SPDX-License-Identifier: MIT
/* Executes itself and other files in many ways, and prints what it was given and each error. */
#include <cpuid.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Says what it has been given. */
static int show(int argc, char **argv)
{
	static const char *const names[] = { "A", "LD_LIBRARY_PATH", "MALLOC_ARENA_MAX", "GLIBC_X",
					     "QEMU_CPU", "VPMU_PROGRAM_A", "VPMU_PROGRAM_LD_X" };
	unsigned int words[5] = { 0 };
	FILE *marks = fopen(getenv("MARKS") ? getenv("MARKS") : "marks", "a");
	DIR *folder = opendir("/proc/self/fd");

	printf("%d:", argc);
	for (int i = 0; i < argc; i++)
		printf(" '%.60s'", argv[i]);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (getenv(names[i]))
			printf(" %s=%s", names[i], getenv(names[i]));
	for (struct dirent *d; (d = readdir(folder)); )
		if (*d->d_name != '.' && atoi(d->d_name) != dirfd(folder) &&
		    atoi(d->d_name) != fileno(marks))
			printf(" %s", d->d_name);
	__get_cpuid(0x80000002, &words[0], &words[1], &words[2], &words[3]);
	fprintf(marks, "%.10s\n", (char *)words);
	puts("");
	return 0;
}

static char *shown[] = { "zeroth", "show", "x", NULL }, *none[] = { NULL };

static void begin(const char *name)
{
	printf("%s ", name);
	fflush(stdout);
}

static void end(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) == pid)
		printf("[%x]\n", status);
}

/* In a child; it prints the error of a call that returns. */
#define CASE(name, call) do { \
	pid_t pid; \
	begin(name); \
	pid = fork(); \
	if (pid == 0) { \
		errno = 0; \
		call; \
		printf("error %d ", errno); \
		fflush(stdout); \
		_exit(1); \
	} \
	end(pid); \
} while (0)

static int at(int folder, const char *path, int flags)
{
	return (int)syscall(SYS_execveat, folder, path, shown, environ, flags);
}

static int file(const char *path, int flags)
{
	return open(path, O_RDONLY | flags);
}

static int copy(const char *path, int to, int flags)
{
	static char bytes[1 << 22];
	int fd = file(path, O_CLOEXEC);
	ssize_t n = read(fd, bytes, sizeof(bytes));

	if (to < 0)
		to = memfd_create("x", (unsigned int)flags);
	if (write(to, bytes, (size_t)n) != n)
		exit(1);
	close(fd);
	return to;
}

static int deleted(const char *path)
{
	int fd = open("deleted", O_WRONLY | O_CREAT, 0700), again;

	copy(path, fd, 0);
	again = file("deleted", 0);
	close(fd);
	unlink("deleted");
	return again;
}

static void by_path(void)
{
	static char text[200000];

	CASE("path", execv("./probe", shown));
	CASE("no arguments", execv("./show", none));
	CASE("no list of arguments", syscall(SYS_execve, "./show", NULL, environ));
	CASE("no environment", syscall(SYS_execve, "./probe", shown, NULL));
	CASE("link", execv("./link", shown));
	CASE("empty", execv("", shown));
	CASE("not there", execv("./not-there", shown));
	CASE("folder", execv("/", shown));
	CASE("behind a file", execv("./probe/x", shown));
	CASE("with a slash", execv("./probe/", shown));
	CASE("not executable", execv("./probe.c", shown));
	CASE("text", execv("./text", shown));
	CASE("text, along PATH", execvp("text", shown));
	CASE("no memory", syscall(SYS_execve, 1, shown, environ));
	CASE("arguments: no memory", syscall(SYS_execve, "./probe", 1, environ));
	CASE("loader not there", execv("./unloaded", shown));
	memset(text, 'x', sizeof(text) - 1);
	CASE("long name", execv(text, shown));
	CASE("long argument", execl("./probe", "zeroth", "show", text, NULL));
	text[100000] = '\0';
	CASE("not so long", execl("./probe", "zeroth", "show", text, NULL));
	CASE("open for writing", (open("written", O_WRONLY), execv("./written", shown)));
	CASE("through the working folder", execv("/proc/self/cwd/probe", shown));
	setenv("LD_LIBRARY_PATH", "/not-there", 1);
	setenv("MALLOC_ARENA_MAX", "1", 1);
	setenv("GLIBC_X", "2", 1);
	setenv("QEMU_CPU", "3", 1);
	setenv("VPMU_PROGRAM_A", "4", 1);
	setenv("VPMU_PROGRAM_LD_X", "5", 1);
	CASE("variables", execv("./probe", shown));
	for (char *const *v = environ; *v; )
		if (strchr("LMGQ", **v) || !strncmp(*v, "VPMU_PROGRAM", 12))
			unsetenv(strndup(*v, strcspn(*v, "=")));
		else
			v++;
	setenv("LD_PRELOAD", "./preloaded.so", 1);
	CASE("preloaded", execv("./dynamic", shown));
	unsetenv("LD_PRELOAD");
}

static void scripts(void)
{
	CASE("script", execv("./script", shown));
	CASE("script of a script", execv("./nested", shown));
	CASE("script of itself", execv("./circle", shown));
	CASE("script without an interpreter", execv("./lost", shown));
	CASE("script, carriage return", execv("./return", shown));
	CASE("script of a text", execv("./of-text", shown));
	CASE("script, interpreter not executable", execv("./of-file", shown));
	CASE("script, empty line", execv("./nothing", shown));
	CASE("script by a link", execv("/proc/self/cwd/script", shown));
	CASE("script by descriptor", at(file("script", 0), "", AT_EMPTY_PATH));
	CASE("script by descriptor, closed", at(file("script", O_CLOEXEC), "", AT_EMPTY_PATH));
	CASE("script in a folder", at(file(".", 0), "script", 0));
	CASE("script in a folder, closed", at(file(".", O_CLOEXEC), "script", 0));
	CASE("script in memory", at(copy("script", -1, 0), "", AT_EMPTY_PATH));
	CASE("script in memory, closed", at(copy("script", -1, MFD_CLOEXEC), "", AT_EMPTY_PATH));
	CASE("script in memory by a link",
	     (dup2(copy("script", -1, MFD_CLOEXEC), 9), execv("/proc/self/fd/9", shown)));
}

static void by_descriptor(void)
{
	CASE("descriptor", fexecve(file("probe", 0), shown, environ));
	CASE("descriptor, closed", fexecve(file("probe", O_CLOEXEC), shown, environ));
	CASE("descriptor, only a path", fexecve(file("probe", O_PATH), shown, environ));
	CASE("memory", fexecve(copy("probe", -1, 0), shown, environ));
	CASE("memory, closed", fexecve(copy("probe", -1, MFD_CLOEXEC), shown, environ));
	CASE("memory, as standard input",
	     (dup2(copy("probe", -1, MFD_CLOEXEC), 0), fexecve(0, shown, environ)));
	CASE("deleted", fexecve(deleted("probe"), shown, environ));
	CASE("no descriptor", at(100, "", AT_EMPTY_PATH));
	CASE("no folder", at(100, "probe", 0));
	CASE("folder that is a file", at(file("probe", 0), "probe", 0));
	CASE("in a folder", at(file(".", 0), "probe", 0));
	CASE("in a folder, closed", at(file(".", O_CLOEXEC), "probe", 0));
	CASE("in a folder, not there", at(file(".", O_CLOEXEC), "not-there", 0));
	CASE("absolute, in no folder", at(100, "/bin/echo", 0));
	CASE("in the working folder", at(AT_FDCWD, "probe", 0));
	CASE("the folder itself", at(file(".", 0), "", AT_EMPTY_PATH));
	CASE("the working folder itself", at(AT_FDCWD, "", AT_EMPTY_PATH));
	CASE("nothing", at(file("probe", 0), "", 0));
	CASE("no link", at(AT_FDCWD, "probe", AT_SYMLINK_NOFOLLOW));
	CASE("a link", at(AT_FDCWD, "link", AT_SYMLINK_NOFOLLOW));
	CASE("a link in a folder", at(file(".", 0), "link", AT_SYMLINK_NOFOLLOW));
	CASE("another flag", at(AT_FDCWD, "probe", 1));
	CASE("itself", execv("/proc/self/exe", shown));
	CASE("after a failure", (execv("/", shown), at(file(".", 0), "not-there", 0),
				 fexecve(copy("text", -1, MFD_CLOEXEC), shown, environ),
				 execv("./probe", shown)));
}

static void end_or_error(int error, pid_t pid)
{
	if (error)
		printf("error %d\n", error);
	else
		end(pid);
}

static void spawned(void)
{
	posix_spawn_file_actions_t actions;
	volatile int seen = 0, error;
	pid_t pid = 0;

	begin("posix_spawn");
	error = posix_spawn(&pid, "./probe", NULL, NULL, shown, environ);
	end_or_error(error, pid);
	begin("posix_spawnp");
	error = posix_spawnp(&pid, "probe", NULL, NULL, shown, environ);
	end_or_error(error, pid);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "not-there", O_RDONLY, 0);
	printf("posix_spawn: %d %d %d %d\n",
	       posix_spawn(&pid, "./not-there", NULL, NULL, shown, environ),
	       posix_spawn(&pid, "./probe.c", NULL, NULL, shown, environ),
	       posix_spawn(&pid, "./probe", &actions, NULL, shown, environ),
	       posix_spawnp(&pid, "not-there-either", NULL, NULL, shown, environ));
	begin("vfork");
	pid = vfork();
	if (pid == 0) {
		usleep(100000);
		seen = 1;
		execv("/", shown);
		error = errno;
		_exit(3);
	}
	printf("%d %d ", seen, error);
	end(pid);
	begin("vfork, killed");
	pid = vfork();
	if (pid == 0) {
		kill(getpid(), SIGKILL);
		_exit(3);
	}
	end(pid);
	printf("children: %d\n", waitpid(-1, NULL, WNOHANG));
	fflush(stdout);
	printf("system: %x\n", system("./probe show y; exit 3"));
}

int main(int argc, char **argv)
{
	const char *name = argc ? argv[0] : "";

	if (strstr(name, "show") || !*name || (argc > 1 && !strncmp(argv[1], "show", 4)))
		return show(argc, argv);
	if (argc < 2 || strcmp(argv[1], "cases"))
		return 9;
	setvbuf(stdout, NULL, _IOLBF, 0);
	by_path();
	scripts();
	by_descriptor();
	spawned();
	return 0;
}
