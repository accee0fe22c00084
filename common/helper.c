/* SPDX-License-Identifier: MIT */
/* Programs that draw for ours. helper_start() starts one, from the folder of this program or from
 * PATH; helper_wait() waits for it and explains a failure. The helper's environment lacks
 * LD_PRELOAD and the variables that `hidden` lists, so it is not counted. */
#include "helper.h"

#include "beside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool is_hidden(const char *variable, const char *const *hidden)
{
	for (; hidden && *hidden; hidden++)
		if (!strncmp(variable, *hidden, strlen(*hidden)))
			return true;
	return !strncmp(variable, "LD_PRELOAD=", 11);
}

static char **environment(const char *const *hidden)
{
	size_t n = 0, kept = 0;
	char **env;

	while (environ[n])
		n++;
	env = calloc(n + 1, sizeof(*env));
	for (size_t i = 0; env && i < n; i++)
		if (!is_hidden(environ[i], hidden))
			env[kept++] = environ[i];
	return env;
}

static void find(const char *name, char out[PATH_MAX])
{
	if (!beside_program(name, out) || access(out, X_OK))
		snprintf(out, PATH_MAX, "%s", name);
}

static int spawn(struct helper *h, const char *path, const char *const argv[], char **env)
{
	posix_spawn_file_actions_t actions;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc)
		return rc;
	rc = h->in < 0 ? posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) :
	     posix_spawn_file_actions_adddup2(&actions, h->in, 0);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(&actions, h->out, 1);
	if (!rc)
		rc = posix_spawnp(&h->pid, path, &actions, NULL, (char **)(uintptr_t)argv, env);
	posix_spawn_file_actions_destroy(&actions);
	return rc;
}

void helper_start(struct helper *h, const char *const argv[])
{
	char path[PATH_MAX], **env = environment(h->hidden);

	h->name = argv[0];
	if (h->package)
		snprintf(path, sizeof(path), "%s", argv[0]);
	else
		find(argv[0], path);
	h->error = env ? spawn(h, path, argv, env) : ENOMEM;
	free(env);
}

static int explain(const struct helper *h, char *why, size_t why_bytes)
{
	if (h->error == ENOENT && !h->package)
		snprintf(why, why_bytes, "there is no %s, which belongs beside %s", h->name,
			 program_invocation_short_name);
	else if (h->error == ENOENT)
		snprintf(why, why_bytes, "there is no %s (install %s)", h->name, h->package);
	else
		snprintf(why, why_bytes, "%s does not start: %s", h->name, strerror(h->error));
	return -h->error;
}

int helper_wait(struct helper *h, char *why, size_t why_bytes)
{
	int status = 0;

	if (h->error)
		return explain(h, why, why_bytes);
	while (waitpid(h->pid, &status, 0) < 0)
		if (errno != EINTR)
			break;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	snprintf(why, why_bytes, "%s failed; it says why above", h->name);
	return -EIO;
}
