/* SPDX-License-Identifier: MIT */
/* A private network of booted machines that needs no rights and no process of its own. Each
 * machine's vpmu has a socket in a folder that nobody else may enter; it takes frames from its
 * emulator to the sockets of others, and the other way round. A machine's number is the last byte
 * of its address. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../boot/wire.h"
#include "tool.h"

#define FRAME_MAX 65600
#define BURST 32		/* frames at a time, before streams have their turn */
#define PATIENCE_MS 200		/* with a machine that takes none; then the frame is lost */

struct frame { size_t bytes; unsigned char data[FRAME_MAX]; };

struct vpmu_network {
	int folder, here;	/* here: other machines' frames arrive */
	int machine, far;	/* the emulator's are exchanged there; far is its end */
	unsigned int node;
	struct frame out, in;	/* without bytes: none waits */
	int64_t since;		/* when `out` was refused first; 0: it was not */
};

static const unsigned char prefix[5] = { 0x52, 0x56, 0x50, 0x4d, 0x55 };

void vpmu_network_address(const struct vpmu_network *n, char *out, size_t bytes)
{
	snprintf(out, bytes, "%02x:%02x:%02x:%02x:%02x:%02x", prefix[0], prefix[1], prefix[2],
		 prefix[3], prefix[4], n->node);
}

int vpmu_network_far(const struct vpmu_network *n)
{
	return n->far;
}

/* ---- joining and leaving ---- */

/* However long the folder's path is, that of a socket in it is short. */
static struct sockaddr_un place_of(const struct vpmu_network *n, unsigned int node)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	snprintf(a.sun_path, sizeof(a.sun_path), "/proc/self/fd/%d/node%u", n->folder, node);
	return a;
}

static int send_to(const struct vpmu_network *n, unsigned int node, const struct frame *f)
{
	struct sockaddr_un a = place_of(n, node);

	return sendto(n->here, f->data, f->bytes, MSG_DONTWAIT, (struct sockaddr *)&a,
		      sizeof(a)) < 0 ? -errno : 0;
}

/* A killed vpmu leaves its socket behind. */
static bool is_deserted(const struct vpmu_network *n)
{
	static const struct frame nothing = { .bytes = 0 };

	return send_to(n, n->node, &nothing) == -ECONNREFUSED;
}

static int open_folder(struct vpmu_network *n, const char *path)
{
	struct stat st;

	if (mkdir(path, 0700) && errno != EEXIST) {
		vpmu_complain("%s: cannot make this folder: %s", path, strerror(errno));
		return VPMU_EXIT_FAILURE;
	}
	n->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (n->folder < 0 || fstat(n->folder, &st)) {
		vpmu_complain("%s: %s", path, strerror(errno));
		return VPMU_EXIT_FAILURE;
	}
	if (st.st_uid == geteuid() && !(st.st_mode & 077))
		return 0;
	vpmu_complain("%s: others could enter this folder, and so the machines, which have your "
		      "files: make it your own with chmod 700, or name a new one", path);
	return VPMU_EXIT_FAILURE;
}

static int take_place(struct vpmu_network *n, const char *path)
{
	struct sockaddr_un a = place_of(n, n->node);
	int rc;

	n->here = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	rc = n->here < 0 ? -1 : bind(n->here, (struct sockaddr *)&a, sizeof(a));
	if (rc && errno == EADDRINUSE && is_deserted(n)) {
		unlink(a.sun_path);
		rc = bind(n->here, (struct sockaddr *)&a, sizeof(a));
	}
	if (!rc)
		return 0;
	if (errno == EADDRINUSE)
		vpmu_complain("%s: node %u of this network is running: choose another number with "
			      "--node", path, n->node);
	else
		vpmu_complain("%s: cannot make a socket there: %s", path, strerror(errno));
	return VPMU_EXIT_FAILURE;
}

static int join_emulator(struct vpmu_network *n)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair)) {
		vpmu_complain("cannot make a connection: %s", strerror(errno));
		return VPMU_EXIT_FAILURE;
	}
	n->machine = pair[0];
	n->far = pair[1];
	fcntl(n->far, F_SETFL, O_NONBLOCK);
	fcntl(n->far, F_SETFD, 0);
	return 0;
}

int vpmu_network_join(const char *folder, unsigned int node, struct vpmu_network **out)
{
	struct vpmu_network *n = calloc(1, sizeof(*n));
	int rc;

	if (!n) {
		vpmu_complain("no memory");
		return VPMU_EXIT_FAILURE;
	}
	*n = (struct vpmu_network){ .folder = -1, .here = -1, .machine = -1, .far = -1,
				    .node = node };
	rc = open_folder(n, folder);
	if (!rc)
		rc = take_place(n, folder);
	if (!rc)
		rc = join_emulator(n);
	if (!rc)
		*out = n;
	else
		free(n);
	return rc;
}

void vpmu_network_leave(struct vpmu_network *n)
{
	struct sockaddr_un a;

	if (!n)
		return;
	a = place_of(n, n->node);
	unlink(a.sun_path);
	close(n->here);
	close(n->machine);
	close(n->far);
	close(n->folder);
	free(n);
}

/* ---- frames ---- */

/* A frame for all is not sent twice to some because others are busy. */
static void send_to_all(const struct vpmu_network *n)
{
	for (unsigned int node = 0; node < VPMU_NODES_MAX; node++)
		if (node != n->node)
			send_to(n, node, &n->out);
}

static bool delivered(struct vpmu_network *n)
{
	const unsigned char *to = n->out.data;

	if (n->out.bytes < 14)
		return true;
	if (to[0] & 1)
		send_to_all(n);
	else if (!memcmp(to, prefix, sizeof(prefix)) && to[5] != n->node &&
		 send_to(n, to[5], &n->out) == -EAGAIN) {
		if (!n->since)
			n->since = vpmu_now_ms();
		return vpmu_now_ms() - n->since > PATIENCE_MS;
	}
	return true;
}

static bool fetch(int fd, struct frame *f)
{
	ssize_t got = recv(fd, f->data, sizeof(f->data), MSG_DONTWAIT);

	f->bytes = got > 0 ? (size_t)got : 0;
	return got > 0;
}

static bool carry_out(struct vpmu_network *n)
{
	if ((!n->out.bytes && !fetch(n->machine, &n->out)) || !delivered(n))
		return false;
	n->out.bytes = 0;
	n->since = 0;
	return true;
}

static bool carry_in(struct vpmu_network *n)
{
	if ((!n->in.bytes && !fetch(n->here, &n->in)) ||
	    (send(n->machine, n->in.data, n->in.bytes, MSG_DONTWAIT) < 0 && errno == EAGAIN))
		return false;
	n->in.bytes = 0;
	return true;
}

int vpmu_network_wait(const struct vpmu_network *n, struct pollfd *p)
{
	p[0] = (struct pollfd){ .fd = n->machine, .events = (short)((n->out.bytes ? 0 : POLLIN) |
					(n->in.bytes ? POLLOUT : 0)) };
	p[1] = (struct pollfd){ .fd = n->here, .events = n->in.bytes ? 0 : POLLIN };
	return n->out.bytes ? 1 : -1;
}

void vpmu_network_move(struct vpmu_network *n)
{
	for (int i = 0; i < BURST && carry_out(n); i++)
		;
	for (int i = 0; i < BURST && carry_in(n); i++)
		;
}
