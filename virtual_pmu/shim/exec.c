/* SPDX-License-Identifier: MIT */
/* The functions that execute a program: it is executed under the emulator. */
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "follow.h"

NEXT_SLOT(execve)
NEXT_SLOT(execvpe)
NEXT_SLOT(fexecve)
NEXT_SLOT(execveat)
NEXT_SLOT(posix_spawn)
NEXT_SLOT(posix_spawnp)
NEXT_SLOT(system)
NEXT_SLOT(popen)

#define SHELL "/bin/sh"

/* Looked up before they are needed: a child between fork and exec cannot wait for the loader's
 * lock, which another thread may have held. */
__attribute__((constructor)) static void look_up(void)
{
	(void)NEXT(execve);
	(void)NEXT(execvpe);
	(void)NEXT(fexecve);
	(void)NEXT(execveat);
}

static int run(const char *path, char *const argv[], char *const envp[])
{
	struct shim_follow f;

	if (!shim_follow(path, argv, envp, &f))
		return NEXT(execve)(path, argv, envp);
	NEXT(execve)(f.path, f.argv, f.envp);
	shim_follow_end(&f);
	return -1;
}

SHIM_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	return run(path, argv, envp);
}

SHIM_EXPORT int execv(const char *path, char *const argv[])
{
	return run(path, argv, environ);
}

/* ---- along PATH ---- */

/* The shell runs an executable file whose format the kernel does not know. */
static int run_or_interpret(const char *path, char *const argv[], char *const envp[])
{
	size_t n = 0;
	char **words;

	run(path, argv, envp);
	if (errno != ENOEXEC)
		return -1;
	while (argv[n])
		n++;
	words = alloca((n + 3) * sizeof(*words));
	words[0] = (char *)(uintptr_t)SHELL;
	words[1] = (char *)(uintptr_t)path;
	memcpy(words + 2, argv + (n ? 1 : 0), (n ? n : 1) * sizeof(*words));
	return run(SHELL, words, envp);
}

/* The next candidate of PATH; false after the last. */
static bool next_candidate(const char **list, const char *name, char *out, size_t bytes)
{
	const char *at = *list;
	int n;

	if (!at)
		return false;
	n = (int)strcspn(at, ":");
	*list = at[n] ? at + n + 1 : NULL;
	if (snprintf(out, bytes, "%.*s%s%s", n, at, n ? "/" : "", name) >= (int)bytes)
		*out = '\0';
	return true;
}

static const char *search_list(void)
{
	const char *list = getenv("PATH");

	return list ? list : "/bin:/usr/bin";
}

SHIM_EXPORT int execvpe(const char *name, char *const argv[], char *const envp[])
{
	const char *list = search_list();
	char candidate[PATH_MAX];
	bool denied = false;

	if (!shim_following())
		return NEXT(execvpe)(name, argv, envp);
	if (strchr(name, '/'))
		return run_or_interpret(name, argv, envp);
	errno = ENOENT;
	while (*name && next_candidate(&list, name, candidate, sizeof(candidate))) {
		run_or_interpret(candidate, argv, envp);
		denied |= errno == EACCES;
		if (errno != EACCES && errno != ENOENT && errno != ENOTDIR && errno != ESTALE &&
		    errno != ENODEV && errno != ETIMEDOUT)
			return -1;
	}
	errno = denied ? EACCES : ENOENT;
	return -1;
}

SHIM_EXPORT int execvp(const char *name, char *const argv[])
{
	return execvpe(name, argv, environ);
}

/* ---- with the arguments one by one ---- */

static size_t count_arguments(const char *first, va_list args)
{
	size_t n = first ? 1 : 0;

	while (first && va_arg(args, const char *))
		n++;
	return n;
}

#define COLLECT(first, argv, envp, with_envp) \
	va_list args; \
	va_start(args, first); \
	size_t n = count_arguments(first, args); \
	char *const *envp = with_envp ? va_arg(args, char *const *) : environ; \
	va_end(args); \
	char **argv = alloca((n + 1) * sizeof(*argv)); \
	va_start(args, first); \
	argv[0] = (char *)(uintptr_t)first; \
	for (size_t i = 1; i < n; i++) \
		argv[i] = va_arg(args, char *); \
	argv[n] = NULL; \
	va_end(args)

SHIM_EXPORT int execl(const char *path, const char *first, ...)
{
	COLLECT(first, argv, envp, false);
	return run(path, argv, envp);
}

SHIM_EXPORT int execlp(const char *name, const char *first, ...)
{
	COLLECT(first, argv, envp, false);
	return execvpe(name, argv, envp);
}

SHIM_EXPORT int execle(const char *path, const char *first, ...)
{
	COLLECT(first, argv, envp, true);
	return run(path, argv, envp);
}

/* ---- by an open file ---- */

/* The emulator opens the file anew: a name that is followed is that of a link. */
static void name_descriptor(int fd, char link[64])
{
	snprintf(link, 64, "/proc/self/fd/%d", fd);
}

SHIM_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	char link[64];

	if (!shim_following() || fcntl(fd, F_GETFD) < 0)
		return NEXT(fexecve)(fd, argv, envp);
	name_descriptor(fd, link);
	return run(link, argv, envp);
}

/* In a folder, whose descriptor will be closed. */
static bool name_in(int folder, const char *rest, char *out, size_t bytes)
{
	char link[64], name[PATH_MAX];
	ssize_t n;

	name_descriptor(folder, link);
	n = readlink(link, name, sizeof(name) - 1);
	if (n <= 0)
		return false;
	name[n] = '\0';
	return snprintf(out, bytes, "%s/%s", name, rest) < (int)bytes;
}

SHIM_EXPORT int execveat(int at, const char *path, char *const argv[], char *const envp[],
			 int flags)
{
	char joined[PATH_MAX];

	if (!shim_following() || (!*path && !(flags & AT_EMPTY_PATH)))
		return NEXT(execveat)(at, path, argv, envp, flags);
	if (*path == '/' || (at == AT_FDCWD && *path))
		return run(path, argv, envp);
	if (!*path)
		return fexecve(at, argv, envp);
	if (!name_in(at, path, joined, sizeof(joined)))
		return NEXT(execveat)(at, path, argv, envp, flags);
	return run(joined, argv, envp);
}

/* ---- posix_spawn ---- */

SHIM_EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path,
			    const posix_spawn_file_actions_t *restrict actions,
			    const posix_spawnattr_t *restrict attributes,
			    char *const argv[restrict], char *const envp[restrict])
{
	struct shim_follow f;
	int rc;

	/* Under the emulator libc does not learn that the child failed to execute a program. */
	if (!actions && shim_following() && access(path, X_OK))
		return errno;
	if (!shim_follow(path, argv, envp, &f))
		return NEXT(posix_spawn)(pid, path, actions, attributes, argv, envp);
	rc = NEXT(posix_spawn)(pid, f.path, actions, attributes, f.argv, f.envp);
	shim_follow_end(&f);
	return rc;
}

SHIM_EXPORT int posix_spawnp(pid_t *restrict pid, const char *restrict name,
			     const posix_spawn_file_actions_t *restrict actions,
			     const posix_spawnattr_t *restrict attributes,
			     char *const argv[restrict], char *const envp[restrict])
{
	const char *list = search_list();
	char candidate[PATH_MAX];

	if (!shim_following() || strchr(name, '/'))
		return shim_following() ?
		       posix_spawn(pid, name, actions, attributes, argv, envp) :
		       NEXT(posix_spawnp)(pid, name, actions, attributes, argv, envp);
	while (*name && next_candidate(&list, name, candidate, sizeof(candidate)))
		if (!access(candidate, X_OK))
			return posix_spawn(pid, candidate, actions, attributes, argv, envp);
	return NEXT(posix_spawnp)(pid, name, actions, attributes, argv, envp);
}

/* ---- the shell ---- */

static char *quote(char *to, const char *word)
{
	*to++ = '\'';
	for (; *word; word++) {
		if (*word == '\'')
			to = stpcpy(to, "'\\'");
		*to++ = *word;
	}
	return stpcpy(to, "' ");
}

/* libc starts the shell natively, so it gets a command that executes an emulated shell. NULL: the
 * command stays as it is. */
static char *emulated_command(const char *command)
{
	static const char begin[] = "unset LD_PRELOAD; exec ";
	char *const argv[] = { (char *)(uintptr_t)"sh", (char *)(uintptr_t)"-c",
			       (char *)(uintptr_t)command, NULL };
	size_t bytes = sizeof(begin);
	struct shim_follow f;
	char *text, *at;

	if (!command || !shim_follow(SHELL, argv, environ, &f))
		return NULL;
	for (char **word = f.argv; *word; word++)
		bytes += 4 * strlen(*word) + 4;
	text = malloc(bytes);
	if (text) {
		at = stpcpy(text, begin);
		for (char **word = f.argv; *word; word++)
			at = quote(at, *word);
	}
	shim_follow_end(&f);
	return text;
}

SHIM_EXPORT int system(const char *command)
{
	char *ours = emulated_command(command);
	int status = NEXT(system)(ours ? ours : command), saved = errno;

	free(ours);
	errno = saved;
	return status;
}

SHIM_EXPORT FILE *popen(const char *command, const char *mode)
{
	char *ours = emulated_command(command);
	FILE *stream = NEXT(popen)(ours ? ours : command, mode);
	int saved = errno;

	free(ours);
	errno = saved;
	return stream;
}
