/* SPDX-License-Identifier: MIT */
/* Programs that draw for the page. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "page.h"

extern char **environ;

/* What is preloaded on a virtual machine is for programs that are counted on it. */
static char **environment(void)
{
	size_t n = 0, kept = 0;
	char **env;

	while (environ[n])
		n++;
	env = calloc(n + 1, sizeof(*env));
	for (size_t i = 0; env && i < n; i++)
		if (strncmp(environ[i], "LD_PRELOAD=", 11))
			env[kept++] = environ[i];
	return env;
}

static void beside_us(const char *name, char out[PATH_MAX])
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	if (!slash || snprintf(out, PATH_MAX, "%.*s/%s", (int)(slash - self), self, name) >=
	    PATH_MAX || access(out, X_OK))
		snprintf(out, PATH_MAX, "%s", name);
}

void helper_start(struct helper *h, const char *const argv[])
{
	posix_spawn_file_actions_t actions;
	char path[PATH_MAX], **env = environment();
	pid_t pid = -1;

	h->name = argv[0];
	h->pid = -1;
	h->error = env ? posix_spawn_file_actions_init(&actions) : ENOMEM;
	if (!h->error) {
		beside_us(argv[0], path);
		h->error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
		if (!h->error)
			h->error = posix_spawn_file_actions_adddup2(&actions, 2, 1);
		if (!h->error)
			h->error = posix_spawnp(&pid, path, &actions, NULL,
						(char **)(uintptr_t)argv, env);
		posix_spawn_file_actions_destroy(&actions);
	}
	if (!h->error)
		h->pid = pid;
	free(env);
}

int helper_wait(struct helper *h, char why[PAGE_WHY_MAX])
{
	int status = 0;

	if (h->error == ENOENT && !h->package)
		snprintf(why, PAGE_WHY_MAX, "there is no %s, which belongs beside ipmu-run",
			 h->name);
	else if (h->error == ENOENT)
		snprintf(why, PAGE_WHY_MAX, "there is no %s (package %s)", h->name, h->package);
	else if (h->error)
		snprintf(why, PAGE_WHY_MAX, "%s does not start: %s", h->name, strerror(h->error));
	if (h->error)
		return -h->error;
	while (waitpid(h->pid, &status, 0) < 0)
		if (errno != EINTR)
			break;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	snprintf(why, PAGE_WHY_MAX, "%s failed; it says why above", h->name);
	return -EIO;
}

/* ---- files that come and go ---- */

int scratch_make(struct scratch *s, char why[PAGE_WHY_MAX])
{
	const char *tmp = getenv("TMPDIR");

	if (!tmp || *tmp != '/' || strlen(tmp) > 40)
		tmp = "/tmp";
	snprintf(s->dir, sizeof(s->dir), "%s/ipmu-run.XXXXXX", tmp);
	if (mkdtemp(s->dir))
		return 0;
	snprintf(why, PAGE_WHY_MAX, "no folder can be made in %s: %s", tmp, strerror(errno));
	s->dir[0] = '\0';
	return -errno;
}

void scratch_path(const struct scratch *s, const char *name, char out[128])
{
	snprintf(out, 128, "%s/%s", s->dir, name);
}

void scratch_remove(struct scratch *s)
{
	DIR *dir = s->dir[0] ? opendir(s->dir) : NULL;
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL)
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	if (s->dir[0])
		rmdir(s->dir);
	s->dir[0] = '\0';
}
