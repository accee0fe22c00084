// SPDX-License-Identifier: MIT
/* Executes a loop of two instructions a turn, by itself or by executing itself in one of many ways:
 * executes WAY TURNS. */
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

static char *loop[] = { "probe", "loop", NULL, NULL }, *none[] = { NULL };
static char **volatile nothing;		/* NULL */

static pid_t pid;

static int status_of(int error)
{
	int status = 0;

	if (error)
		printf("error %d\n", error);
	else
		waitpid(pid, &status, 0);
	return error || status;
}

static const char *descriptor(const char *how, const char *self)
{
	static char path[32], bytes[1 << 16];
	int fd = open(self, O_RDONLY | O_CLOEXEC), copy;
	ssize_t n;

	if (strstr(how, "unnamed")) {
		copy = memfd_create("probe", MFD_CLOEXEC);
		while ((n = read(fd, bytes, sizeof(bytes))) > 0)
			if (write(copy, bytes, (size_t)n) != n)
				exit(1);
		fd = copy;
	}
	snprintf(path, sizeof(path), "/%s/fd/%d", strstr(how, "dev") ? "dev" : "proc/self", fd);
	return path;
}

static int spawn(const char *how)
{
	if (!strcmp(how, "posix_spawn"))	/* and an empty environment */
		return status_of(posix_spawn(&pid, getenv("PROBE"), NULL, NULL, loop, none));
	if (!strcmp(how, "posix_spawnp"))
		return status_of(posix_spawnp(&pid, "probe", NULL, NULL, loop, environ));
	if (!strcmp(how, "posix_spawn_unnamed")) {
		const char *path = descriptor(how, getenv("PROBE"));
		int error = posix_spawn(&pid, path, NULL, NULL, loop, environ);

		/* and its descriptor is closed in others, as before */
		return status_of(error) ||
		       fcntl(atoi(strrchr(path, '/') + 1), F_GETFD) != FD_CLOEXEC;
	}
	if (!strcmp(how, "no_file"))
		return posix_spawn(&pid, "/no/such/file", NULL, NULL, loop, environ) != ENOENT ||
		       execvp("no-such-program-at-all", loop) != -1 || errno != ENOENT ||
		       execv("/", loop) != -1 || errno != EACCES ||
		       /* in the first directory of PATH, and only there */
		       execvp("probe.c", loop) != -1 || errno != EACCES;
	pid = vfork();
	if (pid == 0) {
		execlp("probe", "probe", "loop", loop[2], NULL);
		_exit(127);
	}
	return status_of(pid < 0);
}

static int shell(const char *how)
{
	char line[256], command[300];
	FILE *f;

	snprintf(command, sizeof(command), "echo \"it's\" '%%'; probe loop %s; exit 7", loop[2]);
	if (!strcmp(how, "system"))
		return system(command) != 7 << 8;
	f = popen(command, "r");
	return !f || !fgets(line, sizeof(line), f) || strcmp(line, "it's %\n") ||
	       pclose(f) != 7 << 8;
}

int main(int argc, char **argv)
{
	const char *how = argv[1], *self = getenv("PROBE");

	if (argc < 2 && getenv("TURNS")) {
		argv = loop;
		loop[2] = getenv("TURNS");
		how = "loop";
	} else if (argc < 3) {
		return 2;
	}
	loop[2] = argv[2];
	if (!strcmp(how, "exec_alone")) {
		setenv("TURNS", argv[2], 1);
		execv(self, nothing);
	}
	if (!strcmp(how, "loop")) {
		long n = atol(argv[2]);

		if (n > 0)
			__asm__ volatile("1: sub $1, %0; jnz 1b" : "+r"(n) : : "cc");
		return n != 0;
	}
	if (!strcmp(how, "system") || !strcmp(how, "popen"))
		return shell(how);
	if (!strcmp(how, "execle"))
		execle(self, "probe", "loop", argv[2], NULL, none);
	if (!strcmp(how, "execv"))
		execv(self, loop);
	if (!strncmp(how, "exec_itself", 11)) {
		const char *link = strchr(how, ':');

		if (link)	/* it was started by another folder's name */
			return chdir("/proc/self") || execv(link + 1, loop);
		execv("/proc/self/exe", loop);
	}
	if (!strncmp(how, "exec_descriptor", 15))
		execv(descriptor(how, self), loop);
	if (!strcmp(how, "exec_by_number"))
		syscall(SYS_execve, self, loop, none);
	if (!strcmp(how, "fexecve"))
		fexecve(open(self, O_RDONLY | O_CLOEXEC), loop, environ);
	return strncmp(how, "exec", 4) && strncmp(how, "fexec", 5) ? spawn(how) : 1;
}
