/* SPDX-License-Identifier: MIT */
#include "socket.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include "descriptor.h"
#include "private_folder.h"

#define QUEUE_MAX 4096
#define JOB_MAX 56		/* the folder, the mark and this are one path */

/* The end of a job's name has its number. */
int socket_path(const char *job, char path[SOCKET_PATH_MAX], char folder[SOCKET_FOLDER_MAX])
{
	const char *parent = access("/dev/shm", W_OK | X_OK) ? "/tmp" : "/dev/shm";
	size_t length = strlen(job);
	int rc = private_folder(parent, "ipmu-run", 0700, folder, SOCKET_FOLDER_MAX);

	if (rc) {
		snprintf(path, SOCKET_PATH_MAX, "%s/ipmu-run-%u", parent, (unsigned)geteuid());
		return rc;
	}
	length = (size_t)snprintf(path, SOCKET_PATH_MAX, "%s/%c%s", folder, SOCKET_MARK,
				  length > JOB_MAX ? job + length - JOB_MAX : job);
	for (char *c = path + strlen(folder) + 1; *c; c++)
		if (*c == '/')
			*c = '_';
	return length < SOCKET_PATH_MAX ? 0 : -ENAMETOOLONG;
}

int socket_connect(int fd, const char *path)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };

	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	return connect(fd, (struct sockaddr *)&name, sizeof(name)) ? -errno : 0;
}

/* Removes the sockets of killed processes. A live process does not notice: its socket has another
 * type than the connecting one (EPROTOTYPE). */
static void sweep(const char *folder)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	DIR *d = fd < 0 ? NULL : opendir(folder);
	const struct dirent *e;

	while (d && (e = readdir(d))) {
		char path[SOCKET_PATH_MAX];

		if (e->d_name[0] == SOCKET_MARK &&
		    snprintf(path, sizeof(path), "%s/%s", folder, e->d_name) < (int)sizeof(path) &&
		    socket_connect(fd, path) == -ECONNREFUSED)
			unlink(path);
	}
	if (d)
		closedir(d);
	if (fd >= 0)
		close(fd);
}

static int listen_or_connect(const char *folder, const char *path, int *fd)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int rc;

	sweep(folder);
	*fd = descriptor_move_up(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
					0));
	if (*fd < 0)
		return -errno;
	rc = socket_connect(*fd, path);
	if (!rc)
		return 1;
	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	if (rc == -ENOENT)
		rc = bind(*fd, (struct sockaddr *)&name, sizeof(name)) ||
		     listen(*fd, QUEUE_MAX) ? -errno : 0;
	if (rc)
		close(*fd);
	return rc;
}

/* The folder is locked, so no process is between bind() and listen(): a socket that refuses belongs
 * to a process that was killed. -EAGAIN: another holds the lock, or the queue is full. */
int socket_meet(const char *folder, const char *path, int *fd)
{
	int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = lock < 0 || flock(lock, LOCK_EX | LOCK_NB) ? -errno : 0;

	if (!rc)
		rc = listen_or_connect(folder, path, fd);
	if (lock >= 0)
		close(lock);
	return rc;
}
