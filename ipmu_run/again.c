/* SPDX-License-Identifier: MIT */
/* Counts a program in another ipmu-run, again_run(): a suite has one for each benchmark, --seeds
 * one for each layout, because a virtual machine has one seed. The other one writes a base. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

extern char **environ;

#define WORDS_OURS 32

struct words {
	char **of;
	int n;
};

static void words_add(struct words *w, const char *word)
{
	w->of[w->n++] = (char *)(uintptr_t)word;
}

static void words_add_option(struct words *w, const char *option, const char *value)
{
	if (!value)
		return;
	words_add(w, option);
	words_add(w, value);
}

static void words_add_list(struct words *w, const char *option, char *const *list, int n)
{
	for (int i = 0; i < n; i++)
		words_add_option(w, option, list[i]);
}

/* repeat and layouts: room for a number each. False: no memory. */
static bool compose(const struct options *o, const char *base, const char *seed, char *self,
		    char repeat[16], char layouts[16], struct words *w)
{
	size_t n = WORDS_OURS + 2 * (size_t)(o->ngroups + o->nevents);

	for (int i = 0; o->argv[i]; i++)
		n++;
	w->of = calloc(n, sizeof(*w->of));
	w->n = 0;
	if (!w->of)
		return false;
	snprintf(repeat, 16, "%d", o->repeat);
	snprintf(layouts, 16, "%d", o->seeds);
	words_add(w, self);
	words_add(w, "-q");
	words_add_option(w, "--on", o->on);
	words_add_option(w, "--seed", seed);
	for (int i = 0; i < MACHINE_CACHES; i++)
		words_add_option(w, machine_caches[i], o->cache[i]);
	if (!seed && o->seeds)
		words_add_option(w, "--seeds", layouts);
	words_add_list(w, "-g", o->groups, o->ngroups);
	words_add_list(w, "-e", o->events, o->nevents);
	words_add_option(w, "--only", o->only);
	words_add_option(w, "--name", o->name);
	words_add_option(w, "-r", repeat);
	if (o->passes)
		words_add(w, "--passes");
	words_add_option(w, "--base", base);
	words_add(w, "--");
	for (int i = 0; o->argv[i]; i++)
		words_add(w, o->argv[i]);
	return true;
}

static struct sigaction before;		/* what SIGINT does without again_begin() */

void again_begin(void)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGINT, &ignore, &before);
}

void again_end(void)
{
	sigaction(SIGINT, &before, NULL);
}

/* The program's output is sent to stderr: the table has stdout to itself. */
static int spawn(char **words, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t signals;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc)
		return rc;
	rc = posix_spawnattr_init(&attributes);
	if (rc) {
		posix_spawn_file_actions_destroy(&actions);
		return rc;
	}
	sigemptyset(&signals);
	if (before.sa_handler != SIG_IGN)
		sigaddset(&signals, SIGINT);
	rc = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	if (!rc)
		rc = posix_spawnattr_setsigdefault(&attributes, &signals);
	if (!rc)
		rc = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	if (!rc)
		rc = posix_spawn(pid, words[0], &actions, &attributes, words, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return rc;
}

int again_run(const struct options *o, const char *base, const char *seed)
{
	char self[PATH_MAX], repeat[16], layouts[16];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct words w;
	int rc, status = 0;
	pid_t pid;

	self[n > 0 ? n : 0] = '\0';
	if (!compose(o, base, seed, self, repeat, layouts, &w))
		return complain(EXIT_CANNOT_COUNT, "no memory");
	fflush(NULL);
	rc = spawn(w.of, &pid);
	free(w.of);
	if (rc)
		return complain(EXIT_CANNOT_COUNT, "cannot start %s: %s", self, strerror(rc));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return complain(EXIT_CANNOT_COUNT, "cannot wait for %s: %s", self,
					strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
