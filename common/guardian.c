/* SPDX-License-Identifier: MIT */
/* A process cannot handle SIGKILL, so another one waits for its end: `ipmu-restore` sleeps until
 * the pipe is closed whose only other end is here. It restores the registers of all dead processes,
 * the node's other ranks included. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "descriptor.h"
#include "guardian.h"

#define COMMAND "ipmu-restore"
#define THEIR_END 3		/* in the guardian */
#define THEIR_END_TEXT "3"

static struct {
	pthread_mutex_t lock;
	int members, fd;
	uint64_t is;			/* the descriptor's identity */
} guardian = { PTHREAD_MUTEX_INITIALIZER, 0, -1, 0 };

static bool is_enabled(void)
{
	const char *asked = secure_getenv("IPMU_MPI_GUARDIAN");
	const char *state = secure_getenv("IPMU_STATE_DIR");

	return !(asked && !strcmp(asked, "0")) && !(state && !strcmp(state, "none"));
}

/* The restorer inherits no descriptor: launchers watch sockets and pipes for the end of a rank. */
static int describe(posix_spawn_file_actions_t *files, posix_spawnattr_t *attr, int their_end)
{
	sigset_t none, all;
	int rc;

	sigemptyset(&none);
	sigfillset(&all);
	rc = posix_spawn_file_actions_adddup2(files, their_end, THEIR_END);
	for (int fd = 0; fd < THEIR_END && !rc; fd++)
		rc = posix_spawn_file_actions_addopen(files, fd, "/dev/null", O_RDWR, 0);
	if (!rc)
		rc = posix_spawn_file_actions_addclosefrom_np(files, THEIR_END + 1);
	posix_spawnattr_setsigmask(attr, &none);
	posix_spawnattr_setsigdefault(attr, &all);
	posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
				 POSIX_SPAWN_SETSIGDEF);
	return rc;
}

/* Never fork: what MPI has registered with devices does not survive it. */
static int spawn(const char *path, int their_end, pid_t *pid)
{
	char command[] = COMMAND, option[] = "--when-closed", end[] = THEIR_END_TEXT;
	char *argv[] = { command, option, end, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int rc = posix_spawn_file_actions_init(&files);

	if (rc)
		return rc;
	rc = posix_spawnattr_init(&attr);
	if (!rc) {
		rc = describe(&files, &attr, their_end);
		if (!rc && path[0])
			rc = posix_spawn(pid, path, &files, &attr, argv, environ);
		else if (!rc && getauxval(AT_SECURE))
			rc = ENOENT;	/* its user says what is in PATH */
		else if (!rc)
			rc = posix_spawnp(pid, COMMAND, &files, &attr, argv, environ);
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

/* The helper forks the waiting child and ends at once. A program that waits for any child then
 * never gets one that it does not know. */
static bool start(const char *path)
{
	int ends[2], status = -1;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return false;
	if (!spawn(path, ends[0], &pid)) {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (status == -1)
			status = 0;	/* the program has all its children buried unseen */
	}
	close(ends[0]);
	if (status) {
		close(ends[1]);
		return false;
	}
	guardian.fd = descriptor_move_up(ends[1]);
	guardian.is = descriptor_identity(guardian.fd);
	return true;
}

bool guardian_join(const char *path)
{
	bool there;

	if (!is_enabled())
		return false;
	pthread_mutex_lock(&guardian.lock);
	there = (guardian.members > 0 && descriptor_is(guardian.fd, guardian.is)) || start(path);
	guardian.members += there;
	pthread_mutex_unlock(&guardian.lock);
	return there;
}

void guardian_leave(void)
{
	pthread_mutex_lock(&guardian.lock);
	if (--guardian.members == 0) {
		descriptor_close(guardian.fd, guardian.is);
		guardian.fd = -1;
	}
	pthread_mutex_unlock(&guardian.lock);
}
