/* SPDX-License-Identifier: MIT */
/* Sockets by which the processes of a job find each other on a node: names that they all know, in a
 * private folder. */
#ifndef IPMU_RUN_SOCKET_H
#define IPMU_RUN_SOCKET_H

#include <sys/un.h>

#define SOCKET_PATH_MAX sizeof(((struct sockaddr_un *)NULL)->sun_path)
#define SOCKET_FOLDER_MAX 48
#define SOCKET_MARK '+'		/* begins their names */

/* The path of the job's socket, and its folder, which is made if there is none. The path is set in
 * any case, for messages. 0 or a negative errno. */
int socket_path(const char *job, char path[SOCKET_PATH_MAX], char folder[SOCKET_FOLDER_MAX]);
/* 0 or a negative errno. */
int socket_connect(int fd, const char *path);
/* The first process to come listens: 0. The others are connected to it: 1. A negative errno
 * otherwise, -EAGAIN: in a moment it may work. *fd (SOCK_SEQPACKET, not blocking) is open unless
 * the result is negative. */
int socket_meet(const char *folder, const char *path, int *fd);

#endif
